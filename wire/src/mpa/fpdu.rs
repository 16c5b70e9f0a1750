//! The Framing Protocol Data Unit (FPDU), without markers (RFC 5044 §4.1, §4.4).

use crate::{BufferTooSmall, Illegal, Layer, Malformed, Writer, crc};

/// Bytes of the ULPDU_Length field.
pub const LENGTH_FIELD: usize = 2;
/// Bytes of the CRC field.
pub const CRC_LENGTH: usize = 4;
/// The most bytes of ULPDU that may be sent (RFC 5044 §3): the length field could say more.
pub const MAX_ULPDU: u16 = 64768;

/// Bytes of pad behind a ULPDU, so that length field, ULPDU and pad are a multiple of four.
pub fn pad_length(ulpdu_length: u16) -> usize {
    (LENGTH_FIELD + usize::from(ulpdu_length)).next_multiple_of(4)
        - LENGTH_FIELD
        - usize::from(ulpdu_length)
}

/// Bytes of an FPDU without markers, length field through CRC.
pub fn fpdu_length(ulpdu_length: u16) -> usize {
    LENGTH_FIELD + usize::from(ulpdu_length) + pad_length(ulpdu_length) + CRC_LENGTH
}

/// A length as ULPDU_Length, if a ULPDU may have it.
pub(super) fn legal_ulpdu_length(length: usize) -> Result<u16, Illegal> {
    match u16::try_from(length) {
        Ok(ulpdu_length) if ulpdu_length <= MAX_ULPDU => Ok(ulpdu_length),
        _ => Err(Illegal {
            layer: Layer::Mpa,
            field: "ULPDU_Length",
            value: length as u64,
            section: "RFC 5044 section 3",
        }),
    }
}

/// An FPDU whose markers, if it had any, have been taken out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FpduView<'a> {
    bytes: &'a [u8],
    ulpdu_length: u16,
}

impl<'a> FpduView<'a> {
    /// Reads an FPDU from the front of `input`; returns it and what follows it.
    ///
    /// # Errors
    /// [`Malformed`] when length field, ULPDU, pad or CRC is not all there.
    pub fn parse(input: &'a [u8]) -> Result<(Self, &'a [u8]), Malformed> {
        let malformed = |field, needed| Malformed::short(Layer::Mpa, field, needed, input.len());
        let (_, length) = nom::number::complete::be_u16::<_, nom::error::Error<&[u8]>>(input)
            .map_err(|_| malformed("ULPDU_Length", LENGTH_FIELD))?;
        let needed = fpdu_length(length);
        let (bytes, rest) =
            input.split_at_checked(needed).ok_or_else(|| malformed("FPDU", needed))?;
        Ok((Self { bytes, ulpdu_length: length }, rest))
    }

    /// ULPDU_Length: bytes of the ULPDU alone.
    pub fn ulpdu_length(&self) -> u16 {
        self.ulpdu_length
    }

    /// The ULPDU: one DDP segment.
    pub fn ulpdu(&self) -> &'a [u8] {
        &self.bytes[LENGTH_FIELD..LENGTH_FIELD + usize::from(self.ulpdu_length)]
    }

    /// The pad: up to three bytes.
    pub fn pad(&self) -> &'a [u8] {
        &self.bytes[LENGTH_FIELD + usize::from(self.ulpdu_length)..self.bytes.len() - CRC_LENGTH]
    }

    /// What the CRC covers when the FPDU has no markers: length field through pad.
    pub fn covered(&self) -> &'a [u8] {
        &self.bytes[..self.bytes.len() - CRC_LENGTH]
    }

    /// The CRC field's value.
    pub fn crc(&self) -> u32 {
        let mut field = [0; CRC_LENGTH];
        field.copy_from_slice(&self.bytes[self.bytes.len() - CRC_LENGTH..]);
        crc::from_field(field)
    }

    /// All bytes, length field through CRC.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }
}

/// A legal FPDU without markers: a ULPDU with the right CRC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fpdu<'a> {
    ulpdu: &'a [u8],
    ulpdu_length: u16,
}

impl<'a> Fpdu<'a> {
    /// An FPDU that carries `ulpdu`.
    ///
    /// # Errors
    /// [`Illegal`] when the ULPDU is over [`MAX_ULPDU`].
    pub fn new(ulpdu: &'a [u8]) -> Result<Self, Illegal> {
        Ok(Self { ulpdu, ulpdu_length: legal_ulpdu_length(ulpdu.len())? })
    }

    /// The ULPDU.
    pub fn ulpdu(&self) -> &'a [u8] {
        self.ulpdu
    }

    /// Bytes of the FPDU.
    pub fn length(&self) -> usize {
        fpdu_length(self.ulpdu_length)
    }

    /// Writes the FPDU to the front of `buffer`, its CRC included; returns its length.
    ///
    /// # Errors
    /// [`BufferTooSmall`] when it does not fit.
    pub fn emit(&self, buffer: &mut [u8]) -> Result<usize, BufferTooSmall> {
        let mut writer = Writer::new(buffer);
        writer.u16(self.ulpdu_length).bytes(self.ulpdu).zeros(pad_length(self.ulpdu_length));
        let crc = crc::crc32c(writer.so_far());
        writer.bytes(&crc::field_bytes(crc)).finish()
    }
}

impl<'a> TryFrom<FpduView<'a>> for Fpdu<'a> {
    type Error = Illegal;

    /// Refuses a pad that is not zero and a wrong CRC.
    fn try_from(view: FpduView<'a>) -> Result<Self, Illegal> {
        let layer = Layer::Mpa;
        if view.pad().iter().any(|byte| *byte != 0) {
            let value = view.pad().len() as u64;
            return Err(Illegal { layer, field: "PAD", value, section: "RFC 5044 section 4.1" });
        }
        if view.crc() != crc::crc32c(view.covered()) {
            let value = view.crc().into();
            return Err(Illegal { layer, field: "CRC", value, section: "RFC 5044 section 4.4" });
        }
        Self::new(view.ulpdu())
    }
}
