//! Upper layer protocols beside RPC-over-RDMA, on real captures.

mod nvme;
mod smb_direct;
