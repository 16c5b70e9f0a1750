//! What a table consists of: columns, and rows of cells.

use std::borrow::Cow;

/// What the values of a column are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// An unsigned number below 2^32.
    U32,
    /// An unsigned number.
    U64,
    /// A signed number: a span of time in nanoseconds.
    I64,
    /// Nanoseconds since 1970-01-01 UTC.
    Time,
    /// True or false.
    Flag,
    /// UTF-8.
    Text,
}

impl Kind {
    /// The type, as the documentation has it.
    #[cfg(test)]
    pub(super) fn name(self) -> &'static str {
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

/// A column.
#[derive(Debug)]
#[cfg_attr(not(feature = "parquet"), allow(dead_code, reason = "lines of text have no types"))]
pub(super) struct Column {
    /// Its name.
    pub(super) name: &'static str,
    /// What its values are.
    pub(super) kind: Kind,
    /// When it has no value; empty for a column that always has one.
    pub(super) null: &'static str,
    /// The unit of a number; empty where it has none.
    #[cfg_attr(not(test), allow(dead_code, reason = "the documentation is made from it"))]
    pub(super) unit: &'static str,
    /// What it means.
    #[cfg_attr(not(test), allow(dead_code, reason = "the documentation is made from it"))]
    pub(super) meaning: &'static str,
}

/// A column that always has a value.
pub(super) const fn always(
    name: &'static str,
    kind: Kind,
    unit: &'static str,
    meaning: &'static str,
) -> Column {
    Column { name, kind, null: "", unit, meaning }
}

/// A column that has no value in some rows; `null` says in which.
pub(super) const fn sometimes(
    name: &'static str,
    kind: Kind,
    unit: &'static str,
    null: &'static str,
    meaning: &'static str,
) -> Column {
    Column { name, kind, null, unit, meaning }
}

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Cell {
    /// None.
    Null,
    /// Of a column of [`Kind::U32`] or [`Kind::U64`].
    Unsigned(u64),
    /// Of a column of [`Kind::I64`] or [`Kind::Time`].
    Signed(i64),
    /// Of a column of [`Kind::Flag`].
    Flag(bool),
    /// Of a column of [`Kind::Text`].
    Text(Cow<'static, str>),
}

impl From<u64> for Cell {
    fn from(value: u64) -> Self {
        Self::Unsigned(value)
    }
}

impl From<u32> for Cell {
    fn from(value: u32) -> Self {
        Self::Unsigned(value.into())
    }
}

impl From<u16> for Cell {
    fn from(value: u16) -> Self {
        Self::Unsigned(value.into())
    }
}

impl From<u8> for Cell {
    fn from(value: u8) -> Self {
        Self::Unsigned(value.into())
    }
}

impl From<i64> for Cell {
    fn from(value: i64) -> Self {
        Self::Signed(value)
    }
}

impl From<bool> for Cell {
    fn from(value: bool) -> Self {
        Self::Flag(value)
    }
}

impl From<&'static str> for Cell {
    fn from(value: &'static str) -> Self {
        Self::Text(Cow::Borrowed(value))
    }
}

impl From<String> for Cell {
    fn from(value: String) -> Self {
        Self::Text(Cow::Owned(value))
    }
}

impl<T: Into<Self>> From<Option<T>> for Cell {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}
