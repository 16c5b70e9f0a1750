//! NFS over RPC-over-RDMA: the service of a folder, and the client.

mod commands;
mod mount;
mod show;

pub(super) use commands::{OPTIONS, act_as_client, build};
pub(crate) use mount::{handle, mount};
