//! The table of operations.

use super::cell::{Cell, Column, Kind, always, sometimes};
use super::tables::{ends, ends_columns};
use warpscope_dissector::operation::Outcome;
use warpscope_dissector::record::OperationRecord;

const NO_REGION: &str = "the request names no memory";
const NO_SINK: &str = "the operation is no Read";
const UNANSWERED: &str = "no response was seen";
const TIMELESS: &str = "the capture has no times";

/// The columns.
pub(super) const COLUMNS: &[Column] = &[
    ends_columns::CAPTURE,
    ends_columns::CONNECTION,
    ends_columns::SOURCE,
    ends_columns::SOURCE_PORT,
    ends_columns::DESTINATION,
    ends_columns::DESTINATION_PORT,
    always(
        "number",
        Kind::U64,
        "",
        "The operation's number in its connection, from 1, in the order of their first segments",
    ),
    always("kind", Kind::Text, "", "What it does, as `Read`"),
    always(
        "message",
        Kind::Text,
        "",
        "The message that begins it, as `Send with SE`; for an unsolicited response, that response",
    ),
    always(
        "outcome",
        Kind::Text,
        "",
        "`completed`, `unanswered`, `lost` (its response was not captured) or `refused` (a Terminate names it)",
    ),
    always(
        "unsolicited",
        Kind::Flag,
        "",
        "True for a response that answers no request that was seen; the request columns tell of it",
    ),
    always("whole", Kind::Flag, "", "False when something of it was not captured"),
    always(
        "request_message",
        Kind::U64,
        "",
        "The number of the request, or of the one message, among those of its direction",
    ),
    always("request_first_frame", Kind::U64, "", "The frame that completed its first segment"),
    always("request_last_frame", Kind::U64, "", "The frame that completed its last segment"),
    sometimes(
        "request_first_time",
        Kind::Time,
        "ns",
        TIMELESS,
        "When `request_first_frame` was captured",
    ),
    sometimes(
        "request_last_time",
        Kind::Time,
        "ns",
        TIMELESS,
        "When `request_last_frame` was captured",
    ),
    always("request_segments", Kind::U32, "", "DDP segments of the request"),
    always("request_bytes", Kind::U64, "bytes", "Payload of the request"),
    sometimes(
        "response_message",
        Kind::U64,
        "",
        UNANSWERED,
        "The number of the response among the messages of its direction",
    ),
    sometimes(
        "response_first_frame",
        Kind::U64,
        "",
        UNANSWERED,
        "The frame that completed its first segment",
    ),
    sometimes(
        "response_last_frame",
        Kind::U64,
        "",
        UNANSWERED,
        "The frame that completed its last segment seen",
    ),
    sometimes(
        "response_first_time",
        Kind::Time,
        "ns",
        UNANSWERED,
        "When `response_first_frame` was captured",
    ),
    sometimes(
        "response_last_time",
        Kind::Time,
        "ns",
        UNANSWERED,
        "When `response_last_frame` was captured",
    ),
    sometimes("response_segments", Kind::U32, "", UNANSWERED, "DDP segments of the response"),
    sometimes("response_bytes", Kind::U64, "bytes", UNANSWERED, "Payload of the response"),
    always(
        "bytes",
        Kind::U64,
        "bytes",
        "The user's bytes that it moved: the response's for a request, else its own",
    ),
    always(
        "repeated_bytes",
        Kind::U64,
        "bytes",
        "Bytes that TCP sent again in the direction of the bytes moved, while they were under way",
    ),
    sometimes(
        "remote_steering_tag",
        Kind::U32,
        "",
        NO_REGION,
        "STag of the other side's memory that it reads, writes or acts on",
    ),
    sometimes("remote_tagged_offset", Kind::U64, "", NO_REGION, "TO of that memory's first byte"),
    sometimes("remote_length", Kind::U64, "bytes", NO_REGION, "Length of that memory"),
    sometimes(
        "sink_steering_tag",
        Kind::U32,
        "",
        NO_SINK,
        "STag of the requester's memory that the response goes to",
    ),
    sometimes("sink_tagged_offset", Kind::U64, "", NO_SINK, "TO of that memory's first byte"),
    sometimes("identifier", Kind::U32, "", "the operation is no Atomic", "Request Identifier"),
    sometimes(
        "expected_bytes",
        Kind::U64,
        "bytes",
        "the request does not say",
        "Bytes that the response must have",
    ),
    always(
        "depth",
        Kind::U32,
        "",
        "Requests of its side that waited for a response when it was sent, itself counted; 0 when it waits for none",
    ),
    sometimes(
        "depth_limit",
        Kind::U32,
        "",
        "the setup frames were not seen, or set none",
        "Requests that its side may have outstanding: the smaller of its ORD and the other side's IRD",
    ),
    always(
        "overtook",
        Kind::U32,
        "",
        "Earlier requests that were still unanswered when its response began",
    ),
    sometimes(
        "latency",
        Kind::I64,
        "ns",
        "it was not completed, or the capture has no times",
        "From the request's last segment to the response's last; without response, from its first segment to its last",
    ),
    sometimes(
        "first_byte",
        Kind::I64,
        "ns",
        UNANSWERED,
        "From the request's last segment to the response's first",
    ),
    sometimes(
        "refused_by",
        Kind::U64,
        "",
        "no Terminate refused it",
        "The number of the operation of the Terminate that refused it",
    ),
    sometimes(
        "cause_frame",
        Kind::U64,
        "",
        "it is no Terminate, or what it refuses was not found",
        "The frame of the segment that the Terminate refuses",
    ),
    sometimes(
        "explanation",
        Kind::Text,
        "",
        "it is no Terminate, or it cannot be read",
        "What the Terminate says, in a sentence",
    ),
];

/// A row.
pub(super) fn row(capture: &str, record: &OperationRecord) -> Vec<Cell> {
    let operation = &record.operation;
    let mut row = ends(capture, &record.connection, operation.requester);
    let (request, response) = (&operation.request, operation.response.as_ref());
    let (remote, sink) = (operation.remote.as_ref(), operation.sink.as_ref());
    let repeated = response.map_or(request.repeated, |response| response.repeated);
    let completed = operation.outcome == Outcome::Completed;
    row.extend([
        operation.number.into(),
        operation.kind.name().into(),
        operation.message.info().name.into(),
        operation.outcome.word().into(),
        record.unsolicited.into(),
        operation.whole.into(),
        request.message.into(),
        request.first_frame.into(),
        request.last_frame.into(),
        request.first_time.into(),
        request.last_time.into(),
        request.segments.into(),
        request.bytes.into(),
        response.map(|span| span.message).into(),
        response.map(|span| span.first_frame).into(),
        response.map(|span| span.last_frame).into(),
        response.and_then(|span| span.first_time).into(),
        response.and_then(|span| span.last_time).into(),
        response.map(|span| span.segments).into(),
        response.map(|span| span.bytes).into(),
        operation.bytes().into(),
        repeated.into(),
        remote.map(|region| region.steering_tag).into(),
        remote.map(|region| region.tagged_offset).into(),
        remote.map(|region| region.length).into(),
        sink.map(|region| region.steering_tag).into(),
        sink.map(|region| region.tagged_offset).into(),
        operation.identifier.into(),
        operation.expected.into(),
        operation.depth.into(),
        record.depth_limit.into(),
        operation.overtook.into(),
        operation.latency().filter(|_| completed).into(),
        operation.first_byte().into(),
        record.refused_by.into(),
        record.cause_frame.into(),
        record.explanation.clone().into(),
    ]);
    row
}
