//! The messages view: the rows, the tree and the bytes of the chosen one.

use super::canvas::Canvas;
use super::columns::{column, cut};
use super::table::{Column, Table};
use super::{bytes, tree};
use crate::format::seconds;
use crate::look::Tone;
use crate::state::index::{Entry, Flags};
use crate::state::{MessageColumn, Pane, State};
use ratatui::layout::Rect;
use warpscope_dissector::format::span;

/// Draws the messages.
pub(super) fn draw(state: &State, canvas: &mut Canvas<'_>, body: Rect) {
    let view = &state.messages;
    let panes = crate::layout::messages(body, view.detail);
    let shown: Vec<MessageColumn> = view.columns.shown().collect();
    let columns: Vec<Column> = view.columns.choices().map(column).collect();
    let pane = state.active_pane();
    let table = Table {
        area: panes.list,
        columns: &columns,
        cursor: view.cursor,
        count: view.rows.len(),
        has_keys: pane == Pane::List,
        sort: None,
    };
    let first_time = state.capture.frames.first_time();
    table.draw(canvas, |canvas, row, cell| {
        let Some(frame) = view.rows.frame(row) else { return };
        let Some(entry) = state.capture.frames.find(frame) else { return };
        let Some(column) = shown.get(cell.column) else { return };
        let known = view.lines.get(&frame);
        let line = known.map(|known| &known.line);
        let tone = tone(state, frame, entry);
        match column {
            MessageColumn::Frame => cell.write(canvas, &frame.to_string(), Tone::Dim),
            MessageColumn::Time => {
                cell.write(canvas, &seconds(entry.time(), first_time), Tone::Dim);
            }
            MessageColumn::Delta => {
                let before = row.checked_sub(1).and_then(|row| view.rows.frame(row));
                let before = before.and_then(|frame| state.capture.frames.find(frame)?.time());
                let since = entry.time().zip(before).map(|(now, then)| now.saturating_sub(then));
                let text = since.map(|since| span(Some(since))).unwrap_or_default();
                cell.write(canvas, &text, Tone::Dim);
            }
            MessageColumn::Flow => {
                let flow = entry.flow().map(|flow| flow.to_string()).unwrap_or_default();
                cell.write(canvas, &flow, Tone::Dim);
            }
            MessageColumn::Way => cell.write(canvas, way(state, entry), tone),
            MessageColumn::Length => cell.write(canvas, &entry.length.to_string(), Tone::Dim),
            MessageColumn::Source => {
                cell.write(canvas, line.map_or("", |line| &line.source), Tone::Plain);
            }
            MessageColumn::Destination => {
                cell.write(canvas, line.map_or("", |line| &line.destination), Tone::Plain);
            }
            MessageColumn::Protocol => {
                cell.write(canvas, line.map_or("", |line| line.protocol), tone)
            }
            MessageColumn::Info => match line {
                Some(line) => {
                    let text = skipped(&line.info, view.shift);
                    let tone = if line.alarm && tone == Tone::Plain { Tone::Warn } else { tone };
                    cell.write(canvas, text, tone);
                }
                None => cell.write(canvas, "…", Tone::Dim),
            },
            MessageColumn::Field(field) => {
                let value = known.and_then(|known| known.value(field)).unwrap_or("");
                cell.write(canvas, &cut(value, cell.width), tone);
            }
        }
    });
    if view.detail {
        tree::draw(state, canvas, panes.tree, pane == Pane::Tree);
        bytes::draw(state, canvas, panes.bytes, pane == Pane::Bytes);
    }
}

/// What a row means.
fn tone(state: &State, frame: u32, entry: &Entry) -> Tone {
    if state.capture.found_frames.contains(&frame)
        || entry.flags.any(Flags::TERMINATE | Flags::WRONG)
    {
        Tone::Bad
    } else if entry.flags.any(Flags::SKIPPED | Flags::REPEATED) {
        Tone::Warn
    } else if entry.flags.any(Flags::SETUP) {
        Tone::Setup
    } else if entry.flags.any(Flags::RPC) {
        Tone::Call
    } else if entry.flags.any(Flags::IWARP) {
        Tone::Plain
    } else {
        Tone::Dim
    }
}

/// From the initiator or to it, where the flow is known.
fn way(state: &State, entry: &Entry) -> &'static str {
    if !entry.flags.any(Flags::IWARP | Flags::MESSAGE) {
        return "";
    }
    let first = entry.flow().and_then(|flow| state.capture.flow(flow));
    let first = first.map_or(0, |row| row.flow.first_side().index());
    let side = usize::from(entry.flags.any(Flags::SECOND));
    if side == first { "→" } else { "←" }
}

/// A text without its first characters.
fn skipped(text: &str, characters: usize) -> &str {
    let start = text.char_indices().nth(characters).map_or(text.len(), |(at, _)| at);
    text.get(start..).unwrap_or("")
}
