//! A message on its way out, cut into segments as they are sent (RFC 5041 section 5.2).

use crate::memory::{AccessViolation, Accessor, Memory, Rights};
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

/// Where its octets come from.
#[derive(Debug, Clone)]
pub(crate) enum Content {
    Octets(Vec<u8>),
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
    /// Octets without Immediate Data.
    pub(crate) length: u64,
    /// Octets that are in segments already.
    pub(crate) sent: u64,
    /// Immediate Data behind the octets.
    pub(crate) immediate: Option<u64>,
    pub(crate) origin: Origin,
}

/// A segment, and whether it was the message's last.
#[derive(Debug)]
pub(crate) struct Cut {
    pub(crate) ulpdu: Vec<u8>,
    pub(crate) last: bool,
}

impl OutMessage {
    /// A message of octets that are at hand.
    pub(crate) fn of(
        control: RdmapControl,
        target: Target,
        octets: Vec<u8>,
        origin: Origin,
    ) -> Self {
        let length = octets.len() as u64;
        let content = Content::Octets(octets);
        Self { control, target, content, length, sent: 0, immediate: None, origin }
    }

    /// The next segment, no longer than `mulpdu` unless that leaves no room for an octet.
    ///
    /// # Errors
    /// When the buffer that the octets come from cannot be read any more.
    pub(crate) fn segment(
        &mut self,
        mulpdu: u16,
        memory: &Memory,
        accessor: Accessor,
    ) -> Result<Cut, AccessViolation> {
        let header = match self.target {
            Target::Tagged { .. } => TaggedView::LENGTH,
            Target::Untagged { .. } => UntaggedView::LENGTH,
        };
        let room = usize::from(mulpdu).saturating_sub(header).max(1) as u64;
        let left = self.length.saturating_sub(self.sent);
        if let Some(data) = self.immediate.filter(|_| left == 0) {
            let payload: [u8; IMMEDIATE_LENGTH] = data.to_be_bytes();
            return Ok(self.cut(header, true, &payload));
        }
        let step = left.min(room);
        let last = step == left && self.immediate.is_none();
        // A segment's octets fit in `usize`.
        let (start, end) = (self.sent as usize, (self.sent + step) as usize);
        let cut = match &self.content {
            Content::Octets(octets) => {
                let payload = octets.get(start..end).unwrap_or(&[]);
                self.cut(header, last, payload)
            }
            _ if step == 0 => self.cut(header, last, &[]),
            Content::Local { steering_tag, tagged_offset } => {
                let offset = tagged_offset.wrapping_add(self.sent);
                let place = memory.check_local(*steering_tag, offset, step)?;
                self.cut(header, last, memory.read(place))
            }
            Content::Remote { steering_tag, tagged_offset } => {
                let offset = tagged_offset.wrapping_add(self.sent);
                let place = memory.check(accessor, *steering_tag, offset, step, Rights::READ)?;
                self.cut(header, last, memory.read(place))
            }
        };
        self.sent += step;
        Ok(cut)
    }

    fn cut(&self, header: usize, last: bool, payload: &[u8]) -> Cut {
        let destination = match self.target {
            Target::Tagged { steering_tag, tagged_offset } => {
                let tagged_offset = tagged_offset.wrapping_add(self.sent);
                Destination::Tagged { steering_tag, tagged_offset }
            }
            Target::Untagged { invalidate_steering_tag, message_sequence_number } => {
                // Messages of 2^32 octets and more are refused when they are posted.
                let message_offset = self.sent as u32;
                Destination::Untagged {
                    invalidate_steering_tag,
                    message_sequence_number,
                    message_offset,
                }
            }
        };
        let mut ulpdu = vec![0; header + payload.len()];
        let made = Segment::new(self.control, last, destination, payload)
            .map(|segment| segment.emit(&mut ulpdu));
        debug_assert!(matches!(made, Ok(Ok(_))), "{made:?}");
        Cut { ulpdu, last }
    }
}
