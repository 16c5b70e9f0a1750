//! DDP: cutting messages into segments, and reassembling segments on untagged queues (RFC 5041).

use super::bug::{Bug, Bugs};
use super::memory::{AccessViolation, Accessor, Memory, Rights};
use super::violation::Violation;
use std::collections::BTreeMap;
use warpscope_wire::Writer;
use warpscope_wire::ddp::{TaggedView, UntaggedView};
use warpscope_wire::rdmap::{Destination, IMMEDIATE_LENGTH, RdmapControl, Segment};

#[cfg(test)]
mod tests;

// An outgoing message, cut into segments as they are sent (RFC 5041 section 5.2).

/// The destination of a message.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Target {
    /// To a tagged buffer.
    Tagged { steering_tag: u32, tagged_offset: u64 },
    /// To the queue for this kind of message.
    Untagged { invalidate_steering_tag: u32, message_sequence_number: u32 },
}

/// The source of a message's bytes.
#[derive(Debug, Clone)]
pub(crate) enum Content {
    Bytes(Vec<u8>),
    /// A buffer of this side, named by this side.
    Local {
        steering_tag: u32,
        tagged_offset: u64,
    },
    /// A buffer of this side, named by the peer: checked again for every segment.
    Remote {
        steering_tag: u32,
        tagged_offset: u64,
    },
}

/// The owner of an outgoing message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    WorkRequest(u64),
    /// The first of the peer's pending requests.
    Response,
    /// Nobody: a ready-to-receive indication.
    Indication,
    /// The end of the stream.
    Terminate,
}

/// An outgoing message.
#[derive(Debug, Clone)]
pub(crate) struct OutMessage {
    pub(crate) control: RdmapControl,
    pub(crate) target: Target,
    pub(crate) content: Content,
    /// Length in bytes without Immediate Data.
    pub(crate) length: u64,
    /// Number of bytes that are already in segments.
    pub(crate) sent: u64,
    /// Immediate Data that follows the bytes, as it is sent.
    pub(crate) immediate: Option<[u8; IMMEDIATE_LENGTH]>,
    pub(crate) origin: Origin,
}

/// A segment, and whether it is the message's last. Its payload is not copied.
#[derive(Debug)]
pub(crate) struct Cut<'a> {
    header: [u8; UntaggedView::LENGTH],
    header_length: usize,
    payload: &'a [u8],
    /// Number of bytes of the message before it.
    sent: u64,
    pub(crate) last: bool,
}

impl Cut<'_> {
    /// Returns the ULPDU as two slices: the header and the payload.
    pub(crate) fn spans(&self) -> [&[u8]; 2] {
        [self.header.get(..self.header_length).unwrap_or(&[]), self.payload]
    }

    /// Returns the length of the ULPDU in bytes.
    pub(crate) fn length(&self) -> usize {
        self.header_length + self.payload.len()
    }

    /// Returns the ULPDU with the changes that bugs make.
    pub(crate) fn spoiled(&self, bugs: Bugs, numbers: &mut SequenceNumbers) -> Vec<u8> {
        let mut ulpdu = self.spans().concat();
        if let Some(header) = ulpdu.first_chunk_mut()
            && header[0] & 0x80 == 0
        {
            self.spoil_untagged(bugs, numbers, header);
        } else if let Some((header, _)) = ulpdu.split_first_chunk_mut::<{ TaggedView::LENGTH }>() {
            let [.., a, b, c, d, e, f, g, h] = header;
            let offset = u64::from_be_bytes([*a, *b, *c, *d, *e, *f, *g, *h]);
            let first = offset.wrapping_sub(self.sent);
            let low = u64::from(u32::MAX);
            let mut spoiled = offset;
            bugs.when(Bug::TaggedOffsetStuck, || spoiled = first);
            bugs.when(Bug::TaggedOffsetIn32Bits, || spoiled = first & !low | offset & low);
            [*a, *b, *c, *d, *e, *f, *g, *h] = spoiled.to_be_bytes();
        }
        spoil_payload(bugs, &mut ulpdu);
        if let [ddp_control, rdmap_control, ..] = &mut ulpdu[..] {
            spoil_controls(bugs, ddp_control, rdmap_control);
        }
        ulpdu
    }

    /// Applies bugs to an untagged header: after the control bytes, the STag to invalidate, queue
    /// number, MSN and MO.
    fn spoil_untagged(
        &self,
        bugs: Bugs,
        numbers: &mut SequenceNumbers,
        header: &mut [u8; UntaggedView::LENGTH],
    ) {
        let [_, control, t0, t1, t2, t3, q0, q1, q2, q3, .., m0, m1, m2, m3] = header;
        let opcode = *control & OPCODE;
        if bugs.has(Bug::InvalidateTagOnce) && self.sent > 0 {
            (*t0, *t1, *t2, *t3) = (0, 0, 0, 0);
        }
        if bugs.has(Bug::InvalidateTagStray) && opcode == 0x03 {
            *t3 = 1;
        }
        let queue = u32::from_be_bytes([*q0, *q1, *q2, *q3]);
        let elsewhere = match opcode {
            0x01 => bugs.has(Bug::ReadRequestOnQueue0),
            0x07 => bugs.has(Bug::TerminateOnQueue0),
            0x12 => bugs.has(Bug::ReadV2ResponseOnQueue0),
            _ => false,
        };
        if elsewhere {
            *q3 = 0;
        }
        let offset = u32::from_be_bytes([*m0, *m1, *m2, *m3]);
        let mut offset = numbers.spoil_offset(queue, self.payload.len(), offset);
        bugs.when(Bug::MessageOffsetStuck, || offset = 0);
        bugs.when(Bug::MessageOffsetInWords, || offset /= 4);
        bugs.when(Bug::MessageOffsetIn16Bits, || offset &= 0xffff);
        [*m0, *m1, *m2, *m3] = offset.to_be_bytes();
    }
}

/// The opcode in the RDMAP control byte, and the bits of its version.
const OPCODE: u8 = 0x1f;
const VERSION: u8 = 0xc0;

/// Applies bugs to the payload after an untagged header.
fn spoil_payload(bugs: Bugs, ulpdu: &mut Vec<u8>) {
    let Some(control) = ulpdu.get(1) else { return };
    match control & OPCODE {
        0x08 | 0x09 if bugs.has(Bug::ImmediateCut) => ulpdu.truncate(UntaggedView::LENGTH + 4),
        0x0d if bugs.has(Bug::FlushResponseWithPayload) => ulpdu.extend_from_slice(&[0; 4]),
        0x10 if bugs.has(Bug::AtomicWriteLengthZero) => {
            let length = UntaggedView::LENGTH + 4;
            if let Some(length) = ulpdu.get_mut(length..length + 4) {
                length.fill(0);
            }
        }
        _ => {}
    }
}

/// Applies bugs to both control bytes.
fn spoil_controls(bugs: Bugs, ddp: &mut u8, rdmap: &mut u8) {
    bugs.when(Bug::LastMissing, || *ddp &= !0x40);
    bugs.when(Bug::LastOnEverySegment, || *ddp |= 0x40);
    bugs.when(Bug::DdpVersionZero, || *ddp &= !0x03);
    bugs.when(Bug::DdpReservedBits, || *ddp |= 0x04);
    let opcode = *rdmap & OPCODE;
    if bugs.has(Bug::SolicitedBitLost) && matches!(opcode, 0x05 | 0x06) {
        *rdmap -= 2;
    }
    if bugs.has(Bug::Version2As1) && opcode < 0x08 {
        *rdmap = *rdmap & !VERSION | 0x40;
    }
    if bugs.has(Bug::CommitInVersion2) && matches!(opcode, 0x0c..=0x11) {
        *rdmap = *rdmap & !VERSION | 0x80;
    }
    bugs.when(Bug::RdmapVersionZero, || *rdmap &= !VERSION);
    bugs.when(Bug::RdmapReservedBits, || *rdmap |= 0x20);
}

impl OutMessage {
    /// Creates a message from bytes that are available.
    pub(crate) fn of(
        control: RdmapControl,
        target: Target,
        bytes: Vec<u8>,
        origin: Origin,
    ) -> Self {
        let length = bytes.len() as u64;
        let content = Content::Bytes(bytes);
        Self { control, target, content, length, sent: 0, immediate: None, origin }
    }

    /// Returns the next segment, no longer than `mulpdu` unless that leaves no room for a byte.
    ///
    /// # Errors
    /// When the buffer that holds the bytes can no longer be read.
    pub(crate) fn segment<'a>(
        &'a mut self,
        mulpdu: u16,
        memory: &'a Memory,
        accessor: Accessor,
    ) -> Result<Cut<'a>, AccessViolation> {
        let header = match self.target {
            Target::Tagged { .. } => TaggedView::LENGTH,
            Target::Untagged { .. } => UntaggedView::LENGTH,
        };
        let room = usize::from(mulpdu).saturating_sub(header).max(1) as u64;
        let left = self.length.saturating_sub(self.sent);
        let sent = self.sent;
        if let Some(data) = &self.immediate
            && left == 0
        {
            return Ok(self.cut(sent, true, data));
        }
        let step = left.min(room);
        let last = step == left && self.immediate.is_none();
        // A segment's bytes fit in `usize`.
        let (start, end) = (sent as usize, (sent + step) as usize);
        let payload = match &self.content {
            Content::Bytes(bytes) => bytes.get(start..end).unwrap_or(&[]),
            _ if step == 0 => &[],
            Content::Local { steering_tag, tagged_offset } => {
                let offset = tagged_offset.wrapping_add(sent);
                memory.read(memory.check_local(*steering_tag, offset, step)?)
            }
            Content::Remote { steering_tag, tagged_offset } => {
                let offset = tagged_offset.wrapping_add(sent);
                memory.read(memory.check(accessor, *steering_tag, offset, step, Rights::READ)?)
            }
        };
        self.sent += step;
        Ok(self.cut(sent, last, payload))
    }

    /// Returns the segment that carries `payload` after `sent` bytes of the message.
    fn cut<'a>(&self, sent: u64, last: bool, payload: &'a [u8]) -> Cut<'a> {
        let destination = match self.target {
            Target::Tagged { steering_tag, tagged_offset } => {
                let tagged_offset = tagged_offset.wrapping_add(sent);
                Destination::Tagged { steering_tag, tagged_offset }
            }
            Target::Untagged { invalidate_steering_tag, message_sequence_number } => {
                // Messages of 2^32 bytes and more are refused when they are posted.
                let message_offset = sent as u32;
                Destination::Untagged {
                    invalidate_steering_tag,
                    message_sequence_number,
                    message_offset,
                }
            }
        };
        let mut header = [0; UntaggedView::LENGTH];
        let mut writer = Writer::new(&mut header);
        let made = Segment::new(self.control, last, destination, payload)
            .map(|segment| segment.emit_header(&mut writer));
        debug_assert!(made.is_ok(), "{made:?}");
        let header_length = writer.written();
        Cut { header, header_length, payload, sent, last }
    }
}

// An untagged queue of the Data Sink: messages by Message Sequence Number, bytes by Message Offset.

/// The received parts of a message, each from offset to offset; no two of them touch. Segments may come
/// in any order: a part is found by its offset, and changed where it is.
#[derive(Debug, Clone, Default)]
pub(crate) struct Parts(BTreeMap<u64, u64>);

impl Parts {
    /// Adds the bytes from `start` to `end`.
    pub(crate) fn add(&mut self, mut start: u64, mut end: u64) {
        // Segments in order make the last part longer.
        if let Some(mut last) = self.0.last_entry()
            && *last.key() <= start
            && *last.get() >= start
        {
            let longer = end.max(*last.get());
            *last.get_mut() = longer;
            return;
        }
        // The parts that touch the new one become one with it.
        while let Some((from, to)) = self.before(end).filter(|(_, to)| *to >= start) {
            self.0.remove(&from);
            (start, end) = (start.min(from), end.max(to));
        }
        self.0.insert(start, end);
    }

    /// Returns the last part that begins at `end` or before.
    fn before(&self, end: u64) -> Option<(u64, u64)> {
        self.0.range(..=end).next_back().map(|(from, to)| (*from, *to))
    }

    /// Returns whether they are exactly all bytes up to `end`.
    pub(crate) fn are_whole(&self, end: u64) -> bool {
        self.contiguous() == end && self.end() == end
    }

    /// Returns whether they are all bytes up to `end` together with those from `start` to `end`.
    pub(crate) fn are_whole_with(&self, start: u64, end: u64) -> bool {
        if self.end() <= start {
            return self.are_whole(start);
        }
        let mut all = self.clone();
        all.add(start, end);
        all.are_whole(end)
    }

    /// Returns the number of contiguous bytes from the start of the message.
    pub(crate) fn contiguous(&self) -> u64 {
        self.0.get(&0).copied().unwrap_or_default()
    }

    /// Returns the end of the last part.
    pub(crate) fn end(&self) -> u64 {
        self.0.last_key_value().map_or(0, |(_, end)| *end)
    }
}

/// One queue. MPA delivers in order, so only one message at a time is incomplete. Its segments may come
/// in any order of their Message Offsets, the last flag with the highest (RFC 5041 sections 4.1, 5.3).
#[derive(Debug, Clone)]
pub(crate) struct Queue {
    /// The MSN of the current or next message.
    next: u32,
    pub(crate) parts: Parts,
    bytes: Vec<u8>,
    control: Option<u8>,
    /// Number of bytes that a bug counts across messages.
    base: u64,
    pub(crate) bugs: Bugs,
}

impl Default for Queue {
    fn default() -> Self {
        Self::new(Bugs::NONE)
    }
}

impl Queue {
    /// Creates a queue whose next message is the first.
    pub(crate) fn new(bugs: Bugs) -> Self {
        Self { next: 1, parts: Parts::default(), bytes: Vec::new(), control: None, base: 0, bugs }
    }

    /// Returns the queue with this MSN as its next.
    #[cfg(test)]
    pub(crate) fn with_next(self, next: u32) -> Self {
        Self { next, ..self }
    }

    /// Checks a segment (RFC 5041 section 7.1); `room` is the length of the buffer for its message, if
    /// there is one.
    ///
    /// The MSN must be the next one: any other is out of range. A missing buffer is reported only for
    /// the right MSN. The MO must lie in the buffer, and no bytes may be missing once the segment with
    /// the last flag has arrived: it carries the highest MO (section 4.1).
    pub(crate) fn check(
        &self,
        header: &UntaggedView<'_>,
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
        let room = room.or(any).ok_or(Violation::NoBuffer)? as u64;
        let more = u64::from(self.bugs.has(Bug::MessageLengthLoose));
        let start = self.offset(header).ok_or(Violation::MessageOffset)?;
        let end = start + payload as u64;
        // Without a limit to the buffer, a far offset would use all memory.
        let endless = self.bugs.has(Bug::MessageLengthUnchecked);
        let unbounded = room == u64::MAX || endless;
        let far = start > room || unbounded || self.bugs.has(Bug::MessageOffsetInTurn);
        if far && start != self.parts.contiguous() {
            return Err(Violation::MessageOffset);
        }
        if start > room && !unbounded {
            return Err(Violation::MessageTooLong);
        }
        if end > room.saturating_add(more) && !endless {
            return Err(Violation::MessageTooLong);
        }
        if header.control().last() && !self.parts.are_whole_with(start, end) {
            return Err(Violation::MessageOffset);
        }
        Ok(())
    }

    /// Returns whether a message has begun with another RDMAP control byte: all segments of a message must
    /// have the same. `control` is that byte without the bits that a receiver ignores.
    pub(crate) fn began_otherwise(&self, control: u8) -> bool {
        self.control.is_some_and(|first| first != control)
    }

    /// Returns the offset of a segment's bytes in their message; `None` if it is before the beginning.
    fn offset(&self, header: &UntaggedView<'_>) -> Option<u64> {
        match self.bugs.has(Bug::MessageOffsetUnchecked) {
            true => Some(self.parts.contiguous()),
            false => u64::from(header.message_offset()).checked_sub(self.base),
        }
    }

    /// Returns the number of messages before this MSN; `None` if that message has already been received.
    pub(crate) fn messages_before(&self, number: u32) -> Option<usize> {
        let ahead = number.wrapping_sub(self.next);
        (ahead <= u32::MAX / 2).then_some(ahead as usize)
    }

    /// Returns whether a message is incomplete.
    pub(crate) fn under_way(&self) -> bool {
        self.control.is_some()
    }

    /// Accepts a checked segment; `placed` says that its bytes were placed elsewhere.
    pub(crate) fn take(
        &mut self,
        header: &UntaggedView<'_>,
        control: u8,
        payload: &[u8],
        placed: bool,
    ) {
        self.control = Some(control);
        if payload.is_empty() {
            return;
        }
        let start = self.offset(header).unwrap_or_default();
        let end = start + payload.len() as u64;
        self.parts.add(start, end);
        if !placed {
            // A message's bytes fit in `usize`: they fit in its buffer.
            let (start, end) = (start as usize, end as usize);
            self.bytes.resize(self.bytes.len().max(end), 0);
            if let Some(bytes) = self.bytes.get_mut(start..end) {
                bytes.copy_from_slice(payload);
            }
        }
    }

    /// Ends the message: returns its bytes and advances to the next MSN.
    pub(crate) fn finish(&mut self) -> Vec<u8> {
        self.next = self.next.wrapping_add(1);
        self.bugs.when(Bug::SequenceNumberIn8Bits, || self.next &= 0xff);
        self.bugs.when(Bug::SequenceNumberIn16Bits, || self.next &= 0xffff);
        if self.bugs.has(Bug::QueueOffsetNotReset) {
            self.base += self.parts.end();
        }
        self.parts = Parts::default();
        self.control = None;
        std::mem::take(&mut self.bytes)
    }
}

/// The next MSN of each queue: every message takes one (RFC 5041 section 4.3).
#[derive(Debug)]
pub(crate) struct SequenceNumbers {
    next: [u32; 4],
    /// Number of bytes sent, where a bug counts them.
    sent: [u32; 4],
    pub(crate) bugs: Bugs,
}

impl SequenceNumbers {
    /// Creates the numbers: all queues begin with 1.
    pub(crate) fn new(bugs: Bugs) -> Self {
        let first = if bugs.has(Bug::SequenceNumberFromZero) { 0 } else { 1 };
        Self { next: [first; 4], sent: [0; 4], bugs }
    }

    /// Returns these numbers with this MSN as the next of every queue.
    #[cfg(test)]
    pub(crate) fn with_next(self, next: u32) -> Self {
        Self { next: [next; 4], ..self }
    }

    /// Returns the MSN of the next message on a queue, and advances it.
    pub(crate) fn take(&mut self, queue: usize) -> u32 {
        let queue = if self.bugs.has(Bug::SequenceNumberShared) { 0 } else { queue };
        let Some(next) = self.next.get_mut(queue) else { return 0 };
        let step = match self.bugs {
            bugs if bugs.has(Bug::SequenceNumberStuck) => 0,
            bugs if bugs.has(Bug::SequenceNumberSkips) => 2,
            _ => 1,
        };
        let number = std::mem::replace(next, next.wrapping_add(step));
        match self.bugs {
            bugs if bugs.has(Bug::SequenceNumberSentIn8Bits) => number & 0xff,
            bugs if bugs.has(Bug::SequenceNumberSentIn16Bits) => number & 0xffff,
            _ => number,
        }
    }

    /// Applies a bug to the MO of a segment with `length` bytes: the MO then counts all bytes that the
    /// queue has sent before.
    pub(crate) fn spoil_offset(&mut self, queue: u32, length: usize, offset: u32) -> u32 {
        if !self.bugs.has(Bug::MessageOffsetNotReset) {
            return offset;
        }
        let Some(sent) = self.sent.get_mut(queue as usize) else { return offset };
        std::mem::replace(sent, sent.wrapping_add(length as u32))
    }
}
