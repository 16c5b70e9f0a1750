//! Puts calls and replies together to records, in bounded memory.

use super::rpc::RpcRecord;
use crate::pipeline::ItemContext;
use crate::rpc::{RpcItem, RpcKind};
use std::collections::VecDeque;

/// Calls without a reply that are kept, over all connections; the oldest makes room.
const OPEN: usize = 1 << 14;

/// Exchanges under way.
#[derive(Debug, Default)]
pub struct ExchangeRecords {
    open: VecDeque<RpcRecord>,
}

impl ExchangeRecords {
    /// Takes an RPC message; returns the exchange that it ends, or one that had to make room.
    pub fn rpc(&mut self, context: &ItemContext<'_>, item: &RpcItem<'_>) -> Option<RpcRecord> {
        let exchange = item.call.map(|call| call.exchange);
        let connection = context.connection;
        let same = |record: &RpcRecord| {
            record.exchange.is_some()
                && record.exchange == exchange
                && record.connection.number == connection.number
        };
        let known = self.open.iter().rposition(same);
        let known = known.and_then(|index| self.open.remove(index));
        let record = match known {
            Some(mut record) => {
                record.take(item);
                record
            }
            None => RpcRecord::new(connection, item),
        };
        if item.kind != RpcKind::Call {
            return Some(record);
        }
        self.open.push_back(record);
        if self.open.len() > OPEN { self.open.pop_front() } else { None }
    }

    /// The calls that got no reply, oldest first.
    pub fn finish(&mut self) -> impl Iterator<Item = RpcRecord> + '_ {
        self.open.drain(..)
    }
}
