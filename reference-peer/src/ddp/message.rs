//! A message on its way out, cut into segments as they are sent (RFC 5041 section 5.2).

use super::SequenceNumbers;
use crate::bug::{Bug, Bugs};
use crate::memory::{AccessViolation, Accessor, Memory, Rights};
use warpscope_wire::Writer;
use warpscope_wire::ddp::{TaggedView, UntaggedView};
use warpscope_wire::rdmap::{Destination, IMMEDIATE_LENGTH, RdmapControl, Segment};

/// Where a message goes.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Target {
    /// To a tagged buffer.
    Tagged { steering_tag: u32, tagged_offset: u64 },
    /// To the queue of its kind.
    Untagged { invalidate_steering_tag: u32, message_sequence_number: u32 },
}

/// Where its bytes come from.
#[derive(Debug, Clone)]
pub(crate) enum Content {
    Bytes(Vec<u8>),
    /// A buffer of this side, named by this side.
    Local {
        steering_tag: u32,
        tagged_offset: u64,
    },
    /// A buffer of this side, named by the peer: judged again for every segment.
    Remote {
        steering_tag: u32,
        tagged_offset: u64,
    },
}

/// Who waits for a message to be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The work request with this number.
    WorkRequest(u64),
    /// The first of the peer's requests.
    Response,
    /// Nobody: a ready-to-receive indication.
    Indication,
    /// The end of the stream.
    Terminate,
}

/// A message on its way out.
#[derive(Debug, Clone)]
pub(crate) struct OutMessage {
    pub(crate) control: RdmapControl,
    pub(crate) target: Target,
    pub(crate) content: Content,
    /// Bytes without Immediate Data.
    pub(crate) length: u64,
    /// Bytes that are in segments already.
    pub(crate) sent: u64,
    /// Immediate Data behind the bytes, as it is sent.
    pub(crate) immediate: Option<[u8; IMMEDIATE_LENGTH]>,
    pub(crate) origin: Origin,
}

/// A segment, and whether it was the message's last. Its payload stays where it is.
#[derive(Debug)]
pub(crate) struct Cut<'a> {
    header: [u8; UntaggedView::LENGTH],
    header_length: usize,
    payload: &'a [u8],
    /// Bytes of the message in front of it.
    sent: u64,
    pub(crate) last: bool,
}

impl Cut<'_> {
    /// The header and the payload: the ULPDU in two spans.
    pub(crate) fn spans(&self) -> [&[u8]; 2] {
        [self.header.get(..self.header_length).unwrap_or(&[]), self.payload]
    }

    /// Bytes of the ULPDU.
    pub(crate) fn length(&self) -> usize {
        self.header_length + self.payload.len()
    }

    /// What bugs make of the ULPDU.
    pub(crate) fn spoiled(&self, bugs: Bugs, numbers: &mut SequenceNumbers) -> Vec<u8> {
        let mut ulpdu = self.spans().concat();
        if let Some(header) = ulpdu.first_chunk_mut()
            && header[0] & 0x80 == 0
        {
            self.spoil_untagged(bugs, numbers, header);
        } else if let Some((header, _)) = ulpdu.split_first_chunk_mut::<{ TaggedView::LENGTH }>()
            && bugs.has(Bug::TaggedOffsetStuck)
        {
            let [.., a, b, c, d, e, f, g, h] = header;
            let offset = u64::from_be_bytes([*a, *b, *c, *d, *e, *f, *g, *h]);
            let first = offset.wrapping_sub(self.sent);
            [*a, *b, *c, *d, *e, *f, *g, *h] = first.to_be_bytes();
        }
        spoil_payload(bugs, &mut ulpdu);
        if let [ddp_control, rdmap_control, ..] = &mut ulpdu[..] {
            spoil_controls(bugs, ddp_control, rdmap_control);
        }
        ulpdu
    }

    /// What bugs make of an untagged header: behind the control bytes, the STag to invalidate, queue
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
        if bugs.has(Bug::MessageOffsetStuck) {
            offset = 0;
        }
        if bugs.has(Bug::MessageOffsetInWords) {
            offset /= 4;
        }
        [*m0, *m1, *m2, *m3] = offset.to_be_bytes();
    }
}

/// The opcode in the RDMAP control byte, and the bits of its version.
const OPCODE: u8 = 0x1f;
const VERSION: u8 = 0xc0;

/// What bugs make of a payload behind an untagged header.
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

/// What bugs make of both control bytes.
fn spoil_controls(bugs: Bugs, ddp: &mut u8, rdmap: &mut u8) {
    if bugs.has(Bug::LastMissing) {
        *ddp &= !0x40;
    }
    if bugs.has(Bug::LastOnEverySegment) {
        *ddp |= 0x40;
    }
    if bugs.has(Bug::DdpVersionZero) {
        *ddp &= !0x03;
    }
    if bugs.has(Bug::DdpReservedBits) {
        *ddp |= 0x04;
    }
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
    if bugs.has(Bug::RdmapVersionZero) {
        *rdmap &= !VERSION;
    }
    if bugs.has(Bug::RdmapReservedBits) {
        *rdmap |= 0x20;
    }
}

impl OutMessage {
    /// A message of bytes that are at hand.
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

    /// The next segment, no longer than `mulpdu` unless that leaves no room for a byte.
    ///
    /// # Errors
    /// When the buffer that the bytes come from cannot be read any more.
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

    /// The segment that has `payload` behind `sent` bytes of the message.
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
