//! Items summed up: one record a message, operation or RPC exchange, for tables and diagrams.

mod assembly;
mod exchanges;
mod message;
mod operation;
mod recorder;
mod rpc;

#[cfg(test)]
mod tests;

pub use assembly::Assembly;
pub use exchanges::ExchangeRecords;
pub use message::{MessageRecord, Target};
pub use operation::OperationRecord;
pub use recorder::{Record, Recorder};
pub use rpc::{ChunkTotals, RpcPart, RpcRecord, RpcStatus};
