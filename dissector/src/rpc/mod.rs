//! RPC over RPC-over-RDMA: messages put together from Sends and chunks, replies matched with calls.

mod bytes;
mod call;
mod exchanges;
mod item;
mod records;

pub use exchanges::Exchanges;
pub use item::{CallRecord, ChunkKind, ChunkUse, RpcItem, RpcKind};
pub use records::Records;
