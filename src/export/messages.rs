//! The table of messages.

use super::cell::{Cell, Column, Kind, always, sometimes};
use super::tables::{ends, ends_columns};
use warpscope_dissector::mpa::CrcVerdict;
use warpscope_dissector::record::{MessageRecord, Target};
use warpscope_wire::rdmap::Message;
use warpscope_wire::rpcrdma::procedure_name;

const UNREADABLE: &str = "the DDP header cannot be read";
const TAGGED: &str = "the message is untagged, or its header cannot be read";
const UNTAGGED: &str = "the message is tagged, or its header cannot be read";
const TIMELESS: &str = "the capture has no times, or its end brought the message to light";
const NO_TRANSPORT: &str = "the message carries no RPC-over-RDMA";

/// The columns.
pub(super) const COLUMNS: &[Column] = &[
    ends_columns::CAPTURE,
    ends_columns::CONNECTION,
    ends_columns::SOURCE,
    ends_columns::SOURCE_PORT,
    ends_columns::DESTINATION,
    ends_columns::DESTINATION_PORT,
    always("number", Kind::U64, "", "The message's number among those of its direction, from 1"),
    sometimes(
        "message",
        Kind::Text,
        "",
        "the opcode is not known, or the DDP header cannot be read",
        "What it is, as `Read Request`",
    ),
    sometimes("opcode", Kind::U32, "", UNREADABLE, "Its RDMAP opcode (RFC 5040 section 4.1)"),
    always("first_frame", Kind::U64, "", "The first frame with bytes of it"),
    always("last_frame", Kind::U64, "", "The frame that completed its last segment seen"),
    sometimes(
        "first_time",
        Kind::Time,
        "ns",
        TIMELESS,
        "When the frame was captured that completed its first segment",
    ),
    sometimes("last_time", Kind::Time, "ns", TIMELESS, "When `last_frame` was captured"),
    always("segments", Kind::U32, "", "DDP segments seen"),
    always("bytes", Kind::U64, "bytes", "Payload in them"),
    always("whole", Kind::Flag, "", "False when a segment is missing or cut"),
    sometimes("steering_tag", Kind::U32, "", TAGGED, "Steering Tag (STag)"),
    sometimes(
        "tagged_offset",
        Kind::U64,
        "",
        TAGGED,
        "Tagged Offset (TO) of the first segment seen",
    ),
    sometimes("queue_number", Kind::U32, "", UNTAGGED, "Queue Number (QN)"),
    sometimes("message_sequence_number", Kind::U32, "", UNTAGGED, "Message Sequence Number (MSN)"),
    sometimes(
        "invalidated_steering_tag",
        Kind::U32,
        "",
        "the message invalidates nothing",
        "The STag that its receiver is to invalidate",
    ),
    always(
        "crc",
        Kind::Text,
        "",
        "The worst verdict on the CRCs of its segments: `good`, `bad`, `not in use`, `unknown` or `unchecked`",
    ),
    always(
        "marker_mismatch",
        Kind::Flag,
        "",
        "True when a marker in it points elsewhere than at its FPDU",
    ),
    sometimes(
        "operation",
        Kind::U64,
        "",
        "the opcode is not known, or its operation was not seen",
        "The number of its operation: `number` in the table of operations",
    ),
    sometimes(
        "request_frame",
        Kind::U64,
        "",
        "it is no response, or the request was not seen",
        "The frame of the request that it answers",
    ),
    sometimes(
        "transport",
        Kind::Text,
        "",
        NO_TRANSPORT,
        "The procedure of the RPC-over-RDMA header, as `RDMA_MSG`",
    ),
    sometimes("xid", Kind::U32, "", NO_TRANSPORT, "Transaction ID (XID) in that header"),
];

/// A row.
pub(super) fn row(capture: &str, record: &MessageRecord) -> Vec<Cell> {
    let mut row = ends(capture, &record.connection, record.sender);
    let (tagged, untagged) = match record.target {
        Some(Target::Tagged { steering_tag, tagged_offset }) => {
            (Some((steering_tag, tagged_offset)), None)
        }
        Some(Target::Untagged { queue_number, message_sequence_number, invalidated }) => {
            (None, Some((queue_number, message_sequence_number, invalidated)))
        }
        None => (None, None),
    };
    let name = |message: Message| message.info().name;
    let transport = |procedure| match procedure_name(procedure) {
        Some(name) => Cell::from(name),
        None => Cell::from(procedure.to_string()),
    };
    row.extend([
        record.number.into(),
        record.message.map(name).into(),
        record.opcode.into(),
        record.first_frame.into(),
        record.last_frame.into(),
        record.first_time.into(),
        record.last_time.into(),
        record.segments.into(),
        record.bytes.into(),
        record.whole.into(),
        tagged.map(|(tag, _)| tag).into(),
        tagged.map(|(_, offset)| offset).into(),
        untagged.map(|(queue, ..)| queue).into(),
        untagged.map(|(_, sequence, _)| sequence).into(),
        untagged.and_then(|(.., invalidated)| invalidated).into(),
        crc(record.crc).into(),
        record.marker_mismatch.into(),
        record.operation.into(),
        record.request_frame.into(),
        record.transport.map(|(procedure, _)| transport(procedure)).unwrap_or(Cell::Null),
        record.transport.map(|(_, xid)| xid).into(),
    ]);
    row
}

fn crc(verdict: CrcVerdict) -> &'static str {
    match verdict {
        CrcVerdict::Good => "good",
        CrcVerdict::Bad => "bad",
        CrcVerdict::NotInUse => "not in use",
        CrcVerdict::Unknown => "unknown",
        CrcVerdict::Unchecked => "unchecked",
    }
}
