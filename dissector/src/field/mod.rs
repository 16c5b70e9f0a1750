//! The field catalogue: every field that can be shown, filtered on or exported, declared once.

mod catalogue;
pub mod ddp;
mod declare;
pub mod exchange;
pub mod frame;
pub mod ip;
pub mod link;
pub mod mount;
pub mod mpa;
pub mod nfs;
pub mod nfsacl;
pub mod operation;
pub mod rdmap;
pub mod rpc;
pub mod small;
pub mod tcp;

pub use catalogue::{all, find, nearest, protocols};
pub(crate) use declare::fields;
pub use declare::{Display, Field, Kind, Origin};
