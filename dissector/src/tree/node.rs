//! A tree as a flat list of nodes with depths; reused from frame to frame without allocation.

use super::place::Run;
use crate::field::{Display, Field, Kind};
use std::borrow::Cow;
use std::fmt::Write as _;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::ops::Range;

/// Which run of bytes a location counts in: an index into [`Tree::sources`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct SourceId(pub u16);

impl SourceId {
    /// The frame itself, as captured.
    pub const FRAME: Self = Self(0);
}

/// Where a field stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Location {
    /// The run of bytes.
    pub source: SourceId,
    /// First byte in it.
    pub offset: u32,
    /// Number of bytes; 0 for what was derived and stands nowhere.
    pub length: u32,
    /// First bit within `offset`'s byte, counted from the most significant.
    pub first_bit: u8,
    /// Number of bits; 0 when the field is whole bytes.
    pub bits: u8,
}

/// The value of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// A heading or protocol.
    None,
    /// A Boolean, an unsigned integer or a frame number.
    Unsigned(u64),
    /// Bytes: a range of [`Tree::bytes`].
    Bytes {
        /// First byte.
        start: u32,
        /// Number of bytes.
        length: u32,
    },
    /// An IPv4 address.
    Ipv4([u8; 4]),
    /// An IPv6 address.
    Ipv6([u8; 16]),
    /// An Ethernet address.
    Ethernet([u8; 6]),
    /// Text.
    Text(Cow<'static, str>),
    /// Nanoseconds (absolute or relative, as the field's kind says).
    Time(i64),
}

/// One field in the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// Its declaration.
    pub field: &'static Field,
    /// Its depth: 0 for a layer.
    pub depth: u8,
    /// True when it was derived, and stands nowhere in the bytes.
    pub generated: bool,
    /// Its value.
    pub value: Value,
    /// Where it stands.
    pub location: Location,
    /// What a tree adds behind label and value (a layer's summary, an explanation).
    pub note: Option<Cow<'static, str>>,
}

/// A run of bytes that locations count in: the frame, or bytes put together from several places.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Source {
    /// What it is: `Frame`, `FPDU without markers`, `Reassembled Send`.
    pub name: Cow<'static, str>,
    /// The bytes: a range of [`Tree::bytes`].
    pub start: u32,
    /// Number of bytes.
    pub length: u32,
}

/// A part of a source that stands in another source as well: what was put together, in what it came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Origin {
    /// The source that was put together.
    pub source: SourceId,
    /// The part's first byte in it.
    pub at: u32,
    /// Bytes of the part.
    pub length: u32,
    /// Where it came from: an earlier source.
    pub from: SourceId,
    /// Its first byte there.
    pub offset: u32,
}

/// The decoded fields of one frame.
#[derive(Debug, Clone, Default)]
pub struct Tree {
    /// The nodes in order; a node's children follow it with a greater depth.
    pub nodes: Vec<Node>,
    /// The runs of bytes that locations count in; the first is the frame.
    pub sources: Vec<Source>,
    /// The bytes of sources and values.
    pub bytes: Vec<u8>,
    /// Where parts of sources came from, as far as they came from this frame.
    pub origins: Vec<Origin>,
}

impl Tree {
    /// Empties the tree and keeps its memory.
    pub fn clear(&mut self) {
        self.nodes.clear();
        self.sources.clear();
        self.bytes.clear();
        self.origins.clear();
    }

    /// Says where a part of a source came from.
    pub(super) fn came_from(&mut self, source: SourceId, at: u32, length: u32, run: Run) {
        if length > 0 && run.source < source {
            let (from, offset) = (run.source, run.start);
            self.origins.push(Origin { source, at, length, from, offset });
        }
    }

    /// Where the bytes of a place stand in another source, in order, one run behind the other: of a field behind
    /// a marker's place both its parts. Bytes that stand there nowhere are left out.
    pub fn places_in(&self, source: SourceId, place: &Location) -> Vec<Range<u32>> {
        let mut found = Vec::new();
        let end = place.offset.saturating_add(place.length);
        self.push_places(source, place.source, place.offset..end, &mut found);
        found.retain(|range| !range.is_empty());
        found
    }

    fn push_places(
        &self,
        wanted: SourceId,
        source: SourceId,
        bytes: Range<u32>,
        found: &mut Vec<Range<u32>>,
    ) {
        if source == wanted {
            match found.last_mut() {
                Some(last) if last.end == bytes.start => last.end = bytes.end,
                _ => found.push(bytes),
            }
            return;
        }
        for origin in self.origins.iter().filter(|origin| origin.source == source) {
            let start = bytes.start.max(origin.at);
            let end = bytes.end.min(origin.at.saturating_add(origin.length));
            if start < end {
                let there = origin.offset.saturating_add(start - origin.at);
                self.push_places(wanted, origin.from, there..there + (end - start), found);
            }
        }
    }

    /// Adds a run of bytes.
    pub fn add_source(&mut self, name: impl Into<Cow<'static, str>>, bytes: &[u8]) -> SourceId {
        let start = self.bytes.len() as u32;
        self.bytes.extend_from_slice(bytes);
        self.sources.push(Source { name: name.into(), start, length: bytes.len() as u32 });
        SourceId((self.sources.len() - 1) as u16)
    }

    /// The bytes of a source.
    pub fn source_bytes(&self, source: SourceId) -> &[u8] {
        let Some(source) = self.sources.get(usize::from(source.0)) else { return &[] };
        self.bytes
            .get(source.start as usize..(source.start + source.length) as usize)
            .unwrap_or(&[])
    }

    /// The bytes that a node covers; empty for a derived one.
    pub fn node_bytes(&self, node: &Node) -> &[u8] {
        let bytes = self.source_bytes(node.location.source);
        let start = (node.location.offset as usize).min(bytes.len());
        let end = (start + node.location.length as usize).min(bytes.len());
        bytes.get(start..end).unwrap_or(&[])
    }

    /// The bytes from a node's first to the end of its source: what a protocol's value is in a
    /// display filter, which counts its payload.
    pub fn bytes_from(&self, node: &Node) -> &[u8] {
        self.source_bytes(node.location.source).get(node.location.offset as usize..).unwrap_or(&[])
    }

    /// The bytes of a bytes value; empty for any other.
    pub fn value_bytes(&self, value: &Value) -> &[u8] {
        match value {
            Value::Bytes { start, length } => {
                self.bytes.get(*start as usize..(*start + *length) as usize).unwrap_or(&[])
            }
            _ => &[],
        }
    }

    /// Adds a node; returns its index, so that its length or note can be settled later.
    pub fn push(
        &mut self,
        depth: u8,
        field: &'static Field,
        value: Value,
        location: Location,
    ) -> usize {
        self.nodes.push(Node { field, depth, generated: false, value, location, note: None });
        self.nodes.len() - 1
    }

    /// Adds a derived node.
    pub fn push_generated(&mut self, depth: u8, field: &'static Field, value: Value) -> usize {
        let index = self.push(depth, field, value, Location::default());
        self.nodes[index].generated = true;
        index
    }

    /// A value of bytes, kept in the tree.
    pub fn bytes_value(&mut self, bytes: &[u8]) -> Value {
        let start = self.bytes.len() as u32;
        self.bytes.extend_from_slice(bytes);
        Value::Bytes { start, length: bytes.len() as u32 }
    }

    /// A node's value as `-e` prints it: numbers, addresses, bytes as hexadecimal digits, spans
    /// of time in seconds, dates and times in UTC.
    pub fn value_text(&self, node: &Node, out: &mut String) {
        let written = match &node.value {
            Value::None => match node.field.kind {
                Kind::Protocol => write!(out, "{}", node.field.name),
                // A heading has no value: that it is there is told as by Wireshark.
                _ => write!(out, "1"),
            },
            Value::Unsigned(number) => {
                node.field.number_text(*number, out);
                Ok(())
            }
            Value::Bytes { .. } => {
                let separator = if node.field.display == Display::Colons { ":" } else { "" };
                self.value_bytes(&node.value).iter().enumerate().try_for_each(|(index, byte)| {
                    write!(out, "{}{byte:02x}", if index > 0 { separator } else { "" })
                })
            }
            Value::Ipv4(bytes) => write!(out, "{}", Ipv4Addr::from(*bytes)),
            Value::Ipv6(bytes) => write!(out, "{}", Ipv6Addr::from(*bytes)),
            Value::Ethernet(bytes) => bytes.iter().enumerate().try_for_each(|(index, byte)| {
                write!(out, "{}{byte:02x}", if index > 0 { ":" } else { "" })
            }),
            Value::Text(text) => write!(out, "{text}"),
            Value::Time(nanoseconds) if node.field.kind == Kind::AbsoluteTime => {
                let time = chrono::DateTime::from_timestamp_nanos(*nanoseconds);
                write!(out, "{}", time.format("%b %e, %Y %H:%M:%S.%9f UTC"))
            }
            Value::Time(nanoseconds) => {
                let sign = if *nanoseconds < 0 { "-" } else { "" };
                let magnitude = nanoseconds.unsigned_abs();
                write!(out, "{sign}{}.{:09}", magnitude / 1_000_000_000, magnitude % 1_000_000_000)
            }
        };
        debug_assert!(written.is_ok());
    }
}
