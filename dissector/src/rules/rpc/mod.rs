//! Rules of RPC-over-RDMA (RFC 8166, RFC 8167, RFC 8797).

mod chunks;
mod exchange;
mod header;
mod inline;
mod memory;
mod message;
mod setup;
mod state;
mod suspicion;

pub(super) use exchange::segment;
pub(super) use memory::operation;
pub(super) use message::judge;
pub(super) use setup::frame;
pub(super) use state::RpcState;
