//! The calls view: RPC calls with their replies.

use super::index::CallRow;
use crate::format;
use crate::look::Tone;
use std::cmp::Ordering;
use warpscope_dissector::format::span;
use warpscope_dissector::record::RpcStatus;
use warpscope_wire::rpc::accept_status_name;

/// A column of the calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CallColumn {
    /// The flow's number.
    Flow,
    /// Transaction ID.
    Xid,
    /// Program and version.
    Program,
    /// Procedure, or the operation that a COMPOUND is about.
    Procedure,
    /// Which way the call went.
    Way,
    /// The frame of the call.
    Frame,
    /// The frame of the reply.
    Answer,
    /// How long it took.
    Latency,
    /// Bytes that went inline.
    Inline,
    /// Bytes that went by chunks.
    Chunks,
    /// Credits asked for and granted.
    Credits,
    /// How it was answered.
    Status,
}

/// Every column, in the order in which they stand.
pub const CALL_COLUMNS: [(CallColumn, &str); 12] = [
    (CallColumn::Flow, "flow"),
    (CallColumn::Xid, "XID"),
    (CallColumn::Program, "program"),
    (CallColumn::Procedure, "procedure"),
    (CallColumn::Way, "way"),
    (CallColumn::Frame, "frame"),
    (CallColumn::Answer, "answer"),
    (CallColumn::Latency, "took"),
    (CallColumn::Inline, "inline"),
    (CallColumn::Chunks, "chunks"),
    (CallColumn::Credits, "credits"),
    (CallColumn::Status, "status"),
];

/// Columns that the table is sorted by, by their places in [`CALL_COLUMNS`], those asked for most first.
pub const CALL_SORTS: [usize; 6] = [7, 9, 3, 11, 8, 1];

impl CallColumn {
    /// What stands in the column.
    pub fn text(self, row: &CallRow) -> String {
        match self {
            Self::Flow => row.flow.to_string(),
            Self::Xid => format!("{:#010x}", row.xid),
            Self::Program if row.program.is_empty() => "unknown".to_owned(),
            Self::Program => format!("{}v{}", row.program, row.version),
            Self::Procedure if row.name.is_empty() => format!("procedure {}", row.procedure),
            Self::Procedure => row.name.to_owned(),
            Self::Way => if row.caller.index() == 0 { "→" } else { "←" }.to_owned(),
            Self::Frame => format::some(row.frame.into()),
            Self::Answer => format::some(row.answer.into()),
            Self::Latency if row.latency < 0 => String::new(),
            Self::Latency => span(Some(row.latency)),
            Self::Inline => row.inline.to_string(),
            Self::Chunks => format::some(row.chunks),
            Self::Credits => format!("{}/{}", row.credits[0], row.credits[1]),
            Self::Status => match row.status {
                None => "no reply".to_owned(),
                Some(RpcStatus::Accepted(0)) => "ok".to_owned(),
                Some(RpcStatus::Accepted(status)) => accept_status_name(status)
                    .map_or_else(|| format!("status {status}"), str::to_owned),
                Some(RpcStatus::RpcMismatch) => "RPC mismatch".to_owned(),
                Some(RpcStatus::AuthError) => "not authenticated".to_owned(),
                Some(RpcStatus::TransportError) => "RDMA_ERROR".to_owned(),
                Some(RpcStatus::Unreadable) => "unreadable".to_owned(),
            },
        }
    }

    /// What the column means in this row.
    pub fn tone(self, row: &CallRow) -> Tone {
        match (self, row.status) {
            (Self::Status, Some(RpcStatus::Accepted(0))) => Tone::Plain,
            (Self::Status, None) => Tone::Warn,
            (Self::Status, Some(_)) => Tone::Bad,
            _ => Tone::Plain,
        }
    }

    /// Which of two rows comes first when the table is sorted by the column.
    pub fn compare(self, one: &CallRow, other: &CallRow) -> Ordering {
        match self {
            Self::Flow => one.flow.cmp(&other.flow),
            Self::Xid => one.xid.cmp(&other.xid),
            Self::Program | Self::Procedure | Self::Status => self.text(one).cmp(&self.text(other)),
            Self::Way => one.caller.index().cmp(&other.caller.index()),
            Self::Frame => one.frame.cmp(&other.frame),
            Self::Answer => one.answer.cmp(&other.answer),
            Self::Latency => other.latency.cmp(&one.latency),
            Self::Inline => other.inline.cmp(&one.inline),
            Self::Chunks => other.chunks.cmp(&one.chunks),
            Self::Credits => other.credits.cmp(&one.credits),
        }
    }
}
