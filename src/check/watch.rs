//! Feeds the judge, and remembers of each finding who initiated its connection.

use std::collections::HashMap;
use warpscope_dissector::mpa::Side;
use warpscope_dissector::pipeline::{Item, ItemContext, PacketItem, Sink};
use warpscope_dissector::rules::{Finding, Judge};
use warpscope_dissector::stream::SegmentDisposition;

/// A sink around the judge.
#[derive(Debug, Default)]
pub(super) struct Watch {
    judge: Judge,
    /// The numbers of the connections in which iWARP was found, each with the side that initiated
    /// it, when that was seen.
    connections: HashMap<u32, Option<Side>>,
}

impl Watch {
    /// Connections in which iWARP was found.
    pub(super) fn connections(&self) -> u64 {
        self.connections.len() as u64
    }

    /// The findings since the last call, each with the side that initiated its connection.
    pub(super) fn take(&mut self) -> impl Iterator<Item = (Finding, Option<Side>)> {
        let connections = &self.connections;
        self.judge.take().map(|finding| {
            let number = finding.place.connection.number;
            (finding, connections.get(&number).copied().flatten())
        })
    }
}

impl Sink for Watch {
    fn packet(&mut self, packet: &PacketItem<'_>) {
        self.judge.packet(packet);
    }

    fn disposition(&mut self, disposition: SegmentDisposition) {
        self.judge.disposition(disposition);
    }

    fn item(&mut self, context: &ItemContext<'_>, item: &Item<'_>) {
        if matches!(item, Item::Setup(_) | Item::Segment(_)) {
            let known = self.connections.entry(context.connection.number).or_default();
            *known = known.or_else(|| context.negotiation.initiator());
        }
        self.judge.item(context, item);
    }

    fn capture_ended(&mut self) {
        self.judge.capture_ended();
    }
}
