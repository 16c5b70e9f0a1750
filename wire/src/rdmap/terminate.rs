//! The Terminate header and the headers nested in it (RFC 5040 §4.8, figures 7 to 10).

use super::{ReadRequest, ReadRequestView};
pub use crate::ddp::HeaderView as TerminatedDdp;
use crate::ddp::{TaggedView, UntaggedView};
use crate::figure::{figure, fixed};
use crate::{BufferTooSmall, Illegal, Layer, Malformed, Writer, ddp, mpa};

const SEGMENT_LENGTH: u16 = 0x8000;
const DDP_HEADER: u16 = 0x4000;
const RDMAP_HEADER: u16 = 0x2000;
const RESERVED: u16 = 0x1fff;
const SECTION: &str = "RFC 5040 section 4.8";

figure! {
    /// The first word of a Terminate.
    TerminateControlView: 4 bytes, Rdmap "Terminate Control" {
        /// Layer and error type.
        0 layer_and_type u8;
        /// The error code.
        1 error_code u8;
        /// Header control bits and reserved bits.
        2 header_control_and_reserved u16;
    }
}

/// A Terminate message's payload.
///
/// The segment length is present when M or D is set: M says that it is valid, and D requires it to be
/// present.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TerminateView<'a> {
    /// The first word.
    pub control: TerminateControlView<'a>,
    /// DDP Segment Length in bytes, if present.
    pub ddp_segment_length: Option<u16>,
    /// The terminated DDP header, when D is set.
    pub ddp_header: Option<TerminatedDdp<'a>>,
    /// The terminated RDMAP header, when R is set.
    pub rdmap_header: Option<ReadRequestView<'a>>,
    /// The remaining bytes: none, in a Terminate that follows the figure.
    pub rest: &'a [u8],
    /// The error for a nested header that is incomplete.
    pub cut: Option<Malformed>,
}

impl<'a> TerminateView<'a> {
    /// Reads a Terminate's payload. Incomplete nested headers are left out and reported in `cut`;
    /// `rest` then holds their bytes.
    ///
    /// # Errors
    /// [`Malformed`] when the first word is incomplete.
    pub fn parse(payload: &'a [u8]) -> Result<Self, Malformed> {
        let (control, rest) = TerminateControlView::parse(payload)?;
        let mut view = Self {
            control,
            ddp_segment_length: None,
            ddp_header: None,
            rdmap_header: None,
            rest,
            cut: None,
        };
        view.cut = view.parse_nested().err();
        Ok(view)
    }

    fn parse_nested(&mut self) -> Result<(), Malformed> {
        if self.header_control_m() || self.header_control_d() {
            let field = "Terminate DDP Segment Length";
            let (rest, length) = fixed(Layer::Rdmap, field, self.rest)?;
            self.ddp_segment_length = Some(u16::from_be_bytes(*length));
            self.rest = rest;
        }
        if self.header_control_d() {
            let (header, rest) = TerminatedDdp::parse(self.rest)?;
            self.ddp_header = Some(header);
            self.rest = rest;
        }
        if self.header_control_r() {
            let (header, rest) = ReadRequestView::parse(self.rest)?;
            self.rdmap_header = Some(header);
            self.rest = rest;
        }
        Ok(())
    }

    /// Returns the layer that found the error: 0 RDMAP, 1 DDP, 2 LLP.
    pub fn layer(&self) -> u8 {
        self.control.layer_and_type() >> 4
    }

    /// Returns the error type (EType).
    pub fn error_type(&self) -> u8 {
        self.control.layer_and_type() & 0x0f
    }

    /// Returns the error code.
    pub fn error_code(&self) -> u8 {
        self.control.error_code()
    }

    /// M: the DDP segment length is valid.
    pub fn header_control_m(&self) -> bool {
        self.control.header_control_and_reserved() & SEGMENT_LENGTH != 0
    }

    /// D: the DDP header is included.
    pub fn header_control_d(&self) -> bool {
        self.control.header_control_and_reserved() & DDP_HEADER != 0
    }

    /// R: the RDMAP header is included.
    pub fn header_control_r(&self) -> bool {
        self.control.header_control_and_reserved() & RDMAP_HEADER != 0
    }

    /// Returns the 13 reserved bits.
    pub fn reserved(&self) -> u16 {
        self.control.header_control_and_reserved() & RESERVED
    }
}

const SEGMENT_LENGTH_FIELD: usize = 2;

/// The DDP header that a Terminate echoes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum EchoedDdp {
    Tagged([u8; TaggedView::LENGTH]),
    Untagged([u8; UntaggedView::LENGTH]),
}

/// A legal Terminate. Its echoed DDP header may be illegal, because that can be the reason for the Terminate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Terminate {
    layer: u8,
    error_type: u8,
    /// The error code.
    pub error_code: u8,
    ddp: Option<(u16, EchoedDdp)>,
    rdmap: Option<ReadRequest>,
}

impl Terminate {
    /// Creates a Terminate that echoes no header.
    ///
    /// # Errors
    /// [`Illegal`] when layer, error type and code are not a triple that a document defines.
    pub fn new(layer: u8, error_type: u8, error_code: u8) -> Result<Self, Illegal> {
        if super::error_code_name(layer, error_type, error_code).is_none() {
            let value = u64::from(layer) << 12 | u64::from(error_type) << 8 | u64::from(error_code);
            return Err(illegal("layer, error type and code", value));
        }
        Ok(Self { layer, error_type, error_code, ddp: None, rdmap: None })
    }

    /// Adds a segment's length and its DDP header (M and D).
    #[must_use]
    pub fn with_ddp(mut self, segment_length: u16, header: TerminatedDdp<'_>) -> Self {
        let echoed = match header {
            TerminatedDdp::Tagged(view) => EchoedDdp::Tagged(*view.bytes()),
            TerminatedDdp::Untagged(view) => EchoedDdp::Untagged(*view.bytes()),
        };
        self.ddp = Some((segment_length, echoed));
        self
    }

    /// Adds the header of a Read Request (R); allowed only together with its DDP header.
    #[must_use]
    pub fn with_read_request(mut self, header: ReadRequest) -> Self {
        self.rdmap = self.ddp.is_some().then_some(header);
        self
    }

    /// Returns the length of the payload in bytes.
    pub fn length(&self) -> usize {
        let ddp = match self.ddp {
            None => 0,
            Some((_, EchoedDdp::Tagged(header))) => SEGMENT_LENGTH_FIELD + header.len(),
            Some((_, EchoedDdp::Untagged(header))) => SEGMENT_LENGTH_FIELD + header.len(),
        };
        TerminateControlView::LENGTH + ddp + self.rdmap.map_or(0, |_| ReadRequestView::LENGTH)
    }

    /// Writes the payload.
    ///
    /// # Errors
    /// [`BufferTooSmall`] when it does not fit.
    pub fn emit(&self, buffer: &mut [u8]) -> Result<usize, BufferTooSmall> {
        let ddp_bits = self.ddp.map_or(0, |_| SEGMENT_LENGTH | DDP_HEADER);
        let rdmap_bit = self.rdmap.map_or(0, |_| RDMAP_HEADER);
        let mut writer = Writer::new(buffer);
        writer.u8(self.layer << 4 | self.error_type).u8(self.error_code).u16(ddp_bits | rdmap_bit);
        if let Some((length, header)) = &self.ddp {
            writer.u16(*length);
            match header {
                EchoedDdp::Tagged(bytes) => writer.bytes(bytes),
                EchoedDdp::Untagged(bytes) => writer.bytes(bytes),
            };
        }
        if let Some(header) = &self.rdmap {
            header.emit(&mut writer);
        }
        writer.finish()
    }
}

fn illegal(field: &'static str, value: u64) -> Illegal {
    Illegal::new(Layer::Rdmap, field, value, SECTION)
}

impl TryFrom<TerminateView<'_>> for Terminate {
    type Error = Illegal;

    /// Refuses reserved bits, M and D apart, R without D, undefined codes and remaining bytes.
    fn try_from(view: TerminateView<'_>) -> Result<Self, Illegal> {
        if view.reserved() != 0 {
            return Err(illegal("reserved", view.reserved().into()));
        }
        let (m, d, r) = (view.header_control_m(), view.header_control_d(), view.header_control_r());
        if m != d || (r && !d) {
            let value = u64::from(m) << 2 | u64::from(d) << 1 | u64::from(r);
            return Err(illegal("HdrCt", value));
        }
        if view.cut.is_some() || !view.rest.is_empty() {
            return Err(illegal("length", view.rest.len() as u64));
        }
        let mut terminate = Self::new(view.layer(), view.error_type(), view.error_code())?;
        if let (Some(length), Some(header)) = (view.ddp_segment_length, view.ddp_header) {
            terminate = terminate.with_ddp(length, header);
        }
        if let Some(header) = view.rdmap_header {
            terminate = terminate.with_read_request(header.into());
        }
        Ok(terminate)
    }
}

// The meaning of layer, error type and error code of a Terminate (RFC 5040 §4.8, figure 9).

/// Returns the name of a Terminate's layer.
pub fn layer_name(layer: u8) -> Option<&'static str> {
    Some(match layer {
        0 => "RDMAP",
        1 => "DDP",
        2 => "LLP (MPA)",
        _ => return None,
    })
}

/// Returns the name of an error type of this layer.
pub fn error_type_name(layer: u8, error_type: u8) -> Option<&'static str> {
    Some(match (layer, error_type) {
        (0, 0) => "local catastrophic error",
        (0, 1) => "remote protection error",
        (0, 2) => "remote operation error",
        (1, _) => return ddp::error_type_name(error_type),
        (2, 0) => "MPA error",
        _ => return None,
    })
}

/// Returns the name of an error code of this layer and error type.
pub fn error_code_name(layer: u8, error_type: u8, error_code: u8) -> Option<&'static str> {
    Some(match (layer, error_type, error_code) {
        (0, 0, _) => "local catastrophic error",
        (0, 1, 0x00) => "invalid STag",
        (0, 1, 0x01) => "base or bounds violation",
        (0, 1, 0x02) => "access rights violation",
        (0, 1, 0x03) => "STag not associated with the RDMAP stream",
        (0, 1, 0x04) => "TO wrap",
        (0, 2, 0x05) => "invalid RDMAP version",
        (0, 2, 0x06) => "unexpected opcode",
        (0, 2, 0x07) => "catastrophic error, localized to the RDMAP stream",
        (0, 2, 0x08) => "catastrophic error, global",
        (0, 1 | 2, 0x09) => "STag cannot be invalidated",
        (0, 1 | 2, 0xff) => "unspecified error",
        (1, _, _) => return ddp::error_code_name(error_type, error_code),
        (2, 0, _) => return mpa::error_code_name(error_code),
        _ => return None,
    })
}
