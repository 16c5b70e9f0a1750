//! The help: what the keys do in the view at hand.

use super::canvas::Canvas;
use super::text;
use crate::format::help;
use crate::state::State;
use ratatui::layout::Rect;

/// Draws the help.
pub(super) fn draw(state: &State, canvas: &mut Canvas<'_>, area: Rect) {
    canvas.head(area, "help", true);
    text::draw(canvas, text::below_head(area), &help(state), state.help.top);
}
