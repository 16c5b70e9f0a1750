//! Goes over XDR bytes by the tables, and tells the visitor what it finds.

use super::error::{Malformed, Problem};
use super::shape::{Item, Items};
use super::{Body, Datum, Place, Visit, Within, handle_hash};
use crate::field::Field;
use crate::field::nfs::common as fields;

/// Done, or why not.
pub(super) type Walked<T = ()> = Result<T, Malformed>;

/// What is taken for granted about data items that may be moved through chunks. The bytes do not say
/// it: by trial, the walk finds what lets it read them to their end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Assumptions {
    /// The round-up bytes are where they should not be: some responders leave them in the message
    /// behind a data item in a chunk, and read chunks may bring data without them (RFC 8166
    /// sections 3.4.4.4 to 3.4.6.2).
    pub(super) odd_roundup: bool,
    /// A write chunk without bytes is one that the capture has not, and no unused one.
    pub(super) lost_chunks: bool,
}

/// A walk under way.
pub(super) struct Walker<'a, 'v> {
    pub(super) body: Body<'a>,
    /// The next byte of the message.
    pub(super) at: usize,
    /// The next write chunk.
    next_chunk: usize,
    assumptions: Assumptions,
    pub(super) visit: &'v mut dyn Visit,
}

impl<'a, 'v> Walker<'a, 'v> {
    pub(super) fn new(body: Body<'a>, assumptions: Assumptions, visit: &'v mut dyn Visit) -> Self {
        Self { body, at: 0, next_chunk: 0, assumptions, visit }
    }

    /// Bytes that are left in the message.
    pub(super) fn left(&self) -> usize {
        self.body.bytes.len().saturating_sub(self.at)
    }

    fn malformed(&self, field: &'static Field, problem: Problem) -> Malformed {
        Malformed { field: field.name, offset: self.at as u32, problem }
    }

    fn short(&self, field: &'static Field, needed: u64) -> Malformed {
        self.malformed(field, Problem::Short { needed, available: self.left() as u64 })
    }

    /// A field whose value decides nothing; it was read just before.
    pub(super) fn undecided(&self, field: &'static Field, value: u64) -> Malformed {
        let offset = self.at.saturating_sub(4) as u32;
        Malformed { field: field.name, offset, problem: Problem::Value(value) }
    }

    /// The next bytes, and past them.
    pub(super) fn take(&mut self, field: &'static Field, length: usize) -> Walked<&'a [u8]> {
        let bytes = self.at.checked_add(length).and_then(|end| self.body.bytes.get(self.at..end));
        let bytes = bytes.ok_or_else(|| self.short(field, length as u64))?;
        self.at += length;
        Ok(bytes)
    }

    /// The next word, past it, and nothing told.
    pub(super) fn silent_word(&mut self, field: &'static Field) -> Walked<u32> {
        let bytes = self.take(field, 4)?;
        Ok(bytes.iter().fold(0, |number, byte| number << 8 | u32::from(*byte)))
    }

    /// A number of 4 bytes.
    pub(super) fn word(&mut self, field: &'static Field) -> Walked<u32> {
        let number = self.silent_word(field)?;
        self.tell(field, Datum::Number(number.into()), self.at - 4, 4);
        Ok(number)
    }

    /// A number of 8 bytes.
    pub(super) fn long(&mut self, field: &'static Field) -> Walked<u64> {
        let bytes = self.take(field, 8)?;
        let number = bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte));
        self.tell(field, Datum::Number(number), self.at - 8, 8);
        Ok(number)
    }

    /// Tells a value that stands in the message.
    pub(super) fn tell(
        &mut self,
        field: &'static Field,
        datum: Datum<'_>,
        at: usize,
        length: usize,
    ) {
        self.visit.value(field, datum, Some(Place::message(at, length)));
    }

    /// Tells a derived value.
    pub(super) fn derive(&mut self, field: &'static Field, datum: Datum<'_>) {
        self.visit.value(field, datum, None);
    }

    /// What the closure walks over stands beneath the value before.
    pub(super) fn beneath<T>(&mut self, walk: impl FnOnce(&mut Self) -> Walked<T>) -> Walked<T> {
        self.visit.open();
        let walked = walk(self);
        self.visit.close(self.at as u32);
        walked
    }

    /// What the closure walks over stands beneath a heading.
    pub(super) fn group<T>(
        &mut self,
        heading: &'static Field,
        walk: impl FnOnce(&mut Self) -> Walked<T>,
    ) -> Walked<T> {
        self.tell(heading, Datum::Heading, self.at, 0);
        self.beneath(walk)
    }

    /// Members, in order.
    pub(super) fn items(&mut self, items: Items) -> Walked {
        items.iter().try_for_each(|item| self.item(item))
    }

    fn item(&mut self, item: &'static Item) -> Walked {
        match item {
            Item::Word(field) => self.word(field).map(drop),
            Item::Long(field) => self.long(field).map(drop),
            Item::Flags(field, bits) => {
                let word = self.word(field)?;
                self.flags(word, bits, u32::MAX)
            }
            Item::SetFlags(field, bits) => {
                let word = self.word(field)?;
                self.flags(word, bits, word)
            }
            Item::Fixed(field, length) => self.fixed(field, *length).map(drop),
            Item::Opaque(field) | Item::Text(field) => self.opaque(field).map(drop),
            Item::Eligible { length, data } => self.eligible(*length, data),
            Item::Time(time, seconds, nanoseconds) => self.time(time, seconds, nanoseconds),
            Item::Handle => self.handle(),
            Item::Group(heading, items) => self.group(heading, |walker| walker.items(items)),
            Item::Use(items) => self.items(items),
            Item::Array(count, items) => {
                let count = self.word(count)?;
                self.times(count, |walker| walker.items(items))
            }
            Item::List { follows, heading, element } => self.list(follows, *heading, element),
            Item::Optional(field, items) => match self.word(field)? {
                0 => Ok(()),
                1 => self.items(items),
                other => Err(self.undecided(field, other.into())),
            },
            Item::Union(field, arms, otherwise) => {
                let value = self.word(field)?;
                let arm = arms.iter().find(|(arm, _)| *arm == value).map(|(_, items)| *items);
                match arm.or(*otherwise) {
                    Some(items) => self.items(items),
                    None => Err(self.undecided(field, value.into())),
                }
            }
            Item::Result(field, success, failure) => {
                let status = self.status(field)?;
                self.items(if status == 0 { success } else { failure })
            }
            Item::ByStatus(field, arms) => {
                let status = self.status(field)?;
                let arm = arms.iter().find(|(arm, _)| *arm == status);
                arm.map_or(Ok(()), |(_, items)| self.items(items))
            }
            Item::Call(walk) => walk(self),
        }
    }

    /// A status, and once more under the name that all versions share.
    pub(super) fn status(&mut self, field: &'static Field) -> Walked<u32> {
        let status = self.word(field)?;
        self.tell(&fields::STATUS_ANY, Datum::Number(status.into()), self.at - 4, 4);
        Ok(status)
    }

    /// So many elements, as long as there are bytes for them: each has one at least.
    pub(super) fn times(
        &mut self,
        count: u32,
        mut element: impl FnMut(&mut Self) -> Walked,
    ) -> Walked {
        for _ in 0..count {
            let before = self.at;
            element(self)?;
            if self.at == before {
                let problem = Problem::Count(count.into());
                return Err(Malformed { field: "count", offset: before as u32, problem });
            }
        }
        Ok(())
    }

    fn list(
        &mut self,
        follows: &'static Field,
        heading: Option<&'static Field>,
        element: Items,
    ) -> Walked {
        loop {
            match self.word(follows)? {
                0 => return Ok(()),
                1 => match heading {
                    Some(heading) => self.group(heading, |walker| walker.items(element))?,
                    None => self.items(element)?,
                },
                other => return Err(self.undecided(follows, other.into())),
            }
        }
    }

    /// The bits of the word that was read just before, beneath it; those in `shown` alone.
    pub(super) fn flags(
        &mut self,
        word: u32,
        bits: &'static [(&'static Field, u32)],
        shown: u32,
    ) -> Walked {
        let at = self.at - 4;
        self.beneath(|walker| {
            for (field, mask) in bits.iter().filter(|(_, mask)| mask & shown != 0) {
                let first = mask.leading_zeros();
                let place = Place {
                    within: Within::Message,
                    offset: at as u32 + first / 8,
                    length: (first % 8 + mask.count_ones()).div_ceil(8),
                    first_bit: (first % 8) as u8,
                    bits: mask.count_ones() as u8,
                };
                let value = (word & mask) >> mask.trailing_zeros().min(31);
                walker.visit.value(field, Datum::Number(value.into()), Some(place));
            }
            Ok(())
        })
    }

    /// Opaque bytes of a fixed length; XDR rounds them up too.
    pub(super) fn fixed(&mut self, field: &'static Field, length: usize) -> Walked<&'a [u8]> {
        let bytes = self.take(field, length)?;
        self.tell_bytes(field, bytes, Place::message(self.at - length, length));
        self.take(field, length.next_multiple_of(4) - length)?;
        Ok(bytes)
    }

    fn tell_bytes(&mut self, field: &'static Field, bytes: &[u8], place: Place) {
        let datum = match field.kind {
            crate::field::Kind::Text => Datum::Text(bytes),
            crate::field::Kind::Unsigned(_) => {
                Datum::Number(bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)))
            }
            _ => Datum::Bytes(bytes),
        };
        self.visit.value(field, datum, Some(place));
    }

    /// Bytes or a string behind their length, as the field's kind says.
    pub(super) fn opaque(&mut self, field: &'static Field) -> Walked<&'a [u8]> {
        let length = self.silent_word(field)? as usize;
        let bytes = self.take(field, length)?;
        self.tell_bytes(field, bytes, Place::message(self.at - length, length));
        self.skip_roundup(field, length)?;
        Ok(bytes)
    }

    fn skip_roundup(&mut self, field: &'static Field, length: usize) -> Walked {
        // A length of at most what a slice has: no overflow.
        self.take(field, length.next_multiple_of(4) - length).map(drop)
    }

    /// A data item that may stand in the next write chunk. Its length stays in the message.
    fn eligible(&mut self, length_field: Option<&'static Field>, field: &'static Field) -> Walked {
        let length = self.silent_word(field)? as usize;
        if let Some(length_field) = length_field {
            self.tell(length_field, Datum::Number(length as u64), self.at - 4, 4);
        }
        let number = self.next_chunk;
        let chunk = self.body.write_chunks.get(number).copied();
        self.next_chunk += 1;
        let Assumptions { odd_roundup, lost_chunks } = self.assumptions;
        let used = |chunk: &&[u8]| !chunk.is_empty() || lost_chunks || self.left() < length;
        let Some(chunk) = chunk.filter(used) else {
            let bytes = self.take(field, length)?;
            self.tell_bytes(field, bytes, Place::message(self.at - length, length));
            return self.skip_roundup(field, if odd_roundup { 0 } else { length });
        };
        let bytes = chunk.get(..length).unwrap_or(chunk);
        let place = Place {
            within: Within::WriteChunk(number as u16),
            offset: 0,
            length: bytes.len() as u32,
            ..Place::default()
        };
        self.tell_bytes(field, bytes, place);
        let missing = length - bytes.len();
        let words = match missing {
            0 => format!("in write chunk {}", number + 1),
            _ => format!("in write chunk {}, where {missing} bytes are missing", number + 1),
        };
        self.derive(&fields::DATA_PLACE, Datum::Words(&words));
        if odd_roundup && !length.is_multiple_of(4) {
            self.derive(&fields::NOTE, Datum::Words(ROUNDUP_LEFT));
            // 1 to 3 bytes, whatever the length says.
            self.take(field, 4 - length % 4)?;
        }
        Ok(())
    }

    /// A data item that could have used the next write chunk was not returned: the chunk is spent
    /// (RFC 8267 section 6.4.1).
    pub(super) fn spend_chunk(&mut self) {
        if self.body.write_chunks.get(self.next_chunk).is_some_and(|chunk| chunk.is_empty()) {
            self.next_chunk += 1;
        }
    }

    fn time(
        &mut self,
        time: &'static Field,
        seconds: &'static Field,
        nanoseconds: &'static Field,
    ) -> Walked {
        let bytes = self.body.bytes.get(self.at..).and_then(<[u8]>::first_chunk);
        let Some(&[a, b, c, d, e, f, g, h]) = bytes else {
            return Err(self.short(time, 8));
        };
        let whole = i64::from(u32::from_be_bytes([a, b, c, d])) * 1_000_000_000
            + i64::from(u32::from_be_bytes([e, f, g, h]));
        self.tell(time, Datum::Time(whole), self.at, 8);
        self.beneath(|walker| {
            walker.word(seconds)?;
            walker.word(nanoseconds).map(drop)
        })
    }

    /// A file handle behind its length.
    pub(super) fn handle(&mut self) -> Walked {
        self.group(&fields::FILE_HANDLE, |walker| {
            let length = walker.word(&fields::HANDLE_LENGTH)? as usize;
            let bytes = walker.take(&fields::HANDLE, length)?;
            walker.tell_handle(bytes);
            walker.skip_roundup(&fields::HANDLE, length)
        })
    }

    /// The hash and bytes of a handle that was taken just before.
    pub(super) fn tell_handle(&mut self, bytes: &[u8]) {
        let at = self.at - bytes.len();
        let hash = u64::from(handle_hash(bytes));
        self.tell(&fields::HANDLE_HASH, Datum::Number(hash), at, bytes.len());
        self.tell(&fields::HANDLE, Datum::Bytes(bytes), at, bytes.len());
    }
}

/// What is said of a responder that left round-up bytes in the message.
const ROUNDUP_LEFT: &str = "the round-up bytes of the data in the write chunk stand in the message \
                            (RFC 8166 section 3.4.4.4 has them removed)";
