//! An untagged queue of the Data Sink: Message Sequence Numbers and Offsets in order.

use crate::bug::{Bug, Bugs};
use crate::violation::Violation;
use warpscope_wire::ddp::UntaggedView;

/// One queue. MPA delivers in order, so one message at a time is under way, and its segments come
/// one behind the other (RFC 5041 section 5.3).
#[derive(Debug, Clone)]
pub(crate) struct Queue {
    /// The MSN of the message that is under way or comes next.
    next: u32,
    /// Bytes of it so far.
    received: u64,
    bytes: Vec<u8>,
    control: Option<u8>,
    bugs: Bugs,
}

impl Default for Queue {
    fn default() -> Self {
        Self::new(Bugs::NONE)
    }
}

impl Queue {
    /// A queue whose next message is the first.
    pub(crate) fn new(bugs: Bugs) -> Self {
        Self { next: 1, received: 0, bytes: Vec::new(), control: None, bugs }
    }

    /// The same queue with this MSN as its next.
    #[cfg(test)]
    pub(crate) fn with_next(self, next: u32) -> Self {
        Self { next, ..self }
    }

    /// Judges a segment (RFC 5041 section 7.1); `room` is the length of the buffer that its
    /// message would take, if there is one.
    ///
    /// The MSN must be the next one: what is behind or ahead is out of range. Only where it is, a
    /// missing buffer is told. The MO must be the number of bytes so far.
    /// All segments of a message must have the same RDMAP control byte; `control` is that byte
    /// without the bits that a receiver ignores.
    pub(crate) fn check(
        &self,
        header: &UntaggedView<'_>,
        control: u8,
        payload: usize,
        room: Option<usize>,
    ) -> Result<(), Violation> {
        let number = header.message_sequence_number();
        let taken = self.bugs.has(Bug::SequenceNumberUnchecked)
            || (number > self.next && self.bugs.has(Bug::SequenceNumberGapsTaken));
        if number != self.next && !taken {
            return Err(Violation::MessageSequenceNumber);
        }
        let any = self.bugs.has(Bug::MissingBufferTaken).then_some(usize::MAX);
        let room = room.or(any).ok_or(Violation::NoBuffer)?;
        let in_turn = u64::from(header.message_offset()) == self.received;
        if !in_turn && !self.bugs.has(Bug::MessageOffsetUnchecked) {
            return Err(Violation::MessageOffset);
        }
        let more = u64::from(self.bugs.has(Bug::MessageLengthLoose));
        let long = self.received + payload as u64 > (room as u64).saturating_add(more);
        if long && !self.bugs.has(Bug::MessageLengthUnchecked) {
            return Err(Violation::MessageTooLong);
        }
        if self.control.is_some_and(|first| first != control) {
            return Err(Violation::Opcode);
        }
        Ok(())
    }

    /// Bytes of the message under way.
    pub(crate) fn received(&self) -> u64 {
        self.received
    }

    /// True in the midst of a message.
    pub(crate) fn under_way(&self) -> bool {
        self.control.is_some()
    }

    /// Takes a segment that was judged; `placed` says that its bytes went elsewhere.
    pub(crate) fn take(&mut self, control: u8, payload: &[u8], placed: bool) {
        self.control = Some(control);
        self.received += payload.len() as u64;
        if !placed {
            self.bytes.extend_from_slice(payload);
        }
    }

    /// Ends the message: hands over its bytes and goes on to the next MSN.
    pub(crate) fn finish(&mut self) -> Vec<u8> {
        self.next = self.next.wrapping_add(1);
        if !self.bugs.has(Bug::QueueOffsetNotReset) {
            self.received = 0;
        }
        self.control = None;
        std::mem::take(&mut self.bytes)
    }
}
