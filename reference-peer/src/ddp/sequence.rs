//! The Message Sequence Numbers of what goes out.

use crate::bug::{Bug, Bugs};

/// The next MSN of each queue: every message takes one (RFC 5041 section 4.3).
#[derive(Debug)]
pub(crate) struct SequenceNumbers {
    next: [u32; 4],
    /// Bytes that were sent, where a bug counts them.
    sent: [u32; 4],
    bugs: Bugs,
}

impl SequenceNumbers {
    /// All queues begin with 1.
    pub(crate) fn new(bugs: Bugs) -> Self {
        let first = if bugs.has(Bug::SequenceNumberFromZero) { 0 } else { 1 };
        Self { next: [first; 4], sent: [0; 4], bugs }
    }

    /// The same with this MSN as the next of every queue.
    #[cfg(test)]
    pub(crate) fn with_next(self, next: u32) -> Self {
        Self { next: [next; 4], ..self }
    }

    /// The MSN of the next message on a queue.
    pub(crate) fn take(&mut self, queue: usize) -> u32 {
        let queue = if self.bugs.has(Bug::SequenceNumberShared) { 0 } else { queue };
        let Some(next) = self.next.get_mut(queue) else { return 0 };
        let step = match self.bugs {
            bugs if bugs.has(Bug::SequenceNumberStuck) => 0,
            bugs if bugs.has(Bug::SequenceNumberSkips) => 2,
            _ => 1,
        };
        std::mem::replace(next, next.wrapping_add(step))
    }

    /// What a bug makes of the MO of a segment with `length` bytes: all bytes that the queue has
    /// sent before it.
    pub(crate) fn spoil_offset(&mut self, queue: u32, length: usize, offset: u32) -> u32 {
        if !self.bugs.has(Bug::MessageOffsetNotReset) {
            return offset;
        }
        let Some(sent) = self.sent.get_mut(queue as usize) else { return offset };
        std::mem::replace(sent, sent.wrapping_add(length as u32))
    }
}
