//! SMB Direct on one connection: its negotiation and credits, the SMB2 messages in its Sends, whole or in
//! fragments, and the memory that READ and WRITE describe.
//!
//! `Conversation` parses the Sends. `Fragments` reassembles upper messages, `Names` remembers shares and
//! files. Each message of a compound is delivered separately, and each message ID is an I/O.

mod conversation;
pub(crate) mod message;
mod names;
mod reassembly;
mod words;

pub(crate) use conversation::{Conversation, recognises_private_data, recognises_send};
pub use message::{Exchange, Message, Upper};
