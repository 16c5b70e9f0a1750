//! The table of RPCs.

use super::cell::{Cell, Column, Kind, always, sometimes};
use super::tables::{ends, ends_columns};
use warpscope_dissector::record::{RpcPart, RpcRecord, RpcStatus};
use warpscope_wire::rpc::accept_status_name;
use warpscope_wire::rpcrdma::procedure_name;

const NO_CALL: &str = "the call was not seen";
const NO_HEADER: &str = "the call's RPC header was not seen or cannot be read";
const NO_REPLY: &str = "no reply was seen";

/// The columns.
pub(super) const COLUMNS: &[Column] = &[
    ends_columns::CAPTURE,
    ends_columns::CONNECTION,
    ends_columns::SOURCE,
    ends_columns::SOURCE_PORT,
    ends_columns::DESTINATION,
    ends_columns::DESTINATION_PORT,
    sometimes(
        "exchange",
        Kind::U64,
        "",
        NO_CALL,
        "The call's number in its connection, from 1 in the order of the calls' Sends",
    ),
    always("xid", Kind::U32, "", "Transaction ID (XID)"),
    always(
        "backward",
        Kind::Flag,
        "",
        "True when the connection's responder is the caller (RFC 8167)",
    ),
    sometimes("program", Kind::U32, "", NO_HEADER, "RPC program"),
    sometimes("program_version", Kind::U32, "", NO_HEADER, "Its version"),
    sometimes("procedure", Kind::U32, "", NO_HEADER, "Its procedure"),
    sometimes(
        "program_name",
        Kind::Text,
        "",
        "the program is not known here, or the call's RPC header was not seen or cannot be read",
        "The program's name, as `NFS`",
    ),
    sometimes(
        "procedure_name",
        Kind::Text,
        "",
        "the procedure is not known here, or the call's RPC header was not seen or cannot be read",
        "The procedure's name, as `READ`; for a compound of NFS version 4 the operation that it is about",
    ),
    sometimes("call_frame", Kind::U64, "", NO_CALL, "The frame that completed the call's Send"),
    sometimes(
        "call_time",
        Kind::Time,
        "ns",
        "the call was not seen, or the capture has no times",
        "When that was captured",
    ),
    sometimes(
        "call_transport",
        Kind::Text,
        "",
        NO_CALL,
        "The procedure of the call's transport header, as `RDMA_MSG`",
    ),
    sometimes(
        "call_bytes",
        Kind::U64,
        "bytes",
        NO_CALL,
        "The call's RPC message, its read chunks put in their places",
    ),
    sometimes(
        "call_whole",
        Kind::Flag,
        "",
        NO_CALL,
        "False when something of the call was not captured",
    ),
    sometimes(
        "call_completed_frame",
        Kind::U64,
        "",
        "the call was not seen, or not all of its read chunks were read",
        "The frame that completed the call with its read chunks",
    ),
    sometimes("credits_asked", Kind::U32, "", NO_CALL, "Credits that the call asks for"),
    sometimes(
        "in_flight",
        Kind::U32,
        "",
        NO_CALL,
        "Calls of that side without a reply when it was sent, itself counted",
    ),
    sometimes("reply_frame", Kind::U64, "", NO_REPLY, "The frame that completed the reply's Send"),
    sometimes(
        "reply_time",
        Kind::Time,
        "ns",
        "no reply was seen, or the capture has no times",
        "When that was captured",
    ),
    sometimes(
        "reply_transport",
        Kind::Text,
        "",
        NO_REPLY,
        "The procedure of the reply's transport header",
    ),
    sometimes(
        "reply_bytes",
        Kind::U64,
        "bytes",
        NO_REPLY,
        "The reply's RPC message without write chunks; 0 for an RDMA_ERROR",
    ),
    sometimes(
        "reply_whole",
        Kind::Flag,
        "",
        NO_REPLY,
        "False when something of the reply was not captured",
    ),
    sometimes("credits_granted", Kind::U32, "", NO_REPLY, "Credits that the reply grants"),
    sometimes(
        "status",
        Kind::Text,
        "",
        NO_REPLY,
        "What the reply says: an accept status as `SUCCESS`, `RPC_MISMATCH`, `AUTH_ERROR`, `RDMA_ERROR`, or `unreadable`",
    ),
    sometimes(
        "latency",
        Kind::I64,
        "ns",
        "call or reply was not seen, or the capture has no times",
        "From the call's Send to the reply's",
    ),
    always("read_chunks", Kind::U32, "", "RDMA segments in the call's read list"),
    always("read_bytes", Kind::U64, "bytes", "Bytes that the responder read from them"),
    always("write_chunks", Kind::U32, "", "RDMA segments in the write list"),
    always("write_bytes", Kind::U64, "bytes", "Bytes that the responder wrote to them"),
    always(
        "reply_chunk_bytes",
        Kind::U64,
        "bytes",
        "Bytes that the responder wrote to the reply chunk",
    ),
];

/// A row.
pub(super) fn row(capture: &str, record: &RpcRecord) -> Vec<Cell> {
    let mut row = ends(capture, &record.connection, record.caller);
    let (call, reply) = (record.call.as_ref(), record.reply.as_ref());
    let transport = |part: &RpcPart| match procedure_name(part.transport_procedure) {
        Some(name) => Cell::from(name),
        None => Cell::from(part.transport_procedure.to_string()),
    };
    let chunks = &record.chunks;
    row.extend([
        record.exchange.into(),
        record.xid.into(),
        record.backward.into(),
        record.program.map(|(program, ..)| program).into(),
        record.program.map(|(_, version, _)| version).into(),
        record.program.map(|(.., procedure)| procedure).into(),
        record.program_name().map_or(Cell::Null, Cell::from),
        record.procedure_name().map_or(Cell::Null, Cell::from),
        call.map(|part| part.frame).into(),
        call.and_then(|part| part.time).into(),
        call.map_or(Cell::Null, transport),
        call.map(|part| part.bytes).into(),
        call.map(|part| part.whole).into(),
        record.call_completed.into(),
        call.map(|part| part.credits).into(),
        record.in_flight.into(),
        reply.map(|part| part.frame).into(),
        reply.and_then(|part| part.time).into(),
        reply.map_or(Cell::Null, transport),
        reply.map(|part| part.bytes).into(),
        reply.map(|part| part.whole).into(),
        reply.map(|part| part.credits).into(),
        record.status.map_or(Cell::Null, status),
        record.latency.into(),
        chunks.reads.into(),
        chunks.read_bytes.into(),
        chunks.writes.into(),
        chunks.write_bytes.into(),
        chunks.reply_bytes.into(),
    ]);
    row
}

fn status(status: RpcStatus) -> Cell {
    match status {
        RpcStatus::Accepted(number) => match accept_status_name(number) {
            Some(name) => name.into(),
            None => number.to_string().into(),
        },
        RpcStatus::RpcMismatch => "RPC_MISMATCH".into(),
        RpcStatus::AuthError => "AUTH_ERROR".into(),
        RpcStatus::TransportError => "RDMA_ERROR".into(),
        RpcStatus::Unreadable => "unreadable".into(),
    }
}
