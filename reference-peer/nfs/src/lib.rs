//! RPC-over-RDMA version 1 (RFC 8166) on the streams of the reference peer, and NFS on top of
//! it: version 3 with MOUNT (RFC 1813), and 4.1 and 4.2 (RFC 8881, RFC 7862).
//!
//! [`rpc`] has ONC RPC without a transport. [`rpcrdma`] is one end of RPC-over-RDMA on one stream; [`Rpc`] is
//! the service that has an end for every stream. [`Server`] exports a folder and answers calls
//! ([`rpc::Answer`]); [`client`] is the client side.
//!
//! The NFS types are our own: the existing library of them (`nfs3_types`) allocates whatever length a message
//! claims, and cannot say which bytes are DDP-eligible (RFC 8267 section 4).

pub mod client;
mod duplicates;
mod export;
mod protocol;
pub mod rpc;
pub mod rpcrdma;
mod server;
mod service;
pub mod v4;
mod xdr;

pub use export::ExportOptions;
pub use protocol::{
    Attributes, BeforeAndAfter, FileType, LONGEST_HANDLE, LONGEST_MOUNT_PATH, MOUNT, NFS,
    NewAttributes, Status, Status4, Time, TimeChange, VERSION, VERSION_4, access, mount, procedure,
};
pub use server::{ExportFailed, Server};
pub use service::{Answered, Rpc};
