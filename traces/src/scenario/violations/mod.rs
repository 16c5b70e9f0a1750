//! Captures in which peers break rules: each connection breaks one or two, and no others.

mod ddp;
mod iser;
mod nvme;
mod operation;
mod rpc;
mod setup;
mod smb_direct;

pub(super) use ddp::{DDP, RDMAP};
pub(super) use iser::ISER;
pub(super) use nvme::NVME;
pub(super) use operation::{OPERATION, TERMINATE};
pub(super) use rpc::RPC;
pub(super) use setup::{FPDU, SETUP};
pub(super) use smb_direct::SMB_DIRECT;
