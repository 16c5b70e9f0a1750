//! The selection and order of the messages' columns.

use super::Cursor;
use crate::look::Tone;
use std::borrow::Borrow;
use std::cmp::Ordering;
use unicode_width::UnicodeWidthStr;
use warpscope_dissector::field::{self, Field};

/// Declares the fixed columns: for each its name, its content, and whether it is shown at first.
macro_rules! message_columns {
    ($($column:ident $name:literal $words:literal $shown:literal;)*) => {
        /// A column of the messages.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum MessageColumn {
            $(#[doc = $words] $column,)*
            /// The values of a field.
            Field(&'static Field),
        }

        /// Every fixed column: its name, its content, and whether it is shown at first.
        pub const MESSAGE_COLUMNS: [(MessageColumn, &str, &str, bool); 10] =
            [$((MessageColumn::$column, $name, $words, $shown),)*];
    };
}

message_columns! {
    Frame "frame" "frame number" true;
    Time "seconds" "since the first frame" true;
    Delta "delta" "since the row above" false;
    Flow "flow" "flow number" true;
    Way "way" "from or to the initiator" true;
    Source "source" "where it came from" false;
    Destination "destination" "where it went" false;
    Protocol "protocol" "the innermost protocol" true;
    Length "length" "bytes on the wire" true;
    Info "info" "summary" true;
}

/// The most fields as columns.
pub const MOST_FIELDS: usize = 32;

impl MessageColumn {
    /// Returns its name; for a field the field's.
    pub fn name(self) -> &'static str {
        match self {
            Self::Field(field) => field.name,
            _ => self.known().map_or("", |(_, name, _, _)| name),
        }
    }

    /// Returns a short description of its content.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Field(field) => field.label,
            _ => self.known().map_or("", |(_, _, words, _)| words),
        }
    }

    fn known(self) -> Option<(Self, &'static str, &'static str, bool)> {
        MESSAGE_COLUMNS.into_iter().find(|(column, ..)| *column == self)
    }
}

/// A column, and whether it is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Choice {
    /// The column.
    pub column: MessageColumn,
    /// Whether it is shown.
    pub shown: bool,
    /// Whether it exists only for this session, because the command line requested it.
    pub passing: bool,
    /// The width of the widest value seen, in columns; 0 if it is no field.
    pub widest: usize,
}

impl Choice {
    fn new(column: MessageColumn, shown: bool, passing: bool) -> Self {
        Self { column, shown, passing, widest: 0 }
    }
}

/// The columns of the messages, from left to right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Columns {
    /// Every column.
    pub list: Vec<Choice>,
    /// The current column in the panel, and the visible part.
    pub cursor: Cursor,
}

impl Default for Columns {
    fn default() -> Self {
        let choice = |(column, _, _, shown)| Choice::new(column, shown, false);
        let list = MESSAGE_COLUMNS.into_iter().map(choice).collect();
        Self { list, cursor: Cursor::default() }
    }
}

impl Columns {
    /// Returns the shown columns.
    pub fn shown(&self) -> impl Iterator<Item = MessageColumn> {
        self.choices().map(|choice| choice.column)
    }

    /// Returns the shown columns with their settings.
    pub fn choices(&self) -> impl Iterator<Item = &Choice> {
        self.list.iter().filter(|choice| choice.shown)
    }

    /// Widens a field's column for the values of a frame: each of them, and a mark for more.
    pub fn see(&mut self, field: &'static Field, values: &str) {
        let one = values.split(',').map(UnicodeWidthStr::width).max().unwrap_or(0);
        let width = one + usize::from(values.contains(','));
        let own = |choice: &&mut Choice| choice.column == MessageColumn::Field(field);
        for choice in self.list.iter_mut().filter(own) {
            choice.widest = choice.widest.max(width);
        }
    }

    /// Returns the fields among them.
    pub fn fields(&self) -> impl Iterator<Item = &'static Field> {
        self.shown().filter_map(|column| match column {
            MessageColumn::Field(field) => Some(field),
            _ => None,
        })
    }

    /// Adds a field as a column, before the info, unless it is a column already; false if there are too many.
    /// A column that is `passing` is not saved.
    pub fn add(&mut self, field: &'static Field, passing: bool) -> bool {
        let column = MessageColumn::Field(field);
        let known = self.list.iter_mut().position(|choice| choice.column == column);
        if let Some(at) = known {
            self.cursor.selected = at;
            self.list.iter_mut().skip(at).take(1).for_each(|choice| choice.shown = true);
            return true;
        }
        let is_field = |choice: &&Choice| matches!(choice.column, MessageColumn::Field(_));
        if self.list.iter().filter(is_field).count() >= MOST_FIELDS {
            return false;
        }
        let info = self.list.iter().position(|choice| choice.column == MessageColumn::Info);
        let at = info.unwrap_or(self.list.len());
        self.list.insert(at, Choice::new(column, true, passing));
        self.cursor.selected = at;
        true
    }

    /// Shows or hides a column.
    pub fn toggle(&mut self, at: usize) {
        if let Some(choice) = self.list.get_mut(at) {
            choice.shown = !choice.shown;
        }
    }

    /// Removes a column: deletes a field's column, hides any other.
    pub fn take_away(&mut self, at: usize) {
        match self.list.get_mut(at) {
            Some(Choice { column: MessageColumn::Field(_), .. }) => _ = self.list.remove(at),
            Some(choice) => choice.shown = false,
            None => {}
        }
    }

    /// Moves the current column to the right or to the left.
    pub fn shift(&mut self, right: bool) {
        let at = self.cursor.selected;
        let to = if right { at.checked_add(1) } else { at.checked_sub(1) };
        if let Some(to) = to.filter(|to| (*to).max(at) < self.list.len()) {
            self.list.swap(at, to);
            self.cursor.selected = to;
        }
    }

    /// Returns the columns to save, from left to right: their names, those of hidden ones after a `-`.
    pub fn kept(&self) -> Vec<String> {
        let kept = self.list.iter().filter(|choice| !choice.passing);
        kept.map(|choice| {
            format!("{}{}", if choice.shown { "" } else { "-" }, choice.column.name())
        })
        .collect()
    }

    /// Restores saved columns; ignores unknown names. Fixed columns that are not named are
    /// hidden, after the column that they follow by default.
    pub fn recall(&mut self, kept: &[&str]) {
        let mut list: Vec<Choice> = Vec::new();
        for name in kept {
            let (name, shown) = name.strip_prefix('-').map_or((*name, true), |name| (name, false));
            let known = MESSAGE_COLUMNS.into_iter().find(|(_, known, ..)| *known == name);
            let of_field = || field::find(name).map(MessageColumn::Field);
            let Some(column) = known.map(|(column, ..)| column).or_else(of_field) else { continue };
            if list.len() < MESSAGE_COLUMNS.len() + MOST_FIELDS
                && list.iter().all(|choice| choice.column != column)
            {
                list.push(Choice::new(column, shown, false));
            }
        }
        if !list.iter().any(|choice| choice.shown) {
            return;
        }
        let mut behind = None;
        for (column, ..) in MESSAGE_COLUMNS {
            let place = |wanted| list.iter().position(|choice: &Choice| choice.column == wanted);
            if place(column).is_none() {
                let at = behind.and_then(place).map_or(0, |at| at + 1);
                list.insert(at, Choice::new(column, false, false));
            }
            behind = Some(column);
        }
        (self.list, self.cursor) = (list, Cursor::default());
    }
}

// The fields view: the fields of filters and `-e`.

/// The fields view.
#[derive(Debug, Clone)]
pub struct FieldsView {
    /// The selected field and the visible part.
    pub cursor: Cursor,
    /// The fields.
    pub fields: Vec<&'static Field>,
}

impl Default for FieldsView {
    fn default() -> Self {
        // The tool's own protocols come first.
        let mut fields: Vec<_> = field::all().collect();
        fields.sort_by_key(|field| !field.protocol().starts_with("iwarp"));
        Self { cursor: Cursor::default(), fields }
    }
}

impl FieldsView {
    /// Returns the selected field.
    pub fn chosen(&self) -> Option<&'static Field> {
        self.fields.get(self.cursor.selected).copied()
    }
}

// Sortable tables.

/// A column of a sortable table: its width, and the content of each row.
pub struct TableColumn<R> {
    /// Its heading.
    pub name: &'static str,
    /// Columns of the screen that it needs.
    pub width: u16,
    /// Whether it is right-aligned.
    pub right: bool,
    /// Its rank: if space is scarce, the highest rank is removed first; 0 is never removed.
    pub rank: u8,
    /// The text of a row, given the time of the first frame.
    pub text: fn(&R, Option<i64>) -> String,
    /// Compares two rows when the table is sorted by the column.
    pub compare: fn(&R, &R) -> Ordering,
    /// The tone of the value.
    pub tone: fn(&R) -> Tone,
}

impl<R> TableColumn<R> {
    /// Returns the texts of a row.
    pub fn texts(columns: &[Self], row: &R, first: Option<i64>) -> Vec<String> {
        columns.iter().map(|column| (column.text)(row, first)).collect()
    }

    /// Returns the names of columns.
    pub fn names(columns: &[Self]) -> Vec<&'static str> {
        columns.iter().map(|column| column.name).collect()
    }

    /// Compares two rows by the column at an index.
    pub fn order<T: Borrow<R>>(columns: &[Self], place: usize, one: &T, other: &T) -> Ordering {
        let column = columns.get(place);
        column.map_or(Ordering::Equal, |column| (column.compare)(one.borrow(), other.borrow()))
    }
}

/// Declares the columns of a table: `"name" right width rank: text, order, tone`.
macro_rules! table_columns {
    ($(#[$meta:meta])* $columns:ident: $type:ty, |$row:ident, $other:ident, $first:ident|
        $($name:literal $side:ident $width:literal $rank:literal: $text:expr, $order:expr $(, $tone:expr)?;)*) => {
        $(#[$meta])*
        pub const $columns: &[$crate::state::TableColumn<$type>] = &[$(
            $crate::state::TableColumn {
                name: $name,
                width: $width,
                right: $crate::state::table_columns!(@right $side),
                rank: $rank,
                text: |$row, $first| {
                    let _ = ($row, $first);
                    $text
                },
                compare: |$row, $other| $order,
                tone: |$row| {
                    let _ = $row;
                    $crate::state::table_columns!(@tone $($tone)?)
                },
            },
        )*];
    };
    (@right right) => { true };
    (@right left) => { false };
    (@tone) => { $crate::look::Tone::Plain };
    (@tone $tone:expr) => { $tone };
}
pub(super) use table_columns;

/// The shown rows of a table, and their order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TableView {
    /// The selected row and the visible part.
    pub cursor: Cursor,
    /// The shown rows: indices into the capture's rows.
    pub order: Vec<u32>,
    /// The index of the sort column; none for the order of the capture.
    pub sort: Option<usize>,
    /// Whether the order is reversed.
    pub reverse: bool,
    /// The number of the capture's rows that were checked.
    pub taken: usize,
    /// The row of the capture that stays selected when the rows are rebuilt.
    pub kept: Option<u32>,
}

impl TableView {
    /// Returns the selected row's index into the capture's rows.
    pub fn chosen(&self) -> Option<usize> {
        self.order.get(self.cursor.selected).map(|row| *row as usize)
    }

    /// Returns the selected one of the capture's rows.
    pub fn of<'r, T>(&self, rows: &'r [T]) -> Option<&'r T> {
        rows.get(self.chosen()?)
    }

    /// Adds the wanted rows from `taken` on.
    pub fn extend<T>(&mut self, rows: &[T], wanted: impl Fn(&T) -> bool) {
        for (index, row) in rows.iter().enumerate().skip(self.taken) {
            if wanted(row) {
                self.order.push(u32::try_from(index).unwrap_or(u32::MAX));
            }
        }
        self.taken = rows.len();
    }

    /// Clears the shown rows, except for the selected one.
    pub fn clear(&mut self) {
        self.kept = self.kept.or(self.chosen().and_then(|row| u32::try_from(row).ok()));
        self.order.clear();
        self.taken = 0;
    }

    /// Sorts by the selected column; the selected row stays selected, or the one before it in the capture.
    pub fn arrange<T>(&mut self, rows: &[T], by: impl Fn(usize, &T, &T) -> Ordering, page: usize) {
        let chosen = self.kept.or(self.order.get(self.cursor.selected).copied());
        self.order.sort_unstable();
        let before = |chosen| self.order.partition_point(|row| *row <= chosen).saturating_sub(1);
        let chosen = chosen.and_then(|chosen| self.order.get(before(chosen)).copied());
        if let Some(column) = self.sort {
            self.order.sort_by(|one, other| {
                match (rows.get(*one as usize), rows.get(*other as usize)) {
                    (Some(one), Some(other)) => by(column, one, other),
                    _ => Ordering::Equal,
                }
            });
        }
        if self.reverse {
            self.order.reverse();
        }
        let row = chosen.and_then(|chosen| self.order.iter().position(|row| *row == chosen));
        self.cursor.jump(row.unwrap_or(self.cursor.selected), self.order.len(), page);
    }

    /// Selects the next sort column out of `columns`; after the last, none.
    pub fn next_sort(&mut self, columns: &[usize]) {
        let at = self.sort.and_then(|sort| columns.iter().position(|column| *column == sort));
        self.sort = columns.get(at.map_or(0, |at| at + 1)).copied();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(columns: &Columns) -> Vec<&'static str> {
        columns.shown().map(MessageColumn::name).collect()
    }

    #[test]
    fn fields_come_before_the_words_and_move() {
        let mut columns = Columns::default();
        let field = |name| field::find(name).unwrap();
        assert!(columns.add(field("iwarp_ddp.stag"), false) && columns.add(field("tcp.seq"), true));
        let first = ["frame", "seconds", "flow", "way", "protocol", "length"];
        assert_eq!(names(&columns), [&first[..], &["iwarp_ddp.stag", "tcp.seq", "info"]].concat());
        columns.shift(false);
        columns.shift(false);
        assert_eq!(
            names(&columns),
            [&first[..5], &["tcp.seq", "length", "iwarp_ddp.stag", "info"]].concat()
        );
        for _ in 0..20 {
            columns.shift(true);
        }
        assert_eq!(names(&columns).last(), Some(&"tcp.seq"));
        // It is there already.
        assert!(columns.add(field("iwarp_ddp.stag"), false));
        assert_eq!(names(&columns).len(), 9);
        columns.take_away(columns.cursor.selected);
        columns.take_away(0);
        assert_eq!(names(&columns), [&first[1..], &["info", "tcp.seq"]].concat());
        assert_eq!(columns.list.len(), 11, "the frame's number is hidden alone");
        let mut all = field::all();
        while all.next().is_some_and(|field| columns.add(field, false)) {}
        assert_eq!(columns.list.len(), MESSAGE_COLUMNS.len() + MOST_FIELDS);
    }

    #[test]
    fn the_first_of_several_values_has_room() {
        let mut columns = Columns::default();
        let field = field::find("iwarp_ddp.stag").unwrap();
        columns.add(field, false);
        let mut widest = |values| {
            columns.see(field, values);
            columns.choices().map(|choice| choice.widest).max().unwrap()
        };
        assert_eq!((widest(""), widest("0x00000001"), widest("1,2")), (0, 10, 10));
        assert_eq!((widest("0x00000001,0x00000002"), widest("7")), (11, 11));
    }

    #[test]
    fn what_is_remembered_comes_again_in_its_order() {
        let mut columns = Columns::default();
        columns.add(field::find("iwarp_ddp.msn").unwrap(), false);
        columns.add(field::find("iwarp_ddp.qn").unwrap(), true);
        columns.add(field::find("iwarp_ddp.msn").unwrap(), false);
        columns.toggle(2);
        for _ in 0..20 {
            columns.shift(false);
        }
        let mut again = Columns::default();
        let kept = columns.kept();
        again.recall(&kept.iter().map(String::as_str).collect::<Vec<_>>());
        // What the command line asked for was for one session.
        columns.list.retain(|choice| !choice.passing);
        assert_eq!(again.list, columns.list);
        assert_eq!(names(&again)[..3], ["iwarp_ddp.msn", "frame", "seconds"]);

        // As it was remembered when there were no fields: the names of those that are shown.
        again.recall(&["frame", "delta", "info", "no.such_field", "frame"]);
        assert_eq!(names(&again), ["frame", "delta", "info"]);
        let all: Vec<&str> = again.list.iter().map(|choice| choice.column.name()).collect();
        assert_eq!(all, MESSAGE_COLUMNS.map(|(_, name, ..)| name));
        again.recall(&["-frame", "nothing"]);
        assert_eq!(names(&again), ["frame", "delta", "info"], "no column at all is no choice");
    }
}
