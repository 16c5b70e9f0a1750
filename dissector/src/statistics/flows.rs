//! Collects every connection of a capture in short.

use super::flow::{Flow, Left, TerminateSeen};
use super::operations::Operations;
use super::samples::Precision;
use super::transport::Mark;
use crate::flow::{Connection, ConnectionInfo};
use crate::link::Endpoint;
use crate::message::SegmentItem;
use crate::mpa::Side;
use crate::operation::{Event, OperationItem, Reading};
use crate::pipeline::{Item, ItemContext, PacketItem, Sink};
use crate::rpc::RpcKind;
use crate::rules::{Finding, Judge, Level};
use crate::stream::SegmentDisposition;
use std::collections::{BTreeMap, HashMap};
use warpscope_wire::rdmap::TerminateView;

/// The most connections that are kept when they are over; a summary takes about 2 KiB.
pub const MOST_FLOWS: usize = 50_000;
/// Bytes of samples from which new sketches are coarse, and from which there are none.
const MANY_BYTES: usize = 32 << 20;
const TOO_MANY_BYTES: usize = 64 << 20;

/// A connection being followed.
#[derive(Debug)]
struct Live {
    flow: Flow,
    operations: Operations,
    /// Credits granted last to each side.
    granted: [Option<u32>; 2],
    /// True once an item came.
    iwarp: bool,
}

/// A sink that keeps a [`Flow`] for each connection with iWARP.
#[derive(Debug, Default)]
pub struct Flows {
    only: Option<u32>,
    judge: Judge,
    /// The findings since they were last taken, when they are wanted.
    kept: Option<Vec<Finding>>,
    live: HashMap<u32, Live, foldhash::fast::RandomState>,
    finished: BTreeMap<u32, Flow>,
    /// Bytes of all samples.
    sampled: usize,
    others: u64,
    omitted: u64,
    /// The connection and side of the packet at hand.
    current: Option<(u32, Side)>,
    /// The ends of the packet at hand.
    ends: Option<[Endpoint; 2]>,
    ended: bool,
    /// When the first frame was captured.
    first_time: Option<i64>,
}

impl Flows {
    /// Collects all connections, or one.
    pub fn new(only: Option<u32>) -> Self {
        Self { only, ..Self::default() }
    }

    /// Keeps the findings of the rules, for [`Self::take_kept`].
    #[must_use]
    pub fn keeping_findings(mut self) -> Self {
        self.kept = Some(Vec::new());
        self
    }

    /// The findings since the last call, when they are kept; to be taken after each frame, and once
    /// more after [`Self::finish`].
    pub fn take_kept(&mut self) -> Vec<Finding> {
        self.kept.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// The connections with iWARP that are still followed, in no order; operations are counted only
    /// when a connection is left.
    pub fn under_way(&self) -> impl Iterator<Item = &Flow> {
        self.live.values().filter(|live| live.iwarp).map(|live| &live.flow)
    }

    /// Ends the collecting: to be called once when the pipeline has finished.
    pub fn finish(&mut self) {
        self.take_findings();
    }

    /// The connections with iWARP, in the order of their numbers; complete after
    /// [`Self::finish`].
    pub fn flows(&self) -> impl Iterator<Item = &Flow> {
        self.finished.values()
    }

    /// TCP connections in which no iWARP was found.
    pub fn others(&self) -> u64 {
        self.others
    }

    /// Connections with iWARP that were too many to keep: the last ones to end.
    pub fn omitted(&self) -> u64 {
        self.omitted
    }

    /// When the capture's first frame was captured.
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

    /// Counts what the rules found since the last call.
    fn take_findings(&mut self) {
        for finding in self.judge.take() {
            let number = finding.place.connection.number;
            if let Some(kept) = &mut self.kept {
                kept.push(finding.clone());
            }
            let live = self.live.get_mut(&number).map(|live| &mut live.flow);
            let Some(flow) = live.or_else(|| self.finished.get_mut(&number)) else { continue };
            match finding.rule.level {
                Level::Must => flow.findings.must += 1,
                Level::Should => flow.findings.should += 1,
            }
        }
    }
}

/// A connection is over: what is kept of it.
fn settle(live: Live, connection: &Connection, left: Left) -> Flow {
    let Live { mut flow, operations, .. } = live;
    flow.negotiation = connection.negotiation;
    flow.left = left;
    flow.operations = operations.counts();
    flow.opcodes.shrink();
    flow.sides.iter_mut().for_each(|side| side.skipped.shrink_to_fit());
    flow
}

impl Live {
    fn segment(&mut self, segment: &SegmentItem<'_>, side: Side) {
        let direction = &mut self.flow.sides[side.index()];
        let verdict = super::flow::VERDICTS.iter().position(|each| *each == segment.fpdu.crc);
        if let Some(count) = verdict.and_then(|index| direction.crc.get_mut(index)) {
            *count += 1;
        }
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
            self.flow.terminates.push(TerminateSeen { by: side, mark, error });
        }
    }
}

impl Sink for Flows {
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
            let info = ConnectionInfo { number, ends: [segment.source, segment.destination] };
            let flow = Flow::new(info, mark);
            Live { flow, operations: Operations::default(), granted: [None; 2], iwarp: false }
        });
        let side = Side(u8::from(segment.source != live.flow.info.ends[0]));
        live.flow.last = Mark { time: mark.time.or(live.flow.last.time), ..mark };
        let tcp = &mut live.flow.sides[side.index()].tcp;
        tcp.segment(segment, item.frame.original_length, mark);
        self.current = Some((number, side));
    }

    fn disposition(&mut self, disposition: SegmentDisposition) {
        self.judge.disposition(disposition);
        if let Some((number, side)) = self.current
            && let Some(live) = self.live.get_mut(&number)
        {
            live.flow.sides[side.index()].tcp.disposition(disposition);
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
            match item {
                Item::Setup(_) => live.flow.negotiation = *context.negotiation,
                Item::PlainRpc(_) => {}
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
                self.finished.insert(number, settle(live, connection, left));
            }
        }
        if !self.ended {
            self.take_findings();
        }
    }
}

impl Flows {
    /// Why a connection is followed no more.
    fn left(&self, connection: &Connection) -> Left {
        if self.ended {
            return Left::CaptureEnded;
        }
        let [one, other] = connection.info.ends;
        let again = self.ends == Some([one, other]) || self.ends == Some([other, one]);
        if again { Left::EndsUsedAgain } else { Left::TableFull }
    }
}
