//! The run view: results of a conformance run.

use super::canvas::Canvas;
use super::text;
use crate::look::Tone;
use crate::state::State;
use ratatui::layout::Rect;

/// Draws the results.
pub(super) fn draw(state: &State, canvas: &mut Canvas<'_>, area: Rect) {
    canvas.head(area, "results of a conformance run", true);
    let below = text::below_head(area);
    if state.run.lines.is_empty() && below.height > 0 {
        let words = "no report was given: warpscope tui --run REPORT";
        canvas.text(below.x + 1, below.y, below.width, words, Tone::Dim);
    }
    text::draw(canvas, below, &state.run.lines, state.run.cursor.top);
}
