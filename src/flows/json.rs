//! `--format json`: everything about each connection. docs/statistics.md describes it.

use super::format;
use super::run::Print;
use crate::counts_json::{OpcodeRow, OperationRow, opcodes, operation};
use crate::decoding::Scanned;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{self, Write};
use warpscope_dissector::format::sides;
use warpscope_dissector::mpa::{CrcVerdict, Negotiation, Side};
use warpscope_dissector::operation::meaning;
use warpscope_dissector::statistics::{Calls, End, Flow, Flows, Mark, Range, TcpSide};
use warpscope_wire::mpa::{NOT_NEGOTIATED, Role};

/// Files, each with its flows; written as they come.
#[derive(Debug, Default)]
pub(super) struct Json {
    followed: bool,
}

impl Print for Json {
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        write!(out, "{{\"files\":[")
    }

    fn file(&mut self, scanned: &Scanned, flows: &Flows, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}", if std::mem::replace(&mut self.followed, true) { "," } else { "" })?;
        let head = FileHead {
            file: &scanned.name,
            frames: scanned.frames,
            error: scanned.error.as_deref(),
            first_time: flows.first_time(),
            other_connections: flows.others(),
            omitted_flows: flows.omitted(),
        };
        let head = serde_json::to_string(&head)?;
        write!(out, "{},\"flows\":[", head.trim_end_matches('}'))?;
        for (index, flow) in flows.flows().enumerate() {
            writeln!(out, "{}", if index > 0 { "," } else { "" })?;
            serde_json::to_writer(&mut *out, &object(flow))?;
        }
        write!(out, "]}}")
    }

    fn end(&mut self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "]}}")
    }
}

#[derive(Serialize)]
struct FileHead<'a> {
    file: &'a str,
    frames: u64,
    error: Option<&'a str>,
    first_time: Option<i64>,
    other_connections: u64,
    omitted_flows: u64,
}

#[derive(Serialize)]
struct FlowObject {
    flow: u32,
    roles_known: bool,
    initiator: String,
    responder: String,
    first: Place,
    last: Place,
    duration: Option<i64>,
    from_the_start: bool,
    setup: Setup,
    end: Ending,
    opcodes: Vec<OpcodeRow>,
    operations: Vec<OperationRow>,
    sides: BTreeMap<&'static str, SideObject>,
    findings: Findings,
}

#[derive(Serialize)]
struct Place {
    frame: u64,
    time: Option<i64>,
}

#[derive(Serialize)]
struct Setup {
    crc: Option<bool>,
    rejected: bool,
    initiator: Option<SetupFrame>,
    responder: Option<SetupFrame>,
}

#[derive(Serialize)]
struct SetupFrame {
    role: &'static str,
    revision: u8,
    crc: bool,
    markers: bool,
    private_data_length: u16,
    enhanced: Option<Enhanced>,
    rpc_over_rdma: Option<RpcSizes>,
}

#[derive(Serialize)]
struct Enhanced {
    ird: Option<u16>,
    ord: Option<u16>,
    peer_to_peer: bool,
    ready_to_receive: Vec<&'static str>,
}

#[derive(Serialize)]
struct RpcSizes {
    send_size: u32,
    receive_size: u32,
    remote_invalidation: bool,
}

#[derive(Serialize)]
struct Ending {
    kind: &'static str,
    by: Option<&'static str>,
    setup_only: bool,
    left: &'static str,
    terminates: Vec<TerminateObject>,
}

#[derive(Serialize)]
struct TerminateObject {
    by: &'static str,
    frame: u64,
    layer: Option<u8>,
    error_type: Option<u8>,
    error_code: Option<u8>,
    meaning: Option<String>,
}

#[derive(Serialize)]
struct SideObject {
    address: String,
    port: u16,
    frames: u64,
    wire_bytes: u64,
    payload_bytes: u64,
    repeated_bytes: u64,
    repeated_segments: u64,
    out_of_order_segments: u64,
    syn: Option<u64>,
    fin: Option<u64>,
    rst: Option<u64>,
    fpdus: u64,
    sends_markers: Option<bool>,
    bad_crcs: u64,
    unchecked_crcs: u64,
    wrong_markers: u64,
    skipped: Vec<Skipped>,
    requests_limit: Option<u16>,
    most_requests: u32,
    requests_over_limit: u64,
    rpc: Option<Rpc>,
}

#[derive(Serialize)]
struct Skipped {
    reason: &'static str,
    times: u64,
    bytes: u64,
}

#[derive(Serialize)]
struct Rpc {
    calls: u64,
    replies: u64,
    refused: u64,
    errors: u64,
    unanswered: u64,
    unmatched: u64,
    credits_asked: Option<[u32; 2]>,
    credits_granted: Option<[u32; 2]>,
    most_in_flight: u32,
    calls_over_grant: u64,
}

#[derive(Serialize)]
struct Findings {
    must: u64,
    should: u64,
}

fn object(flow: &Flow) -> FlowObject {
    let [one, other] = sides(flow);
    let places = [one, other].map(|side| format::address(flow, side));
    let [initiator, responder] = places;
    let of = |side: Side| key(flow, side);
    let place = |mark: Mark| Place { frame: mark.frame, time: mark.time };
    let opcodes = opcodes(&flow.opcodes, [one, other].map(|side| (side, of(side))));
    let operations = flow.operations.iter();
    let operations = operations.map(|counts| operation(counts, of(counts.requester))).collect();
    FlowObject {
        flow: flow.info.number,
        roles_known: flow.initiator().is_some(),
        initiator,
        responder,
        first: place(flow.first),
        last: place(flow.last),
        duration: flow.duration(),
        from_the_start: flow.from_the_start(),
        setup: setup(&flow.negotiation, one),
        end: ending(flow),
        opcodes,
        operations,
        sides: [one, other].into_iter().map(|side| (of(side), side_object(flow, side))).collect(),
        findings: Findings { must: flow.findings.must, should: flow.findings.should },
    }
}

/// The name of a side in the output: its role, guessed where it is not known.
fn key(flow: &Flow, side: Side) -> &'static str {
    if side == flow.first_side() { "initiator" } else { "responder" }
}

fn setup(negotiation: &Negotiation, initiator: Side) -> Setup {
    let frame = |side: Side| {
        negotiation.seen(side).map(|seen| SetupFrame {
            role: match seen.role {
                Role::Request => "request",
                Role::Reply => "reply",
            },
            revision: seen.revision,
            crc: seen.crc,
            markers: seen.markers,
            private_data_length: seen.private_data_length,
            enhanced: seen.enhanced.map(|enhanced| Enhanced {
                ird: (enhanced.ird != NOT_NEGOTIATED).then_some(enhanced.ird),
                ord: (enhanced.ord != NOT_NEGOTIATED).then_some(enhanced.ord),
                peer_to_peer: enhanced.peer_to_peer,
                ready_to_receive: format::ready_to_receive(&enhanced),
            }),
            rpc_over_rdma: seen.rdma_private.map(|private| RpcSizes {
                send_size: private.send_size,
                receive_size: private.receive_size,
                remote_invalidation: private.remote_invalidation,
            }),
        })
    };
    Setup {
        crc: negotiation.crc(),
        rejected: negotiation.rejected(),
        initiator: frame(initiator),
        responder: frame(initiator.peer()),
    }
}

fn ending(flow: &Flow) -> Ending {
    let end: End = flow.end();
    let terminates = flow.terminates.iter().map(|terminate| TerminateObject {
        by: key(flow, terminate.by),
        frame: terminate.mark.frame,
        layer: terminate.error.map(|error| error.0),
        error_type: terminate.error.map(|error| error.1),
        error_code: terminate.error.map(|error| error.2),
        meaning: terminate.error.map(|(layer, kind, code)| meaning(layer, kind, code)),
    });
    Ending {
        kind: format::end_kind(end),
        by: format::end_side(end).map(|side| key(flow, side)),
        setup_only: !flow.has_fpdus(),
        left: format::left(flow.left),
        terminates: terminates.collect(),
    }
}

fn side_object(flow: &Flow, side: Side) -> SideObject {
    let direction = flow.side(side);
    let tcp: &TcpSide = &direction.tcp;
    let end = flow.info.ends[side.index()];
    let frame = |mark: Option<Mark>| mark.map(|mark| mark.frame);
    let skipped = direction.skipped.iter().map(|(reason, skips)| Skipped {
        reason: format::reason(*reason),
        times: skips.times,
        bytes: skips.bytes,
    });
    SideObject {
        address: end.address.to_string(),
        port: end.port,
        frames: tcp.frames,
        wire_bytes: tcp.wire,
        payload_bytes: tcp.payload,
        repeated_bytes: tcp.repeated,
        repeated_segments: tcp.repeated_segments,
        out_of_order_segments: tcp.out_of_order,
        syn: frame(tcp.syn),
        fin: frame(tcp.fin),
        rst: frame(tcp.reset),
        fpdus: direction.fpdus(),
        sends_markers: flow.negotiation.markers_from(side),
        bad_crcs: direction.with_crc(CrcVerdict::Bad),
        unchecked_crcs: direction.with_crc(CrcVerdict::Unchecked),
        wrong_markers: direction.marker_mismatches,
        skipped: skipped.collect(),
        requests_limit: flow.negotiation.depth(side),
        most_requests: direction.most_outstanding,
        requests_over_limit: direction.over_depth,
        rpc: direction.calls.any().then(|| rpc(&direction.calls)),
    }
}

fn rpc(calls: &Calls) -> Rpc {
    let range = |range: Option<Range>| range.map(|range| [range.least, range.most]);
    Rpc {
        calls: calls.calls,
        replies: calls.replies,
        refused: calls.refused,
        errors: calls.errors,
        unanswered: calls.unanswered(),
        unmatched: calls.unmatched,
        credits_asked: range(calls.credits_asked),
        credits_granted: range(calls.credits_granted),
        most_in_flight: calls.most_in_flight,
        calls_over_grant: calls.over_grant,
    }
}
