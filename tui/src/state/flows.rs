//! The flows view: connections.

use super::{Capture, Cursor};
use crate::index::{FlowRow, FoundRow};
use crate::look::Tone;
use crate::text;
use crate::text::{TextLine, piece};
use std::cmp::Ordering;
use std::collections::HashSet;
use warpscope_dissector::format::{duration, end, role, setup, sides, span};
use warpscope_dissector::ladder::parameters;
use warpscope_dissector::mpa::Side;
use warpscope_dissector::rules::Rule;
use warpscope_dissector::statistics::End;

/// A column of the flows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FlowColumn {
    /// The flow's number.
    Number,
    /// The initiator, or the first end.
    Initiator,
    /// The other end.
    Responder,
    /// When it began.
    Start,
    /// How long it lasted.
    Duration,
    /// Revision, CRC and markers.
    Setup,
    /// Messages.
    Messages,
    /// Bytes of the user's data.
    Bytes,
    /// The most requests in flight, and the limit.
    Depth,
    /// RPC calls.
    Calls,
    /// Bytes skipped.
    Skipped,
    /// What it moved over its time.
    Activity,
    /// How it ended.
    End,
    /// Findings.
    Findings,
}

/// Every column, in the order in which they stand.
pub const FLOW_COLUMNS: [(FlowColumn, &str); 14] = [
    (FlowColumn::Number, "flow"),
    (FlowColumn::Initiator, "initiator"),
    (FlowColumn::Responder, "responder"),
    (FlowColumn::Start, "start"),
    (FlowColumn::Duration, "duration"),
    (FlowColumn::Setup, "MPA"),
    (FlowColumn::Messages, "messages"),
    (FlowColumn::Bytes, "bytes"),
    (FlowColumn::Depth, "in flight"),
    (FlowColumn::Calls, "calls"),
    (FlowColumn::Skipped, "skipped"),
    (FlowColumn::Activity, "activity"),
    (FlowColumn::End, "end"),
    (FlowColumn::Findings, "findings"),
];

/// Columns that the table is sorted by, by their places in [`FLOW_COLUMNS`], those asked for most first.
pub const FLOW_SORTS: [usize; 8] = [13, 7, 6, 4, 9, 10, 12, 1];

impl FlowColumn {
    /// What stands in the column; nothing for [`FlowColumn::Activity`], which is drawn.
    pub fn text(self, row: &FlowRow, first_time: Option<i64>) -> String {
        let flow = &row.flow;
        let first = flow.first_side();
        let address = |side: Side| flow.info.ends[side.index()].to_string();
        let unsure = if flow.initiator().is_none() { "?" } else { "" };
        match self {
            Self::Number => flow.info.number.to_string(),
            Self::Initiator => format!("{}{unsure}", address(first)),
            Self::Responder => format!("{}{unsure}", address(first.peer())),
            Self::Start => text::seconds(flow.first.time, first_time),
            Self::Duration => span(flow.duration()),
            Self::Setup => setup(flow),
            Self::Messages => flow.opcodes.total().messages.to_string(),
            Self::Bytes => text::bytes(flow.opcodes.data()),
            Self::Depth => depth(row),
            Self::Calls => text::some(flow.sides.iter().map(|side| side.calls.calls).sum()),
            Self::Skipped => text::some(flow.sides.iter().map(|side| side.skipped_bytes()).sum()),
            Self::Activity => String::new(),
            Self::End if row.settled => end(flow),
            // It may go on: only that it is over can be said before.
            Self::End if flow.end() == End::Open => String::from("…"),
            Self::End => end(flow),
            Self::Findings => text::some(flow.findings.must + flow.findings.should),
        }
    }

    /// Which of two rows comes first when the table is sorted by the column.
    pub fn compare(self, one: &FlowRow, other: &FlowRow) -> Ordering {
        let number = |of: &dyn Fn(&FlowRow) -> u64| of(other).cmp(&of(one));
        match self {
            Self::Number => one.flow.info.number.cmp(&other.flow.info.number),
            Self::Start => one.flow.first.frame.cmp(&other.flow.first.frame),
            Self::Duration => other.flow.duration().cmp(&one.flow.duration()),
            Self::Messages => number(&|row| row.flow.opcodes.total().messages),
            Self::Bytes | Self::Activity => number(&|row| row.flow.opcodes.data()),
            Self::Depth => number(&|row| most(row).map_or(0, |(_, most)| most.into())),
            Self::Calls => number(&|row| row.flow.sides.iter().map(|side| side.calls.calls).sum()),
            Self::Skipped => {
                number(&|row| row.flow.sides.iter().map(|side| side.skipped_bytes()).sum())
            }
            Self::Findings => number(&|row| {
                row.flow.findings.must.saturating_mul(1 << 32) + row.flow.findings.should
            }),
            Self::Initiator | Self::Responder | Self::Setup | Self::End => {
                self.text(one, None).cmp(&self.text(other, None))
            }
        }
    }
}

/// The side with the most requests in flight, and how many.
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

/// What was agreed on, as many words a line as there is room for.
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

/// What is told of a flow below the table, in lines of about so many columns.
pub fn details(row: &FlowRow, columns: usize) -> Vec<TextLine> {
    let flow = &row.flow;
    let mut lines = agreed(row, columns);
    let sides = sides(flow);
    if flow.opcodes.rows().next().is_some() {
        let names = format!("{:>8}{:>9}{:>8}", "messages", "segments", "bytes");
        let [one, other] = sides.map(|side| role(flow, side));
        lines.push(vec![piece(Tone::Dim, format!("{:<26}{names} {names}", ""))]);
        let from = format!(
            "{:<26}{:>25}{:>26}",
            "",
            format!("from the {one}"),
            format!("from the {other}")
        );
        lines.insert(lines.len() - 1, vec![piece(Tone::Dim, from)]);
    }
    for (opcode, counts) in flow.opcodes.rows() {
        let mut words = format!("{:<26}", opcode.name());
        for side in sides {
            let sent = counts.get(side.index()).copied().unwrap_or_default();
            if sent.segments == 0 {
                words += &format!("{:>25} ", "");
                continue;
            }
            let bytes = text::bytes(sent.bytes);
            words += &format!("{:>8}{:>9}{bytes:>8} ", sent.messages, sent.segments);
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
    for terminate in &flow.terminates {
        let error = terminate.error.map_or(String::from("unreadable"), |(layer, kind, code)| {
            format!("layer {layer}, type {kind}, code {code:#04x}")
        });
        let words = format!(
            "Terminate of the {} in frame {}: {error}",
            role(flow, terminate.by),
            terminate.mark.frame
        );
        lines.push(vec![piece(Tone::Bad, words)]);
    }
    for side in sides {
        let counts = flow.side(side);
        let mut wrong = Vec::new();
        for (number, what) in [
            (counts.crc[1], "bad CRCs"),
            (counts.marker_mismatches, "wrong markers"),
            (counts.tcp.repeated, "bytes again"),
            (counts.tcp.out_of_order, "segments out of order"),
            (counts.skipped_bytes(), "bytes skipped"),
            (counts.over_depth, "requests beyond the limit"),
        ] {
            if number > 0 {
                wrong.push(format!("{number} {what}"));
            }
        }
        if !wrong.is_empty() {
            let words = format!("from the {}: {}", role(flow, side), wrong.join(", "));
            lines.push(vec![piece(Tone::Warn, words)]);
        }
    }
    let findings = flow.findings;
    if findings.must + findings.should > 0 {
        let words = format!("findings: {} of MUSTs, {} of SHOULDs", findings.must, findings.should);
        let tone = if findings.must > 0 { Tone::Bad } else { Tone::Warn };
        lines.push(vec![piece(tone, words)]);
    }
    let open = !row.settled && flow.end() == End::Open;
    let ended = if open { "it goes on".to_owned() } else { end(flow) };
    lines.push(vec![piece(Tone::Dim, "end "), piece(Tone::Plain, ended)]);
    lines
}

// The findings view: rules that are broken, each with its places.

/// A line of the findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FindingLine {
    /// A rule, and how often it was broken.
    Rule(&'static Rule, usize),
    /// A place: an index into the findings.
    Place(usize),
}

/// The findings view.
#[derive(Debug, Clone, Default)]
pub struct FindingsView {
    /// The chosen line, and what is seen.
    pub cursor: Cursor,
    /// The lines.
    pub lines: Vec<FindingLine>,
    /// Rules whose places are shown, by their names.
    pub open: HashSet<&'static str>,
}

impl FindingsView {
    /// Lists anew: MUSTs before SHOULDs, and what was broken most often first.
    pub fn list(&mut self, found: &[FoundRow], flow: Option<u32>, page: usize) {
        let mut rules: Vec<(&'static Rule, Vec<usize>)> = Vec::new();
        let wanted = |row: &FoundRow| flow.is_none_or(|flow| row.flow == flow);
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
        for (rule, places) in rules {
            self.lines.push(FindingLine::Rule(rule, places.len()));
            if self.open.contains(rule.id) {
                self.lines.extend(places.into_iter().map(FindingLine::Place));
            }
        }
        self.cursor.choose(self.cursor.selected, self.lines.len(), page);
    }

    /// The chosen place; of a rule the first one.
    pub fn chosen<'a>(&self, capture: &'a Capture) -> Option<&'a FoundRow> {
        match self.lines.get(self.cursor.selected)? {
            FindingLine::Place(index) => capture.found.get(*index),
            FindingLine::Rule(rule, _) => capture.found.iter().find(|row| row.rule == *rule),
        }
    }

    /// The chosen rule.
    pub fn rule(&self, capture: &Capture) -> Option<&'static Rule> {
        match self.lines.get(self.cursor.selected)? {
            FindingLine::Rule(rule, _) => Some(rule),
            FindingLine::Place(index) => capture.found.get(*index).map(|row| row.rule),
        }
    }
}
