//! A screen as text, for documents and bug reports.

use crate::look::Theme;
use crate::session::Session;
use ratatui::backend::IntoCrossterm as _;
use ratatui::buffer::{Buffer, Cell};
use ratatui::crossterm::queue;
use ratatui::crossterm::style::{
    Attribute, Print, SetAttribute, SetBackgroundColor, SetForegroundColor,
};
use ratatui::style::Modifier;
use std::io::{self, Write};

/// Returns the cells of a row. A wide character also covers the next cell.
fn cells(buffer: &Buffer, y: u16) -> impl Iterator<Item = &Cell> {
    let mut covered = 0;
    (buffer.area().left()..buffer.area().right()).filter_map(move |x| {
        if covered > 0 {
            covered -= 1;
            return None;
        }
        let cell = buffer.cell((x, y))?;
        covered = unicode_width::UnicodeWidthStr::width(cell.symbol()).max(1) - 1;
        Some(cell)
    })
}

/// Returns the lines of a screen, without trailing spaces.
pub fn text(buffer: &Buffer) -> String {
    let mut out = String::new();
    for y in buffer.area().top()..buffer.area().bottom() {
        let line: String = cells(buffer, y).map(Cell::symbol).collect();
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

/// Writes the lines of a screen with colours, as ANSI escapes.
fn coloured(buffer: &Buffer, out: &mut impl Write) -> io::Result<()> {
    for y in buffer.area().top()..buffer.area().bottom() {
        let mut before = None;
        for cell in cells(buffer, y) {
            let style = (cell.fg, cell.bg, cell.modifier);
            if before.replace(style) != Some(style) {
                let (front, back) = (cell.fg.into_crossterm(), cell.bg.into_crossterm());
                queue!(out, SetAttribute(Attribute::Reset))?;
                queue!(out, SetForegroundColor(front), SetBackgroundColor(back))?;
                for (modifier, attribute) in [
                    (Modifier::BOLD, Attribute::Bold),
                    (Modifier::DIM, Attribute::Dim),
                    (Modifier::UNDERLINED, Attribute::Underlined),
                    (Modifier::REVERSED, Attribute::Reverse),
                ] {
                    if cell.modifier.contains(modifier) {
                        queue!(out, SetAttribute(attribute))?;
                    }
                }
            }
            queue!(out, Print(cell.symbol()))?;
        }
        queue!(out, SetAttribute(Attribute::Reset), Print("\r\n"))?;
    }
    Ok(())
}

/// Returns the session's complete screen as text.
pub fn of(session: &mut Session) -> String {
    session.settle();
    text(&session.screen())
}

/// Writes the session's complete screen, with colours if its theme has any.
pub fn write(session: &mut Session, out: &mut impl Write) -> io::Result<()> {
    if session.state.look.theme == Theme::Plain {
        return out.write_all(of(session).as_bytes());
    }
    session.settle();
    coloured(&session.screen(), out)
}
