//! Frames ULPDUs (RFC 5044 section 4).

use warpscope_wire::mpa::{
    CRC_LENGTH, Fpdu, MARKER_INTERVAL, MARKER_LENGTH, MAX_ULPDU, fpdu_length,
    fpdu_length_with_markers, insert_markers,
};
use warpscope_wire::{BufferTooSmall, Illegal};

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

    /// Appends the FPDU that carries `ulpdu`, with the markers that fall into it, to `stream`.
    ///
    /// # Errors
    /// When the ULPDU is over 64768 octets.
    pub fn frame(&mut self, ulpdu: &[u8], stream: &mut Vec<u8>) -> Result<(), FrameError> {
        let fpdu = Fpdu::new(ulpdu)?;
        let start = stream.len();
        if self.markers {
            let mut plain = vec![0; fpdu.length()];
            fpdu.emit(&mut plain)?;
            insert_markers(self.position, &plain, stream);
        } else {
            stream.resize(start + fpdu.length(), 0);
            fpdu.emit(stream.get_mut(start..).unwrap_or(&mut []))?;
        }
        let end = stream.len();
        if !self.crc
            && let Some(field) = stream.get_mut(end.saturating_sub(CRC_LENGTH)..)
        {
            field.fill(0);
        }
        self.position = self.position.wrapping_add((end - start) as u64);
        Ok(())
    }
}

/// A ULPDU that cannot be framed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    /// It is too long.
    #[error(transparent)]
    Illegal(#[from] Illegal),
    /// Its buffer was too short.
    #[error(transparent)]
    BufferTooSmall(#[from] BufferTooSmall),
}
