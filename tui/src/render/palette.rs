//! The command palette.

use super::canvas::Canvas;
use super::filter::editor;
use crate::look::Tone;
use crate::state::State;
use ratatui::layout::{Position, Rect};

/// Draws the palette; returns where the cursor stands.
pub(super) fn draw(state: &State, canvas: &mut Canvas<'_>, area: Rect) -> Option<Position> {
    canvas.lay(area, area.y, canvas.look.bar());
    let x = canvas.text(area.x, area.y, area.width, " : ", Tone::Heading);
    let cursor = editor(&state.palette.editor, canvas, area, x);
    let offered = state.palette.offered();
    let chosen = state.palette.cursor;
    for (index, y) in (chosen.top..offered.len()).zip(area.y + 1..area.bottom()) {
        let Some(binding) = offered.get(index) else { break };
        let here = binding.scope.holds(state.view, state.active_pane());
        let tone = if here { Tone::Plain } else { Tone::Dim };
        let keys = binding.keys.first().copied().unwrap_or("");
        let name = format!("   {:<20}{keys:<10}", binding.name);
        let x = canvas.text(area.x, y, area.width, &name, tone);
        canvas.text(x, y, area.right().saturating_sub(x), binding.words, Tone::Dim);
        if index == chosen.selected {
            canvas.lay(area, y, canvas.look.chosen(true));
        }
    }
    cursor
}
