//! Counts the contents of a capture, over all connections or one.

use super::ios::Ios;
use super::operations::{
    Calls, Depths, Opcode, Opcodes, OperationCounts, Operations, Procedures, Range, Slowest,
};
use super::samples::{Interval, Precision, Sizes, Timeline};
use crate::flow::Connection;
use crate::item::{Item, ItemContext, PacketItem, Sink};
use crate::link::TcpSegment;
use crate::message::SegmentItem;
use crate::mpa::Side;
use crate::operation::Event;
use crate::silence::Waits;
use crate::stream::SegmentDisposition;
use crate::ulp::rpc::{RpcItem, RpcKind};
use std::collections::HashMap;

/// Counts of a capture. If two columns are distinguished, the first is that of the initiator.
#[derive(Debug, Clone, Default)]
pub struct Counts {
    /// Connections with iWARP.
    pub connections: u64,
    /// Messages, segments and bytes by opcode.
    pub opcodes: Opcodes,
    /// Messages by length.
    pub sizes: Sizes,
    operations: Operations,
    /// The slowest operations.
    pub slowest: Slowest,
    /// RPC procedures.
    pub procedures: Procedures,
    /// I/Os of any upper layer protocol.
    pub ios: Ios,
    /// Events by time interval.
    pub timeline: Timeline,
    /// Requests of each side by depth.
    pub depths: [Depths; 2],
    /// The calls that each side made, over all connections.
    pub calls: [Calls; 2],
    /// Bytes of TCP payload of each side, including retransmissions.
    pub payload: [u64; 2],
    /// Bytes of TCP payload of each side that its stream already had.
    pub repeated: [u64; 2],
}

impl Counts {
    /// Returns the operations by kind and side, with their latencies.
    pub fn operations(&self) -> Vec<OperationCounts> {
        self.operations.counts()
    }
}

/// State of a connection.
#[derive(Debug, Default)]
struct Live {
    /// True once an item came.
    iwarp: bool,
    /// What its packets contained before that, and the TCP payload of each side.
    before: Interval,
    payload: [u64; 2],
    repeated: [u64; 2],
    initiator: Option<Side>,
    /// Credits granted most recently to each side.
    granted: [Option<u32>; 2],
}

impl Live {
    /// Returns the column of a side: 0 for the initiator, or for the side seen first if that is not known.
    fn column(&self, side: Side) -> Side {
        Side(u8::from(side != self.initiator.unwrap_or(Side(0))))
    }
}

/// A sink that counts what a capture contains.
#[derive(Debug)]
pub struct Statistics {
    only: Option<u32>,
    counts: Counts,
    live: HashMap<u32, Live, foldhash::fast::RandomState>,
    /// The connection and side of the current packet.
    current: Option<(u32, Side)>,
}

impl Statistics {
    /// Creates a collector over all connections, or over one; `interval` is that of the timeline in
    /// nanoseconds, `None` to choose it later.
    pub fn new(only: Option<u32>, interval: Option<u64>) -> Self {
        let counts = Counts { timeline: Timeline::new(interval), ..Counts::default() };
        Self { only, counts, live: HashMap::default(), current: None }
    }

    /// Adds what another collector counted over other connections of the same capture. Returns false if a
    /// single collector would not have distinguished as much.
    pub fn join(&mut self, other: Self) -> bool {
        self.counts.join(other.counts)
    }

    /// Returns the counts so far.
    pub fn counts(&self) -> &Counts {
        &self.counts
    }
}

impl Counts {
    fn join(&mut self, other: Self) -> bool {
        self.connections += other.connections;
        self.opcodes.join(other.opcodes);
        self.sizes.join(&other.sizes);
        self.operations.join(other.operations, Precision::CAPTURE);
        self.slowest.join(other.slowest);
        self.timeline.join(other.timeline);
        self.depths.iter_mut().zip(other.depths).for_each(|(mine, more)| mine.join(more));
        self.calls.iter_mut().zip(&other.calls).for_each(|(mine, more)| mine.join(more));
        self.payload.iter_mut().zip(other.payload).for_each(|(sum, more)| *sum += more);
        self.repeated.iter_mut().zip(other.repeated).for_each(|(sum, more)| *sum += more);
        self.procedures.join(other.procedures) & self.ios.join(other.ios)
    }

    fn segment(&mut self, segment: &SegmentItem<'_>, column: Side) {
        self.opcodes.count(segment, column);
        self.sizes.count(segment);
        let data = if Opcode::of(segment).carries_data() { segment.payload_length } else { 0 };
        self.timeline.add(&Interval {
            messages: u64::from(segment.completed.is_some()),
            data: data.into(),
            ..Interval::default()
        });
    }

    fn rpc(&mut self, item: &RpcItem<'_>, live: &mut Live) {
        let caller = if item.kind == RpcKind::Call { item.sender } else { item.sender.peer() };
        let column = live.column(caller).index();
        let granted = &mut live.granted[caller.index()];
        self.calls[column].count(item, granted);
        self.procedures.count(item);
        let mut what = Interval::default();
        if item.kind == RpcKind::Call {
            what.calls = 1;
            what.in_use = item.call.map_or(0, |call| call.in_flight);
        } else {
            Range::widen(&mut what.granted, item.credits);
        }
        // A call takes a credit with its Send; its Read chunks may come much later.
        self.timeline.add_at(item.sent.1, &what);
    }
}

impl Sink for Statistics {
    fn packet(&mut self, item: &PacketItem<'_>) {
        self.counts.timeline.at(item.frame.time);
        self.current = None;
        let (Some(segment), Some(tcp)) = (&item.packet.tcp, &item.tcp) else { return };
        if self.only.is_some_and(|only| only != tcp.stream) {
            return;
        }
        let live = self.live.entry(tcp.stream).or_default();
        let side = tcp.side;
        self.current = Some((tcp.stream, side));
        let what = Interval {
            frames: 1,
            wire: item.frame.original_length.into(),
            payload: segment.payload_length.into(),
            ..Interval::default()
        };
        if live.iwarp {
            self.counts.payload[live.column(side).index()] += what.payload;
            self.counts.timeline.add(&what);
        } else {
            live.payload[side.index()] += what.payload;
            live.before.add(&what);
        }
    }

    fn elsewhere(&mut self, time: Option<i64>) {
        self.counts.timeline.at(time);
    }

    fn disposition(&mut self, disposition: SegmentDisposition) {
        let Some((number, side)) = self.current else { return };
        let Some(live) = self.live.get_mut(&number) else { return };
        let repeated = u64::from(disposition.repeated);
        let what = Interval { repeated, ..Interval::default() };
        if live.iwarp {
            self.counts.repeated[live.column(side).index()] += repeated;
            self.counts.timeline.add(&what);
        } else {
            live.repeated[side.index()] += repeated;
            live.before.add(&what);
        }
    }

    fn item(&mut self, context: &ItemContext<'_>, item: &Item<'_>) {
        if matches!(item, Item::PlainRpc(_)) {
            return;
        }
        let Some(live) = self.live.get_mut(&context.connection.number) else { return };
        if !live.iwarp {
            // Now also count the packets before the connection proved to be iWARP.
            live.iwarp = true;
            live.initiator = context.negotiation.initiator();
            self.counts.connections += 1;
            self.counts.timeline.add(&live.before);
            for side in Side::BOTH {
                let column = live.column(side).index();
                self.counts.payload[column] += live.payload[side.index()];
                self.counts.repeated[column] += live.repeated[side.index()];
            }
        }
        let column = live.column(context.side);
        match item {
            Item::Setup(_) | Item::Skipped(_) | Item::PlainRpc(_) | Item::Ulp(_) => {}
            Item::Io(item) => self.counts.ios.count(item.io()),
            Item::Segment(segment) => self.counts.segment(segment, column),
            Item::Rpc(item) => self.counts.rpc(item, live),
            Item::Operation(item) => {
                if matches!(item.event, Event::Requested) {
                    let limit = context.negotiation.depth(context.side);
                    let (depth, frame) = (item.operation.depth, item.operation.request.last_frame);
                    self.counts.depths[column.index()].count(depth, frame, limit);
                }
                self.counts.operations.count(item, column, Precision::CAPTURE);
                if matches!(item.event, Event::Completed) {
                    self.counts.slowest.count(item.operation, context.connection.number, column);
                }
            }
        }
    }

    fn connection_left(&mut self, connection: &Connection) {
        self.live.remove(&connection.info.number);
    }
}

/// A position in the capture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Mark {
    /// The frame's number.
    pub frame: u64,
    /// When it was captured, in nanoseconds since 1970.
    pub time: Option<i64>,
}

/// What the TCP segments of one side show.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TcpSide {
    /// Frames.
    pub frames: u64,
    /// Their bytes on the wire, including the link header.
    pub wire: u64,
    /// Bytes of TCP payload, including retransmissions.
    pub payload: u64,
    /// Bytes of payload that the stream already had.
    pub repeated: u64,
    /// Segments with such bytes.
    pub repeated_segments: u64,
    /// Segments that arrived before bytes that precede them.
    pub out_of_order: u64,
    /// Bytes of it that the other side reports as already received: sent again needlessly (RFC 2883).
    pub needless: u64,
    /// Periods in which later bytes waited for missing ones before them.
    pub stalls: Waits,
    /// The part of those periods due to bytes that were only reordered on the way, in nanoseconds.
    pub overtaken: i64,
    /// The first SYN.
    pub syn: Option<Mark>,
    /// The first FIN.
    pub fin: Option<Mark>,
    /// The first RST.
    pub reset: Option<Mark>,
}

impl TcpSide {
    /// Counts a segment that this side sent.
    pub(super) fn segment(&mut self, segment: &TcpSegment<'_>, wire: u32, mark: Mark) {
        self.frames += 1;
        self.wire += u64::from(wire);
        self.payload += u64::from(segment.payload_length);
        let flags = segment.flags;
        for (set, first) in [
            (flags.syn(), &mut self.syn),
            (flags.fin(), &mut self.fin),
            (flags.rst(), &mut self.reset),
        ] {
            if set {
                first.get_or_insert(mark);
            }
        }
    }

    /// Counts what a segment of this side, in a frame, meant for the stream.
    pub(super) fn disposition(&mut self, disposition: SegmentDisposition, frame: u64) {
        self.repeated += u64::from(disposition.repeated);
        self.repeated_segments += u64::from(disposition.repeated > 0);
        self.out_of_order += u64::from(disposition.waiting_for > 0);
        if disposition.stalled > 0 {
            self.stalls.add(disposition.stalled, frame);
            self.overtaken += if disposition.overtaken { disposition.stalled } else { 0 };
        }
    }
}
