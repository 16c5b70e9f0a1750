//! All frames, in batches that state and workers share.

use super::entry::Entry;
use std::collections::VecDeque;
use std::sync::Arc;
use warpscope_dissector::capture::Interface;

/// Frames that were added together.
#[derive(Debug, Clone)]
pub struct Batch {
    /// The frames, in order.
    pub entries: Arc<[Entry]>,
    /// Every interface known now, when there are more than before.
    pub interfaces: Option<Arc<[Interface]>>,
}

/// The frames of a capture, numbered from 1. A copy shares the batches.
#[derive(Debug, Clone, Default)]
pub struct Frames {
    /// Each batch with the frames before it.
    batches: VecDeque<(u32, Arc<[Entry]>)>,
    count: u32,
    /// Frames that were given up, from the first on.
    forgotten: u32,
    origin: Option<i64>,
    interfaces: Arc<[Interface]>,
}

impl Frames {
    /// Adds frames behind the last.
    pub fn push(&mut self, batch: &Batch) {
        if let Some(interfaces) = &batch.interfaces {
            self.interfaces = interfaces.clone();
        }
        if let Some(first) = batch.entries.first() {
            if self.count == 0 {
                self.origin = first.time();
            }
            self.batches.push_back((self.count, batch.entries.clone()));
            let added = u32::try_from(batch.entries.len()).unwrap_or(u32::MAX);
            self.count = self.count.saturating_add(added);
        }
    }

    /// The number of the last frame: frames there are, and those that were given up.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// The first frame that is kept.
    pub fn first(&self) -> u32 {
        self.forgotten.saturating_add(1)
    }

    /// Gives up the frames before one.
    pub fn forget(&mut self, first: u32) {
        self.forgotten = first.saturating_sub(1).clamp(self.forgotten, self.count);
        let gone = |(before, entries): &(u32, Arc<[Entry]>)| {
            *before as usize + entries.len() <= self.forgotten as usize
        };
        while self.batches.front().is_some_and(gone) {
            self.batches.pop_front();
        }
    }

    /// A frame by its number.
    pub fn find(&self, number: u32) -> Option<&Entry> {
        let index = number.checked_sub(1).filter(|index| *index >= self.forgotten)?;
        let batch = self.batches.partition_point(|(before, _)| *before <= index).checked_sub(1)?;
        let (before, entries) = self.batches.get(batch)?;
        entries.get((index - before) as usize)
    }

    /// Frames with their numbers, from one on.
    pub fn from(&self, number: u32) -> impl Iterator<Item = (u32, &Entry)> {
        let number = number.max(self.first());
        let index = number - 1;
        let first = self.batches.partition_point(|(before, _)| *before <= index).saturating_sub(1);
        let batches = self.batches.iter().skip(first);
        let all = batches.flat_map(|(before, entries)| (before + 1..).zip(entries.iter()));
        all.skip_while(move |(at, _)| *at < number)
    }

    /// When the capture's first frame was captured, be it kept or not.
    pub fn first_time(&self) -> Option<i64> {
        self.origin
    }

    /// An interface by its index.
    pub fn interface(&self, index: u16) -> Option<&Interface> {
        self.interfaces.get(usize::from(index))
    }

    /// Interfaces known.
    pub fn interfaces(&self) -> &Arc<[Interface]> {
        &self.interfaces
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Flags, NO_FLOW};
    use super::*;

    #[test]
    fn frames_are_found_in_their_batches() {
        let mut frames = Frames::default();
        let mut number = 0;
        for length in [3, 1, 0, 5] {
            let entries = (0..length).map(|_| {
                number += 1;
                let (captured, flags) = (number, Flags::default());
                Entry {
                    offset: 0,
                    time: 0,
                    captured,
                    length: 0,
                    flow: NO_FLOW,
                    interface: 0,
                    flags,
                }
            });
            frames.push(&Batch { entries: entries.collect(), interfaces: None });
        }
        assert_eq!(frames.count(), 9);
        for number in 1..=9 {
            assert_eq!(frames.find(number).map(|entry| entry.captured), Some(number));
            let rest: Vec<u32> = frames.from(number).map(|(at, _)| at).collect();
            assert_eq!(rest, (number..=9).collect::<Vec<_>>());
            assert!(frames.from(number).all(|(at, entry)| at == entry.captured));
        }
        assert_eq!((frames.find(0), frames.find(10)), (None, None));
        frames.forget(6);
        assert_eq!((frames.first(), frames.count(), frames.find(5)), (6, 9, None));
        for number in 1..=9 {
            let rest: Vec<u32> = frames.from(number).map(|(at, _)| at).collect();
            assert_eq!(rest, (number.max(6)..=9).collect::<Vec<_>>());
        }
        frames.forget(3);
        assert_eq!(frames.first(), 6);
        assert_eq!(frames.find(6).map(|entry| entry.captured), Some(6));
    }
}
