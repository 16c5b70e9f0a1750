//! Upper layer protocols (ULP): the content of a connection's Sends, and the memory that the RDMA Reads and
//! Writes between them move.
//!
//! A connection carries one of the protocols of [`Ulp`]; [`Carrier`] finds out which, from the user's choice,
//! the private data of the setup, the port or the first Sends. The protocol's decoder implements `UpperLayer`
//! and delivers `Event`s: messages, for trees and lines, and [`Io`]s. The tables, statistics and lists need
//! only the latter: they do not know which protocol an I/O belongs to.

mod carrier;
mod io;
pub mod iser;
mod layer;
mod memory;
pub mod nvme;
mod protocol;
mod requests;
pub mod rpc;
pub mod smb_direct;

pub use carrier::Carrier;
pub(crate) use carrier::{Recogniser, Sides};
pub use io::{Access, FilePlace, Io, IoItem, IoStatus, Mark, Paths};
pub use layer::{Detail, MessagePlace, UlpItem};
pub(crate) use layer::{Emit, Event, Moved, Send, Sent, UpperLayer, write_answer};
pub use memory::Memory;
pub use protocol::Ulp;
pub(crate) use requests::{Open, Requests};
