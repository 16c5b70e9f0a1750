//! A field of a header.

use std::sync::Arc;

use super::Layout;
use crate::yaml;

/// What a field holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A number without sign, big-endian.
    Unsigned,
    /// One bit or more that each mean something by themselves.
    Flags,
    /// Bytes that are no number.
    Bytes,
    /// Bits that have no meaning: zero when sent, ignored when received.
    Reserved,
}

/// A value of a field, as it is given to be sent or was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Given {
    /// A number.
    Number(u64),
    /// Bytes.
    Bytes(Vec<u8>),
    /// The elements of a list, each with its fields by name.
    List(Vec<Vec<(String, Given)>>),
}

impl Given {
    /// The number, if it is one.
    pub fn number(&self) -> Option<u64> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Bytes(_) | Self::List(_) => None,
        }
    }
}

/// How many bits a field has.
#[derive(Clone, Debug)]
pub(super) enum Size {
    /// So many.
    Bits(usize),
    /// As many bytes as that field says.
    From(String),
    /// Bytes up to the next multiple of so many, counted from the layout's first.
    UpTo(usize),
    /// All bytes to the end.
    Rest,
    /// Another layout, whose fields' names get the field's in front.
    Embed(Arc<Layout>),
    /// A list of another layout.
    Repeat(Arc<Layout>, Announced),
}

/// How the elements of a list are announced, each in a word of 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Announced {
    /// 1 before each element, 0 behind the last.
    Marked,
    /// Their number in front.
    Counted,
    /// 0, or 1 and one element.
    Optional,
}

/// A field of a header.
#[derive(Clone, Debug)]
pub struct Field {
    pub(super) name: String,
    pub(super) short: Option<String>,
    /// Bits from the layout's first; behind the field before, if it is absent.
    pub(super) at: Option<usize>,
    pub(super) size: Size,
    pub(super) kind: Kind,
    pub(super) fixed: Option<u64>,
    /// The field is there if one of these fields has that value, or if there are none of them.
    pub(super) when: Vec<(String, u64)>,
    pub(super) values: Vec<(String, u64)>,
}

impl Field {
    /// The document's words for it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The document's abbreviation, where it has one.
    pub fn short(&self) -> Option<&str> {
        self.short.as_deref()
    }

    /// What it holds.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Its width in bits, unless it differs from header to header.
    pub fn width(&self) -> Option<usize> {
        match self.size {
            Size::Bits(bits) => Some(bits),
            _ => None,
        }
    }

    /// Where it begins, in bits from the header's first, unless that differs.
    pub fn at(&self) -> Option<usize> {
        self.at
    }

    /// The one value that it may have.
    pub fn fixed(&self) -> Option<u64> {
        self.fixed
    }

    /// The names of its values.
    pub fn values(&self) -> &[(String, u64)] {
        &self.values
    }

    /// The layout of its elements, if it is a list.
    pub fn elements(&self) -> Option<&Layout> {
        match &self.size {
            Size::Repeat(layout, _) => Some(layout),
            _ => None,
        }
    }

    /// Whether the number fits into it.
    pub fn holds(&self, number: u64) -> bool {
        self.width().is_none_or(|width| width >= 64 || number >> width == 0)
    }

    pub(super) fn is_called(&self, name: &str) -> bool {
        self.name == name || self.short.as_deref() == Some(name)
    }
}

/// There is no field of that name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{of} has no field `{name}`; {}", hint(nearest.as_deref(), known))]
pub struct UnknownField {
    /// What has no such field: a layout or a message.
    pub of: String,
    /// The name.
    pub name: String,
    /// The field that is most like it.
    pub nearest: Option<String>,
    /// The fields that there are.
    pub known: Vec<String>,
}

impl UnknownField {
    pub(super) fn new(of: &str, name: &str, mut known: Vec<String>) -> Self {
        known.dedup();
        let nearest = yaml::nearest(name, known.iter().map(String::as_str)).map(str::to_owned);
        Self { of: of.to_owned(), name: name.to_owned(), nearest, known }
    }
}

fn hint(nearest: Option<&str>, known: &[String]) -> String {
    match nearest {
        Some(nearest) => format!("did you mean `{nearest}`?"),
        None => format!("there are {}", known.join(", ")),
    }
}
