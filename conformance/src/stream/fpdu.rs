//! FPDUs as a test wants them, right or wrong, with the markers of the stream (RFC 5044 §4).

use warpscope_wire::crc;

/// Bytes of stream from one marker to the next.
pub(crate) const INTERVAL: u64 = 512;
/// Bytes of a marker.
pub(crate) const MARKER: usize = 4;

/// What the CRC field of an FPDU holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum CrcStyle {
    /// The right CRC where CRCs are in use, else zero.
    #[default]
    Agreed,
    /// The right CRC with its last bit turned.
    Wrong,
    /// The four bytes of this number, big-endian.
    Is(u32),
}

/// How the markers that fall into an FPDU look, where the stream has markers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum MarkerStyle {
    /// As they must be.
    #[default]
    Right,
    /// Their FPDUPTR is so much more than it should be (modulo 2^16).
    PointerOff(u16),
    /// Their FPDUPTR is this.
    PointerIs(u16),
    /// Their reserved half word is this.
    Reserved(u16),
    /// There are none.
    LeftOut,
}

/// How an FPDU differs from the right one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct FpduStyle {
    /// The CRC field.
    pub(crate) crc: CrcStyle,
    /// ULPDU_Length, if it is not that of the ULPDU. The pad is that of the ULPDU all the same.
    pub(crate) length: Option<u16>,
    /// The pad, if it is not the right number of zeros.
    pub(crate) pad: Option<Vec<u8>>,
    /// The markers.
    pub(crate) markers: MarkerStyle,
}

/// One direction's framing: where the stream is, and what was agreed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Framing {
    /// Bytes of Full Operation so far.
    pub(crate) position: u64,
    /// Whether the stream has markers.
    pub(crate) markers: bool,
    /// Whether CRCs are in use.
    pub(crate) crc: bool,
}

impl Framing {
    /// Appends an FPDU to `out`.
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

/// Puts an FPDU's bytes behind one another, with the markers between.
struct Marking {
    framing: Framing,
    style: MarkerStyle,
    begin: usize,
    /// Bytes from `begin` to the length field, once that is there.
    start: Option<usize>,
}

impl Marking {
    /// Puts the marker that stands here, if one does; returns the bytes from here to the next.
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
    use super::{CrcStyle, FpduStyle, Framing, MarkerStyle};

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
    /// stands at 512 and points back to the length field at 4.
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
