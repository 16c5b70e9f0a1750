//! Lines of text in a pane.

use super::canvas::Canvas;
use crate::state::TextLine;
use ratatui::layout::Rect;

/// Draws the lines from one on, as many as there is room for.
pub(super) fn draw(canvas: &mut Canvas<'_>, area: Rect, lines: &[TextLine], top: usize) {
    for (line, y) in lines.iter().skip(top).zip(area.y..area.bottom()) {
        canvas.line(Rect { x: area.x + 1, width: area.width.saturating_sub(1), ..area }, y, line);
    }
}

/// The part of an area below its head.
pub(super) fn below_head(area: Rect) -> Rect {
    let head = area.height.min(1);
    Rect { y: area.y + head, height: area.height - head, ..area }
}
