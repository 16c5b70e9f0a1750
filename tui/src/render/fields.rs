//! The fields view: what filters know.

use super::canvas::Canvas;
use super::table::{Column, Table, left};
use super::text;
use crate::format::wrap;
use crate::layout;
use crate::look::Tone;
use crate::state::{State, TextLine, View, piece};
use ratatui::layout::Rect;
use warpscope_dissector::field::{Display, Kind};

const COLUMNS: [Column; 3] = [left("name", 38, 0), left("type", 12, 1), left("label", 20, 0)];

/// Draws the fields.
pub(super) fn draw(state: &State, canvas: &mut Canvas<'_>, body: Rect) {
    let areas = layout::parts(View::Fields, body);
    let view = &state.fields;
    let table = Table {
        area: areas.list,
        columns: &COLUMNS,
        cursor: view.cursor,
        count: view.fields.len(),
        has_keys: true,
        sort: None,
    };
    table.draw(canvas, |canvas, row, cell| {
        let Some(field) = view.fields.get(row) else { return };
        match cell.column {
            0 => cell.write(canvas, field.name, Tone::Accent),
            1 => cell.write(canvas, &kind(field.kind), Tone::Dim),
            _ => cell.write(canvas, field.label, Tone::Plain),
        }
    });
    let chosen = view.chosen();
    canvas.head(areas.detail, chosen.map_or("", |field| field.name), false);
    let Some(field) = chosen else { return };
    let below = text::below_head(areas.detail);
    let columns = usize::from(below.width.saturating_sub(2)).min(110);
    let mut lines: Vec<TextLine> =
        wrap(field.doc, columns).into_iter().map(|line| vec![piece(Tone::Plain, line)]).collect();
    if let Display::Named(names) | Display::NamedHexadecimal(names) = field.display {
        let names: Vec<String> =
            names.iter().take(64).map(|(number, name)| format!("{number} {name}")).collect();
        let values = wrap(&names.join(", "), columns);
        lines.extend(values.into_iter().map(|line| vec![piece(Tone::Dim, line)]));
    }
    text::draw(canvas, below, &lines, 0);
}

fn kind(kind: Kind) -> String {
    match kind {
        Kind::Protocol => "protocol".to_owned(),
        Kind::Heading => "heading".to_owned(),
        Kind::Boolean => "yes or no".to_owned(),
        Kind::Unsigned(bits) => format!("{bits} bits"),
        Kind::FrameNumber => "frame".to_owned(),
        Kind::Bytes => "bytes".to_owned(),
        Kind::Ipv4 => "IPv4".to_owned(),
        Kind::Ipv6 => "IPv6".to_owned(),
        Kind::Ethernet => "Ethernet".to_owned(),
        Kind::Text => "text".to_owned(),
        Kind::AbsoluteTime => "time".to_owned(),
        Kind::RelativeTime => "duration".to_owned(),
    }
}
