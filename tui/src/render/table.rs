//! Tables: columns that fit, and the rows that are seen.

use super::canvas::Canvas;
use crate::look::Tone;
use crate::state::Cursor;
use ratatui::layout::Rect;

/// A column of a table.
#[derive(Debug, Clone, Copy)]
pub(super) struct Column {
    /// What stands above it.
    pub(super) name: &'static str,
    /// Columns of the screen that it needs.
    pub(super) width: u16,
    /// Whether it ends flush right.
    pub(super) right: bool,
    /// What goes first where room is scarce: the highest rank; 0 never goes.
    pub(super) rank: u8,
    /// Whether it takes the room that is left.
    pub(super) grows: bool,
}

/// A column that begins flush left.
pub(super) const fn left(name: &'static str, width: u16, rank: u8) -> Column {
    Column { name, width, right: false, rank, grows: false }
}

/// A column that ends flush right.
pub(super) const fn right(name: &'static str, width: u16, rank: u8) -> Column {
    Column { name, width, right: true, rank, grows: false }
}

/// A column that begins flush left and takes the room that is left.
pub(super) const fn growing(name: &'static str, width: u16, rank: u8) -> Column {
    Column { name, width, right: false, rank, grows: true }
}

/// A column that fits: its index, where it begins, how wide it is.
pub(super) type Placed = (usize, u16, u16);

/// The columns that fit. One that grows takes the room that is left, else the last one.
pub(super) fn place(columns: &[Column], area: Rect) -> Vec<Placed> {
    let mut kept: Vec<usize> = (0..columns.len()).collect();
    let width = |kept: &[usize]| -> u16 {
        kept.iter().filter_map(|index| columns.get(*index)).map(|it| it.width + 1).sum()
    };
    while width(&kept) > area.width {
        let rank = |index: &usize| columns.get(*index).map_or(0, |column| column.rank);
        let Some(highest) = kept.iter().map(rank).max().filter(|rank| *rank > 0) else { break };
        let Some(at) = kept.iter().rposition(|index| rank(index) == highest) else { break };
        kept.remove(at);
    }
    let mut x = area.x + 1;
    let spare = area.width.saturating_sub(width(&kept));
    let grows = |index: &usize| columns.get(*index).is_some_and(|column| column.grows);
    let growing = kept.iter().position(grows);
    let last = kept.len().saturating_sub(1);
    let mut placed = Vec::new();
    for (at, index) in kept.into_iter().enumerate() {
        let Some(column) = columns.get(index) else { continue };
        let room = area.right().saturating_sub(x);
        if room == 0 {
            break;
        }
        let width = match growing {
            Some(growing) if growing == at => (column.width + spare).min(room),
            None if at == last && !column.right => room,
            _ => column.width.min(room),
        };
        placed.push((index, x, width));
        x = x.saturating_add(width + 1);
    }
    placed
}

/// A table's place, and what is chosen in it.
pub(super) struct Table<'a> {
    pub(super) area: Rect,
    pub(super) columns: &'a [Column],
    pub(super) cursor: Cursor,
    pub(super) count: usize,
    pub(super) has_keys: bool,
    /// The column that is sorted by.
    pub(super) sort: Option<usize>,
}

impl Table<'_> {
    /// Draws the head, and calls `draw` for every column of every row that is seen.
    pub(super) fn draw(
        &self,
        canvas: &mut Canvas<'_>,
        mut draw: impl FnMut(&mut Canvas<'_>, usize, Cell),
    ) {
        let placed = place(self.columns, self.area);
        let area = self.area;
        if area.height == 0 {
            return;
        }
        canvas.head(area, "", self.has_keys);
        for (index, x, width) in &placed {
            let Some(column) = self.columns.get(*index) else { continue };
            let tone = match (self.sort == Some(*index), self.has_keys) {
                (true, _) => Tone::Accent,
                (false, true) => Tone::Heading,
                (false, false) => Tone::Dim,
            };
            if column.right {
                canvas.right(*x, area.y, *width, column.name, tone);
            } else {
                canvas.text(*x, area.y, *width, column.name, tone);
            }
        }
        let rows = usize::from(area.height - 1);
        for (line, row) in (self.cursor.top..self.count).take(rows).enumerate() {
            let y = area.y + 1 + line as u16;
            for (index, x, width) in &placed {
                let right = self.columns.get(*index).is_some_and(|column| column.right);
                draw(canvas, row, Cell { column: *index, x: *x, y, width: *width, right });
            }
            if row == self.cursor.selected {
                canvas.lay(area, y, canvas.look.chosen(self.has_keys));
            }
        }
        if self.count == 0 && area.height > 1 {
            canvas.text(area.x + 1, area.y + 1, area.width, "nothing yet", Tone::Dim);
        }
    }
}

/// A place in a table.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cell {
    /// Index of the column.
    pub(super) column: usize,
    x: u16,
    pub(super) y: u16,
    pub(super) width: u16,
    right: bool,
}

impl Cell {
    /// Writes what stands there.
    pub(super) fn write(self, canvas: &mut Canvas<'_>, text: &str, tone: Tone) {
        if self.right {
            canvas.right(self.x, self.y, self.width, text, tone);
        } else {
            canvas.text(self.x, self.y, self.width, text, tone);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_of_high_rank_go_first() {
        const COLUMNS: [Column; 4] =
            [right("a", 4, 0), left("b", 10, 2), left("c", 10, 1), left("d", 6, 0)];
        let names = |width| -> Vec<&str> {
            let placed = place(&COLUMNS, Rect::new(0, 0, width, 5));
            for (_, x, columns) in &placed {
                assert!(x + columns <= width.max(1), "{width}");
            }
            placed.iter().map(|(index, _, _)| COLUMNS[*index].name).collect()
        };
        assert_eq!(names(80), ["a", "b", "c", "d"]);
        assert_eq!(names(30), ["a", "c", "d"]);
        assert_eq!(names(15), ["a", "d"]);
        assert_eq!(names(3), ["a"]);
    }

    #[test]
    fn a_column_that_grows_takes_the_room_wherever_it_stands() {
        let columns = [right("a", 4, 0), growing("b", 10, 0), left("c", 6, 0)];
        let widths = |width| -> Vec<u16> {
            place(&columns, Rect::new(0, 0, width, 5)).iter().map(|(_, _, it)| *it).collect()
        };
        assert_eq!((widths(40), widths(23)), (vec![4, 27, 6], vec![4, 10, 6]));
        assert_eq!(widths(18), [4, 10, 1]);
    }
}
