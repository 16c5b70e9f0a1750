//! The tables of messages, operations and RPCs, as written by `warpscope export`.

use super::captures::{FindingRecord, LatencyRecord};
use super::column::{Value, columns};
use crate::operation::Outcome;
use crate::record::{MessageRecord, OperationRecord, RpcPart, RpcRecord, RpcStatus, Target};
use warpscope_wire::rpc::accept_status_name;
use warpscope_wire::rpcrdma::procedure_name;

/// Declares the columns of records, after those for connection and direction.
macro_rules! record_columns {
    ($(#[$meta:meta])* $name:ident: $record:ty, |$row:ident| $connection:expr, $from:expr; $($columns:tt)*) => {
        columns! {
            $(#[$meta])* $name: $record, |$row|
            file: Text = Value::Null, "The capture file, as it was named on the command line"
                .in_file(|_, file| file.name.to_owned().into());
            connection: U32 = $connection.number,
                "The number of the TCP connection in its capture, from 0 (`tcp.stream`)";
            source: Text = $connection.ends[$from.index()].address.to_string(),
                "IP address of the sender; of the requester of an operation; of the caller of an RPC; of the side that sent what a rule judges";
            source_port: U32 = $connection.ends[$from.index()].port, "Its TCP port";
            destination: Text = $connection.ends[$from.peer().index()].address.to_string(),
                "IP address of the other end";
            destination_port: U32 = $connection.ends[$from.peer().index()].port, "Its TCP port";
            $($columns)*
        }
    };
}

pub(super) use record_columns;

const UNREADABLE: &str = "the DDP header cannot be read";
const TAGGED: &str = "the message is untagged, or its header cannot be read";
const UNTAGGED: &str = "the message is tagged, or its header cannot be read";
const COMPLETED_LATE: &str = "the capture has no times, or the message was found only at its end";
const NO_TRANSPORT: &str = "the message carries no RPC-over-RDMA";
const NO_REGION: &str = "the request names no memory";
const NO_SINK: &str = "the operation is not a Read";
pub(super) const UNSEGMENTED: &str = "it came in one segment, or the capture has no times";
const UNANSWERED: &str = "no response was seen";
const TIMELESS: &str = "the capture has no times";
const NO_CALL: &str = "the call was not seen";
const NO_HEADER: &str = "the call's RPC header was not seen or cannot be read";
const NO_REPLY: &str = "no reply was seen";

record_columns! {
    /// The columns of RDMAP messages.
    MESSAGES: MessageRecord, |record| record.connection, record.sender;
    number: U64 = record.number, "The message's number among those of its direction, from 1";
    message: Text = record.message.map(|message| message.info().name),
        "What it is, such as `Read Request`" .null("the opcode is not known, or the DDP header cannot be read");
    opcode: U32 = record.opcode, "Its RDMAP opcode (RFC 5040 section 4.1)" .null(UNREADABLE);
    first_frame: U64 = record.first_frame, "The first frame with bytes of it";
    last_frame: U64 = record.last_frame, "The frame that completed its last segment seen";
    first_time: Time = record.first_time,
        "When the frame was captured that completed its first segment" .unit("ns").null(COMPLETED_LATE);
    last_time: Time = record.last_time, "When `last_frame` was captured" .unit("ns").null(COMPLETED_LATE);
    segments: U32 = record.segments, "DDP segments seen";
    bytes: U64 = record.bytes, "Payload in them" .unit("bytes");
    complete: Flag = record.whole, "False when a segment is missing or cut";
    steering_tag: U32 = tagged(record).map(|(tag, _)| tag), "Steering Tag (STag)" .null(TAGGED);
    tagged_offset: U64 = tagged(record).map(|(_, offset)| offset),
        "Tagged Offset (TO) of the first segment seen" .null(TAGGED);
    queue_number: U32 = untagged(record).map(|(queue, ..)| queue), "Queue Number (QN)" .null(UNTAGGED);
    message_sequence_number: U32 = untagged(record).map(|(_, sequence, _)| sequence),
        "Message Sequence Number (MSN)" .null(UNTAGGED);
    invalidated_steering_tag: U32 = untagged(record).and_then(|(.., invalidated)| invalidated),
        "The STag that its receiver is to invalidate" .null("the message invalidates nothing");
    crc: Text = record.crc.describe().to_lowercase(),
        "The worst verdict on the CRCs of its segments: `good`, `bad`, `not in use`, `unknown` or `unchecked`";
    marker_mismatch: Flag = record.marker_mismatch, "True when a marker in it does not point at its FPDU";
    operation: U64 = record.operation,
        "The number of its operation: `number` in the table of operations"
        .null("the opcode is not known, or its operation was not seen");
    request_frame: U64 = record.request_frame,
        "The frame of the request that it answers" .null("it is not a response, or the request was not seen");
    transport: Text = record.transport.map(|(procedure, _)| transport(procedure)).unwrap_or(Value::Null),
        "The procedure of the RPC-over-RDMA header, such as `RDMA_MSG`" .null(NO_TRANSPORT);
    xid: U32 = record.transport.map(|(_, xid)| xid), "Transaction ID (XID) in that header" .null(NO_TRANSPORT);
}

record_columns! {
    /// The columns of operations.
    OPERATIONS: OperationRecord, |record| record.connection, record.operation.requester;
    number: U64 = record.operation.number,
        "The operation's number in its connection, from 1, in the order of their first segments";
    kind: Text = record.operation.kind.name(), "What it does, such as `Read`";
    message: Text = record.operation.message.info().name,
        "The message that begins it, such as `Send with SE`; for an unsolicited response, that response";
    outcome: Text = record.operation.outcome.word(),
        "`completed`, `unanswered`, `lost` (its response was not captured) or `refused` (a Terminate names it)";
    unsolicited: Flag = record.unsolicited,
        "True for a response that answers no request that was seen; the request columns describe it";
    complete: Flag = record.operation.whole, "False when part of it was not captured";
    request_message: U64 = record.operation.request.message,
        "The number of the request, or of the one message, among those of its direction";
    request_first_frame: U64 = record.operation.request.first_frame, "The frame that completed its first segment";
    request_last_frame: U64 = record.operation.request.last_frame, "The frame that completed its last segment";
    request_first_time: Time = record.operation.request.first_time,
        "When `request_first_frame` was captured" .unit("ns").null(TIMELESS);
    request_last_time: Time = record.operation.request.last_time,
        "When `request_last_frame` was captured" .unit("ns").null(TIMELESS);
    request_segments: U32 = record.operation.request.segments, "DDP segments of the request";
    request_bytes: U64 = record.operation.request.bytes, "Payload of the request" .unit("bytes");
    response_message: U64 = record.operation.response.as_ref().map(|span| span.message),
        "The number of the response among the messages of its direction" .null(UNANSWERED);
    response_first_frame: U64 = record.operation.response.as_ref().map(|span| span.first_frame),
        "The frame that completed its first segment" .null(UNANSWERED);
    response_last_frame: U64 = record.operation.response.as_ref().map(|span| span.last_frame),
        "The frame that completed its last segment seen" .null(UNANSWERED);
    response_first_time: Time = record.operation.response.as_ref().and_then(|span| span.first_time),
        "When `response_first_frame` was captured" .unit("ns").null(UNANSWERED);
    response_last_time: Time = record.operation.response.as_ref().and_then(|span| span.last_time),
        "When `response_last_frame` was captured" .unit("ns").null(UNANSWERED);
    response_segments: U32 = record.operation.response.as_ref().map(|span| span.segments),
        "DDP segments of the response" .null(UNANSWERED);
    response_bytes: U64 = record.operation.response.as_ref().map(|span| span.bytes),
        "Payload of the response" .unit("bytes").null(UNANSWERED);
    bytes: U64 = record.operation.bytes(),
        "User data that it moved: the response's for a request, otherwise its own" .unit("bytes");
    retransmitted_bytes: U64 = record.operation.carrier().repeated,
        "Bytes that TCP sent again in the direction of the bytes moved, while they were under way" .unit("bytes");
    pause: I64 = record.operation.carrier().pause.map(|pause| pause.length),
        "The longest time between two segments of the data moved" .unit("ns").null(UNSEGMENTED);
    pause_frame: U64 = record.operation.carrier().pause.map(|pause| pause.frame),
        "The frame that ended it" .null(UNSEGMENTED);
    pause_missed: U32 = record.operation.carrier().pause.map(|pause| pause.missed),
        "Bytes of the TCP stream that were missing in that time, while later ones had arrived" .unit("bytes").null(UNSEGMENTED);
    pause_waited: I64 = record.operation.carrier().pause.map(|pause| pause.waited),
        "For how much of that time later ones had arrived" .unit("ns").null(UNSEGMENTED);
    remote_steering_tag: U32 = record.operation.remote.as_ref().map(|region| region.steering_tag),
        "STag of the other side's memory that it reads, writes or acts on" .null(NO_REGION);
    remote_tagged_offset: U64 = record.operation.remote.as_ref().map(|region| region.tagged_offset),
        "TO of that memory's first byte" .null(NO_REGION);
    remote_length: U64 = record.operation.remote.as_ref().map(|region| region.length),
        "Length of that memory" .unit("bytes").null(NO_REGION);
    sink_steering_tag: U32 = record.operation.sink.as_ref().map(|region| region.steering_tag),
        "STag of the requester's memory that the response goes to" .null(NO_SINK);
    sink_tagged_offset: U64 = record.operation.sink.as_ref().map(|region| region.tagged_offset),
        "TO of that memory's first byte" .null(NO_SINK);
    identifier: U32 = record.operation.identifier, "Request Identifier" .null("the operation is not an Atomic");
    expected_bytes: U64 = record.operation.expected,
        "Bytes that the response must have" .unit("bytes").null("the request does not say");
    depth: U32 = record.operation.depth,
        "Requests of its side that waited for a response when it was sent, itself included; 0 when it waits for none";
    depth_limit: U32 = record.depth_limit,
        "Requests that its side may have outstanding: the smaller of its ORD and the other side's IRD"
        .null("the setup frames were not seen, or set none");
    overtook: U32 = record.operation.overtook, "Earlier requests that were still unanswered when its response began";
    latency: I64 = record.operation.latency().filter(|_| record.operation.outcome == Outcome::Completed),
        "From the request's last segment to the response's last; without a response, from its first segment to its last"
        .unit("ns").null("it was not completed, or the capture has no times");
    first_byte: I64 = record.operation.first_byte(),
        "From the request's last segment to the response's first" .unit("ns").null(UNANSWERED);
    refused_by: U64 = record.refused_by,
        "The number of the operation of the Terminate that refused it" .null("no Terminate refused it");
    cause_frame: U64 = record.cause_frame,
        "The frame of the segment that the Terminate refuses"
        .null("it is not a Terminate, or what it refuses was not found");
    explanation: Text = record.explanation.clone(),
        "What the Terminate says, in a sentence" .null("it is not a Terminate, or it cannot be read");
}

record_columns! {
    /// The columns of RPC-over-RDMA calls with their replies.
    RPCS: RpcRecord, |record| record.connection, record.caller;
    exchange: U64 = record.exchange,
        "The call's number in its connection, from 1 in the order of the calls' Sends" .null(NO_CALL);
    xid: U32 = record.xid, "Transaction ID (XID)";
    reverse_direction: Flag = record.backward, "True when the connection's responder is the caller (RFC 8167)";
    program: U32 = record.program.map(|(program, ..)| program), "RPC program" .null(NO_HEADER);
    program_version: U32 = record.program.map(|(_, version, _)| version), "Its version" .null(NO_HEADER);
    procedure: U32 = record.program.map(|(.., procedure)| procedure), "Its procedure" .null(NO_HEADER);
    program_name: Text = record.program_name().map_or(Value::Null, Value::from),
        "The program's name, such as `NFS`"
        .null("the program is not known here, or the call's RPC header was not seen or cannot be read");
    procedure_name: Text = record.procedure_name().map_or(Value::Null, Value::from),
        "The procedure's name, such as `READ`; for a compound of NFS version 4, the operation that it is about"
        .null("the procedure is not known here, or the call's RPC header was not seen or cannot be read");
    call_frame: U64 = record.call.as_ref().map(|part| part.frame),
        "The frame that completed the call's Send" .null(NO_CALL);
    call_time: Time = record.call.as_ref().and_then(|part| part.time),
        "When that was captured" .unit("ns").null("the call was not seen, or the capture has no times");
    call_transport: Text = transport_of(&record.call),
        "The procedure of the call's transport header, such as `RDMA_MSG`" .null(NO_CALL);
    call_bytes: U64 = record.call.as_ref().map(|part| part.bytes),
        "The call's RPC message, with its read chunks put in place" .unit("bytes").null(NO_CALL);
    call_complete: Flag = record.call.as_ref().map(|part| part.whole),
        "False when part of the call was not captured" .null(NO_CALL);
    call_completed_frame: U64 = record.call_completed,
        "The frame that completed the call with its read chunks"
        .null("the call was not seen, or not all of its read chunks were read");
    credits_asked: U32 = record.call.as_ref().map(|part| part.credits),
        "Credits that the call asks for" .null(NO_CALL);
    in_flight: U32 = record.in_flight,
        "Calls of that side without a reply when it was sent, itself included" .null(NO_CALL);
    reply_frame: U64 = record.reply.as_ref().map(|part| part.frame),
        "The frame that completed the reply's Send" .null(NO_REPLY);
    reply_time: Time = record.reply.as_ref().and_then(|part| part.time),
        "When that was captured" .unit("ns").null("no reply was seen, or the capture has no times");
    reply_transport: Text = transport_of(&record.reply),
        "The procedure of the reply's transport header" .null(NO_REPLY);
    reply_bytes: U64 = record.reply.as_ref().map(|part| part.bytes),
        "The reply's RPC message without write chunks; 0 for an RDMA_ERROR" .unit("bytes").null(NO_REPLY);
    reply_complete: Flag = record.reply.as_ref().map(|part| part.whole),
        "False when part of the reply was not captured" .null(NO_REPLY);
    credits_granted: U32 = record.reply.as_ref().map(|part| part.credits),
        "Credits that the reply grants" .null(NO_REPLY);
    status: Text = record.status.map_or(Value::Null, status),
        "What the reply says: an accept status such as `SUCCESS`, `RPC_MISMATCH`, `AUTH_ERROR`, `RDMA_ERROR`, or `unreadable`"
        .null(NO_REPLY);
    latency: I64 = record.latency,
        "From the call's Send to the reply's"
        .unit("ns").null("call or reply was not seen, or the capture has no times");
    read_chunks: U32 = record.chunks.reads, "RDMA segments in the call's read list";
    read_bytes: U64 = record.chunks.read_bytes, "Bytes that the responder read from them" .unit("bytes");
    write_chunks: U32 = record.chunks.writes, "RDMA segments in the write list";
    write_bytes: U64 = record.chunks.write_bytes, "Bytes that the responder wrote to them" .unit("bytes");
    reply_chunk_bytes: U64 = record.chunks.reply_bytes,
        "Bytes that the responder wrote to the reply chunk" .unit("bytes");
}

record_columns! {
    /// The columns of findings.
    FINDINGS: FindingRecord, |record| record.finding.place.connection, record.finding.place.side;
    source_role: Text = record.role(), "What `source` was in the setup: `initiator` or `responder`"
        .null("no setup frame was seen");
    frame: U64 = record.finding.place.frame,
        "The frame that completed what the rule judges; for what is missing, the last frame that was seen of it";
    time: Time = record.finding.place.time, "When that was captured" .unit("ns").null("the capture has no times, or the finding was made only at its end");
    rule: Text = record.finding.rule.id, "The rule; `warpscope rules show` explains it";
    level: Text = <&str>::from(record.finding.rule.level), "`MUST` or `SHOULD`";
    section: Text = record.finding.rule.section(), "The section that demands it";
    requirement: Text = record.finding.rule.requirements.first().copied(), "The requirement that it breaks"
        .null("the rule names none");
    at_fault: Text = record.at_fault(), "The side at fault: `source` or `destination`"
        .null("the rule and the capture do not say which");
    stream_offset: U64 = record.finding.place.stream_offset,
        "Its place in the stream of `source`, from the first byte" .unit("bytes").null("it has none");
    message: U64 = record.finding.place.message,
        "The number of its message: `number` in the table of messages" .null("it is in no message");
    explanation: Text = record.finding.explanation.clone(), "What was seen and what was expected, in a sentence";
}

record_columns! {
    /// The columns of latencies.
    LATENCY_BUCKETS: LatencyRecord, |record| record.connection, record.requester;
    start: Time = record.start, "When the connection's first frame was captured" .unit("ns").null(TIMELESS);
    kind: Text = record.kind.name(), "What the operations do, such as `Read`";
    least: U64 = record.bucket.bounds.map(|bounds| bounds.0), "The shortest latency of the row" .unit("ns").null(NO_ROOM);
    greatest: U64 = record.bucket.bounds.map(|bounds| bounds.1), "The longest" .unit("ns").null(NO_ROOM);
    count: U64 = record.bucket.count, "Completed operations with such a latency";
}

const NO_ROOM: &str = "there were too many connections at once to keep them apart";

/// Returns STag and Tagged Offset of a tagged message.
fn tagged(record: &MessageRecord) -> Option<(u32, u64)> {
    match record.target {
        Some(Target::Tagged { steering_tag, tagged_offset }) => Some((steering_tag, tagged_offset)),
        _ => None,
    }
}

/// Returns Queue Number, Message Sequence Number and the STag to invalidate of an untagged message.
fn untagged(record: &MessageRecord) -> Option<(u32, u32, Option<u32>)> {
    match record.target {
        Some(Target::Untagged { queue_number, message_sequence_number, invalidated }) => {
            Some((queue_number, message_sequence_number, invalidated))
        }
        _ => None,
    }
}

/// Returns the name of an RPC-over-RDMA procedure, or its number.
fn transport(procedure: u32) -> Value {
    procedure_name(procedure).map_or_else(|| procedure.to_string().into(), Value::from)
}

fn transport_of(part: &Option<RpcPart>) -> Value {
    part.as_ref().map_or(Value::Null, |part| transport(part.transport_procedure))
}

fn status(status: RpcStatus) -> Value {
    match status {
        RpcStatus::Accepted(number) => {
            accept_status_name(number).map_or_else(|| number.to_string().into(), Value::from)
        }
        RpcStatus::RpcMismatch => "RPC_MISMATCH".into(),
        RpcStatus::AuthError => "AUTH_ERROR".into(),
        RpcStatus::TransportError => "RDMA_ERROR".into(),
        RpcStatus::Unreadable => "unreadable".into(),
    }
}
