//! Messages as a test wants them, cut into DDP segments.

use super::bits::Bits;
use super::figure;

/// Where a message goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Into a tagged buffer.
    Tagged {
        /// STag.
        steering_tag: u32,
        /// TO of the first byte.
        tagged_offset: u64,
    },
    /// To a queue.
    Untagged {
        /// QN.
        queue: u32,
        /// MSN; none for the next one of the queue.
        sequence: Option<u32>,
        /// What stands where a Send with Invalidate has its STag.
        invalidated: u32,
    },
}

/// Which segments of a message something is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// All.
    All,
    /// The first.
    First,
    /// The last.
    Last,
    /// The one of this number, from 0.
    Number(usize),
}

impl Which {
    /// Whether segment `index` of `count` is one of them.
    pub fn is(self, index: usize, count: usize) -> bool {
        match self {
            Self::All => true,
            Self::First => index == 0,
            Self::Last => index + 1 == count,
            Self::Number(number) => index == number,
        }
    }
}

/// A field that is overridden.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patch {
    /// In which segments; a setup frame is one.
    pub segment: Which,
    /// Where in the segment's bytes, DDP header counted.
    pub bits: Bits,
    /// Its value.
    pub value: u64,
}

/// A message to send: right unless something here says otherwise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageOut {
    /// Opcode, five bits.
    pub opcode: u8,
    /// RV.
    pub version: u8,
    /// Where it goes.
    pub place: Place,
    /// What it carries.
    pub payload: Vec<u8>,
    /// Bytes of payload in each segment but the last; none for what the link's longest ULPDU allows.
    pub segment_payload: Option<usize>,
    /// Fields that are overridden, in the order in which they are written.
    pub patches: Vec<Patch>,
}

impl MessageOut {
    /// An untagged message of the next MSN of its queue.
    pub fn untagged(opcode: u8, queue: u32, payload: &[u8]) -> Self {
        let place = Place::Untagged { queue, sequence: None, invalidated: 0 };
        Self::to(place, opcode, payload)
    }

    /// A tagged message.
    pub fn tagged(opcode: u8, steering_tag: u32, tagged_offset: u64, payload: &[u8]) -> Self {
        Self::to(Place::Tagged { steering_tag, tagged_offset }, opcode, payload)
    }

    /// A Send.
    pub fn send(payload: &[u8]) -> Self {
        Self::untagged(figure::SEND, 0, payload)
    }

    /// A Write.
    pub fn write(steering_tag: u32, tagged_offset: u64, payload: &[u8]) -> Self {
        Self::tagged(figure::WRITE, steering_tag, tagged_offset, payload)
    }

    /// A Read Request: `size` bytes of the source go to the sink; both are STag and TO.
    pub fn read_request(sink: (u32, u64), size: u32, source: (u32, u64)) -> Self {
        let mut payload = vec![0; figure::READ_REQUEST];
        for (bits, value) in [
            (figure::SINK_STEERING_TAG, u64::from(sink.0)),
            (figure::SINK_OFFSET, sink.1),
            (figure::READ_SIZE, u64::from(size)),
            (figure::SOURCE_STEERING_TAG, u64::from(source.0)),
            (figure::SOURCE_OFFSET, source.1),
        ] {
            bits.write(&mut payload, value);
        }
        Self::untagged(figure::READ_REQUEST_OPCODE, 1, &payload)
    }

    fn to(place: Place, opcode: u8, payload: &[u8]) -> Self {
        let payload = payload.to_vec();
        Self { opcode, version: 1, place, payload, segment_payload: None, patches: Vec::new() }
    }

    /// With one more field overridden, in all segments.
    #[must_use]
    pub fn with(mut self, bits: Bits, value: u64) -> Self {
        self.patches.push(Patch { segment: Which::All, bits, value });
        self
    }

    /// Its DDP segments. `sequence` is the MSN where the message names none; `longest` is the longest
    /// ULPDU.
    pub fn segments(&self, sequence: u32, longest: usize) -> Vec<Vec<u8>> {
        let header = match self.place {
            Place::Tagged { .. } => figure::TAGGED_HEADER,
            Place::Untagged { .. } => figure::UNTAGGED_HEADER,
        };
        let room = self.segment_payload.unwrap_or(longest.saturating_sub(header)).max(1);
        let mut pieces: Vec<&[u8]> = self.payload.chunks(room).collect();
        if pieces.is_empty() {
            pieces.push(&[]);
        }
        let count = pieces.len();
        let mut offset = 0;
        let mut segments = Vec::with_capacity(count);
        for (index, piece) in pieces.into_iter().enumerate() {
            let mut bytes = vec![0; header];
            bytes.extend_from_slice(piece);
            self.header(&mut bytes, sequence, offset, index + 1 == count);
            for it in self.patches.iter().filter(|it| it.segment.is(index, count)) {
                patch(it, &mut bytes);
            }
            segments.push(bytes);
            offset += piece.len() as u64;
        }
        segments
    }

    fn header(&self, bytes: &mut [u8], next: u32, offset: u64, last: bool) {
        let mut put = |bits: Bits, value: u64| bits.write(bytes, value);
        put(figure::LAST, u64::from(last));
        put(figure::DDP_VERSION, 1);
        put(figure::RDMAP_VERSION, self.version.into());
        put(figure::OPCODE, self.opcode.into());
        match self.place {
            Place::Tagged { steering_tag, tagged_offset } => {
                put(figure::TAGGED, 1);
                put(figure::STEERING_TAG, steering_tag.into());
                put(figure::TAGGED_OFFSET, tagged_offset.wrapping_add(offset));
            }
            Place::Untagged { queue, sequence, invalidated } => {
                put(figure::INVALIDATED, invalidated.into());
                put(figure::QUEUE_NUMBER, queue.into());
                put(figure::MESSAGE_SEQUENCE_NUMBER, sequence.unwrap_or(next).into());
                put(figure::MESSAGE_OFFSET, offset);
            }
        }
    }
}

/// Overrides a field; bytes that it lies behind are added.
pub(super) fn patch(patch: &Patch, bytes: &mut Vec<u8>) {
    let end = (patch.bits.offset + patch.bits.width).div_ceil(8);
    if bytes.len() < end {
        bytes.resize(end, 0);
    }
    patch.bits.write(bytes, patch.value);
}

#[cfg(test)]
mod tests {
    use super::{Bits, MessageOut};

    /// RFC 5041 figure 5 and RFC 5040 figure 3, by hand: L, DV 1; RV 1, opcode 3.
    #[test]
    fn a_send_in_two_segments() {
        let message = MessageOut { segment_payload: Some(2), ..MessageOut::send(b"abc") };
        let segments = message.segments(9, 1000);
        let header = |control, offset| {
            vec![control, 0x43, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, offset]
        };
        assert_eq!(segments[0], [header(0x01, 0), b"ab".to_vec()].concat());
        assert_eq!(segments[1], [header(0x41, 2), b"c".to_vec()].concat());
    }

    #[test]
    fn a_write_with_an_override() {
        let message = MessageOut::write(0x0102_0304, 0x10, b"x").with(Bits::new(6, 2), 3);
        let segments = message.segments(0, 1000);
        assert_eq!(segments, [vec![0xc3, 0x40, 1, 2, 3, 4, 0, 0, 0, 0, 0, 0, 0, 0x10, b'x']]);
    }
}
