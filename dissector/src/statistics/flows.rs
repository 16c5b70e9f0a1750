//! Collects a summary of every connection of a capture.

use super::collector::{Mark, TcpSide};
use super::ios::FlowIos;
use super::operations::{Calls, Opcodes, OperationCounts, Operations};
use super::samples::Precision;
use crate::analysis::duplicate_sack;
use crate::flow::{Connection, ConnectionInfo};
use crate::item::{Item, ItemContext, PacketItem, Sink};
use crate::link::Endpoint;
use crate::message::SegmentItem;
use crate::mpa::{CrcVerdict, Negotiation, Side, SkipReason};
use crate::operation::{Echo, Event, OperationItem, Reading};
use crate::rules::{Finding, Judge, Level};
use crate::silence::{Awaited, Silences};
use crate::stream::SegmentDisposition;
use crate::tree::explanation;
use crate::ulp::Ulp;
use crate::ulp::rpc::RpcKind;
use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use warpscope_wire::rdmap::TerminateView;

/// The maximum number of ended connections that are kept; a summary takes about 4 KiB.
pub const MOST_FLOWS: usize = 20_000;
/// Bytes of samples from which new sketches are coarse, and from which there are none.
const MANY_BYTES: usize = 32 << 20;
const TOO_MANY_BYTES: usize = 64 << 20;

/// A connection being followed.
#[derive(Debug)]
struct Live {
    flow: Flow,
    operations: Operations,
    /// Credits granted most recently to each side.
    granted: [Option<u32>; 2],
    /// The last bytes that each side reported as received twice.
    needless: [Option<(u32, u32)>; 2],
    /// True once an item came.
    iwarp: bool,
}

/// A sink that keeps a [`Flow`] for each connection with iWARP.
#[derive(Debug, Default)]
pub struct Flows {
    only: Option<u32>,
    judge: Judge,
    /// The findings since they were last taken, if they are wanted.
    kept: Option<Vec<Finding>>,
    /// Whether latency buckets are kept for the operations.
    keeps_latencies: bool,
    live: HashMap<u32, Box<Live>, foldhash::fast::RandomState>,
    finished: BTreeMap<u32, Arc<Flow>>,
    /// The numbers of the connections, if they were sorted.
    order: Vec<u32>,
    /// Bytes of all samples, and their maximum so far.
    sampled: usize,
    most_sampled: usize,
    others: u64,
    omitted: u64,
    /// The connection and side of the current packet.
    current: Option<(u32, Side)>,
    /// The ends of the current packet.
    ends: Option<[Endpoint; 2]>,
    ended: bool,
    /// When the first frame was captured.
    first_time: Option<i64>,
}

impl Flows {
    /// Creates a collector of all connections, or of one.
    pub fn new(only: Option<u32>) -> Self {
        Self { only, ..Self::default() }
    }

    /// Keeps the findings of the rules, for [`Self::take_kept`].
    #[must_use]
    pub fn keeping_findings(mut self) -> Self {
        self.kept = Some(Vec::new());
        self
    }

    /// Keeps latency buckets for the operations: [`OperationCounts::latencies`].
    #[must_use]
    pub fn keeping_latencies(mut self) -> Self {
        self.keeps_latencies = true;
        self
    }

    /// Returns the side that initiated a connection, if it is known yet.
    pub fn initiator(&self, connection: u32) -> Option<Side> {
        let live = self.live.get(&connection).map(|live| &live.flow);
        live.or_else(|| self.finished.get(&connection).map(|flow| &**flow))?.initiator()
    }

    /// Returns the findings since the last call, if they are kept; call it after each frame, and once more
    /// after [`Self::finish`].
    pub fn take_kept(&mut self) -> Vec<Finding> {
        self.kept.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Returns the connections with iWARP that are still being followed, in no particular order; operations
    /// are counted only when a connection is left.
    pub fn under_way(&self) -> impl Iterator<Item = &Flow> {
        self.live.values().filter(|live| live.iwarp).map(|live| &live.flow)
    }

    /// Ends the collection: call it once after the pipeline has finished.
    pub fn finish(&mut self) {
        self.take_findings();
    }

    /// Adds the connections that another collector found in the same capture. Returns false if a single
    /// collector would not have kept as much of all of them.
    pub fn join(&mut self, mut other: Self) -> bool {
        self.finish();
        other.finish();
        self.finished.extend(other.finished);
        self.others += other.others;
        self.omitted += other.omitted;
        self.most_sampled += other.most_sampled;
        self.finished.len() <= MOST_FLOWS && self.omitted == 0 && self.most_sampled < MANY_BYTES
    }

    /// Returns the connections with iWARP, in the order of their numbers or in that of [`Self::sort_by`];
    /// complete after [`Self::finish`].
    pub fn flows(&self) -> impl Iterator<Item = &Arc<Flow>> {
        let unsorted = if self.order.is_empty() { usize::MAX } else { 0 };
        let sorted = self.order.iter().filter_map(|number| self.finished.get(number));
        sorted.chain(self.finished.values().take(unsorted))
    }

    /// Sorts the connections; call it after [`Self::finish`]. Equal ones stay in the order of their numbers.
    pub fn sort_by(&mut self, compare: impl Fn(&Flow, &Flow) -> Ordering) {
        let mut flows: Vec<_> = self.finished.values().collect();
        flows.sort_by(|one, other| compare(one, other));
        self.order = flows.iter().map(|flow| flow.info.number).collect();
    }

    /// Returns the number of TCP connections in which no iWARP was found.
    pub fn others(&self) -> u64 {
        self.others
    }

    /// Returns the number of connections with iWARP beyond the limit, which were not kept: the last to end.
    pub fn omitted(&self) -> u64 {
        self.omitted
    }

    /// Returns when the capture's first frame was captured.
    pub fn first_time(&self) -> Option<i64> {
        self.first_time
    }

    fn precision(&self) -> Precision {
        match self.sampled {
            ..MANY_BYTES => Precision::FLOW,
            MANY_BYTES..TOO_MANY_BYTES => Precision::COARSE,
            _ => Precision::NONE,
        }
    }

    /// Counts the findings of the rules since the last call.
    fn take_findings(&mut self) {
        for finding in self.judge.take() {
            let number = finding.place.connection.number;
            if let Some(kept) = &mut self.kept {
                kept.push(finding.clone());
            }
            let live = self.live.get_mut(&number).map(|live| &mut live.flow);
            let finished = self.finished.get_mut(&number).map(Arc::make_mut);
            let Some(flow) = live.or(finished) else { continue };
            match finding.rule.level {
                Level::Must => flow.findings.must += 1,
                Level::Should => flow.findings.should += 1,
            }
        }
    }
}

/// Summarises a connection that is over.
fn settle(live: Box<Live>, connection: &Connection, left: FollowEnd, latencies: bool) -> Flow {
    let Live { mut flow, operations, .. } = *live;
    flow.negotiation = connection.negotiation;
    flow.left = left;
    flow.silences = connection.silences.clone();
    flow.round_trip = connection.round_trip;
    flow.operations =
        if latencies { operations.counts_with_latencies() } else { operations.counts() };
    flow.opcodes.shrink();
    flow.sides.iter_mut().for_each(|side| side.skipped.shrink_to_fit());
    flow
}

impl Live {
    fn segment(&mut self, segment: &SegmentItem<'_>, side: Side) {
        let direction = &mut self.flow.sides[side.index()];
        direction.crc[segment.fpdu.crc as usize] += 1;
        direction.marker_mismatches += u64::from(segment.fpdu.marker_mismatch);
        self.flow.opcodes.count(segment, side);
    }

    fn operation(&mut self, context: &ItemContext<'_>, item: &OperationItem<'_>) {
        let side = item.operation.requester;
        if matches!(item.event, Event::Requested) {
            let depth = item.operation.depth;
            let direction = &mut self.flow.sides[side.index()];
            direction.most_outstanding = direction.most_outstanding.max(depth);
            let limit = context.negotiation.depth(side);
            direction.over_depth += u64::from(limit.is_some_and(|limit| depth > limit.into()));
        }
        if let Event::Terminated(_, bytes) = item.event
            && self.flow.terminates.iter().all(|known| known.by != side)
        {
            let error = TerminateView::parse(bytes).ok().map(|view| {
                let reading = Reading::of(&view);
                (reading.layer, reading.error_type, reading.error_code)
            });
            let mark = Mark { frame: context.moment.frame, time: context.moment.time };
            let explanation = explanation(context, item, Echo::Reported);
            self.flow.terminates.push(TerminateSeen { by: side, mark, error, explanation });
        }
    }
}

impl Sink for Flows {
    fn pass_on(&mut self, to: &mut dyn FnMut(&mut dyn Sink)) {
        to(&mut self.judge);
    }

    fn packet(&mut self, item: &PacketItem<'_>) {
        self.judge.packet(item);
        self.first_time = self.first_time.or(item.frame.time);
        (self.current, self.ends) = (None, None);
        let (Some(segment), Some(tcp)) = (&item.packet.tcp, &item.tcp) else { return };
        let number = tcp.stream;
        self.ends = Some([segment.source, segment.destination]);
        if self.only.is_some_and(|only| only != number) {
            return;
        }
        let mark = Mark { frame: item.frame.number, time: item.frame.time };
        let live = self.live.entry(number).or_insert_with(|| {
            let info = ConnectionInfo::new(number, tcp.ends(segment));
            let flow = Flow::new(info, mark);
            let operations = Operations::default();
            let (granted, needless) = ([None; 2], [None; 2]);
            Box::new(Live { flow, operations, granted, needless, iwarp: false })
        });
        let side = tcp.side;
        live.flow.last = Mark { time: mark.time.or(live.flow.last.time), ..mark };
        let tcp = &mut live.flow.sides[side.index()].tcp;
        tcp.segment(segment, item.frame.original_length, mark);
        if let Some(block) = duplicate_sack(segment) {
            // A duplicate ACK may repeat the block; it is not counted again.
            let known = live.needless[side.index()].replace(block);
            if known != Some(block) {
                let needless = u64::from(block.1.wrapping_sub(block.0));
                live.flow.sides[side.peer().index()].tcp.needless += needless;
            }
        }
        self.current = Some((number, side));
    }

    fn elsewhere(&mut self, time: Option<i64>) {
        self.first_time = self.first_time.or(time);
    }

    fn disposition(&mut self, disposition: SegmentDisposition) {
        self.judge.disposition(disposition);
        if let Some((number, side)) = self.current
            && let Some(live) = self.live.get_mut(&number)
        {
            let frame = live.flow.last.frame;
            live.flow.sides[side.index()].tcp.disposition(disposition, frame);
        }
    }

    fn item(&mut self, context: &ItemContext<'_>, item: &Item<'_>) {
        self.judge.item(context, item);
        if matches!(item, Item::PlainRpc(_)) {
            return;
        }
        let precision = self.precision();
        if let Some(live) = self.live.get_mut(&context.connection.number) {
            live.iwarp = true;
            live.flow.ulp = context.ulp.or(live.flow.ulp);
            match item {
                Item::Setup(_) => live.flow.negotiation = *context.negotiation,
                Item::PlainRpc(_) | Item::Ulp(_) => {}
                Item::Io(item) => live.flow.ios.count(item.io()),
                Item::Segment(segment) => live.segment(segment, context.side),
                Item::Skipped(skipped) => {
                    let direction = &mut live.flow.sides[context.side.index()];
                    direction.skip(skipped.reason, skipped.length);
                }
                Item::Operation(item) => {
                    live.operation(context, item);
                    let requester = item.operation.requester;
                    let grown = live.operations.count(item, requester, precision);
                    self.sampled = self.sampled.saturating_add_signed(grown);
                    self.most_sampled = self.most_sampled.max(self.sampled);
                }
                Item::Rpc(rpc) => {
                    let call = rpc.kind == RpcKind::Call;
                    let caller = if call { rpc.sender } else { rpc.sender.peer() };
                    let granted = &mut live.granted[caller.index()];
                    live.flow.sides[caller.index()].calls.count(rpc, granted);
                }
            }
        }
        if !self.ended {
            self.take_findings();
        }
    }

    fn capture_ended(&mut self) {
        self.take_findings();
        self.judge.capture_ended();
        self.ended = true;
    }

    fn connection_left(&mut self, connection: &Connection) {
        self.judge.connection_left(connection);
        let number = connection.info.number;
        if let Some(live) = self.live.remove(&number) {
            self.sampled = self.sampled.saturating_sub(live.operations.buffered());
            if !live.iwarp {
                self.others += 1;
            } else if self.finished.len() >= MOST_FLOWS {
                self.omitted += 1;
            } else {
                let left = self.left(connection);
                self.finished
                    .insert(number, Arc::new(settle(live, connection, left, self.keeps_latencies)));
            }
        }
        if !self.ended {
            self.take_findings();
        }
    }
}

impl Flows {
    /// Returns why a connection is no longer followed.
    fn left(&self, connection: &Connection) -> FollowEnd {
        if self.ended {
            return FollowEnd::CaptureEnded;
        }
        let [one, other] = connection.info.ends;
        let again = self.ends == Some([one, other]) || self.ends == Some([other, one]);
        if again { FollowEnd::EndsUsedAgain } else { FollowEnd::TableFull }
    }
}

/// A Terminate that was seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TerminateSeen {
    /// The side that sent it.
    pub by: Side,
    /// The frame that contained it, and when that was captured.
    pub mark: Mark,
    /// Layer, error type and error code; `None` if it cannot be read.
    pub error: Option<(u8, u8, u8)>,
    /// Why it was sent, in a sentence; `None` if it cannot be read.
    pub explanation: Option<String>,
}

/// Why a connection was no longer followed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum FollowEnd {
    /// The capture ended.
    #[default]
    CaptureEnded,
    /// Its two ends began a new connection.
    #[strum(serialize = "ports-reused")]
    EndsUsedAgain,
    /// There were too many connections, and it had been idle.
    TableFull,
}

/// How a connection ended, by the strongest evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum End {
    /// The responder's reply rejected it.
    Rejected,
    /// This side sent a Terminate, the first if both did.
    #[strum(serialize = "terminate")]
    Terminated(Side),
    /// This side sent a RST, the first if both did, without a FIN before.
    Reset(Side),
    /// Both sides sent a FIN; this side was first.
    #[strum(serialize = "fin")]
    Finished(Side),
    /// Only this side sent a FIN.
    HalfClosed(Side),
    /// The capture shows no end.
    Open,
}

/// Counts of one direction.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DirectionCounts {
    /// What TCP shows.
    pub tcp: TcpSide,
    /// FPDUs by the verdict on their CRC, in the order of [`CrcVerdict`].
    pub crc: [u64; 5],
    /// FPDUs with a marker that points elsewhere.
    pub marker_mismatches: u64,
    /// Skipped bytes, with the number of times, by reason.
    pub skipped: Vec<(SkipReason, Skips)>,
    /// The most requests of this side that were waiting for their responses at the same time.
    pub most_outstanding: u32,
    /// Requests that this side sent while as many as the limit allows, or more, were waiting.
    pub over_depth: u64,
    /// The calls that this side made.
    pub calls: Calls,
}

/// How often bytes were skipped, and how many.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Skips {
    /// Number of times.
    pub times: u64,
    /// Bytes.
    pub bytes: u64,
}

impl DirectionCounts {
    /// Returns the number of FPDUs of this direction.
    pub fn fpdus(&self) -> u64 {
        self.crc.iter().sum()
    }

    /// Returns the number of FPDUs with this verdict.
    pub fn with_crc(&self, verdict: CrcVerdict) -> u64 {
        self.crc[verdict as usize]
    }

    /// Returns the bytes skipped for any reason.
    pub fn skipped_bytes(&self) -> u64 {
        self.skipped.iter().map(|(_, skips)| skips.bytes).sum()
    }

    /// Returns whether all of it came once, in order, and could be used.
    pub fn is_clean(&self) -> bool {
        let wrong = [CrcVerdict::Bad, CrcVerdict::Unchecked].map(|it| self.with_crc(it));
        self.tcp.repeated + self.tcp.out_of_order + self.skipped_bytes() == 0
            && wrong == [0; 2]
            && self.marker_mismatches == 0
    }

    pub(super) fn skip(&mut self, reason: SkipReason, bytes: u64) {
        let index = self.skipped.iter().position(|(known, _)| *known == reason);
        let index = index.unwrap_or_else(|| {
            self.skipped.push((reason, Skips::default()));
            self.skipped.len() - 1
        });
        if let Some((_, skips)) = self.skipped.get_mut(index) {
            skips.times += 1;
            skips.bytes += bytes;
        }
    }
}

/// Findings of the rules.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FindingCounts {
    /// Findings of violated MUSTs.
    pub must: u64,
    /// Findings of violated SHOULDs.
    pub should: u64,
}

/// A summary of a connection.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Flow {
    /// Number and ends.
    pub info: ConnectionInfo,
    /// Its first frame.
    pub first: Mark,
    /// Its last frame.
    pub last: Mark,
    /// What the setup frames said.
    pub negotiation: Negotiation,
    /// Each side's stream.
    pub sides: [DirectionCounts; 2],
    /// Messages, segments and bytes by opcode and side.
    pub opcodes: Opcodes,
    /// Operations by kind and requester.
    pub operations: Vec<OperationCounts>,
    /// The first Terminate of each side, in order of time.
    pub terminates: Vec<TerminateSeen>,
    /// The upper layer protocol that it carries, if known.
    pub ulp: Option<Ulp>,
    /// The I/Os of that protocol.
    pub ios: FlowIos,
    /// Findings of the rules.
    pub findings: FindingCounts,
    /// `None` if the connection never was silent.
    silences: Option<Box<Silences>>,
    /// The time from its SYN to the first segment after the handshake, in nanoseconds; known once it is no
    /// longer followed.
    pub round_trip: Option<i64>,
    /// Why it was no longer followed.
    pub left: FollowEnd,
}

impl Flow {
    /// Creates a connection of which only the first frame is known.
    pub fn new(info: ConnectionInfo, first: Mark) -> Self {
        Self { info, first, last: first, ..Self::default() }
    }

    /// Returns the side that sent the request frame, if known.
    pub fn initiator(&self) -> Option<Side> {
        self.negotiation.initiator()
    }

    /// Returns the side to show first: the initiator; if that is not known, the side that sent the SYN,
    /// otherwise the side that sent the first segment seen.
    pub fn first_side(&self) -> Side {
        self.initiator().unwrap_or(Side(0))
    }

    /// Returns the counts of a side.
    pub fn side(&self, side: Side) -> &DirectionCounts {
        &self.sides[side.index()]
    }

    /// Returns the nanoseconds that loss and reordering took: waits for missing bytes before later ones, and
    /// silences that ended with bytes sent again.
    pub fn loss_time(&self) -> i64 {
        let stalled: i64 = self.sides.iter().map(|side| side.tcp.stalls.total).sum();
        let silences = self.silences();
        let repeated = |side| silences.of(Awaited::Repetition, side).total;
        stalled + Side::BOTH.into_iter().map(repeated).sum::<i64>()
    }

    /// Returns when nothing of it was captured; known once it is no longer followed.
    pub fn silences(&self) -> Silences {
        self.silences.as_deref().copied().unwrap_or_default()
    }

    /// Returns the nanoseconds from the first frame to the last.
    pub fn duration(&self) -> Option<i64> {
        Some(self.last.time?.saturating_sub(self.first.time?))
    }

    /// Returns whether the connection was captured from its first segment on.
    pub fn from_the_start(&self) -> bool {
        self.sides.iter().any(|side| side.tcp.syn.is_some())
    }

    /// Returns whether an FPDU was seen: without one, there was at most a setup.
    pub fn has_fpdus(&self) -> bool {
        self.sides.iter().any(|side| side.fpdus() > 0)
    }

    /// Returns how the connection ended.
    pub fn end(&self) -> End {
        let first = |mark: fn(&TcpSide) -> Option<Mark>| {
            let marks = Side::BOTH.map(|side| mark(&self.side(side).tcp).map(|mark| mark.frame));
            match marks {
                [None, None] => None,
                [Some(one), Some(other)] if other < one => Some((Side(1), other)),
                [Some(one), _] => Some((Side(0), one)),
                [None, Some(other)] => Some((Side(1), other)),
            }
        };
        let both_finished = self.sides.iter().all(|side| side.tcp.fin.is_some());
        let (fin, reset) = (first(|tcp| tcp.fin), first(|tcp| tcp.reset));
        if self.negotiation.rejected() {
            return End::Rejected;
        }
        if let Some(terminate) = self.terminates.first() {
            return End::Terminated(terminate.by);
        }
        match (fin, reset) {
            (Some((side, at)), Some((_, reset))) if at < reset && both_finished => {
                End::Finished(side)
            }
            (_, Some((side, _))) => End::Reset(side),
            (Some((side, _)), None) if both_finished => End::Finished(side),
            (Some((side, _)), None) => End::HalfClosed(side),
            (None, None) => End::Open,
        }
    }

    /// Returns the bytes of the TCP payload of both sides, and how many of them were repeated.
    pub fn payload_and_repeated(&self) -> (u64, u64) {
        let sum = |of: fn(&TcpSide) -> u64| self.sides.iter().map(|side| of(&side.tcp)).sum();
        (sum(|tcp| tcp.payload), sum(|tcp| tcp.repeated))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns how a connection ended whose sides sent FIN and RST in these frames.
    fn end(fin: [Option<u64>; 2], reset: [Option<u64>; 2]) -> End {
        let info = ConnectionInfo::default();
        let mut flow = Flow::new(info, Mark::default());
        let mark = |frame: Option<u64>| frame.map(|frame| Mark { frame, time: None });
        for side in Side::BOTH {
            let tcp = &mut flow.sides[side.index()].tcp;
            (tcp.fin, tcp.reset) = (mark(fin[side.index()]), mark(reset[side.index()]));
        }
        flow.end()
    }

    #[test]
    fn ends_are_told_by_what_came_first() {
        let (one, other) = (Side(0), Side(1));
        assert_eq!(end([None; 2], [None; 2]), End::Open);
        assert_eq!(end([Some(5), None], [None; 2]), End::HalfClosed(one));
        assert_eq!(end([Some(5), Some(4)], [None; 2]), End::Finished(other));
        assert_eq!(end([None; 2], [Some(9), Some(7)]), End::Reset(other));
        // A RST that answers what came after both FINs ends nothing.
        assert_eq!(end([Some(5), Some(6)], [Some(7), None]), End::Finished(one));
        // A FIN that a RST answers was no orderly end.
        assert_eq!(end([Some(5), None], [None, Some(6)]), End::Reset(other));
    }

    #[test]
    fn a_summary_is_small() {
        assert!(size_of::<Flow>() <= 1024, "{}", size_of::<Flow>());
    }
}
