//! The operations view.

use super::canvas::Canvas;
use super::table::{Column, Table, left, right};
use crate::state::{OPERATION_COLUMNS, State};
use ratatui::layout::Rect;

/// The columns, in the order of [`OPERATION_COLUMNS`].
const COLUMNS: [Column; 11] = [
    right("flow", 5, 3),
    right("#", 7, 2),
    left("operation", 14, 0),
    left("way", 3, 1),
    right("frame", 8, 0),
    right("answer", 8, 0),
    right("took", 9, 0),
    right("bytes", 9, 1),
    right("in flight", 9, 4),
    left("STag", 10, 5),
    left("outcome", 15, 0),
];

/// Draws the operations.
pub(super) fn draw(state: &State, canvas: &mut Canvas<'_>, area: Rect) {
    let table = Table {
        area,
        columns: &COLUMNS,
        cursor: state.operations.cursor,
        count: state.operations.order.len(),
        has_keys: true,
        sort: state.operations.sort,
    };
    table.draw(canvas, |canvas, row, cell| {
        let index = state.operations.order.get(row).copied().unwrap_or(u32::MAX);
        let Some(row) = state.capture.operations.get(index as usize) else { return };
        let Some((column, _)) = OPERATION_COLUMNS.get(cell.column) else { return };
        cell.write(canvas, &column.text(row), column.tone(row));
    });
}
