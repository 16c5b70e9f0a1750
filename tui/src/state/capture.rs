//! What is known of the capture.

use super::index::{CallRow, FlowRow, FoundRow, Frames, OperationRow};
use crate::event::Progress;
use std::collections::HashSet;
use std::sync::Arc;
use warpscope_dissector::statistics::Counts;

/// What is known of the capture.
#[derive(Debug, Clone, Default)]
pub struct Capture {
    /// Every frame.
    pub frames: Frames,
    /// How far the reading is.
    pub progress: Progress,
    /// Connections with iWARP, in the order of their numbers.
    pub flows: Arc<[Arc<FlowRow>]>,
    /// What was counted.
    pub counts: Option<Arc<Counts>>,
    /// Operations, in the order of their ends.
    pub operations: Vec<OperationRow>,
    /// Calls, in the order of their ends.
    pub calls: Vec<CallRow>,
    /// Rules that were broken, in order.
    pub found: Vec<FoundRow>,
    /// Frames with findings.
    pub found_frames: HashSet<u32>,
}

impl Capture {
    /// A flow by its number.
    pub fn flow(&self, number: u32) -> Option<&FlowRow> {
        let found = self.flows.binary_search_by_key(&number, |row| row.flow.info.number);
        found.ok().and_then(|index| self.flows.get(index)).map(|row| &**row)
    }

    /// The operation that a frame requests or answers.
    pub fn operation_at(&self, frame: u32) -> Option<&OperationRow> {
        // A response is asked for more often, and operations end where their responses do.
        let from = self.operations.partition_point(|row| row.frame.max(row.answer) < frame);
        let near = self.operations.get(from.saturating_sub(64)..).unwrap_or(&[]);
        let both =
            |row: &&OperationRow| row.answer != 0 && (row.answer == frame || row.frame == frame);
        near.iter().find(both).or_else(|| self.operations.iter().find(both))
    }

    /// The call that a frame makes or answers.
    pub fn call_at(&self, frame: u32) -> Option<&CallRow> {
        self.calls.iter().find(|row| {
            row.answer != 0 && row.frame != 0 && (row.frame == frame || row.answer == frame)
        })
    }
}
