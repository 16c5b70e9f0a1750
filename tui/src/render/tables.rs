//! Tables: the columns that fit, and the visible rows.

use super::frame::{self, Canvas};
use super::panes;
use crate::action::{self, Action};
use crate::format::{NONE, nothing};
use crate::index::{Entry, Flags};
use crate::layout::{self, Pane, View};
use crate::look::Tone;
use crate::state::{
    Choice, Cursor, FLOW_COLUMNS, FindingLine, MessageColumn, MessagesView, State, TableColumn,
    TableView, TimeDisplay, flow_details,
};
use crate::text::{TextLine, column_head, piece};
use ratatui::layout::Rect;
use std::borrow::Cow;
use unicode_width::UnicodeWidthStr as _;
use warpscope_dissector::field::{Display, Field, Kind};
use warpscope_dissector::rules::Level;
use warpscope_text::{counted, wrap};

#[derive(Debug, Clone, Copy)]
pub(super) struct Column {
    /// Its heading.
    pub(super) name: &'static str,
    /// Columns of the screen that it needs.
    pub(super) width: u16,
    /// Whether it is right-aligned.
    pub(super) right: bool,
    /// Its rank: if space is scarce, the highest rank is removed first; 0 is never removed.
    pub(super) rank: u8,
    /// Whether it takes the remaining width.
    pub(super) grows: bool,
}

impl<R> From<&TableColumn<R>> for Column {
    fn from(column: &TableColumn<R>) -> Self {
        let TableColumn { name, width, right, rank, .. } = *column;
        Self { name, width, right, rank, grows: false }
    }
}

pub(super) const fn left(name: &'static str, width: u16, rank: u8) -> Column {
    Column { name, width, right: false, rank, grows: false }
}

pub(super) const fn right(name: &'static str, width: u16, rank: u8) -> Column {
    Column { name, width, right: true, rank, grows: false }
}

/// Creates a left-aligned column that takes the remaining width.
pub(super) const fn growing(name: &'static str, width: u16, rank: u8) -> Column {
    Column { name, width, right: false, rank, grows: true }
}

/// A column that fits: its index, its start, its width.
pub(super) type Placed = (usize, u16, u16);

/// Returns the columns that fit. A growing column takes the remaining width, else the last one does.
pub(super) fn place(columns: &[Column], area: Rect) -> Vec<Placed> {
    let mut ranked: Vec<(usize, &Column)> = columns.iter().enumerate().collect();
    ranked.sort_by_key(|(_, column)| column.rank);
    let (mut used, mut kept) = (0, Vec::new());
    // A narrow column may fit even if a wider one of a lower rank does not.
    for (index, column) in ranked {
        if column.rank == 0 || used + column.width < area.width {
            used += column.width + 1;
            kept.push(index);
        }
    }
    kept.sort_unstable();
    let mut x = area.x + 1;
    let spare = area.width.saturating_sub(used);
    let grows = |index: &usize| columns.get(*index).is_some_and(|column| column.grows);
    let growing = kept.iter().position(grows);
    let last = kept.len().saturating_sub(1);
    let mut placed = Vec::new();
    for (at, index) in kept.into_iter().enumerate() {
        let Some(column) = columns.get(index) else { continue };
        let room = area.right().saturating_sub(x);
        if room == 0 {
            break;
        }
        let width = match growing {
            Some(growing) if growing == at => (column.width + spare).min(room),
            None if at == last && !column.right => room,
            _ => column.width.min(room),
        };
        placed.push((index, x, width));
        x = x.saturating_add(width + 1);
    }
    placed
}

/// A table's area, and its selection.
pub(super) struct Table<'a> {
    pub(super) area: Rect,
    pub(super) columns: &'a [Column],
    pub(super) cursor: Cursor,
    pub(super) count: usize,
    pub(super) has_keys: bool,
    /// The column by which it is sorted, and whether the order is reversed.
    pub(super) sort: Option<(usize, bool)>,
    /// The column in which bars are drawn.
    pub(super) bars: Option<usize>,
    /// The text shown if there are no rows.
    pub(super) nothing: Cow<'static, str>,
}

impl Table<'_> {
    /// Draws the head, and calls `draw` for every column of every visible row.
    pub(super) fn draw(
        &self,
        canvas: &mut Canvas<'_>,
        mut draw: impl FnMut(&mut Canvas<'_>, usize, Cell),
    ) {
        let placed = place(self.columns, self.area);
        let area = self.area;
        if area.height == 0 {
            return;
        }
        canvas.head(area, "", self.has_keys);
        for (index, x, width) in &placed {
            let Some(column) = self.columns.get(*index) else { continue };
            let sorted = self.sort.filter(|(by, _)| by == index);
            let tone = match (sorted, self.has_keys) {
                (Some(_), _) => Tone::Accent,
                (None, true) => Tone::Heading,
                (None, false) => Tone::Dim,
            };
            let end = if column.right {
                canvas.right(*x, area.y, *width, column.name, tone);
                x + width
            } else {
                canvas.text(*x, area.y, *width, column.name, tone)
            };
            if let Some((_, reverse)) = sorted {
                let mark = match reverse {
                    false => canvas.look.either("▼", "v"),
                    true => canvas.look.either("▲", "^"),
                };
                canvas.text(end, area.y, 1, mark, tone);
            }
        }
        let rows = usize::from(area.height - 1);
        for (line, row) in (self.cursor.top..self.count).take(rows).enumerate() {
            let y = area.y + 1 + line as u16;
            for (index, x, width) in &placed {
                let right = self.columns.get(*index).is_some_and(|column| column.right);
                draw(canvas, row, Cell { column: *index, x: *x, y, width: *width, right });
            }
            if row == self.cursor.selected {
                canvas.lay(area, y, canvas.look.chosen(self.has_keys));
                let bars = placed.iter().filter(|(index, ..)| Some(*index) == self.bars);
                for (_, x, width) in bars {
                    let area = Rect { x: *x, width: *width, ..area };
                    canvas.lay(area, y, canvas.look.chosen_bars());
                }
            }
        }
        if self.count == 0 && area.height > 1 {
            canvas.text(area.x + 1, area.y + 1, area.width, &self.nothing, Tone::Dim);
        }
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Cell {
    pub(super) column: usize,
    x: u16,
    pub(super) y: u16,
    pub(super) width: u16,
    right: bool,
}

impl Cell {
    pub(super) fn write(self, canvas: &mut Canvas<'_>, text: &str, tone: Tone) {
        if self.right {
            canvas.right(self.x, self.y, self.width, text, tone);
        } else {
            canvas.text(self.x, self.y, self.width, text, tone);
        }
    }
}

// The columns of the messages: their widths, and the panel to select them.

/// The maximum width of a field's values.
const WIDEST: usize = 24;
/// The maximum width of a heading whose values are shorter.
const HEAD: usize = 18;

/// Returns the screen column of a column of the messages.
pub(super) fn column(view: &MessagesView, choice: &Choice) -> Column {
    match choice.column {
        MessageColumn::Frame => right("frame", 7, 0),
        MessageColumn::Time => match (view.time, view.reference) {
            (TimeDisplay::Relative, None) => right("seconds", 11, 2),
            (TimeDisplay::Relative, Some(_)) => right("since ref.", 11, 2),
            (TimeDisplay::Absolute, _) => right("time (UTC)", 15, 2),
            (TimeDisplay::Delta, _) => right("since row", 11, 2),
        },
        MessageColumn::Delta => right("delta", 9, 4),
        MessageColumn::Flow => right("flow", 4, 3),
        MessageColumn::Way => left("way", 3, 1),
        MessageColumn::Source => left("source", 15, 5),
        MessageColumn::Destination => left("destination", 15, 6),
        MessageColumn::Protocol => left("protocol", 9, 5),
        MessageColumn::Length => right("length", 6, 4),
        MessageColumn::Info => growing("info", 20, 0),
        MessageColumn::Field(field) => of_field(field, choice.widest),
    }
}

/// The minimum width of a field's column: a name may be one letter.
const LEAST: usize = 2;

/// Returns a field's column: as wide as its name and the values seen so far. It is the last to be removed.
fn of_field(field: &'static Field, widest: usize) -> Column {
    let head = column_head(field);
    let (most, flush_right) = match (field.kind, field.display) {
        (Kind::AbsoluteTime, _) => (31, false),
        (Kind::Unsigned(_) | Kind::FrameNumber | Kind::RelativeTime, Display::Plain) => {
            (WIDEST, true)
        }
        _ => (WIDEST, false),
    };
    let width = u16::try_from(widest.min(most).max(head.width().clamp(LEAST, HEAD))).unwrap_or(0);
    if flush_right { right(head, width, 1) } else { left(head, width, 1) }
}

/// Draws the panel for selecting columns.
pub(super) fn draw_columns(state: &State, canvas: &mut Canvas<'_>, body: Rect) {
    let columns = &state.messages.columns;
    let area = layout::columns(body, state.share);
    let blank = " ".repeat(area.width.into());
    for y in area.y..area.bottom() {
        canvas.text(area.x, y, area.width, &blank, Tone::Plain);
        canvas.lay(area, y, ratatui::style::Style::reset().patch(canvas.look.page()));
    }
    canvas.head(area, "columns, from left to right", true);
    let shown: Vec<MessageColumn> = columns.shown().collect();
    let wanted: Vec<Column> =
        columns.choices().map(|choice| column(&state.messages, choice)).collect();
    let placed = place(&wanted, layout::messages(body, state.messages.detail, 0, state.share).list);
    let has_room =
        |column: MessageColumn| placed.iter().any(|(index, ..)| shown.get(*index) == Some(&column));
    let choices = columns.list.iter().enumerate().skip(columns.cursor.top);
    for ((at, choice), y) in choices.zip(area.y + 1..area.bottom()) {
        let words = choice.column.describe();
        let (mark, tone, words, words_tone) = match (choice.shown, has_room(choice.column)) {
            (true, true) => ("+", Tone::Good, words, Tone::Dim),
            (true, false) => ("+", Tone::Warn, "no room on this screen", Tone::Warn),
            (false, _) => ("-", Tone::Dim, words, Tone::Dim),
        };
        let line = format!(" {mark} {:<36} ", choice.column.name());
        let x = canvas.text(area.x, y, area.width, &line, tone);
        canvas.text(x, y, area.right().saturating_sub(x), words, words_tone);
        if at == columns.cursor.selected {
            canvas.lay(area, y, canvas.look.chosen(true));
        }
    }
}

// The flows view: connections, and the details of the selected one.

pub(super) fn draw_flows(state: &State, canvas: &mut Canvas<'_>, body: Rect) {
    let areas = layout::parts(View::Flows, body, state.share);
    let capture = &state.capture;
    let first_time = capture.frames.first_time();
    let seen = state.flows.order.iter().skip(state.flows.cursor.top).take(areas.list.height.into());
    let seen = seen.filter_map(|row| capture.flows.get(*row as usize));
    let mut columns: Vec<Column> = FLOW_COLUMNS.iter().map(Column::from).collect();
    for flow in seen {
        for (column, place) in columns.iter_mut().zip(FLOW_COLUMNS) {
            if matches!(place.name, "initiator" | "responder") {
                let width = (place.text)(flow, None).len();
                column.width = column.width.max(u16::try_from(width).unwrap_or(u16::MAX).min(45));
            }
        }
    }
    let table = Table {
        area: areas.list,
        columns: &columns,
        cursor: state.flows.cursor,
        count: state.flows.order.len(),
        has_keys: true,
        sort: state.flows.sort.map(|column| (column, state.flows.reverse)),
        bars: FLOW_COLUMNS.iter().position(|column| column.name == "activity"),
        nothing: nothing(state),
    };
    table.draw(canvas, |canvas, row, cell| {
        let index = state.flows.order.get(row).copied().unwrap_or(u32::MAX);
        let Some(flow) = capture.flows.get(index as usize) else { return };
        let Some(column) = FLOW_COLUMNS.get(cell.column) else { return };
        if column.name == "activity" {
            let heights = flow.spark.heights(usize::from(cell.width.min(16)));
            let bars: String = heights.iter().map(|it| canvas.look.height(*it)).collect();
            cell.write(canvas, &bars, Tone::Accent);
            return;
        }
        cell.write(canvas, &(column.text)(flow, first_time), (column.tone)(flow));
    });
    let chosen = state.flows.of(&capture.flows);
    let name = chosen.map_or(String::new(), |row| format!("flow {}", row.flow.info.number));
    canvas.head(areas.detail, &name, false);
    if let Some(row) = chosen {
        let below = frame::below_head(areas.detail);
        let columns = below.width.saturating_sub(2).into();
        let mut lines = flow_details(row, state.captured_on(row), columns);
        let room = usize::from(below.height);
        if lines.len() > room {
            let kept = room.saturating_sub(1);
            let more = counted((lines.len() - kept) as u64, "more line");
            let smaller = action::all().iter().find(|it| it.action == Action::Smaller);
            let keys = smaller.map(|it| state.keymap.words(it)).unwrap_or_default();
            let words = format!("… {more}: {keys} makes room");
            lines.truncate(kept);
            lines.push(vec![piece(Tone::Dim, words)]);
        }
        frame::draw_text(canvas, below, &lines, 0);
    }
}

// The messages view: the rows, the tree and the bytes of the selected one.

pub(super) fn draw_messages(state: &State, canvas: &mut Canvas<'_>) {
    let view = &state.messages;
    let panes = state.message_panes();
    let shown: Vec<MessageColumn> = view.columns.shown().collect();
    let columns: Vec<Column> = view.columns.choices().map(|choice| column(view, choice)).collect();
    let pane = state.active_pane();
    let table = Table {
        area: panes.list,
        columns: &columns,
        cursor: view.cursor,
        count: view.rows.len(),
        has_keys: pane == Pane::List,
        sort: None,
        bars: None,
        nothing: nothing(state),
    };
    table.draw(canvas, |canvas, row, cell| {
        let Some(frame) = view.rows.frame(row) else { return };
        let Some(entry) = state.capture.frames.find(frame) else { return };
        let Some(column) = shown.get(cell.column) else { return };
        let known = view.lines.get(&frame);
        let line = known.map(|known| &known.line);
        let tone = match (tone(state, frame, entry), known.and_then(|known| known.tone)) {
            // Errors have their own colour, regardless of the rules.
            (own @ (Tone::Bad | Tone::Warn), _) | (own, None) => own,
            (_, Some(tone)) => tone,
        };
        let commented = || !state.comments_on(frame).is_empty();
        if cell.column == 0 {
            let mark = match state.marks.contains(&frame) {
                true => canvas.look.either("◆", "*"),
                false if commented() => canvas.look.either("¶", "c"),
                false => " ",
            };
            canvas.text(panes.list.x, cell.y, 1, mark, Tone::Accent);
        }
        match column {
            MessageColumn::Frame => {
                let marked = state.marks.contains(&frame);
                let tone = if marked { Tone::Accent } else { Tone::Dim };
                cell.write(canvas, &frame.to_string(), tone);
            }
            MessageColumn::Time => {
                let text = view.time_text(&state.capture, row, view.time);
                let reference = view.reference == Some(frame);
                cell.write(canvas, &text, if reference { Tone::Accent } else { Tone::Dim });
            }
            MessageColumn::Delta => {
                let text = view.time_text(&state.capture, row, TimeDisplay::Delta);
                cell.write(canvas, &text, Tone::Dim);
            }
            MessageColumn::Flow => {
                let flow = entry.flow().map(|flow| flow.to_string()).unwrap_or_default();
                cell.write(canvas, &flow, Tone::Dim);
            }
            MessageColumn::Way => cell.write(canvas, way(state, entry), tone),
            MessageColumn::Length => cell.write(canvas, &entry.length.to_string(), Tone::Dim),
            MessageColumn::Source => {
                cell.write(canvas, line.map_or("", |line| &line.source), Tone::Plain);
            }
            MessageColumn::Destination => {
                cell.write(canvas, line.map_or("", |line| &line.destination), Tone::Plain);
            }
            MessageColumn::Protocol => {
                cell.write(canvas, line.map_or("", |line| line.protocol), tone)
            }
            MessageColumn::Info => match line {
                Some(line) => {
                    let text = skipped(&line.info, view.shift);
                    let text = if view.shift > 0 { &format!("…{text}") } else { text };
                    let tone = if line.alarm && tone == Tone::Plain { Tone::Warn } else { tone };
                    cell.write(canvas, text, tone);
                }
                None => cell.write(canvas, "…", Tone::Dim),
            },
            MessageColumn::Field(field) => {
                let value = known.and_then(|known| known.value(field)).unwrap_or("");
                cell.write(canvas, value, tone);
            }
        }
    });
    if view.detail {
        for y in panes.words.y..panes.words.bottom() {
            canvas.lay(panes.words, y, canvas.look.bar());
        }
        frame::draw_text(canvas, panes.words, &state.words_at_hand(), 0);
        panes::draw_tree(state, canvas, panes.tree, pane == Pane::Tree);
        panes::draw_bytes(state, canvas, panes.bytes, pane == Pane::Bytes);
    }
}

/// Returns the tone of a row.
fn tone(state: &State, frame: u32, entry: &Entry) -> Tone {
    if state.capture.found_frames.contains(&frame)
        || entry.flags.intersects(Flags::TERMINATE | Flags::WRONG)
    {
        Tone::Bad
    } else if entry.flags.intersects(Flags::SKIPPED | Flags::REPEATED) {
        Tone::Warn
    } else if entry.flags.intersects(Flags::SETUP) {
        Tone::Setup
    } else if entry.flags.intersects(Flags::RPC) {
        Tone::Call
    } else if entry.flags.intersects(Flags::IWARP) {
        Tone::Plain
    } else {
        Tone::Dim
    }
}

/// Returns the direction, from or to the initiator, if the flow is known.
fn way(state: &State, entry: &Entry) -> &'static str {
    if !entry.flags.intersects(Flags::IWARP | Flags::MESSAGE) {
        return "";
    }
    let first = entry.flow().and_then(|flow| state.capture.flow(flow));
    let first = first.map_or(0, |row| row.flow.first_side().index());
    let side = usize::from(entry.flags.intersects(Flags::SECOND));
    if side == first { "→" } else { "←" }
}

/// Returns a text without its first characters.
fn skipped(text: &str, characters: usize) -> &str {
    let start = text.char_indices().nth(characters).map_or(text.len(), |(at, _)| at);
    text.get(start..).unwrap_or("")
}

// The operations view and the calls view.

pub(super) fn draw_rows<R>(
    state: &State,
    columns: &[TableColumn<R>],
    rows: &[R],
    view: &TableView,
    details: fn(&State, &R, usize) -> Vec<TextLine>,
    canvas: &mut Canvas<'_>,
    body: Rect,
) {
    let mut placed: Vec<Column> = columns.iter().map(Column::from).collect();
    let capture = &state.capture;
    for column in &mut placed {
        let most = match column.name {
            "flow" => capture.flows.len(),
            "#" => capture.operations.len(),
            "frame" | "answer" => capture.frames.count() as usize,
            _ => continue,
        };
        column.width = column.width.min(most.to_string().len().max(column.name.len()) as u16);
    }
    let areas = layout::parts(state.view, body, state.share);
    let table = Table {
        area: areas.list,
        columns: &placed,
        cursor: view.cursor,
        count: view.order.len(),
        has_keys: true,
        sort: view.sort.map(|column| (column, view.reverse)),
        bars: None,
        nothing: nothing(state),
    };
    table.draw(canvas, |canvas, row, cell| {
        let index = view.order.get(row).copied().unwrap_or(u32::MAX);
        let Some(row) = rows.get(index as usize) else { return };
        let Some(column) = columns.get(cell.column) else { return };
        cell.write(canvas, &(column.text)(row, None), (column.tone)(row));
    });
    canvas.head(areas.detail, "details", false);
    let below = frame::below_head(areas.detail);
    let columns = usize::from(below.width.saturating_sub(2));
    if let Some(row) = view.of(rows) {
        frame::draw_text(canvas, below, &details(state, row, columns), 0);
    }
}

// The findings view: broken rules, their places, and the meaning of the selected rule.

/// The least columns for the side at fault in the row of a place.
const SIDED: u16 = 100;

pub(super) fn draw_findings(state: &State, canvas: &mut Canvas<'_>, body: Rect) {
    let areas = layout::parts(View::Findings, body, state.share);
    let capture = &state.capture;
    let view = &state.findings;
    let rules = view.lines.iter().filter(|line| matches!(line, FindingLine::Rule(..))).count();
    let findings = match (view.count(), capture.found.len() as u64) {
        (count, all) if count as u64 == all => counted(all, "finding"),
        (count, all) => format!("{count} of {}", counted(all, "finding")),
    };
    let head = format!("{findings}, {}", counted(rules as u64, "rule"));
    canvas.head(areas.list, &head, true);
    let area = areas.list;
    if view.lines.is_empty() && area.height > 1 {
        let words = nothing(state);
        let none = capture.found.is_empty() && words == NONE;
        let words = if none { "no rule is broken" } else { &words };
        canvas.text(area.x + 1, area.y + 1, area.width, words, Tone::Dim);
    }
    let seen = || view.lines.iter().skip(view.cursor.top).take(area.height.into());
    let ids = seen().filter_map(|line| match line {
        FindingLine::Rule(rule, _) => Some(rule.id.len()),
        FindingLine::Place(_) => None,
    });
    let widest = ids.max().unwrap_or(0);
    let lines = seen().enumerate().map(|(row, line)| (row + view.cursor.top, line));
    for ((row, line), y) in lines.zip(area.y + 1..area.bottom()) {
        match line {
            FindingLine::Rule(rule, count) => {
                let tone = tone_of(rule.level);
                let open = view.open.contains(rule.id);
                let fold = if open { ("▾", "-") } else { ("▸", "+") };
                let fold = canvas.look.either(fold.0, fold.1);
                let x = canvas.text(area.x, y, 2, fold, Tone::Accent);
                let x = canvas.text(x, y, 40, &format!("{count:>7} {:<7}", rule.level), tone);
                let name = format!("{:<widest$}  ", rule.id);
                let x = canvas.text(x, y, area.right().saturating_sub(x), &name, Tone::Strong);
                canvas.text(x, y, area.right().saturating_sub(x), rule.title, Tone::Plain);
            }
            FindingLine::Place(index) => {
                let Some(found) = capture.found.get(*index) else { continue };
                let mut place = format!("      frame {:<8} flow {:<5}", found.frame, found.flow);
                if area.width >= SIDED {
                    let (role, address) = capture.at_fault(found).unwrap_or_default();
                    place += &format!("{role:<9} {address:<15} ");
                }
                let x = canvas.text(area.x, y, area.width, &place, Tone::Dim);
                let room = area.right().saturating_sub(x);
                canvas.text(x, y, room, &found.explanation, Tone::Plain);
            }
        }
        if row == view.cursor.selected {
            canvas.lay(area, y, canvas.look.chosen(true));
        }
    }
    canvas.head(areas.detail, view.rule(capture).map_or("", |rule| rule.id), false);
    let below = frame::below_head(areas.detail);
    let lines = explained(state, usize::from(below.width.saturating_sub(2)).min(110));
    frame::draw_text(canvas, below, &lines, 0);
}

fn tone_of(level: Level) -> Tone {
    if level == Level::Must { Tone::Bad } else { Tone::Warn }
}

/// Explains the selected rule: its requirement, the meaning of a violation, and the observed behaviour.
fn explained(state: &State, columns: usize) -> Vec<TextLine> {
    let capture = &state.capture;
    let Some(rule) = state.findings.rule(capture) else { return Vec::new() };
    let mut lines: Vec<TextLine> = Vec::new();
    let mut push = |tone, text: &str| {
        lines.extend(wrap(text, columns).into_iter().map(|line| vec![piece(tone, line)]));
    };
    if let Some(found) = state.findings.chosen(capture) {
        let side = capture.at_fault(found).map(|(role, address)| format!(", {role} {address}"));
        let (frame, side) = (found.frame, side.unwrap_or_default());
        push(tone_of(rule.level), &format!("frame {frame}{side}: {}", found.explanation));
    }
    push(Tone::Plain, rule.title);
    let requirements = rule.requirements.join(", ");
    push(Tone::Dim, &format!("{}, {}, {requirements}", rule.level, rule.section()));
    push(Tone::Plain, rule.meaning);
    if let Some((layer, kind, code)) = rule.terminate {
        let words =
            format!("It calls for a Terminate: layer {layer}, type {kind}, code {code:#04x}.");
        push(Tone::Dim, &words);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpscope_dissector::field;

    #[test]
    fn columns_of_high_rank_go_first() {
        const COLUMNS: [Column; 4] =
            [right("a", 4, 0), left("b", 10, 2), left("c", 10, 1), left("d", 6, 0)];
        let names = |width| -> Vec<&str> {
            let placed = place(&COLUMNS, Rect::new(0, 0, width, 5));
            for (_, x, columns) in &placed {
                assert!(x + columns <= width.max(1), "{width}");
            }
            placed.iter().map(|(index, _, _)| COLUMNS[*index].name).collect()
        };
        assert_eq!(names(80), ["a", "b", "c", "d"]);
        assert_eq!(names(30), ["a", "c", "d"]);
        assert_eq!(names(15), ["a", "d"]);
        assert_eq!(names(3), ["a"]);
    }

    #[test]
    fn a_column_that_grows_takes_the_room_wherever_it_stands() {
        let columns = [right("a", 4, 0), growing("b", 10, 0), left("c", 6, 0)];
        let widths = |width| -> Vec<u16> {
            place(&columns, Rect::new(0, 0, width, 5)).iter().map(|(_, _, it)| *it).collect()
        };
        assert_eq!((widths(40), widths(23)), (vec![4, 27, 6], vec![4, 10, 6]));
        assert_eq!(widths(18), [4, 10, 1]);
    }

    #[test]
    fn a_column_is_as_wide_as_its_values_within_reason() {
        for field in field::all() {
            let (none, wide) = (of_field(field, 0).width, of_field(field, 500).width);
            assert!((2..=18).contains(&none) && none <= wide, "{}: {none}", field.name);
            assert!((24..=31).contains(&wide), "{}: {wide}", field.name);
        }
        let width = |name, widest| of_field(field::find(name).unwrap(), widest).width;
        assert_eq!([0, 10, 32].map(|it| width("iwarp_ddp.stag", it)), [4, 10, 24]);
        assert_eq!([5, 13, 40].map(|it| width("iwarp_rdma.opcode", it)), [6, 13, 24]);
    }
}
