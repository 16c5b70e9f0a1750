//! NFS version 4: compounds of operations, and callbacks (RFC 7530, RFC 8881, RFC 7862).

mod compound;
mod files;

pub(super) use compound::{CALLBACKS, PROCEDURES};
