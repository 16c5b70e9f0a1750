//! A screen as text, for documents and reports of defects.

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

/// The cells of a row. A wide character takes the cell after it as well.
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

/// The lines of a screen, without blanks at their ends.
pub fn text(buffer: &Buffer) -> String {
    let mut out = String::new();
    for y in buffer.area().top()..buffer.area().bottom() {
        let line: String = cells(buffer, y).map(Cell::symbol).collect();
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

/// The lines of a screen with the colours, as ANSI escapes.
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

/// The session's screen as text, when everything on it is there.
pub fn of(session: &mut Session) -> String {
    session.settle();
    text(&session.screen())
}

/// Writes the same, with colours where its theme has some.
pub fn write(session: &mut Session, out: &mut impl Write) -> io::Result<()> {
    if session.state.look.theme == Theme::Plain {
        return out.write_all(of(session).as_bytes());
    }
    session.settle();
    coloured(&session.screen(), out)
}
