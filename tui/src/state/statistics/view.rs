//! The statistics view.

use super::lines::Lines;
use super::series::Series;
use crate::look::Look;
use crate::state::text::TextLine;
use crate::state::{Capture, Cursor};

/// The statistics view.
#[derive(Debug, Clone, Default)]
pub struct StatisticsView {
    /// The first line that is seen.
    pub cursor: Cursor,
    /// The lines.
    pub lines: Vec<TextLine>,
    /// What the lines are of.
    pub title: String,
    /// Whether there is something newer to tell.
    pub stale: bool,
}

impl StatisticsView {
    /// Writes the lines anew: of a flow or of all, in so many columns.
    pub fn list(&mut self, capture: &Capture, flow: Option<u32>, look: Look, columns: u16) {
        self.stale = false;
        let mut lines = Lines::new(look, columns.into());
        let series = Series::new(capture, flow);
        match flow.map(|number| capture.flow(number)) {
            None => {
                self.title = "statistics of the whole capture".to_owned();
                if let Some(counts) = &capture.counts {
                    lines.opcodes(&counts.opcodes, [0, 1]);
                    lines.operations(&counts.operations(), [0, 1]);
                    lines.procedures(counts);
                    lines.latencies(&series);
                    lines.timeline(counts);
                    lines.depths(counts);
                    lines.in_flight(&series);
                    lines.calls(&counts.calls, [0, 1]);
                    lines.credits(&series);
                    lines.sizes(counts);
                }
            }
            Some(row) => {
                self.title = format!("statistics of flow {}; t counts all", flow.unwrap_or(0));
                if let Some(row) = row {
                    let first = row.flow.first_side();
                    let order = [first.index(), first.peer().index()];
                    lines.opcodes(&row.flow.opcodes, order);
                    lines.operations(&row.flow.operations, order);
                    lines.latencies(&series);
                    lines.spark(&row.spark);
                    lines.in_flight(&series);
                    let calls = order.map(|side| row.flow.sides.get(side).map(|it| it.calls));
                    lines.calls(&calls.map(Option::unwrap_or_default), [0, 1]);
                    lines.credits(&series);
                }
            }
        }
        if capture.progress.dropped > 0 {
            lines.note("histograms and courses over time are of the operations that are listed");
        }
        self.lines = lines.lines;
    }
}
