//! iSER on one connection.

mod conversation;
mod message;

pub(crate) use conversation::{Conversation, recognises_private_data, recognises_send};
pub use message::Message;
pub(crate) use message::push_private_data;
