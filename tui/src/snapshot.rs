//! A screen as text, for documents and reports of defects.

use crate::session::Session;
use ratatui::buffer::Buffer;

/// The lines of a screen, without blanks at their ends.
pub fn text(buffer: &Buffer) -> String {
    let mut out = String::new();
    let area = buffer.area();
    for y in area.top()..area.bottom() {
        let mut line = String::new();
        let mut x = area.left();
        while x < area.right() {
            let symbol = buffer.cell((x, y)).map_or(" ", |cell| cell.symbol());
            line.push_str(symbol);
            // A wide character takes the cell after it as well.
            let width = unicode_width::UnicodeWidthStr::width(symbol).max(1);
            x = x.saturating_add(u16::try_from(width).unwrap_or(1));
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

/// The session's screen as text, when everything on it is there.
pub fn of(session: &mut Session) -> String {
    session.settle();
    text(&session.screen())
}
