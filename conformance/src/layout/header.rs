//! Headers: reads their fields, and writes them.

use serde::Deserialize;
use std::sync::Arc;
use warpscope_text::suggest;

/// The layout of one header.
#[derive(Clone, Debug)]
pub struct Layout {
    pub(super) name: String,
    pub(super) title: String,
    pub(super) within: Option<String>,
    pub(super) shape: Shape,
}

#[derive(Clone, Debug)]
pub(super) enum Shape {
    Fields(Vec<Field>),
    /// One of several layouts, selected by bits that are at the same position in all of them.
    Choose {
        at: usize,
        width: usize,
        cases: Vec<(u64, Arc<Layout>)>,
    },
}

/// A field that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadField {
    /// Its name; in lists `list[0].name`. The list itself is a field of no width, whose value is the number
    /// of its elements.
    pub name: String,
    /// Its abbreviation.
    pub short: Option<String>,
    /// Its offset in bits.
    pub at: usize,
    /// Its width in bits.
    pub width: usize,
    /// Its value: a number or bytes.
    pub value: Given,
}

/// The fields of a header that was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fields {
    pub(super) of: String,
    pub(super) all: Vec<ReadField>,
    /// The number of bits that they take.
    pub(super) bits: usize,
}

impl Fields {
    /// Returns every field, in the order of the header.
    pub fn all(&self) -> &[ReadField] {
        &self.all
    }

    /// Returns the length of the header in bytes.
    pub fn length(&self) -> usize {
        self.bits.div_ceil(8)
    }

    /// Returns the field with this name or abbreviation.
    ///
    /// # Errors
    /// Fails if none was read.
    pub fn field(&self, name: &str) -> Result<&ReadField, UnknownField> {
        self.find(name).ok_or_else(|| {
            let known = self.all.iter().map(|it| it.name.clone()).collect();
            UnknownField::new(&self.of, name, known)
        })
    }

    /// Returns the field with this name or abbreviation, if it was read.
    pub(crate) fn find(&self, name: &str) -> Option<&ReadField> {
        let called = |it: &&ReadField| it.name == name || it.short.as_deref() == Some(name);
        self.all.iter().find(called)
    }

    /// Returns the number in a field.
    pub fn number(&self, name: &str) -> Option<u64> {
        self.find(name)?.value.number()
    }

    /// Returns the bytes in a field.
    pub fn bytes(&self, name: &str) -> Option<&[u8]> {
        match &self.find(name)?.value {
            Given::Bytes(bytes) => Some(bytes),
            Given::Number(_) | Given::List(_) => None,
        }
    }
}

/// A header that ends within a field, or whose bits select no layout.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{layout}.{field} needs {needed} bytes, but only {available} are left")]
pub struct Short {
    /// The layout.
    pub layout: String,
    /// The field.
    pub field: String,
    /// The number of bytes up to its end.
    pub(crate) needed: usize,
    /// The number of available bytes.
    pub available: usize,
}

/// Why a field was not written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FieldError {
    /// There is no field of that name.
    #[error(transparent)]
    Unknown(#[from] UnknownField),
    /// The bytes end before the field.
    #[error(transparent)]
    Short(#[from] Short),
    /// The value does not fit.
    #[error("`{field}` has {width} bits: {value:#x} does not fit")]
    TooWide {
        /// The field.
        field: String,
        /// Its width in bits.
        width: usize,
        /// The value.
        value: u64,
    },
    /// The field takes another kind of value.
    #[error("`{0}` needs another kind of value")]
    Kind(String),
}

impl Layout {
    /// Returns the name used in cases.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns its description in words.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Returns its fields; for a layout that chooses, those of the first choice.
    pub(crate) fn fields(&self) -> &[Field] {
        match &self.shape {
            Shape::Fields(fields) => fields,
            Shape::Choose { cases, .. } => cases.first().map_or(&[], |(_, layout)| layout.fields()),
        }
    }

    /// Returns the field with this name or abbreviation, including those of embedded layouts.
    pub(crate) fn field(&self, name: &str) -> Result<&Field, UnknownField> {
        self.find(name).ok_or_else(|| UnknownField::new(&self.name, name, self.names("")))
    }

    pub(super) fn find(&self, name: &str) -> Option<&Field> {
        match &self.shape {
            Shape::Choose { cases, .. } => cases.iter().find_map(|(_, layout)| layout.find(name)),
            Shape::Fields(fields) => fields.iter().find_map(|field| match &field.size {
                Size::Embed(layout) => {
                    layout.find(name.strip_prefix(&field.name)?.strip_prefix('_')?)
                }
                _ => field.is_called(name).then_some(field),
            }),
        }
    }

    pub(super) fn names(&self, prefix: &str) -> Vec<String> {
        let mut names = Vec::new();
        match &self.shape {
            Shape::Choose { cases, .. } => {
                names.extend(cases.iter().flat_map(|(_, layout)| layout.names(prefix)));
            }
            Shape::Fields(fields) => {
                for field in fields {
                    match &field.size {
                        Size::Embed(layout) => {
                            names.extend(layout.names(&format!("{prefix}{}_", field.name)));
                        }
                        _ => {
                            names.push(format!("{prefix}{}", field.name));
                            names.extend(field.short.iter().map(|it| format!("{prefix}{it}")));
                        }
                    }
                }
            }
        }
        names
    }

    /// Reads the header at the beginning of the bytes.
    ///
    /// # Errors
    /// Fails if the bytes end too early.
    pub fn read(&self, bytes: &[u8]) -> Result<Fields, Short> {
        let mut fields = Fields { of: self.name.clone(), ..Fields::default() };
        fields.bits = self.read_at(bytes, 0, "", &mut fields)?;
        Ok(fields)
    }

    /// Reads it from a bit on, and returns the position after it.
    pub(super) fn read_at(
        &self,
        bytes: &[u8],
        base: usize,
        prefix: &str,
        into: &mut Fields,
    ) -> Result<usize, Short> {
        let fields = match &self.shape {
            Shape::Fields(fields) => fields,
            Shape::Choose { at, width, cases } => {
                let chosen = bits(bytes, base + at, *width)
                    .and_then(|value| cases.iter().find(|(case, _)| *case == value))
                    .ok_or_else(|| self.short("its choice", base + at + width, bytes))?;
                return chosen.1.read_at(bytes, base, prefix, into);
            }
        };
        let mut cursor = base;
        for field in fields {
            if !present(field, prefix, into) {
                continue;
            }
            let start = field.at.map_or(cursor, |at| base + at);
            let name = format!("{prefix}{}", field.name);
            let short = |end: usize| self.short(&name, end, bytes);
            let width = match &field.size {
                Size::Embed(layout) => {
                    cursor = layout.read_at(bytes, start, &format!("{name}_"), into)?;
                    continue;
                }
                Size::Repeat(layout, announced) => {
                    cursor = self.read_list(bytes, start, &name, layout, *announced, into)?;
                    continue;
                }
                Size::Bits(width) => *width,
                Size::From(count) => {
                    let count = into.number(&format!("{prefix}{count}")).unwrap_or(0);
                    usize::try_from(count).unwrap_or(0).saturating_mul(8)
                }
                Size::UpTo(unit) => {
                    let byte = (start - base).div_ceil(8);
                    (byte.next_multiple_of((*unit).max(1)) - byte) * 8
                }
                Size::Rest => (bytes.len() * 8).saturating_sub(start),
            };
            let end = start.saturating_add(width);
            let value = if field.kind == Kind::Bytes || width > 64 {
                let slice = bytes.get(start / 8..end / 8).ok_or_else(|| short(end))?;
                Given::Bytes(slice.to_vec())
            } else {
                Given::Number(bits(bytes, start, width).ok_or_else(|| short(end))?)
            };
            let short = field.short.as_ref().map(|it| format!("{prefix}{it}"));
            into.all.push(ReadField { name, short, at: start, width, value });
            cursor = end;
        }
        Ok(cursor)
    }

    fn read_list(
        &self,
        bytes: &[u8],
        start: usize,
        name: &str,
        layout: &Layout,
        announced: Announced,
        into: &mut Fields,
    ) -> Result<usize, Short> {
        let mut cursor = start;
        let place = into.all.len();
        let word = |cursor: &mut usize| {
            let word = bits(bytes, *cursor, 32);
            *cursor += 32;
            word.ok_or_else(|| self.short(name, *cursor, bytes))
        };
        let first = word(&mut cursor)?;
        let mut left = if announced == Announced::Counted { first } else { u64::from(first != 0) };
        let mut index = 0_u64;
        while left > 0 {
            cursor = layout.read_at(bytes, cursor, &format!("{name}[{index}]."), into)?;
            index += 1;
            left = match announced {
                Announced::Marked => word(&mut cursor)?.min(1),
                Announced::Counted => left - 1,
                Announced::Optional => 0,
            };
        }
        let (name, value) = (name.to_owned(), Given::Number(index));
        into.all.insert(place, ReadField { name, short: None, at: start, width: 0, value });
        Ok(cursor)
    }

    fn short(&self, field: &str, end: usize, bytes: &[u8]) -> Short {
        Short {
            layout: self.name.clone(),
            field: field.to_owned(),
            needed: end.div_ceil(8),
            available: bytes.len(),
        }
    }
}

/// Whether a field is present, according to the fields before it.
fn present(field: &Field, prefix: &str, read: &Fields) -> bool {
    field.when.is_empty()
        || field.when.iter().any(|(name, value)| {
            read.all
                .iter()
                .rev()
                .find(|it| it.name.strip_prefix(prefix) == Some(name.as_str()))
                .is_some_and(|it| it.value.number() == Some(*value))
        })
}

/// Returns the number in a range of at most 64 bits.
pub(super) fn bits(bytes: &[u8], at: usize, width: usize) -> Option<u64> {
    let mut value = 0_u64;
    for bit in at..at.checked_add(width)? {
        let byte = bytes.get(bit / 8)?;
        value = value << 1 | u64::from(byte >> (7 - bit % 8) & 1);
    }
    Some(value)
}

/// Writes a number into a range of bits, as far as the bytes reach.
pub(super) fn put_bits(bytes: &mut [u8], at: usize, width: usize, value: u64) {
    for index in 0..width {
        let bit = at + index;
        let shift = width - 1 - index;
        let one = shift < 64 && value >> shift & 1 == 1;
        if let Some(byte) = bytes.get_mut(bit / 8) {
            let mask = 0x80 >> (bit % 8);
            if one { *byte |= mask } else { *byte &= !mask }
        }
    }
}

/// The kind of a field's contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Default)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Kind {
    /// An unsigned big-endian number.
    #[default]
    Unsigned,
    /// One or more bits that each have their own meaning.
    Flags,
    /// Bytes that are not a number.
    Bytes,
    /// Bits that have no meaning: zero when sent, ignored when received.
    Reserved,
}

/// A field's value, given to be sent or read from a header.
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
    /// Returns the number, if it is one.
    pub fn number(&self) -> Option<u64> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Bytes(_) | Self::List(_) => None,
        }
    }
}

#[derive(Clone, Debug)]
pub(super) enum Size {
    Bits(usize),
    /// As many bytes as that field says.
    From(String),
    /// Bytes up to the next multiple of this number, counted from the layout's first byte.
    UpTo(usize),
    Rest,
    /// Another layout. The names of its fields get this field's name as a prefix.
    Embed(Arc<Layout>),
    Repeat(Arc<Layout>, Announced),
}

/// How the elements of a list are announced, each in a word of 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Announced {
    /// 1 before each element, 0 after the last.
    Marked,
    /// Their number before the first element.
    Counted,
    /// 0, or 1 and one element.
    Optional,
}

#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub(super) name: String,
    pub(super) short: Option<String>,
    /// The offset in bits from the start of the layout; if absent, the field follows the previous one.
    pub(super) at: Option<usize>,
    pub(super) size: Size,
    pub(super) kind: Kind,
    pub(super) fixed: Option<u64>,
    /// The field is present if one of these fields has that value, or if the list is empty.
    pub(super) when: Vec<(String, u64)>,
    pub(super) values: Vec<(String, u64)>,
}

impl Field {
    /// Returns the document's words for it.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Returns the document's abbreviation, if it has one.
    pub(crate) fn short(&self) -> Option<&str> {
        self.short.as_deref()
    }

    pub(crate) fn kind(&self) -> Kind {
        self.kind
    }

    /// Returns its width in bits, unless it differs from header to header.
    pub(crate) fn width(&self) -> Option<usize> {
        match self.size {
            Size::Bits(bits) => Some(bits),
            _ => None,
        }
    }

    pub(crate) fn values(&self) -> &[(String, u64)] {
        &self.values
    }

    /// Returns the layout of its elements, if it is a list.
    pub(crate) fn elements(&self) -> Option<&Layout> {
        match &self.size {
            Size::Repeat(layout, _) => Some(layout),
            _ => None,
        }
    }

    /// Whether the number fits into the field.
    pub(crate) fn holds(&self, number: u64) -> bool {
        self.width().is_none_or(|width| width >= 64 || number >> width == 0)
    }

    pub(super) fn is_called(&self, name: &str) -> bool {
        self.name == name || self.short.as_deref() == Some(name)
    }
}

/// An unknown field name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{of} has no field `{name}`; {}", hint(nearest.as_deref(), known))]
pub struct UnknownField {
    /// What has no such field: a layout or a message.
    pub of: String,
    /// The name.
    pub name: String,
    /// The field with the most similar name.
    pub nearest: Option<String>,
    /// The known fields.
    pub known: Vec<String>,
}

impl UnknownField {
    pub(super) fn new(of: &str, name: &str, mut known: Vec<String>) -> Self {
        known.dedup();
        let nearest = suggest(name, known.iter().map(String::as_str)).map(str::to_owned);
        Self { of: of.to_owned(), name: name.to_owned(), nearest, known }
    }
}

fn hint(nearest: Option<&str>, known: &[String]) -> String {
    match nearest {
        Some(nearest) => format!("did you mean `{nearest}`?"),
        None => format!("expected one of {}", known.join(", ")),
    }
}

/// The meaning of a layer, an error type and an error code.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct TerminateCode {
    /// The layer's word: `rdmap`, `ddp`, `llp`.
    pub layer: String,
    #[serde(skip)]
    pub(crate) layer_number: u64,
    /// The error type's word.
    #[serde(rename = "type")]
    pub error_type: String,
    #[serde(rename = "type_number")]
    pub(crate) error_type_number: u64,
    /// The error code; `None` if every code is right.
    pub code: Option<u64>,
    /// The code's word.
    pub name: String,
}
