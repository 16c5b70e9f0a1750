//! One direction's stream as MPA makes it: a setup frame, then FPDUs with or without markers.

use crate::Result;
use warpscope_wire::mpa::{CRC_LENGTH, Fpdu, MARKER_LENGTH, Setup, insert_markers};

/// An FPDU that was put into a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedFpdu {
    /// Stream offset of its first byte, a marker just before it included.
    pub stream_offset: u64,
    /// Bytes of stream that it takes, markers included.
    pub stream_length: usize,
    /// Its ULPDU.
    pub ulpdu: Vec<u8>,
}

/// A direction's stream. Bytes wait in it until [`MpaStream::take`].
#[derive(Debug, Clone, Default)]
pub struct MpaStream {
    /// Whether the receiver asked for markers.
    pub markers: bool,
    /// Whether CRC fields are zero because neither side wants CRCs.
    pub crc_off: bool,
    /// Whether the FPDUs are remembered in `fpdus`.
    pub remember: bool,
    /// Bytes of Full Operation so far.
    position: u64,
    offset: u64,
    waiting: Vec<u8>,
    ends: Vec<usize>,
    /// The FPDUs so far, when remembered.
    pub fpdus: Vec<PlannedFpdu>,
}

impl MpaStream {
    /// An empty stream that remembers its FPDUs.
    pub fn remembering() -> Self {
        Self { remember: true, ..Self::default() }
    }

    /// Bytes of the stream so far.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Bytes since the setup frame: markers stand at the multiples of 512.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// Adds a setup frame.
    ///
    /// # Errors
    /// Never in practice: the buffer is as long as the frame.
    pub fn setup(&mut self, setup: &Setup) -> Result<()> {
        let mut frame = vec![0; setup.length()];
        setup.emit(&mut frame)?;
        self.raw(&frame);
        Ok(())
    }

    /// Adds bytes that are neither setup frame nor FPDU; Full Operation begins behind them.
    pub fn raw(&mut self, bytes: &[u8]) {
        self.waiting.extend_from_slice(bytes);
        self.offset += bytes.len() as u64;
        self.ends.push(self.waiting.len());
    }

    /// Adds an FPDU.
    ///
    /// # Errors
    /// When the ULPDU is too long.
    pub fn fpdu(&mut self, ulpdu: &[u8]) -> Result<()> {
        let fpdu = Fpdu::new(ulpdu)?;
        let start = self.waiting.len();
        if self.markers {
            let mut plain = vec![0; fpdu.length()];
            fpdu.emit(&mut plain)?;
            insert_markers(self.position, &plain, &mut self.waiting);
        } else {
            self.waiting.resize(start + fpdu.length(), 0);
            fpdu.emit(&mut self.waiting[start..])?;
        }
        let end = self.waiting.len();
        if self.crc_off {
            self.waiting[end - CRC_LENGTH..].fill(0);
        }
        if self.remember {
            let (stream_offset, stream_length) = (self.offset, end - start);
            self.fpdus.push(PlannedFpdu { stream_offset, stream_length, ulpdu: ulpdu.to_vec() });
        }
        self.offset += (end - start) as u64;
        self.position += (end - start) as u64;
        self.ends.push(end);
        Ok(())
    }

    /// Inverts the bits of the CRC field of the FPDU added last.
    pub fn spoil_crc(&mut self) {
        let field = self.waiting.len().saturating_sub(CRC_LENGTH);
        for byte in &mut self.waiting[field..] {
            *byte = !*byte;
        }
    }

    /// Adds 4 to FPDUPTR of the first marker in the FPDU added last, and puts its CRC right again.
    pub fn spoil_marker(&mut self) {
        let end = self.waiting.len();
        let start = self.ends.iter().rev().nth(1).copied().unwrap_or(0);
        let position = self.position - (end - start) as u64;
        let marker = start + (warpscope_wire::mpa::next_marker(position) - position) as usize;
        if marker + MARKER_LENGTH + CRC_LENGTH <= end {
            self.waiting[marker + 3] = self.waiting[marker + 3].wrapping_add(4);
            let covered = end - CRC_LENGTH;
            let crc = warpscope_wire::crc::crc32c(&self.waiting[start..covered]);
            let field = warpscope_wire::crc::field_bytes(crc);
            self.waiting[covered..].copy_from_slice(&field);
        }
    }

    /// Takes the bytes that wait, and where units end in them.
    pub fn take(&mut self) -> (Vec<u8>, Vec<usize>) {
        (std::mem::take(&mut self.waiting), std::mem::take(&mut self.ends))
    }
}
