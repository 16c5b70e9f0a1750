//! Feeds the judge, and remembers of each finding who initiated its connection.

use std::collections::HashSet;
use warpscope_dissector::mpa::Side;
use warpscope_dissector::pipeline::{Item, ItemContext, PacketItem, Sink};
use warpscope_dissector::rules::{Finding, Judge};
use warpscope_dissector::stream::Arrival;

/// A sink around the judge.
#[derive(Debug, Default)]
pub(super) struct Watch {
    judge: Judge,
    /// The numbers of the connections in which iWARP was found.
    connections: HashSet<u32>,
    found: Vec<(Finding, Option<Side>)>,
}

impl Watch {
    /// Connections in which iWARP was found.
    pub(super) fn connections(&self) -> u64 {
        self.connections.len() as u64
    }

    /// The findings since the last call, each with the side that initiated its connection.
    pub(super) fn take(&mut self) -> Vec<(Finding, Option<Side>)> {
        self.found.extend(self.judge.take().map(|finding| (finding, None)));
        std::mem::take(&mut self.found)
    }
}

impl Sink for Watch {
    fn packet(&mut self, packet: &PacketItem<'_>) {
        self.judge.packet(packet);
    }

    fn arrival(&mut self, arrival: Arrival) {
        self.judge.arrival(arrival);
    }

    fn item(&mut self, context: &ItemContext<'_>, item: &Item<'_>) {
        if matches!(item, Item::Setup(_) | Item::Segment(_)) {
            self.connections.insert(context.connection.number);
        }
        self.judge.item(context, item);
        let initiator = context.negotiation.initiator();
        let here = |finding: &Finding| finding.place.connection.number == context.connection.number;
        let judged = self.judge.take();
        self.found.extend(judged.map(|it| (here(&it), it)).map(|(here, it)| {
            let initiator = initiator.filter(|_| here);
            (it, initiator)
        }));
    }

    fn capture_ended(&mut self) {
        self.judge.capture_ended();
    }
}
