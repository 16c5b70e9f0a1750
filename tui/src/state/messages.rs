//! The messages view: frames by their content, with tree and bytes.

use super::{Capture, Columns, Cursor, Rows, TreePane, table_columns};
use crate::event::LinesAsked;
use crate::index::{Answer, CallRow, Entry, Flags, MessageRow, OperationRow};
use crate::look::Tone;
use crate::text;
use std::collections::HashMap;
use strum::{EnumString, IntoStaticStr, VariantArray};
use warpscope_dissector::format::{seconds, span};
use warpscope_dissector::mpa::Side;
use warpscope_dissector::operation::{OperationKind, Outcome, Pause};
use warpscope_dissector::record::RpcStatus;
use warpscope_wire::rpc::accept_status_name;

/// Which frames are listed without a filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum Density {
    /// Frames that complete a message or contain an error.
    #[default]
    Messages,
    /// Frames with iWARP.
    Iwarp,
    /// All frames.
    Frames,
}

impl Density {
    /// Returns a short description.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Messages => "messages",
            Self::Iwarp => "frames with iWARP",
            Self::Frames => "all frames",
        }
    }

    /// Returns the next density.
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
            Self::Messages => entry.flags.intersects(Flags::MESSAGE),
            Self::Iwarp => entry.flags.intersects(Flags::IWARP | Flags::MESSAGE),
            Self::Frames => true,
        }
    }
}

/// The display of the messages' times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum TimeDisplay {
    /// Since the first frame, or since the reference.
    #[default]
    Relative,
    /// The time of day, UTC.
    Absolute,
    /// Since the previous row.
    Delta,
}

impl TimeDisplay {
    /// Returns a short description.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Relative => "since the first frame or the reference",
            Self::Absolute => "absolute, UTC",
            Self::Delta => "since the row above",
        }
    }

    /// Returns the next display.
    #[must_use]
    pub fn next(self) -> Self {
        let all = Self::VARIANTS;
        all.get(self as usize + 1).copied().unwrap_or_default()
    }
}

/// Formats the time of day of nanoseconds since 1970: `07:16:28.123456`, UTC.
fn time_of_day(nanoseconds: i64) -> String {
    let day = nanoseconds.div_euclid(1_000).rem_euclid(86_400_000_000);
    let (seconds, rest) = (day / 1_000_000, day % 1_000_000);
    format!("{:02}:{:02}:{:02}.{rest:06}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

const LINES: usize = 8192;

/// The messages view.
#[derive(Debug, Clone)]
pub struct MessagesView {
    /// The selected row and the visible part.
    pub cursor: Cursor,
    /// The rows.
    pub rows: Rows,
    /// Which frames are listed.
    pub density: Density,
    /// Whether tree and bytes are shown.
    pub detail: bool,
    /// Whether the active pane fills the body.
    pub alone: bool,
    /// The columns.
    pub columns: Columns,
    /// The display of times.
    pub time: TimeDisplay,
    /// The reference frame of times, instead of the first.
    pub reference: Option<u32>,
    /// The first visible column of the info.
    pub shift: usize,
    /// The available lines.
    pub lines: HashMap<u32, MessageRow>,
    /// The requested lines.
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
            alone: false,
            columns: Columns::default(),
            time: TimeDisplay::default(),
            reference: None,
            shift: 0,
            lines: HashMap::new(),
            asked: None,
            tree: TreePane::default(),
        }
    }
}

impl MessagesView {
    /// Stores lines.
    pub fn keep(&mut self, lines: Vec<(u32, MessageRow)>) {
        if self.lines.len() + lines.len() > LINES {
            self.lines.clear();
        }
        self.lines.extend(lines);
    }

    /// Formats the time of a row for the display.
    pub fn time_text(&self, capture: &Capture, row: usize, display: TimeDisplay) -> String {
        let time = |frame: Option<u32>| capture.frames.find(frame?)?.time();
        let Some(now) = time(self.rows.frame(row)) else { return String::new() };
        match display {
            TimeDisplay::Absolute => time_of_day(now),
            TimeDisplay::Delta => {
                let before = time(row.checked_sub(1).and_then(|row| self.rows.frame(row)));
                before.map_or(String::new(), |before| span(Some(now.saturating_sub(before))))
            }
            TimeDisplay::Relative => {
                let origin = time(self.reference).or(capture.frames.first_time());
                seconds(Some(now), origin)
            }
        }
    }

    /// Rebuilds the list; `matched` are the frames that pass the filter.
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

table_columns! {
    /// The columns of the operations.
    OPERATION_COLUMNS: OperationRow, |row, other, first|
    "flow" right 5 3: row.flow.to_string(), row.flow.cmp(&other.flow);
    "#" right 7 2: row.number.to_string(), (row.flow, row.number).cmp(&(other.flow, other.number));
    "operation" left 14 0: row.kind.name().to_owned(), row.kind.cmp(&other.kind),
        if row.kind == OperationKind::Terminate { Tone::Bad } else { Tone::Plain };
    "way" left 3 1: way(row.requester), row.requester.index().cmp(&other.requester.index());
    "frame" right 8 0: text::some(row.frame.into()), row.frame.cmp(&other.frame);
    "answer" right 8 0: text::some(row.answer.into()), row.answer.cmp(&other.answer);
    // A message without a response takes time if it has several segments.
    "took" right 9 0: match row.latency {
        ..0 => String::new(),
        0 if row.answer == 0 => String::new(),
        latency => span(Some(latency)),
    }, other.latency.cmp(&row.latency);
    // The longest time between two of its segments, and how much of it bytes were missing.
    "pause" right 9 6: paused(row, |it| it.length), pause(other, |it| it.length).cmp(&pause(row, |it| it.length));
    "hole" right 9 6: paused(row, |it| it.waited), pause(other, |it| it.waited).cmp(&pause(row, |it| it.waited)), Tone::Warn;
    "bytes" right 9 1: row.bytes.to_string(), other.bytes.cmp(&row.bytes);
    "in flight" right 9 4: match (row.depth, row.limit) {
        (0, _) => String::new(),
        (depth, 0) => depth.to_string(),
        (depth, limit) => format!("{depth}/{limit}"),
    }, other.depth.cmp(&row.depth),
        if row.limit > 0 && row.depth > row.limit { Tone::Bad } else { Tone::Plain };
    "STag" left 10 5: match row.steering_tag {
        0 => String::new(),
        tag => format!("{tag:#010x}"),
    }, row.steering_tag.cmp(&other.steering_tag);
    "outcome" left 15 0: outcome(row).to_owned(),
        outcome(other).cmp(outcome(row)), match row.outcome {
            _ if row.unsolicited => Tone::Warn,
            Outcome::Completed => Tone::Plain,
            Outcome::Refused => Tone::Bad,
            Outcome::Open | Outcome::Unanswered | Outcome::Lost => Tone::Warn,
        };
}

/// The sort columns, as indices into [`OPERATION_COLUMNS`], the most useful
/// first.
pub const OPERATION_SORTS: [usize; 9] = [6, 7, 8, 9, 10, 12, 2, 11, 4];

/// Returns a time of an operation's longest pause; 0 if it has none.
fn pause(row: &OperationRow, of: fn(&Pause) -> i64) -> i64 {
    row.pause.as_ref().map_or(0, of)
}

fn paused(row: &OperationRow, of: fn(&Pause) -> i64) -> String {
    match pause(row, of) {
        0 => String::new(),
        time => span(Some(time)),
    }
}

/// Returns the outcome of an operation. One without a response was sent; if it was accepted is unknown.
fn outcome(row: &OperationRow) -> &'static str {
    match row.outcome {
        _ if row.unsolicited => "answers nothing",
        Outcome::Completed if !row.kind.answered() => "sent",
        outcome => outcome.word(),
    }
}

fn way(from: Side) -> String {
    if from.index() == 0 { "→" } else { "←" }.to_owned()
}

// The I/O view: requests of upper layer protocols with their answers.

table_columns! {
    /// The columns of the I/Os.
    CALL_COLUMNS: CallRow, |row, other, first|
    "flow" right 5 4: row.flow.to_string(), row.flow.cmp(&other.flow);
    "ID" left 10 3: format!("{:#010x}", row.xid), row.xid.cmp(&other.xid);
    "protocol" left 10 5: program(row), program(row).cmp(&program(other));
    "operation" left 18 0: procedure(row), procedure(row).cmp(&procedure(other));
    "way" left 3 1: way(row.caller), row.caller.index().cmp(&other.caller.index());
    "frame" right 8 0: text::some(row.frame.into()), row.frame.cmp(&other.frame);
    "answer" right 8 0: text::some(row.answer.into()), row.answer.cmp(&other.answer);
    "took" right 9 0: if row.latency < 0 { String::new() } else { span(Some(row.latency)) },
        other.latency.cmp(&row.latency);
    "inline" right 7 6: row.inline.to_string(), other.inline.cmp(&row.inline);
    "RDMA" right 9 1: text::some(row.chunks), other.chunks.cmp(&row.chunks);
    "credits" right 8 7: format!("{}/{}", row.credits[0], row.credits[1]), other.credits.cmp(&row.credits);
    "status" left 15 0: status(row), status(row).cmp(&status(other)), match &row.status {
        Some(Answer::Rpc(RpcStatus::Accepted(0))) => Tone::Plain,
        Some(Answer::Other(status)) if !status.failed => Tone::Plain,
        None => Tone::Warn,
        Some(_) => Tone::Bad,
    };
    "about" left 22 2: row.object.to_string(), row.object.cmp(&other.object);
}

/// The sort columns, as indices into [`CALL_COLUMNS`], the most useful first.
pub const CALL_SORTS: [usize; 6] = [7, 9, 3, 11, 8, 1];

fn program(row: &CallRow) -> String {
    match (row.program, row.version) {
        ("", _) => "unknown".to_owned(),
        (program, 0) => program.to_owned(),
        (program, version) => format!("{program}v{version}"),
    }
}

/// Returns the procedure, or the main operation of a COMPOUND.
fn procedure(row: &CallRow) -> String {
    if row.name.is_empty() { format!("procedure {}", row.procedure) } else { row.name.to_string() }
}

fn status(row: &CallRow) -> String {
    let status = match &row.status {
        None => return "no reply".to_owned(),
        // Other success statuses may be more informative.
        Some(Answer::Other(status)) if status.code == 0 && !status.failed => {
            return "ok".to_owned();
        }
        Some(Answer::Other(status)) => return status.words.to_string(),
        Some(Answer::Rpc(status)) => *status,
    };
    let status = match status {
        RpcStatus::Accepted(0) => "ok",
        RpcStatus::Accepted(status) => match accept_status_name(status) {
            Some(name) => name,
            None => return format!("status {status}"),
        },
        RpcStatus::RpcMismatch => "RPC mismatch",
        RpcStatus::AuthError => "not authenticated",
        RpcStatus::TransportError => "RDMA_ERROR",
        RpcStatus::Unreadable => "unreadable",
    };
    status.to_owned()
}
