//! Line editors.

use super::{Cursor, Mode, Place};
use crate::action::{self, Binding, Key};
use crate::event::{Effect, ScanKind, Wanted};
use ratatui::crossterm::event::KeyCode;
use std::collections::HashSet;
use warpscope_dissector::field::{self, Field};
use warpscope_dissector::filter::{Candidate, Completion, Filter, FilterError, Role, complete};

const HISTORY: usize = 100;

/// A line of text with a cursor and a history.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Editor {
    /// The text.
    pub text: String,
    /// The cursor: an offset in bytes, between two characters.
    pub cursor: usize,
    /// Entered lines, the latest last.
    pub history: Vec<String>,
    recalled: Option<usize>,
    /// Whether the text is still a default, which the first typed character replaces.
    offered: bool,
}

impl Editor {
    /// Sets the text, with the cursor after it.
    pub fn set(&mut self, text: impl Into<String>) {
        self.text = text.into();
        self.cursor = self.text.len();
        self.recalled = None;
        self.offered = false;
    }

    /// Sets a default text that typing replaces; a key that moves the cursor, or deletes, accepts it.
    pub fn offer(&mut self, text: impl Into<String>) {
        self.set(text);
        self.offered = true;
    }

    /// Adds the line to the history.
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

    /// Replaces a range of bytes by a text, with the cursor after it.
    pub fn replace(&mut self, span: std::ops::Range<usize>, text: &str) {
        if self.text.get(span.clone()).is_some() {
            self.text.replace_range(span.clone(), text);
            self.cursor = span.start + text.len();
        }
    }

    /// Handles a key; returns false if it has no meaning in a line.
    pub fn key(&mut self, key: Key) -> bool {
        let offered = std::mem::take(&mut self.offered);
        if offered
            && matches!(key.code, KeyCode::Char(character) if !key.control && !character.is_control())
        {
            self.set(String::new());
        }
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

// The display filter.

const OFFERED: usize = 200;

/// The display filter: the current one, and the text being typed.
#[derive(Debug, Clone, Default)]
pub struct FilterBar {
    /// The typed text.
    pub editor: Editor,
    /// The error in it.
    pub fault: Option<FilterError>,
    /// The candidates for the text at the cursor.
    pub offered: Vec<Candidate>,
    /// An example of a value there.
    pub example: Option<&'static str>,
    /// The range that the selected candidate replaces.
    span: std::ops::Range<usize>,
    /// The selected candidate.
    pub chosen: Option<usize>,
    /// The current filter; empty for none.
    pub text: String,
    /// The number of the last scan request.
    pub question: u64,
    /// Frames that passed.
    pub matched: Vec<u32>,
    /// The flows of these frames.
    pub flows: HashSet<u32>,
    /// The last frame that was checked.
    pub upto: u32,
    /// The frame to select when it is found.
    pub seek: Option<u32>,
}

impl FilterBar {
    /// Whether there is a filter.
    pub fn active(&self) -> bool {
        !self.text.is_empty()
    }

    /// Requests a new scan; with none, only ends the previous one.
    pub fn scan(&mut self, wanted: Option<Wanted>) -> Effect {
        self.matched.clear();
        self.flows.clear();
        (self.upto, self.question) = (0, self.question + 1);
        Effect::Scan(ScanKind::Filter, self.question, wanted)
    }

    /// Checks the typed text.
    pub fn judge(&mut self) {
        self.fault = Filter::parse(&self.editor.text).err();
        let completion = complete(&self.editor.text, self.editor.cursor);
        let Completion { span, mut candidates, example } = completion;
        candidates.truncate(OFFERED);
        // A complete word needs no candidates.
        let written = self.editor.text.get(span.clone()).unwrap_or("");
        candidates.retain(|candidate| candidate.text != written);
        (self.span, self.offered, self.example, self.chosen) = (span, candidates, example, None);
    }

    /// Selects the next or previous candidate, and inserts it.
    pub fn complete(&mut self, forward: bool) {
        self.chosen = next_candidate(self.chosen, self.offered.len(), forward);
        let Some(candidate) = self.chosen.and_then(|chosen| self.offered.get(chosen)) else {
            return;
        };
        let text = candidate.text.clone();
        self.editor.replace(self.span.clone(), &text);
        self.span.end = self.span.start + text.len();
        self.fault = Filter::parse(&self.editor.text).err();
    }
}

/// Returns the next or previous candidate; the first follows the last.
fn next_candidate(chosen: Option<usize>, count: usize, forward: bool) -> Option<usize> {
    let last = count.checked_sub(1)?;
    Some(match (chosen, forward) {
        (None, true) => 0,
        (None, false) => last,
        (Some(chosen), true) => (chosen + 1) % count,
        (Some(chosen), false) => (chosen + last) % count,
    })
}

// The command palette: actions by name.

/// The command palette.
#[derive(Debug, Clone, Default)]
pub struct PaletteView {
    /// The typed text.
    pub editor: Editor,
    /// The selected command.
    pub cursor: Cursor,
    /// The place from before the messages followed a number being typed.
    pub before: Option<Place>,
}

impl PaletteView {
    /// Returns the typed frame, if the text is a number.
    pub fn frame(&self) -> Option<u32> {
        self.editor.text.trim().parse().ok()
    }

    /// Returns the actions that match the text: those whose name begins with it first.
    pub fn offered(&self) -> Vec<&'static Binding> {
        let typed = self.editor.text.to_lowercase();
        if self.frame().is_some() {
            return Vec::new();
        }
        let fits = |binding: &&Binding| {
            binding.name.contains(&typed) || binding.words.to_lowercase().contains(&typed)
        };
        let mut found: Vec<&Binding> = action::all().iter().filter(fits).collect();
        found.sort_by_key(|binding| {
            let (name, words) = (binding.name, binding.words.to_lowercase());
            let begins = name.starts_with(&typed);
            (name != typed, !begins, !name.contains(&typed), !words.starts_with(&typed))
        });
        found
    }
}

// The prompt for a field's name.

const PROMPT_OFFERED: usize = 200;

/// The typed name of a field, and the candidates for it.
#[derive(Debug, Clone, Default)]
pub struct FieldPrompt {
    /// The typed text.
    pub editor: Editor,
    /// Matching fields.
    pub offered: Vec<Candidate>,
    /// The selected one.
    pub chosen: Option<usize>,
    /// The mode after the prompt.
    pub back: Mode,
}

impl FieldPrompt {
    /// Returns the named field.
    pub fn field(&self) -> Option<&'static Field> {
        field::find(self.editor.text.trim())
    }

    /// Checks the typed text.
    pub fn judge(&mut self) {
        let typed = self.editor.text.trim();
        let mut offered = complete(typed, typed.len()).candidates;
        offered.retain(|candidate| candidate.role == Role::Field && candidate.text != typed);
        offered.truncate(PROMPT_OFFERED);
        (self.offered, self.chosen) = (offered, None);
    }

    /// Selects the next or previous candidate, and inserts it.
    pub fn complete(&mut self, forward: bool) {
        self.chosen = next_candidate(self.chosen, self.offered.len(), forward);
        let Some(candidate) = self.chosen.and_then(|chosen| self.offered.get(chosen)) else {
            return;
        };
        self.editor.set(candidate.text.clone());
    }
}

// The search.

/// The search: the typed text, and the matches.
#[derive(Debug, Clone, Default)]
pub struct SearchBar {
    /// The typed text.
    pub editor: Editor,
    /// The error in it.
    pub fault: Option<String>,
    /// The current search; empty for none.
    pub text: String,
    /// The number of the last scan request.
    pub question: u64,
    /// Whether frames are scanned for it; other views search their rows.
    pub asked: bool,
    /// Matching frames.
    pub found: Vec<u32>,
    /// The last frame that was checked.
    pub upto: u32,
    /// Whether the first match after the selected frame is awaited.
    pub awaited: bool,
}

impl SearchBar {
    /// Parses a search: bytes after `0x`, a regular expression after `~`, else text, ignoring
    /// case.
    ///
    /// # Errors
    /// If the bytes or the regular expression are invalid.
    pub fn wanted(text: &str) -> Result<Wanted, String> {
        if let Some(digits) = text.strip_prefix("0x") {
            let digits: Vec<char> = digits.chars().filter(|it| !matches!(it, ':' | ' ')).collect();
            let pair = |pair: &[char]| {
                let [high, low] = pair.first_chunk()?.map(|digit: char| digit.to_digit(16));
                u8::try_from(high? << 4 | low?).ok()
            };
            let bytes = digits.chunks(2).map(pair).collect::<Option<Vec<u8>>>();
            let bytes = bytes.filter(|bytes| !bytes.is_empty()).map(Wanted::Bytes);
            return bytes
                .ok_or_else(|| "bytes are pairs of hexadecimal digits: 0x4d5041".to_owned());
        }
        let pattern = match text.strip_prefix('~') {
            Some(pattern) => pattern.to_owned(),
            None => regex::escape(text),
        };
        let built = regex::RegexBuilder::new(&pattern).case_insensitive(true).build();
        built.map(Wanted::Text).map_err(|error| {
            let words = error.to_string();
            let last = words.lines().last().unwrap_or("").trim_start_matches("error: ").to_owned();
            format!("not a regular expression: {last}")
        })
    }

    /// Requests a new scan; with none, only ends the previous one.
    pub fn scan(&mut self, wanted: Option<Wanted>) -> Effect {
        self.found.clear();
        (self.upto, self.question) = (0, self.question + 1);
        Effect::Scan(ScanKind::Search, self.question, wanted)
    }

    /// Checks the typed text.
    pub fn judge(&mut self) {
        self.fault = Self::wanted(&self.editor.text).err();
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
        editor.offer("marked.pcapng");
        typed(&mut editor, "x");
        assert_eq!(editor.text, "x");
        editor.offer("marked");
        typed(&mut editor, "Left x");
        assert_eq!(editor.text, "markexd");
        editor.set("äöü");
        typed(&mut editor, "Left Left Ctrl-k Delete");
        assert_eq!(editor.text, "ä");
        assert!(!editor.key(Key::parse("F1").unwrap()));
    }

    #[test]
    fn what_is_typed_says_what_is_sought() {
        let bytes = |text| match SearchBar::wanted(text) {
            Ok(Wanted::Bytes(bytes)) => bytes,
            other => panic!("{other:?}"),
        };
        assert_eq!(bytes("0x4d50:41"), b"MPA");
        assert!(SearchBar::wanted("0x4d5").is_err() && SearchBar::wanted("0xzz").is_err());
        let fits = |text, line| match SearchBar::wanted(text) {
            Ok(Wanted::Text(regex)) => regex.is_match(line),
            other => panic!("{other:?}"),
        };
        assert!(fits("read request", "RDMA Read Request") && !fits("r.ad", "Read"));
        assert!(fits("~r.ad", "Read"));
        assert!(SearchBar::wanted("~(").is_err());
    }
}
