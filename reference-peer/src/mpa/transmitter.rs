//! Frames ULPDUs (RFC 5044 section 4).

use warpscope_wire::Illegal;
use warpscope_wire::mpa::{
    MARKER_INTERVAL, MARKER_LENGTH, MAX_ULPDU, append_fpdu, fpdu_length, fpdu_length_with_markers,
};

/// The smallest MULPDU that MPA may provide (RFC 5044 section 3).
const LEAST_MULPDU: usize = 128;

/// The longest ULPDU whose FPDU fits in a TCP segment of `emss` octets wherever its markers fall
/// (RFC 5044 section 4.5), in octets; at least 128 and at most 64768 (section 3).
pub fn mulpdu(emss: usize, markers: bool) -> u16 {
    let marker_octets =
        if markers { MARKER_LENGTH * emss.div_ceil(MARKER_INTERVAL as usize) } else { 0 };
    let room = emss.saturating_sub(6 + marker_octets + emss % 4);
    room.clamp(LEAST_MULPDU, MAX_ULPDU.into()) as u16
}

/// Frames the ULPDUs of one direction.
#[derive(Debug, Clone, Default)]
pub struct Transmitter {
    /// Whether the receiver requires markers.
    pub markers: bool,
    /// Whether CRCs are in use; if not, the field is zero.
    pub crc: bool,
    position: u64,
}

impl Transmitter {
    /// A transmitter at the first octet of Full Operation.
    pub fn new(markers: bool, crc: bool) -> Self {
        Self { markers, crc, position: 0 }
    }

    /// Octets of stream sent so far, markers included.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// Octets of stream that the next ULPDU takes, its markers counted.
    pub fn stream_length(&self, ulpdu_length: u16) -> usize {
        if self.markers {
            fpdu_length_with_markers(self.position, ulpdu_length)
        } else {
            fpdu_length(ulpdu_length)
        }
    }

    /// Appends the FPDU that carries the octets of `ulpdu`, given in pieces, to `stream`, with the
    /// markers that fall into it. Each octet is copied once.
    ///
    /// # Errors
    /// When the ULPDU is over 64768 octets.
    pub fn frame(&mut self, ulpdu: &[&[u8]], stream: &mut Vec<u8>) -> Result<(), Illegal> {
        let position = self.markers.then_some(self.position);
        let length = append_fpdu(stream, position, ulpdu, self.crc)?;
        self.position = self.position.wrapping_add(length as u64);
        Ok(())
    }
}
