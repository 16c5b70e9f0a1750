//! The run view: the results of a conformance run.

use super::Cursor;
use super::text::TextLine;
use crate::format::{fitted, wrap_line};
use crate::look::Tone;
use std::collections::HashSet;

/// A document, section, case or instance of a run, and what came of it. The entries of a run are a flat
/// list: those that belong to one follow it with a greater depth.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RunEntry {
    /// How deep it lies: 0 for a document.
    pub depth: u8,
    /// Its name: a document, a section with its number, a case's or instance's id.
    pub name: String,
    /// Its verdict, or the counts of those below.
    pub verdict: String,
    /// Good, bad, or neither.
    pub tone: Tone,
    /// Whether the run fails because of it, or of something below it.
    pub fails: bool,
    /// What is told of it: title, requirement, reason, what was sent and came, the ladder.
    pub details: Vec<TextLine>,
}

/// The run view.
#[derive(Debug, Clone, Default)]
pub struct RunView {
    /// The chosen entry, and what is seen.
    pub cursor: Cursor,
    /// What was run, in a few words.
    pub title: String,
    /// Every entry.
    pub entries: Vec<RunEntry>,
    /// Entries whose own are not shown.
    pub folded: HashSet<usize>,
    /// The entries that are shown.
    pub visible: Vec<usize>,
    /// The first line of the details that is seen.
    pub shift: usize,
}

impl RunView {
    /// Takes a run: what did not fail is folded below its case.
    pub fn set(&mut self, title: String, entries: Vec<RunEntry>) {
        let quiet = |(index, entry): (usize, &RunEntry)| {
            (entry.depth >= 2 && !entry.fails).then_some(index)
        };
        self.folded = entries.iter().enumerate().filter_map(quiet).collect();
        (self.title, self.entries) = (title, entries);
        self.list(1);
    }

    /// Finds out again which entries are shown; the chosen one stays chosen.
    pub fn list(&mut self, page: usize) {
        let chosen = self.visible.get(self.cursor.selected).copied().unwrap_or(0);
        let mut hidden_below = None;
        self.visible.clear();
        for (index, entry) in self.entries.iter().enumerate() {
            if hidden_below.is_some_and(|depth| entry.depth > depth) {
                continue;
            }
            hidden_below = self.folded.contains(&index).then_some(entry.depth);
            self.visible.push(index);
        }
        let row = self.visible.partition_point(|index| *index <= chosen).saturating_sub(1);
        self.cursor.choose(row, self.visible.len(), page);
        self.shift = 0;
    }

    /// The chosen entry.
    pub fn chosen(&self) -> Option<&RunEntry> {
        self.entries.get(*self.visible.get(self.cursor.selected)?)
    }

    /// What is told of the chosen entry, in lines of at most so many columns; the picture behind an empty line
    /// is made to fit as well.
    pub fn told(&self, columns: usize) -> Vec<TextLine> {
        let Some(entry) = self.chosen() else { return Vec::new() };
        let picture = entry.details.iter().position(Vec::is_empty).unwrap_or(entry.details.len());
        let (text, picture) = entry.details.split_at(picture);
        let wrapped = text.iter().flat_map(|line| wrap_line(line, columns));
        wrapped.chain(fitted(picture, columns)).collect()
    }

    /// Whether others belong to an entry.
    pub fn has_children(&self, index: usize) -> bool {
        match (self.entries.get(index), self.entries.get(index + 1)) {
            (Some(entry), Some(next)) => next.depth > entry.depth,
            _ => false,
        }
    }

    /// Folds or unfolds the chosen entry; an entry without others stays as it is.
    pub fn fold(&mut self, folded: Option<bool>, page: usize) {
        let Some(index) = self.visible.get(self.cursor.selected).copied() else { return };
        if !self.has_children(index) {
            return;
        }
        let folded = folded.unwrap_or(!self.folded.contains(&index));
        if folded {
            self.folded.insert(index);
        } else {
            self.folded.remove(&index);
        }
        self.list(page);
    }

    /// Chooses the next entry that fails, or the one before; false when there is none.
    pub fn go_failing(&mut self, forward: bool, page: usize) -> bool {
        let at = self.visible.get(self.cursor.selected).copied().unwrap_or(0);
        let fails = |index: &usize| {
            !self.has_children(*index) && self.entries.get(*index).is_some_and(|entry| entry.fails)
        };
        let found = if forward {
            (at + 1..self.entries.len()).find(fails)
        } else {
            (0..at).rev().find(fails)
        };
        let Some(found) = found else { return false };
        // Whatever it is folded in is unfolded.
        let mut depth = self.entries.get(found).map_or(0, |entry| entry.depth);
        for (index, entry) in self.entries.iter().enumerate().take(found).rev() {
            if entry.depth < depth {
                depth = entry.depth;
                self.folded.remove(&index);
            }
        }
        self.list(page);
        let row = self.visible.iter().position(|index| *index == found).unwrap_or(0);
        self.cursor.jump(row, self.visible.len(), page);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(depth: u8, name: &str, fails: bool) -> RunEntry {
        RunEntry { depth, name: name.to_owned(), fails, ..RunEntry::default() }
    }

    #[test]
    fn what_fails_is_open_and_found() {
        let mut view = RunView::default();
        let entries = vec![
            entry(0, "RFC 5040", true),
            entry(1, "4.8", true),
            entry(2, "good", false),
            entry(3, "good/a", false),
            entry(2, "bad", true),
            entry(3, "bad/a", false),
            entry(3, "bad/b", true),
        ];
        view.set("a run".to_owned(), entries);
        let names = |view: &RunView| -> Vec<String> {
            view.visible.iter().map(|index| view.entries[*index].name.clone()).collect()
        };
        assert_eq!(names(&view), ["RFC 5040", "4.8", "good", "bad", "bad/a", "bad/b"]);
        assert!(view.go_failing(true, 10));
        assert_eq!(view.chosen().unwrap().name, "bad/b");
        assert!(!view.go_failing(true, 10));
        view.cursor.selected = 0;
        view.fold(None, 10);
        assert_eq!(names(&view), ["RFC 5040"]);
        assert!(view.go_failing(true, 10));
        assert_eq!(view.chosen().unwrap().name, "bad/b");
    }
}
