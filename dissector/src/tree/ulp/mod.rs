//! The nodes of upper layer protocols: messages, private data of setup frames, and I/Os.

mod io;
mod iser;
mod nvme;
mod scsi;
mod smb2;
mod smb_direct;

pub(super) use io::push_private_data;
pub(crate) use io::{push_io, push_message};
