//! `-T json` and `-T ndjson`: a frame's fields as tshark nests them.
//!
//! A node becomes a member under its field's name; its children become an object under the name
//! with `_tree` after it, or under the name alone if the node has no value of its own. Siblings with
//! the same name become an array.

use super::run::{Output, Shown};
use super::select::Layers as Opened;
use super::text::{Column, TimeColumn, iso8601, push_date, push_value};
use serde::ser::{Error as _, Serialize, SerializeMap, Serializer};
use serde_json::ser::{Formatter as _, PrettyFormatter};
use serde_json::{Map, Value as Member, json};
use std::io::{self, Write};
use std::iter::successors;
use std::ops::Range;
use warpscope_dissector::field::Kind;
use warpscope_dissector::tree::{Node, Tree, Value};
use warpscope_text::push_hexadecimal;

/// `-T json` and `-T ndjson`.
#[derive(Debug)]
pub(super) struct Json {
    columns: Vec<Column>,
    time: TimeColumn,
    raw: Raw,
    /// The formatter of an indented array, with the members that a search index needs; none if each object
    /// has its own line.
    array: Option<PrettyFormatter<'static>>,
    opened: Opened,
    first: bool,
    buffer: Vec<u8>,
}

impl Json {
    /// Creates a writer of an array of these columns, or of all fields if there are no columns.
    pub(super) fn new(columns: Vec<Column>, time: TimeColumn, raw: Raw, opened: Opened) -> Self {
        let array = Some(PrettyFormatter::new());
        Self { columns, time, raw, array, opened, first: true, buffer: Vec::new() }
    }

    /// Creates a writer of one object per line.
    pub(super) fn of_lines(columns: Vec<Column>, time: TimeColumn, opened: Opened) -> Self {
        Self { array: None, ..Self::new(columns, time, Raw::No, opened) }
    }
}

/// Whether bytes and offsets are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Raw {
    No,
    /// With every value (`-x`).
    Beside,
    /// Instead of values (`-T jsonraw`).
    Alone,
}

impl Output for Json {
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        self.array.as_mut().map_or(Ok(()), |array| array.begin_array(out))
    }

    fn frame(&mut self, shown: &Shown<'_>, out: &mut dyn Write) -> io::Result<()> {
        let Self { columns, time, raw, opened, buffer, .. } = self;
        let (columns, ends) = (columns.as_slice(), ends(&shown.view.tree));
        let layers = Layers { columns, time: *time, raw: *raw, opened, shown, ends };
        buffer.clear();
        if let Some(array) = &mut self.array {
            array.begin_array_value(buffer, std::mem::take(&mut self.first))?;
            let mut serializer =
                serde_json::Serializer::with_formatter(&mut *buffer, array.clone());
            Packet(&layers).serialize(&mut serializer)?;
            array.end_array_value(buffer)?;
        } else {
            let mut serializer = serde_json::Serializer::new(&mut *buffer);
            let mut map = serializer.serialize_map(None)?;
            map.serialize_entry("frame", &shown.view.number)?;
            map.serialize_entry("layers", &layers)?;
            map.end()?;
            buffer.push(b'\n');
        }
        out.write_all(buffer)
    }

    fn end(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let Some(array) = &mut self.array else { return Ok(()) };
        array.end_array(out)?;
        writeln!(out)
    }
}

/// A frame as an element of the array.
struct Packet<'a>(&'a Layers<'a>);

impl Serialize for Packet<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        struct Source<'a>(&'a Layers<'a>);
        impl Serialize for Source<'_> {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_map([("layers", self.0)])
            }
        }
        let mut index = "packets-".to_owned();
        push_date(self.0.shown.view.time, &mut index);
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("_index", &index)?;
        map.serialize_entry("_type", "doc")?;
        map.serialize_entry("_score", &json!(null))?;
        map.serialize_entry("_source", &Source(self.0))?;
        map.end()
    }
}

/// A frame's fields: those of the columns, or all of them.
struct Layers<'a> {
    columns: &'a [Column],
    time: TimeColumn,
    raw: Raw,
    opened: &'a Opened,
    shown: &'a Shown<'a>,
    /// For each node, the index of the first node after its subtree.
    ends: Vec<usize>,
}

/// Returns, for each node, the index of the first node after its subtree.
pub(super) fn ends(tree: &Tree) -> Vec<usize> {
    let nodes = &tree.nodes;
    let mut ends = vec![nodes.len(); nodes.len()];
    for (index, node) in nodes.iter().enumerate().rev() {
        let mut end = index + 1;
        while nodes.get(end).is_some_and(|below| below.depth > node.depth) {
            end = ends.get(end).copied().unwrap_or(nodes.len());
        }
        if let Some(place) = ends.get_mut(index) {
            *place = end;
        }
    }
    ends
}

impl Serialize for Layers<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        if self.columns.is_empty() {
            self.siblings(0..self.ends.len(), &mut map)?;
        }
        entries(self.columns, self.shown, self.time, str::to_owned, &mut map)?;
        map.end()
    }
}

/// Writes the values of those columns that the frame has, each under its name.
fn entries<M: SerializeMap>(
    columns: &[Column],
    shown: &Shown<'_>,
    time: TimeColumn,
    name: impl Fn(&str) -> String,
    map: &mut M,
) -> Result<(), M::Error> {
    let mut scratch = String::new();
    for column in columns {
        let mut values = Vec::new();
        column.values(shown, time, &mut scratch, |it| values.push(it.to_owned()));
        if !values.is_empty() {
            map.serialize_entry(&name(&column.name), &values)?;
        }
    }
    Ok(())
}

/// A name of two parts.
struct Name(&'static str, &'static str);

impl Serialize for Name {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{}{}", self.0, self.1))
    }
}

impl Layers<'_> {
    fn node(&self, index: usize) -> Option<&Node> {
        self.shown.view.tree.nodes.get(index)
    }

    fn end_of(&self, index: usize) -> usize {
        self.ends.get(index).copied().unwrap_or(usize::MAX)
    }

    /// Returns this node, and its siblings of the same field that follow it directly.
    fn like(&self, first: usize, end: usize) -> impl Iterator<Item = usize> {
        let field = self.node(first).map(|node| node.field);
        let all = successors(Some(first), |index| Some(self.end_of(*index)));
        all.take_while(move |index| *index < end)
            .filter(move |index| self.node(*index).map(|node| node.field) == field)
    }

    /// Writes the sibling nodes of a range, those of one field together.
    fn siblings<M: SerializeMap>(&self, range: Range<usize>, map: &mut M) -> Result<(), M::Error> {
        let side_by_side = |end: usize| {
            successors(Some(range.start), |index| Some(self.end_of(*index)))
                .take_while(move |index| *index < end)
        };
        for index in side_by_side(range.end) {
            let Some(node) = self.node(index) else { return Ok(()) };
            let same = |other: usize| self.node(other).is_some_and(|it| it.field == node.field);
            if !side_by_side(index).any(same) {
                self.group(index, range.end, map)?;
            }
        }
        Ok(())
    }

    /// Writes every node of one field: bytes, values and children, each as an array if there are several.
    fn group<M: SerializeMap>(
        &self,
        first: usize,
        end: usize,
        map: &mut M,
    ) -> Result<(), M::Error> {
        let Some(node) = self.node(first) else { return Ok(()) };
        let (name, valued) = (node.field.name, node.value != Value::None);
        let placed = |index| self.node(index).is_some_and(|node| node.location.length > 0);
        let parents = self.like(first, end).any(|index| self.end_of(index) > index + 1);
        let values = |part| Values { layers: self, first, end, part };
        if self.raw != Raw::No && self.like(first, end).any(placed) {
            map.serialize_entry(&Name(name, "_raw"), &values(Part::Raw))?;
        }
        if (valued || !parents) && self.raw != Raw::Alone {
            map.serialize_entry(name, &values(Part::Value))?;
        }
        if parents {
            let suffix = if valued { "_tree" } else { "" };
            map.serialize_entry(&Name(name, suffix), &values(Part::Children))?;
        }
        Ok(())
    }
}

/// The part of a node that is written.
#[derive(Debug, Clone, Copy)]
enum Part {
    /// Bytes, offset, mask and type, as `tshark -T json -x` writes them.
    Raw,
    Value,
    Children,
}

/// A part of each node of one field: alone, or as an array if there are several.
struct Values<'a> {
    layers: &'a Layers<'a>,
    first: usize,
    end: usize,
    part: Part,
}

impl Serialize for Values<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { layers, first, end, part } = *self;
        let all = || layers.like(first, end).map(|index| One { layers, index, part });
        match all().nth(1) {
            Some(_) => serializer.collect_seq(all()),
            None => One { layers, index: first, part }.serialize(serializer),
        }
    }
}

struct One<'a> {
    layers: &'a Layers<'a>,
    index: usize,
    part: Part,
}

impl Serialize for One<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (layers, tree) = (self.layers, &self.layers.shown.view.tree);
        let node = layers.node(self.index).ok_or_else(|| S::Error::custom("no such node"))?;
        let mut text = String::new();
        match (self.part, &node.value) {
            (Part::Children, _) => {
                let mut map = serializer.serialize_map(None)?;
                if !layers.opened.opens(node) {
                    map.serialize_entry("filtered", node.field.name)?;
                    return map.end();
                }
                layers.siblings(self.index + 1..layers.end_of(self.index), &mut map)?;
                return map.end();
            }
            (Part::Raw, value) => {
                let location = &node.location;
                match value {
                    Value::Unsigned(number) if location.bits > 0 => text = format!("{number:X}"),
                    _ => push_hexadecimal(tree.node_bytes(node), "", &mut text),
                }
                let behind = u64::from(location.length) * 8;
                let behind =
                    behind.saturating_sub(u64::from(location.first_bit) + u64::from(location.bits));
                let ones = (1_u64 << location.bits.min(63)) - 1;
                let mask = ones.checked_shl(behind as u32).unwrap_or(0);
                let kind = type_number(node.field.kind);
                return (text, location.offset, location.length, mask, kind).serialize(serializer);
            }
            (Part::Value, Value::Bytes { .. }) => {
                push_hexadecimal(tree.value_bytes(&node.value), ":", &mut text);
            }
            (Part::Value, Value::None) => {}
            (Part::Value, _) => push_value(tree, node, &mut text),
        }
        serializer.serialize_str(&text)
    }
}

// `-T ek`: two lines per frame, for a search index.

/// `-T ek`.
#[derive(Debug)]
pub(super) struct Ek {
    pub(super) columns: Vec<Column>,
    pub(super) time: TimeColumn,
    pub(super) opened: Opened,
    /// Whether the bytes of every value are also written.
    pub(super) raw: bool,
}

impl Output for Ek {
    fn frame(&mut self, shown: &Shown<'_>, out: &mut dyn Write) -> io::Result<()> {
        let (mut index, time) = ("packets-".to_owned(), shown.view.time);
        push_date(time, &mut index);
        writeln!(out, "{}", json!({"index": {"_index": index, "_type": "doc"}}))?;
        let milliseconds = (time.unwrap_or(0) / 1_000_000).to_string();
        write!(out, "{{\"timestamp\":\"{milliseconds}\",\"layers\":")?;
        if self.columns.is_empty() {
            let mut layers = Map::new();
            self.layers(&shown.view.tree, &mut layers);
            write!(out, "{}", Member::Object(layers))?;
        } else {
            let mut serializer = serde_json::Serializer::new(&mut *out);
            let mut map = serializer.serialize_map(None)?;
            entries(&self.columns, shown, self.time, |name| name.replace('.', "_"), &mut map)?;
            map.end()?;
        }
        writeln!(out, "}}")
    }
}

impl Ek {
    /// Adds each layer's fields, flattened with their children.
    fn layers(&self, tree: &Tree, layers: &mut Map<String, Member>) {
        let mut layer = (String::new(), Map::new());
        for (_, node) in self.opened.shown(tree) {
            let name = node.field.name.replace('.', "_");
            let bytes = || {
                let mut text = String::new();
                push_hexadecimal(tree.node_bytes(node), "", &mut text);
                json!(text)
            };
            if node.depth == 0 {
                let (name, fields) = std::mem::replace(&mut layer, (name, Map::new()));
                add(layers, name, Member::Object(fields));
                if self.raw {
                    add(layers, format!("{}_raw", layer.0), bytes());
                }
                if !self.opened.opens(node) {
                    add(&mut layer.1, "filtered".to_owned(), json!(node.field.name));
                }
                continue;
            }
            let mut text = String::new();
            let value = match (&node.value, node.field.kind) {
                (Value::None, _) => Member::Null,
                (Value::Unsigned(number), Kind::Boolean) => json!(*number != 0),
                (Value::Time(time), Kind::AbsoluteTime) => json!(iso8601(*time)),
                (Value::Bytes { .. }, _) => {
                    push_hexadecimal(tree.value_bytes(&node.value), ":", &mut text);
                    json!(text)
                }
                _ => {
                    push_value(tree, node, &mut text);
                    json!(text)
                }
            };
            let name = format!("{}_{name}", layer.0);
            if self.raw && node.location.length > 0 {
                add(&mut layer.1, format!("{name}_raw"), bytes());
            }
            add(&mut layer.1, name, value);
        }
        add(layers, layer.0, Member::Object(layer.1));
    }
}

/// Adds a member; several with one name become an array.
fn add(map: &mut Map<String, Member>, name: String, value: Member) {
    if name.is_empty() {
        return;
    }
    match map.get_mut(&name) {
        None => _ = map.insert(name, value),
        Some(Member::Array(values)) => values.push(value),
        Some(first) => *first = Member::Array(vec![first.take(), value]),
    }
}

/// Returns Wireshark's number of a type.
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
