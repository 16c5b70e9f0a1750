//! The calls view.

use super::canvas::Canvas;
use super::table::{Column, Table, left, right};
use crate::state::{CALL_COLUMNS, State};
use ratatui::layout::Rect;

/// The columns, in the order of [`CALL_COLUMNS`].
const COLUMNS: [Column; 12] = [
    right("flow", 5, 4),
    left("XID", 10, 2),
    left("program", 10, 5),
    left("procedure", 18, 0),
    left("way", 3, 3),
    right("frame", 8, 0),
    right("answer", 8, 0),
    right("took", 9, 0),
    right("inline", 7, 6),
    right("chunks", 9, 1),
    right("credits", 8, 7),
    left("status", 15, 0),
];

/// Draws the calls.
pub(super) fn draw(state: &State, canvas: &mut Canvas<'_>, area: Rect) {
    let table = Table {
        area,
        columns: &COLUMNS,
        cursor: state.calls.cursor,
        count: state.calls.order.len(),
        has_keys: true,
        sort: state.calls.sort,
    };
    table.draw(canvas, |canvas, row, cell| {
        let index = state.calls.order.get(row).copied().unwrap_or(u32::MAX);
        let Some(row) = state.capture.calls.get(index as usize) else { return };
        let Some((column, _)) = CALL_COLUMNS.get(cell.column) else { return };
        cell.write(canvas, &column.text(row), column.tone(row));
    });
}
