//! Upper layer protocols beside RPC-over-RDMA, on real captures.

mod iser;
mod nfs;
mod nvme;
mod smb_direct;
