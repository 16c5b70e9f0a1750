//! The tables of `warpscope stats`: one per section.

use super::column::{Tone, columns};
use super::flows::{least, most};
use super::records::UNSEGMENTED;
use crate::format::share;
use crate::mpa::Side;
use crate::statistics::{
    Calls, Counts, Depths, Interval, Opcode, Opcodes, OperationCounts, Percentiles, ProcedureKey,
    Range, Sent, SizeBucket, Slow,
};

/// The names of the two sides in the counts.
pub const ROLES: [&str; 2] = ["initiator", "responder"];

/// Returns the roles in the counts, with the sides that represent them.
fn roles() -> [(Side, &'static str); 2] {
    Side::BOTH.map(|side| (side, ROLES[side.index()]))
}

/// What one side sent with one opcode.
#[derive(Debug, Clone)]
pub struct OpcodeRow {
    /// The opcode's number.
    pub opcode: Option<u8>,
    /// The opcode's name; `unknown` and the number if no document defines it.
    pub name: String,
    /// The side.
    pub from: &'static str,
    /// What it sent.
    pub sent: Sent,
    /// What was sent with all opcodes, if shares are to be shown.
    pub total: Option<Sent>,
}

impl OpcodeRow {
    /// Returns a row for each opcode and side that sent segments of it.
    pub fn of(opcodes: &Opcodes, sides: [(Side, &'static str); 2]) -> Vec<Self> {
        let row = |opcode: Opcode, from, sent: Sent| Self {
            opcode: opcode.number(),
            name: opcode.name(),
            from,
            sent,
            total: None,
        };
        let rows = opcodes.rows().flat_map(|(opcode, counts)| {
            sides.into_iter().map(move |(side, from)| row(opcode, from, counts[side.index()]))
        });
        rows.filter(|row| row.sent.segments > 0).collect()
    }

    /// Returns the rows of a capture.
    pub fn of_counts(counts: &Counts) -> Vec<Self> {
        Self::of(&counts.opcodes, roles())
    }
}

columns! {
    /// The columns of opcodes.
    OPCODES: OpcodeRow, |row|
    opcode: U32 = row.opcode, "The RDMAP opcode" .null("there was no complete header");
    name: Text = row.name.clone(), "The name of the opcode" .heading("opcode", 0);
    from: Text = row.from, "The side that sent them: `initiator` or `responder`" .heading("from", 0);
    messages: U64 = row.sent.messages, "Messages" .heading("messages", 0);
    segments: U64 = row.sent.segments, "DDP segments" .heading("segments", 1);
    bytes: U64 = row.sent.bytes, "Their payload" .unit("bytes").heading("bytes", 0);
    of_messages: Text = "", "" .people("of messages", true, 2, |row, _| {
        row.total.map(|total| share(row.sent.messages, total.messages)).unwrap_or_default()
    });
    of_bytes: Text = "", "" .people("of bytes", true, 1, |row, _| {
        row.total.map(|total| share(row.sent.bytes, total.bytes)).unwrap_or_default()
    });
}

/// Messages in a range of lengths.
#[derive(Debug, Clone, Copy)]
pub struct SizeRow {
    least: u64,
    greatest: u64,
    bucket: SizeBucket,
    longest: u64,
}

impl SizeRow {
    /// Returns the rows of a capture.
    pub fn of_counts(counts: &Counts) -> Vec<Self> {
        let longest =
            counts.sizes.buckets().map(|(.., each)| each.messages.iter().sum()).max().unwrap_or(0);
        let buckets = counts.sizes.buckets();
        let row = |(least, greatest, bucket): (u64, u64, &SizeBucket)| Self {
            least,
            greatest,
            bucket: *bucket,
            longest,
        };
        buckets.map(row).collect()
    }
}

columns! {
    /// The columns of lengths.
    SIZES: SizeRow, |row|
    least: U64 = row.least, "The shortest length of the row" .unit("bytes").heading("from", 0);
    greatest: U64 = row.greatest, "The longest" .unit("bytes").heading("to", 0);
    sends: U64 = row.bucket.messages[0], "Sends" .heading("Sends", 0).sparse();
    writes: U64 = row.bucket.messages[1], "Writes" .heading("Writes", 0).sparse();
    read_responses: U64 = row.bucket.messages[2], "Read Responses" .heading("Read Responses", 0).sparse();
    bytes: U64 = row.bucket.bytes, "Bytes in all of them" .unit("bytes").heading("bytes", 2).sparse();
    bar: Text = "", "" .people("messages", false, 1, |row, _| bar(row.bucket.messages.iter().sum(), row.longest))
        .tone(|_| Tone::Bar);
}

/// Declares columns with latencies, between a row's own columns.
macro_rules! latency_columns {
    ($(#[$meta:meta])* $columns:ident: $type:ty, |$row:ident| { $($before:tt)* } { $($after:tt)* }) => {
        columns! {
            $(#[$meta])* $columns: $type, |$row|
            $($before)*
            latency_count: U64 = $row.latency.map_or(0, |it| it.count), "Latencies that were measured";
            latency_min: U64 = $row.latency.map(|it| it.minimum), "The shortest" .unit("ns").null(NO_LATENCY);
            latency_p50: U64 = rank($row.latency, 0), "What 50 % do not exceed"
                .unit("ns").null(NO_RANK).heading("p50", 0);
            latency_p90: U64 = rank($row.latency, 1), "What 90 % do not exceed"
                .unit("ns").null(NO_RANK).heading("p90", 1);
            latency_p99: U64 = rank($row.latency, 2), "What 99 % do not exceed"
                .unit("ns").null(NO_RANK).heading("p99", 0);
            latency_max: U64 = $row.latency.map(|it| it.maximum), "The longest"
                .unit("ns").null(NO_LATENCY).heading("max", 0);
            latency_max_frame: U64 = $row.latency.map(|it| it.maximum_frame), "The frame that ended the longest; the first of several"
                .null(NO_LATENCY).heading("in frame", 3);
            latency_mean: U64 = $row.latency.map(|it| it.mean), "The mean"
                .unit("ns").null(NO_LATENCY).heading("mean", 2);
            latency_digits: U32 = $row.latency.and_then(|it| it.digits), "Significant digits of the percentiles"
                .null("they are exact, or there are none");
            $($after)*
        }
    };
}

pub(super) use latency_columns;

pub(super) const NO_LATENCY: &str = "none was measured";
pub(super) const NO_RANK: &str = "none was measured, or there was not enough memory";

pub(super) fn rank(latency: Option<Percentiles>, index: usize) -> Option<u64> {
    latency?.ranks?.get(index).copied()
}

/// The outcomes of the operations of one kind that one side began.
#[derive(Debug, Clone)]
pub struct LatencyRow {
    counts: OperationCounts,
    requester: &'static str,
    latency: Option<Percentiles>,
}

impl LatencyRow {
    /// Returns the row of the side with this name.
    pub fn of(counts: &OperationCounts, requester: &'static str) -> Self {
        Self { counts: counts.clone(), requester, latency: counts.latency }
    }

    /// Returns the rows of a capture.
    pub fn of_counts(counts: &Counts) -> Vec<Self> {
        counts.operations().iter().map(|row| Self::of(row, ROLES[row.requester.index()])).collect()
    }
}

latency_columns! {
    /// The columns of operations, by kind.
    LATENCIES: LatencyRow, |row| {
        operation: Text = row.counts.kind.name(), "What the operation does, such as `Read`" .heading("operation", 0);
        requester: Text = row.requester, "The side that began them: `initiator` or `responder`" .heading("by", 0);
        begun: U64 = row.counts.begun, "How many began" .heading("begun", 0);
        completed: U64 = row.counts.completed, "How many were completed" .heading("completed", 3);
        unanswered: U64 = row.counts.unanswered, "How many had no response"
            .heading("unanswered", 4).sparse().tone(|_| Tone::Warning);
        refused: U64 = row.counts.refused, "How many a Terminate refused"
            .heading("refused", 4).sparse().tone(|_| Tone::Warning);
        lost: U64 = row.counts.lost, "How many had a response that was not captured"
            .heading("lost", 4).sparse().tone(|_| Tone::Warning);
        unsolicited: U64 = row.counts.unsolicited, "Responses whose requests were not seen";
        bytes: U64 = row.counts.bytes, "Bytes of data that they moved" .unit("bytes").heading("bytes", 5);
    } {}
}

/// One of the slowest operations.
#[derive(Debug, Clone, Copy)]
pub struct SlowRow(Slow);

impl SlowRow {
    /// Returns the rows of a capture.
    pub fn of_counts(counts: &Counts) -> Vec<Self> {
        counts.slowest.rows().iter().copied().map(Self).collect()
    }

    /// Returns the frame at which its latency begins.
    fn begun_in(&self) -> u64 {
        let request = &self.0.operation.request;
        if self.0.operation.kind.answered() { request.last_frame } else { request.first_frame }
    }
}

columns! {
    /// The columns of the slowest operations.
    SLOWEST: SlowRow, |row|
    latency: I64 = row.0.latency, "How long it took" .unit("ns").heading("latency", 0);
    operation: Text = row.0.operation.kind.name(), "What the operation does, such as `Read`" .heading("operation", 0);
    requester: Text = ROLES[row.0.requester.index()], "The side that began it: `initiator` or `responder`" .heading("by", 2);
    flow: U32 = row.0.connection, "The number of its connection in the capture (`tcp.stream`)" .heading("flow", 0);
    number: U64 = row.0.operation.number, "Its number in the connection, from 1" .heading("number", 3);
    from_frame: U64 = row.begun_in(), "The frame that the latency counts from" .heading("from frame", 0);
    to_frame: U64 = row.0.operation.carrier().last_frame, "The frame that ended it" .heading("to frame", 0);
    bytes: U64 = row.0.operation.bytes(), "Bytes of data that it moved" .unit("bytes").heading("bytes", 1);
    pause: I64 = row.0.operation.carrier().pause.map(|pause| pause.length),
        "The longest time between two segments of the message that carried them" .unit("ns")
        .null(UNSEGMENTED).heading("pause", 2);
    pause_frame: U64 = row.0.operation.carrier().pause.map(|pause| pause.frame), "The frame that ended that"
        .null(UNSEGMENTED).heading("in frame", 2);
    pause_missed: U32 = row.0.operation.carrier().pause.map(|pause| pause.missed),
        "Bytes of the TCP stream that were missing in that time, while later ones had arrived" .unit("bytes")
        .null(UNSEGMENTED).heading("missing", 2);
    pause_waited: I64 = row.0.operation.carrier().pause.map(|pause| pause.waited),
        "For how much of that time later ones had arrived" .unit("ns").null(UNSEGMENTED).heading("hole", 2);
}

/// The calls of one procedure.
#[derive(Debug, Clone)]
pub struct ProcedureRow {
    key: ProcedureKey,
    calls: u64,
    replies: u64,
    refused: u64,
    errors: u64,
    unanswered: u64,
    call_bytes: u64,
    reply_bytes: u64,
    latency: Option<Percentiles>,
}

impl ProcedureRow {
    /// Returns the rows of a capture.
    pub fn of_counts(counts: &Counts) -> Vec<Self> {
        let rows = counts.procedures.rows().map(|(key, row)| Self {
            key: *key,
            calls: row.calls,
            replies: row.replies,
            refused: row.refused,
            errors: row.errors,
            unanswered: row.unanswered(),
            call_bytes: row.call_bytes,
            reply_bytes: row.reply_bytes,
            latency: row.latency(),
        });
        rows.collect()
    }

    fn known(&self) -> Option<(u32, u32, u32)> {
        match self.key {
            ProcedureKey::Known { program, version, procedure, .. } => {
                Some((program, version, procedure))
            }
            ProcedureKey::Unknown | ProcedureKey::Others => None,
        }
    }

    fn operation(&self) -> Option<&'static str> {
        match self.key {
            ProcedureKey::Known { operation, .. } => operation,
            ProcedureKey::Unknown | ProcedureKey::Others => None,
        }
    }

    /// Returns program and version: `NFS 4`.
    fn program_text(&self) -> String {
        match (self.key, self.key.names().0) {
            (ProcedureKey::Known { version, .. }, Some(name)) => format!("{name} {version}"),
            (ProcedureKey::Known { program, version, .. }, None) => format!("{program} {version}"),
            (ProcedureKey::Unknown, _) => "not known".to_owned(),
            (ProcedureKey::Others, _) => "others".to_owned(),
        }
    }

    /// Returns the procedure, with the main operation of a COMPOUND: `COMPOUND: READ`.
    fn procedure_text(&self) -> String {
        let Some((.., procedure)) = self.known() else { return String::new() };
        let name = self.key.names().1.map_or_else(|| procedure.to_string(), str::to_owned);
        self.operation().map_or_else(|| name.clone(), |operation| format!("{name}: {operation}"))
    }
}

latency_columns! {
    /// The columns of RPC procedures.
    PROCEDURES: ProcedureRow, |row| {
        program: U32 = row.known().map(|it| it.0), "The RPC program" .null(NO_PROCEDURE);
        version: U32 = row.known().map(|it| it.1), "Its version" .null(NO_PROCEDURE);
        procedure: U32 = row.known().map(|it| it.2), "The procedure" .null(NO_PROCEDURE);
        program_name: Text = row.key.names().0, "The program's name" .null("it is not known here");
        procedure_name: Text = row.key.names().1, "The procedure's name" .null("it is not known here");
        operation: Text = row.operation(), "The operation that a COMPOUND is about" .null("it is not a COMPOUND, or is empty");
        program_text: Text = "", "" .people("program", false, 0, |row, _| row.program_text());
        procedure_text: Text = "", "" .people("procedure", false, 0, |row, _| row.procedure_text());
        calls: U64 = row.calls, "Calls" .heading("calls", 0);
        replies: U64 = row.replies, "Replies" .heading("replies", 3);
        refused: U64 = row.refused, "Replies with an RPC error" .heading("refused", 5).sparse();
        errors: U64 = row.errors, "Calls that were answered by an RDMA_ERROR" .heading("errors", 5).sparse();
        unanswered: U64 = row.unanswered, "Calls without an answer" .heading("unanswered", 4).sparse();
    } {
        call_bytes: U64 = row.call_bytes, "RPC messages of the calls, including what went by chunks"
            .unit("bytes").heading("call bytes", 7);
        reply_bytes: U64 = row.reply_bytes, "RPC messages of the replies, including what went by chunks"
            .unit("bytes").heading("reply bytes", 7);
    }
}

const NO_PROCEDURE: &str =
    "the calls' RPC headers cannot be read, or these are all other procedures";

/// The traffic in an interval.
#[derive(Debug, Clone, Copy)]
pub struct IntervalRow {
    /// Nanoseconds from the first frame of the capture.
    pub start: i64,
    /// Its length in nanoseconds.
    pub length: u64,
    counts: Interval,
    greatest: u64,
}

impl IntervalRow {
    /// Returns the intervals of a capture, at most `intervals` if no length was chosen, without empty ones.
    pub fn of_counts(counts: &Counts, intervals: u64) -> Vec<Self> {
        Self::of(counts, intervals, |counts| counts.data)
    }

    /// Returns those with calls or replies.
    pub fn with_calls(counts: &Counts, intervals: u64) -> Vec<Self> {
        let mut rows = Self::of(counts, intervals, |counts| counts.in_use.into());
        rows.retain(|row| row.counts.calls > 0 || row.counts.granted.is_some());
        rows
    }

    fn of(counts: &Counts, intervals: u64, shown: fn(&Interval) -> u64) -> Vec<Self> {
        let (length, intervals) = counts.timeline.intervals(intervals);
        let greatest = intervals.iter().map(|(_, counts)| shown(counts)).max().unwrap_or(0);
        let row = |(start, counts)| Self { start, length, counts, greatest };
        intervals.into_iter().map(row).collect()
    }
}

columns! {
    /// The columns of throughput.
    INTERVALS: IntervalRow, |row|
    start_text: Text = "", "" .people("from", true, 0, |row, _| start_text(row.start, row.length));
    start: I64 = row.start, "When the interval begins, from the first frame of the capture" .unit("ns");
    interval: U64 = row.length, "Its length" .unit("ns");
    frames: U64 = row.counts.frames, "Frames of iWARP connections" .heading("frames", 4);
    wire_bytes: U64 = row.counts.wire, "Their bytes, link headers included" .unit("bytes").heading("wire bytes", 3);
    payload_bytes: U64 = row.counts.payload, "TCP payload" .unit("bytes");
    retransmitted_bytes: U64 = row.counts.repeated, "How much of it was sent again" .unit("bytes");
    messages: U64 = row.counts.messages, "RDMAP messages" .heading("messages", 2);
    data_bytes: U64 = row.counts.data, "Payload of Sends, Writes and Read Responses"
        .unit("bytes").heading("data bytes", 0);
    rate: Text = "", "" .people("Mbit/s", true, 1, |row, _| {
        format!("{:.2}", row.counts.data as f64 * 8e3 / row.length as f64)
    });
    again: Text = "", "" .people("sent again", true, 5, |row, _| match row.counts.repeated {
        0 => String::new(),
        repeated => share(repeated, row.counts.payload),
    });
    bar: Text = "", "" .people("data", false, 1, |row, _| bar(row.counts.data, row.greatest)).tone(|_| Tone::Bar);
}

columns! {
    /// The columns of credits.
    CREDITS: IntervalRow, |row|
    start_text: Text = "", "" .people("from", true, 0, |row, _| start_text(row.start, row.length));
    start: I64 = row.start, "When the interval begins, from the first frame of the capture" .unit("ns");
    interval: U64 = row.length, "Its length" .unit("ns");
    calls: U64 = row.counts.calls, "RPC calls" .heading("calls", 0).sparse();
    granted_least: U32 = least(row.counts.granted), "The fewest credits that a reply granted" .null("there was no reply");
    granted_most: U32 = most(row.counts.granted), "The most" .null("there was no reply");
    granted: Text = "", "" .people("granted", true, 0, |row, _| row.counts.granted.map(span_text).unwrap_or_default());
    in_use: U32 = row.counts.in_use, "The most calls that a connection had in flight when one was sent"
        .heading("in use", 0).sparse();
    bar: Text = "", "" .people("", false, 1, |row, _| bar(row.counts.in_use.into(), row.greatest))
        .tone(|_| Tone::Bar);
}

/// How often a number of requests was in flight when one was sent.
#[derive(Debug, Clone, Copy)]
pub struct DepthRow {
    least: u32,
    greatest: u32,
    requests: [u64; 2],
    longest: u64,
}

impl DepthRow {
    /// Returns a row for each depth in a capture.
    pub fn of_counts(counts: &Counts) -> Vec<Self> {
        Self::of_ranges(counts, depths(counts).into_iter().map(|depth| (depth, depth)))
    }

    /// Returns a row for each depth if there are few or they are small, beyond that for powers of two.
    pub fn summed(counts: &Counts) -> Vec<Self> {
        Self::of_ranges(counts, ranges(&depths(counts)).into_iter())
    }

    fn of_ranges(counts: &Counts, ranges: impl Iterator<Item = (u32, u32)>) -> Vec<Self> {
        let row = |(least, greatest): (u32, u32)| {
            let sum = |depths: &Depths| {
                depths.requests.range(least..=greatest).map(|(_, count)| count).sum()
            };
            Self { least, greatest, requests: counts.depths.each_ref().map(sum), longest: 0 }
        };
        let mut rows: Vec<Self> = ranges.map(row).collect();
        let longest = rows.iter().map(|row| row.requests.iter().sum()).max().unwrap_or(0);
        rows.iter_mut().for_each(|row| row.longest = longest);
        rows
    }
}

fn depths(counts: &Counts) -> Vec<u32> {
    let mut depths: Vec<u32> =
        counts.depths.iter().flat_map(|depths| depths.requests.keys()).copied().collect();
    depths.sort_unstable();
    depths.dedup();
    depths
}

fn ranges(depths: &[u32]) -> Vec<(u32, u32)> {
    const ALONE: u32 = 16;
    let range = |depth: &u32| match *depth {
        depth if depths.len() <= 32 || depth <= ALONE => (depth, depth),
        depth => {
            ((1_u32 << depth.ilog2()).max(ALONE + 1), (2_u32 << depth.ilog2()).wrapping_sub(1))
        }
    };
    let mut ranges: Vec<(u32, u32)> = depths.iter().map(range).collect();
    ranges.dedup();
    ranges
}

columns! {
    /// The columns of requests in flight.
    DEPTHS: DepthRow, |row|
    in_flight: U32 = row.least, "Requests of a side in flight when it sent one, that one included";
    in_flight_text: Text = "", "" .people("in flight", true, 0, |row, _| {
        span_text(Range { least: row.least, most: row.greatest })
    });
    initiator: U64 = row.requests[0], "Requests of the initiator" .heading("initiator", 0).sparse();
    responder: U64 = row.requests[1], "Requests of the responder" .heading("responder", 0).sparse();
    bar: Text = "", "" .people("requests", false, 1, |row, _| bar(row.requests.iter().sum(), row.longest))
        .tone(|_| Tone::Bar);
}

/// The counts of a role, over all connections.
#[derive(Debug, Clone)]
pub struct RoleRow {
    role: &'static str,
    payload: u64,
    repeated: u64,
    depths: Depths,
    calls: Calls,
}

impl RoleRow {
    /// Returns the rows of a capture.
    pub fn of_counts(counts: &Counts) -> Vec<Self> {
        let row = |(side, role): (Side, &'static str)| Self {
            role,
            payload: counts.payload[side.index()],
            repeated: counts.repeated[side.index()],
            depths: counts.depths[side.index()].clone(),
            calls: counts.calls[side.index()],
        };
        roles().map(row).into()
    }
}

columns! {
    /// The columns of roles.
    ROLE_COUNTS: RoleRow, |row|
    role: Text = row.role, "`initiator` or `responder`";
    payload_bytes: U64 = row.payload, "TCP payload that the role sent" .unit("bytes");
    retransmitted_bytes: U64 = row.repeated, "How much of it was sent again" .unit("bytes");
    requests_in_flight: U32 = row.depths.most(), "The most requests that a connection had in flight";
    requests_in_flight_frame: U64 = Some(row.depths.most_frame).filter(|_| row.depths.most() > 0),
        "The frame of the first request that reached this number" .null("there was no request");
    requests_limit_least: U32 = least(row.depths.limits), "The lowest limit on them" .null("no limit is known");
    requests_limit_most: U32 = most(row.depths.limits), "The highest" .null("no limit is known");
    requests_over_limit: U64 = row.depths.over, "Requests beyond the limit";
    requests_without_limit: U64 = row.depths.without_limit, "Requests whose limit is not known";
    calls: U64 = row.calls.calls, "RPC calls";
    calls_in_flight: U32 = row.calls.most_in_flight, "The most calls that a connection had in flight";
    calls_in_flight_frame: U64 = Some(row.calls.most_in_flight_frame).filter(|_| row.calls.most_in_flight > 0),
        "The frame of the first call that reached this number" .null("there was no call");
    calls_over_grant: U64 = row.calls.over_grant, "Calls beyond the credits granted";
    credits_asked_least: U32 = least(row.calls.credits_asked), "The fewest credits that a call asks for" .null("there was no call");
    credits_asked_most: U32 = most(row.calls.credits_asked), "The most" .null("there was no call");
    credits_granted_least: U32 = least(row.calls.credits_granted), "The fewest that a reply grants" .null("there was no reply");
    credits_granted_most: U32 = most(row.calls.credits_granted), "The most" .null("there was no reply");
}

/// Returns the start of an interval in seconds, with enough digits to distinguish two intervals.
pub fn start_text(start: i64, length: u64) -> String {
    let digits = (0..9).find(|digits| length.is_multiple_of(10_u64.pow(9 - digits))).unwrap_or(9);
    format!("{:.*}", digits as usize, start as f64 / 1e9)
}

/// Returns the text of a range: `4`, or `4 to 16`.
pub fn span_text(range: Range) -> String {
    let Range { least, most } = range;
    if least == most { most.to_string() } else { format!("{least} to {most}") }
}

/// The length of the longest bar in characters.
const LONGEST: usize = 24;
const EIGHTHS: [char; 8] = [' ', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/// Returns a bar for a number; the greatest number has the longest. Any number but 0 shows something.
fn bar(number: u64, greatest: u64) -> String {
    if number == 0 || greatest == 0 {
        return String::new();
    }
    let eighths = u128::from(number) * (LONGEST * 8) as u128 / u128::from(greatest);
    let eighths = usize::try_from(eighths).unwrap_or(LONGEST * 8).clamp(1, LONGEST * 8);
    let mut bar = "█".repeat(eighths / 8);
    if eighths % 8 > 0 {
        bar.extend(EIGHTHS.get(eighths % 8));
    }
    bar
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_depths_are_put_together() {
        assert_eq!(ranges(&[1, 5, 200]), [(1, 1), (5, 5), (200, 200)]);
        let many: Vec<u32> = (1..=100).collect();
        let ranges = ranges(&many);
        assert_eq!(ranges.first(), Some(&(1, 1)));
        assert_eq!(ranges[15..], [(16, 16), (17, 31), (32, 63), (64, 127)]);
    }

    #[test]
    fn bars_are_as_long_as_numbers_are_great() {
        assert_eq!((bar(0, 5), bar(0, 0)), (String::new(), String::new()));
        assert_eq!(bar(5, 5), "█".repeat(LONGEST));
        assert_eq!(bar(1, 2), "█".repeat(LONGEST / 2));
        assert_eq!(bar(1, u64::MAX), "▏");
        assert_eq!(bar(u64::MAX, u64::MAX).chars().count(), LONGEST);
        // 1 of 16: one and a half of 24 characters.
        assert_eq!(bar(1, 16), "█▌");
    }

    #[test]
    fn shares_do_not_round_to_what_they_are_not() {
        for (part, whole, text) in [
            (0, 0, "-"),
            (0, 7, "0 %"),
            (1, 100_000, "<0.1 %"),
            (1, 3, "33.3 %"),
            (99_999, 100_000, ">99.9 %"),
            (5, 5, "100 %"),
        ] {
            assert_eq!(share(part, whole), text);
        }
    }
}
