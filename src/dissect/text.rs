//! `-T text`: a line a frame, its tree, its bytes.

use super::hex::push_sources;
use super::output::{Output, Shown};
use super::time::TimeColumn;
use super::tree::push_tree;
use owo_colors::OwoColorize as _;
use std::fmt::Write as _;
use std::io::{self, Write};
use warpscope_dissector::format::push_shown;

/// Which parts of a frame are printed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Parts {
    pub(super) line: bool,
    pub(super) tree: bool,
    pub(super) bytes: bool,
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
    /// An output of these parts.
    pub(super) fn new(parts: Parts, time: TimeColumn, coloured: bool) -> Self {
        Self { parts, time, coloured, buffer: String::new() }
    }
}

impl Output for Text {
    fn frame(&mut self, shown: &Shown<'_>, out: &mut dyn Write) -> io::Result<()> {
        let buffer = &mut self.buffer;
        buffer.clear();
        if self.parts.line {
            push_line(shown, self.time, buffer);
            if self.coloured && shown.view.line.alarm {
                let line = std::mem::take(buffer);
                let _ = write!(buffer, "{}", line.red());
                buffer.push('\n');
            } else {
                buffer.push('\n');
            }
        }
        if self.parts.tree {
            push_tree(&shown.view.tree, self.coloured, buffer);
            buffer.push('\n');
        }
        if self.parts.bytes {
            if self.parts.line && !self.parts.tree {
                buffer.push('\n');
            }
            push_sources(&shown.view.tree, buffer);
            buffer.push('\n');
        }
        out.write_all(buffer.as_bytes())
    }
}

/// Appends number, time, addresses, protocol, length and summary, aligned as tshark aligns them.
fn push_line(shown: &Shown<'_>, time: TimeColumn, out: &mut String) {
    let (view, line) = (shown.view, &shown.view.line);
    let _ = write!(out, "{:>5} ", view.number);
    let start = out.len();
    time.push(shown, out);
    for _ in out.len() - start..10 {
        out.insert(start, ' ');
    }
    let _ = write!(out, " {:>12} → {:<12} ", line.source, line.destination);
    let _ = write!(out, "{} {} ", line.protocol, view.length);
    push_shown(&line.info, out);
}
