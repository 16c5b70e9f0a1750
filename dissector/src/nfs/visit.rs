//! What is told about each value on the way over a body.

use super::Place;
use crate::field::Field;

/// A value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Datum<'a> {
    /// A heading, or the program itself.
    Heading,
    /// A number or Boolean.
    Number(u64),
    /// Bytes.
    Bytes(&'a [u8]),
    /// Text as it stands, in UTF-8 or not.
    Text(&'a [u8]),
    /// A time or span of time in nanoseconds.
    Time(i64),
    /// Words about what was found.
    Words(&'a str),
}

/// Is told every value of a body, in order.
pub trait Visit {
    /// A value; without a place it was derived.
    fn value(&mut self, field: &'static Field, datum: Datum<'_>, place: Option<Place>);

    /// The values up to the matching [`Visit::close`] belong beneath the one before.
    fn open(&mut self) {}

    /// The end of what [`Visit::open`] began; what is above it ends at this byte of the message.
    fn close(&mut self, _end: u32) {}
}

/// Listens to nothing: for finding out whether a body can be read.
#[derive(Debug)]
pub(super) struct Deaf;

impl Visit for Deaf {
    fn value(&mut self, _: &'static Field, _: Datum<'_>, _: Option<Place>) {}
}
