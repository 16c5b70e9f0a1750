//! Memory that a request offers, and the bytes that Reads and Writes moved from or to it.

use super::Mark;
use crate::operation::Region;

/// The most bytes kept of one range.
const KEPT: u64 = 16 << 20;
/// The most bytes missing between moved bytes with which data is still kept: each is a zero in memory.
const HOLES: u64 = 256 << 10;
/// Ranges kept separately; beyond that, some holes between them count as moved.
const RANGES: usize = 1024;
/// The most operations listed.
const OPERATIONS: usize = 4096;

/// A range of a requester's memory, and what was moved of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Memory {
    /// The range.
    pub region: Region,
    /// True for memory that the responder may read, false for memory that it may write.
    pub readable: bool,
    /// Distinct bytes of it that were moved.
    pub moved: u64,
    /// The numbers of the operations that moved them, in order.
    pub operations: Vec<u64>,
    /// The marks of the first and the last of their DDP segments.
    pub marks: Option<(Mark, Mark)>,
    data: Vec<u8>,
    /// The moved ranges: in order, and not adjacent.
    ranges: Vec<(u64, u64)>,
    /// False if something that was moved was not kept.
    kept: bool,
}

impl Memory {
    /// Creates a range of which nothing has been moved.
    pub fn new(region: Region, readable: bool) -> Self {
        let (operations, data, ranges) = (Vec::new(), Vec::new(), Vec::new());
        Self { region, readable, moved: 0, operations, marks: None, data, ranges, kept: true }
    }

    /// Returns the bytes kept, including itself.
    pub fn buffered(&self) -> usize {
        let ranges = self.ranges.capacity() * size_of::<(u64, u64)>();
        let operations = self.operations.capacity() * size_of::<u64>();
        size_of::<Self>() + self.data.capacity() + ranges + operations
    }

    /// Returns whether all of it has been moved.
    pub fn all_moved(&self) -> bool {
        self.moved_up_to(self.region.length)
    }

    /// Releases the bytes kept.
    pub fn release(&mut self) {
        self.kept &= self.data.is_empty();
        self.data = Vec::new();
    }

    /// Adds bytes that were moved from or to a range within it.
    pub fn take(&mut self, region: &Region, payload: &[u8], operation: Option<u64>, mark: Mark) {
        let at = region.tagged_offset.wrapping_sub(self.region.tagged_offset);
        let end = at.saturating_add(region.length);
        let first = self.marks.map_or(mark, |(first, _)| first);
        self.marks = Some((first, mark));
        if let Some(number) = operation
            && self.operations.last() != Some(&number)
            && self.operations.len() < OPERATIONS
        {
            self.operations.push(number);
        }
        self.mark(at, end);
        let highest = (self.data.len() as u64).max(end);
        let holes = highest.saturating_sub(self.moved);
        let fits = payload.len() as u64 == region.length && end <= KEPT && holes <= HOLES;
        self.kept &= fits;
        if !self.kept {
            self.data = Vec::new();
            return;
        }
        let (at, end) = (at as usize, end as usize);
        if self.data.len() < end {
            if self.data.is_empty() && at > 0 {
                // Such zeros come from the system, which creates the pages on first use.
                self.data = vec![0; end];
            } else if self.data.is_empty() && self.region.length <= KEPT {
                self.data.reserve_exact((self.region.length as usize).min(1 << 20));
            }
            self.data.resize(end, 0);
        }
        if let Some(place) = self.data.get_mut(at..end) {
            place.copy_from_slice(payload);
        }
    }

    fn mark(&mut self, start: u64, end: u64) {
        if start == end {
            return;
        }
        let (mut start, mut end) = (start, end);
        self.ranges.retain(|(from, to)| {
            let apart = *to < start || *from > end;
            if !apart {
                start = start.min(*from);
                end = end.max(*to);
            }
            apart
        });
        let index = self.ranges.partition_point(|(from, _)| *from < start);
        let full = self.ranges.len() >= RANGES;
        match self.ranges.get_mut(index.saturating_sub(1)).filter(|_| full) {
            Some(near) => {
                *near = (near.0.min(start), near.1.max(end));
                self.kept = false;
            }
            None => self.ranges.insert(index, (start, end)),
        }
        self.moved = self.ranges.iter().map(|(from, to)| to - from).sum();
    }

    /// Returns whether its first bytes have all been moved.
    fn moved_up_to(&self, length: u64) -> bool {
        length == 0 || self.ranges.first().is_some_and(|(from, to)| *from == 0 && *to >= length)
    }

    /// Returns its first bytes; `None` if not all of them were moved and kept.
    pub fn bytes(&self, length: u64) -> Option<&[u8]> {
        (self.kept && self.moved_up_to(length)).then(|| self.data.get(..length as usize)).flatten()
    }
}
