//! A key as the table writes it.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use std::fmt;

/// A key that was pressed: `j`, `Ctrl-d`, `PageDown`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Key {
    /// The key itself; a letter as it would be written.
    pub code: KeyCode,
    /// Held with Ctrl.
    pub control: bool,
    /// Held with Alt.
    pub alt: bool,
}

/// Keys with names.
const NAMED: [(&str, KeyCode); 17] = [
    ("Enter", KeyCode::Enter),
    ("Esc", KeyCode::Esc),
    ("Tab", KeyCode::Tab),
    ("BackTab", KeyCode::BackTab),
    ("Backspace", KeyCode::Backspace),
    ("Delete", KeyCode::Delete),
    ("Up", KeyCode::Up),
    ("Down", KeyCode::Down),
    ("Left", KeyCode::Left),
    ("Right", KeyCode::Right),
    ("Home", KeyCode::Home),
    ("End", KeyCode::End),
    ("PageUp", KeyCode::PageUp),
    ("PageDown", KeyCode::PageDown),
    ("Space", KeyCode::Char(' ')),
    ("F1", KeyCode::F(1)),
    ("F5", KeyCode::F(5)),
];

impl Key {
    /// A character without Ctrl or Alt.
    pub fn character(character: char) -> Self {
        Self { code: KeyCode::Char(character), control: false, alt: false }
    }

    /// A key without Ctrl or Alt.
    pub fn plain(code: KeyCode) -> Self {
        Self { code, control: false, alt: false }
    }

    /// The key that a word names; `None` when it names none.
    pub fn parse(word: &str) -> Option<Self> {
        let (control, rest) = match word.strip_prefix("Ctrl-") {
            Some(rest) => (true, rest),
            None => (false, word),
        };
        let (alt, rest) = match rest.strip_prefix("Alt-") {
            Some(rest) => (true, rest),
            None => (false, rest),
        };
        let named = NAMED.iter().find(|(name, _)| *name == rest).map(|(_, code)| *code);
        let code = named.or_else(|| {
            let mut characters = rest.chars();
            let one = characters.next()?;
            characters.next().is_none().then_some(KeyCode::Char(one))
        })?;
        Some(Self { code, control, alt })
    }
}

impl From<KeyEvent> for Key {
    fn from(event: KeyEvent) -> Self {
        let control = event.modifiers.contains(KeyModifiers::CONTROL);
        let alt = event.modifiers.contains(KeyModifiers::ALT);
        let shift = event.modifiers.contains(KeyModifiers::SHIFT);
        let code = match event.code {
            KeyCode::Tab if shift => KeyCode::BackTab,
            code => code,
        };
        Self { code, control, alt }
    }
}

impl fmt::Display for Key {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", if self.control { "Ctrl-" } else { "" })?;
        write!(out, "{}", if self.alt { "Alt-" } else { "" })?;
        match NAMED.iter().find(|(_, code)| *code == self.code) {
            Some((name, _)) => write!(out, "{name}"),
            None => match self.code {
                KeyCode::Char(character) => write!(out, "{character}"),
                other => write!(out, "{other}"),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read_as_they_are_written() {
        for word in ["j", "G", "Ctrl-d", "PageDown", "Tab", "BackTab", "Enter", "?", "Alt-x", "F1"]
        {
            assert_eq!(Key::parse(word).map(|key| key.to_string()).as_deref(), Some(word));
        }
        assert_eq!(Key::parse("Hyper"), None);
        let shifted = KeyEvent::new(KeyCode::Tab, KeyModifiers::SHIFT);
        assert_eq!(Key::from(shifted), Key::plain(KeyCode::BackTab));
    }
}
