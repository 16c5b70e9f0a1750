//! The connections of a capture, to choose one from.

use crate::flow::ConnectionInfo;
use crate::link::Endpoint;
use crate::mpa::{Negotiation, Side};
use crate::operation::Event;
use crate::pipeline::{Item, ItemContext, PacketItem, Sink};
use std::collections::BTreeMap;

/// Connections that are listed; those beyond are counted.
const LISTED: usize = 100_000;

/// A connection in short.
#[derive(Debug, Clone, Copy)]
pub struct Flow {
    /// Its number and ends.
    pub connection: ConnectionInfo,
    /// What the setup frames said, as far as they were seen.
    pub negotiation: Negotiation,
    /// Its first and last frame.
    pub frames: (u64, u64),
    /// Frames of it.
    pub packets: u64,
    /// When the first and the last were captured, in nanoseconds since 1970.
    pub times: (Option<i64>, Option<i64>),
    /// Whether iWARP was found in it.
    pub iwarp: bool,
    /// RDMAP messages of each side.
    pub messages: [u64; 2],
    /// RPC calls and replies.
    pub rpcs: u64,
    /// Terminates.
    pub terminates: u64,
    /// Bytes that could not be used.
    pub skipped: u64,
}

/// Lists the connections of a capture.
#[derive(Debug, Default)]
pub struct FlowList {
    flows: BTreeMap<u32, Flow>,
    unlisted: u64,
}

impl FlowList {
    /// The connections in the order of their numbers.
    pub fn flows(&self) -> impl Iterator<Item = &Flow> {
        self.flows.values()
    }

    /// A connection.
    pub fn find(&self, number: u32) -> Option<&Flow> {
        self.flows.get(&number)
    }

    /// Frames of connections that are not listed, because there are too many.
    pub fn unlisted(&self) -> u64 {
        self.unlisted
    }
}

impl Sink for FlowList {
    fn packet(&mut self, packet: &PacketItem<'_>) {
        let (Some(tcp), Some(segment)) = (packet.tcp, &packet.packet.tcp) else { return };
        if self.flows.len() >= LISTED && !self.flows.contains_key(&tcp.stream) {
            self.unlisted += 1;
            return;
        }
        let (number, time) = (packet.frame.number, packet.frame.time);
        let ends: [Endpoint; 2] = [segment.source, segment.destination];
        let flow = self.flows.entry(tcp.stream).or_insert_with(|| Flow {
            connection: ConnectionInfo { number: tcp.stream, ends },
            negotiation: Negotiation::default(),
            frames: (number, number),
            packets: 0,
            times: (time, time),
            iwarp: false,
            messages: [0; 2],
            rpcs: 0,
            terminates: 0,
            skipped: 0,
        });
        flow.packets += 1;
        flow.frames.1 = number;
        flow.times.1 = time.or(flow.times.1);
    }

    fn item(&mut self, context: &ItemContext<'_>, item: &Item<'_>) {
        let Some(flow) = self.flows.get_mut(&context.connection.number) else { return };
        flow.negotiation = *context.negotiation;
        let Side(side) = context.side;
        match item {
            Item::Setup(_) => flow.iwarp = true,
            Item::Segment(segment) => {
                flow.iwarp = true;
                if let Some(messages) = flow.messages.get_mut(usize::from(side)) {
                    *messages = (*messages).max(segment.number);
                }
            }
            Item::Skipped(skipped) => flow.skipped += skipped.length,
            Item::Operation(operation) => {
                flow.terminates += u64::from(matches!(operation.event, Event::Terminated(..)));
            }
            Item::Rpc(_) | Item::PlainRpc(_) => flow.rpcs += 1,
        }
    }
}
