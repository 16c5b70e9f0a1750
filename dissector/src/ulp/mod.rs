//! Upper layer protocols (ULP): what the Sends of a connection say, and which memory the RDMA Reads and
//! Writes between them move.
//!
//! A connection carries one of the protocols of [`Ulp`]; [`Carrier`] finds out which, by the user's word,
//! the private data of the setup, the port or the first Sends. What speaks it implements `UpperLayer` and
//! hands up `Event`s: messages, for trees and lines, and [`Io`]s, which are all that the tables,
//! statistics and lists need: they do not know of which protocol an I/O is.

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
pub(crate) use layer::{Emit, Event, Moved, Send, Sent, UpperLayer};
pub use memory::Memory;
pub use protocol::Ulp;
pub(crate) use requests::{Open, Requests};
