//! NFS version 3 and MOUNT version 3 (RFC 1813), without a transport.
//!
//! [`Server`] exports a folder; it is a [`crate::rpc::Answer`]. [`client`] has the other side. The types
//! are our own: the known library of them (`nfs3_types`) sets memory aside for whatever length a message
//! claims, and cannot say which bytes are DDP-eligible (RFC 8267 section 4).

mod attributes;
pub mod client;
mod export;
mod program;
mod server;
mod status;

pub use attributes::{Attributes, BeforeAndAfter, FileType, NewAttributes, Time, TimeChange};
pub use export::ExportOptions;
pub use program::{
    LONGEST_HANDLE, LONGEST_MOUNT_PATH, MOUNT, NFS, VERSION, access, mount, procedure,
};
pub use server::{ExportFailed, Server};
pub use status::Status;
