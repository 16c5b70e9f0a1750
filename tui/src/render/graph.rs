//! The graph view: bars over time.

use super::frame::Canvas;
use crate::format::nothing;
use crate::layout::PLOT;
use crate::look::Tone;
use crate::state::State;
use ratatui::layout::Rect;
use warpscope_dissector::format::{duration, seconds};

/// Rows below the bars: the axis, and the events of the selected interval.
const BELOW: u16 = 2;

pub(super) fn draw_graph(state: &State, canvas: &mut Canvas<'_>, area: Rect) {
    let view = &state.graph;
    let what = view.metric.describe();
    let length = duration(view.length.unsigned_abs());
    let of = state.flow.map_or(String::new(), |flow| format!(" of flow {flow}"));
    canvas.head(area, &format!("{what}{of}, in steps of {length}"), true);
    let plot = Rect {
        x: area.x + PLOT,
        y: area.y + 1,
        width: area.width.saturating_sub(PLOT),
        height: area.height.saturating_sub(BELOW + 1),
    };
    let most = view.intervals.iter().map(|it| view.value(it)).max().unwrap_or(0);
    if view.intervals.is_empty() || plot.height == 0 {
        canvas.text(area.x + 1, plot.y, area.width, &nothing(state), Tone::Dim);
        return;
    }
    let label = PLOT - 2;
    canvas.right(area.x, plot.y, label, &view.text(most), Tone::Dim);
    canvas.right(area.x, plot.bottom() - 1, label, &view.text(0), Tone::Dim);
    let eighths = u128::from(plot.height) * 8;
    let chosen = view.chosen();
    for ((at, interval), x) in view.intervals.iter().enumerate().zip(plot.x..plot.right()) {
        // Any value above 0 is visible.
        let filled = (u128::from(view.value(interval)) * eighths).div_ceil(most.max(1).into());
        for (row, y) in (0..).zip((plot.y..plot.bottom()).rev()) {
            let part = filled.saturating_sub(row * 8).min(8);
            let part = canvas.look.height(u8::try_from(part).unwrap_or(8));
            canvas.text(x, y, 1, part, Tone::Accent);
        }
        if chosen.contains(&at) {
            let column = Rect { x, width: 1, ..plot };
            canvas.buffer.set_style(column, canvas.look.chosen(true));
        }
    }
    let origin = state.capture.frames.first_time();
    let [from, to] = [0, view.intervals.len()].map(|at| seconds(Some(view.begins(at)), origin));
    canvas.text(plot.x, plot.bottom(), plot.width, &from, Tone::Dim);
    let drawn = u16::try_from(view.intervals.len()).unwrap_or(u16::MAX).min(plot.width);
    canvas.right(plot.x, plot.bottom(), drawn, &format!("{to} s"), Tone::Dim);
    if let Some(words) = view.words(view.cursor.selected, origin) {
        let words = words.join(", ");
        canvas.text(area.x + 1, plot.bottom() + 1, area.width, &words, Tone::Plain);
    }
}
