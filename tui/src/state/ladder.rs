//! The ladder view: the conversation of a flow.

use super::Cursor;
use crate::format::seconds;
use std::sync::Arc;
use warpscope_dissector::ladder::Ladder;

/// A line of the ladder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LadderLine {
    /// A row's arrow.
    Row(usize),
    /// A note of a row.
    Note(usize, usize),
    /// A finding of a row.
    Finding(usize, usize),
    /// So many nanoseconds in which nothing happened.
    Pause(i64),
    /// A part of such a time, where time is drawn to scale.
    Quiet,
}

impl LadderLine {
    /// The row that it is of.
    pub fn row(self) -> Option<usize> {
        match self {
            Self::Row(row) | Self::Note(row, _) | Self::Finding(row, _) => Some(row),
            Self::Pause(_) | Self::Quiet => None,
        }
    }
}

/// A time without messages that is told, in nanoseconds.
const PAUSE: i64 = 1_000_000_000;
/// The most lines for one such time where time is drawn to scale.
const QUIET: i64 = 8;

/// The ladder view.
#[derive(Debug, Clone, Default)]
pub struct LadderView {
    /// The flow that is wanted.
    pub flow: Option<u32>,
    /// The ladder at hand, and its flow; none for a flow that there is not.
    pub ladder: Option<(u32, Option<Arc<Ladder>>)>,
    /// The flow that was asked for.
    pub asked: Option<u32>,
    /// The last frame of the flow that was known when it was asked for.
    pub upto: u64,
    /// Whether it is to be drawn anew when more of the flow has come.
    pub renew: bool,
    /// The chosen line, and what is seen.
    pub cursor: Cursor,
    /// The lines.
    pub lines: Vec<LadderLine>,
    /// Columns that the frames of its rows need, and their times.
    pub widths: (usize, usize),
    /// Whether time is drawn to scale.
    pub scaled: bool,
    /// The frame that is to be chosen once the ladder is there.
    pub seek: Option<u32>,
}

/// The frames of a row: one, or the first and the last of several.
pub fn frames_text((first, last): (u64, u64)) -> String {
    if first == last { last.to_string() } else { format!("{first}-{last}") }
}

fn widths(ladder: &Ladder) -> (usize, usize) {
    let frames = ladder.rows.iter().map(|row| frames_text(row.frames).len()).max();
    let times = ladder.rows.iter().map(|row| seconds(row.time, ladder.first_time).len()).max();
    (frames.unwrap_or(0).max(5), times.unwrap_or(0).max(7))
}

impl LadderView {
    /// The ladder at hand.
    pub fn at_hand(&self) -> Option<&Ladder> {
        self.ladder.as_ref().and_then(|(_, ladder)| ladder.as_deref())
    }

    /// Takes a ladder.
    pub fn take(&mut self, flow: u32, ladder: Option<Arc<Ladder>>, page: usize) {
        if self.ladder.as_ref().is_none_or(|(known, _)| *known != flow) {
            self.cursor = Cursor::default();
        }
        self.ladder = Some((flow, ladder));
        self.list(page);
    }

    /// Makes the lines anew.
    pub fn list(&mut self, page: usize) {
        let chosen = self.chosen();
        self.lines.clear();
        let Some((_, Some(ladder))) = &self.ladder else { return };
        self.widths = widths(ladder);
        let times = || ladder.rows.iter().filter_map(|row| row.time);
        let (first, last) = (times().min().unwrap_or(0), times().max().unwrap_or(0));
        // To scale, a line is a third of what a row takes on average.
        let unit = last.saturating_sub(first) / (3 * ladder.rows.len().max(1) as i64);
        let mut before = None;
        for (index, row) in ladder.rows.iter().enumerate() {
            let quiet =
                row.time.zip(before).map_or(0, |(now, before)| i64::saturating_sub(now, before));
            if self.scaled && unit > 0 {
                let lines = quiet / unit;
                if lines > QUIET {
                    self.lines.push(LadderLine::Pause(quiet));
                }
                let lines = lines.clamp(0, QUIET);
                self.lines.extend((0..lines).map(|_| LadderLine::Quiet));
            } else if quiet >= PAUSE {
                self.lines.push(LadderLine::Pause(quiet));
            }
            before = row.time.or(before);
            self.lines.push(LadderLine::Row(index));
            self.lines.extend((0..row.notes.len()).map(|note| LadderLine::Note(index, note)));
            let findings = (0..row.findings.len()).map(|at| LadderLine::Finding(index, at));
            self.lines.extend(findings);
        }
        let sought = self.seek.take().and_then(|frame| {
            let rows = &ladder.rows;
            rows.iter().position(|row| row.frames.1 >= u64::from(frame))
        });
        let wanted = sought.or(chosen).map(LadderLine::Row);
        let line = wanted.and_then(|wanted| self.lines.iter().position(|line| *line == wanted));
        self.cursor.jump(line.unwrap_or(0), self.lines.len(), page);
    }

    /// The chosen row of the ladder.
    pub fn chosen(&self) -> Option<usize> {
        let lines = self.lines.get(self.cursor.selected..)?;
        lines.iter().find_map(|line| line.row())
    }

    /// The last frame of the chosen row.
    pub fn chosen_frame(&self) -> Option<u32> {
        let row = self.at_hand()?.rows.get(self.chosen()?)?;
        u32::try_from(row.frames.1).ok()
    }

    /// Goes to the row that answers the chosen one, or that it answers; false when there is none.
    pub fn partner(&mut self, page: usize) -> bool {
        let row = self.chosen().and_then(|row| self.at_hand()?.rows.get(row));
        let other = row.and_then(|row| {
            row.answered_by.or_else(|| row.answers.as_ref().and_then(|answer| answer.row))
        });
        let line = other
            .and_then(|other| self.lines.iter().position(|line| *line == LadderLine::Row(other)));
        if let Some(line) = line {
            self.cursor.jump(line, self.lines.len(), page);
        }
        line.is_some()
    }
}
