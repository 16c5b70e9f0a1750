//! Headers made from values.

use std::sync::Arc;

use super::field::{Announced, Field, Given, Kind, Size};
use super::header::{FieldError, Layout, Shape, put_bits};

/// The values of a header: the ones that were given, and behind them those that it has if nothing
/// is said.
pub(super) struct Values<'a> {
    pub(super) given: &'a [(String, Given)],
    pub(super) usual: &'a [(String, Given)],
}

impl Values<'_> {
    /// What a field of that name and abbreviation gets; the last that was given counts.
    fn of(&self, prefix: &str, field: &Field) -> Option<&Given> {
        let called =
            |name: &str| name.strip_prefix(prefix).is_some_and(|name| field.is_called(name));
        let find = |list: &'_ [(String, Given)]| list.iter().rposition(|(name, _)| called(name));
        match find(self.given) {
            Some(index) => self.given.get(index).map(|(_, value)| value),
            None => find(self.usual).and_then(|index| self.usual.get(index)).map(|(_, it)| it),
        }
    }

    /// Whether a field was given.
    pub(super) fn gives(&self, field: &Field) -> bool {
        self.given.iter().any(|(name, _)| field.is_called(name))
    }
}

/// A header in the making.
#[derive(Default)]
pub(super) struct Made {
    pub(super) bytes: Vec<u8>,
    bits: usize,
    /// The numbers so far, by name with prefix.
    numbers: Vec<(String, u64)>,
    /// Where each field of the top level begins, in bits, and its width.
    pub(super) places: Vec<(String, usize, usize)>,
}

impl Made {
    fn number(&mut self, name: String, at: usize, width: usize, value: u64) {
        let end = at + width;
        if self.bytes.len() < end.div_ceil(8) {
            self.bytes.resize(end.div_ceil(8), 0);
        }
        put_bits(&mut self.bytes, at, width, value);
        self.numbers.push((name, value));
        self.bits = end;
    }

    fn bytes(&mut self, at: usize, bytes: &[u8]) {
        self.bytes.resize(at / 8, 0);
        self.bytes.extend_from_slice(bytes);
        self.bits = self.bytes.len() * 8;
    }

    /// Whether the last number of that name is that.
    fn is(&self, name: &str, value: u64) -> bool {
        let found = self.numbers.iter().rev().find(|(known, _)| known == name);
        found.is_some_and(|(_, known)| *known == value)
    }
}

impl Layout {
    /// A header with those values; fields that are not named have their fixed value, or zero.
    ///
    /// # Errors
    /// When there is no field of a name, or a value does not fit.
    pub fn compose(&self, values: &[(String, Given)]) -> Result<Vec<u8>, FieldError> {
        for (name, _) in values {
            self.field(name)?;
        }
        let mut made = Made::default();
        self.make(&Values { given: values, usual: &[] }, 0, "", &mut made)?;
        Ok(made.bytes)
    }

    /// Adds itself from a bit on.
    pub(super) fn make(
        &self,
        values: &Values<'_>,
        base: usize,
        prefix: &str,
        made: &mut Made,
    ) -> Result<(), FieldError> {
        let fields = match &self.shape {
            Shape::Fields(fields) => fields,
            Shape::Choose { at, width, cases } => {
                let chosen = choice(cases, *at, *width, values, prefix);
                return chosen.map_or(Ok(()), |layout| layout.make(values, base, prefix, made));
            }
        };
        made.bits = made.bits.max(base);
        for field in fields {
            let here = |(name, value): &(String, u64)| made.is(&format!("{prefix}{name}"), *value);
            if !field.when.is_empty() && !field.when.iter().any(here) {
                continue;
            }
            let start = field.at.map_or(made.bits, |at| base + at);
            let name = format!("{prefix}{}", field.name);
            let value = values.of(prefix, field);
            let before = made.bits.max(start);
            match (&field.size, value) {
                (Size::Embed(layout), _) => {
                    layout.make(values, start, &format!("{name}_"), made)?;
                }
                (Size::Repeat(layout, announced), value) => {
                    let none = Vec::new();
                    let elements = match value {
                        None => &none,
                        Some(Given::List(elements)) => elements,
                        Some(_) => return Err(FieldError::Kind(name)),
                    };
                    list(layout, *announced, elements, start, made)?;
                }
                (Size::Bits(width), _) if field.kind != Kind::Bytes && *width <= 64 => {
                    let value = match value {
                        None => field.fixed.unwrap_or(0),
                        Some(Given::Number(number)) => *number,
                        Some(_) => return Err(FieldError::Kind(name)),
                    };
                    if !field.holds(value) {
                        return Err(FieldError::TooWide { field: name, width: *width, value });
                    }
                    made.number(name.clone(), start, *width, value);
                }
                (size, value) => {
                    let mut bytes = match value {
                        None => Vec::new(),
                        Some(Given::Bytes(bytes)) => bytes.clone(),
                        Some(_) => return Err(FieldError::Kind(name)),
                    };
                    match size {
                        Size::Bits(width) => bytes.resize(width / 8, 0),
                        Size::UpTo(unit) if bytes.is_empty() => {
                            let byte = (start - base).div_ceil(8);
                            bytes.resize(byte.next_multiple_of((*unit).max(1)) - byte, 0);
                        }
                        _ => {}
                    }
                    made.bytes(start, &bytes);
                }
            }
            if prefix.is_empty() {
                made.places.push((name, start, made.bits.saturating_sub(before)));
            }
        }
        Ok(())
    }
}

/// The layout that the given value of the choosing bits stands for; the first, if none was given.
fn choice<'a>(
    cases: &'a [(u64, Arc<Layout>)],
    at: usize,
    width: usize,
    values: &Values<'_>,
    prefix: &str,
) -> Option<&'a Layout> {
    let first = cases.first().map(|(_, layout)| &**layout)?;
    let chooses = |it: &&Field| it.at == Some(at) && it.width() == Some(width);
    let field = first.fields().iter().find(chooses)?;
    let value = values.of(prefix, field).and_then(Given::number);
    let chosen = value.and_then(|value| cases.iter().find(|(case, _)| *case == value));
    Some(chosen.map_or(first, |(_, layout)| layout))
}

/// Adds a list.
fn list(
    layout: &Layout,
    announced: Announced,
    elements: &[Vec<(String, Given)>],
    start: usize,
    made: &mut Made,
) -> Result<(), FieldError> {
    let word = |made: &mut Made, value: usize| {
        let at = made.bits;
        made.bytes(at, &u32::try_from(value).unwrap_or(u32::MAX).to_be_bytes());
    };
    made.bits = start;
    match announced {
        Announced::Counted => word(made, elements.len()),
        Announced::Optional => word(made, elements.len().min(1)),
        Announced::Marked => {}
    }
    // Fields of elements are none of the message.
    let places = made.places.len();
    for element in elements {
        if announced == Announced::Marked {
            word(made, 1);
        }
        for (name, _) in element {
            layout.field(name)?;
        }
        let base = made.bits;
        layout.make(&Values { given: element, usual: &[] }, base, "", &mut *made)?;
    }
    made.places.truncate(places);
    if announced == Announced::Marked {
        word(made, 0);
    }
    Ok(())
}
