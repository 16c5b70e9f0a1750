//! NFS version 4: compounds of operations, and callbacks (RFC 7530, RFC 8881, RFC 7862).

mod attributes;
mod callbacks;
mod compound;
mod copies;
mod files;
mod layouts;
mod sessions;
mod state;

pub(super) use compound::{CALLBACKS, PROCEDURES};
