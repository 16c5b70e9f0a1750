//! iSER on one connection: iSCSI PDUs in Sends, and the RDMA Reads and Writes that move the data of SCSI
//! commands (RFC 7145).

pub(crate) mod conversation;
mod line;
pub(crate) mod message;
mod recognise;

pub(crate) use conversation::Conversation;
pub use message::{Message, Request};
pub(crate) use recognise::{recognises_private_data, recognises_send};
