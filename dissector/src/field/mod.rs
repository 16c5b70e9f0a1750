//! The field catalogue: every field that can be shown, filtered on or exported, declared once.

pub mod analysis;
mod catalogue;
pub mod io;
pub mod iser;
mod iwarp;
mod network;
pub mod nfs;
pub mod nvme;
pub mod rpc;
pub mod smb_direct;

pub(crate) use catalogue::fields;
pub use catalogue::{Display, Field, FieldRef, Kind, Origin, all, find, nearest, protocols};
pub use iwarp::{ddp, mpa, operation, rdmap};
pub use network::{frame, ip, link, small, tcp};
pub use nfs::{mount, nfsacl};
pub use rpc::exchange;
