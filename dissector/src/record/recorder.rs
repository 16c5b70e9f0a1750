//! A sink that makes records of items.

use super::assembly::Assembly;
use super::exchanges::ExchangeRecords;
use super::message::MessageRecord;
use super::operation::OperationRecord;
use super::rpc::RpcRecord;
use crate::pipeline::{Item, ItemContext, PacketItem, Sink};
use std::vec::Drain;

/// Something that has come to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Record {
    /// A message.
    Message(MessageRecord),
    /// An operation.
    Operation(OperationRecord),
    /// An RPC exchange.
    Rpc(RpcRecord),
}

/// Makes a record of every message, operation and RPC exchange; take them after each frame.
#[derive(Debug, Default)]
pub struct Recorder {
    assembly: Assembly,
    exchanges: ExchangeRecords,
    records: Vec<Record>,
}

impl Recorder {
    /// The records since the last call, in the order in which they came to their ends.
    pub fn take(&mut self) -> Drain<'_, Record> {
        self.records.drain(..)
    }

    /// Makes records of what is still under way. Call it after [`crate::pipeline::Pipeline::finish`].
    pub fn finish(&mut self) {
        self.records.extend(self.assembly.finish().map(Record::Message));
        self.records.extend(self.exchanges.finish().map(Record::Rpc));
    }
}

impl Sink for Recorder {
    fn packet(&mut self, _packet: &PacketItem<'_>) {}

    fn item(&mut self, context: &ItemContext<'_>, item: &Item<'_>) {
        let record = match item {
            Item::Segment(segment) => self.assembly.segment(context, segment).map(Record::Message),
            Item::Operation(operation) => {
                OperationRecord::new(context, operation).map(Record::Operation)
            }
            Item::Rpc(rpc) => self.exchanges.rpc(context, rpc).map(Record::Rpc),
            Item::Setup(_) | Item::Skipped(_) | Item::PlainRpc(_) => None,
        };
        self.records.extend(record);
    }
}
