//! Summaries of the connections of a capture, to choose one from.

use crate::flow::ConnectionInfo;
use crate::item::{Item, ItemContext, PacketItem, Sink};
use crate::mpa::{Negotiation, Side};
use crate::operation::{Echo, Event};
use crate::tree::explanation;
use crate::ulp::Ulp;
use std::collections::BTreeMap;

/// Maximum number of connections that are listed; the frames of the others are counted.
const LISTED: usize = 100_000;

/// A summary of a connection.
#[derive(Debug, Clone, Default)]
pub struct Flow {
    /// Its number and ends.
    pub connection: ConnectionInfo,
    /// What the setup frames said, if they were seen.
    pub negotiation: Negotiation,
    /// Its first and last frame.
    pub frames: (u64, u64),
    /// Number of its frames.
    pub packets: u64,
    /// When the first and the last were captured, in nanoseconds since 1970.
    pub times: (Option<i64>, Option<i64>),
    /// Whether iWARP was found in it.
    pub iwarp: bool,
    /// RDMAP messages of each side.
    pub messages: [u64; 2],
    /// I/Os of the upper layer protocol, answered or not.
    pub ios: u64,
    /// RPC messages over TCP without RDMA.
    pub rpcs: u64,
    /// The upper layer protocol, if known.
    pub ulp: Option<Ulp>,
    /// Number of Terminates.
    pub terminates: u64,
    /// Why the first Terminate was sent, in a sentence.
    pub why: Option<String>,
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
    /// Returns the connections in the order of their numbers.
    pub fn flows(&self) -> impl Iterator<Item = &Flow> {
        self.flows.values()
    }

    /// Returns the number of frames of connections that are not listed because there are too many.
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
        let flow = self.flows.entry(tcp.stream).or_insert_with(|| Flow {
            connection: ConnectionInfo::new(tcp.stream, tcp.ends(segment)),
            frames: (number, number),
            times: (time, time),
            ..Flow::default()
        });
        flow.packets += 1;
        flow.frames.1 = number;
        flow.times.1 = time.or(flow.times.1);
    }

    fn item(&mut self, context: &ItemContext<'_>, item: &Item<'_>) {
        let Some(flow) = self.flows.get_mut(&context.connection.number) else { return };
        flow.negotiation = *context.negotiation;
        flow.ulp = context.ulp.or(flow.ulp);
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
                if flow.why.is_none() {
                    flow.why = explanation(context, operation, Echo::Reported);
                }
            }
            Item::PlainRpc(_) => flow.rpcs += 1,
            Item::Io(item) => flow.ios += u64::from(item.io().unexplained.is_none()),
            Item::Rpc(_) | Item::Ulp(_) => {}
        }
    }
}
