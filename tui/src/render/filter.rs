//! The bar with filter and search.

use super::canvas::Canvas;
use crate::look::Tone;
use crate::state::{Editor, Mode, State};
use ratatui::layout::{Position, Rect};
use unicode_width::UnicodeWidthStr as _;
use warpscope_dissector::filter::Candidate;

/// Candidates that are seen at once.
const OFFERED: usize = 10;

/// Draws the bar; returns where the cursor stands, when something is typed there.
pub(super) fn draw(state: &State, canvas: &mut Canvas<'_>, area: Rect) -> Option<Position> {
    match state.mode {
        Mode::Filter => {
            let good = state.filter.fault.is_none();
            let tone = if good { Tone::Good } else { Tone::Bad };
            let x = canvas.text(area.x, area.y, area.width, " filter: ", tone);
            let cursor = editor(&state.filter.editor, canvas, area, x);
            let end = x + u16::try_from(state.filter.editor.text.width())
                .unwrap_or(u16::MAX)
                .min(area.width);
            if let Some(fault) = &state.filter.fault {
                let x = end.saturating_add(2);
                let room = area.right().saturating_sub(x);
                canvas.text(x, area.y, room, &fault.message, Tone::Bad);
            }
            cursor
        }
        Mode::Search => {
            let good = state.search.fault.is_none();
            let tone = if good { Tone::Good } else { Tone::Bad };
            let x = canvas.text(area.x, area.y, area.width, " search: ", tone);
            let cursor = editor(&state.search.editor, canvas, area, x);
            if let Some(fault) = &state.search.fault {
                let width = u16::try_from(state.search.editor.text.width()).unwrap_or(u16::MAX);
                let x = x.saturating_add(width).saturating_add(2);
                canvas.text(x, area.y, area.right().saturating_sub(x), fault, Tone::Bad);
            }
            cursor
        }
        Mode::Field => {
            let tone = if state.prompt.field().is_some() { Tone::Good } else { Tone::Warn };
            let x = canvas.text(area.x, area.y, area.width, " column: ", tone);
            editor(&state.prompt.editor, canvas, area, x)
        }
        _ => {
            quiet(state, canvas, area);
            None
        }
    }
}

/// What is in force.
fn quiet(state: &State, canvas: &mut Canvas<'_>, area: Rect) {
    let mut x = area.x + 1;
    let mut put = |text: &str, tone| {
        x = canvas.text(x, area.y, area.right().saturating_sub(x), text, tone);
    };
    let capture = state.capture.frames.count() > 0 || state.run.entries.is_empty();
    if !state.filter.active() && capture {
        put("filter: ", Tone::Dim);
        put("none", Tone::Dim);
        put(&format!("  showing {}  ", state.messages.density.describe()), Tone::Dim);
    }
    if let Some(flow) = state.flow {
        put(&format!("flow {flow} alone"), Tone::Accent);
        put("  ", Tone::Dim);
    }
    if !state.search.text.is_empty() {
        put("search: ", Tone::Dim);
        put(&state.search.text, Tone::Accent);
        if state.search.asked {
            put(&format!(" ({} found)", state.search.found.len()), Tone::Dim);
        }
        put("  ", Tone::Dim);
    }
    // What may be long comes last.
    if state.filter.active() {
        put(&format!("filter, {} found: ", state.filter.matched.len()), Tone::Dim);
        put(&state.filter.text, Tone::Accent);
    }
}

/// Draws a line that is edited behind column `x`; returns where its cursor stands.
pub(super) fn editor(
    editor: &Editor,
    canvas: &mut Canvas<'_>,
    area: Rect,
    x: u16,
) -> Option<Position> {
    let room = area.right().saturating_sub(x);
    let before = editor.text.get(..editor.cursor).unwrap_or("");
    let width = u16::try_from(before.width()).unwrap_or(u16::MAX);
    // What does not fit goes out on the left.
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

/// Draws what may stand at the cursor, over the view.
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
        let words = format!("a value, as {example} ");
        canvas.text(left, area.y, width, &words, Tone::Accent);
    }
}
