//! The tables of `warpscope flows`: connections, each with sides, setup frames, Terminates and skipped bytes.

use super::column::{InFile, Table, Tone, columns, entries};
use super::statistics::{LATENCIES, LatencyRow, OPCODES, OpcodeRow};
use crate::format::{end, setup, share, sides, span};
use crate::link::Endpoint;
use crate::mpa::{CrcVerdict, EnhancedSeen, Negotiation, SetupFacts, Side, SkipReason};
use crate::operation::{OperationKind, meaning};
use crate::silence::{Awaited, Waits};
use crate::statistics::{
    DirectionCounts, End, Flow, Mark, OperationCounts, Percentiles, Range, Skips, TerminateSeen,
};
use crate::ulp::Ulp;
use serde::ser::{Serialize, SerializeMap as _, Serializer};
use warpscope_wire::mpa::{NOT_NEGOTIATED, Role};

columns! {
    /// The columns of connections.
    FLOWS: Flow, |flow|
    file: Text = "", "The capture file, as it was named on the command line"
        .in_file(|_, file| file.name.to_owned().into());
    flow: U32 = flow.info.number, "Its number in the capture, from 0 (`tcp.stream`)" .heading("flow", 0);
    initiator: Text = address(flow, 0), "Address and port of the initiator, or of the end that sent the first segment seen"
        .heading("initiator", 0).text(|flow, _| guessed(flow, 0));
    responder: Text = address(flow, 1), "Address and port of the other end"
        .heading("responder", 0).text(|flow, _| guessed(flow, 1));
    roles_known: Flag = flow.initiator().is_some(), "False when no setup frame says which end is the initiator";
    start: Time = flow.first.time, "When its first frame was captured" .unit("ns").null(TIMELESS)
        .heading("start", 5).text(start);
    duration: I64 = flow.duration(), "From its first frame to its last" .unit("ns").null(TIMELESS)
        .heading("duration", 4).text(|flow, _| span(flow.duration()));
    setup: Text = setup(flow), "" .people("MPA", false, 10, |flow, _| setup(flow));
    ulp: Text = flow.ulp.map(Ulp::name), "The upper layer protocol that it carries: `rpcordma`, `nvme-rdma`, `iser`, `smb_direct`"
        .null("it carries none of these").heading("ULP", 9).text(|flow, _| flow.ulp.map_or("", Ulp::title).to_owned());
    ios: U64 = flow.ios.ios, "I/Os: its requests, answered or not" .heading("I/Os", 9).sparse();
    failed_ios: U64 = flow.ios.failed, "I/Os that were answered but not carried out" .heading("failed", 9).sparse().tone(|_| Tone::Warning);
    unanswered_ios: U64 = flow.ios.unanswered, "I/Os without an answer";
    unexplained_bytes: U64 = flow.ios.unexplained, "Bytes that Reads and Writes moved and that belong to no request" .unit("bytes");
    first_frame: U64 = flow.first.frame, "Its first frame";
    last_frame: U64 = flow.last.frame, "Its last frame";
    from_the_start: Flag = flow.from_the_start(), "True when a SYN was captured";
    revision: U32 = [0, 1].into_iter().find_map(|place| flow.negotiation.revision(side_at(flow, place))),
        "The MPA revision, of the first setup frame" .null(NO_SETUP);
    crc: Flag = flow.negotiation.crc(), "Whether CRCs are in use" .null(NO_SETUP);
    initiator_markers: Flag = flow.negotiation.markers_from(side_at(flow, 0)),
        "Whether the initiator's stream has markers" .null(NO_SETUP);
    responder_markers: Flag = flow.negotiation.markers_from(side_at(flow, 1)),
        "Whether the responder's stream has markers" .null(NO_SETUP);
    rejected: Flag = flow.negotiation.rejected(), "True when the reply rejects the connection";
    frames: U64 = sum(flow, |side| side.tcp.frames), "Frames";
    wire_bytes: U64 = sum(flow, |side| side.tcp.wire), "Their bytes, link headers included" .unit("bytes");
    messages: U64 = flow.opcodes.total().messages, "RDMAP messages" .heading("messages", 3);
    data_bytes: U64 = flow.opcodes.data(), "Payload of Sends, Writes and Read Responses" .unit("bytes").heading("bytes", 1);
    reads: U64 = reads(flow).map(|counts| counts.completed).sum::<u64>(), "Reads that were completed";
    read_latency_p50: U64 = read_latency(flow).and_then(|latency| latency.ranks).map(|ranks| ranks[0]),
        "Median of the latencies of the Reads of the side that completed more of them" .unit("ns").null(NO_READS);
    read_latency_p99: U64 = read_latency(flow).and_then(|latency| latency.ranks).map(|ranks| ranks[2]),
        "What 99 % of them do not exceed" .unit("ns").null(NO_READS);
    initiator_requests_in_flight: U32 = flow.side(side_at(flow, 0)).most_outstanding,
        "The most requests that the initiator had in flight";
    initiator_requests_limit: U32 = flow.negotiation.depth(side_at(flow, 0)),
        "How many it may have in flight: the smaller of its ORD and the responder's IRD" .null(NO_LIMIT);
    responder_requests_in_flight: U32 = flow.side(side_at(flow, 1)).most_outstanding,
        "The most requests that the responder had in flight";
    responder_requests_limit: U32 = flow.negotiation.depth(side_at(flow, 1)),
        "How many it may have in flight: the smaller of its ORD and the initiator's IRD" .null(NO_LIMIT);
    in_flight: Text = "", "" .people("in flight", true, 11, |flow, _| in_flight(flow));
    calls: U64 = sum(flow, |side| side.calls.calls), "RPC calls";
    replies: U64 = sum(flow, |side| side.calls.replies), "Their replies";
    rpc_errors: U64 = sum(flow, |side| side.calls.errors + side.calls.refused),
        "Calls that were answered by an RDMA_ERROR, or by a reply with an RPC error";
    unanswered_calls: U64 = sum(flow, |side| side.calls.unanswered()), "Calls without an answer";
    payload_bytes: U64 = sum(flow, |side| side.tcp.payload), "TCP payload" .unit("bytes");
    retransmitted_bytes: U64 = sum(flow, |side| side.tcp.repeated), "How much of it was sent again" .unit("bytes");
    loss_time: I64 = flow.loss_time(),
        "How long loss and reordering took: while bytes were missing before later ones, and in silence before bytes were sent again"
        .unit("ns").heading("loss took", 7).text(|flow, _| loss_time(flow)).tone(|_| Tone::Warning);
    round_trip: I64 = flow.round_trip, "From its SYN to the first segment after the handshake" .unit("ns")
        .null("the handshake was not seen");
    silence: I64 = flow.silences().all().1, "How long it was silent: nothing was captured for 3 ms or more" .unit("ns");
    again: Text = "", "" .people("again", true, 7, |flow, _| again(flow)).tone(|_| Tone::Warning);
    skipped_bytes: U64 = sum(flow, DirectionCounts::skipped_bytes),
        "Bytes in no setup frame and no FPDU" .unit("bytes").heading("skipped", 6).sparse().tone(|_| Tone::Warning);
    bad_crcs: U64 = sum(flow, |side| side.with_crc(CrcVerdict::Bad)),
        "FPDUs with a bad CRC" .heading("bad CRC", 8).sparse().tone(|_| Tone::Bad);
    end: Text = <&str>::from(flow.end()), "How it ended: `rejected`, `terminate`, `reset`, `fin`, `half-closed`, `open`"
        .heading("end", 0).text(|flow, _| end(flow)).tone(end_tone);
    end_by: Text = end_side(flow.end()).map(|side| key(flow, side)), "The side that ended it: `initiator`, `responder`"
        .null("it is open, or was rejected");
    setup_only: Flag = !flow.has_fpdus(), "True when no FPDU was seen";
    tracking_end: Text = <&str>::from(flow.left),
        "Why it was not followed further: `capture-ended`, `ports-reused`, `table-full`";
    findings: U64 = flow.findings.must + flow.findings.should, "Findings of the rules; `warpscope check` lists them"
        .heading("findings", 2).sparse().tone(|flow| if flow.findings.must > 0 { Tone::Alarm } else { Tone::Warning });
    findings_must: U64 = flow.findings.must, "Those of MUST rules";
    findings_should: U64 = flow.findings.should, "Those of SHOULD rules";
}

const TIMELESS: &str = "the capture has no times";
const NO_SETUP: &str = "the setup frame was not seen";
const NO_STALL: &str = "none waited";
const NO_READS: &str = "no Read was completed";
const NO_LIMIT: &str = "the setup frames were not seen, or set none";

/// Returns the side at a place: at 0 the initiator, or the side that sent the first segment.
fn side_at(flow: &Flow, place: usize) -> Side {
    let first = flow.first_side();
    if place == 0 { first } else { first.peer() }
}

/// Returns the role of a side in data: a guess if it is not known.
fn key(flow: &Flow, side: Side) -> &'static str {
    if side == flow.first_side() { "initiator" } else { "responder" }
}

fn address(flow: &Flow, place: usize) -> String {
    flow.info.ends[side_at(flow, place).index()].to_string()
}

/// Returns the address at a place: at 0 that of the initiator, or of the side that sent the first segment. A
/// question mark marks a guess.
pub fn guessed(flow: &Flow, place: usize) -> String {
    let unsure = if flow.initiator().is_some() { "" } else { "?" };
    address(flow, place) + unsure
}

fn start(flow: &Flow, file: &InFile<'_>) -> String {
    let start =
        flow.first.time.zip(file.first_time).map(|(start, first)| start.saturating_sub(first));
    start.map(|start| format!("{:.6}", start as f64 / 1e9)).unwrap_or_default()
}

fn sum(flow: &Flow, of: fn(&DirectionCounts) -> u64) -> u64 {
    flow.sides.iter().map(of).sum()
}

fn reads(flow: &Flow) -> impl Iterator<Item = &OperationCounts> {
    let is_read = |kind| matches!(kind, OperationKind::Read | OperationKind::ReadV2);
    flow.operations.iter().filter(move |counts| is_read(counts.kind))
}

/// Percentiles of two sides cannot be added: these are of the side that read more.
fn read_latency(flow: &Flow) -> Option<Percentiles> {
    reads(flow).max_by_key(|counts| counts.completed)?.latency
}

/// Returns the share of the payload that was sent again; empty if there was none.
pub fn again(flow: &Flow) -> String {
    let (payload, repeated) = flow.payload_and_repeated();
    if repeated == 0 { String::new() } else { share(repeated, payload) }
}

/// Returns how long loss and reordering took; empty if they took no time.
pub fn loss_time(flow: &Flow) -> String {
    if flow.loss_time() == 0 { String::new() } else { span(Some(flow.loss_time())) }
}

/// Returns the most requests in flight of the side that had the most, and its limit: `4/16`.
fn in_flight(flow: &Flow) -> String {
    // The first of two equal ones.
    let most = sides(flow).into_iter().rev().max_by_key(|side| flow.side(*side).most_outstanding);
    let most =
        most.map(|side| (side, flow.side(side).most_outstanding)).filter(|(_, most)| *most > 0);
    let Some((side, most)) = most else { return String::new() };
    flow.negotiation.depth(side).map_or_else(|| most.to_string(), |limit| format!("{most}/{limit}"))
}

fn end_side(end: End) -> Option<Side> {
    match end {
        End::Terminated(side) | End::Reset(side) | End::Finished(side) | End::HalfClosed(side) => {
            Some(side)
        }
        End::Rejected | End::Open => None,
    }
}

fn end_tone(flow: &Flow) -> Tone {
    match flow.end() {
        End::Rejected | End::Terminated(_) => Tone::Bad,
        End::Reset(_) | End::HalfClosed(_) => Tone::Warning,
        End::Finished(_) | End::Open => Tone::Plain,
    }
}

/// A side of a connection, and what it sent.
#[derive(Debug)]
pub struct SideRow {
    role: &'static str,
    end: Endpoint,
    counts: DirectionCounts,
    negotiation: Negotiation,
    side: Side,
}

columns! {
    /// The columns of a connection's sides.
    SIDES: SideRow, |row|
    role: Text = row.role, "`initiator` or `responder`";
    address: Text = row.end.address.to_string(), "Its IP address";
    port: U32 = row.end.port, "Its TCP port";
    frames: U64 = row.counts.tcp.frames, "Frames that it sent";
    wire_bytes: U64 = row.counts.tcp.wire, "Their bytes, link headers included" .unit("bytes");
    payload_bytes: U64 = row.counts.tcp.payload, "TCP payload" .unit("bytes");
    retransmitted_bytes: U64 = row.counts.tcp.repeated, "How much of it was sent again" .unit("bytes");
    retransmitted_segments: U64 = row.counts.tcp.repeated_segments, "TCP segments with bytes that were sent again";
    out_of_order_segments: U64 = row.counts.tcp.out_of_order, "TCP segments that arrived before bytes that precede them";
    needless_bytes: U64 = row.counts.tcp.needless,
        "Bytes that were sent again needlessly: the other end says that it already had them (RFC 2883)" .unit("bytes");
    stalls: U64 = row.counts.tcp.stalls.times, "How often later bytes waited for what was missing before them, until it arrived";
    stall_time: I64 = row.counts.tcp.stalls.total, "How long in total" .unit("ns");
    stall_overtaken: I64 = row.counts.tcp.overtaken,
        "How much of that time was for bytes that, by the TCP timestamps, were only overtaken in transit and not lost" .unit("ns");
    stall_longest: I64 = row.counts.tcp.stalls.longest.map(|it| it.0), "The longest of these times" .unit("ns").null(NO_STALL);
    stall_longest_frame: U64 = row.counts.tcp.stalls.longest.map(|it| it.1), "The frame that ended it" .null(NO_STALL);
    syn: U64 = frame(row.counts.tcp.syn), "The frame of its first SYN" .null("none was seen");
    fin: U64 = frame(row.counts.tcp.fin), "The frame of its first FIN" .null("none was seen");
    rst: U64 = frame(row.counts.tcp.reset), "The frame of its first RST" .null("none was seen");
    fpdus: U64 = row.counts.fpdus(), "FPDUs";
    markers: Flag = row.negotiation.markers_from(row.side), "Whether its stream has markers" .null(NO_SETUP);
    bad_crcs: U64 = row.counts.with_crc(CrcVerdict::Bad), "FPDUs with a bad CRC";
    unchecked_crcs: U64 = row.counts.with_crc(CrcVerdict::Unchecked), "FPDUs whose CRC could not be checked";
    wrong_markers: U64 = row.counts.marker_mismatches, "FPDUs with a marker that points elsewhere";
    requests_in_flight: U32 = row.counts.most_outstanding, "The most requests that it had in flight";
    requests_limit: U32 = row.negotiation.depth(row.side), "How many it may have in flight" .null(NO_LIMIT);
    requests_over_limit: U64 = row.counts.over_depth, "Requests beyond the limit";
    calls: U64 = row.counts.calls.calls, "RPC calls that it made";
    replies: U64 = row.counts.calls.replies, "Replies to them";
    refused_calls: U64 = row.counts.calls.refused, "Replies with an RPC error";
    failed_calls: U64 = row.counts.calls.errors, "Calls that were answered by an RDMA_ERROR";
    unanswered_calls: U64 = row.counts.calls.unanswered(), "Calls without an answer";
    unmatched_replies: U64 = row.counts.calls.unmatched, "Answers to calls that were not seen";
    credits_asked_least: U32 = least(row.counts.calls.credits_asked), "The fewest credits that a call asks for" .null(NO_CALLS);
    credits_asked_most: U32 = most(row.counts.calls.credits_asked), "The most" .null(NO_CALLS);
    credits_granted_least: U32 = least(row.counts.calls.credits_granted), "The fewest that a reply grants" .null(NO_REPLIES);
    credits_granted_most: U32 = most(row.counts.calls.credits_granted), "The most" .null(NO_REPLIES);
    calls_in_flight: U32 = row.counts.calls.most_in_flight, "The most calls that it had in flight";
    calls_over_grant: U64 = row.counts.calls.over_grant, "Calls beyond the credits granted";
}

const NO_CALLS: &str = "no call was seen";
const NO_REPLIES: &str = "no reply was seen";

fn frame(mark: Option<Mark>) -> Option<u64> {
    mark.map(|mark| mark.frame)
}

pub(super) fn least(range: Option<Range>) -> Option<u32> {
    range.map(|range| range.least)
}

pub(super) fn most(range: Option<Range>) -> Option<u32> {
    range.map(|range| range.most)
}

/// A setup frame.
#[derive(Debug)]
pub struct SetupRow {
    from: &'static str,
    seen: SetupFacts,
}

columns! {
    /// The columns of setup frames.
    SETUP_FRAMES: SetupRow, |row|
    from: Text = row.from, "The side that sent it: `initiator` or `responder`";
    role: Text = match row.seen.role { Role::Request => "request", Role::Reply => "reply" }, "`request` or `reply`";
    revision: U32 = row.seen.revision, "The MPA revision";
    crc: Flag = row.seen.crc, "Whether it asks for CRCs";
    markers: Flag = row.seen.markers, "Whether it asks for markers";
    private_data_length: U32 = row.seen.private_data_length,
        "PD_Length, including the four bytes of enhanced data" .unit("bytes");
    ird: U32 = row.seen.enhanced.map(|it| it.ird).filter(|ird| *ird != NOT_NEGOTIATED), "IRD" .null(NOT_ENHANCED);
    ord: U32 = row.seen.enhanced.map(|it| it.ord).filter(|ord| *ord != NOT_NEGOTIATED), "ORD" .null(NOT_ENHANCED);
    peer_to_peer: Flag = row.seen.enhanced.map(|it| it.peer_to_peer), "Whether it asks for peer-to-peer mode"
        .null("it has no enhanced data");
    ready_to_receive: Text = row.seen.enhanced.map(|it| ready_to_receive(&it).join(" ")),
        "Kinds of Ready-To-Receive message that it names: `Send`, `Write`, `Read`" .null("it has no enhanced data");
    send_size: U32 = row.seen.rdma_private.map(|it| it.send_size), "RPC-over-RDMA: inline sends (RFC 8797)"
        .unit("bytes").null(NO_SIZES);
    receive_size: U32 = row.seen.rdma_private.map(|it| it.receive_size), "RPC-over-RDMA: inline receives"
        .unit("bytes").null(NO_SIZES);
    remote_invalidation: Flag = row.seen.rdma_private.map(|it| it.remote_invalidation),
        "RPC-over-RDMA: whether remote invalidation is supported" .null(NO_SIZES);
}

const NOT_ENHANCED: &str = "it has no enhanced data, or this is not negotiated";
const NO_SIZES: &str = "it has no private data of RPC-over-RDMA";

/// Returns the kinds of Ready-To-Receive message named by enhanced data.
pub fn ready_to_receive(enhanced: &EnhancedSeen) -> Vec<&'static str> {
    let kinds =
        [(enhanced.rtr_send, "Send"), (enhanced.rtr_write, "Write"), (enhanced.rtr_read, "Read")];
    kinds.into_iter().filter(|(set, _)| *set).map(|(_, name)| name).collect()
}

/// A Terminate.
#[derive(Debug)]
pub struct TerminateRow {
    from: &'static str,
    seen: TerminateSeen,
}

columns! {
    /// The columns of Terminates: the first of each side.
    TERMINATES: TerminateRow, |row|
    from: Text = row.from, "The side that sent it: `initiator` or `responder`";
    frame: U64 = row.seen.mark.frame, "Its frame";
    layer: U32 = row.seen.error.map(|error| error.0), "Layer (RFC 5040 section 4.8)" .null(CUT);
    error_type: U32 = row.seen.error.map(|error| error.1), "Error Type" .null(CUT);
    error_code: U32 = row.seen.error.map(|error| error.2), "Error Code" .null(CUT);
    meaning: Text = row.seen.error.map(|(layer, kind, code)| meaning(layer, kind, code)), "What it says" .null(CUT);
    explanation: Text = row.seen.explanation.clone(), "Why it was sent, in a sentence" .null(CUT);
}

const CUT: &str = "it cannot be read";

/// Bytes of a side that belong to no setup frame and no FPDU.
#[derive(Debug)]
pub struct SkippedRow {
    from: &'static str,
    reason: SkipReason,
    skips: Skips,
}

columns! {
    /// The columns of skipped bytes.
    SKIPPED: SkippedRow, |row|
    from: Text = row.from, "The side that sent them: `initiator` or `responder`";
    reason: Text = skip_reason(row.reason),
        "`not-captured`, `snapshot-length`, `buffer-limit`, `no-boundary`, `before-boundary`, `after-setup`, `unfinished`";
    times: U64 = row.skips.times, "How often";
    bytes: U64 = row.skips.bytes, "How many" .unit("bytes");
}

fn skip_reason(reason: SkipReason) -> &'static str {
    match reason {
        SkipReason::Gap(reason) => reason.into(),
        reason => reason.into(),
    }
}

/// Silences of a connection with the same cause.
#[derive(Debug)]
pub struct SilenceRow {
    awaited: Awaited,
    of: &'static str,
    waits: Waits,
}

columns! {
    /// The columns of silences.
    SILENCES: SilenceRow, |row|
    awaited: Text = <&str>::from(row.awaited),
        "What was waited for: `missing-bytes`, `repetition`, `acknowledgment`, `data`; `nothing` where no message and no request was under way";
    of: Text = row.of, "Of which side: `initiator` or `responder`; for `nothing`, the side that ended it";
    times: U64 = row.waits.times, "How often";
    time: I64 = row.waits.total, "How long in total" .unit("ns");
    longest: I64 = row.waits.longest.map(|it| it.0), "The longest" .unit("ns").null(NO_STALL);
    longest_frame: U64 = row.waits.longest.map(|it| it.1), "The frame that ended it" .null(NO_STALL);
}

/// A connection as a JSON object: its columns, and its nested tables.
pub struct FlowObject<'a>(pub &'a Flow);

impl Serialize for FlowObject<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        entries(FLOWS, self.0, &mut map)?;
        for (name, table) in nested(self.0) {
            map.serialize_entry(name, &table)?;
        }
        map.end()
    }
}

/// Returns a connection's nested tables, with their names.
pub(super) fn nested(flow: &Flow) -> [(&'static str, Table); 7] {
    let both = sides(flow).map(|side| (side, key(flow, side)));
    let setup = |(side, from): (Side, &'static str)| {
        flow.negotiation.seen(side).map(|seen| SetupRow { from, seen: *seen })
    };
    let setups: Vec<SetupRow> = both.into_iter().filter_map(setup).collect();
    let terminate =
        |seen: &TerminateSeen| TerminateRow { from: key(flow, seen.by), seen: seen.clone() };
    let terminates: Vec<TerminateRow> = flow.terminates.iter().map(terminate).collect();
    let operation = |counts: &OperationCounts| LatencyRow::of(counts, key(flow, counts.requester));
    let operations: Vec<LatencyRow> = flow.operations.iter().map(operation).collect();
    let rows = both.map(|(side, role)| SideRow {
        role,
        end: flow.info.ends[side.index()],
        counts: flow.side(side).clone(),
        negotiation: flow.negotiation,
        side,
    });
    let skipped = both.iter().flat_map(|(side, from)| {
        let skipped = flow.side(*side).skipped.iter();
        skipped.map(|(reason, skips)| SkippedRow { from, reason: *reason, skips: *skips })
    });
    let skipped: Vec<SkippedRow> = skipped.collect();
    let silences = flow.silences().by_time().into_iter();
    let silences =
        silences.map(|(awaited, side, waits)| SilenceRow { awaited, of: key(flow, side), waits });
    let silences: Vec<SilenceRow> = silences.collect();
    [
        ("setup_frames", Table::of(SETUP_FRAMES, &setups)),
        ("terminates", Table::of(TERMINATES, &terminates)),
        ("opcodes", Table::of(OPCODES, &OpcodeRow::of(&flow.opcodes, both))),
        ("operations", Table::of(LATENCIES, &operations)),
        ("sides", Table::of(SIDES, &rows)),
        ("skipped", Table::of(SKIPPED, &skipped)),
        ("silences", Table::of(SILENCES, &silences)),
    ]
}
