//! A line of text that is being edited.

use crate::action::Key;
use ratatui::crossterm::event::KeyCode;

/// Lines of history that are kept.
const HISTORY: usize = 100;

/// A line of text with a cursor, and the lines before it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Editor {
    /// The text.
    pub text: String,
    /// The cursor: a place in bytes, between two characters.
    pub cursor: usize,
    /// Lines that were entered, the latest last.
    pub history: Vec<String>,
    /// The line of the history that is shown.
    recalled: Option<usize>,
}

impl Editor {
    /// Puts a text in, with the cursor behind it.
    pub fn set(&mut self, text: impl Into<String>) {
        self.text = text.into();
        self.cursor = self.text.len();
        self.recalled = None;
    }

    /// Remembers the line.
    pub fn remember(&mut self) {
        self.recalled = None;
        if self.text.is_empty() {
            return;
        }
        self.history.retain(|line| *line != self.text);
        self.history.push(self.text.clone());
        if self.history.len() > HISTORY {
            self.history.remove(0);
        }
    }

    /// Puts a text in the place of some bytes, and the cursor behind it.
    pub fn replace(&mut self, span: std::ops::Range<usize>, text: &str) {
        if self.text.get(span.clone()).is_some() {
            self.text.replace_range(span.clone(), text);
            self.cursor = span.start + text.len();
        }
    }

    /// Takes a key; false when it means nothing to a line.
    pub fn key(&mut self, key: Key) -> bool {
        let before = self.before();
        let behind = self.behind();
        match (key.code, key.control) {
            (KeyCode::Char('a'), true) | (KeyCode::Home, _) => self.cursor = 0,
            (KeyCode::Char('e'), true) | (KeyCode::End, _) => self.cursor = self.text.len(),
            (KeyCode::Char('u'), true) => {
                self.text.replace_range(..self.cursor, "");
                self.cursor = 0;
            }
            (KeyCode::Char('k'), true) => self.text.truncate(self.cursor),
            (KeyCode::Char('w'), true) => {
                let kept = self.text.get(..self.cursor).unwrap_or("").trim_end();
                let start = kept.rfind(' ').map_or(0, |at| at + 1);
                self.text.replace_range(start..self.cursor, "");
                self.cursor = start;
            }
            (KeyCode::Left, _) | (KeyCode::Char('b'), true) => self.cursor = before,
            (KeyCode::Right, _) | (KeyCode::Char('f'), true) => self.cursor = behind,
            (KeyCode::Backspace, _) | (KeyCode::Char('h'), true) => {
                self.text.replace_range(before..self.cursor, "");
                self.cursor = before;
            }
            (KeyCode::Delete, _) | (KeyCode::Char('d'), true) => {
                self.text.replace_range(self.cursor..behind, "");
            }
            (KeyCode::Up, _) | (KeyCode::Char('p'), true) => self.recall(true),
            (KeyCode::Down, _) | (KeyCode::Char('n'), true) => self.recall(false),
            (KeyCode::Char(character), false) if !character.is_control() => {
                self.text.insert(self.cursor, character);
                self.cursor += character.len_utf8();
            }
            _ => return false,
        }
        true
    }

    fn before(&self) -> usize {
        let text = self.text.get(..self.cursor).unwrap_or("");
        text.char_indices().next_back().map_or(0, |(at, _)| at)
    }

    fn behind(&self) -> usize {
        let mut rest = self.text.get(self.cursor..).unwrap_or("").chars();
        self.cursor + rest.next().map_or(0, char::len_utf8)
    }

    fn recall(&mut self, earlier: bool) {
        let wanted = match (self.recalled, earlier) {
            (None, true) => self.history.len().checked_sub(1),
            (None, false) => None,
            (Some(at), true) => Some(at.saturating_sub(1)),
            (Some(at), false) => Some(at + 1).filter(|at| *at < self.history.len()),
        };
        let line = wanted.and_then(|at| self.history.get(at)).cloned();
        if line.is_some() || self.recalled.is_some() {
            self.set(line.unwrap_or_default());
            self.recalled = wanted;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(editor: &mut Editor, words: &str) {
        for word in words.split(' ') {
            assert!(editor.key(Key::parse(word).unwrap()), "{word}");
        }
    }

    #[test]
    fn a_line_is_edited_as_in_a_shell() {
        let mut editor = Editor::default();
        typed(&mut editor, "t c ü Space = Left Backspace Home x End Ctrl-h");
        assert_eq!((editor.text.as_str(), editor.cursor), ("xtcü", 5));
        editor.remember();
        editor.set("a b  ");
        typed(&mut editor, "Ctrl-w");
        assert_eq!(editor.text, "a ");
        typed(&mut editor, "Ctrl-u Up");
        assert_eq!(editor.text, "xtcü");
        typed(&mut editor, "Up Down");
        assert_eq!(editor.text, "");
        editor.set("äöü");
        typed(&mut editor, "Left Left Ctrl-k Delete");
        assert_eq!(editor.text, "ä");
        assert!(!editor.key(Key::parse("F1").unwrap()));
    }
}
