//! The items of the capture in the lists: those of the only flow shown, if there is one, with a frame
//! that passes the filter.

use super::{FilterBar, State};
use crate::index::{CallRow, ChunkRow, Entry, Flags, FlowRow, FoundRow, Frames, OperationRow};
use std::collections::HashMap;
use warpscope_dissector::mpa::Side;

/// The selection by flow and filter.
#[derive(Debug, Clone, Copy)]
pub struct Passing<'a> {
    frames: &'a Frames,
    flow: Option<u32>,
    filter: Option<&'a FilterBar>,
}

impl State {
    /// Returns the selection by flow and filter.
    pub fn passing(&self) -> Passing<'_> {
        let filter = Some(&self.filter).filter(|filter| filter.active());
        Passing { frames: &self.capture.frames, flow: self.flow, filter }
    }
}

impl Passing<'_> {
    /// Returns the selected frames, with their numbers.
    pub fn frames(&self) -> Box<dyn Iterator<Item = (u32, &Entry)> + '_> {
        let of_flow = |(_, entry): &(u32, &Entry)| self.flow.is_none_or(|flow| entry.flow == flow);
        match self.filter {
            Some(filter) => {
                let known = |frame: &u32| Some((*frame, self.frames.find(*frame)?));
                Box::new(filter.matched.iter().filter_map(known).filter(of_flow))
            }
            None => Box::new(self.frames.from(1).filter(of_flow)),
        }
    }

    fn wanted(&self, flow: u32) -> bool {
        self.flow.is_none_or(|only| only == flow)
    }

    /// Whether one of the frames in a range passes the filter and may belong to a message.
    fn any(&self, frames: (u32, u32), own: impl Fn(u32) -> bool) -> bool {
        let Some(filter) = self.filter else { return true };
        let from = filter.matched.partition_point(|frame| *frame < frames.0);
        let near = filter.matched.iter().skip(from).take_while(|frame| **frame <= frames.1);
        near.copied().any(own)
    }

    fn frame(&self, frame: u32) -> bool {
        self.any((frame, frame), |_| true)
    }

    /// Whether a frame of a message passes: the messages of a side follow each other, so all frames with
    /// iWARP of that side between the first and the last belong to it.
    fn message(&self, flow: u32, side: Side, (first, last): (u32, u32)) -> bool {
        let between = |frame: u32| {
            let Some(entry) = self.frames.find(frame) else { return false };
            let second = entry.flags.contains(Flags::SECOND);
            let of_side = entry.flags.contains(Flags::IWARP) && second == (side == Side(1));
            entry.flow == flow && of_side
        };
        self.any((first, last), |frame| frame == first || frame == last || between(frame))
    }

    /// Whether a flow is listed. The only flow shown hides no other in the list of flows.
    pub fn flow(&self, row: &FlowRow) -> bool {
        self.filter.is_none_or(|filter| filter.flows.contains(&row.flow.info.number))
    }

    /// Whether an operation is listed.
    pub fn operation(&self, row: &OperationRow) -> bool {
        let (asks, answers) = (row.requester, row.requester.peer());
        self.wanted(row.flow)
            && (self.message(row.flow, asks, (row.first, row.frame))
                || self.message(row.flow, answers, (row.answer_first, row.answer)))
    }

    /// Whether a broken rule is listed.
    pub fn found(&self, row: &FoundRow) -> bool {
        self.wanted(row.flow) && self.frame(row.frame)
    }

    /// Returns a test for listed calls: one of their two messages passes, or an operation on their chunks.
    pub fn calls(
        &self,
        operations: &[OperationRow],
        chunks: &[ChunkRow],
    ) -> impl Fn(&CallRow) -> bool + use<'_> {
        let mut used: HashMap<(u32, u32), Vec<u32>> = HashMap::new();
        let mut moved: HashMap<(u32, u32), Vec<u32>> = HashMap::new();
        if self.filter.is_some() {
            for row in operations.iter().filter(|row| row.steering_tag != 0 && self.operation(row))
            {
                used.entry((row.flow, row.steering_tag))
                    .or_default()
                    .push(row.frame.max(row.answer));
            }
            used.values_mut().for_each(|frames| frames.sort_unstable());
            for row in chunks {
                let frames = used.get(&(row.flow, row.steering_tag));
                let frames = frames.map_or(&[][..], Vec::as_slice);
                let next = frames.get(frames.partition_point(|frame| *frame < row.first));
                if next.is_some_and(|frame| *frame <= row.last) {
                    moved.entry((row.flow, row.xid)).or_default().push(row.first);
                }
            }
        }
        move |row| {
            let last = if row.answer == 0 { u32::MAX } else { row.answer };
            let within = |first: &u32| (row.frame..=last).contains(first);
            let chunks = || moved.get(&(row.flow, row.xid)).is_some_and(|it| it.iter().any(within));
            self.wanted(row.flow) && (self.frame(row.frame) || self.frame(row.answer) || chunks())
        }
    }
}
