//! NFS over RPC-over-RDMA: the service of a folder, and the client.

mod client;
mod commands;
mod copy;
mod line;
mod plain;
mod serve;
mod show;

pub(super) use client::run;
pub(super) use serve::{OPTIONS, build};
