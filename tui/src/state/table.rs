//! A table that can be sorted.

use super::Cursor;
use std::cmp::Ordering;

/// Which rows of a table are shown, in which order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TableView {
    /// The chosen row, and what is seen.
    pub cursor: Cursor,
    /// The rows shown: indices into what the capture keeps.
    pub order: Vec<u32>,
    /// Index of the column that is sorted by; none for the order of the capture.
    pub sort: Option<usize>,
    /// The other way round.
    pub reverse: bool,
    /// Rows of the capture that were looked at.
    pub taken: usize,
}

impl TableView {
    /// The chosen row's index into what the capture keeps.
    pub fn chosen(&self) -> Option<usize> {
        self.order.get(self.cursor.selected).map(|row| *row as usize)
    }

    /// Takes the rows from `taken` on that are wanted.
    pub fn extend<T>(&mut self, rows: &[T], wanted: impl Fn(&T) -> bool) {
        for (index, row) in rows.iter().enumerate().skip(self.taken) {
            if wanted(row) {
                self.order.push(u32::try_from(index).unwrap_or(u32::MAX));
            }
        }
        self.taken = rows.len();
    }

    /// Forgets which rows are shown.
    pub fn clear(&mut self) {
        self.order.clear();
        self.taken = 0;
    }

    /// Sorts by the column that is chosen; the chosen row stays chosen.
    pub fn arrange<T>(&mut self, rows: &[T], by: impl Fn(usize, &T, &T) -> Ordering, page: usize) {
        let chosen = self.order.get(self.cursor.selected).copied();
        self.order.sort_unstable();
        if let Some(column) = self.sort {
            self.order.sort_by(|one, other| {
                match (rows.get(*one as usize), rows.get(*other as usize)) {
                    (Some(one), Some(other)) => by(column, one, other),
                    _ => Ordering::Equal,
                }
            });
        }
        if self.reverse {
            self.order.reverse();
        }
        let row = chosen.and_then(|chosen| self.order.iter().position(|row| *row == chosen));
        self.cursor.jump(row.unwrap_or(self.cursor.selected), self.order.len(), page);
    }

    /// Takes the next column to sort by, of those in `columns`; behind the last, none.
    pub fn next_sort(&mut self, columns: &[usize]) {
        let at = self.sort.and_then(|sort| columns.iter().position(|column| *column == sort));
        self.sort = columns.get(at.map_or(0, |at| at + 1)).copied();
    }
}
