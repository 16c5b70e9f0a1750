//! Fields of NFS.

pub mod attributes4;
pub mod common;
pub mod layout4;
pub mod names;
pub mod names4;
pub mod session4;
pub mod v3;
pub mod v4;
