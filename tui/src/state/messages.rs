//! The messages view: frames by what is in them, with tree and bytes.

use super::{Capture, Columns, Cursor, Rows, TreePane};
use crate::event::LinesAsked;
use crate::index::{CallRow, Entry, Flags, MessageRow, OperationRow};
use crate::look::Tone;
use crate::text;
use std::cmp::Ordering;
use std::collections::HashMap;
use warpscope_dissector::format::span;
use warpscope_dissector::operation::Outcome;
use warpscope_dissector::record::RpcStatus;
use warpscope_wire::rpc::accept_status_name;

/// Which frames are listed when no filter says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Density {
    /// Those that complete a message, or in which something is wrong.
    #[default]
    Messages,
    /// Those with iWARP.
    Iwarp,
    /// All.
    Frames,
}

impl Density {
    /// What is listed, in a few words.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Messages => "messages",
            Self::Iwarp => "frames with iWARP",
            Self::Frames => "all frames",
        }
    }

    /// The next one.
    #[must_use]
    pub fn next(self) -> Self {
        match self {
            Self::Messages => Self::Iwarp,
            Self::Iwarp => Self::Frames,
            Self::Frames => Self::Messages,
        }
    }

    /// Whether a frame is listed.
    pub fn lists(self, entry: &Entry) -> bool {
        match self {
            Self::Messages => entry.flags.any(Flags::MESSAGE),
            Self::Iwarp => entry.flags.any(Flags::IWARP | Flags::MESSAGE),
            Self::Frames => true,
        }
    }
}

/// Lines that are kept.
const LINES: usize = 8192;

/// The messages view.
#[derive(Debug, Clone)]
pub struct MessagesView {
    /// The chosen row, and what is seen.
    pub cursor: Cursor,
    /// The rows.
    pub rows: Rows,
    /// Which frames are listed.
    pub density: Density,
    /// Whether tree and bytes are shown.
    pub detail: bool,
    /// The columns.
    pub columns: Columns,
    /// The first column of the info that is seen.
    pub shift: usize,
    /// Lines at hand.
    pub lines: HashMap<u32, MessageRow>,
    /// Lines that were asked for.
    pub asked: Option<LinesAsked>,
    /// The tree and the bytes.
    pub tree: TreePane,
}

impl Default for MessagesView {
    fn default() -> Self {
        Self {
            cursor: Cursor::default(),
            rows: Rows::default(),
            density: Density::default(),
            detail: true,
            columns: Columns::default(),
            shift: 0,
            lines: HashMap::new(),
            asked: None,
            tree: TreePane::default(),
        }
    }
}

impl MessagesView {
    /// Keeps lines.
    pub fn keep(&mut self, lines: Vec<(u32, MessageRow)>) {
        if self.lines.len() + lines.len() > LINES {
            self.lines.clear();
        }
        self.lines.extend(lines);
    }

    /// Lists anew what fits: `matched` are the frames that a filter lets through.
    pub fn list(&mut self, capture: &Capture, flow: Option<u32>, matched: Option<&[u32]>) {
        let of_flow = |entry: &Entry| flow.is_none_or(|flow| entry.flow == flow);
        self.rows = match matched {
            Some(matched) => {
                let fits = |frame: &u32| capture.frames.find(*frame).is_some_and(of_flow);
                Rows::some(matched.iter().copied().filter(fits).collect())
            }
            None if self.density == Density::Frames && flow.is_none() => {
                Rows::all(capture.frames.first(), capture.frames.count())
            }
            None => {
                let all = capture.frames.from(1);
                let fits = all.filter(|(_, entry)| self.density.lists(entry) && of_flow(entry));
                Rows::some(fits.map(|(number, _)| number).collect())
            }
        };
    }
}

// The operations view: requests with their responses.

/// A column of the operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OperationColumn {
    /// The flow's number.
    Flow,
    /// The operation's number in its flow.
    Number,
    /// What it does.
    Kind,
    /// Which way the request went.
    Way,
    /// The frame of the request.
    Frame,
    /// The frame of the response.
    Answer,
    /// How long it took.
    Latency,
    /// Bytes of the user's data.
    Bytes,
    /// Requests in flight, and the limit.
    Depth,
    /// The STag that it names.
    SteeringTag,
    /// How it ended.
    Outcome,
}

/// Every column, in the order in which they stand.
pub const OPERATION_COLUMNS: [(OperationColumn, &str); 11] = [
    (OperationColumn::Flow, "flow"),
    (OperationColumn::Number, "#"),
    (OperationColumn::Kind, "operation"),
    (OperationColumn::Way, "way"),
    (OperationColumn::Frame, "frame"),
    (OperationColumn::Answer, "answer"),
    (OperationColumn::Latency, "took"),
    (OperationColumn::Bytes, "bytes"),
    (OperationColumn::Depth, "in flight"),
    (OperationColumn::SteeringTag, "STag"),
    (OperationColumn::Outcome, "outcome"),
];

/// Columns that the table is sorted by, by their places in [`OPERATION_COLUMNS`], those asked for most
/// first.
pub const OPERATION_SORTS: [usize; 7] = [6, 7, 8, 10, 2, 9, 4];

impl OperationColumn {
    /// What stands in the column.
    pub fn text(self, row: &OperationRow) -> String {
        match self {
            Self::Flow => row.flow.to_string(),
            Self::Number => row.number.to_string(),
            Self::Kind => row.kind.name().to_owned(),
            Self::Way => if row.requester.index() == 0 { "→" } else { "←" }.to_owned(),
            Self::Frame => text::some(row.frame.into()),
            Self::Answer => text::some(row.answer.into()),
            // What is not answered takes time where it has several segments.
            Self::Latency if row.latency < 0 || row.latency == 0 && row.answer == 0 => {
                String::new()
            }
            Self::Latency => span(Some(row.latency)),
            Self::Bytes => row.bytes.to_string(),
            Self::Depth => match (row.depth, row.limit) {
                (0, _) => String::new(),
                (depth, 0) => depth.to_string(),
                (depth, limit) => format!("{depth}/{limit}"),
            },
            Self::SteeringTag if row.steering_tag == 0 => String::new(),
            Self::SteeringTag => format!("{:#010x}", row.steering_tag),
            Self::Outcome if row.unsolicited => "answers nothing".to_owned(),
            Self::Outcome => row.outcome.word().to_owned(),
        }
    }

    /// What the column means in this row.
    pub fn tone(self, row: &OperationRow) -> Tone {
        match self {
            Self::Outcome if row.unsolicited => Tone::Warn,
            Self::Outcome => match row.outcome {
                Outcome::Completed => Tone::Plain,
                Outcome::Refused => Tone::Bad,
                Outcome::Open | Outcome::Unanswered | Outcome::Lost => Tone::Warn,
            },
            Self::Depth if row.limit > 0 && row.depth > row.limit => Tone::Bad,
            Self::Kind if row.kind == warpscope_dissector::operation::OperationKind::Terminate => {
                Tone::Bad
            }
            _ => Tone::Plain,
        }
    }

    /// Which of two rows comes first when the table is sorted by the column.
    pub fn compare(self, one: &OperationRow, other: &OperationRow) -> Ordering {
        match self {
            Self::Flow => one.flow.cmp(&other.flow),
            Self::Number => (one.flow, one.number).cmp(&(other.flow, other.number)),
            Self::Kind => one.kind.cmp(&other.kind),
            Self::Way => one.requester.index().cmp(&other.requester.index()),
            Self::Frame => one.frame.cmp(&other.frame),
            Self::Answer => one.answer.cmp(&other.answer),
            // The longest and the most first.
            Self::Latency => other.latency.cmp(&one.latency),
            Self::Bytes => other.bytes.cmp(&one.bytes),
            Self::Depth => other.depth.cmp(&one.depth),
            Self::SteeringTag => one.steering_tag.cmp(&other.steering_tag),
            Self::Outcome => other.outcome.word().cmp(one.outcome.word()),
        }
    }
}

// The calls view: RPC calls with their replies.

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
            Self::Frame => text::some(row.frame.into()),
            Self::Answer => text::some(row.answer.into()),
            Self::Latency if row.latency < 0 => String::new(),
            Self::Latency => span(Some(row.latency)),
            Self::Inline => row.inline.to_string(),
            Self::Chunks => text::some(row.chunks),
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
