//! The bytes of one chunk segment, as they are moved.

use super::item::{ChunkKind, ChunkUse};
use crate::operation::Region;
use warpscope_wire::rpcrdma::Segment;

/// The most bytes that are kept of one chunk segment.
const KEPT: u32 = 16 << 20;
/// Operations that are named for one segment.
const OPERATIONS: usize = 4096;

/// A chunk segment of a call, and what has been moved of it.
#[derive(Debug, Clone)]
pub(super) struct ChunkBytes {
    pub(super) usage: ChunkUse,
    data: Vec<u8>,
    /// What has been moved: ranges apart from each other, in order.
    moved: Vec<(u32, u32)>,
    /// False when something that was moved was not kept.
    kept: bool,
}

impl ChunkBytes {
    pub(super) fn new(kind: ChunkKind, segment: Segment) -> Self {
        let usage = ChunkUse {
            kind,
            segment,
            returned: match kind {
                ChunkKind::Read { .. } => segment.length,
                ChunkKind::Write { .. } | ChunkKind::Reply => 0,
            },
            moved: 0,
            operations: Vec::new(),
            frames: None,
        };
        Self { usage, data: Vec::new(), moved: Vec::new(), kept: true }
    }

    /// Bytes kept.
    pub(super) fn buffered(&self) -> usize {
        self.data.capacity()
    }

    /// Lets go of the bytes.
    pub(super) fn release(&mut self) {
        self.kept &= self.data.is_empty();
        self.data = Vec::new();
    }

    /// Whether it holds a range of its owner's memory.
    pub(super) fn holds(&self, region: &Region) -> bool {
        let segment = &self.usage.segment;
        let mine = Region {
            steering_tag: segment.handle,
            tagged_offset: segment.offset,
            length: segment.length.into(),
        };
        mine.contains(region)
    }

    /// Takes bytes that were moved from or to that range.
    pub(super) fn take(
        &mut self,
        region: &Region,
        payload: &[u8],
        operation: Option<u64>,
        frame: u64,
    ) {
        let at = region.tagged_offset.wrapping_sub(self.usage.segment.offset) as u32;
        let end = at + region.length as u32;
        let first = self.usage.frames.map_or(frame, |(first, _)| first);
        self.usage.frames = Some((first, frame));
        let operations = &mut self.usage.operations;
        if let Some(number) = operation
            && operations.last() != Some(&number)
            && operations.len() < OPERATIONS
        {
            operations.push(number);
        }
        self.mark(at, end);
        if payload.len() as u64 != region.length || end > KEPT {
            self.kept = false;
            return;
        }
        let (at, end) = (at as usize, end as usize);
        if self.data.len() < end {
            if self.data.is_empty() && self.usage.segment.length <= KEPT {
                self.data.reserve_exact((self.usage.segment.length as usize).min(1 << 20));
            }
            self.data.resize(end, 0);
        }
        if let Some(place) = self.data.get_mut(at..end) {
            place.copy_from_slice(payload);
        }
    }

    fn mark(&mut self, start: u32, end: u32) {
        if start == end {
            return;
        }
        let (mut start, mut end) = (start, end);
        self.moved.retain(|(from, to)| {
            let apart = *to < start || *from > end;
            if !apart {
                start = start.min(*from);
                end = end.max(*to);
            }
            apart
        });
        let index = self.moved.partition_point(|(from, _)| *from < start);
        self.moved.insert(index, (start, end));
        self.usage.moved = self.moved.iter().map(|(from, to)| u64::from(to - from)).sum();
    }

    /// Whether its first bytes have all been moved.
    pub(super) fn moved_up_to(&self, length: u32) -> bool {
        length == 0 || self.moved.first().is_some_and(|(from, to)| *from == 0 && *to >= length)
    }

    /// Its first bytes; `None` when they were not all moved and kept.
    pub(super) fn bytes(&self, length: u32) -> Option<&[u8]> {
        (self.kept && self.moved_up_to(length)).then(|| self.data.get(..length as usize)).flatten()
    }
}
