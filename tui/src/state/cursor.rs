//! The chosen row of a list, and the part of the list that is seen.

use crate::action::Action;

/// The chosen row, and the first row seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Cursor {
    /// The chosen row.
    pub selected: usize,
    /// The first row on the screen.
    pub top: usize,
}

impl Cursor {
    /// Moves as an action says, in a list of so many rows of which a page is seen; false when the
    /// action moves nothing.
    pub fn act(&mut self, action: Action, count: usize, page: usize) -> bool {
        let selected = self.selected;
        let moved = match action {
            Action::Down => selected.saturating_add(1),
            Action::Up => selected.saturating_sub(1),
            Action::PageDown => selected.saturating_add(page),
            Action::PageUp => selected.saturating_sub(page),
            Action::HalfDown => selected.saturating_add(page / 2),
            Action::HalfUp => selected.saturating_sub(page / 2),
            Action::First => 0,
            Action::Last => usize::MAX,
            _ => return false,
        };
        self.choose(moved, count, page);
        true
    }

    /// Chooses a row, or the last one when there are not so many, and brings it into sight.
    pub fn choose(&mut self, row: usize, count: usize, page: usize) {
        self.selected = row.min(count.saturating_sub(1));
        if self.selected < self.top {
            self.top = self.selected;
        }
        if self.selected >= self.top.saturating_add(page.max(1)) {
            self.top = self.selected.saturating_sub(page.max(1) - 1);
        }
        self.top = self.top.min(count.saturating_sub(page.min(count)));
    }

    /// Chooses a row, and brings it to the middle when it was out of sight.
    pub fn jump(&mut self, row: usize, count: usize, page: usize) {
        if row < self.top || row >= self.top.saturating_add(page) {
            self.top = row.saturating_sub(page / 2);
        }
        self.choose(row, count, page);
    }

    /// Moves by a wheel: what is seen moves, the choice only when it would be lost.
    pub fn wheel(&mut self, rows: isize, count: usize, page: usize) {
        let last = count.saturating_sub(page.min(count));
        self.top = self.top.saturating_add_signed(rows).min(last);
        let seen = self.top..self.top.saturating_add(page.max(1));
        let selected = self.selected.clamp(seen.start, seen.end.saturating_sub(1));
        self.selected = selected.min(count.saturating_sub(1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chosen_row_is_always_seen() {
        let actions = [
            Action::Down,
            Action::PageDown,
            Action::Last,
            Action::Up,
            Action::HalfUp,
            Action::PageUp,
            Action::First,
            Action::HalfDown,
        ];
        for count in [0_usize, 1, 5, 100] {
            let mut cursor = Cursor::default();
            for (index, action) in actions.into_iter().cycle().take(200).enumerate() {
                let page = 1 + index % 7;
                assert!(cursor.act(action, count, page));
                assert!(cursor.selected < count.max(1));
                assert!((cursor.top..cursor.top + page).contains(&cursor.selected));
                cursor.wheel(3 - (index as isize % 7), count, page);
                assert!((cursor.top..cursor.top + page).contains(&cursor.selected) || count == 0);
                cursor.jump(index * 3 % 130, count, page);
                assert!((cursor.top..cursor.top + page).contains(&cursor.selected));
            }
        }
        assert!(!Cursor::default().act(Action::Help, 5, 5));
    }
}
