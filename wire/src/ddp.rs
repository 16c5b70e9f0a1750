//! DDP segments (RFC 5041 §4).

use super::figure::figure;
use super::{Illegal, Layer, Malformed, Writer};

// The DDP control byte, the same in both segment formats (RFC 5041 §4.1).

/// The DDP version (DV) that RFC 5041 defines.
pub const DDP_VERSION: u8 = 1;

const TAGGED: u8 = 0x80;
const LAST: u8 = 0x40;
const RESERVED: u8 = 0x3c;
const VERSION: u8 = 0x03;

/// `T | L | Rsvd | DV`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ControlView(pub u8);

impl ControlView {
    /// T: the segment uses the Tagged Buffer Model.
    pub fn tagged(self) -> bool {
        self.0 & TAGGED != 0
    }

    /// L: the segment is the last of its message.
    pub fn last(self) -> bool {
        self.0 & LAST != 0
    }

    /// Returns the four reserved bits, as a number from 0 to 15.
    pub fn reserved(self) -> u8 {
        (self.0 & RESERVED) >> 2
    }

    /// DV: the version of DDP.
    pub fn ddp_version(self) -> u8 {
        self.0 & VERSION
    }

    /// Returns whether RFC 5041 lets a sender send this byte: no reserved bit, version 1.
    pub fn legal(self) -> bool {
        self.reserved() == 0 && self.ddp_version() == DDP_VERSION
    }
}

// DDP's error types and codes, carried by a Terminate of layer DDP (RFC 5041 §6.2, RFC 5040 §4.8).

/// Returns the name of a DDP error type.
pub fn error_type_name(error_type: u8) -> Option<&'static str> {
    Some(match error_type {
        0 => "local catastrophic error",
        1 => "tagged buffer error",
        2 => "untagged buffer error",
        3 => "reserved for the LLP",
        _ => return None,
    })
}

/// Returns the name of a DDP error code of this error type.
pub fn error_code_name(error_type: u8, code: u8) -> Option<&'static str> {
    Some(match (error_type, code) {
        (0, _) => "local catastrophic error",
        (1, 0x00) => "invalid STag",
        (1, 0x01) => "base or bounds violation",
        (1, 0x02) => "STag not associated with the DDP stream",
        (1, 0x03) => "TO wrap",
        (1, 0x04) | (2, 0x06) => "invalid DDP version",
        (2, 0x01) => "invalid QN",
        (2, 0x02) => "invalid MSN: no buffer available",
        (2, 0x03) => "invalid MSN: MSN range is not valid",
        (2, 0x04) => "invalid MO",
        (2, 0x05) => "DDP message too long for the available buffer",
        _ => return None,
    })
}

/// The header of a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeaderView<'a> {
    /// The header of a tagged segment.
    Tagged(TaggedView<'a>),
    /// The header of an untagged segment.
    Untagged(UntaggedView<'a>),
}

impl<'a> HeaderView<'a> {
    /// Reads a header from the front of `input`; returns it and what follows it.
    ///
    /// # Errors
    /// [`Malformed`] when `input` is shorter than the header that its T bit announces.
    pub fn parse(input: &'a [u8]) -> Result<(Self, &'a [u8]), Malformed> {
        if input.first().is_some_and(|byte| ControlView(*byte).tagged()) {
            TaggedView::parse(input).map(|(header, rest)| (Self::Tagged(header), rest))
        } else {
            UntaggedView::parse(input).map(|(header, rest)| (Self::Untagged(header), rest))
        }
    }

    /// Returns the bytes of the header.
    pub fn bytes(&self) -> &'a [u8] {
        match self {
            Self::Tagged(view) => view.bytes(),
            Self::Untagged(view) => view.bytes(),
        }
    }

    /// Returns the control byte.
    pub fn control(&self) -> ControlView {
        match self {
            Self::Tagged(view) => view.control(),
            Self::Untagged(view) => view.control(),
        }
    }

    /// Returns the first byte reserved for the ULP: RDMAP's control byte.
    pub fn rdmap_control(&self) -> u8 {
        match self {
            Self::Tagged(view) => view.rsvd_ulp(),
            Self::Untagged(view) => view.rdmap_control(),
        }
    }
}

// The header of a tagged segment (RFC 5041 §4.2, figure 5).

figure! {
    /// The header of a tagged segment.
    TaggedView: 14 bytes, Ddp "tagged header" {
        /// The byte reserved for the ULP: RDMAP's control byte.
        1 rsvd_ulp u8;
        /// Steering Tag (STag) of the data sink's buffer.
        2 steering_tag u32;
        /// Tagged Offset (TO) in bytes: where in the buffer the payload is placed.
        6 tagged_offset u64;
    }
}

impl TaggedView<'_> {
    /// Returns the control byte.
    pub fn control(&self) -> ControlView {
        ControlView(self.bytes()[0])
    }
}

/// A legal header of a tagged segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Tagged {
    /// L: the last segment of its message.
    pub last: bool,
    /// The byte reserved for the ULP.
    pub rsvd_ulp: u8,
    /// Steering Tag (STag).
    pub steering_tag: u32,
    /// Tagged Offset (TO) in bytes.
    pub tagged_offset: u64,
}

impl Tagged {
    /// Writes the header.
    pub fn emit(&self, writer: &mut Writer<'_>) {
        let last = if self.last { LAST } else { 0 };
        writer
            .u8(TAGGED | last | DDP_VERSION)
            .u8(self.rsvd_ulp)
            .u32(self.steering_tag)
            .u64(self.tagged_offset);
    }
}

impl TryFrom<TaggedView<'_>> for Tagged {
    type Error = Illegal;

    fn try_from(view: TaggedView<'_>) -> Result<Self, Illegal> {
        let control = view.control();
        if !control.legal() || !control.tagged() {
            return Err(Illegal::new(Layer::Ddp, "control", control.0, "RFC 5041 section 4.2"));
        }
        Ok(Self {
            last: control.last(),
            rsvd_ulp: view.rsvd_ulp(),
            steering_tag: view.steering_tag(),
            tagged_offset: view.tagged_offset(),
        })
    }
}

// The header of an untagged segment (RFC 5041 §4.3, figure 6).

figure! {
    /// The header of an untagged segment.
    UntaggedView: 18 bytes, Ddp "untagged header" {
        /// The first byte reserved for the ULP: RDMAP's control byte.
        1 rdmap_control u8;
        /// The other four: RDMAP's Invalidate STag, or zero.
        2 rsvd_ulp_word u32;
        /// Queue Number (QN).
        6 queue_number u32;
        /// Message Sequence Number (MSN): 1 for the first message of a queue.
        10 message_sequence_number u32;
        /// Message Offset (MO) in bytes: where in the message the payload belongs.
        14 message_offset u32;
    }
}

impl UntaggedView<'_> {
    /// Returns the control byte.
    pub fn control(&self) -> ControlView {
        ControlView(self.bytes()[0])
    }

    /// Returns the five bytes reserved for the ULP.
    pub fn rsvd_ulp(&self) -> [u8; 5] {
        let bytes = self.bytes();
        [bytes[1], bytes[2], bytes[3], bytes[4], bytes[5]]
    }
}

/// A legal header of an untagged segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Untagged {
    /// L: the last segment of its message.
    pub last: bool,
    /// The five bytes reserved for the ULP.
    pub rsvd_ulp: [u8; 5],
    /// Queue Number (QN).
    pub queue_number: u32,
    /// Message Sequence Number (MSN).
    pub message_sequence_number: u32,
    /// Message Offset (MO) in bytes.
    pub message_offset: u32,
}

impl Untagged {
    /// Writes the header.
    pub fn emit(&self, writer: &mut Writer<'_>) {
        let last = if self.last { LAST } else { 0 };
        writer
            .u8(last | DDP_VERSION)
            .bytes(&self.rsvd_ulp)
            .u32(self.queue_number)
            .u32(self.message_sequence_number)
            .u32(self.message_offset);
    }
}

impl TryFrom<UntaggedView<'_>> for Untagged {
    type Error = Illegal;

    fn try_from(view: UntaggedView<'_>) -> Result<Self, Illegal> {
        let control = view.control();
        if !control.legal() || control.tagged() {
            return Err(Illegal::new(Layer::Ddp, "control", control.0, "RFC 5041 section 4.3"));
        }
        Ok(Self {
            last: control.last(),
            rsvd_ulp: view.rsvd_ulp(),
            queue_number: view.queue_number(),
            message_sequence_number: view.message_sequence_number(),
            message_offset: view.message_offset(),
        })
    }
}
