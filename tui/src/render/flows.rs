//! The flows view: connections, and what is known of the chosen one.

use super::canvas::Canvas;
use super::table::{Column, Table, left, right};
use super::text;
use crate::layout;
use crate::look::Tone;
use crate::state::{FLOW_COLUMNS, FlowColumn, State, View, flow_details};
use ratatui::layout::Rect;
use warpscope_dissector::statistics::End;

/// The columns, in the order of [`FLOW_COLUMNS`].
const COLUMNS: [Column; 14] = [
    right("flow", 4, 0),
    left("initiator", 15, 0),
    left("responder", 15, 0),
    right("start", 11, 7),
    right("duration", 9, 5),
    left("MPA", 7, 6),
    right("messages", 8, 3),
    right("bytes", 7, 4),
    right("in flight", 9, 9),
    right("calls", 6, 8),
    right("skipped", 8, 10),
    left("activity", 10, 2),
    left("end", 19, 1),
    right("findings", 8, 1),
];

/// Draws the flows.
pub(super) fn draw(state: &State, canvas: &mut Canvas<'_>, body: Rect) {
    let areas = layout::parts(View::Flows, body);
    let capture = &state.capture;
    let first_time = capture.frames.first_time();
    let seen = state.flows.order.iter().skip(state.flows.cursor.top).take(areas.list.height.into());
    let seen = seen.filter_map(|row| capture.flows.get(*row as usize));
    let mut columns = COLUMNS;
    for flow in seen {
        for (column, place) in columns
            .iter_mut()
            .zip(FLOW_COLUMNS)
            .filter(|(_, (it, _))| matches!(it, FlowColumn::Initiator | FlowColumn::Responder))
        {
            let width = place.0.text(flow, None).len();
            column.width = column.width.max(u16::try_from(width).unwrap_or(u16::MAX).min(45));
        }
    }
    let table = Table {
        area: areas.list,
        columns: &columns,
        cursor: state.flows.cursor,
        count: state.flows.order.len(),
        has_keys: true,
        sort: state.flows.sort,
    };
    table.draw(canvas, |canvas, row, cell| {
        let index = state.flows.order.get(row).copied().unwrap_or(u32::MAX);
        let Some(flow) = capture.flows.get(index as usize) else { return };
        let Some((column, _)) = FLOW_COLUMNS.get(cell.column) else { return };
        if *column == FlowColumn::Activity {
            let heights = flow.spark.heights(usize::from(cell.width.min(16)));
            let bars: String = heights.iter().map(|it| canvas.look.height(*it)).collect();
            cell.write(canvas, &bars, Tone::Accent);
            return;
        }
        let tone = match column {
            FlowColumn::End => match flow.flow.end() {
                End::Rejected | End::Terminated(_) => Tone::Bad,
                End::Reset(_) | End::HalfClosed(_) => Tone::Warn,
                End::Finished(_) | End::Open => Tone::Plain,
            },
            FlowColumn::Findings if flow.flow.findings.must > 0 => Tone::Bad,
            FlowColumn::Findings | FlowColumn::Skipped => Tone::Warn,
            _ => Tone::Plain,
        };
        cell.write(canvas, &column.text(flow, first_time), tone);
    });
    let chosen = state.flows.chosen().and_then(|row| capture.flows.get(row));
    let name = chosen.map_or(String::new(), |row| format!("flow {}", row.flow.info.number));
    canvas.head(areas.detail, &name, false);
    if let Some(row) = chosen {
        let below = text::below_head(areas.detail);
        let lines = flow_details(row, below.width.saturating_sub(2).into());
        text::draw(canvas, below, &lines, 0);
    }
}
