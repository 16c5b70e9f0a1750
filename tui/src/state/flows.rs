//! The flows view: connections.

use super::{Capture, Cursor, table_columns};
use crate::index::{FlowRow, FoundRow};
use crate::look::Tone;
use crate::text::{self, TextLine, cut, piece};
use std::collections::{HashMap, HashSet};
use warpscope_dissector::format::{
    duration, end, loss_took, losses, role, seconds, setup, sides, silences, span,
};
use warpscope_dissector::ladder::parameters;
use warpscope_dissector::mpa::Side;
use warpscope_dissector::rules::Rule;
use warpscope_dissector::statistics::{End, TerminateSeen};
use warpscope_dissector::table::{again, guessed, loss_time};
use warpscope_text::{counted, escaped, wrap};

table_columns! {
    /// The columns of the flows.
    FLOW_COLUMNS: FlowRow, |row, other, first|
    "flow" right 4 0: row.flow.info.number.to_string(), row.flow.info.number.cmp(&other.flow.info.number);
    "initiator" left 15 0: guessed(&row.flow, 0), guessed(&row.flow, 0).cmp(&guessed(&other.flow, 0));
    "responder" left 15 0: guessed(&row.flow, 1), guessed(&row.flow, 1).cmp(&guessed(&other.flow, 1));
    "start" right 11 7: seconds(row.flow.first.time, first), row.flow.first.frame.cmp(&other.flow.first.frame);
    "duration" right 9 5: span(row.flow.duration()), other.flow.duration().cmp(&row.flow.duration());
    "MPA" left 7 6: setup(&row.flow), setup(&row.flow).cmp(&setup(&other.flow));
    "messages" right 8 3: messages(row).to_string(), messages(other).cmp(&messages(row));
    "bytes" right 7 4: text::bytes(row.flow.opcodes.data()), other.flow.opcodes.data().cmp(&row.flow.opcodes.data());
    // Of the bytes, the initiator's and the responder's.
    "init." right 7 10: text::bytes(sent(row, 0)), sent(other, 0).cmp(&sent(row, 0));
    "resp." right 7 10: text::bytes(sent(row, 1)), sent(other, 1).cmp(&sent(row, 1));
    "in flight" right 9 9: depth(row), most(other).map(|it| it.1).cmp(&most(row).map(|it| it.1));
    "calls" right 6 8: text::some(calls(row)), calls(other).cmp(&calls(row));
    "again" right 6 10: again(&row.flow), repeated(other).cmp(&repeated(row)), Tone::Warn;
    "loss took" right 9 8: loss_time(&row.flow), other.flow.loss_time().cmp(&row.flow.loss_time()), Tone::Warn;
    "skipped" right 8 11: text::some(skipped(row)), skipped(other).cmp(&skipped(row)), Tone::Warn;
    // Its activity over time is drawn as bars.
    "activity" left 10 2: String::new(), other.flow.opcodes.data().cmp(&row.flow.opcodes.data());
    "end" left 22 1: ending(row), ending(row).cmp(&ending(other)), match row.flow.end() {
        End::Rejected | End::Terminated(_) => Tone::Bad,
        End::Reset(_) | End::HalfClosed(_) => Tone::Warn,
        End::Finished(_) | End::Open => Tone::Plain,
    };
    "findings" right 8 1: text::some(row.flow.findings.must + row.flow.findings.should),
        findings(other).cmp(&findings(row)), if row.flow.findings.must > 0 { Tone::Bad } else { Tone::Warn };
}

/// The sort columns, as indices into [`FLOW_COLUMNS`], the most useful first.
pub const FLOW_SORTS: [usize; 10] = [17, 7, 6, 4, 13, 12, 11, 14, 16, 1];

fn messages(row: &FlowRow) -> u64 {
    row.flow.opcodes.total().messages
}

/// Returns the bytes of the user's data that the initiator (0) or the responder (1) sent.
fn sent(row: &FlowRow, role: usize) -> u64 {
    let side = sides(&row.flow).get(role).map_or(0, |side| side.index());
    let rows = row.flow.opcodes.rows().filter(|(opcode, _)| opcode.carries_data());
    rows.filter_map(|(_, sides)| sides.get(side)).map(|sent| sent.bytes).sum()
}

fn calls(row: &FlowRow) -> u64 {
    row.flow.sides.iter().map(|side| side.calls.calls).sum()
}

/// Returns the bytes of retransmitted TCP payload.
fn repeated(row: &FlowRow) -> u64 {
    row.flow.payload_and_repeated().1
}

fn skipped(row: &FlowRow) -> u64 {
    row.flow.sides.iter().map(|side| side.skipped_bytes()).sum()
}

fn findings(row: &FlowRow) -> (u64, u64) {
    (row.flow.findings.must, row.flow.findings.should)
}

/// Returns how it ended. While it may continue, only a definite end is reported.
fn ending(row: &FlowRow) -> String {
    let open = !row.settled && row.flow.end() == End::Open;
    if open { String::from("…") } else { ended(row) }
}

/// Returns how it ended; for a Terminate, including its sender.
fn ended(row: &FlowRow) -> String {
    end(&row.flow).replace("Terminate ", "Terminate by ")
}

/// Returns the side with the most requests in flight, and their number.
fn most(row: &FlowRow) -> Option<(Side, u32)> {
    let all = Side::BOTH.map(|side| (side, row.flow.side(side).most_outstanding));
    all.into_iter().max_by_key(|(_, most)| *most).filter(|(_, most)| *most > 0)
}

fn depth(row: &FlowRow) -> String {
    let Some((side, most)) = most(row) else { return String::new() };
    match row.flow.negotiation.depth(side) {
        Some(limit) => format!("{most}/{limit}"),
        None => most.to_string(),
    }
}

/// Returns the negotiated parameters, wrapped to the width.
fn agreed(row: &FlowRow, columns: usize) -> Vec<TextLine> {
    use unicode_width::UnicodeWidthStr as _;
    let mut lines: Vec<TextLine> = Vec::new();
    let mut used = usize::MAX;
    for (name, value) in parameters(&row.flow.negotiation) {
        let width = name.width() + value.width() + 4;
        if used.saturating_add(width) > columns {
            lines.push(Vec::new());
            used = 0;
        }
        used += width;
        if let Some(line) = lines.last_mut() {
            line.push(piece(Tone::Dim, format!("{name} ")));
            line.push(piece(Tone::Plain, format!("{value}   ")));
        }
    }
    if lines.is_empty() {
        lines.push(vec![piece(Tone::Dim, "no setup frame was captured")]);
    }
    lines
}

/// The width of an opcode's name in the details of a flow.
const NAMES: usize = 26;
/// The headings of the counts of each side.
const COUNTS: &str = " messages segments   bytes ";

/// Returns the details of a flow below the table, in lines of about `columns` columns.
pub fn details(row: &FlowRow, captured_on: Option<&str>, columns: usize) -> Vec<TextLine> {
    let flow = &row.flow;
    let mut lines = agreed(row, columns);
    if let Some(name) = captured_on {
        let name = piece(Tone::Plain, escaped(name));
        lines.insert(0, vec![piece(Tone::Dim, "captured on ".to_owned()), name]);
    }
    let sides = sides(flow);
    // In a narrow screen, shorten names rather than numbers.
    let room = columns.saturating_sub(2 * COUNTS.len()).min(NAMES);
    if flow.opcodes.rows().next().is_some() {
        let [one, other] = sides.map(|side| role(flow, side));
        lines.push(vec![piece(Tone::Dim, format!("{:<room$}{COUNTS}{COUNTS}", ""))]);
        let from = format!(
            "{:<room$}{:>26}{:>27}",
            "",
            format!("from the {one}"),
            format!("from the {other}")
        );
        lines.insert(lines.len() - 1, vec![piece(Tone::Dim, from)]);
    }
    for (opcode, counts) in flow.opcodes.rows() {
        let mut words = format!("{:<room$}", cut(&opcode.name(), room as u16));
        for side in sides {
            let sent = counts.get(side.index()).copied().unwrap_or_default();
            if sent.segments == 0 {
                words += &format!("{:>26} ", "");
                continue;
            }
            let bytes = text::bytes(sent.bytes);
            words += &format!("{:>9}{:>9}{bytes:>8} ", sent.messages, sent.segments);
        }
        lines.push(vec![piece(Tone::Plain, words)]);
    }
    for counts in &flow.operations {
        let Some(latency) = counts.latency.filter(|_| counts.kind.answered()) else { continue };
        let ranks = latency.ranks.unwrap_or([latency.mean; 3]).map(duration);
        let [half, most, nearly] = ranks;
        let name = format!("{} latency", counts.kind.name());
        let most_of_all = duration(latency.maximum);
        lines.push(vec![
            piece(Tone::Plain, format!("{name:<16} ")),
            piece(
                Tone::Plain,
                format!("{half} median, {most} 90 %, {nearly} 99 %, {most_of_all} most"),
            ),
        ]);
    }
    let took = loss_took(flow).map(|words| wrap(&words, columns)).unwrap_or_default();
    lines.splice(0..0, took.into_iter().map(|line| vec![piece(Tone::Warn, line)]));
    for (frame, sentence) in &row.terminates {
        let words = format!("Terminate in frame {frame}: {sentence}");
        let wrapped = wrap(&escaped(&words), columns).into_iter();
        lines.splice(0..0, wrapped.map(|line| vec![piece(Tone::Bad, line)]));
    }
    let unread = |it: &&TerminateSeen| {
        row.terminates.iter().all(|(frame, _)| u64::from(*frame) != it.mark.frame)
    };
    for terminate in flow.terminates.iter().filter(unread) {
        let error = terminate.error.map_or(String::from("unreadable"), |(layer, kind, code)| {
            format!("layer {layer}, type {kind}, code {code:#04x}")
        });
        let words = format!(
            "Terminate by the {} in frame {}: {error}",
            role(flow, terminate.by),
            terminate.mark.frame
        );
        lines.push(vec![piece(Tone::Bad, words)]);
    }
    for side in sides {
        let (counts, role) = (flow.side(side), role(flow, side));
        let mut words = Vec::new();
        if !counts.is_clean() {
            words.push(format!("losses {role}: {}", losses(counts)));
        }
        if counts.over_depth > 0 {
            let over = counted(counts.over_depth, "request");
            words.push(format!("{over} of the {role} beyond the in-flight limit"));
        }
        let wrapped = words.iter().flat_map(|words| wrap(words, columns));
        lines.extend(wrapped.map(|line| vec![piece(Tone::Warn, line)]));
    }
    let findings = flow.findings;
    if findings.must + findings.should > 0 {
        let words = format!("findings: {} MUST, {} SHOULD", findings.must, findings.should);
        let tone = if findings.must > 0 { Tone::Bad } else { Tone::Warn };
        lines.push(vec![piece(tone, words)]);
    }
    let open = !row.settled && flow.end() == End::Open;
    let ended = if open { "still open".to_owned() } else { ended(row) };
    lines.push(vec![piece(Tone::Dim, "end "), piece(Tone::Plain, ended)]);
    if row.settled {
        let lead = ["silence "].into_iter().chain(std::iter::repeat("  "));
        let silences = lead
            .zip(silences(flow))
            .flat_map(|(lead, words)| wrap(&format!("{lead}{words}"), columns));
        lines.extend(silences.map(|line| vec![piece(Tone::Plain, line)]));
    }
    lines
}

// The findings view: broken rules, each with its places.

impl Capture {
    /// Returns the side at fault, `responder`, and its address; nothing if it is unknown.
    pub fn at_fault(&self, found: &FoundRow) -> Option<(&'static str, String)> {
        let (side, row) = (found.at_fault?, self.flow(found.flow)?);
        let end = row.flow.info.ends.get(side.index())?;
        Some((role(&row.flow, side), end.address.to_string()))
    }
}

/// A line of the findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FindingLine {
    /// A rule, and the number of its violations.
    Rule(&'static Rule, usize),
    /// A place: an index into the findings.
    Place(usize),
}

/// The findings view.
#[derive(Debug, Clone, Default)]
pub struct FindingsView {
    /// The selected line and the visible part.
    pub cursor: Cursor,
    /// The lines.
    pub lines: Vec<FindingLine>,
    /// The names of the rules whose places are shown.
    pub open: HashSet<&'static str>,
    /// The line that stays selected when the list is rebuilt.
    pub kept: Option<FindingLine>,
    /// The first place of each listed rule.
    firsts: HashMap<&'static str, usize>,
}

impl FindingsView {
    /// Rebuilds the list: MUSTs before SHOULDs, then by the number of violations. The selected line stays
    /// selected, or that of its rule.
    pub fn list(&mut self, found: &[FoundRow], wanted: impl Fn(&FoundRow) -> bool, page: usize) {
        self.kept = self.kept.or(self.lines.get(self.cursor.selected).copied());
        let mut rules: Vec<(&'static Rule, Vec<usize>)> = Vec::new();
        for (index, row) in found.iter().enumerate().filter(|(_, row)| wanted(row)) {
            match rules.iter_mut().find(|(rule, _)| *rule == row.rule) {
                Some((_, places)) => places.push(index),
                None => rules.push((row.rule, vec![index])),
            }
        }
        rules.sort_by(|(one, places), (other, others)| {
            other.level.cmp(&one.level).then(others.len().cmp(&places.len()))
        });
        self.lines.clear();
        self.firsts.clear();
        for (rule, places) in rules {
            self.firsts.extend(places.first().map(|first| (rule.id, *first)));
            self.lines.push(FindingLine::Rule(rule, places.len()));
            if self.open.contains(rule.id) {
                self.lines.extend(places.into_iter().map(FindingLine::Place));
            }
        }
        let rule = |line: &FindingLine| match line {
            FindingLine::Rule(rule, _) => Some(*rule),
            FindingLine::Place(index) => found.get(*index).map(|row| row.rule),
        };
        let kept = self.kept.and_then(|kept| {
            let same = |line: &FindingLine| matches!(kept, FindingLine::Place(_)) && *line == kept;
            let place = self.lines.iter().position(same);
            place.or_else(|| self.lines.iter().position(|line| rule(line) == rule(&kept)))
        });
        self.cursor.choose(kept.unwrap_or(self.cursor.selected), self.lines.len(), page);
    }

    /// Returns the number of listed findings, including those of closed rules.
    pub fn count(&self) -> usize {
        let count = |line: &FindingLine| match line {
            FindingLine::Rule(_, count) => *count,
            FindingLine::Place(_) => 0,
        };
        self.lines.iter().map(count).sum()
    }

    /// Returns the selected place; for a rule, its first one.
    pub fn chosen<'a>(&self, capture: &'a Capture) -> Option<&'a FoundRow> {
        match self.lines.get(self.cursor.selected)? {
            FindingLine::Place(index) => capture.found.get(*index),
            FindingLine::Rule(rule, _) => capture.found.get(*self.firsts.get(rule.id)?),
        }
    }

    /// Returns the selected rule.
    pub fn rule(&self, capture: &Capture) -> Option<&'static Rule> {
        match self.lines.get(self.cursor.selected)? {
            FindingLine::Rule(rule, _) => Some(rule),
            FindingLine::Place(index) => capture.found.get(*index).map(|row| row.rule),
        }
    }
}
