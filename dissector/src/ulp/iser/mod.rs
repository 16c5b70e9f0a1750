//! iSER on one connection: iSCSI PDUs in Sends, and the RDMA Reads and Writes that move the data of SCSI
//! commands (RFC 7145).

mod conversation;
mod line;
mod message;
mod recognise;
mod scsi_tree;
mod tree;

pub(crate) use conversation::Conversation;
pub use message::{Message, Request};
pub(crate) use recognise::{recognises_private_data, recognises_send};
pub(crate) use tree::push_private_data;
