//! RPC over RPC-over-RDMA: messages put together from Sends and chunks, replies matched with calls.

mod call;
mod exchanges;
mod io;

pub use call::Records;
pub use exchanges::{CallRecord, ChunkKind, ChunkUse, Exchanges, RpcItem, RpcKind};
