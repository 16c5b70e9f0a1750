//! Messages and setup frames as a case wants them.

use super::figure::{self, Bits};

/// Where a message goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// Into a tagged buffer.
    Tagged {
        /// STag.
        steering_tag: u32,
        /// TO of the first byte.
        tagged_offset: u64,
    },
    /// To the queue of this number (QN).
    Untagged(u32),
}

/// A message to send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MessageOut {
    /// Opcode, five bits.
    pub(crate) opcode: u8,
    /// Where it goes.
    pub(crate) place: Place,
    /// What it carries.
    pub(crate) payload: Vec<u8>,
}

impl MessageOut {
    /// An untagged message of the next MSN of its queue.
    pub(crate) fn untagged(opcode: u8, queue: u32, payload: &[u8]) -> Self {
        Self::to(Place::Untagged(queue), opcode, payload)
    }

    /// A tagged message.
    pub(crate) fn tagged(
        opcode: u8,
        steering_tag: u32,
        tagged_offset: u64,
        payload: &[u8],
    ) -> Self {
        Self::to(Place::Tagged { steering_tag, tagged_offset }, opcode, payload)
    }

    /// A Send.
    pub(crate) fn send(payload: &[u8]) -> Self {
        Self::untagged(figure::SEND, 0, payload)
    }

    /// A Write.
    pub(crate) fn write(steering_tag: u32, tagged_offset: u64, payload: &[u8]) -> Self {
        Self::tagged(figure::WRITE, steering_tag, tagged_offset, payload)
    }

    /// A Read Request: `size` bytes of the source go to the sink; both are STag and TO.
    pub(crate) fn read_request(sink: (u32, u64), size: u32, source: (u32, u64)) -> Self {
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
        Self { opcode, place, payload }
    }

    /// Its DDP segments. `sequence` is the MSN of an untagged one; `longest` is the longest
    /// ULPDU.
    pub(crate) fn segments(&self, sequence: u32, longest: usize) -> Vec<Vec<u8>> {
        let header = match self.place {
            Place::Tagged { .. } => figure::TAGGED_HEADER,
            Place::Untagged(_) => figure::UNTAGGED_HEADER,
        };
        let room = longest.saturating_sub(header).max(1);
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
            segments.push(bytes);
            offset += piece.len() as u64;
        }
        segments
    }

    fn header(&self, bytes: &mut [u8], sequence: u32, offset: u64, last: bool) {
        let mut put = |bits: Bits, value: u64| bits.write(bytes, value);
        put(figure::LAST, u64::from(last));
        put(figure::DDP_VERSION, 1);
        put(figure::RDMAP_VERSION, 1);
        put(figure::OPCODE, self.opcode.into());
        match self.place {
            Place::Tagged { steering_tag, tagged_offset } => {
                put(figure::TAGGED, 1);
                put(figure::STEERING_TAG, steering_tag.into());
                put(figure::TAGGED_OFFSET, tagged_offset.wrapping_add(offset));
            }
            Place::Untagged(queue) => {
                put(figure::QUEUE_NUMBER, queue.into());
                put(figure::MESSAGE_SEQUENCE_NUMBER, sequence.into());
                put(figure::MESSAGE_OFFSET, offset);
            }
        }
    }
}

/// A setup frame to send: right unless something here says otherwise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SetupOut {
    /// A reply; else a request.
    pub(crate) reply: bool,
    /// M.
    pub(crate) markers: bool,
    /// C.
    pub(crate) crc: bool,
    /// R.
    pub(crate) rejected: bool,
    /// S: the private data begins with enhanced data.
    pub(crate) enhanced: bool,
    /// Rev.
    pub(crate) revision: u8,
    /// The private data, enhanced data included.
    pub(crate) private_data: Vec<u8>,
}

impl SetupOut {
    /// A request of revision 1 that wants CRCs.
    pub(crate) fn request(private_data: &[u8]) -> Self {
        Self {
            reply: false,
            markers: false,
            crc: true,
            rejected: false,
            enhanced: false,
            revision: 1,
            private_data: private_data.to_vec(),
        }
    }

    /// A reply of revision 1 that wants CRCs.
    pub(crate) fn reply(private_data: &[u8]) -> Self {
        Self { reply: true, ..Self::request(private_data) }
    }

    /// Its bytes.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let key = if self.reply { b"MPA ID Rep Frame" } else { b"MPA ID Req Frame" };
        let mut bytes = key.to_vec();
        let flag = |set: bool, bit: u8| if set { bit } else { 0 };
        bytes.push(
            flag(self.markers, 0x80)
                | flag(self.crc, 0x40)
                | flag(self.rejected, 0x20)
                | flag(self.enhanced, 0x10),
        );
        bytes.push(self.revision);
        bytes.extend_from_slice(&(self.private_data.len() as u16).to_be_bytes());
        bytes.extend_from_slice(&self.private_data);
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::MessageOut;

    /// RFC 5041 figure 5 and RFC 5040 figure 3, by hand: L, DV 1; RV 1, opcode 3.
    #[test]
    fn a_send_in_two_segments() {
        let segments = MessageOut::send(b"abc").segments(9, 20);
        let header = |control, offset| {
            vec![control, 0x43, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, offset]
        };
        assert_eq!(segments[0], [header(0x01, 0), b"ab".to_vec()].concat());
        assert_eq!(segments[1], [header(0x41, 2), b"c".to_vec()].concat());
    }

    #[test]
    fn a_write() {
        let segments = MessageOut::write(0x0102_0304, 0x10, b"x").segments(0, 1000);
        assert_eq!(segments, [vec![0xc1, 0x40, 1, 2, 3, 4, 0, 0, 0, 0, 0, 0, 0, 0x10, b'x']]);
    }
}
