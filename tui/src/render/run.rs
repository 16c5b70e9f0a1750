//! The run view: results of a conformance run, and what is told of the chosen one.

use super::canvas::Canvas;
use super::text;
use crate::layout;
use crate::look::Tone;
use crate::state::{Pane, State, View};
use ratatui::layout::Rect;

/// Draws the results.
pub(super) fn draw(state: &State, canvas: &mut Canvas<'_>, body: Rect) {
    let view = &state.run;
    let areas = layout::parts(View::Run, body);
    let area = areas.list;
    if view.entries.is_empty() {
        canvas.head(area, "results of a conformance run", true);
        if area.height > 1 {
            let words = "no report was given: warpscope tui --run REPORT";
            canvas.text(area.x + 1, area.y + 1, area.width, words, Tone::Dim);
        }
        return;
    }
    let told = state.active_pane() == Pane::Told;
    canvas.head(area, &view.title, !told);
    let lines = view.visible.iter().enumerate().skip(view.cursor.top);
    for ((row, index), y) in lines.zip(area.y + 1..area.bottom()) {
        let Some(entry) = view.entries.get(*index) else { continue };
        let fold = match (view.has_children(*index), view.folded.contains(index)) {
            (false, _) => " ",
            (true, true) => canvas.look.either("▸", "+"),
            (true, false) => canvas.look.either("▾", "-"),
        };
        let x = area.x + u16::from(entry.depth) * 2;
        let x = canvas.text(x, y, area.right().saturating_sub(x), fold, Tone::Accent);
        let tone = if entry.depth < 2 { Tone::Strong } else { Tone::Plain };
        let name = format!(" {}  ", entry.name);
        let x = canvas.text(x, y, area.right().saturating_sub(x), &name, tone);
        canvas.text(x, y, area.right().saturating_sub(x), &entry.verdict, entry.tone);
        if row == view.cursor.selected {
            canvas.lay(area, y, canvas.look.chosen(!told));
        }
    }
    let Some(entry) = view.chosen() else { return };
    canvas.head(areas.detail, &entry.name, told);
    let below = text::below_head(areas.detail);
    let lines = view.told(below.width.saturating_sub(2).into());
    text::draw(canvas, below, &lines, view.shift);
}
