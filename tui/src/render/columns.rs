//! The columns of the messages: how wide they are, and the panel in which they are chosen.

use super::canvas::Canvas;
use super::table::{Column, growing, left, place, right};
use crate::format::column_head;
use crate::layout;
use crate::look::Tone;
use crate::state::{Choice, MessageColumn, State};
use ratatui::layout::Rect;
use std::borrow::Cow;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};
use warpscope_dissector::field::{Display, Field, Kind};

/// The most columns of the screen for the values of a field.
const WIDEST: usize = 24;
/// The most for the name above a column whose values are shorter.
const HEAD: usize = 18;

/// A column of the messages on the screen.
pub(super) fn column(choice: &Choice) -> Column {
    match choice.column {
        MessageColumn::Frame => right("frame", 7, 0),
        MessageColumn::Time => right("seconds", 11, 2),
        MessageColumn::Delta => right("delta", 9, 4),
        MessageColumn::Flow => right("flow", 4, 3),
        MessageColumn::Way => left("way", 3, 1),
        MessageColumn::Source => left("source", 15, 5),
        MessageColumn::Destination => left("destination", 15, 6),
        MessageColumn::Protocol => left("protocol", 9, 5),
        MessageColumn::Length => right("length", 6, 4),
        MessageColumn::Info => growing("info", 20, 0),
        MessageColumn::Field(field) => of_field(field, choice.widest),
    }
}

/// A field's column: as wide as its name and the values that were seen. It goes last where room is scarce.
fn of_field(field: &'static Field, widest: usize) -> Column {
    let head = column_head(field);
    let (most, flush_right) = match (field.kind, field.display) {
        (Kind::AbsoluteTime, _) => (31, false),
        (Kind::Unsigned(_) | Kind::FrameNumber | Kind::RelativeTime, Display::Plain) => {
            (WIDEST, true)
        }
        _ => (WIDEST, false),
    };
    let width = u16::try_from(widest.min(most).max(head.width().min(HEAD))).unwrap_or(0);
    if flush_right { right(head, width, 1) } else { left(head, width, 1) }
}

/// A text that has no room, with a mark that it goes on.
pub(super) fn cut(text: &str, columns: u16) -> Cow<'_, str> {
    let room = usize::from(columns);
    if text.width() <= room {
        return Cow::Borrowed(text);
    }
    let mut taken = 0;
    let fits = |character: &char| {
        taken += character.width().unwrap_or(0);
        taken < room
    };
    let mut kept: String = text.chars().take_while(fits).collect();
    kept.push('…');
    Cow::Owned(kept)
}

/// Draws the panel in which columns are chosen.
pub(super) fn draw(state: &State, canvas: &mut Canvas<'_>, body: Rect) {
    let columns = &state.messages.columns;
    let area = layout::columns(body);
    let blank = " ".repeat(area.width.into());
    for y in area.y..area.bottom() {
        canvas.text(area.x, y, area.width, &blank, Tone::Plain);
        canvas.lay(area, y, ratatui::style::Style::reset());
    }
    canvas.head(area, "columns, from left to right", true);
    let shown: Vec<MessageColumn> = columns.shown().collect();
    let wanted: Vec<Column> = columns.choices().map(column).collect();
    let placed = place(&wanted, layout::messages(body, state.messages.detail).list);
    let has_room =
        |column: MessageColumn| placed.iter().any(|(index, ..)| shown.get(*index) == Some(&column));
    let choices = columns.list.iter().enumerate().skip(columns.cursor.top);
    for ((at, choice), y) in choices.zip(area.y + 1..area.bottom()) {
        let words = choice.column.describe();
        let (mark, tone, words, told) = match (choice.shown, has_room(choice.column)) {
            (true, true) => ("+", Tone::Good, words, Tone::Dim),
            (true, false) => ("+", Tone::Warn, "no room on this screen", Tone::Warn),
            (false, _) => ("-", Tone::Dim, words, Tone::Dim),
        };
        let line = format!(" {mark} {:<36} ", choice.column.name());
        let x = canvas.text(area.x, y, area.width, &line, tone);
        canvas.text(x, y, area.right().saturating_sub(x), words, told);
        if at == columns.cursor.selected {
            canvas.lay(area, y, canvas.look.chosen(true));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpscope_dissector::field;

    #[test]
    fn a_column_is_as_wide_as_its_values_within_reason() {
        for field in field::all() {
            let (none, wide) = (of_field(field, 0).width, of_field(field, 500).width);
            assert!((2..=18).contains(&none) && none <= wide, "{}: {none}", field.name);
            assert!((24..=31).contains(&wide), "{}: {wide}", field.name);
        }
        let width = |name, widest| of_field(field::find(name).unwrap(), widest).width;
        assert_eq!([0, 10, 32].map(|it| width("iwarp_ddp.stag", it)), [4, 10, 24]);
        assert_eq!([5, 13, 40].map(|it| width("iwarp_rdma.opcode", it)), [6, 13, 24]);
    }

    #[test]
    fn what_is_cut_says_so() {
        assert_eq!((cut("0x1234", 6), cut("0x12345", 6)), ("0x1234".into(), "0x123…".into()));
        assert_eq!((cut("äöü", 2), cut("日本語", 4)), ("ä…".into(), "日…".into()));
    }
}
