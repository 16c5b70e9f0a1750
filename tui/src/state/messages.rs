//! The messages view: frames by what is in them, with tree and bytes.

use super::{Capture, Columns, Cursor, Rows, TreePane};
use crate::event::LinesAsked;
use crate::state::index::{Entry, Flags};
use std::collections::HashMap;
use warpscope_dissector::dissect::Line;
use warpscope_dissector::field::Field;

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

/// What is known of a row.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MessageRow {
    /// The frame's line.
    pub line: Line,
    /// The values of fields that are columns.
    pub values: Vec<(&'static Field, String)>,
}

impl MessageRow {
    /// The values of a field; none when it was not asked for.
    pub fn value(&self, field: &'static Field) -> Option<&str> {
        let found = self.values.iter().find(|(of, _)| std::ptr::eq(*of, field));
        found.map(|(_, value)| value.as_str())
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
