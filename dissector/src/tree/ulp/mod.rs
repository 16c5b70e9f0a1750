//! The nodes of upper layer protocols: of a message, of the private data of a setup frame, and of an I/O.

mod io;
mod iser;
mod nvme;
mod scsi;
mod smb2;
mod smb_direct;

pub(super) use io::push_private_data;
pub(crate) use io::{push_io, push_message};
