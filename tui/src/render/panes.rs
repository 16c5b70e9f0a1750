//! The bytes of the selected frame, with those of the selected field highlighted.

use super::frame::{self, Canvas};
use super::tables::{Column, Table, left};
use crate::format::nothing;
use crate::layout::{self, OFFSET, View};
use crate::look::Tone;
use crate::state::{BYTES_IN_ROW, Editor, Mode, State};
use crate::text::{TextLine, piece};
use ratatui::layout::{Position, Rect};
use unicode_width::UnicodeWidthStr as _;
use warpscope_dissector::field::{Display, Kind};
use warpscope_dissector::filter::Candidate;
use warpscope_dissector::format::push_node;
use warpscope_text::{counted, wrap};

pub(super) fn draw_bytes(state: &State, canvas: &mut Canvas<'_>, area: Rect, has_keys: bool) {
    let pane = &state.messages.tree;
    let bytes = pane.bytes();
    let sources = pane.tree().map_or(0, |tree| tree.sources.len());
    let source = pane.tree().and_then(|tree| tree.sources.get(usize::from(pane.source.0)));
    let name = source.map_or("", |source| &source.name);
    let lit = pane.lit();
    let mut head = format!("{name}, {} bytes", bytes.len());
    if sources > 1 {
        head.push_str(&format!(" (s: {} of {sources})", usize::from(pane.source.0) + 1));
    }
    for run in &lit {
        head.push_str(&format!("  {} to {}", run.start, run.end.saturating_sub(1)));
    }
    let lit = |at: usize| lit.iter().any(|run| run.contains(&at));
    canvas.head(area, &head, has_keys);
    let characters = area.x + OFFSET + 3 * BYTES_IN_ROW as u16 + 1;
    let rows = bytes.chunks(BYTES_IN_ROW).enumerate().skip(pane.bytes_top);
    for ((row, chunk), y) in rows.zip(area.y + 1..area.bottom()) {
        let start = row * BYTES_IN_ROW;
        canvas.text(area.x + 1, y, OFFSET, &format!("{start:06x}"), Tone::Dim);
        for (index, byte) in chunk.iter().enumerate() {
            let at = start + index;
            let (column, step) = (index as u16, 3);
            let mut style = canvas.look.style(Tone::Plain);
            if *byte == 0 {
                style = canvas.look.style(Tone::Dim);
            }
            if lit(at) {
                style = canvas.look.lit();
            }
            if has_keys && at == pane.byte {
                style = style.patch(canvas.look.chosen(true));
                style = style.add_modifier(ratatui::style::Modifier::UNDERLINED);
            }
            let x = area.x + OFFSET + column * step;
            let room = area.right().saturating_sub(x);
            canvas.styled(x, y, room.min(2), &format!("{byte:02x}"), style);
            let joined = lit(at) && lit(at + 1) && index + 1 < chunk.len();
            if joined && room > 2 {
                canvas.styled(x + 2, y, 1, " ", canvas.look.lit());
            }
            let shown = if (0x20..0x7f).contains(byte) { char::from(*byte) } else { '.' };
            let x = characters + column;
            let mut text = [0; 4];
            let room = area.right().saturating_sub(x);
            canvas.styled(x, y, room, shown.encode_utf8(&mut text), style);
        }
    }
}

// The tree of the selected frame.

pub(super) fn draw_tree(state: &State, canvas: &mut Canvas<'_>, area: Rect, has_keys: bool) {
    let pane = &state.messages.tree;
    let name = match (&pane.found, pane.node()) {
        (Some((frame, _)), Some(node)) => format!("frame {frame}: {}", node.field.name),
        (Some((frame, _)), None) => format!("frame {frame}"),
        (None, _) => "tree".to_owned(),
    };
    canvas.head(area, &name, has_keys);
    if let Some((_, Err(why))) = &pane.found {
        canvas.text(area.x + 1, area.y + 1, area.width.saturating_sub(1), why, Tone::Bad);
    }
    let Some(tree) = pane.tree() else { return };
    let lines = pane.visible.iter().enumerate().skip(pane.cursor.top);
    for ((row, index), y) in lines.zip(area.y + 1..area.bottom()) {
        let Some(node) = tree.nodes.get(*index) else { continue };
        let fold = match (pane.has_children(*index), pane.folded.contains(node.field.name)) {
            (false, _) => " ",
            (true, true) => canvas.look.either("▸", "+"),
            (true, false) => canvas.look.either("▾", "-"),
        };
        let x = area.x + u16::from(node.depth) * 2;
        let room = area.right().saturating_sub(x);
        let x = canvas.text(x, y, room, fold, Tone::Accent);
        let tone = match (node.depth, node.generated) {
            (0, _) => Tone::Strong,
            (_, true) => Tone::Dim,
            _ => Tone::Plain,
        };
        let room = area.right().saturating_sub(x + 1);
        let mut line = String::new();
        push_node(tree, node, &mut line);
        canvas.text(x + 1, y, room, &line, tone);
        if row == pane.cursor.selected {
            canvas.lay(area, y, canvas.look.chosen(has_keys));
        }
    }
}

// The fields view: the fields of filters.

const COLUMNS: [Column; 3] = [left("name", 38, 0), left("type", 12, 1), left("label", 20, 0)];

pub(super) fn draw_fields(state: &State, canvas: &mut Canvas<'_>, body: Rect) {
    let areas = layout::parts(View::Fields, body, state.share);
    let view = &state.fields;
    let table = Table {
        area: areas.list,
        columns: &COLUMNS,
        cursor: view.cursor,
        count: view.fields.len(),
        has_keys: true,
        sort: None,
        bars: None,
        nothing: "".into(),
    };
    table.draw(canvas, |canvas, row, cell| {
        let Some(field) = view.fields.get(row) else { return };
        match cell.column {
            0 => cell.write(canvas, field.name, Tone::Accent),
            1 => cell.write(canvas, &kind(field.kind), Tone::Dim),
            _ => cell.write(canvas, field.label, Tone::Plain),
        }
    });
    let chosen = view.chosen();
    canvas.head(areas.detail, chosen.map_or("", |field| field.name), false);
    let Some(field) = chosen else { return };
    let below = frame::below_head(areas.detail);
    let columns = usize::from(below.width.saturating_sub(2)).min(110);
    let mut lines: Vec<TextLine> =
        wrap(field.doc, columns).into_iter().map(|line| vec![piece(Tone::Plain, line)]).collect();
    if let Display::Named(names) | Display::NamedHexadecimal(names) = field.display {
        let names: Vec<String> =
            names.iter().take(64).map(|(number, name)| format!("{number} {name}")).collect();
        let values = wrap(&names.join(", "), columns);
        lines.extend(values.into_iter().map(|line| vec![piece(Tone::Dim, line)]));
    }
    frame::draw_text(canvas, below, &lines, 0);
}

fn kind(kind: Kind) -> String {
    match kind {
        Kind::Protocol => "protocol".to_owned(),
        Kind::Heading => "heading".to_owned(),
        Kind::Boolean => "yes or no".to_owned(),
        Kind::Unsigned(bits) => format!("{bits} bits"),
        Kind::FrameNumber => "frame".to_owned(),
        Kind::Bytes => "bytes".to_owned(),
        Kind::Ipv4 => "IPv4".to_owned(),
        Kind::Ipv6 => "IPv6".to_owned(),
        Kind::Ethernet => "Ethernet".to_owned(),
        Kind::Text => "text".to_owned(),
        Kind::AbsoluteTime => "time".to_owned(),
        Kind::RelativeTime => "duration".to_owned(),
    }
}

// The bar with filter and search.

/// The most visible candidates.
const OFFERED: usize = 10;

/// Draws the bar; returns the position of the cursor if text is typed there.
pub(super) fn draw_filter(state: &State, canvas: &mut Canvas<'_>, area: Rect) -> Option<Position> {
    let good = |good: bool, bad: Tone| if good { Tone::Good } else { bad };
    let (name, line, tone, fault) = match state.mode {
        Mode::Filter => {
            let fault = state.filter.fault.as_ref().map(|fault| fault.message.as_str());
            (" filter: ", &state.filter.editor, good(fault.is_none(), Tone::Bad), fault)
        }
        Mode::Search => {
            let fault = state.search.fault.as_deref();
            (" search: ", &state.search.editor, good(fault.is_none(), Tone::Bad), fault)
        }
        Mode::Field => {
            let tone = good(state.prompt.field().is_some(), Tone::Warn);
            (" column: ", &state.prompt.editor, tone, None)
        }
        _ => {
            quiet(state, canvas, area);
            return None;
        }
    };
    let x = canvas.text(area.x, area.y, area.width, name, tone);
    let cursor = editor(line, canvas, area, x);
    if let Some(fault) = fault {
        let width = u16::try_from(line.text.width()).unwrap_or(u16::MAX);
        let x = x.saturating_add(width).saturating_add(2);
        canvas.text(x, area.y, area.right().saturating_sub(x), fault, Tone::Bad);
    }
    cursor
}

fn quiet(state: &State, canvas: &mut Canvas<'_>, area: Rect) {
    let mut x = area.x + 1;
    let mut put = |text: &str, tone| {
        x = canvas.text(x, area.y, area.right().saturating_sub(x), text, tone);
    };
    if let Some((at, of)) = state.one_of {
        let name = state.name.rsplit(['/', '\\']).next().unwrap_or("");
        put(&format!("{at}/{of} {name}  "), Tone::Strong);
    }
    let capture = state.capture.frames.count() > 0 || state.run.entries.is_empty();
    if let Some(flow) = state.flow {
        put(&format!("flow {flow} only"), Tone::Accent);
        put("  ", Tone::Dim);
    }
    if !state.filter.active() && capture {
        put("filter: ", Tone::Dim);
        put("none  ", Tone::Dim);
        if state.view == View::Messages {
            put(&format!("showing {}  ", state.messages.density.describe()), Tone::Dim);
        }
        let (iwarp, all) = (state.capture.flows.len(), state.capture.connections.count);
        if state.view == View::Flows && iwarp < all {
            let all = counted(all as u64, "TCP connection");
            put(&format!("showing {iwarp} of {all} (iWARP only)  "), Tone::Dim);
        }
    }
    if !state.search.text.is_empty() {
        put("search: ", Tone::Dim);
        put(&state.search.text, Tone::Accent);
        if state.search.asked {
            put(&found(state), Tone::Dim);
        }
        put("  ", Tone::Dim);
    }
    // Potentially long text comes last.
    if state.filter.active() {
        let so_far = if state.filtering() { " so far" } else { "" };
        let follows = state.view.follows_filter() || state.view == View::Messages;
        let of = if follows { "" } else { " for the lists" };
        put(&format!("filter{of}, {}{so_far}: ", passed(state)), Tone::Dim);
        put(&state.filter.text, Tone::Accent);
    }
}

/// Returns the position of the selected frame among the matches: ` (3 of 17)`.
fn found(state: &State) -> String {
    let search = &state.search;
    let count = search.found.len();
    let so_far = if search.upto < state.capture.frames.count() { " so far" } else { "" };
    match search.found.binary_search(&state.chosen_frame()) {
        Ok(at) => format!(" ({} of {count}{so_far})", at + 1),
        Err(_) => format!(" ({count} found{so_far})"),
    }
}

/// Returns how much of the current list passes the filter: `3 of 22 flows`.
fn passed(state: &State) -> String {
    let capture = &state.capture;
    let (listed, all, noun) = match state.view {
        View::Flows => (state.flows.order.len(), capture.flows.len(), "flow"),
        View::Operations => (state.operations.order.len(), capture.operations.len(), "operation"),
        View::Calls => (state.calls.order.len(), capture.calls.len(), "call"),
        View::Findings => (state.findings.count(), capture.found.len(), "finding"),
        _ => {
            let frames = &capture.frames;
            let kept = frames.count().saturating_add(1).saturating_sub(frames.first());
            (state.filter.matched.len(), kept as usize, "frame")
        }
    };
    format!("{listed} of {}", counted(all as u64, noun))
}

/// Draws an edited line after column `x`; returns the position of its cursor.
pub(super) fn editor(
    editor: &Editor,
    canvas: &mut Canvas<'_>,
    area: Rect,
    x: u16,
) -> Option<Position> {
    let room = area.right().saturating_sub(x);
    let before = editor.text.get(..editor.cursor).unwrap_or("");
    let width = u16::try_from(before.width()).unwrap_or(u16::MAX);
    // Text that does not fit is cut on the left.
    let mut shown = editor.text.as_str();
    let mut at = width;
    while at >= room.max(1) {
        let mut characters = shown.chars();
        let Some(first) = characters.next() else { break };
        let gone = unicode_width::UnicodeWidthChar::width(first).unwrap_or(0);
        at = at.saturating_sub(u16::try_from(gone).unwrap_or(1).max(1));
        shown = characters.as_str();
    }
    canvas.text(x, area.y, room, shown, Tone::Plain);
    Some(Position::new((x + at).min(area.right().saturating_sub(1)), area.y))
}

/// Draws the candidates for the text at the cursor, over the view.
pub(super) fn draw_offered(
    offered: &[Candidate],
    chosen: Option<usize>,
    example: Option<&str>,
    canvas: &mut Canvas<'_>,
    area: Rect,
) {
    let rows = offered.len().min(OFFERED).min(usize::from(area.height));
    let first = chosen.unwrap_or(0).saturating_sub(rows.saturating_sub(1));
    let width = area.width.saturating_sub(9).min(90);
    let left = area.x + 9;
    for (index, y) in (first..offered.len()).take(rows).zip(area.y..) {
        let Some(candidate) = offered.get(index) else { break };
        let blank = " ".repeat(usize::from(width));
        canvas.text(left - 1, y, 1, " ", Tone::Plain);
        canvas.text(left, y, width, &blank, Tone::Plain);
        let row = Rect { x: left, y, width, height: 1 };
        canvas.buffer.set_style(row, canvas.look.bar());
        let text = format!("{:<34} ", candidate.text);
        let x = canvas.text(left, y, width, &text, Tone::Accent);
        let room = (left + width).saturating_sub(x);
        let label = if candidate.kind.is_empty() {
            candidate.label.clone()
        } else {
            format!("{}, {}", candidate.label, candidate.kind)
        };
        canvas.text(x, y, room, &label, Tone::Dim);
        if chosen == Some(index) {
            canvas.buffer.set_style(row, canvas.look.chosen(true));
        }
    }
    if rows == 0
        && let Some(example) = example
        && area.height > 0
    {
        let words = format!("a value, such as {example} ");
        canvas.text(left, area.y, width, &words, Tone::Accent);
    }
}

// The statistics view.

pub(super) fn draw_statistics(state: &State, canvas: &mut Canvas<'_>, area: Rect) {
    let view = &state.statistics;
    canvas.head(area, &view.title, true);
    let below = frame::below_head(area);
    if state.capture.frames.count() == 0 && below.height > 0 {
        canvas.text(below.x + 1, below.y, below.width, &nothing(state), Tone::Dim);
        return;
    }
    frame::draw_text(canvas, below, &view.lines, view.cursor.top);
    let row = u16::try_from(view.cursor.selected - view.cursor.top).unwrap_or(u16::MAX);
    canvas.lay(below, below.y.saturating_add(row), canvas.look.chosen(true));
}
