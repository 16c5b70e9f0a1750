//! The words of the tables: how XDR types are put together (RFC 4506 section 4).

use super::walker::{Walked, Walker};
use crate::field::Field;

type F = &'static Field;

/// One member of an XDR structure.
#[derive(Debug)]
pub(super) enum Item {
    /// A number, Boolean or enumeration of 4 bytes.
    Word(F),
    /// A number of 8 bytes.
    Long(F),
    /// 4 bytes, of which some bits have fields of their own: their masks.
    Flags(F, &'static [(F, u32)]),
    /// As [`Item::Flags`]; of the bits only those that are set show.
    SetFlags(F, &'static [(F, u32)]),
    /// Opaque bytes of a fixed length.
    Fixed(F, usize),
    /// Opaque bytes behind their length.
    Opaque(F),
    /// A string.
    Text(F),
    /// Opaque bytes or a string that may be moved through a chunk (RFC 8267 sections 4 and 6.1).
    Eligible {
        /// The field of the length word, when it has one.
        length: Option<F>,
        /// The bytes or string.
        data: F,
    },
    /// Seconds and nanoseconds of 4 bytes each: the time, then its two halves.
    Time(F, F, F),
    /// A file handle: its length, hash and bytes.
    Handle,
    /// A heading above members.
    Group(F, Items),
    /// Members.
    Use(Items),
    /// A count, then as many elements.
    Array(F, Items),
    /// Elements each behind a word that says that one more follows; the last word is 0.
    List {
        /// That word.
        follows: F,
        /// The heading of an element, when it has one.
        heading: Option<F>,
        /// The members of an element.
        element: Items,
    },
    /// Members behind a Boolean that says whether they are there.
    Optional(F, Items),
    /// A union: the discriminator, the arms, and the arm of every other value, when there is one.
    Union(F, &'static [(u32, Items)], Option<Items>),
    /// A status: members for success (0), and for failure.
    Result(F, Items, Items),
    /// A status: members for some of its values, none for the others.
    ByStatus(F, &'static [(u32, Items)]),
    /// What the tables have no word for.
    Call(fn(&mut Walker<'_, '_>) -> Walked),
}

/// Members, in order.
pub(super) type Items = &'static [Item];
