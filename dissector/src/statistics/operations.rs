//! Outcomes of operations, by kind and requester.

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

/// Outcomes of the operations of one kind that one side began.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperationCounts {
    /// The kind.
    pub kind: OperationKind,
    /// The side that began them.
    pub requester: Side,
    /// Operations whose request, or only message, was complete.
    pub begun: u64,
    /// Operations that succeeded.
    pub completed: u64,
    /// Requests without a response at the end of the connection or capture.
    pub unanswered: u64,
    /// Requests whose response was not captured.
    pub lost: u64,
    /// Requests that a Terminate refused.
    pub refused: u64,
    /// Responses whose request was not seen.
    pub unsolicited: u64,
    /// Bytes of the user's data that the completed operations moved.
    pub bytes: u64,
    /// Durations of the completed operations: from the last segment of the request to that of the response;
    /// for an operation without a response, from its first segment to its last. `None` if the frames have no
    /// times.
    pub latency: Option<Percentiles>,
    /// Latency buckets of the operations, if wanted.
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

/// Counts of operations by kind and requester, while they are being collected.
#[derive(Debug, Clone, Default)]
pub struct Operations {
    rows: Vec<(OperationCounts, Samples)>,
}

impl Operations {
    /// Counts what happened to an operation; `requester` is the side, or another distinction that the caller
    /// makes. Returns by how many bytes the samples grew.
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

    /// Adds the counts of another set.
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

    /// Returns the bytes of samples.
    pub fn buffered(&self) -> usize {
        self.rows.iter().map(|(_, samples)| samples.buffered()).sum()
    }

    /// Like [`counts`](Self::counts), with latency buckets.
    pub(super) fn counts_with_latencies(&self) -> Vec<OperationCounts> {
        let mut rows = self.counts();
        for (row, (_, samples)) in rows.iter_mut().zip(&self.rows) {
            row.latencies = row.latency.map(|_| samples.buckets()).unwrap_or_default();
        }
        rows
    }

    /// Returns the counts, in the order of the kinds.
    pub fn counts(&self) -> Vec<OperationCounts> {
        let with_latency = |(counts, samples): &(OperationCounts, Samples)| OperationCounts {
            latency: samples.percentiles(),
            ..counts.clone()
        };
        self.rows.iter().map(with_latency).collect()
    }
}

/// Number of operations that are kept as the slowest.
const SLOWEST: usize = 10;

/// An operation that took long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slow {
    /// Its duration in nanoseconds.
    pub latency: i64,
    /// The number of its connection.
    pub connection: u32,
    /// The side that began it, or another distinction that the caller makes.
    pub requester: Side,
    /// The operation.
    pub operation: Operation,
}

impl Slow {
    /// Sorts by duration, slowest first; of equal ones, the first to end comes first.
    fn key(&self) -> (Reverse<i64>, u64, u32, u64) {
        let end = self.operation.carrier().last_frame;
        (Reverse(self.latency), end, self.connection, self.operation.number)
    }
}

/// The slowest operations, slowest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Slowest(Vec<Slow>);

impl Slowest {
    /// Counts a completed operation. One that took no time is not slow.
    pub(super) fn count(&mut self, operation: &Operation, connection: u32, requester: Side) {
        let Some(latency) = operation.latency().filter(|latency| *latency > 0) else { return };
        if self.0.len() < SLOWEST || self.0.last().is_some_and(|last| last.latency <= latency) {
            self.join(Self(vec![Slow { latency, connection, requester, operation: *operation }]));
        }
    }

    /// Adds the operations of another list.
    pub(super) fn join(&mut self, other: Self) {
        self.0.extend(other.0);
        self.0.sort_unstable_by_key(Slow::key);
        self.0.truncate(SLOWEST);
    }

    /// Returns the operations.
    pub fn rows(&self) -> &[Slow] {
        &self.0
    }
}

// RPC calls of one direction, and their replies.

/// A minimum and a maximum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Range {
    /// The minimum.
    pub least: u32,
    /// The maximum.
    pub most: u32,
}

impl Range {
    /// Extends a range to a value, or creates it.
    pub(super) fn widen(range: &mut Option<Self>, value: u32) {
        let range = range.get_or_insert(Self { least: value, most: value });
        range.least = range.least.min(value);
        range.most = range.most.max(value);
    }

    /// Extends a range by another.
    pub(super) fn join(range: &mut Option<Self>, other: Option<Self>) {
        if let Some(Self { least, most }) = other {
            Self::widen(range, least);
            Self::widen(range, most);
        }
    }
}

/// Outcomes of the calls of one side.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Calls {
    /// Calls.
    pub calls: u64,
    /// Replies, not counting RDMA_ERRORs.
    pub replies: u64,
    /// Replies whose RPC header reports an error: rejected, or accepted and not executed (RFC 5531 §9).
    pub refused: u64,
    /// RDMA_ERRORs in place of a reply (RFC 8166 §4.5).
    pub errors: u64,
    /// Calls that a reply or an RDMA_ERROR answered.
    pub answered: u64,
    /// Replies and RDMA_ERRORs whose call was not seen.
    pub unmatched: u64,
    /// Credits that calls requested.
    pub credits_asked: Option<Range>,
    /// Credits that replies granted.
    pub credits_granted: Option<Range>,
    /// The maximum number of calls without a reply at the same time.
    pub most_in_flight: u32,
    /// The frame of the call with which that maximum was reached; the first of several.
    pub most_in_flight_frame: u64,
    /// Calls sent while more were without a reply than the last grant allows (RFC 8166 §3.3.1).
    pub over_grant: u64,
}

impl Calls {
    /// Counts a call of one side, or an answer to one; `granted` is the number of credits last granted to it
    /// in the connection, and is updated.
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

    /// Adds the counts of another set.
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

    /// Returns the number of calls that were not answered in the capture.
    pub fn unanswered(&self) -> u64 {
        self.calls.saturating_sub(self.answered)
    }

    /// Returns whether anything was counted.
    pub fn any(&self) -> bool {
        self.calls + self.replies + self.errors > 0
    }
}

/// Returns whether the RPC header of a reply reports an error.
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

/// The maximum number of procedures that are distinguished; anyone may choose program and procedure numbers.
pub(super) const MOST_ROWS: usize = 512;

/// The procedure that is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ProcedureKey {
    /// A known procedure.
    Known {
        /// The program.
        program: u32,
        /// Its version.
        version: u32,
        /// The procedure.
        procedure: u32,
        /// The main operation of a COMPOUND.
        operation: Option<&'static str>,
    },
    /// The header of the call cannot be read, or was not captured.
    Unknown,
    /// One of those that were too many to tell apart.
    Others,
}

/// Outcomes of the calls of a procedure.
#[derive(Debug, Clone, Default)]
pub struct ProcedureCounts {
    /// Calls.
    pub calls: u64,
    /// Bytes of RPC messages in the calls, including those in read chunks.
    pub call_bytes: u64,
    /// Replies to the calls.
    pub replies: u64,
    /// Bytes of RPC messages in the replies, including write chunks.
    pub reply_bytes: u64,
    /// Replies that report an RPC error.
    pub refused: u64,
    /// RDMA_ERRORs in place of a reply.
    pub errors: u64,
    samples: Samples,
}

impl ProcedureCounts {
    /// Returns the latency from the Send of the call to that of the reply, not counting RDMA_ERRORs.
    pub fn latency(&self) -> Option<Percentiles> {
        self.samples.percentiles()
    }

    /// Returns the number of calls that were not answered.
    pub fn unanswered(&self) -> u64 {
        self.calls.saturating_sub(self.replies + self.errors)
    }
}

/// Counts of procedures, while they are being collected.
#[derive(Debug, Clone, Default)]
pub struct Procedures {
    rows: BTreeMap<ProcedureKey, ProcedureCounts>,
}

impl Procedures {
    /// Counts a call or an answer. An answer to a call that was not seen is not counted here.
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

    /// Adds the counts of another set; false if there are more procedures than are counted individually.
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

    /// Returns every procedure, in the order of program, version, procedure and operation.
    pub fn rows(&self) -> impl Iterator<Item = (&ProcedureKey, &ProcedureCounts)> {
        self.rows.iter()
    }
}

impl ProcedureKey {
    /// Returns the procedure of a call or an answer; `None` for an answer to a call that was not seen,
    /// because its procedure is not known.
    pub fn of(item: &RpcItem<'_>) -> Option<Self> {
        let call = item.call?;
        Some(item.procedure().map_or(Self::Unknown, |of| Self::Known {
            program: of.program,
            version: of.version,
            procedure: of.procedure,
            operation: call.operation,
        }))
    }

    /// Returns the names of program and procedure, if known.
    pub fn names(&self) -> (Option<&'static str>, Option<&'static str>) {
        let Self::Known { program, version, procedure, .. } = *self else { return (None, None) };
        let procedure = Procedure { program, version, procedure };
        (procedure.program_name(), procedure.name())
    }
}

// Messages, segments and bytes by opcode.

/// The opcode of a segment.
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
    /// Returns the opcode of a segment.
    pub fn of(segment: &SegmentItem<'_>) -> Self {
        match (&segment.header, segment.message) {
            (Err(_), _) => Self::NoHeader,
            (Ok(_), Some(message)) => Self::Known(message),
            (Ok(header), None) => Self::Unknown(RdmapControlView(header.rdmap_control()).opcode()),
        }
    }

    /// Returns its usual name.
    pub fn name(self) -> String {
        match self {
            Self::Known(message) => message.info().name.to_owned(),
            Self::Unknown(opcode) => format!("opcode {opcode:#04x}"),
            Self::NoHeader => "no complete header".to_owned(),
        }
    }

    /// Returns the opcode number, if there is one.
    pub fn number(self) -> Option<u8> {
        match self {
            Self::Known(message) => Some(message.info().opcode),
            Self::Unknown(opcode) => Some(opcode),
            Self::NoHeader => None,
        }
    }

    /// Returns whether the payload is the user's rather than a header that RDMAP defines.
    pub fn carries_data(self) -> bool {
        let Self::Known(message) = self else { return self != Self::NoHeader };
        matches!(message.info().payload, Payload::Ulp | Payload::UlpThenImmediate)
    }
}

/// The amount that one side sent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, derive_more::AddAssign)]
pub struct Sent {
    /// Messages whose last segment arrived.
    pub messages: u64,
    /// Segments.
    pub segments: u64,
    /// Bytes of payload in the segments: what follows the DDP header.
    pub bytes: u64,
}

/// Counts by opcode and sender, in the order of the opcodes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Opcodes {
    rows: Vec<(Opcode, [Sent; 2])>,
}

impl Opcodes {
    /// Counts a segment; `column` is the side, or another distinction that the caller makes.
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

    /// Adds the counts of another set.
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

    /// Returns every opcode that was seen, with what each side sent.
    pub fn rows(&self) -> impl Iterator<Item = (Opcode, &[Sent; 2])> {
        self.rows.iter().map(|(opcode, sides)| (*opcode, sides))
    }

    /// Returns the total that both sides sent.
    pub fn total(&self) -> Sent {
        let mut total = Sent::default();
        self.rows.iter().flat_map(|(_, sides)| sides).for_each(|sent| total += *sent);
        total
    }

    /// Returns the bytes of the user's data that both sides sent.
    pub fn data(&self) -> u64 {
        let rows = self.rows.iter().filter(|(opcode, _)| opcode.carries_data());
        rows.flat_map(|(_, sides)| sides).map(|sent| sent.bytes).sum()
    }

    /// Releases memory that is not needed.
    pub(super) fn shrink(&mut self) {
        self.rows.shrink_to_fit();
    }
}

/// Requests by the number then waiting for their responses, including the request itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Depths {
    /// Requests by depth. A connection follows at most 16384, so there are no more rows.
    pub requests: BTreeMap<u32, u64>,
    /// The frame of the first request at the greatest depth.
    pub most_frame: u64,
    /// The limits of the connections on which requests were sent.
    pub limits: Option<Range>,
    /// Requests on connections whose limit is not known.
    pub without_limit: u64,
    /// Requests beyond the limit of their connection.
    pub over: u64,
}

impl Depths {
    /// Counts a request that a frame completed.
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

    /// Adds the counts of another set.
    pub(super) fn join(&mut self, other: Self) {
        self.deepest(other.most(), other.most_frame);
        for (depth, requests) in other.requests {
            *self.requests.entry(depth).or_default() += requests;
        }
        Range::join(&mut self.limits, other.limits);
        self.without_limit += other.without_limit;
        self.over += other.over;
    }

    /// Returns the greatest depth.
    pub fn most(&self) -> u32 {
        self.requests.last_key_value().map_or(0, |(depth, _)| *depth)
    }
}
