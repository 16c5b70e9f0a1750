//! A column: its name and meaning, and how to get and print its value of a row.

use crate::format::span;
use serde::ser::{Serialize, SerializeMap, Serializer};
use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt::Write as _;

/// The type of a column's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// An unsigned number below 2^32.
    U32,
    /// An unsigned number.
    U64,
    /// A signed number.
    I64,
    /// Nanoseconds since 1970-01-01 UTC.
    Time,
    /// True or false.
    Flag,
    /// UTF-8.
    Text,
}

impl Kind {
    /// Returns the name of the type in the documentation.
    pub fn name(self) -> &'static str {
        match self {
            Self::U32 => "uint32",
            Self::U64 => "uint64",
            Self::I64 => "int64",
            Self::Time => "timestamp[ns]",
            Self::Flag => "bool",
            Self::Text => "string",
        }
    }
}

/// A value in a row.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// No value.
    Null,
    /// A value of a column of [`Kind::U32`] or [`Kind::U64`].
    Unsigned(u64),
    /// A value of a column of [`Kind::I64`] or [`Kind::Time`].
    Signed(i64),
    /// A value of a column of [`Kind::Flag`].
    Flag(bool),
    /// A value of a column of [`Kind::Text`].
    Text(Cow<'static, str>),
}

impl Value {
    /// Orders numbers by size, the greatest first, and text alphabetically; the other way round if `reverse`
    /// is true. A missing value is last either way.
    pub fn compare(&self, other: &Self, reverse: bool) -> Ordering {
        let order = match (self, other) {
            (Self::Null, _) | (_, Self::Null) => {
                return (*self == Self::Null).cmp(&(*other == Self::Null));
            }
            (Self::Unsigned(one), Self::Unsigned(other)) => other.cmp(one),
            (Self::Signed(one), Self::Signed(other)) => other.cmp(one),
            (Self::Flag(one), Self::Flag(other)) => other.cmp(one),
            (Self::Text(one), Self::Text(other)) => one.cmp(other),
            // All values of a column have the same type.
            _ => Ordering::Equal,
        };
        if reverse { order.reverse() } else { order }
    }
}

macro_rules! value_from {
    ($($from:ty, $value:ident => $made:expr;)*) => {
        $(impl From<$from> for Value {
            fn from($value: $from) -> Self {
                $made
            }
        })*
    };
}

value_from! {
    u64, value => Self::Unsigned(value);
    u32, value => Self::Unsigned(value.into());
    u16, value => Self::Unsigned(value.into());
    u8, value => Self::Unsigned(value.into());
    i64, value => Self::Signed(value);
    bool, value => Self::Flag(value);
    &'static str, value => Self::Text(Cow::Borrowed(value));
    String, value => Self::Text(Cow::Owned(value));
}

impl<T: Into<Self>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

impl std::fmt::Display for Value {
    /// Writes the value as in CSV: empty if there is none.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Null => Ok(()),
            Self::Unsigned(value) => value.fmt(f),
            Self::Signed(value) => value.fmt(f),
            Self::Flag(value) => value.fmt(f),
            Self::Text(value) => value.fmt(f),
        }
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_none(),
            Self::Unsigned(value) => serializer.serialize_u64(*value),
            Self::Signed(value) => serializer.serialize_i64(*value),
            Self::Flag(value) => serializer.serialize_bool(*value),
            Self::Text(value) => serializer.serialize_str(value),
        }
    }
}

/// The file that a row comes from.
#[derive(Debug, Clone, Copy, Default)]
pub struct InFile<'a> {
    /// The file's name, as given by the user.
    pub name: &'a str,
    /// The time of its first frame, in nanoseconds since 1970-01-01 UTC.
    pub first_time: Option<i64>,
}

/// How much a value is highlighted in a table for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// Not highlighted.
    Plain,
    /// A bar.
    Bar,
    /// Something was lost or repeated.
    Warning,
    /// Something is wrong.
    Bad,
    /// A MUST was broken.
    Alarm,
}

/// The capture file, for rows that do not name it themselves.
pub const FILE: Shape = Shape {
    name: "file",
    kind: Kind::Text,
    unit: "",
    null: "",
    doc: "The capture file, as it was named on the command line",
};

/// The heading of a column in a table for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Heading {
    /// The text.
    pub text: &'static str,
    /// Whether values are right-aligned.
    pub right: bool,
    /// When the column is left out on a narrow terminal: the greatest rank first, rank 0 never.
    pub rank: u8,
}

impl Heading {
    /// Creates the heading of left-aligned values: text.
    pub const fn left(text: &'static str, rank: u8) -> Self {
        Self { text, right: false, rank }
    }

    /// Creates the heading of right-aligned values: numbers.
    pub const fn right(text: &'static str, rank: u8) -> Self {
        Self { text, right: true, rank }
    }
}

/// A column without its values: what CSV, Parquet and the documentation need.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// The name: the key in JSON, the column in CSV and Parquet.
    pub name: &'static str,
    /// The type of its values.
    pub kind: Kind,
    /// The unit of a number; empty if it has none.
    pub unit: &'static str,
    /// When the value is missing; empty for a column that always has one.
    pub null: &'static str,
    /// Its meaning.
    pub doc: &'static str,
}

enum Get<R> {
    Row(fn(&R) -> Value),
    InFile(fn(&R, &InFile<'_>) -> Value),
}

/// A column of rows `R`.
pub struct Column<R> {
    /// Its name, type and meaning; `None` for a column that is only for people.
    pub shape: Option<Shape>,
    /// Its heading in a table for people; `None` for a column that such tables leave out.
    pub heading: Option<Heading>,
    get: Get<R>,
    sparse: bool,
    tone: fn(&R) -> Tone,
    text: Option<fn(&R, &InFile<'_>) -> String>,
}

impl<R> Column<R> {
    /// Creates a column that always has a value.
    pub const fn new(
        name: &'static str,
        kind: Kind,
        doc: &'static str,
        get: fn(&R) -> Value,
    ) -> Self {
        let shape = Shape { name, kind, unit: "", null: "", doc };
        Self {
            shape: Some(shape),
            heading: None,
            get: Get::Row(get),
            sparse: false,
            tone: |_| Tone::Plain,
            text: None,
        }
    }

    /// Makes it a column about the file, which is left out of an object within that of the file.
    pub const fn in_file(mut self, get: fn(&R, &InFile<'_>) -> Value) -> Self {
        self.get = Get::InFile(get);
        self
    }

    /// Makes it a column for people only, with this text below this heading.
    pub const fn people(
        mut self,
        heading: &'static str,
        right: bool,
        rank: u8,
        text: fn(&R, &InFile<'_>) -> String,
    ) -> Self {
        self.shape = None;
        self.heading = Some(Heading { text: heading, right, rank });
        self.text = Some(text);
        self
    }

    /// Sets its unit.
    pub const fn unit(mut self, unit: &'static str) -> Self {
        if let Some(shape) = &mut self.shape {
            shape.unit = unit;
        }
        self
    }

    /// Says in which rows it has no value.
    pub const fn null(mut self, null: &'static str) -> Self {
        if let Some(shape) = &mut self.shape {
            shape.null = null;
        }
        self
    }

    /// Adds it to tables for people, below this heading. Text is left-aligned, other values right-aligned.
    pub const fn heading(mut self, text: &'static str, rank: u8) -> Self {
        let right = match self.shape {
            Some(Shape { kind, .. }) => !matches!(kind, Kind::Text),
            None => false,
        };
        self.heading = Some(Heading { text, right, rank });
        self
    }

    /// Shows nothing instead of 0 to people.
    pub const fn sparse(mut self) -> Self {
        self.sparse = true;
        self
    }

    /// Sets its tone for people.
    pub const fn tone(mut self, tone: fn(&R) -> Tone) -> Self {
        self.tone = tone;
        self
    }

    /// Sets its text for people.
    pub const fn text(mut self, text: fn(&R, &InFile<'_>) -> String) -> Self {
        self.text = Some(text);
        self
    }

    /// Returns the value in a row.
    pub fn value(&self, row: &R, file: &InFile<'_>) -> Value {
        match self.get {
            Get::Row(get) => get(row),
            Get::InFile(get) => get(row, file),
        }
    }

    /// Returns the value as shown to people: times with a suitable unit.
    pub fn shown(&self, row: &R, file: &InFile<'_>) -> Shown {
        let text = match (self.text, self.value(row, file)) {
            (Some(text), _) => text(row, file),
            (None, Value::Unsigned(0)) if self.sparse => String::new(),
            (None, Value::Unsigned(time)) if self.is_time() => span(i64::try_from(time).ok()),
            (None, Value::Signed(time)) if self.is_time() => span(Some(time)),
            (None, value) => value.to_string(),
        };
        Shown { text, tone: (self.tone)(row) }
    }

    fn is_time(&self) -> bool {
        self.shape.is_some_and(|shape| shape.unit == "ns")
    }
}

/// A value as shown to people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// The text.
    pub text: String,
    /// Its tone.
    pub tone: Tone,
}

/// Returns the columns for data, without their values.
pub fn heads<R>(columns: &[Column<R>]) -> Vec<Shape> {
    columns.iter().filter_map(|column| column.shape).collect()
}

/// Returns a row's values in the columns for data.
pub fn values<R>(columns: &[Column<R>], row: &R, file: &InFile<'_>) -> Vec<Value> {
    let columns = columns.iter().filter(|column| column.shape.is_some());
    columns.map(|column| column.value(row, file)).collect()
}

/// Returns a row's values in the columns for people.
pub fn shown<R>(columns: &[Column<R>], row: &R, file: &InFile<'_>) -> Vec<Shown> {
    let columns = columns.iter().filter(|column| column.heading.is_some());
    columns.map(|column| column.shown(row, file)).collect()
}

/// Serializes the columns of a row into an object within that of the file.
pub(super) fn entries<R, M: SerializeMap>(
    columns: &[Column<R>],
    row: &R,
    map: &mut M,
) -> Result<(), M::Error> {
    for column in columns {
        if let (Some(shape), Get::Row(get)) = (column.shape, &column.get) {
            map.serialize_entry(shape.name, &get(row))?;
        }
    }
    Ok(())
}

/// Rows of values: an array of objects in JSON.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// The columns.
    pub columns: Vec<Shape>,
    /// The rows: one value per column.
    pub rows: Vec<Vec<Value>>,
}

impl Table {
    /// Creates a table of rows in the columns for data.
    pub fn of<R>(columns: &[Column<R>], rows: &[R]) -> Self {
        let rows = rows.iter().map(|row| values(columns, row, &InFile::default())).collect();
        Self { columns: heads(columns), rows }
    }
}

impl Serialize for Table {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer
            .collect_seq(self.rows.iter().map(|row| Line { columns: &self.columns, values: row }))
    }
}

/// The values of a row, as a JSON object.
pub(super) struct Line<'a> {
    pub(super) columns: &'a [Shape],
    pub(super) values: &'a [Value],
}

impl Serialize for Line<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.columns.iter().map(|column| column.name).zip(self.values))
    }
}

/// Returns the columns as a Markdown table: the content of the documentation.
pub fn document(columns: &[Shape]) -> String {
    let mut out =
        String::from("| column | type | unit | meaning | null |\n|---|---|---|---|---|\n");
    for Shape { name, kind, unit, null, doc } in columns {
        let null = if null.is_empty() { "never" } else { null };
        let _ = writeln!(out, "| `{name}` | {} | {unit} | {doc} | {null} |", kind.name());
    }
    out
}

/// Declares the columns of a row: `name: Kind = value, "meaning"`, followed by methods of [`Column`].
macro_rules! columns {
    ($(#[$meta:meta])* $columns:ident: $type:ty, |$row:ident|
        $($name:ident: $kind:ident = $value:expr, $doc:literal $(. $method:ident($($argument:tt)*))*;)*) => {
        $(#[$meta])*
        pub const $columns: &[$crate::table::Column<$type>] = &[$(
            $crate::table::Column::new(stringify!($name), $crate::table::Kind::$kind, $doc, |$row: &$type| {
                let _ = $row;
                $crate::table::Value::from($value)
            })
            $(.$method($($argument)*))*,
        )*];
    };
}
pub(super) use columns;
