//! RPC over RPC-over-RDMA: messages put together from Sends and chunks, replies matched with calls.

mod item;

pub use item::{CallRecord, ChunkKind, ChunkUse, RpcItem, RpcKind};
