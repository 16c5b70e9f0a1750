//! `-T pdml` and `-T psml`: a frame's tree, and its line, as tshark's XML.

use super::json::ends;
use super::run::{Output, Shown};
use super::select::Layers;
use super::text::{Column, TimeColumn, push_value};
use std::fmt::Write as _;
use std::io::{self, Write};
use warpscope_dissector::format::push_node;
use warpscope_dissector::tree::{Node, SourceId, Tree, Value};
use warpscope_text::{markup, push_hexadecimal};

const HEAD: &str = "<?xml version=\"1.0\" encoding=\"utf-8\"?>";
const CREATOR: &str = concat!("warpscope/", env!("CARGO_PKG_VERSION"));

/// `-T pdml`.
#[derive(Debug)]
pub(super) struct Pdml {
    pub(super) columns: Vec<Column>,
    pub(super) time: TimeColumn,
    pub(super) layers: Layers,
    pub(super) capture: String,
}

impl Output for Pdml {
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let file = markup(&self.capture);
        writeln!(out, "{HEAD}\n<pdml version=\"0\" creator=\"{CREATOR}\" capture_file=\"{file}\">")
    }

    fn frame(&mut self, shown: &Shown<'_>, out: &mut dyn Write) -> io::Result<()> {
        let tree = &shown.view.tree;
        let mut text = String::from("<packet>\n");
        general(shown, &mut text);
        let mut scratch = String::new();
        for column in &self.columns {
            column.values(shown, self.time, &mut scratch, |value| {
                let (name, value) = (markup(&column.name), markup(value));
                let _ = writeln!(text, "  <field name=\"{name}\" value=\"{value}\"/>");
            });
        }
        if self.columns.is_empty() {
            self.tree(tree, &mut text);
        }
        text.push_str("</packet>\n\n");
        out.write_all(text.as_bytes())
    }

    fn end(&mut self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "</pdml>")
    }
}

impl Pdml {
    fn tree(&self, tree: &Tree, text: &mut String) {
        let ends = ends(tree);
        let mut open: Vec<(usize, &str)> = Vec::new();
        let close = |open: &mut Vec<(usize, &str)>, before: usize, text: &mut String| {
            while let Some((_, tag)) = open.pop_if(|(end, _)| *end <= before) {
                let _ = writeln!(text, "{}</{tag}>", "  ".repeat(open.len() + 1));
            }
        };
        for (index, node) in self.layers.shown(tree) {
            close(&mut open, index, text);
            let tag = if node.depth == 0 { "proto" } else { "field" };
            let (indent, name) = ("  ".repeat(open.len() + 1), node.field.name);
            let _ = write!(text, "{indent}<{tag} name=\"{name}\"");
            attributes(tree, node, text);
            let end = ends.get(index).copied().unwrap_or(usize::MAX);
            if end == index + 1 && node.depth > 0 {
                text.push_str("/>\n");
                continue;
            }
            text.push_str(">\n");
            if !self.layers.opens(node) {
                let _ = writeln!(text, "{indent}  <field name=\"filtered\" value=\"{name}\"/>");
            }
            open.push((end, tag));
        }
        close(&mut open, usize::MAX, text);
    }
}

fn attributes(tree: &Tree, node: &Node, text: &mut String) {
    let mut words = String::new();
    push_node(tree, node, &mut words);
    let words = match words.strip_prefix('[').and_then(|it| it.strip_suffix(']')) {
        Some(words) if node.generated => words,
        _ => &words,
    };
    let place = &node.location;
    let _ = write!(text, " showname=\"{}\"", markup(words));
    if node.field.is_alias() {
        text.push_str(" hide=\"yes\"");
    }
    let _ = write!(text, " size=\"{}\" pos=\"{}\"", place.length, place.offset);
    if node.depth == 0 || node.value == Value::None {
        return;
    }
    let mut value = String::new();
    match &node.value {
        Value::Bytes { .. } => push_hexadecimal(tree.value_bytes(&node.value), ":", &mut value),
        _ => push_value(tree, node, &mut value),
    }
    let _ = write!(text, " show=\"{}\"", markup(&value));
    if place.length > 0 {
        let mut bytes = String::new();
        push_hexadecimal(tree.node_bytes(node), "", &mut bytes);
        let _ = match (&node.value, place.bits) {
            (Value::Unsigned(number), 1..) => {
                write!(text, " value=\"{number:X}\" unmaskedvalue=\"{bytes}\"")
            }
            _ => write!(text, " value=\"{bytes}\""),
        };
    }
}

/// Writes the general information with which tshark begins each frame.
fn general(shown: &Shown<'_>, text: &mut String) {
    let (view, tree) = (shown.view, &shown.view.tree);
    let size = tree.source_bytes(SourceId::FRAME).len();
    let of = |name: &str| {
        let mut value = String::new();
        if let Some(node) = tree.nodes.iter().find(|node| node.field.name == name) {
            push_value(tree, node, &mut value);
        }
        value
    };
    let number = |number: u64| (number.to_string(), format!("{number:x}"));
    let _ = writeln!(
        text,
        "  <proto name=\"geninfo\" pos=\"0\" showname=\"General information\" size=\"{size}\">"
    );
    for (name, label, (show, value)) in [
        ("num", "Number", number(view.number)),
        ("len", "Frame Length", number(view.length.into())),
        ("caplen", "Captured Length", number(size as u64)),
        ("timestamp", "Captured Time", (of("frame.time"), of("frame.time_epoch"))),
    ] {
        let _ = writeln!(
            text,
            "    <field name=\"{name}\" pos=\"0\" show=\"{show}\" showname=\"{label}\" \
             value=\"{value}\" size=\"{size}\"/>"
        );
    }
    text.push_str("  </proto>\n");
}

/// `-T psml`.
#[derive(Debug)]
pub(super) struct Psml {
    pub(super) columns: Vec<Column>,
    pub(super) time: TimeColumn,
}

impl Output for Psml {
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{HEAD}\n<psml version=\"0\" creator=\"{CREATOR}\">\n<structure>")?;
        for column in &self.columns {
            writeln!(out, "<section>{}</section>", markup(column.heading()))?;
        }
        writeln!(out, "</structure>\n")
    }

    fn frame(&mut self, shown: &Shown<'_>, out: &mut dyn Write) -> io::Result<()> {
        let (mut text, mut scratch) = (String::from("<packet>\n"), String::new());
        for column in &self.columns {
            column.values(shown, self.time, &mut scratch, |value| {
                let _ = writeln!(text, "<section>{}</section>", markup(value));
            });
        }
        text.push_str("</packet>\n\n");
        out.write_all(text.as_bytes())
    }

    fn end(&mut self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "</psml>")
    }
}
