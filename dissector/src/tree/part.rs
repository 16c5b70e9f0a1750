//! Pushes the fields of one header: numbers, bits, addresses, each with its place.

use super::node::{Location, SourceId, Tree, Value};
use crate::field::Field;

/// One header, and the tree that its fields go to.
pub(super) struct Part<'t, 'o> {
    pub(super) tree: &'t mut Tree,
    pub(super) source: SourceId,
    /// Where the header starts in its source.
    pub(super) start: u32,
    /// The header's bytes.
    pub(super) bytes: &'o [u8],
}

impl Part<'_, '_> {
    /// The big-endian number of up to 8 bytes at a place; none beyond the header.
    pub(super) fn number_at(&self, at: usize, length: usize) -> Option<u64> {
        let bytes = self.bytes.get(at..at + length)?;
        Some(bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    fn location(&self, at: usize, length: usize) -> Location {
        Location {
            source: self.source,
            offset: self.start + at as u32,
            length: length as u32,
            first_bit: 0,
            bits: 0,
        }
    }

    /// Pushes a value that stands at a place; returns the node's index.
    pub(super) fn value(
        &mut self,
        depth: u8,
        field: &'static Field,
        value: Value,
        at: usize,
        length: usize,
    ) -> usize {
        let location = self.location(at, length);
        self.tree.push(depth, field, value, location)
    }

    /// Pushes a number of whole bytes.
    pub(super) fn number(
        &mut self,
        depth: u8,
        field: &'static Field,
        at: usize,
        length: usize,
    ) -> Option<u64> {
        let number = self.number_at(at, length)?;
        self.value(depth, field, Value::Unsigned(number), at, length);
        Some(number)
    }

    /// Pushes `bits` bits, `skip` bits behind the most significant one of the byte at a place.
    pub(super) fn bits(
        &mut self,
        depth: u8,
        field: &'static Field,
        at: usize,
        skip: u8,
        bits: u8,
    ) -> Option<u64> {
        let (at, skip) = (at + usize::from(skip / 8), skip % 8);
        let length = usize::from(skip + bits).div_ceil(8);
        let whole = self.number_at(at, length)?;
        let behind = length as u32 * 8 - u32::from(skip) - u32::from(bits);
        let number = whole >> behind & ((1 << bits) - 1);
        let location = Location { first_bit: skip, bits, ..self.location(at, length) };
        self.tree.push(depth, field, Value::Unsigned(number), location);
        Some(number)
    }

    /// Pushes a derived number that stands for some bits of a byte (a length in another unit).
    pub(super) fn derived_bits(
        &mut self,
        depth: u8,
        field: &'static Field,
        number: u64,
        at: usize,
        skip: u8,
        bits: u8,
    ) {
        let location = Location { first_bit: skip, bits, ..self.location(at, 1) };
        self.tree.push(depth, field, Value::Unsigned(number), location);
    }

    /// Pushes bytes.
    pub(super) fn bytes(
        &mut self,
        depth: u8,
        field: &'static Field,
        at: usize,
        length: usize,
    ) -> Option<usize> {
        let bytes = self.bytes.get(at..at + length)?;
        let value = self.tree.bytes_value(bytes);
        Some(self.value(depth, field, value, at, length))
    }

    /// Pushes an Ethernet address.
    pub(super) fn ethernet(&mut self, depth: u8, field: &'static Field, at: usize) -> Option<()> {
        let bytes = *self.bytes.get(at..)?.first_chunk()?;
        self.value(depth, field, Value::Ethernet(bytes), at, 6);
        Some(())
    }

    /// Pushes an IPv4 address.
    pub(super) fn ipv4(&mut self, depth: u8, field: &'static Field, at: usize) -> Option<()> {
        let bytes = *self.bytes.get(at..)?.first_chunk()?;
        self.value(depth, field, Value::Ipv4(bytes), at, 4);
        Some(())
    }

    /// Pushes an IPv6 address.
    pub(super) fn ipv6(&mut self, depth: u8, field: &'static Field, at: usize) -> Option<()> {
        let bytes = *self.bytes.get(at..)?.first_chunk()?;
        self.value(depth, field, Value::Ipv6(bytes), at, 16);
        Some(())
    }

    /// Pushes a derived number.
    pub(super) fn derived(&mut self, depth: u8, field: &'static Field, number: u64) {
        self.tree.push_generated(depth, field, Value::Unsigned(number));
    }

    /// Pushes the layer itself.
    pub(super) fn layer(&mut self, depth: u8, field: &'static Field, note: Option<String>) {
        let length = self.bytes.len();
        let index = self.value(depth, field, Value::None, 0, length);
        self.note(index, note);
    }

    /// Adds words behind a node.
    pub(super) fn note(&mut self, index: usize, note: Option<String>) {
        if let (Some(node), Some(note)) = (self.tree.nodes.get_mut(index), note) {
            node.note = Some(note.into());
        }
    }
}
