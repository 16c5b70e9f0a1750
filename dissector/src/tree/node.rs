//! A tree as a flat list of nodes with depths, reused from frame to frame without allocation.

use super::layers::write_protocols;
use crate::capture::{Frame, Interface, LinkType};
use crate::field::{Display, FieldRef, Kind, frame as fields};
use crate::link::Packet;
use crate::stream::FrameSpan;
use std::borrow::Cow;
use std::fmt::Write as _;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::ops::Range;
use warpscope_text::{counted, push_hexadecimal, push_seconds};

/// The run of bytes that a location refers to: an index into [`Tree::sources`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct SourceId(pub u16);

impl SourceId {
    /// The frame itself, as captured.
    pub const FRAME: Self = Self(0);
}

/// The position of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Location {
    /// The run of bytes.
    pub source: SourceId,
    /// Offset of the first byte in it.
    pub offset: u32,
    /// Number of bytes; 0 for a derived value without a position.
    pub length: u32,
    /// First bit within `offset`'s byte, counted from the most significant.
    pub first_bit: u8,
    /// Number of bits; 0 if the field is whole bytes.
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
    /// Nanoseconds (absolute or relative, depending on the field's kind).
    Time(i64),
}

/// One field in the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// Its declaration.
    pub field: FieldRef,
    /// Its depth: 0 for a layer.
    pub depth: u8,
    /// True if the node was derived and has no position in the bytes.
    pub generated: bool,
    /// Its value.
    pub value: Value,
    /// Its position.
    pub location: Location,
    /// Text that a tree adds after label and value (a layer's summary, an explanation).
    pub note: Option<Cow<'static, str>>,
}

/// A run of bytes that locations refer to: the frame, or bytes assembled from several places.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Source {
    /// Its name: `Frame`, `FPDU without Markers`, `Reassembled Send`.
    pub name: Cow<'static, str>,
    /// The bytes: a range of [`Tree::bytes`].
    pub start: u32,
    /// Number of bytes.
    pub length: u32,
}

/// The origin, in an earlier source, of a part of an assembled source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Origin {
    /// The source that was assembled.
    pub source: SourceId,
    /// Offset of the part in it.
    pub at: u32,
    /// Number of bytes of the part.
    pub length: u32,
    /// The earlier source that the part came from.
    pub from: SourceId,
    /// Offset of the part there.
    pub offset: u32,
}

/// The decoded fields of one frame.
#[derive(Debug, Clone, Default)]
pub struct Tree {
    /// The nodes in order; a node's children follow it with a greater depth.
    pub nodes: Vec<Node>,
    /// The runs of bytes that locations refer to; the first is the frame.
    pub sources: Vec<Source>,
    /// The bytes of sources and values.
    pub bytes: Vec<u8>,
    /// The origins of parts of sources, if they came from this frame.
    pub origins: Vec<Origin>,
}

impl Tree {
    /// Clears the tree and keeps its memory.
    pub fn clear(&mut self) {
        self.nodes.clear();
        self.sources.clear();
        self.bytes.clear();
        self.origins.clear();
    }

    /// Returns approximately how many bytes of memory the tree takes.
    pub(crate) fn cost(&self) -> usize {
        let texts = self.nodes.iter().map(|node| {
            let value = match &node.value {
                Value::Text(Cow::Owned(text)) => text.capacity(),
                _ => 0,
            };
            value + node.note.as_ref().map_or(0, |note| note.len())
        });
        self.nodes.capacity() * size_of::<Node>()
            + self.sources.capacity() * size_of::<Source>()
            + self.origins.capacity() * size_of::<Origin>()
            + self.bytes.capacity()
            + texts.sum::<usize>()
    }

    /// Records where a part of a source came from.
    pub(super) fn came_from(&mut self, source: SourceId, at: u32, length: u32, run: Run) {
        if length > 0 && run.source < source {
            let (from, offset) = (run.source, run.start);
            self.origins.push(Origin { source, at, length, from, offset });
        }
    }

    /// Returns where the bytes of a location are in another source, in order, one range per run: for a field
    /// split by a marker, both parts. Bytes that the other source does not contain are left out.
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

    /// Returns the bytes of a source.
    pub fn source_bytes(&self, source: SourceId) -> &[u8] {
        let Some(source) = self.sources.get(usize::from(source.0)) else { return &[] };
        self.bytes
            .get(source.start as usize..(source.start + source.length) as usize)
            .unwrap_or(&[])
    }

    /// Returns the bytes that a node covers; none for a derived one.
    pub fn node_bytes(&self, node: &Node) -> &[u8] {
        let bytes = self.source_bytes(node.location.source);
        let start = (node.location.offset as usize).min(bytes.len());
        let end = (start + node.location.length as usize).min(bytes.len());
        bytes.get(start..end).unwrap_or(&[])
    }

    /// Returns the bytes from a node's first to the end of its source: the value of a protocol in a display
    /// filter, which includes its payload.
    pub(crate) fn bytes_from(&self, node: &Node) -> &[u8] {
        self.source_bytes(node.location.source).get(node.location.offset as usize..).unwrap_or(&[])
    }

    /// Returns the bytes of a bytes value; none for any other.
    pub fn value_bytes(&self, value: &Value) -> &[u8] {
        match value {
            Value::Bytes { start, length } => {
                self.bytes.get(*start as usize..(*start + *length) as usize).unwrap_or(&[])
            }
            _ => &[],
        }
    }

    /// Adds a node; returns its index, so that its length or note can be set later.
    pub fn push(&mut self, depth: u8, field: FieldRef, value: Value, location: Location) -> usize {
        self.nodes.push(Node { field, depth, generated: false, value, location, note: None });
        self.nodes.len() - 1
    }

    /// Adds a derived node.
    pub fn push_generated(&mut self, depth: u8, field: FieldRef, value: Value) -> usize {
        let index = self.push(depth, field, value, Location::default());
        self.nodes[index].generated = true;
        index
    }

    /// Stores bytes in the tree and returns them as a value.
    pub fn bytes_value(&mut self, bytes: &[u8]) -> Value {
        let start = self.bytes.len() as u32;
        self.bytes.extend_from_slice(bytes);
        Value::Bytes { start, length: bytes.len() as u32 }
    }

    /// Writes a node's value as `-e` prints it: numbers, addresses, bytes as hexadecimal digits, time spans
    /// in seconds, dates and times in UTC.
    pub fn value_text(&self, node: &Node, out: &mut String) {
        let written = match &node.value {
            Value::None => match node.field.kind {
                Kind::Protocol => write!(out, "{}", node.field.name),
                // A heading has no value: its presence is shown as in Wireshark.
                _ => write!(out, "1"),
            },
            Value::Unsigned(number) => {
                node.field.number_text(*number, out);
                Ok(())
            }
            Value::Bytes { .. } => {
                write_digits(self.value_bytes(&node.value), node.field.display, out);
                Ok(())
            }
            Value::Ipv4(bytes) => write!(out, "{}", Ipv4Addr::from(*bytes)),
            Value::Ipv6(bytes) => write!(out, "{}", Ipv6Addr::from(*bytes)),
            Value::Ethernet(bytes) => {
                write_digits(bytes, Display::Colons, out);
                Ok(())
            }
            Value::Text(text) => write!(out, "{text}"),
            Value::Time(nanoseconds) if node.field.kind == Kind::AbsoluteTime => {
                let time = chrono::DateTime::from_timestamp_nanos(*nanoseconds);
                write!(out, "{}", time.format("%b %e, %Y %H:%M:%S.%9f UTC"))
            }
            Value::Time(nanoseconds) => {
                push_seconds(*nanoseconds, 9, out);
                Ok(())
            }
        };
        debug_assert!(written.is_ok());
    }
}

/// Writes two hexadecimal digits per byte, joined by colons if the display requires it.
pub(crate) fn write_digits(bytes: &[u8], display: Display, out: &mut String) {
    let separator = if display == Display::Colons { ":" } else { "" };
    push_hexadecimal(bytes, separator, out);
}

/// One header, and the tree that its fields are added to.
pub(crate) struct Part<'t, 'o> {
    pub(crate) tree: &'t mut Tree,
    pub(crate) source: SourceId,
    /// Where the header starts in its source.
    pub(crate) start: u32,
    /// The header's bytes.
    pub(crate) bytes: &'o [u8],
}

impl Part<'_, '_> {
    /// Returns the big-endian number of up to 8 bytes at an offset; `None` beyond the header.
    pub(crate) fn number_at(&self, at: usize, length: usize) -> Option<u64> {
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

    /// Pushes a number whose bytes are in little-endian order.
    pub(crate) fn number_le(
        &mut self,
        depth: u8,
        field: FieldRef,
        at: usize,
        length: usize,
    ) -> Option<u64> {
        let bytes = self.bytes.get(at..at.checked_add(length)?)?;
        let number = bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte));
        self.value(depth, field, Value::Unsigned(number), at, length);
        Some(number)
    }

    /// Pushes a value at an offset; returns the node's index.
    pub(crate) fn value(
        &mut self,
        depth: u8,
        field: FieldRef,
        value: Value,
        at: usize,
        length: usize,
    ) -> usize {
        let location = self.location(at, length);
        self.tree.push(depth, field, value, location)
    }

    /// Pushes a number of whole bytes.
    pub(crate) fn number(
        &mut self,
        depth: u8,
        field: FieldRef,
        at: usize,
        length: usize,
    ) -> Option<u64> {
        let number = self.number_at(at, length)?;
        self.value(depth, field, Value::Unsigned(number), at, length);
        Some(number)
    }

    /// Pushes the numbers of a figure's fields, in order; `places` are the view's `PLACES`, starting with the
    /// first field to push, and `at` is where the header begins.
    pub(crate) fn figure<const N: usize>(
        &mut self,
        depth: u8,
        at: usize,
        places: &[(usize, usize)],
        fields: [FieldRef; N],
    ) {
        for (field, (offset, length)) in fields.into_iter().zip(places) {
            self.number(depth, field, at + offset, *length);
        }
    }

    /// Pushes `bits` bits, `skip` bits after the most significant one of the byte at an offset.
    pub(crate) fn bits(
        &mut self,
        depth: u8,
        field: FieldRef,
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

    /// Pushes a derived number for some bits of a byte (such as a length in another unit).
    pub(crate) fn derived_bits(
        &mut self,
        depth: u8,
        field: FieldRef,
        number: u64,
        at: usize,
        skip: u8,
        bits: u8,
    ) {
        let location = Location { first_bit: skip, bits, ..self.location(at, 1) };
        self.tree.push(depth, field, Value::Unsigned(number), location);
    }

    /// Pushes bytes.
    pub(crate) fn bytes(
        &mut self,
        depth: u8,
        field: FieldRef,
        at: usize,
        length: usize,
    ) -> Option<usize> {
        let bytes = self.bytes.get(at..at + length)?;
        let value = self.tree.bytes_value(bytes);
        Some(self.value(depth, field, value, at, length))
    }

    /// Pushes an Ethernet address.
    pub(crate) fn ethernet(&mut self, depth: u8, field: FieldRef, at: usize) -> Option<()> {
        let bytes = *self.bytes.get(at..)?.first_chunk()?;
        self.value(depth, field, Value::Ethernet(bytes), at, 6);
        Some(())
    }

    /// Pushes an IPv4 address.
    pub(crate) fn ipv4(&mut self, depth: u8, field: FieldRef, at: usize) -> Option<()> {
        let bytes = *self.bytes.get(at..)?.first_chunk()?;
        self.value(depth, field, Value::Ipv4(bytes), at, 4);
        Some(())
    }

    /// Pushes an IPv6 address.
    pub(crate) fn ipv6(&mut self, depth: u8, field: FieldRef, at: usize) -> Option<()> {
        let bytes = *self.bytes.get(at..)?.first_chunk()?;
        self.value(depth, field, Value::Ipv6(bytes), at, 16);
        Some(())
    }

    /// Pushes a derived number.
    pub(crate) fn derived(&mut self, depth: u8, field: FieldRef, number: u64) {
        self.tree.push_generated(depth, field, Value::Unsigned(number));
    }

    /// Pushes the layer itself.
    pub(crate) fn layer(&mut self, depth: u8, field: FieldRef, note: Option<String>) {
        let length = self.bytes.len();
        let index = self.value(depth, field, Value::None, 0, length);
        self.note(index, note);
    }

    /// Adds text after a node.
    pub(crate) fn note(&mut self, index: usize, note: Option<String>) {
        if let (Some(node), Some(note)) = (self.tree.nodes.get_mut(index), note) {
            node.note = Some(note.into());
        }
    }
}

/// The frame that a tree describes.
#[derive(Debug, Clone, Copy, Default)]
pub struct FramePlace {
    /// Its number.
    pub number: u64,
    /// Offset of its TCP payload in its bytes; `None` if the packet came in fragments.
    pub payload_offset: Option<u32>,
}

/// A run of bytes that locations can refer to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Run {
    pub(crate) source: SourceId,
    pub(crate) start: u32,
}

/// Returns where these bytes are: in the frame if they all came from it, otherwise in a new source.
pub(crate) fn locate(
    tree: &mut Tree,
    frame: FramePlace,
    bytes: &[u8],
    spans: &[FrameSpan],
    name: &'static str,
) -> Run {
    if let ([span], Some(payload)) = (spans, frame.payload_offset)
        && span.frame == frame.number
        && span.length as usize >= bytes.len()
    {
        return Run { source: SourceId::FRAME, start: payload + span.payload_offset };
    }
    let source = tree.add_source(name, bytes);
    let mut at = 0;
    for span in spans {
        if let (true, Some(payload)) = (span.frame == frame.number, frame.payload_offset) {
            let run = Run { source: SourceId::FRAME, start: payload + span.payload_offset };
            tree.came_from(source, at, span.length, run);
        }
        at = at.saturating_add(span.length);
    }
    Run { source, start: 0 }
}

/// Context of a frame that its node shows.
#[derive(Debug, Clone, Copy, Default)]
pub struct FrameContext<'a> {
    /// When the first frame of the capture was captured, in nanoseconds.
    pub first_time: Option<i64>,
    /// When the previous frame was captured; `None` for the first.
    pub previous_time: Option<i64>,
    /// When the last previous frame that passed the display filter was captured.
    pub previous_displayed_time: Option<i64>,
    /// The interface, if the capture format distinguishes interfaces.
    pub interface: Option<&'a Interface>,
}

/// Adds the frame's node and its fields; returns the index of the `frame.protocols` node, to which the stages
/// above TCP append.
pub fn push_frame(
    tree: &mut Tree,
    frame: &Frame<'_>,
    packet: &Packet<'_>,
    source: SourceId,
    context: &FrameContext<'_>,
) -> usize {
    let captured = frame.bytes.len();
    let location = Location { source, length: captured as u32, ..Location::default() };
    let index = tree.push(0, &fields::PROTOCOL, Value::None, location);
    if let Some(node) = tree.nodes.get_mut(index) {
        node.note = Some(
            format!(
                "{}: {} on the wire, {captured} captured",
                frame.number,
                counted(frame.original_length.into(), "byte")
            )
            .into(),
        );
    }
    let mut push = |field: FieldRef, value: Value| tree.push(1, field, value, Location::default());
    if let Some(interface) = context.interface {
        push(&fields::SECTION_NUMBER, Value::Unsigned(u64::from(interface.section) + 1));
        push(&fields::INTERFACE_ID, Value::Unsigned(u64::from(interface.number)));
        let name = interface.name.clone().map_or("unknown".into(), Into::into);
        push(&fields::INTERFACE_NAME, Value::Text(name));
        if let Some(description) = &interface.description {
            push(&fields::INTERFACE_DESCRIPTION, Value::Text(description.clone().into()));
        }
    }
    push(&fields::ENCAPSULATION, Value::Unsigned(encapsulation(frame.link_type)));
    if let Some(time) = frame.time {
        let since =
            |earlier: Option<i64>| Value::Time(time.saturating_sub(earlier.unwrap_or(time)));
        push(&fields::TIME, Value::Time(time));
        push(&fields::TIME_EPOCH, Value::Time(time));
        push(&fields::TIME_DELTA, since(context.previous_time));
        push(&fields::TIME_DELTA_DISPLAYED, since(context.previous_displayed_time));
        push(&fields::TIME_RELATIVE, since(context.first_time));
    }
    push(&fields::NUMBER, Value::Unsigned(frame.number));
    push(&fields::LENGTH, Value::Unsigned(u64::from(frame.original_length)));
    push(&fields::CAPTURED_LENGTH, Value::Unsigned(captured as u64));
    let mut protocols = String::new();
    write_protocols(packet, frame.bytes, &mut protocols);
    tree.push_generated(1, &fields::PROTOCOLS, Value::Text(protocols.into()))
}

/// Returns Wireshark's number of a link type; 0 for those not decoded here.
fn encapsulation(link_type: LinkType) -> u64 {
    match link_type {
        LinkType::ETHERNET => 1,
        LinkType::RAW | LinkType::RAW_BSD | LinkType::RAW_OPENBSD => 7,
        LinkType::NULL => 15,
        LinkType::LINUX_SLL => 25,
        LinkType::IPV4 => 129,
        LinkType::IPV6 => 130,
        LinkType::LOOP => 174,
        LinkType::LINUX_SLL2 => 210,
        _ => 0,
    }
}
