//! Sense data, in the fixed format and in the descriptor format (SPC).

use super::names::{ADDITIONAL_SENSE, SENSE_KEYS};
use crate::{Layer, Malformed, Problem, name_of};

/// The layout of sense data; each has two response codes, for the command and for an earlier one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SenseFormat {
    /// Response codes 0x70 and 0x71.
    Fixed,
    /// Response codes 0x72 and 0x73.
    Descriptor,
}

/// Sense data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SenseView<'a> {
    bytes: &'a [u8],
    format: SenseFormat,
}

impl<'a> SenseView<'a> {
    /// Reads sense data.
    ///
    /// # Errors
    /// [`Malformed`] when there are fewer than four bytes, or the response code has no layout.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, Malformed> {
        let [first, _, _, _, ..] = bytes else {
            return Err(Malformed::short(Layer::Scsi, "sense data", 4, bytes.len()));
        };
        let format = match first & 0x7f {
            0x70 | 0x71 => SenseFormat::Fixed,
            0x72 | 0x73 => SenseFormat::Descriptor,
            other => {
                let problem = Problem::Value(other.into());
                return Err(Malformed { layer: Layer::Scsi, field: "response code", problem });
            }
        };
        Ok(Self { bytes, format })
    }

    fn byte(&self, fixed: usize, descriptor: usize) -> Option<u8> {
        let offset = match self.format {
            SenseFormat::Fixed => fixed,
            SenseFormat::Descriptor => descriptor,
        };
        self.bytes.get(offset).copied()
    }

    /// Returns the layout.
    pub fn format(&self) -> SenseFormat {
        self.format
    }

    /// Returns the response code: seven bits.
    pub fn response_code(&self) -> u8 {
        self.bytes.first().map_or(0, |byte| byte & 0x7f)
    }

    /// Returns whether the data is about an earlier command (deferred).
    pub fn deferred(&self) -> bool {
        matches!(self.response_code(), 0x71 | 0x73)
    }

    /// Returns the sense key: four bits.
    pub fn key(&self) -> u8 {
        self.byte(2, 1).map_or(0, |byte| byte & 0x0f)
    }

    /// Returns the offset of the sense key in the data.
    pub fn key_place(&self) -> usize {
        match self.format {
            SenseFormat::Fixed => 2,
            SenseFormat::Descriptor => 1,
        }
    }

    /// Returns the offset of the additional sense code in the data; its qualifier follows.
    pub fn additional_sense_place(&self) -> usize {
        match self.format {
            SenseFormat::Fixed => 12,
            SenseFormat::Descriptor => 2,
        }
    }

    /// Returns additional sense code (upper byte) and its qualifier; `None` when the data ends before them.
    pub fn additional_sense(&self) -> Option<u16> {
        let (code, qualifier) = (self.byte(12, 2)?, self.byte(13, 3)?);
        Some(u16::from_be_bytes([code, qualifier]))
    }

    /// Returns the information of the fixed format, which is the failed block for a read or write;
    /// `None` if it is not valid.
    pub fn information(&self) -> Option<u32> {
        match (self.format, self.bytes) {
            (SenseFormat::Fixed, &[first, _, _, a, b, c, d, ..]) if first & 0x80 != 0 => {
                Some(u32::from_be_bytes([a, b, c, d]))
            }
            _ => None,
        }
    }

    /// Returns the name of the sense key.
    pub fn key_name(&self) -> Option<&'static str> {
        SENSE_KEYS.get(usize::from(self.key())).map(|(_, name)| *name)
    }

    /// Returns the name of the additional sense.
    pub fn additional_sense_name(&self) -> Option<&'static str> {
        name_of(ADDITIONAL_SENSE, self.additional_sense()?)
    }
}
