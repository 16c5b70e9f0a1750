//! What `-e` can name: a field, or a column of the list of frames.

use super::output::Shown;
use super::time::TimeColumn;
use crate::fields::named;
use anyhow::{Result, bail};
use std::fmt::Write as _;
use warpscope_dissector::field::Field;
use warpscope_dissector::format::escape_from;
use warpscope_dissector::tree::{Node, Tree, Value};

const LIST_PREFIX: &str = "_ws.col.";

/// A column of the list of frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ListColumn {
    Number,
    Time,
    Source,
    Destination,
    Protocol,
    Length,
    Info,
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    Field(&'static Field),
    List(ListColumn),
}

/// What one `-e` names.
#[derive(Debug)]
pub(super) struct Column {
    pub(super) name: String,
    kind: Kind,
}

impl Column {
    /// The column of that name.
    ///
    /// # Errors
    /// When there is none; the message names the nearest.
    pub(super) fn new(name: &str) -> Result<Self> {
        let kind = match name.strip_prefix(LIST_PREFIX) {
            None => Kind::Field(named(name)?),
            Some(column) => match list_column(column) {
                Some(column) => Kind::List(column),
                None => bail!(
                    "-e {name}: no such column; there are {LIST_PREFIX}No., .Time, .Source, \
                     .Destination, .Protocol, .Length and .Info"
                ),
            },
        };
        Ok(Self { name: name.to_owned(), kind })
    }

    /// True when the frame's line is needed.
    pub(super) fn needs_line(&self) -> bool {
        matches!(self.kind, Kind::List(_))
    }

    /// True when the frame's tree is needed.
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
                for node in tree.nodes.iter().filter(|node| std::ptr::eq(node.field, field)) {
                    scratch.clear();
                    push_value(tree, node, scratch);
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

fn list_column(name: &str) -> Option<ListColumn> {
    let column = match name.to_ascii_lowercase().as_str() {
        "no." | "number" => ListColumn::Number,
        "time" | "cls_time" => ListColumn::Time,
        "source" | "def_src" => ListColumn::Source,
        "destination" | "def_dst" => ListColumn::Destination,
        "protocol" => ListColumn::Protocol,
        "length" | "packet_length" => ListColumn::Length,
        "info" => ListColumn::Info,
        _ => return None,
    };
    Some(column)
}

fn push_list_column(column: ListColumn, shown: &Shown<'_>, time: TimeColumn, out: &mut String) {
    let view = shown.view;
    match column {
        ListColumn::Number => {
            let _ = write!(out, "{}", view.number);
        }
        ListColumn::Time => time.push(shown, out),
        ListColumn::Source => out.push_str(&view.line.source),
        ListColumn::Destination => out.push_str(&view.line.destination),
        ListColumn::Protocol => out.push_str(view.line.protocol),
        ListColumn::Length => {
            let _ = write!(out, "{}", view.length);
        }
        ListColumn::Info => out.push_str(&view.line.info),
    }
}
