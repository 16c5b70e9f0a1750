//! What is known of the capture.

use super::index::{CallRow, ChunkRow, FlowRow, FoundRow, Frames, OperationRow};
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
    /// Chunks of calls that were used, in the order of their messages' ends.
    pub chunks: Vec<ChunkRow>,
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

    /// The call that a frame makes or answers, where both are known.
    pub fn call_at(&self, frame: u32) -> Option<&CallRow> {
        self.calls.iter().find(|row| {
            row.answer != 0 && row.frame != 0 && (row.frame == frame || row.answer == frame)
        })
    }

    /// The call that a frame is of: that makes it or answers it, or moves what is in its chunks.
    pub fn exchange_at(&self, frame: u32) -> Option<&CallRow> {
        let own = |row: &&CallRow| row.frame == frame || row.answer == frame;
        if let Some(row) = self.calls.iter().find(own) {
            return Some(row);
        }
        let flow = self.frames.find(frame)?.flow()?;
        let operation = self.operation_of(flow, frame);
        // A Read of a chunk is asked for before its first segment comes.
        let frames = [frame, operation.map_or(0, |operation| operation.answer)];
        let holds = |row: &&ChunkRow| {
            row.flow == flow
                && frames.iter().any(|frame| (row.first..=row.last).contains(frame))
                && operation.is_none_or(|operation| operation.steering_tag == row.steering_tag)
        };
        let chunk = self.chunks.iter().find(holds)?;
        let near = |row: &&CallRow| row.flow == flow && row.xid == chunk.xid;
        // A transaction ID comes again: the call that the chunk's use lies in, or the last before.
        let mut calls = self.calls.iter().filter(near);
        let around = |row: &&CallRow| row.frame <= chunk.first && chunk.last <= row.answer;
        calls.clone().find(around).or_else(|| calls.next_back())
    }

    /// The operation of a flow that names remote memory and that a frame is the request or the response of.
    fn operation_of(&self, flow: u32, frame: u32) -> Option<&OperationRow> {
        self.operations.iter().find(|row| {
            row.flow == flow && row.steering_tag != 0 && (row.frame == frame || row.answer == frame)
        })
    }

    /// The chunks of a call.
    pub fn chunks_of(&self, call: &CallRow) -> Vec<ChunkRow> {
        let last = if call.answer == 0 { u32::MAX } else { call.answer };
        let own = |row: &&ChunkRow| {
            (row.flow, row.xid) == (call.flow, call.xid) && (call.frame..=last).contains(&row.first)
        };
        let mut chunks: Vec<ChunkRow> = self.chunks.iter().filter(own).copied().collect();
        chunks.sort_by_key(|row| (row.first, row.last, row.steering_tag));
        chunks.dedup();
        chunks
    }
}
