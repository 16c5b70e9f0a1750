//! SMB Direct on one connection: its negotiation and credits, the SMB2 messages that its Sends carry, whole
//! or in fragments, and the memory that READ and WRITE describe.
//!
//! `Conversation` reads the Sends. `Fragments` puts upper messages together, `Names`
//! remembers shares and files. Each message of a compound is handed up by itself, and each message ID is an
//! I/O.

mod conversation;
pub(crate) mod message;
mod names;
mod reassembly;
mod words;

pub(crate) use conversation::{Conversation, recognises_private_data, recognises_send};
pub use message::{Exchange, Message, Upper};
