//! Messages and setup frames as required by a case.

use super::figure::{self, Bits};
use warpscope_wire::crc;

/// The destination of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// Into a tagged buffer.
    Tagged {
        steering_tag: u32,
        /// TO of the first byte.
        tagged_offset: u64,
    },
    /// To the queue of this number (QN).
    Untagged(u32),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MessageOut {
    /// Opcode, five bits.
    pub(crate) opcode: u8,
    pub(crate) place: Place,
    pub(crate) payload: Vec<u8>,
}

impl MessageOut {
    /// Returns an untagged message with the next MSN of its queue.
    pub(crate) fn untagged(opcode: u8, queue: u32, payload: &[u8]) -> Self {
        Self::to(Place::Untagged(queue), opcode, payload)
    }

    pub(crate) fn tagged(
        opcode: u8,
        steering_tag: u32,
        tagged_offset: u64,
        payload: &[u8],
    ) -> Self {
        Self::to(Place::Tagged { steering_tag, tagged_offset }, opcode, payload)
    }

    pub(crate) fn send(payload: &[u8]) -> Self {
        Self::untagged(figure::SEND, 0, payload)
    }

    pub(crate) fn write(steering_tag: u32, tagged_offset: u64, payload: &[u8]) -> Self {
        Self::tagged(figure::WRITE, steering_tag, tagged_offset, payload)
    }

    /// Returns a Read Request: `size` bytes of the source go to the sink. Both are STag and TO.
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

    /// Returns its DDP segments. `sequence` is the MSN of an untagged one; `longest` is the maximum ULPDU.
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

/// A setup frame to send: correct unless something here says otherwise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SetupOut {
    /// Whether it is a reply; else it is a request.
    pub(crate) reply: bool,
    pub(crate) markers: bool,
    pub(crate) crc: bool,
    pub(crate) rejected: bool,
    /// S: the private data begins with enhanced data.
    pub(crate) enhanced: bool,
    pub(crate) revision: u8,
    /// The private data, including enhanced data.
    pub(crate) private_data: Vec<u8>,
}

impl SetupOut {
    /// Returns a request of revision 1 that asks for CRCs.
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

    /// Returns a reply of revision 1 that asks for CRCs.
    #[cfg(test)]
    pub(crate) fn reply(private_data: &[u8]) -> Self {
        Self { reply: true, ..Self::request(private_data) }
    }

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

/// The number of stream bytes from one marker to the next.
pub(crate) const INTERVAL: u64 = 512;
pub(crate) const MARKER: usize = 4;

/// The contents of the CRC field of an FPDU.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum CrcStyle {
    /// The correct CRC if CRCs are in use, else zero.
    #[default]
    Agreed,
    /// The correct CRC with its last bit flipped.
    Wrong,
    /// The four bytes of this number, big-endian.
    Is(u32),
}

/// The style of the markers within an FPDU, if the stream has markers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum MarkerStyle {
    /// Correct markers.
    #[default]
    Right,
    /// Their FPDUPTR is this much greater than it should be (modulo 2^16).
    PointerOff(u16),
    /// Their FPDUPTR is this.
    PointerIs(u16),
    /// Their reserved half word is this.
    Reserved(u16),
    LeftOut,
}

/// How an FPDU differs from a correct one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct FpduStyle {
    pub(crate) crc: CrcStyle,
    /// ULPDU_Length, if it is not that of the ULPDU. The pad still matches the ULPDU.
    pub(crate) length: Option<u16>,
    /// The pad, if it is not the correct number of zeros.
    pub(crate) pad: Option<Vec<u8>>,
    pub(crate) markers: MarkerStyle,
}

/// The framing of one direction: its position in the stream, and what was agreed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Framing {
    /// The number of bytes of Full Operation so far.
    pub(crate) position: u64,
    /// Whether the stream has markers.
    pub(crate) markers: bool,
    /// Whether CRCs are in use.
    pub(crate) crc: bool,
}

impl Framing {
    pub(crate) fn fpdu(&mut self, ulpdu: &[u8], style: &FpduStyle, out: &mut Vec<u8>) {
        let length = style.length.unwrap_or(ulpdu.len() as u16);
        let mut content = Vec::with_capacity(ulpdu.len() + 8);
        content.extend_from_slice(&length.to_be_bytes());
        content.extend_from_slice(ulpdu);
        match &style.pad {
            Some(pad) => content.extend_from_slice(pad),
            None => content.resize(content.len().next_multiple_of(4), 0),
        }
        let begin = out.len();
        let mut marking = Marking { framing: *self, style: style.markers, begin, start: None };
        marking.put(&content, out);
        marking.put_marker(out);
        let covered = out.get(begin..).unwrap_or_default();
        let right = crc::crc32c(covered);
        let in_use = self.crc;
        let field = match style.crc {
            CrcStyle::Agreed if !in_use => [0; 4],
            CrcStyle::Agreed => crc::field_bytes(right),
            CrcStyle::Wrong => crc::field_bytes(right ^ 1),
            CrcStyle::Is(number) => number.to_be_bytes(),
        };
        marking.put(&field, out);
        self.position += (out.len() - begin) as u64;
    }
}

/// Appends an FPDU's bytes, with the markers between them.
struct Marking {
    framing: Framing,
    style: MarkerStyle,
    begin: usize,
    /// The number of bytes from `begin` to the length field, once that has been written.
    start: Option<usize>,
}

impl Marking {
    /// Writes the marker at this position, if there is one. Returns the number of bytes to the next.
    fn put_marker(&mut self, out: &mut Vec<u8>) -> usize {
        let offset = out.len() - self.begin;
        if !self.framing.markers || self.style == MarkerStyle::LeftOut {
            self.start.get_or_insert(offset);
            return usize::MAX;
        }
        let position = self.framing.position + offset as u64;
        let into = position % INTERVAL;
        if into != 0 {
            self.start.get_or_insert(offset);
            return (INTERVAL - into) as usize;
        }
        let right = self.start.map_or(0, |start| offset - start) as u16;
        let (reserved, pointer) = match self.style {
            MarkerStyle::PointerOff(by) => (0, right.wrapping_add(by)),
            MarkerStyle::PointerIs(pointer) => (0, pointer),
            MarkerStyle::Reserved(reserved) => (reserved, right),
            _ => (0, right),
        };
        out.extend_from_slice(&reserved.to_be_bytes());
        out.extend_from_slice(&pointer.to_be_bytes());
        self.start.get_or_insert(offset + MARKER);
        INTERVAL as usize - MARKER
    }

    fn put(&mut self, mut bytes: &[u8], out: &mut Vec<u8>) {
        while !bytes.is_empty() {
            let room = self.put_marker(out);
            let (now, later) = bytes.split_at(bytes.len().min(room));
            out.extend_from_slice(now);
            bytes = later;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{CrcStyle, FpduStyle, Framing, MarkerStyle, MessageOut};

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

    fn made(framing: Framing, ulpdu: &[u8], style: &FpduStyle) -> Vec<u8> {
        let (mut framing, mut out) = (framing, Vec::new());
        framing.fpdu(ulpdu, style, &mut out);
        assert_eq!(framing.position, out.len() as u64);
        out
    }

    /// RFC 3720 §B.4: CRC-32C of 32 zeros is aa 36 91 8a on the wire. Length 0 overrides ULPDU_Length.
    #[test]
    fn crc_field() {
        let framing = Framing { crc: true, ..Framing::default() };
        let style = FpduStyle { length: Some(0), ..FpduStyle::default() };
        let fpdu = made(framing, &[0; 30], &style);
        assert_eq!(fpdu[32..], [0xaa, 0x36, 0x91, 0x8a]);
        let wrong = FpduStyle { crc: CrcStyle::Wrong, ..style.clone() };
        assert_ne!(made(framing, &[0; 30], &wrong)[32..], [0xaa, 0x36, 0x91, 0x8a]);
        let off = made(Framing::default(), &[0; 30], &style);
        assert_eq!(off[32..], [0; 4], "CRCs that are not in use are zero");
    }

    /// RFC 5044 §4.3: the first byte of Full Operation is a marker, with FPDUPTR 0; the next one
    /// is at 512 and points back to the length field at 4.
    #[test]
    fn markers_point_back() {
        let framing = Framing { crc: true, markers: true, position: 0 };
        let fpdu = made(framing, &[7; 600], &FpduStyle::default());
        assert_eq!(fpdu[..6], [0, 0, 0, 0, 0x02, 0x58]);
        assert_eq!(fpdu[512..516], [0, 0, 0x01, 0xfc]);
        let style = FpduStyle { markers: MarkerStyle::PointerOff(4), ..FpduStyle::default() };
        assert_eq!(made(framing, &[7; 600], &style)[512..516], [0, 0, 0x02, 0x00]);
        let style = FpduStyle { markers: MarkerStyle::LeftOut, ..FpduStyle::default() };
        assert_eq!(made(framing, &[7; 600], &style).len(), 2 + 600 + 2 + 4);
    }
}
