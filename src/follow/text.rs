//! The ladder as text.

use super::run::frames;
use owo_colors::{AnsiColors, OwoColorize as _};
use std::io::{self, Write};
use unicode_width::UnicodeWidthStr as _;
use warpscope_dissector::format::seconds;
use warpscope_dissector::ladder::{Kind, Ladder, Row, drawn, parameters, role};
use warpscope_dissector::mpa::Side;
use warpscope_text::{escaped, wrap_cut};

/// The fewest columns between the two ends.
const NARROWEST: usize = 30;
/// The most columns between the two ends: wider arrows are hard to follow.
const WIDEST: usize = 140;

/// Prints a ladder in the given number of columns.
pub(crate) fn print(
    ladder: &Ladder,
    width: usize,
    coloured: bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    let lines = Lines::new(ladder, width, coloured);
    lines.head(out)?;
    for (index, row) in ladder.rows.iter().enumerate() {
        let quiet = ladder.rows.get(index.wrapping_sub(1)).and_then(|before| before.time);
        lines.pause(quiet, row.time, out)?;
        lines.row(row, out)?;
    }
    lines.foot(out)
}

/// The settings shared by all lines.
struct Lines<'a> {
    ladder: &'a Ladder,
    coloured: bool,
    left: Side,
    /// The widths of the frame numbers and of the time, in columns.
    frames: usize,
    time: usize,
    /// Columns between the two ends.
    lane: usize,
}

impl<'a> Lines<'a> {
    fn new(ladder: &'a Ladder, width: usize, coloured: bool) -> Self {
        let longest = |of: &dyn Fn(&Row) -> usize, least: usize| {
            ladder.rows.iter().map(of).max().unwrap_or(0).max(least)
        };
        let frames = longest(&|row| frames(row.frames).width(), "frame".len());
        let time = |row: &Row| seconds(row.time, ladder.first_time).len();
        let time = longest(&time, "seconds".len());
        let taken = frames + time + 6;
        let lane = width.saturating_sub(taken).clamp(NARROWEST, WIDEST);
        let left = ladder.negotiation.initiator().unwrap_or(Side(0));
        Self { ladder, coloured, left, frames, time, lane }
    }

    fn margin(&self) -> String {
        " ".repeat(self.frames + self.time + 4)
    }

    fn dim(&self, text: &str) -> String {
        if self.coloured { text.dimmed().to_string() } else { text.to_owned() }
    }

    fn head(&self, out: &mut dyn Write) -> io::Result<()> {
        let ladder = self.ladder;
        writeln!(out, "connection {}", ladder.connection.number)?;
        for (name, value) in parameters(&ladder.negotiation) {
            writeln!(out, "  {name:16}  {value}")?;
        }
        let refusal = |row: &&Row| row.kind == Kind::Terminate;
        if let Some(why) = ladder.rows.iter().find(refusal).and_then(|row| row.notes.first()) {
            let lines = wrap_cut(&escaped(why), (self.lane + 2).saturating_sub(20).max(NARROWEST));
            for (index, line) in lines.iter().enumerate() {
                writeln!(out, "  {:16}  {line}", if index == 0 { "Terminate" } else { "" })?;
            }
        }
        if let Some(before) = Some(ladder.left_out.before).filter(|before| *before > 0) {
            writeln!(out, "  {before} rows before the first frame asked for are left out")?;
        }
        writeln!(out)?;
        let end = |side: Side| ladder.connection.ends[side.index()].to_string();
        let (left, right) = (end(self.left), end(self.left.peer()));
        let gap = (self.lane + 2).saturating_sub(left.width() + right.width()).max(2);
        let heading = format!("{:>w$}  {:>t$}", "frame", "seconds", w = self.frames, t = self.time);
        let ends = format!("{left}{}{right}", " ".repeat(gap));
        let ends = if self.coloured { ends.bold().to_string() } else { ends };
        writeln!(out, "{}  {ends}", self.dim(&heading))?;
        let roles = [self.left, self.left.peer()].map(|side| role(&ladder.negotiation, side));
        let [left, right] = roles;
        let gap = (self.lane + 2).saturating_sub(left.width() + right.width()).max(2);
        writeln!(out, "{}{}", self.margin(), self.dim(&format!("{left}{}{right}", " ".repeat(gap))))
    }

    /// Prints a line for a pause without messages.
    fn pause(&self, before: Option<i64>, now: Option<i64>, out: &mut dyn Write) -> io::Result<()> {
        let (Some(before), Some(now)) = (before, now) else { return Ok(()) };
        let span = now.saturating_sub(before);
        if span < 1_000_000_000 {
            return Ok(());
        }
        let words = format!("{} later", warpscope_text::Duration(span));
        let words = self.dim(&format!("{words:^w$}", w = self.lane));
        let edge = self.dim("\u{250a}");
        writeln!(out, "{}{edge}{words}{edge}", self.margin())
    }

    fn row(&self, row: &Row, out: &mut dyn Write) -> io::Result<()> {
        let colour = colour(row.kind);
        let shown_frames = frames(row.frames);
        let frames = format!("{shown_frames:>w$}", w = self.frames);
        let time = seconds(row.time, self.ladder.first_time);
        let left = format!("{frames}  {time:>t$}", t = self.time);
        let rightward = row.from == self.left;
        let label = escaped(&row.label);
        // A space on each side of the label, and four columns of arrow.
        let mut lines = wrap_cut(&label, self.lane.saturating_sub(6));
        let first = if lines.is_empty() { String::new() } else { lines.remove(0) };
        let arrow = drawn(&first, self.lane, rightward, row.arrow, false);
        let arrow = self.paint(&arrow, colour, row.alarm);
        let edge = self.dim("\u{2502}");
        writeln!(out, "{}  {edge}{arrow}{edge}", self.dim(&left))?;
        for line in &lines {
            self.below(line, rightward, colour, row.alarm, out)?;
        }
        for text in &row.notes {
            for line in wrap_cut(&escaped(text), self.lane.saturating_sub(6)) {
                self.below(&line, rightward, None, row.alarm, out)?;
            }
        }
        for finding in &row.findings {
            let text = escaped(&format!("! {}: {}", finding.rule, finding.explanation));
            for line in wrap_cut(&text, self.lane.saturating_sub(6)) {
                self.below(&line, rightward, Some(AnsiColors::BrightRed), true, out)?;
            }
        }
        Ok(())
    }

    fn below(
        &self,
        line: &str,
        rightward: bool,
        colour: Option<AnsiColors>,
        alarm: bool,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let blank = " ".repeat(self.lane.saturating_sub(line.width() + 3));
        let line = match (colour, alarm) {
            (None, false) => self.dim(line),
            (colour, alarm) => self.paint(line, colour, alarm),
        };
        let edge = self.dim("\u{2502}");
        let line =
            if rightward { format!("   {line}{blank}") } else { format!("{blank}{line}   ") };
        writeln!(out, "{}{edge}{line}{edge}", self.margin())
    }

    fn paint(&self, text: &str, colour: Option<AnsiColors>, alarm: bool) -> String {
        match (self.coloured, alarm, colour) {
            (false, ..) => text.to_owned(),
            (true, true, _) => text.color(AnsiColors::BrightRed).to_string(),
            (true, false, Some(colour)) => text.color(colour).to_string(),
            (true, false, None) => text.to_owned(),
        }
    }

    fn foot(&self, out: &mut dyn Write) -> io::Result<()> {
        let left_out = &self.ladder.left_out;
        if self.ladder.rows.is_empty() {
            writeln!(out, "{}nothing to show", self.margin())?;
        }
        let beyond = beyond(&left_out.beyond);
        if !beyond.is_empty() {
            writeln!(out, "\nleft out because of --limit: {beyond}")?;
        }
        if left_out.after > 0 {
            writeln!(out, "\nleft out after the last frame asked for: {} rows", left_out.after)?;
        }
        Ok(())
    }
}

/// Describes what was left out, by kind.
pub(super) fn beyond(counts: &[u64]) -> String {
    let named = Kind::ALL.iter().zip(counts).filter(|(_, count)| **count > 0);
    let named: Vec<String> =
        named.map(|(kind, count)| format!("{count} {}", kind.name())).collect();
    named.join(", ")
}

fn colour(kind: Kind) -> Option<AnsiColors> {
    Some(match kind {
        Kind::Tcp => AnsiColors::BrightBlack,
        Kind::Setup => AnsiColors::Magenta,
        Kind::Send => return None,
        Kind::Call => AnsiColors::Cyan,
        Kind::Reply => AnsiColors::BrightCyan,
        Kind::Write => AnsiColors::Green,
        Kind::Request => AnsiColors::Blue,
        Kind::Response => AnsiColors::BrightBlue,
        Kind::Loss => AnsiColors::Yellow,
        Kind::Terminate | Kind::Unknown | Kind::Finding => AnsiColors::BrightRed,
    })
}
