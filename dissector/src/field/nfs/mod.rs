//! Fields of NFS, and of MOUNT and NFSACL, which accompany it.

pub mod names;
mod version3;
mod version4;

pub use version3::{common, mount, nfsacl, v3};
pub use version4::{attributes4, layout4, session4, v4};
