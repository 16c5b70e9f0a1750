//! The messages view: the rows, the tree and the octets of the chosen one.

use super::canvas::Canvas;
use super::table::{Column, Table, left, right};
use super::{octets, tree};
use crate::look::Tone;
use crate::state::index::{Entry, Flags};
use crate::state::{MESSAGE_COLUMNS, MessageColumn, Pane, State};
use crate::words::seconds;
use ratatui::layout::Rect;
use warpscope_dissector::words::span;

/// The columns, in the order of [`MESSAGE_COLUMNS`].
const COLUMNS: [Column; 10] = [
    right("frame", 7, 0),
    right("seconds", 11, 2),
    right("delta", 9, 4),
    right("flow", 4, 3),
    left("way", 3, 1),
    left("source", 15, 5),
    left("destination", 15, 6),
    left("protocol", 9, 5),
    right("length", 6, 4),
    left("info", 20, 0),
];

/// Draws the messages.
pub(super) fn draw(state: &State, canvas: &mut Canvas<'_>, body: Rect) {
    let view = &state.messages;
    let panes = crate::layout::messages(body, view.detail);
    let shown: Vec<usize> =
        view.columns.iter().enumerate().filter(|(_, shown)| **shown).map(|(at, _)| at).collect();
    let columns: Vec<Column> =
        shown.iter().filter_map(|index| COLUMNS.get(*index).copied()).collect();
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
        let column = shown.get(cell.column).and_then(|index| MESSAGE_COLUMNS.get(*index));
        let Some((column, _, _)) = column else { return };
        let line = view.lines.get(&frame);
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
        }
    });
    if view.detail {
        tree::draw(state, canvas, panes.tree, pane == Pane::Tree);
        octets::draw(state, canvas, panes.octets, pane == Pane::Octets);
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

/// Draws the line in which columns are chosen.
pub(super) fn draw_columns(state: &State, canvas: &mut Canvas<'_>, area: Rect) {
    canvas.lay(area, area.y, canvas.look.bar());
    let mut x = canvas.text(area.x, area.y, area.width, " columns: ", Tone::Heading);
    for (index, (_, name, _)) in MESSAGE_COLUMNS.iter().enumerate() {
        let shown = state.messages.columns.get(index).copied().unwrap_or(false);
        let (mark, tone) = if shown { ("+", Tone::Good) } else { ("-", Tone::Dim) };
        let start = x;
        x = canvas.text(x, area.y, area.right().saturating_sub(x), &format!("{mark}{name}"), tone);
        if index == state.column {
            let place = Rect { x: start, width: x - start, height: 1, ..area };
            canvas.buffer.set_style(place, canvas.look.chosen(true));
        }
        x = canvas.text(x, area.y, area.right().saturating_sub(x), " ", Tone::Plain);
    }
    canvas.text(x, area.y, area.right().saturating_sub(x), " Space shows or hides", Tone::Dim);
}
