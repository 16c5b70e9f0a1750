//! The statistics view.

use super::canvas::Canvas;
use super::text;
use crate::look::Tone;
use crate::state::State;
use ratatui::layout::Rect;

/// Draws what was counted.
pub(super) fn draw(state: &State, canvas: &mut Canvas<'_>, area: Rect) {
    let view = &state.statistics;
    canvas.head(area, &view.title, true);
    let below = text::below_head(area);
    if view.lines.is_empty() && below.height > 0 {
        canvas.text(below.x + 1, below.y, below.width, "nothing yet", Tone::Dim);
    }
    text::draw(canvas, below, &view.lines, view.cursor.top);
}
