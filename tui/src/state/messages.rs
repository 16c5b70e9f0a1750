//! The messages view: frames by what is in them, with tree and octets.

use super::{Capture, Cursor, Rows, TreePane};
use crate::state::index::{Entry, Flags};
use std::collections::HashMap;
use warpscope_dissector::dissect::Line;

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
    pub fn words(self) -> &'static str {
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

/// A column of the messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MessageColumn {
    /// The frame's number.
    Frame,
    /// Seconds since the first frame.
    Time,
    /// Time since the row before.
    Delta,
    /// The flow's number.
    Flow,
    /// Which way it went.
    Way,
    /// Where it came from.
    Source,
    /// Where it went.
    Destination,
    /// The innermost protocol.
    Protocol,
    /// Octets on the wire.
    Length,
    /// What it says.
    Info,
}

/// Every column: its name, and whether it is shown at first.
pub const MESSAGE_COLUMNS: [(MessageColumn, &str, bool); 10] = [
    (MessageColumn::Frame, "frame", true),
    (MessageColumn::Time, "seconds", true),
    (MessageColumn::Delta, "delta", false),
    (MessageColumn::Flow, "flow", true),
    (MessageColumn::Way, "way", true),
    (MessageColumn::Source, "source", false),
    (MessageColumn::Destination, "destination", false),
    (MessageColumn::Protocol, "protocol", true),
    (MessageColumn::Length, "length", true),
    (MessageColumn::Info, "info", true),
];

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
    /// Whether tree and octets are shown.
    pub detail: bool,
    /// Columns shown, by their place in [`MESSAGE_COLUMNS`].
    pub columns: Vec<bool>,
    /// The first column of the info that is seen.
    pub shift: usize,
    /// Lines at hand.
    pub lines: HashMap<u32, Line>,
    /// Lines that were asked for.
    pub asked: Option<Vec<u32>>,
    /// The tree and the octets.
    pub tree: TreePane,
}

impl Default for MessagesView {
    fn default() -> Self {
        Self {
            cursor: Cursor::default(),
            rows: Rows::default(),
            density: Density::default(),
            detail: true,
            columns: MESSAGE_COLUMNS.iter().map(|(_, _, shown)| *shown).collect(),
            shift: 0,
            lines: HashMap::new(),
            asked: None,
            tree: TreePane::default(),
        }
    }
}

impl MessagesView {
    /// Keeps lines.
    pub fn keep(&mut self, lines: Vec<(u32, Line)>) {
        if self.lines.len() + lines.len() > LINES {
            self.lines.clear();
        }
        self.lines.extend(lines);
    }

    /// Whether a column is shown.
    pub fn shows(&self, column: MessageColumn) -> bool {
        let all = MESSAGE_COLUMNS.iter().zip(&self.columns);
        all.into_iter().any(|((each, _, _), shown)| *each == column && *shown)
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
