//! Walks over XDR bytes using the tables, and reports what it finds to the visitor.

use super::{Body, Direction, Place, Procedure, Within, handle_hash, v3, v4};
use crate::field::nfs::{common as fields, v4 as v4_fields};
use crate::field::{FieldRef, mount, nfsacl};
use std::fmt;

/// The result of a step: done, or why not.
pub(super) type Walked<T = ()> = Result<T, Malformed>;

/// Assumptions about data items that may be moved through chunks. The bytes do not say them: the walk tries
/// which of them let it read the bytes to the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Assumptions {
    /// The round-up bytes are not where they belong: some responders leave them in the message after a data
    /// item in a chunk, and read chunks may bring data without them (RFC 8166 sections 3.4.4.4 to 3.4.6.2).
    pub(super) odd_roundup: bool,
    /// An empty write chunk was not captured, rather than unused.
    pub(super) lost_chunks: bool,
}

/// A walk in progress.
pub(super) struct Walker<'a, 'v> {
    pub(super) body: Body<'a>,
    direction: Direction,
    /// Offset of the next byte of the message.
    pub(super) at: usize,
    /// Number of the next write chunk.
    next_chunk: usize,
    assumptions: Assumptions,
    pub(super) visit: &'v mut dyn Visit,
}

impl<'a, 'v> Walker<'a, 'v> {
    fn new(
        body: Body<'a>,
        direction: Direction,
        assumptions: Assumptions,
        visit: &'v mut dyn Visit,
    ) -> Self {
        Self { body, direction, at: 0, next_chunk: 0, assumptions, visit }
    }

    /// Returns the number of bytes left in the message.
    pub(super) fn left(&self) -> usize {
        self.body.bytes.len().saturating_sub(self.at)
    }

    fn malformed(&self, field: FieldRef, problem: Problem) -> Malformed {
        Malformed { field: field.name, offset: self.at as u32, problem }
    }

    fn short(&self, field: FieldRef, needed: u64) -> Malformed {
        self.malformed(field, Problem::Short { needed, available: self.left() as u64 })
    }

    /// Returns the error for a field whose value selects nothing; it was read just before.
    pub(super) fn undecided(&self, field: FieldRef, value: u64) -> Malformed {
        let offset = self.at.saturating_sub(4) as u32;
        Malformed { field: field.name, offset, problem: Problem::Value(value) }
    }

    /// Takes the next bytes and moves past them.
    pub(super) fn take(&mut self, field: FieldRef, length: usize) -> Walked<&'a [u8]> {
        let bytes = self.at.checked_add(length).and_then(|end| self.body.bytes.get(self.at..end));
        let bytes = bytes.ok_or_else(|| self.short(field, length as u64))?;
        self.at += length;
        Ok(bytes)
    }

    /// Takes the next word without reporting it.
    pub(super) fn silent_word(&mut self, field: FieldRef) -> Walked<u32> {
        let bytes = self.take(field, 4)?;
        Ok(bytes.iter().fold(0, |number, byte| number << 8 | u32::from(*byte)))
    }

    /// Takes and reports a number of 4 bytes.
    pub(super) fn word(&mut self, field: FieldRef) -> Walked<u32> {
        let number = self.silent_word(field)?;
        self.report(field, Datum::Number(number.into()), self.at - 4, 4);
        Ok(number)
    }

    /// Takes and reports a number of 8 bytes.
    pub(super) fn long(&mut self, field: FieldRef) -> Walked<u64> {
        let bytes = self.take(field, 8)?;
        let number = bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte));
        self.report(field, Datum::Number(number), self.at - 8, 8);
        Ok(number)
    }

    /// Reports a value at an offset of the message.
    pub(super) fn report(&mut self, field: FieldRef, datum: Datum<'_>, at: usize, length: usize) {
        self.visit.value(field, datum, Some(Place::message(at, length)));
    }

    /// Reports a derived value.
    pub(super) fn derive(&mut self, field: FieldRef, datum: Datum<'_>) {
        self.visit.value(field, datum, None);
    }

    /// Places what the closure walks over beneath the previous value.
    pub(super) fn beneath<T>(&mut self, walk: impl FnOnce(&mut Self) -> Walked<T>) -> Walked<T> {
        self.visit.open();
        let walked = walk(self);
        self.visit.close(self.at as u32);
        walked
    }

    /// Places what the closure walks over beneath a heading.
    pub(super) fn group<T>(
        &mut self,
        heading: FieldRef,
        walk: impl FnOnce(&mut Self) -> Walked<T>,
    ) -> Walked<T> {
        self.report(heading, Datum::Heading, self.at, 0);
        self.beneath(walk)
    }

    pub(super) fn operation(&mut self, (_, arguments, results): &'static Operation) -> Walked {
        match self.direction {
            Direction::Call => self.items(arguments),
            Direction::Reply => self.item(results),
        }
    }

    /// Walks over members, in order.
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

    /// Reports a status, and repeats it under the name that all versions share.
    pub(super) fn status(&mut self, field: FieldRef) -> Walked<u32> {
        let status = self.word(field)?;
        self.report(&fields::STATUS_ANY, Datum::Number(status.into()), self.at - 4, 4);
        Ok(status)
    }

    /// Walks over `count` elements, as long as bytes remain: each has at least one.
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

    fn list(&mut self, follows: FieldRef, heading: Option<FieldRef>, element: Items) -> Walked {
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

    /// Reports the bits of the word that was read just before, beneath it; only those in `shown`.
    pub(super) fn flags(
        &mut self,
        word: u32,
        bits: &'static [(FieldRef, u32)],
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

    /// Takes opaque bytes of a fixed length; XDR rounds them up too.
    pub(super) fn fixed(&mut self, field: FieldRef, length: usize) -> Walked<&'a [u8]> {
        let bytes = self.take(field, length)?;
        self.report_bytes(field, bytes, Place::message(self.at - length, length));
        self.take(field, length.next_multiple_of(4) - length)?;
        Ok(bytes)
    }

    fn report_bytes(&mut self, field: FieldRef, bytes: &[u8], place: Place) {
        let datum = match field.kind {
            crate::field::Kind::Text => Datum::Text(bytes),
            crate::field::Kind::Unsigned(_) => {
                Datum::Number(bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)))
            }
            _ => Datum::Bytes(bytes),
        };
        self.visit.value(field, datum, Some(place));
    }

    /// Takes bytes or a string after their length, depending on the field's kind.
    pub(super) fn opaque(&mut self, field: FieldRef) -> Walked<&'a [u8]> {
        let length = self.silent_word(field)? as usize;
        let bytes = self.take(field, length)?;
        self.report_bytes(field, bytes, Place::message(self.at - length, length));
        self.skip_roundup(field, length)?;
        Ok(bytes)
    }

    fn skip_roundup(&mut self, field: FieldRef, length: usize) -> Walked {
        // A length of at most what a slice has: no overflow.
        self.take(field, length.next_multiple_of(4) - length).map(drop)
    }

    /// Takes a data item that may be in the next write chunk. Its length stays in the message.
    fn eligible(&mut self, length_field: Option<FieldRef>, field: FieldRef) -> Walked {
        let length = self.silent_word(field)? as usize;
        if let Some(length_field) = length_field {
            self.report(length_field, Datum::Number(length as u64), self.at - 4, 4);
        }
        let number = self.next_chunk;
        let chunk = self.body.write_chunks.get(number).copied();
        self.next_chunk += 1;
        let Assumptions { odd_roundup, lost_chunks } = self.assumptions;
        let used = |chunk: &&[u8]| !chunk.is_empty() || lost_chunks || self.left() < length;
        let Some(chunk) = chunk.filter(used) else {
            let bytes = self.take(field, length)?;
            self.report_bytes(field, bytes, Place::message(self.at - length, length));
            return self.skip_roundup(field, if odd_roundup { 0 } else { length });
        };
        let bytes = chunk.get(..length).unwrap_or(chunk);
        let place = Place {
            within: Within::WriteChunk(number as u16),
            offset: 0,
            length: bytes.len() as u32,
            ..Place::default()
        };
        self.report_bytes(field, bytes, place);
        let missing = length - bytes.len();
        let words = match missing {
            0 => format!("in write chunk {}", number + 1),
            _ => format!("in write chunk {}, where {missing} bytes are missing", number + 1),
        };
        self.derive(&fields::DATA_PLACE, Datum::Derived(&words));
        if odd_roundup && !length.is_multiple_of(4) {
            self.derive(&fields::NOTE, Datum::Derived(ROUNDUP_LEFT));
            // 1 to 3 bytes, whatever the length says.
            self.take(field, 4 - length % 4)?;
        }
        Ok(())
    }

    /// Skips the next write chunk, because a data item that could have used it was not returned (RFC 8267
    /// section 6.4.1).
    pub(super) fn spend_chunk(&mut self) {
        if self.body.write_chunks.get(self.next_chunk).is_some_and(|chunk| chunk.is_empty()) {
            self.next_chunk += 1;
        }
    }

    fn time(&mut self, time: FieldRef, seconds: FieldRef, nanoseconds: FieldRef) -> Walked {
        let bytes = self.body.bytes.get(self.at..).and_then(<[u8]>::first_chunk);
        let Some(&[a, b, c, d, e, f, g, h]) = bytes else {
            return Err(self.short(time, 8));
        };
        let whole = i64::from(u32::from_be_bytes([a, b, c, d])) * 1_000_000_000
            + i64::from(u32::from_be_bytes([e, f, g, h]));
        self.report(time, Datum::Time(whole), self.at, 8);
        self.beneath(|walker| {
            walker.word(seconds)?;
            walker.word(nanoseconds).map(drop)
        })
    }

    /// Takes a file handle after its length.
    pub(super) fn handle(&mut self) -> Walked {
        self.group(&fields::FILE_HANDLE, |walker| {
            let length = walker.word(&fields::HANDLE_LENGTH)? as usize;
            let bytes = walker.take(&fields::HANDLE, length)?;
            walker.report_handle(bytes);
            walker.skip_roundup(&fields::HANDLE, length)
        })
    }

    /// Reports the hash and bytes of a handle that was taken just before.
    pub(super) fn report_handle(&mut self, bytes: &[u8]) {
        let at = self.at - bytes.len();
        let hash = u64::from(handle_hash(bytes));
        self.report(&fields::HANDLE_HASH, Datum::Number(hash), at, bytes.len());
        self.report(&fields::HANDLE, Datum::Bytes(bytes), at, bytes.len());
    }
}

/// The note on a responder that left round-up bytes in the message.
const ROUNDUP_LEFT: &str = "the round-up bytes of the data in the write chunk are in the message \
                            (RFC 8166 section 3.4.4.4 requires them to be removed)";

// The entry point: finds the layout of a procedure, and walks over a body with it.

/// Walks over the arguments or results of a procedure, and reports every value to the visitor: first the
/// program and the procedure, then what the bytes contain. Bytes after the end are reported as
/// `nfs.left_over`.
///
/// # Errors
/// [`Unreadable::Unsupported`] when the procedure is not one that is decoded here; the visitor was
/// called for nothing. [`Unreadable::Malformed`] when the bytes end too soon or a union has no such arm;
/// the visitor was called for what is before.
pub fn walk(
    procedure: &Procedure,
    direction: Direction,
    body: &Body<'_>,
    visit: &mut dyn Visit,
) -> Result<(), Unreadable> {
    let (program, number, operation) =
        layout(procedure).ok_or(Unreadable::Unsupported(*procedure))?;
    let mut walker = Walker::new(*body, direction, assumptions(operation, direction, body), visit);
    let length = body.bytes.len();
    walker.visit.value(program, Datum::Heading, Some(Place::message(0, length)));
    walker.visit.open();
    walker.derive(number, Datum::Number(procedure.procedure.into()));
    let walked = walker.operation(operation);
    if walked.is_ok() && walker.left() > 0 {
        let (at, left) = (walker.at, walker.left());
        let bytes = body.bytes.get(at..).unwrap_or(&[]);
        walker.report(&fields::LEFT_OVER, Datum::Bytes(bytes), at, left);
    }
    visit.close(length as u32);
    Ok(walked?)
}

/// Finds by trial which assumptions hold for data items in chunks. There is doubt only about bodies with
/// write chunks, and those whose length is no multiple of 4 bytes.
fn assumptions(
    operation: &'static Operation,
    direction: Direction,
    body: &Body<'_>,
) -> Assumptions {
    let usual = Assumptions::default();
    if body.write_chunks.is_empty() && body.bytes.len().is_multiple_of(4) {
        return usual;
    }
    let reads_to_the_end = |assumptions: &Assumptions| {
        let mut deaf = NoListener;
        let mut walker = Walker::new(*body, direction, *assumptions, &mut deaf);
        let walked = walker.operation(operation);
        walked.is_ok() && walker.left() == 0
    };
    [(false, false), (true, false), (false, true), (true, true)]
        .map(|(odd_roundup, lost_chunks)| Assumptions { odd_roundup, lost_chunks })
        .into_iter()
        .find(reads_to_the_end)
        .unwrap_or(usual)
}

/// A value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Datum<'a> {
    /// A heading, or the program itself.
    Heading,
    /// A number or Boolean.
    Number(u64),
    /// Bytes.
    Bytes(&'a [u8]),
    /// Text as it was found, whether valid UTF-8 or not.
    Text(&'a [u8]),
    /// A time or span of time in nanoseconds.
    Time(i64),
    /// A note about what was found.
    Derived(&'a str),
}

/// Visitor of the values of a body, in order.
pub trait Visit {
    /// Handles a value; one without a place was derived.
    fn value(&mut self, field: FieldRef, datum: Datum<'_>, place: Option<Place>);

    /// Opens a level: values up to the matching [`Visit::close`] belong beneath the previous one.
    fn open(&mut self) {}

    /// Closes what [`Visit::open`] began; its parent ends at this byte of the message.
    fn close(&mut self, _end: u32) {}
}

/// A visitor that ignores everything, to find out whether a body can be read.
#[derive(Debug)]
pub(super) struct NoListener;

impl Visit for NoListener {
    fn value(&mut self, _: FieldRef, _: Datum<'_>, _: Option<Place>) {}
}

// The vocabulary of the tables: how XDR types are composed (RFC 4506 section 4).

/// One member of an XDR structure.
#[derive(Debug)]
pub(super) enum Item {
    /// A number, Boolean or enumeration of 4 bytes.
    Word(FieldRef),
    /// A number of 8 bytes.
    Long(FieldRef),
    /// 4 bytes in which some bits have fields of their own, given with their masks.
    Flags(FieldRef, &'static [(FieldRef, u32)]),
    /// Like [`Item::Flags`], but only the bits that are set are shown.
    SetFlags(FieldRef, &'static [(FieldRef, u32)]),
    /// Opaque bytes of a fixed length.
    Fixed(FieldRef, usize),
    /// Opaque bytes after their length.
    Opaque(FieldRef),
    /// A string.
    Text(FieldRef),
    /// Opaque bytes or a string that may be moved through a chunk (RFC 8267 sections 4 and 6.1).
    Eligible {
        /// The field of the length word, if it has one.
        length: Option<FieldRef>,
        /// The bytes or string.
        data: FieldRef,
    },
    /// Seconds and nanoseconds of 4 bytes each: the time, then its two parts.
    Time(FieldRef, FieldRef, FieldRef),
    /// A file handle: its length, hash and bytes.
    Handle,
    /// A heading above members.
    Group(FieldRef, Items),
    /// Members.
    Use(Items),
    /// A count, then as many elements.
    Array(FieldRef, Items),
    /// Elements, each after a word that says that one more follows; the last word is 0.
    List {
        follows: FieldRef,
        /// The heading of an element, if it has one.
        heading: Option<FieldRef>,
        /// The members of an element.
        element: Items,
    },
    /// Members after a Boolean that says whether they are present.
    Optional(FieldRef, Items),
    /// A union: the discriminant, the arms, and the default arm, if there is one.
    Union(FieldRef, &'static [(u32, Items)], Option<Items>),
    /// A status: members for success (0), and for failure.
    Result(FieldRef, Items, Items),
    /// A status: members for some of its values, none for the others.
    ByStatus(FieldRef, &'static [(u32, Items)]),
    /// What the tables cannot express.
    Call(fn(&mut Walker<'_, '_>) -> Walked),
}

/// Members, in order.
pub(super) type Items = &'static [Item];

// Why arguments or results cannot be read: malformed, or of a program that is not decoded here.

/// An error in bytes that cannot be read as the expected type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("malformed at byte {offset}: {field} {problem}")]
pub struct Malformed {
    /// The name of the field that could not be read.
    pub field: &'static str,
    /// Its offset in the message's bytes.
    pub offset: u32,
    /// What is wrong there.
    pub problem: Problem,
}

/// Why a field could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Problem {
    /// It needs more bytes than are available.
    Short {
        /// Number of bytes that it needs.
        needed: u64,
        /// Number of bytes available.
        available: u64,
    },
    /// It selects how the rest is read, but its value selects nothing.
    Value(u64),
    /// It says that more values follow than there can be.
    Count(u64),
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Short { needed, available } => {
                write!(f, "needs {needed} bytes, but only {available} are there")
            }
            Self::Value(value) => {
                write!(f, "has the value {value}, for which no layout is defined")
            }
            Self::Count(count) => write!(f, "counts {count}, but there is no room for them"),
        }
    }
}

/// Why arguments or results were not read to their end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// The bytes are malformed.
    #[error(transparent)]
    Malformed(#[from] Malformed),
    /// The program, version or procedure is legal but not decoded here.
    #[error("program {} version {} procedure {} is not decoded", .0.program, .0.version, .0.procedure)]
    Unsupported(Procedure),
}

/// A procedure, or an operation of a compound: its number, arguments and results.
pub(super) type Operation = (u32, Items, Item);

/// Returns how a procedure is read: the fields of its program and of its number, and its arguments and
/// results; `None` if it is not decoded.
fn layout(procedure: &Procedure) -> Option<(FieldRef, FieldRef, &'static Operation)> {
    let (program, number, procedures): (_, _, &'static [Operation]) =
        match (procedure.program, procedure.version) {
            (Procedure::NFS, 3) => (&fields::NFS, &fields::PROCEDURE_3, v3::PROCEDURES),
            (Procedure::NFS, 4) => (&fields::NFS, &fields::PROCEDURE_4, v4::PROCEDURES),
            (Procedure::CALLBACK, 1 | 4) => {
                (&v4_fields::CALLBACK, &v4_fields::CALLBACK_PROCEDURE, v4::CALLBACKS)
            }
            (Procedure::MOUNT, 1) => (&mount::MOUNT, &mount::PROCEDURE_1, v3::MOUNT_1),
            // Like version 1, except for a PATHCONF that is not decoded.
            (Procedure::MOUNT, 2) => (&mount::MOUNT, &mount::PROCEDURE_2, v3::MOUNT_1),
            (Procedure::MOUNT, 3) => (&mount::MOUNT, &mount::PROCEDURE_3, v3::MOUNT_3),
            (Procedure::ACL, 3) => (&nfsacl::NFSACL, &nfsacl::PROCEDURE_3, v3::ACL_3),
            _ => return None,
        };
    Some((program, number, find(&[procedures], procedure.procedure)?))
}

pub(super) fn find(tables: &[&'static [Operation]], number: u32) -> Option<&'static Operation> {
    tables.iter().flat_map(|table| table.iter()).find(|(of, ..)| *of == number)
}
