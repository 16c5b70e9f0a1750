//! `-T text`: one line per frame, its tree, its bytes.

use super::run::{Output, Shown};
use super::select::Layers;
use crate::cli::{SecondsFormat, TimeFormat};
use crate::fields::named;
use anyhow::{Result, bail};
use chrono::{DateTime, Local, Utc};
use owo_colors::OwoColorize as _;
use std::fmt::Write as _;
use std::io::{self, Write};
use warpscope_dissector::field::{Field, Kind as FieldKind};
use warpscope_dissector::format::push_node;
use warpscope_dissector::tree::{Node, SourceId, Tree, Value};
use warpscope_text::{
    counted, escape_from, push_escaped, push_fraction, push_hexadecimal, push_seconds,
};

#[derive(Debug, Clone)]
pub(super) struct Parts {
    pub(super) line: bool,
    /// Whether tabs separate the columns of the line (`-T tabs`).
    pub(super) tabs: bool,
    pub(super) tree: bool,
    /// The layers of the tree that are expanded.
    pub(super) layers: Layers,
    pub(super) bytes: bool,
    /// The separator after each frame's tree or bytes (`-S`); an empty line if there is none.
    pub(super) separator: Option<String>,
}

/// `-T text`.
#[derive(Debug)]
pub(super) struct Text {
    parts: Parts,
    time: TimeColumn,
    coloured: bool,
    buffer: String,
}

impl Text {
    pub(super) fn new(parts: Parts, time: TimeColumn, coloured: bool) -> Self {
        Self { parts, time, coloured, buffer: String::new() }
    }
}

impl Output for Text {
    fn frame(&mut self, shown: &Shown<'_>, out: &mut dyn Write) -> io::Result<()> {
        let buffer = &mut self.buffer;
        buffer.clear();
        if self.parts.line {
            push_line(shown, self.time, self.parts.tabs, buffer);
            if self.coloured && shown.view.line.alarm {
                *buffer = buffer.red().to_string();
            }
            buffer.push('\n');
        }
        if self.parts.tree {
            push_tree(&shown.view.tree, &self.parts.layers, self.coloured, buffer);
            buffer.push('\n');
        }
        if self.parts.bytes {
            if self.parts.line && !self.parts.tree {
                buffer.push('\n');
            }
            push_sources(&shown.view.tree, buffer);
            buffer.push('\n');
        }
        if let Some(separator) = &self.parts.separator
            && (self.parts.tree || self.parts.bytes)
        {
            buffer.truncate(buffer.trim_end_matches('\n').len() + 1);
            buffer.push_str(separator);
            buffer.push('\n');
        }
        out.write_all(buffer.as_bytes())
    }
}

/// Appends number, time, addresses, protocol, length and summary, aligned as tshark aligns them.
fn push_line(shown: &Shown<'_>, time: TimeColumn, tabs: bool, out: &mut String) {
    let (view, line) = (shown.view, &shown.view.line);
    let gap = if tabs { '\t' } else { ' ' };
    let _ = write!(out, "{:>5}{gap}", view.number);
    let start = out.len();
    time.push(shown, out);
    for _ in out.len() - start..10 {
        out.insert(start, ' ');
    }
    let _ = write!(out, "{gap}{:>12}{gap}→{gap}{:<12}{gap}", line.source, line.destination);
    let _ = write!(out, "{}{gap}{}{gap}", line.protocol, view.length);
    push_escaped(&line.info, out);
}

// The columns that `-e` can name: a field, or a column of the list of frames.

const LIST_PREFIX: &str = "_ws.col.";

/// A column of the list of frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::EnumString)]
#[strum(ascii_case_insensitive)]
enum ListColumn {
    #[strum(serialize = "no.", serialize = "number")]
    Number,
    #[strum(serialize = "time", serialize = "cls_time")]
    Time,
    #[strum(serialize = "source", serialize = "def_src")]
    Source,
    #[strum(serialize = "destination", serialize = "def_dst")]
    Destination,
    Protocol,
    #[strum(serialize = "length", serialize = "packet_length")]
    Length,
    Info,
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    Field(&'static Field),
    List(ListColumn),
}

#[derive(Debug)]
pub(super) struct Column {
    pub(super) name: String,
    kind: Kind,
}

impl Column {
    /// Returns the column with that name.
    pub(super) fn new(name: &str) -> Result<Self> {
        let kind = match name.strip_prefix(LIST_PREFIX) {
            None => Kind::Field(named(name)?),
            Some(column) => match column.parse() {
                Ok(column) => Kind::List(column),
                Err(_) => bail!(
                    "-e {name}: no such column; the columns are {LIST_PREFIX}No., .Time, .Source, \
                     .Destination, .Protocol, .Length and .Info"
                ),
            },
        };
        Ok(Self { name: name.to_owned(), kind })
    }

    /// Returns the columns of the list of frames.
    pub(super) fn of_list() -> Vec<Self> {
        let list = ["No.", "Time", "Source", "Destination", "Protocol", "Length", "Info"];
        list.iter().filter_map(|name| Self::new(&format!("{LIST_PREFIX}{name}")).ok()).collect()
    }

    /// Returns its name as a heading.
    pub(super) fn heading(&self) -> &str {
        self.name.strip_prefix(LIST_PREFIX).unwrap_or(&self.name)
    }

    pub(super) fn needs_line(&self) -> bool {
        matches!(self.kind, Kind::List(_))
    }

    pub(super) fn needs_tree(&self) -> bool {
        matches!(self.kind, Kind::Field(_))
    }

    /// Calls `each` with every value of the column in the frame; `scratch` is overwritten.
    pub(super) fn values(
        &self,
        shown: &Shown<'_>,
        time: TimeColumn,
        scratch: &mut String,
        mut each: impl FnMut(&str),
    ) {
        match self.kind {
            Kind::Field(field) => {
                let tree = &shown.view.tree;
                for node in tree.nodes.iter().filter(|node| node.field == field) {
                    scratch.clear();
                    match field.kind {
                        FieldKind::Protocol => push_node(tree, node, scratch),
                        _ => push_value(tree, node, scratch),
                    }
                    each(scratch);
                }
            }
            Kind::List(column) => {
                scratch.clear();
                push_list_column(column, shown, time, scratch);
                escape_from(scratch, 0);
                each(scratch);
            }
        }
    }
}

/// Appends a node's value as `-e` prints it, without control characters.
pub(super) fn push_value(tree: &Tree, node: &Node, out: &mut String) {
    let start = out.len();
    tree.value_text(node, out);
    if matches!(node.value, Value::Text(_)) {
        escape_from(out, start);
    }
}

fn push_list_column(column: ListColumn, shown: &Shown<'_>, time: TimeColumn, out: &mut String) {
    let view = shown.view;
    match column {
        ListColumn::Number => out.push_str(&view.number.to_string()),
        ListColumn::Time => time.push(shown, out),
        ListColumn::Source => out.push_str(&view.line.source),
        ListColumn::Destination => out.push_str(&view.line.destination),
        ListColumn::Protocol => out.push_str(view.line.protocol),
        ListColumn::Length => out.push_str(&view.length.to_string()),
        ListColumn::Info => out.push_str(&view.line.info),
    }
}

// `-x`: bytes as hexadecimal digits and characters, as tshark lays them out.

/// Bytes in a row.
const ROW: usize = 16;

/// Appends the bytes of every source; each has a heading if there are several.
pub(super) fn push_sources(tree: &Tree, out: &mut String) {
    let several = tree.sources.len() > 1;
    for (index, source) in tree.sources.iter().enumerate() {
        let bytes = tree.source_bytes(SourceId(index as u16));
        if several {
            let _ = writeln!(out, "{} ({}):", source.name, counted(bytes.len() as u64, "byte"));
        }
        push_bytes(bytes, out);
    }
}

fn push_bytes(bytes: &[u8], out: &mut String) {
    // The offset has four digits, or as many as the last one needs.
    let digits = format!("{:x}", bytes.len().saturating_sub(1)).len().max(4);
    for (row, bytes) in bytes.chunks(ROW).enumerate() {
        let _ = write!(out, "{:0digits$x} ", row * ROW);
        out.push(' ');
        push_hexadecimal(bytes, " ", out);
        for _ in bytes.len()..ROW {
            out.push_str("   ");
        }
        out.push_str("   ");
        out.extend(bytes.iter().map(|byte| match byte {
            0x20..=0x7e => char::from(*byte),
            _ => '.',
        }));
        out.push('\n');
    }
}

// The time column.

/// How the time column is printed.
#[derive(Debug, Clone, Copy)]
pub(super) struct TimeColumn {
    pub(super) format: TimeFormat,
    /// The format of time spans.
    pub(super) seconds: SecondsFormat,
}

impl TimeColumn {
    /// Appends a frame's time; nothing if the capture has no time.
    pub(super) fn push(self, shown: &Shown<'_>, out: &mut String) {
        let Some(time) = shown.view.time else { return };
        let context = &shown.view.context;
        let since = |earlier: Option<i64>| time.saturating_sub(earlier.unwrap_or(time));
        let digits = shown.time_digits;
        match self.format {
            TimeFormat::R => self.span(since(context.first_time), digits, out),
            TimeFormat::D => self.span(since(context.previous_time), digits, out),
            TimeFormat::Dd => self.span(since(context.previous_displayed_time), digits, out),
            TimeFormat::E => push_seconds(time, digits, out),
            _ => self.clock(time, digits, out),
        }
    }

    /// Appends a span as seconds, or as hours, minutes and seconds if it is long enough.
    fn span(self, time: i64, digits: u8, out: &mut String) {
        if self.seconds == SecondsFormat::S {
            return push_seconds(time, digits, out);
        }
        let whole = time.unsigned_abs() / 1_000_000_000;
        let (hours, minutes) = (whole / 3600, whole / 60 % 60);
        let sign = if time < 0 { "-" } else { "" };
        let _ = match (hours, minutes) {
            (0, 0) => write!(out, "{sign}{}", whole % 60),
            (0, _) => write!(out, "{sign}{minutes}m {:2}", whole % 60),
            _ => write!(out, "{sign}{hours}h {minutes:2}m {:2}", whole % 60),
        };
        push_fraction(time.unsigned_abs() % 1_000_000_000, digits, out);
        out.push('s');
    }

    fn clock(self, time: i64, digits: u8, out: &mut String) {
        let utc = DateTime::<Utc>::from_timestamp_nanos(time);
        let pattern = match self.format {
            TimeFormat::Ad | TimeFormat::Ud => "%Y-%m-%d %H:%M:%S",
            TimeFormat::Adoy | TimeFormat::Udoy => "%Y/%j %H:%M:%S",
            _ => "%H:%M:%S",
        };
        let _ = match self.format {
            TimeFormat::U | TimeFormat::Ud | TimeFormat::Udoy => {
                write!(out, "{}", utc.format(pattern))
            }
            _ => write!(out, "{}", utc.with_timezone(&Local).format(pattern)),
        };
        push_fraction(time.rem_euclid(1_000_000_000).unsigned_abs(), digits, out);
    }
}

/// Appends the local date of a time, as in the name of a tshark index.
pub(super) fn push_date(time: Option<i64>, out: &mut String) {
    let local = DateTime::<Utc>::from_timestamp_nanos(time.unwrap_or(0)).with_timezone(&Local);
    let _ = write!(out, "{}", local.format("%Y-%m-%d"));
}

/// Formats a time in UTC, as in ISO 8601.
pub(super) fn iso8601(time: i64) -> String {
    DateTime::<Utc>::from_timestamp_nanos(time).format("%Y-%m-%dT%H:%M:%S%.9fZ").to_string()
}

// `-V`: a frame's tree, one indented line per node.

pub(super) fn push_tree(tree: &Tree, layers: &Layers, coloured: bool, out: &mut String) {
    let shown = layers.shown(tree).map(|(_, node)| node);
    for node in shown.filter(|node| !node.field.is_alias()) {
        for _ in 0..node.depth {
            out.push_str("    ");
        }
        let start = out.len();
        push_node(tree, node, out);
        if coloured && node.depth == 0 {
            let layer = out.split_off(start);
            let _ = write!(out, "{}", layer.bold());
        }
        out.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_have_headings_when_there_are_several() {
        let mut tree = Tree::default();
        tree.add_source("Frame", b"0123456789abcdef\x00\x7f~");
        let mut out = String::new();
        push_sources(&tree, &mut out);
        let alone = "0000  30 31 32 33 34 35 36 37 38 39 61 62 63 64 65 66   0123456789abcdef\n\
                     0010  00 7f 7e                                          ..~\n";
        assert_eq!(out, alone);
        tree.add_source("Reassembled Send", b"x");
        out.clear();
        push_sources(&tree, &mut out);
        assert!(out.starts_with("Frame (19 bytes):\n0000  30"), "{out}");
        assert!(out.contains("~\nReassembled Send (1 byte):\n0000  78      "), "{out}");
    }

    #[test]
    fn offsets_grow_with_the_source() {
        let mut out = String::new();
        push_bytes(&vec![0; 0x1_0001], &mut out);
        assert!(out.starts_with("00000  00"), "{}", &out[..20]);
        assert!(out.lines().last().unwrap().starts_with("10000  00 "));
    }
}
