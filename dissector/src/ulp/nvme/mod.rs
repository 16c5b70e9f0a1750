//! NVMe over RDMA on one connection, which is one queue: private data, command and response capsules, and the
//! data that RDMA Reads and Writes move for them (NVMe RDMA Transport 1.0, NVMe Base 2.0).

mod conversation;
pub(crate) mod message;
mod recognise;

pub(crate) use conversation::Conversation;
pub use message::{Asked, Content, Message};
pub(crate) use recognise::{recognises_private_data, recognises_send};
