//! RPC over RPC-over-RDMA: reassembles messages from Sends and chunks, and matches replies with calls.

mod call;
mod exchanges;
mod io;

pub use call::Records;
pub use exchanges::{CallRecord, ChunkKind, ChunkUse, Exchanges, RpcItem, RpcKind};
