//! What became of operations, by kind and requester.

use super::samples::{LatencyBucket, Percentiles, Precision, Samples};
use crate::message::SegmentItem;
use crate::mpa::Side;
use crate::nfs::Procedure;
use crate::operation::{Event, Operation, OperationItem, OperationKind, Outcome};
use crate::ulp::rpc::{RpcItem, RpcKind};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use warpscope_wire::rdmap::{Message, Payload, RdmapControlView};
use warpscope_wire::rpc::{ReplyBody, RpcView};

/// What became of the operations of one kind that one side began.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperationCounts {
    /// The kind.
    pub kind: OperationKind,
    /// The side that began them.
    pub requester: Side,
    /// Operations whose request, or one message, was complete.
    pub begun: u64,
    /// Operations that ended well.
    pub completed: u64,
    /// Requests without a response when the connection or the capture ended.
    pub unanswered: u64,
    /// Requests whose response lies in what was not captured.
    pub lost: u64,
    /// Requests that a Terminate refused.
    pub refused: u64,
    /// Responses whose request was not seen.
    pub unsolicited: u64,
    /// Bytes of the user's data that the completed ones moved.
    pub bytes: u64,
    /// How long the completed ones took: from the request's last segment to the response's last; for
    /// an operation without response, from its first segment to its last. `None` when the frames
    /// have no times.
    pub latency: Option<Percentiles>,
    /// How many took how long, where that is wanted.
    pub latencies: Vec<LatencyBucket>,
}

impl OperationCounts {
    fn new(kind: OperationKind, requester: Side) -> Self {
        Self {
            kind,
            requester,
            begun: 0,
            completed: 0,
            unanswered: 0,
            lost: 0,
            refused: 0,
            unsolicited: 0,
            bytes: 0,
            latency: None,
            latencies: Vec::new(),
        }
    }
}

/// Operations by kind and requester, while they are counted.
#[derive(Debug, Clone, Default)]
pub struct Operations {
    rows: Vec<(OperationCounts, Samples)>,
}

impl Operations {
    /// Takes what happened to an operation; `requester` is the side, or what else the caller distinguishes
    /// apart. Returns by how many bytes the samples grew.
    pub fn count(
        &mut self,
        item: &OperationItem<'_>,
        requester: Side,
        precision: Precision,
    ) -> isize {
        let operation = item.operation;
        let key = (operation.kind, requester.index());
        let found =
            self.rows.binary_search_by_key(&key, |row| (row.0.kind, row.0.requester.index()));
        let index = found.unwrap_or_else(|index| {
            let counts = OperationCounts::new(operation.kind, requester);
            self.rows.insert(index, (counts, Samples::default()));
            index
        });
        let Some((counts, samples)) = self.rows.get_mut(index) else { return 0 };
        match item.event {
            Event::Requested => counts.begun += 1,
            Event::Terminated(..) => {
                counts.begun += 1;
                counts.completed += 1;
            }
            Event::Completed => {
                counts.begun += u64::from(!operation.kind.answered());
                counts.completed += 1;
                counts.bytes += operation.bytes();
                if let Some(latency) = operation.latency() {
                    let before = samples.buffered() as isize;
                    samples.record(latency, operation.carrier().last_frame, precision);
                    return samples.buffered() as isize - before;
                }
            }
            Event::Abandoned if operation.outcome == Outcome::Lost => counts.lost += 1,
            Event::Abandoned => counts.unanswered += 1,
            Event::Refused(_) => counts.refused += 1,
            Event::Unsolicited => counts.unsolicited += 1,
        }
        0
    }

    /// Counts what others have counted.
    pub(super) fn join(&mut self, other: Self, precision: Precision) {
        for (counts, samples) in other.rows {
            let key = (counts.kind, counts.requester.index());
            let found =
                self.rows.binary_search_by_key(&key, |row| (row.0.kind, row.0.requester.index()));
            match found.map(|index| self.rows.get_mut(index)) {
                Ok(Some((mine, kept))) => {
                    mine.begun += counts.begun;
                    mine.completed += counts.completed;
                    mine.unanswered += counts.unanswered;
                    mine.lost += counts.lost;
                    mine.refused += counts.refused;
                    mine.unsolicited += counts.unsolicited;
                    mine.bytes += counts.bytes;
                    kept.join(samples, precision);
                }
                Ok(None) => {}
                Err(index) => self.rows.insert(index, (counts, samples)),
            }
        }
    }

    /// Bytes of samples.
    pub fn buffered(&self) -> usize {
        self.rows.iter().map(|(_, samples)| samples.buffered()).sum()
    }

    /// As [`counts`](Self::counts), with how many took how long.
    pub(super) fn counts_with_latencies(&self) -> Vec<OperationCounts> {
        let mut rows = self.counts();
        for (row, (_, samples)) in rows.iter_mut().zip(&self.rows) {
            row.latencies = row.latency.map(|_| samples.buckets()).unwrap_or_default();
        }
        rows
    }

    /// What was counted, in the order of the kinds.
    pub fn counts(&self) -> Vec<OperationCounts> {
        let with_latency = |(counts, samples): &(OperationCounts, Samples)| OperationCounts {
            latency: samples.percentiles(),
            ..counts.clone()
        };
        self.rows.iter().map(with_latency).collect()
    }
}

/// Operations that are kept as the slowest.
const SLOWEST: usize = 10;

/// An operation that took long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slow {
    /// Nanoseconds that it took.
    pub latency: i64,
    /// The number of its connection.
    pub connection: u32,
    /// The side that began it, or what else the caller distinguishes.
    pub requester: Side,
    /// The operation.
    pub operation: Operation,
}

impl Slow {
    /// The slowest first, of several the first to end.
    fn key(&self) -> (Reverse<i64>, u64, u32, u64) {
        let end = self.operation.carrier().last_frame;
        (Reverse(self.latency), end, self.connection, self.operation.number)
    }
}

/// The slowest operations, the slowest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Slowest(Vec<Slow>);

impl Slowest {
    /// Takes an operation that was completed. One that took no time is not slow.
    pub(super) fn count(&mut self, operation: &Operation, connection: u32, requester: Side) {
        let Some(latency) = operation.latency().filter(|latency| *latency > 0) else { return };
        if self.0.len() < SLOWEST || self.0.last().is_some_and(|last| last.latency <= latency) {
            self.join(Self(vec![Slow { latency, connection, requester, operation: *operation }]));
        }
    }

    /// Takes those of others.
    pub(super) fn join(&mut self, other: Self) {
        self.0.extend(other.0);
        self.0.sort_unstable_by_key(Slow::key);
        self.0.truncate(SLOWEST);
    }

    /// Each of them.
    pub fn rows(&self) -> &[Slow] {
        &self.0
    }
}

// RPC calls and replies of one direction of calling.

/// The least and the most of something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Range {
    /// The least.
    pub least: u32,
    /// The most.
    pub most: u32,
}

impl Range {
    /// Widens a range, or begins one.
    pub(super) fn widen(range: &mut Option<Self>, value: u32) {
        let range = range.get_or_insert(Self { least: value, most: value });
        range.least = range.least.min(value);
        range.most = range.most.max(value);
    }

    /// Widens a range by another.
    pub(super) fn join(range: &mut Option<Self>, other: Option<Self>) {
        if let Some(Self { least, most }) = other {
            Self::widen(range, least);
            Self::widen(range, most);
        }
    }
}

/// What became of the calls of one side.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Calls {
    /// Calls.
    pub calls: u64,
    /// Replies, RDMA_ERRORs not counted.
    pub replies: u64,
    /// Replies whose RPC header reports an error: rejected, or accepted and not executed (RFC 5531 §9).
    pub refused: u64,
    /// RDMA_ERRORs in place of a reply (RFC 8166 §4.5).
    pub errors: u64,
    /// Calls that a reply or an RDMA_ERROR answered.
    pub answered: u64,
    /// Replies and RDMA_ERRORs whose call was not seen.
    pub unmatched: u64,
    /// Credits that calls asked for.
    pub credits_asked: Option<Range>,
    /// Credits that replies granted.
    pub credits_granted: Option<Range>,
    /// The most calls without a reply at once.
    pub most_in_flight: u32,
    /// The frame of the call that made it so many; the first of several.
    pub most_in_flight_frame: u64,
    /// Calls sent while more were without a reply than the last grant allows (RFC 8166 §3.3.1).
    pub over_grant: u64,
}

impl Calls {
    /// Takes a call of one side, or an answer to one; `granted` are the credits that it was granted
    /// last in the connection, and is updated.
    pub fn count(&mut self, item: &RpcItem<'_>, granted: &mut Option<u32>) {
        if item.kind == RpcKind::Call {
            self.calls += 1;
            Range::widen(&mut self.credits_asked, item.credits);
            let in_flight = item.call.map_or(0, |call| call.in_flight);
            self.most(in_flight, item.sent.0);
            self.over_grant += u64::from(granted.is_some_and(|granted| in_flight > granted));
            return;
        }
        if item.kind == RpcKind::Error {
            self.errors += 1;
        } else {
            self.replies += 1;
            self.refused += u64::from(refuses(item));
        }
        if item.call.is_some() {
            self.answered += 1;
        } else {
            self.unmatched += 1;
        }
        *granted = Some(item.credits);
        Range::widen(&mut self.credits_granted, item.credits);
    }

    fn most(&mut self, in_flight: u32, frame: u64) {
        let (most, first) = (self.most_in_flight, self.most_in_flight_frame);
        if in_flight > most || (in_flight == most && frame < first) {
            (self.most_in_flight, self.most_in_flight_frame) = (in_flight, frame);
        }
    }

    /// Counts what others have counted.
    pub(super) fn join(&mut self, other: &Self) {
        self.calls += other.calls;
        self.replies += other.replies;
        self.refused += other.refused;
        self.errors += other.errors;
        self.answered += other.answered;
        self.unmatched += other.unmatched;
        Range::join(&mut self.credits_asked, other.credits_asked);
        Range::join(&mut self.credits_granted, other.credits_granted);
        self.most(other.most_in_flight, other.most_in_flight_frame);
        self.over_grant += other.over_grant;
    }

    /// Calls that nothing answered in the capture.
    pub fn unanswered(&self) -> u64 {
        self.calls.saturating_sub(self.answered)
    }

    /// Whether anything was counted.
    pub fn any(&self) -> bool {
        self.calls + self.replies + self.errors > 0
    }
}

/// Whether the RPC header of a reply reports an error.
pub fn refuses(item: &RpcItem<'_>) -> bool {
    match &item.header {
        Some(Ok(RpcView::Reply(reply))) => match reply.body {
            ReplyBody::Accepted { accept_status, .. } => accept_status != 0,
            ReplyBody::RpcMismatch { .. } | ReplyBody::AuthError { .. } => true,
        },
        _ => false,
    }
}

// RPC calls, replies and latencies by procedure.

/// The most procedures that are distinguished; programs and procedures are numbers that anyone may choose.
pub(super) const MOST_ROWS: usize = 512;

/// What is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ProcedureKey {
    /// A procedure.
    Known {
        /// The program.
        program: u32,
        /// Its version.
        version: u32,
        /// The procedure.
        procedure: u32,
        /// The operation that a COMPOUND is about.
        operation: Option<&'static str>,
    },
    /// The header of the call cannot be read, or was not captured.
    Unknown,
    /// There were too many to tell apart.
    Others,
}

/// What became of the calls of a procedure.
#[derive(Debug, Clone, Default)]
pub struct ProcedureCounts {
    /// Calls.
    pub calls: u64,
    /// Bytes of RPC messages in them, what went by read chunks included.
    pub call_bytes: u64,
    /// Replies to them.
    pub replies: u64,
    /// Bytes of RPC messages in the replies, and of write chunks.
    pub reply_bytes: u64,
    /// Replies that tell an error of RPC.
    pub refused: u64,
    /// RDMA_ERRORs in place of a reply.
    pub errors: u64,
    samples: Samples,
}

impl ProcedureCounts {
    /// From the call's Send to the reply's; RDMA_ERRORs not counted.
    pub fn latency(&self) -> Option<Percentiles> {
        self.samples.percentiles()
    }

    /// Calls that nothing answered.
    pub fn unanswered(&self) -> u64 {
        self.calls.saturating_sub(self.replies + self.errors)
    }
}

/// Procedures, while they are counted.
#[derive(Debug, Clone, Default)]
pub struct Procedures {
    rows: BTreeMap<ProcedureKey, ProcedureCounts>,
}

impl Procedures {
    /// Takes a call or an answer. What answers a call that was not seen is not counted here.
    pub(super) fn count(&mut self, item: &RpcItem<'_>) {
        let Some(key) = ProcedureKey::of(item) else { return };
        let full = self.rows.len() >= MOST_ROWS && !self.rows.contains_key(&key);
        let counts = self.rows.entry(if full { ProcedureKey::Others } else { key }).or_default();
        let written: usize = item.write_chunks.iter().map(|chunk| chunk.len()).sum();
        let bytes = (item.message.len() + written) as u64;
        match item.kind {
            RpcKind::Call => {
                counts.calls += 1;
                counts.call_bytes += bytes;
            }
            RpcKind::Error => counts.errors += 1,
            RpcKind::Reply => {
                counts.replies += 1;
                counts.reply_bytes += bytes;
                counts.refused += u64::from(refuses(item));
                if let Some(latency) = item.latency() {
                    counts.samples.record(latency, item.sent.0, Precision::CAPTURE);
                }
            }
        }
    }

    /// Counts what others have counted; false when there are more procedures than are counted each by itself.
    pub(super) fn join(&mut self, other: Self) -> bool {
        for (key, counts) in other.rows {
            let mine = self.rows.entry(key).or_default();
            mine.calls += counts.calls;
            mine.call_bytes += counts.call_bytes;
            mine.replies += counts.replies;
            mine.reply_bytes += counts.reply_bytes;
            mine.refused += counts.refused;
            mine.errors += counts.errors;
            mine.samples.join(counts.samples, Precision::CAPTURE);
        }
        self.rows.len() <= MOST_ROWS && !self.rows.contains_key(&ProcedureKey::Others)
    }

    /// Every procedure, in the order of program, version, procedure and operation.
    pub fn rows(&self) -> impl Iterator<Item = (&ProcedureKey, &ProcedureCounts)> {
        self.rows.iter()
    }
}

impl ProcedureKey {
    /// What a call or an answer is of; `None` for what answers a call that was not seen: its procedure
    /// is not known.
    pub fn of(item: &RpcItem<'_>) -> Option<Self> {
        let call = item.call?;
        Some(item.procedure().map_or(Self::Unknown, |of| Self::Known {
            program: of.program,
            version: of.version,
            procedure: of.procedure,
            operation: call.operation,
        }))
    }

    /// Names of program and procedure, where they are known.
    pub fn names(&self) -> (Option<&'static str>, Option<&'static str>) {
        let Self::Known { program, version, procedure, .. } = *self else { return (None, None) };
        let procedure = Procedure { program, version, procedure };
        (procedure.program_name(), procedure.name())
    }
}

// Messages, segments and bytes by opcode.

/// What a segment is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Opcode {
    /// A message that the profile knows.
    Known(Message),
    /// An opcode that it does not know.
    Unknown(u8),
    /// The DDP header cannot be read.
    NoHeader,
}

impl Opcode {
    /// What a segment is of.
    pub fn of(segment: &SegmentItem<'_>) -> Self {
        match (&segment.header, segment.message) {
            (Err(_), _) => Self::NoHeader,
            (Ok(_), Some(message)) => Self::Known(message),
            (Ok(header), None) => Self::Unknown(RdmapControlView(header.rdmap_control()).opcode()),
        }
    }

    /// Its name, as people say it.
    pub fn name(self) -> String {
        match self {
            Self::Known(message) => message.info().name.to_owned(),
            Self::Unknown(opcode) => format!("opcode {opcode:#04x}"),
            Self::NoHeader => "no complete header".to_owned(),
        }
    }

    /// The opcode, where there is one.
    pub fn number(self) -> Option<u8> {
        match self {
            Self::Known(message) => Some(message.info().opcode),
            Self::Unknown(opcode) => Some(opcode),
            Self::NoHeader => None,
        }
    }

    /// Whether its payload is the user's: not a header that RDMAP defines.
    pub fn carries_data(self) -> bool {
        let Self::Known(message) = self else { return self != Self::NoHeader };
        matches!(message.info().payload, Payload::Ulp | Payload::UlpThenImmediate)
    }
}

/// How much of something one side sent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, derive_more::AddAssign)]
pub struct Sent {
    /// Messages whose last segment came.
    pub messages: u64,
    /// Segments.
    pub segments: u64,
    /// Bytes of payload in them: what follows the DDP header.
    pub bytes: u64,
}

/// Counts by opcode and by who sent it, in the order of the opcodes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Opcodes {
    rows: Vec<(Opcode, [Sent; 2])>,
}

impl Opcodes {
    /// Counts a segment; `column` is the side, or what else the caller distinguishes.
    pub fn count(&mut self, segment: &SegmentItem<'_>, column: Side) {
        let opcode = Opcode::of(segment);
        let index = self.rows.binary_search_by_key(&opcode, |row| row.0).unwrap_or_else(|index| {
            self.rows.insert(index, (opcode, Default::default()));
            index
        });
        let Some((_, sides)) = self.rows.get_mut(index) else { return };
        let sent = &mut sides[column.index()];
        sent.messages += u64::from(segment.completed.is_some());
        sent.segments += 1;
        sent.bytes += u64::from(segment.payload_length);
    }

    /// Counts what others have counted.
    pub(super) fn join(&mut self, other: Self) {
        for (opcode, sent) in other.rows {
            match self.rows.binary_search_by_key(&opcode, |row| row.0) {
                Ok(index) => {
                    let mine = self.rows.get_mut(index).map(|row| &mut row.1);
                    mine.into_iter().flatten().zip(sent).for_each(|(sum, more)| *sum += more);
                }
                Err(index) => self.rows.insert(index, (opcode, sent)),
            }
        }
    }

    /// Every opcode that was seen, with what each side sent.
    pub fn rows(&self) -> impl Iterator<Item = (Opcode, &[Sent; 2])> {
        self.rows.iter().map(|(opcode, sides)| (*opcode, sides))
    }

    /// What both sides sent of everything.
    pub fn total(&self) -> Sent {
        let mut total = Sent::default();
        self.rows.iter().flat_map(|(_, sides)| sides).for_each(|sent| total += *sent);
        total
    }

    /// Bytes of the user's data that both sides sent.
    pub fn data(&self) -> u64 {
        let rows = self.rows.iter().filter(|(opcode, _)| opcode.carries_data());
        rows.flat_map(|(_, sides)| sides).map(|sent| sent.bytes).sum()
    }

    /// Gives back memory that is not needed.
    pub(super) fn shrink(&mut self) {
        self.rows.shrink_to_fit();
    }
}

/// Requests by how many, themselves counted, then waited for their responses.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Depths {
    /// Requests by depth. A connection follows at most 16384, so there are no more rows.
    pub requests: BTreeMap<u32, u64>,
    /// The frame of the first request at the greatest depth.
    pub most_frame: u64,
    /// The limits of the connections that requests were sent on.
    pub limits: Option<Range>,
    /// Requests sent on connections whose limit is not known.
    pub without_limit: u64,
    /// Requests beyond the limit of their connection.
    pub over: u64,
}

impl Depths {
    /// Counts a request, which a frame completed.
    pub(super) fn count(&mut self, depth: u32, frame: u64, limit: Option<u16>) {
        self.deepest(depth, frame);
        *self.requests.entry(depth).or_default() += 1;
        match limit {
            Some(limit) => {
                Range::widen(&mut self.limits, limit.into());
                self.over += u64::from(depth > u32::from(limit));
            }
            None => self.without_limit += 1,
        }
    }

    fn deepest(&mut self, depth: u32, frame: u64) {
        let most = self.most();
        if depth > most || (depth == most && frame < self.most_frame) {
            self.most_frame = frame;
        }
    }

    /// Counts what others have counted.
    pub(super) fn join(&mut self, other: Self) {
        self.deepest(other.most(), other.most_frame);
        for (depth, requests) in other.requests {
            *self.requests.entry(depth).or_default() += requests;
        }
        Range::join(&mut self.limits, other.limits);
        self.without_limit += other.without_limit;
        self.over += other.over;
    }

    /// The greatest depth.
    pub fn most(&self) -> u32 {
        self.requests.last_key_value().map_or(0, |(depth, _)| *depth)
    }
}
