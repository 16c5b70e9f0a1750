//! XDR values (RFC 4506), read and written by one description.

use std::ops::Range;
use warpscope_wire::{Layer, Malformed, Problem, Writer};

pub(crate) trait Xdr: Sized {
    /// Reads the value; `field` is its name in the error if the bytes are wrong.
    fn read(reader: &mut Reader<'_>, field: &'static str) -> Result<Self, Malformed>;

    fn write(&self, builder: &mut Builder);
}

/// Defines structs whose fields follow one another in XDR; each field has its name for errors.
macro_rules! xdr {
    ($($(#[$of:meta])* $seen:vis struct $name:ident {
        $($(#[$meta:meta])* $shown:vis $field:ident: $type:ty = $text:literal,)*
    })*) => {$(
        $(#[$of])*
        $seen struct $name { $($(#[$meta])* $shown $field: $type,)* }

        impl $crate::xdr::Xdr for $name {
            fn read(
                reader: &mut $crate::xdr::Reader<'_>,
                _field: &'static str,
            ) -> Result<Self, warpscope_wire::Malformed> {
                Ok(Self { $($field: reader.value($text)?,)* })
            }

            fn write(&self, builder: &mut $crate::xdr::Builder) {
                $(builder.value(&self.$field);)*
            }
        }
    )*};
}
pub(crate) use xdr;

macro_rules! numbers {
    ($($type:ty: $method:ident;)*) => {$(
        impl Xdr for $type {
            fn read(reader: &mut Reader<'_>, field: &'static str) -> Result<Self, Malformed> {
                reader.$method(field)
            }

            fn write(&self, builder: &mut Builder) {
                builder.$method(*self);
            }
        }
    )*};
}

numbers! { u32: word; u64: long; bool: boolean; }

macro_rules! tuples {
    ($(($($part:ident)*))*) => {$(
        impl<$($part: Xdr),*> Xdr for ($($part,)*) {
            fn read(reader: &mut Reader<'_>, field: &'static str) -> Result<Self, Malformed> {
                Ok(($($part::read(reader, field)?,)*))
            }

            #[allow(non_snake_case, reason = "a part has the name of its type")]
            fn write(&self, builder: &mut Builder) {
                let ($($part,)*) = self;
                $($part.write(builder);)*
            }
        }
    )*};
}

tuples! { (A B) (A B C) }

impl Xdr for () {
    fn read(_: &mut Reader<'_>, _: &'static str) -> Result<Self, Malformed> {
        Ok(())
    }

    fn write(&self, _: &mut Builder) {}
}

/// Fixed-length bytes whose number is a multiple of four.
impl<const LENGTH: usize> Xdr for [u8; LENGTH] {
    fn read(reader: &mut Reader<'_>, field: &'static str) -> Result<Self, Malformed> {
        reader.fixed(field)
    }

    fn write(&self, builder: &mut Builder) {
        builder.fixed(self);
    }
}

/// Data that a transport may move by chunks.
impl Xdr for Vec<u8> {
    fn read(reader: &mut Reader<'_>, field: &'static str) -> Result<Self, Malformed> {
        reader.opaque(field, u32::MAX).map(<[u8]>::to_vec)
    }

    fn write(&self, builder: &mut Builder) {
        builder.eligible(self);
    }
}

impl<T: Xdr> Xdr for Option<T> {
    fn read(reader: &mut Reader<'_>, field: &'static str) -> Result<Self, Malformed> {
        Ok(if reader.boolean(field)? { Some(T::read(reader, field)?) } else { None })
    }

    fn write(&self, builder: &mut Builder) {
        builder.boolean(self.is_some());
        self.iter().for_each(|value| value.write(builder));
    }
}

// XDR (RFC 4506): a reader that borrows, and a builder that records what is DDP-eligible. The reader
// allocates nothing: a length is trusted only as far as there are bytes.

/// A reader that consumes XDR from the front of bytes.
#[derive(Debug, Clone)]
pub struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    /// Creates a reader of these bytes.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// Returns the bytes that have not been read.
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// Reads bytes of a fixed length that is a multiple of four.
    ///
    /// # Errors
    /// [`Malformed`] if they are incomplete.
    pub fn fixed<const LENGTH: usize>(
        &mut self,
        field: &'static str,
    ) -> Result<[u8; LENGTH], Malformed> {
        let Some((bytes, rest)) = self.rest.split_first_chunk() else {
            return Err(self.short(field, LENGTH));
        };
        self.rest = rest;
        Ok(*bytes)
    }

    /// Reads an unsigned integer.
    ///
    /// # Errors
    /// [`Malformed`] if it is incomplete.
    pub fn word(&mut self, field: &'static str) -> Result<u32, Malformed> {
        self.fixed(field).map(u32::from_be_bytes)
    }

    /// Reads an unsigned hyper integer.
    ///
    /// # Errors
    /// [`Malformed`] if it is incomplete.
    pub fn long(&mut self, field: &'static str) -> Result<u64, Malformed> {
        self.fixed(field).map(u64::from_be_bytes)
    }

    /// Reads a Boolean, which also says whether optional data follows (RFC 4506 sections 4.4, 4.19).
    ///
    /// # Errors
    /// [`Malformed`] if it is incomplete, or neither 0 nor 1.
    pub fn boolean(&mut self, field: &'static str) -> Result<bool, Malformed> {
        match self.word(field)? {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(value(field, other)),
        }
    }

    /// Reads opaque data or a string of variable length, at most `longest` bytes (RFC 4506 sections 4.10,
    /// 4.11). The value of the round-up bytes is ignored.
    ///
    /// # Errors
    /// [`Malformed`] if it is longer than allowed, or incomplete with its round-up.
    pub fn opaque(&mut self, field: &'static str, longest: u32) -> Result<&'a [u8], Malformed> {
        let length = self.word(field)?;
        if length > longest {
            return Err(value(field, length));
        }
        let length = length as usize;
        let padded = length.checked_next_multiple_of(4).unwrap_or(usize::MAX);
        let Some((bytes, rest)) = self.rest.split_at_checked(padded) else {
            return Err(self.short(field, padded));
        };
        self.rest = rest;
        Ok(bytes.get(..length).unwrap_or(bytes))
    }

    pub(crate) fn value<T: Xdr>(&mut self, field: &'static str) -> Result<T, Malformed> {
        T::read(self, field)
    }

    fn short(&self, field: &'static str, needed: usize) -> Malformed {
        let problem = Problem::Short { needed, available: self.rest.len() };
        Malformed { layer: Layer::Rpc, field, problem }
    }
}

/// Returns the error for a value that is not allowed.
pub(crate) fn value(field: &'static str, value: u32) -> Malformed {
    Malformed { layer: Layer::Rpc, field, problem: Problem::Value(value.into()) }
}

/// A builder of an RPC message.
#[derive(Debug, Clone, Default)]
pub struct Builder {
    pub(crate) bytes: Vec<u8>,
    pub(crate) eligible: Vec<Range<usize>>,
}

impl Builder {
    /// Creates a builder that starts with a header written by `emit`; the header may have up to 1024 bytes.
    pub(crate) fn after(emit: impl FnOnce(&mut Writer<'_>)) -> Self {
        let mut buffer = [0; 1024];
        let mut writer = Writer::new(&mut buffer);
        emit(&mut writer);
        Self { bytes: writer.so_far().to_vec(), eligible: Vec::new() }
    }

    /// Adds bytes whose number is a multiple of four, unchanged.
    pub fn fixed(&mut self, bytes: &[u8]) -> &mut Self {
        self.bytes.extend_from_slice(bytes);
        self
    }

    /// Adds an unsigned integer.
    pub fn word(&mut self, value: u32) -> &mut Self {
        self.fixed(&value.to_be_bytes())
    }

    /// Adds an unsigned hyper integer.
    pub fn long(&mut self, value: u64) -> &mut Self {
        self.fixed(&value.to_be_bytes())
    }

    /// Adds a Boolean.
    pub fn boolean(&mut self, value: bool) -> &mut Self {
        self.word(value.into())
    }

    /// Adds opaque data or a string of variable length.
    pub fn opaque(&mut self, bytes: &[u8]) -> &mut Self {
        self.word(bytes.len() as u32).fixed(bytes);
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        self
    }

    pub(crate) fn value(&mut self, value: &impl Xdr) -> &mut Self {
        value.write(self);
        self
    }

    /// Adds opaque data that is DDP-eligible. An empty item is not worth a chunk, but uses up the write chunk
    /// that belongs to it.
    pub fn eligible(&mut self, bytes: &[u8]) -> &mut Self {
        let start = self.bytes.len() + 4;
        self.eligible.push(start..start + bytes.len());
        self.opaque(bytes)
    }

    /// Replaces the word that was added at `at`.
    pub(crate) fn patch(&mut self, at: usize, value: u32) {
        if let Some(word) = self.bytes.get_mut(at..).and_then(|rest| rest.first_chunk_mut()) {
            *word = value.to_be_bytes();
        }
    }

    /// Appends the content of another builder, with its eligible items.
    pub(crate) fn append(&mut self, other: &Self) -> &mut Self {
        let start = self.bytes.len();
        let moved = |item: &Range<usize>| item.start + start..item.end + start;
        self.eligible.extend(other.eligible.iter().map(moved));
        self.fixed(&other.bytes)
    }

    /// Returns the bytes written so far, header included.
    pub fn written(&self) -> usize {
        self.bytes.len()
    }

    /// Truncates the message to `length` bytes.
    pub fn truncate(&mut self, length: usize) {
        self.bytes.truncate(length);
        self.eligible.retain(|range| range.end <= length);
    }
}
