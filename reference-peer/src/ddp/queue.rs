//! An untagged queue of the Data Sink: Message Sequence Numbers and Offsets in order.

use crate::violation::Violation;
use warpscope_wire::ddp::UntaggedView;

/// One queue. MPA delivers in order, so one message at a time is under way, and its segments come
/// one behind the other (RFC 5041 section 5.3).
#[derive(Debug, Clone)]
pub(crate) struct Queue {
    /// The MSN of the message that is under way or comes next.
    next: u32,
    /// Octets of it so far.
    received: u64,
    octets: Vec<u8>,
    control: Option<u8>,
}

impl Default for Queue {
    fn default() -> Self {
        Self { next: 1, received: 0, octets: Vec::new(), control: None }
    }
}

impl Queue {
    /// Judges a segment (RFC 5041 section 7.1); `room` is the length of the buffer that its
    /// message would take, if there is one.
    ///
    /// The MSN must be the next one: what is behind or ahead is out of range. Only where it is, a
    /// missing buffer is told. The MO must be the number of octets so far.
    pub(crate) fn check(
        &self,
        header: &UntaggedView<'_>,
        payload: usize,
        room: Option<usize>,
    ) -> Result<(), Violation> {
        if header.message_sequence_number() != self.next {
            return Err(Violation::MessageSequenceNumber);
        }
        let room = room.ok_or(Violation::NoBuffer)?;
        if u64::from(header.message_offset()) != self.received {
            return Err(Violation::MessageOffset);
        }
        if self.received + payload as u64 > room as u64 {
            return Err(Violation::MessageTooLong);
        }
        if self.control.is_some_and(|control| control != header.rdmap_control()) {
            return Err(Violation::Opcode);
        }
        Ok(())
    }

    /// Octets of the message under way.
    pub(crate) fn received(&self) -> u64 {
        self.received
    }

    /// True in the midst of a message.
    pub(crate) fn under_way(&self) -> bool {
        self.control.is_some()
    }

    /// Takes a segment that was judged; `placed` says that its octets went elsewhere.
    pub(crate) fn take(&mut self, control: u8, payload: &[u8], placed: bool) {
        self.control = Some(control);
        self.received += payload.len() as u64;
        if !placed {
            self.octets.extend_from_slice(payload);
        }
    }

    /// Ends the message: hands over its octets and goes on to the next MSN.
    pub(crate) fn finish(&mut self) -> Vec<u8> {
        self.next = self.next.wrapping_add(1);
        self.received = 0;
        self.control = None;
        std::mem::take(&mut self.octets)
    }
}
