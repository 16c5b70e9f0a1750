//! Fields of NFS.

pub mod common;
pub mod names;
pub mod names4;
pub mod v3;
