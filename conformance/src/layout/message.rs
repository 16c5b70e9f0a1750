//! Messages: consecutive layouts, with the values that identify the message.

use super::header::{
    Announced, Field, FieldError, Fields, Given, Kind, Layout, Shape, Short, Size, UnknownField,
    put_bits,
};
use serde::Deserialize;
use std::sync::Arc;

/// The difference between a Send's opcode and that of the same with Solicited Event (RFC 5040 section 4.3).
const SOLICITED: u64 = 2;

/// What carries a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Default)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Carrier {
    /// FPDUs, after the setup.
    #[default]
    Fpdu,
    /// The TCP stream itself: the frames of the setup.
    Stream,
}

/// A message: its layouts and its default values.
#[derive(Clone, Debug)]
pub struct Message {
    pub(super) name: String,
    pub(super) profile: String,
    pub(super) carrier: Carrier,
    pub(super) split: bool,
    pub(super) parts: Vec<Arc<Layout>>,
    pub(super) values: Vec<(String, Given)>,
}

impl Message {
    /// Returns its name, in the document's words.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the profile that has it: `mpa`, `rfc5040`, `rfc7306`, `ext-v2`, `commit`.
    pub fn profile(&self) -> &str {
        &self.profile
    }

    pub(crate) fn carrier(&self) -> Carrier {
        self.carrier
    }

    /// Whether DDP may split it into several segments.
    pub(crate) fn may_be_split(&self) -> bool {
        self.split
    }

    pub(crate) fn parts(&self) -> impl Iterator<Item = &Layout> {
        self.parts.iter().map(|part| &**part)
    }

    /// Returns the values that identify the message.
    pub fn values(&self) -> &[(String, Given)] {
        &self.values
    }

    /// Returns the field with this name or abbreviation; for an element of a list, `list[0].name`.
    pub(crate) fn field(&self, name: &str) -> Result<&Field, UnknownField> {
        self.find(name).ok_or_else(|| UnknownField::new(&self.name, name, self.names()))
    }

    /// Returns the same, if the message has one.
    pub(crate) fn find(&self, name: &str) -> Option<&Field> {
        let (first, rest) = element(name).map_or((name, None), |(list, rest)| (list, Some(rest)));
        let found = self.parts.iter().rev().find_map(|part| part.find(first));
        match rest {
            Some(rest) => found.and_then(Field::elements).and_then(|layout| within(layout, rest)),
            None => found,
        }
    }

    /// Returns a field's full name: abbreviations are expanded, names of embedding fields stay in front.
    pub(crate) fn full_name(&self, name: &str) -> Result<String, UnknownField> {
        let field = self.field(name)?;
        if name.contains('[') {
            return Ok(name.to_owned());
        }
        Ok(match field.short().and_then(|short| name.strip_suffix(short)) {
            Some(prefix) if !name.ends_with(field.name()) => format!("{prefix}{}", field.name()),
            _ => name.to_owned(),
        })
    }

    /// Returns every name of its fields: words and abbreviations.
    pub fn names(&self) -> Vec<String> {
        self.parts.iter().flat_map(|part| part.names("")).collect()
    }

    /// Composes the message with these values, followed by a payload: one complete segment, or a frame.
    /// Fields that are not named have the message's own value, their fixed one, or zero. A length that counts
    /// what follows is correct unless it is named.
    ///
    /// # Errors
    /// Fails if a field does not exist, or a value does not fit.
    pub fn compose(
        &self,
        given: &[(String, Given)],
        payload: &[u8],
    ) -> Result<Vec<u8>, FieldError> {
        for (name, _) in given {
            self.field(name)?;
        }
        let values = Values { given, usual: &self.values };
        let mut made = Made::default();
        for part in self.parts.iter().filter(|part| part.within.is_none()) {
            let base = made.bytes.len() * 8;
            part.make(&values, base, "", &mut made)?;
        }
        for part in self.parts.iter().filter(|part| part.within.is_some()) {
            self.overlay(part, given, &mut made)?;
        }
        made.bytes.extend_from_slice(payload);
        self.count(&values, &mut made);
        Ok(made.bytes)
    }

    /// Lays a part over the field that contains it. Of the outer field and its parts, those that were named
    /// take precedence; if several were named, the inner one does.
    fn overlay(
        &self,
        part: &Layout,
        given: &[(String, Given)],
        made: &mut Made,
    ) -> Result<(), FieldError> {
        let outer = part.within.as_deref().unwrap_or_default();
        let place = made.places.iter().find(|(name, ..)| name == outer).cloned();
        let Some((_, at, width)) = place else { return Ok(()) };
        let outer_is_given =
            self.find(outer).is_some_and(|field| Values { given, usual: &[] }.gives(field));
        let mut inner = Made::default();
        part.make(&Values { given, usual: &self.values }, 0, "", &mut inner)?;
        if width == 0 {
            // After a header that ends with this field.
            made.bytes.extend_from_slice(&inner.bytes);
            return Ok(());
        }
        for field in part.fields() {
            let named = given.iter().any(|(name, _)| field.is_called(name));
            let (Some(from), Some(bits)) = (field.at, field.width()) else { continue };
            if !outer_is_given || named {
                let value = super::header::bits(&inner.bytes, from, bits).unwrap_or(0);
                put_bits(&mut made.bytes, at + from, bits, value);
            }
        }
        Ok(())
    }

    /// Sets the lengths that count what follows, unless they were named.
    fn count(&self, values: &Values<'_>, made: &mut Made) {
        for field in self.parts.iter().flat_map(|part| part.fields()) {
            let Size::From(counter) = &field.size else { continue };
            let Some(counter) = self.find(counter) else { continue };
            let place = made.places.iter().find(|(name, ..)| *name == counter.name).cloned();
            let begin = made.places.iter().position(|(name, ..)| *name == field.name);
            let (Some((_, at, width)), Some(index)) = (place, begin) else { continue };
            let Some((_, begin, own)) = made.places.get(index).cloned() else { continue };
            if !values.gives(counter) {
                // The payload after the last field belongs to it too.
                let last = index + 1 == made.places.len();
                let count = if last { made.bytes.len().saturating_sub(begin / 8) } else { own / 8 };
                put_bits(&mut made.bytes, at, width, u64::try_from(count).unwrap_or(u64::MAX));
            }
        }
    }

    /// Reads its headers. What follows them begins after [`Fields::length`] bytes.
    ///
    /// # Errors
    /// Fails if the bytes end too early.
    pub fn read(&self, bytes: &[u8]) -> Result<Fields, Short> {
        let mut fields = Fields { of: self.name.clone(), ..Fields::default() };
        for part in self.parts.iter().filter(|part| part.within.is_none()) {
            fields.bits = part.read_at(bytes, fields.bits.next_multiple_of(8), "", &mut fields)?;
        }
        for part in self.parts.iter().filter(|part| part.within.is_some()) {
            let outer = part.within.as_deref().unwrap_or_default();
            let Some(place) = fields.find(outer).map(|field| field.at) else { continue };
            part.read_at(bytes, place, "", &mut fields)?;
        }
        Ok(fields)
    }

    /// Whether fields that were read with its layouts have the values that identify this message.
    pub fn is(&self, fields: &Fields) -> bool {
        self.is_in_version(fields, None)
    }

    /// The same, but with another RV than in its layout.
    ///
    /// A message of RPC-over-RDMA may come with Solicited Event or without (RFC 8166 section 2.3.2 speaks of
    /// the Send operation only).
    pub(crate) fn is_in_version(&self, fields: &Fields, version: Option<u64>) -> bool {
        let is_rpc = self.parts().any(|it| it.name() == "rpc_over_rdma");
        let fixed = |name: &str| {
            let Some(field) = self.find(name) else { return true };
            if let (Some(version), "rdma_version") = (version, name) {
                return fields.number(name) == Some(version);
            }
            let usual = self.values.iter().find(|(known, _)| field.is_called(known));
            let value = usual.map(|(_, value)| value.clone()).or(field.fixed.map(Given::Number));
            value.is_none_or(|value| {
                let solicited = match &value {
                    Given::Number(opcode) if is_rpc && name == "opcode" => Some(opcode + SOLICITED),
                    _ => None,
                };
                fields.find(&field.name).is_some_and(|it| {
                    it.value == value
                        || solicited.is_some_and(|opcode| it.value == Given::Number(opcode))
                })
            })
        };
        ["tagged", "rdma_version", "opcode"].into_iter().all(fixed)
    }
}

/// Splits a name into that of a list and that within an element: `list[0].rest`.
fn element(name: &str) -> Option<(&str, &str)> {
    let (list, rest) = name.split_once('[')?;
    let (number, rest) = rest.split_once("].")?;
    number.parse::<u16>().is_ok().then_some((list, rest))
}

/// Returns a field of an element, or of an element of a list in it.
fn within<'a>(layout: &'a Layout, name: &str) -> Option<&'a Field> {
    match element(name) {
        Some((list, rest)) => within(layout.find(list)?.elements()?, rest),
        None => layout.find(name),
    }
}

/// The values of a header: first the ones that were given, then the defaults.
pub(super) struct Values<'a> {
    pub(super) given: &'a [(String, Given)],
    pub(super) usual: &'a [(String, Given)],
}

impl Values<'_> {
    /// Returns the value for a field of that name and abbreviation; the last that was given counts.
    fn of(&self, prefix: &str, field: &Field) -> Option<&Given> {
        let called =
            |name: &str| name.strip_prefix(prefix).is_some_and(|name| field.is_called(name));
        let find = |list: &'_ [(String, Given)]| list.iter().rposition(|(name, _)| called(name));
        match find(self.given) {
            Some(index) => self.given.get(index).map(|(_, value)| value),
            None => find(self.usual).and_then(|index| self.usual.get(index)).map(|(_, it)| it),
        }
    }

    pub(super) fn gives(&self, field: &Field) -> bool {
        self.given.iter().any(|(name, _)| field.is_called(name))
    }
}

/// A header that is being composed.
#[derive(Default)]
pub(super) struct Made {
    pub(super) bytes: Vec<u8>,
    bits: usize,
    /// The numbers so far, by name with prefix.
    numbers: Vec<(String, u64)>,
    /// The offset and width in bits of each field of the top level.
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

    /// Whether the last number of that name has this value.
    fn is(&self, name: &str, value: u64) -> bool {
        let found = self.numbers.iter().rev().find(|(known, _)| known == name);
        found.is_some_and(|(_, known)| *known == value)
    }
}

impl Layout {
    /// Composes a header with these values. Fields that are not named have their fixed value, or zero.
    ///
    /// # Errors
    /// Fails if a field does not exist, or a value does not fit.
    pub fn compose(&self, values: &[(String, Given)]) -> Result<Vec<u8>, FieldError> {
        for (name, _) in values {
            self.field(name)?;
        }
        let mut made = Made::default();
        self.make(&Values { given: values, usual: &[] }, 0, "", &mut made)?;
        Ok(made.bytes)
    }

    /// Appends the layout from a bit on.
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

/// Returns the layout selected by the given value of the choosing bits, or the first one if none was given.
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
    // Fields of elements are not fields of the message.
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
