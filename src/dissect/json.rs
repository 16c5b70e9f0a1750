//! `-T json` and `-T ndjson`: a frame's fields as tshark nests them.
//!
//! A node becomes a member under its field's name; its children become an object under the name
//! with `_tree` after it, or under the name alone when the node has no value of its own. What
//! stands several times side by side becomes an array.

use super::run::{Output, Shown};
use super::text::{Column, TimeColumn, push_date, push_value};
use std::io::{self, Write};
use std::ops::Range;
use warpscope_dissector::field::Kind;
use warpscope_dissector::tree::{Node, Tree, Value};

/// How a frame's object is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// Indented, in an array, with the members that a search index wants.
    Array,
    /// Alone on its line.
    Lines,
}

/// `-T json` and `-T ndjson`.
#[derive(Debug)]
pub(super) struct Json {
    columns: Vec<Column>,
    time: TimeColumn,
    shape: Shape,
    /// With every value its bytes and place.
    raw: bool,
    first: bool,
    members: Members,
}

/// What writing members needs; reused from frame to frame.
#[derive(Debug)]
struct Members {
    writer: JsonWriter,
    raw: bool,
    scratch: String,
    /// Behind each node, the first that is not below it.
    ends: Vec<usize>,
}

impl Json {
    /// An output of these columns, or of everything when there are none.
    pub(super) fn new(columns: Vec<Column>, time: TimeColumn, shape: Shape, raw: bool) -> Self {
        let members = Members {
            writer: JsonWriter::new(shape == Shape::Array),
            raw,
            scratch: String::new(),
            ends: Vec::new(),
        };
        Self { columns, time, shape, raw, first: true, members }
    }

    fn layers(&mut self, shown: &Shown<'_>) {
        self.members.writer.key("layers", "");
        self.members.writer.begin('{');
        if self.columns.is_empty() {
            self.members.tree(&shown.view.tree);
        }
        for column in &self.columns {
            let Members { writer, scratch, .. } = &mut self.members;
            let mut present = false;
            column.values(shown, self.time, scratch, |value| {
                if !present {
                    writer.key(&column.name, "");
                    writer.begin('[');
                    present = true;
                }
                writer.string(value);
            });
            if present {
                writer.end(']');
            }
        }
        self.members.writer.end('}');
    }
}

impl Output for Json {
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        match self.shape {
            Shape::Array => out.write_all(b"["),
            Shape::Lines => Ok(()),
        }
    }

    fn frame(&mut self, shown: &Shown<'_>, out: &mut dyn Write) -> io::Result<()> {
        self.members.raw = self.raw;
        match self.shape {
            Shape::Array => {
                out.write_all(if self.first { b"\n  " } else { b",\n  " })?;
                self.first = false;
                self.members.writer.clear(1);
                self.members.writer.begin('{');
                let mut index = std::mem::take(&mut self.members.scratch);
                index.clear();
                index.push_str("packets-");
                push_date(shown.view.time, &mut index);
                let writer = &mut self.members.writer;
                writer.key("_index", "");
                writer.string(&index);
                writer.key("_type", "");
                writer.string("doc");
                writer.key("_score", "");
                writer.bare("null");
                writer.key("_source", "");
                writer.begin('{');
                self.members.scratch = index;
                self.layers(shown);
                self.members.writer.end('}');
                self.members.writer.end('}');
            }
            Shape::Lines => {
                self.members.writer.clear(0);
                self.members.writer.begin('{');
                self.members.writer.key("frame", "");
                self.members.writer.number(shown.view.number);
                self.layers(shown);
                self.members.writer.end('}');
                self.members.writer.line_end();
            }
        }
        out.write_all(self.members.writer.bytes())
    }

    fn end(&mut self, out: &mut dyn Write) -> io::Result<()> {
        match self.shape {
            Shape::Array if self.first => out.write_all(b"]\n"),
            Shape::Array => out.write_all(b"\n]\n"),
            Shape::Lines => Ok(()),
        }
    }
}

impl Members {
    fn tree(&mut self, tree: &Tree) {
        let nodes = &tree.nodes;
        self.ends.clear();
        self.ends.resize(nodes.len(), nodes.len());
        for (index, node) in nodes.iter().enumerate().rev() {
            let mut end = index + 1;
            while nodes.get(end).is_some_and(|below| below.depth > node.depth) {
                end = self.ends.get(end).copied().unwrap_or(nodes.len());
            }
            if let Some(place) = self.ends.get_mut(index) {
                *place = end;
            }
        }
        self.siblings(tree, 0..nodes.len());
    }

    fn end_of(&self, index: usize) -> usize {
        self.ends.get(index).copied().unwrap_or(usize::MAX)
    }

    /// The next node of the same field side by side with this one.
    fn next_like(&self, tree: &Tree, index: usize, end: usize) -> Option<usize> {
        let field = tree.nodes.get(index)?.field;
        let mut at = self.end_of(index);
        while at < end {
            if tree.nodes.get(at)?.field == field {
                return Some(at);
            }
            at = self.end_of(at);
        }
        None
    }

    /// Writes the nodes of a range that are side by side, those of one field together.
    fn siblings(&mut self, tree: &Tree, range: Range<usize>) {
        let mut at = range.start;
        while at < range.end {
            let Some(node) = tree.nodes.get(at) else { return };
            let mut before = range.start;
            let mut repeats = false;
            while before < at && !repeats {
                repeats = tree.nodes.get(before).is_some_and(|other| other.field == node.field);
                before = self.end_of(before);
            }
            if !repeats {
                self.group(tree, at, range.end);
            }
            at = self.end_of(at);
        }
    }

    /// Writes every node of one field: bytes, values and children, an array each when several.
    fn group(&mut self, tree: &Tree, first: usize, end: usize) {
        let Some(node) = tree.nodes.get(first) else { return };
        let several = self.next_like(tree, first, end).is_some();
        let valued = has_value(node);
        let name = node.field.name;
        let (mut raw, mut parents) = (false, false);
        self.each(tree, first, end, |members, index, node| {
            raw |= members.raw && node.location.length > 0;
            parents |= members.end_of(index) > index + 1;
        });
        if raw {
            self.writer.key(name, "_raw");
            self.array(tree, first, end, several, |members, _, node| members.bytes(tree, node));
        }
        if valued || !parents {
            self.writer.key(name, "");
            self.array(tree, first, end, several, |members, _, node| members.value(tree, node));
        }
        if parents {
            self.writer.key(name, if valued { "_tree" } else { "" });
            self.array(tree, first, end, several, |members, index, _| {
                members.writer.begin('{');
                let end = members.end_of(index);
                members.siblings(tree, index + 1..end);
                members.writer.end('}');
            });
        }
    }

    fn each(
        &mut self,
        tree: &Tree,
        first: usize,
        end: usize,
        mut call: impl FnMut(&mut Self, usize, &Node),
    ) {
        let mut next = Some(first);
        while let Some(index) = next {
            if let Some(node) = tree.nodes.get(index) {
                call(self, index, node);
            }
            next = self.next_like(tree, index, end);
        }
    }

    fn array(
        &mut self,
        tree: &Tree,
        first: usize,
        end: usize,
        several: bool,
        call: impl FnMut(&mut Self, usize, &Node),
    ) {
        if several {
            self.writer.begin('[');
        }
        self.each(tree, first, end, call);
        if several {
            self.writer.end(']');
        }
    }

    fn value(&mut self, tree: &Tree, node: &Node) {
        if let Value::Bytes { .. } = node.value {
            self.writer.hexadecimal(tree.value_bytes(&node.value), ":");
            return;
        }
        self.scratch.clear();
        if has_value(node) {
            push_value(tree, node, &mut self.scratch);
        }
        self.writer.string(&self.scratch);
    }

    /// Bytes, place, mask and type, as `tshark -T json -x` has them.
    fn bytes(&mut self, tree: &Tree, node: &Node) {
        let location = &node.location;
        self.writer.begin('[');
        match node.value {
            Value::Unsigned(number) if location.bits > 0 => {
                self.scratch.clear();
                let _ = std::fmt::Write::write_fmt(&mut self.scratch, format_args!("{number:X}"));
                self.writer.string(&self.scratch);
            }
            _ => self.writer.hexadecimal(tree.node_bytes(node), ""),
        }
        self.writer.number(u64::from(location.offset));
        self.writer.number(u64::from(location.length));
        let behind = u64::from(location.length) * 8;
        let behind =
            behind.saturating_sub(u64::from(location.first_bit) + u64::from(location.bits));
        let ones = (1_u64 << location.bits.min(63)) - 1;
        self.writer.number(ones.checked_shl(behind as u32).unwrap_or(0));
        self.writer.number(type_number(node.field.kind));
        self.writer.end(']');
    }
}

fn has_value(node: &Node) -> bool {
    !matches!(node.value, Value::None)
}

/// Wireshark's number of a type.
fn type_number(kind: Kind) -> u64 {
    match kind {
        Kind::Heading => 0,
        Kind::Protocol => 1,
        Kind::Boolean => 2,
        Kind::Unsigned(0..=8) => 4,
        Kind::Unsigned(9..=16) => 5,
        Kind::Unsigned(17..=24) => 6,
        Kind::Unsigned(25..=32) => 7,
        Kind::Unsigned(33..=40) => 8,
        Kind::Unsigned(41..=48) => 9,
        Kind::Unsigned(49..=56) => 10,
        Kind::Unsigned(_) => 11,
        Kind::AbsoluteTime => 24,
        Kind::RelativeTime => 25,
        Kind::Text => 26,
        Kind::Ethernet => 29,
        Kind::Bytes => 30,
        Kind::Ipv4 => 32,
        Kind::Ipv6 => 33,
        Kind::FrameNumber => 35,
    }
}

// Writes JSON piece by piece into a buffer, indented or on one line.

const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// JSON under construction.
#[derive(Debug)]
pub(super) struct JsonWriter {
    buffer: Vec<u8>,
    indented: bool,
    depth: usize,
    /// True when the next thing is the first of its object or array.
    first: bool,
    /// True when a key was written and its value follows.
    keyed: bool,
}

impl JsonWriter {
    /// A writer that breaks lines, or one that does not.
    pub(super) fn new(indented: bool) -> Self {
        Self { buffer: Vec::new(), indented, depth: 0, first: true, keyed: true }
    }

    /// Begins another document at this depth.
    pub(super) fn clear(&mut self, depth: usize) {
        self.buffer.clear();
        (self.depth, self.first, self.keyed) = (depth, true, true);
    }

    /// What was written.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.buffer
    }

    pub(super) fn line_end(&mut self) {
        self.buffer.push(b'\n');
    }

    fn line(&mut self) {
        if self.indented {
            self.buffer.push(b'\n');
            self.buffer.extend(std::iter::repeat_n(b' ', self.depth * 2));
        }
    }

    /// What comes before a key, or a value that has none.
    fn lead(&mut self) {
        if std::mem::take(&mut self.keyed) {
            return;
        }
        if !std::mem::take(&mut self.first) {
            self.buffer.push(b',');
        }
        self.line();
    }

    /// Begins an object or array.
    pub(super) fn begin(&mut self, bracket: char) {
        self.lead();
        self.buffer.push(bracket as u8);
        self.depth += 1;
        self.first = true;
    }

    pub(super) fn end(&mut self, bracket: char) {
        self.depth = self.depth.saturating_sub(1);
        if !std::mem::take(&mut self.first) {
            self.line();
        }
        self.buffer.push(bracket as u8);
    }

    /// A key of two parts, neither with anything that must be escaped.
    pub(super) fn key(&mut self, name: &str, suffix: &str) {
        self.lead();
        self.buffer.push(b'"');
        self.buffer.extend_from_slice(name.as_bytes());
        self.buffer.extend_from_slice(suffix.as_bytes());
        self.buffer.extend_from_slice(if self.indented { b"\": " } else { b"\":" });
        self.keyed = true;
    }

    pub(super) fn string(&mut self, text: &str) {
        self.lead();
        // Writing to memory does not fail.
        let _ = serde_json::to_writer(&mut self.buffer, text);
    }

    /// Bytes as a string of hexadecimal digits.
    pub(super) fn hexadecimal(&mut self, bytes: &[u8], separator: &str) {
        self.lead();
        self.buffer.push(b'"');
        for (index, byte) in bytes.iter().enumerate() {
            if index > 0 {
                self.buffer.extend_from_slice(separator.as_bytes());
            }
            for digit in [byte >> 4, byte & 0xf] {
                self.buffer.extend(DIGITS.get(usize::from(digit)));
            }
        }
        self.buffer.push(b'"');
    }

    pub(super) fn number(&mut self, number: u64) {
        self.lead();
        let _ = write!(self.buffer, "{number}");
    }

    /// A word that stands for itself.
    pub(super) fn bare(&mut self, word: &str) {
        self.lead();
        self.buffer.extend_from_slice(word.as_bytes());
    }
}
