//! Writing on the screen in tones.

use crate::look::{Look, Tone};
use crate::state::TextLine;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use std::borrow::Cow;

/// The screen, and how things look on it.
pub(super) struct Canvas<'a> {
    pub(super) buffer: &'a mut Buffer,
    pub(super) look: Look,
}

impl Canvas<'_> {
    /// Writes text into at most so many columns; returns the column behind it.
    pub(super) fn text(&mut self, x: u16, y: u16, columns: u16, text: &str, tone: Tone) -> u16 {
        self.styled(x, y, columns, text, self.look.style(tone))
    }

    /// Writes text in a style of its own.
    pub(super) fn styled(&mut self, x: u16, y: u16, columns: u16, text: &str, style: Style) -> u16 {
        let area = *self.buffer.area();
        if y >= area.bottom() || x >= area.right() || columns == 0 {
            return x;
        }
        let text = if self.look.ascii && !text.is_ascii() {
            Cow::Owned(text.chars().map(|character| self.look.drawn(character)).collect())
        } else {
            Cow::Borrowed(text)
        };
        self.buffer.set_stringn(x, y, text, usize::from(columns.min(area.right() - x)), style).0
    }

    /// Writes text so that it ends in the last of so many columns; what is too long loses its end.
    pub(super) fn right(&mut self, x: u16, y: u16, columns: u16, text: &str, tone: Tone) {
        use unicode_width::UnicodeWidthStr as _;
        let width = u16::try_from(text.width()).unwrap_or(u16::MAX).min(columns);
        self.text(x + (columns - width), y, width, text, tone);
    }

    /// Writes the pieces of a line, from a column of it on.
    pub(super) fn line(&mut self, area: Rect, y: u16, line: &TextLine) {
        let mut x = area.x;
        for piece in line {
            let columns = area.right().saturating_sub(x);
            x = self.text(x, y, columns, &piece.text, piece.tone);
        }
    }

    /// Lays a style over a row.
    pub(super) fn lay(&mut self, area: Rect, y: u16, style: Style) {
        if y < area.bottom() {
            self.buffer.set_style(Rect { y, height: 1, ..area }, style);
        }
    }

    /// The head of a pane: its name on a bar.
    pub(super) fn head(&mut self, area: Rect, name: &str, has_keys: bool) {
        if area.height == 0 {
            return;
        }
        self.lay(area, area.y, self.look.bar());
        let tone = if has_keys { Tone::Heading } else { Tone::Dim };
        let mark = match (has_keys, self.look.ascii) {
            (false, _) => " ",
            (true, true) => ">",
            (true, false) => "▌",
        };
        let x = self.text(area.x, area.y, 1, mark, Tone::Accent);
        self.text(x, area.y, area.width.saturating_sub(1), name, tone);
    }
}
