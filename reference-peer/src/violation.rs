//! The violations of incoming messages, and the Terminate that answers each: one table.

use super::bug::{Bug, Bugs};
use super::memory::AccessViolation;
use super::variant::{Variant, Variants};
use Echo::{Ddp, DdpAndRead, Nothing};
use Violation as V;
use warpscope_wire::ddp::HeaderView;
use warpscope_wire::rdmap::{ReadRequest, Terminate};

#[cfg(test)]
mod tests;

/// An action of a peer, or another event, that ends the stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the table says what each means and where it is forbidden")]
pub enum Violation {
    ConnectionLost,
    Crc,
    MarkerPosition,
    SetupFrame,
    SetupLocal,
    InsufficientIrd,
    NoMatchingReadyToReceive,
    TaggedSteeringTag,
    TaggedBounds,
    TaggedNotAssociated,
    TaggedWrap,
    TaggedVersion,
    QueueNumber,
    NoBuffer,
    MessageSequenceNumber,
    MessageOffset,
    MessageTooLong,
    UntaggedVersion,
    Local,
    SteeringTag,
    Bounds,
    AccessRights,
    NotAssociated,
    Wrap,
    CannotInvalidate,
    RdmapVersion,
    Opcode,
    HeaderCut,
    MessageLength,
    AtomicAlignment,
    AtomicOperation,
    FlushFailed,
    VerifyMismatch,
    AtomicWriteAlignment,
    ResponseMismatch,
}

impl Violation {
    /// Returns the violation of a tagged segment (RFC 5041 section 7.2). DDP has no code for rights,
    /// and RDMAP's is for requests alone (RFC 5040 figure 10): an STag whose buffer does not allow the
    /// placement is not valid for it.
    pub fn tagged(access: AccessViolation) -> Self {
        match access {
            AccessViolation::InvalidSteeringTag | AccessViolation::AccessRights => {
                Self::TaggedSteeringTag
            }
            AccessViolation::NotAssociated => Self::TaggedNotAssociated,
            AccessViolation::Wrap => Self::TaggedWrap,
            AccessViolation::Bounds => Self::TaggedBounds,
        }
    }

    /// Returns whether MPA detects it in Full Operation (RFC 5044 section 8, codes 1 to 3).
    pub(crate) fn is_of_mpa(self) -> bool {
        matches!(self, Self::ConnectionLost | Self::Crc | Self::MarkerPosition)
    }

    /// Returns the violation of a request that names a buffer in its RDMAP header (RFC 5040 section 7.2).
    pub fn requested(access: AccessViolation) -> Self {
        match access {
            AccessViolation::InvalidSteeringTag => Self::SteeringTag,
            AccessViolation::NotAssociated => Self::NotAssociated,
            AccessViolation::Wrap => Self::Wrap,
            AccessViolation::Bounds => Self::Bounds,
            AccessViolation::AccessRights => Self::AccessRights,
        }
    }
}

/// The incoming segment that a Terminate reports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// Length of the segment in bytes: the ULPDU's length.
    pub segment_length: u16,
    /// The bytes of its DDP header.
    pub ddp_header: Vec<u8>,
    /// The Read Request, as far as it was received (RFC 5040 section 4.8), if it was one.
    pub read_request: Option<ReadRequest>,
}

impl Refused {
    /// Returns the segment of a ULPDU; `None` if the DDP header is incomplete.
    pub fn segment(ulpdu: &[u8]) -> Option<Self> {
        let (header, _) = HeaderView::parse(ulpdu).ok()?;
        Some(Self {
            segment_length: u16::try_from(ulpdu.len()).ok()?,
            ddp_header: header.bytes().to_vec(),
            read_request: None,
        })
    }

    /// Returns this segment with the Read Request that it carried.
    #[must_use]
    pub fn with_read_request(self, read_request: ReadRequest) -> Self {
        Self { read_request: Some(read_request), ..self }
    }
}

/// Returns the Terminate for a violation; `refused` is the segment that caused it, if there is one.
pub fn terminate(violation: Violation, refused: Option<&Refused>) -> Option<Terminate> {
    let row = violation.row();
    let terminate = Terminate::new(row.layer, row.error_type, row.error_code).ok()?;
    let Some(refused) = refused.filter(|_| row.echo != Echo::Nothing) else {
        return Some(terminate);
    };
    let (header, _) = HeaderView::parse(&refused.ddp_header).ok()?;
    let terminate = terminate.with_ddp(refused.segment_length, header);
    Some(match refused.read_request {
        Some(request) if row.echo == Echo::DdpAndRead || violation == V::RdmapVersion => {
            terminate.with_read_request(request)
        }
        _ => terminate,
    })
}

/// Returns the violation that a Terminate reports.
pub(crate) fn reported(bugs: Bugs, variants: Variants, violation: Violation) -> Violation {
    use Violation as V;
    match violation {
        V::Wrap if variants.has(Variant::WrapToldAsBounds) => V::Bounds,
        V::TaggedWrap if variants.has(Variant::WrapToldAsBounds) => V::TaggedBounds,
        V::MessageSequenceNumber if variants.has(Variant::SequenceNumberToldAsNoBuffer) => {
            V::NoBuffer
        }
        violation if bugs.is_empty() => violation,
        V::AccessRights if bugs.has(Bug::RightsToldAsBounds) => V::Bounds,
        V::NotAssociated if bugs.has(Bug::ForeignTagToldAsInvalid) => V::SteeringTag,
        V::CannotInvalidate if bugs.has(Bug::InvalidateToldAsInvalidTag) => V::SteeringTag,
        V::TaggedBounds if bugs.has(Bug::BoundsToldByRdmap) => V::Bounds,
        V::RdmapVersion if bugs.has(Bug::VersionToldAsOpcode) => V::Opcode,
        V::Crc if bugs.has(Bug::CrcToldAsMarker) => V::MarkerPosition,
        V::InsufficientIrd if bugs.has(Bug::InsufficientIrdToldAsIndication) => {
            V::NoMatchingReadyToReceive
        }
        V::NoMatchingReadyToReceive if bugs.has(Bug::IndicationToldAsLocal) => V::SetupLocal,
        V::AtomicAlignment if bugs.has(Bug::AlignmentToldAsUnspecified) => V::AtomicOperation,
        violation => violation,
    }
}

/// The headers that a Terminate echoes (RFC 5040 figure 10).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Echo {
    /// None: no M, D or R.
    Nothing,
    /// Segment length and DDP header: M and D.
    Ddp,
    /// Those, and the RDMAP header if the message is a Read Request: M, D and R.
    DdpAndRead,
}

/// The answer to a violation.
#[derive(Debug, Clone, Copy)]
pub struct TerminateRow {
    /// The violation.
    pub violation: Violation,
    /// The layer: 0 RDMAP, 1 DDP, 2 LLP.
    pub layer: u8,
    /// The error type (EType).
    pub error_type: u8,
    /// The error code.
    pub error_code: u8,
    /// The headers that are echoed, if they are known.
    pub echo: Echo,
    /// The section that defines the answer.
    pub section: &'static str,
    /// A description of the violation, for people.
    pub meaning: &'static str,
}

const fn row(
    violation: Violation,
    (layer, error_type, error_code): (u8, u8, u8),
    echo: Echo,
    section: &'static str,
    meaning: &'static str,
) -> TerminateRow {
    TerminateRow { violation, layer, error_type, error_code, echo, section, meaning }
}

/// Every violation once, in the order of the layers from the lowest.
#[rustfmt::skip]
pub static TABLE: [TerminateRow; 35] = [
    row(V::ConnectionLost,        (2, 0, 0x01), Nothing,    "RFC 5044 section 8",          "the TCP connection closed or was lost"),
    row(V::Crc,                   (2, 0, 0x02), Nothing,    "RFC 5044 section 8",          "an FPDU's CRC does not match"),
    row(V::MarkerPosition,        (2, 0, 0x03), Nothing,    "RFC 5044 section 8",          "a marker and the ULPDU_Length disagree on the start of an FPDU"),
    row(V::SetupFrame,            (2, 0, 0x04), Nothing,    "RFC 5044 section 8",          "an invalid MPA request or reply frame"),
    row(V::SetupLocal,            (2, 0, 0x05), Nothing,    "RFC 6581 section 8",          "the setup failed for a local reason"),
    row(V::InsufficientIrd,       (2, 0, 0x06), Nothing,    "RFC 6581 section 9.1",        "the peer wants more inbound Read Requests than can be held"),
    row(V::NoMatchingReadyToReceive, (2, 0, 0x07), Nothing, "RFC 6581 section 9.2",        "no connection model or ready-to-receive indication that both sides support"),
    row(V::TaggedSteeringTag,     (1, 1, 0x00), Ddp,        "RFC 5041 section 7.2",        "a tagged segment names an STag that is not valid"),
    row(V::TaggedBounds,          (1, 1, 0x01), Ddp,        "RFC 5041 section 7.2",        "a tagged segment reaches beyond its buffer"),
    row(V::TaggedNotAssociated,   (1, 1, 0x02), Ddp,        "RFC 5041 section 7.2",        "a tagged segment names an STag of another stream"),
    row(V::TaggedWrap,            (1, 1, 0x03), Ddp,        "RFC 5041 section 7.2",        "a tagged segment passes the end of the Tagged Offsets"),
    row(V::TaggedVersion,         (1, 1, 0x04), Ddp,        "RFC 5041 section 7.2",        "a tagged segment has a DDP version other than 1"),
    row(V::QueueNumber,           (1, 2, 0x01), Ddp,        "RFC 5041 section 7.2",        "no such queue"),
    row(V::NoBuffer,              (1, 2, 0x02), Ddp,        "RFC 5041 section 7.2",        "no buffer is available for the message"),
    row(V::MessageSequenceNumber, (1, 2, 0x03), Ddp,        "RFC 5041 section 7.2",        "a Message Sequence Number out of order"),
    row(V::MessageOffset,         (1, 2, 0x04), Ddp,        "RFC 5041 section 7.2",        "a Message Offset outside its buffer, or a last segment with a hole before it"),
    row(V::MessageTooLong,        (1, 2, 0x05), Ddp,        "RFC 5041 section 7.2",        "the message is longer than its buffer"),
    row(V::UntaggedVersion,       (1, 2, 0x06), Ddp,        "RFC 5041 section 7.2",        "an untagged segment has a DDP version other than 1"),
    row(V::Local,                 (0, 0, 0x00), Nothing,    "RFC 5040 section 4.8",        "a local failure that no message caused"),
    row(V::SteeringTag,           (0, 1, 0x00), DdpAndRead, "RFC 5040 section 7.2",        "a request names an STag that is not valid"),
    row(V::Bounds,                (0, 1, 0x01), DdpAndRead, "RFC 5040 section 7.2",        "a request reaches beyond its buffer"),
    row(V::AccessRights,          (0, 1, 0x02), DdpAndRead, "RFC 5040 section 4.8",        "the buffer does not grant that access"),
    row(V::NotAssociated,         (0, 1, 0x03), DdpAndRead, "RFC 5040 section 7.2",        "a request names an STag of another stream"),
    row(V::Wrap,                  (0, 1, 0x04), DdpAndRead, "RFC 5040 section 7.2",        "a request passes the end of the Tagged Offsets"),
    row(V::CannotInvalidate,      (0, 1, 0x09), Ddp,        "RFC 5040 section 5.3",        "the STag cannot be invalidated from this stream"),
    row(V::RdmapVersion,          (0, 2, 0x05), Ddp,        "RFC 5040 section 7.2",        "an RDMAP version that is not in use here"),
    row(V::Opcode,                (0, 2, 0x06), Ddp,        "RFC 5040 section 7.2",        "an opcode that is unknown, or does not belong there"),
    row(V::HeaderCut,             (0, 2, 0x07), Nothing,    "RFC 5040 section 4.8",        "a ULPDU is too short for a DDP header"),
    row(V::MessageLength,         (0, 2, 0xff), Ddp,        "RFC 5040 section 4.8",        "a message of a length that its kind does not have"),
    row(V::AtomicAlignment,       (0, 2, 0x07), Ddp,        "RFC 7306 section 8.2",        "an atomic operation on an address that is not aligned"),
    row(V::AtomicOperation,       (0, 2, 0xff), Ddp,        "RFC 7306 section 5.2.1",      "an Atomic Operation Code that is not defined"),
    row(V::FlushFailed,           (0, 2, 0x07), Ddp,        "rdma-commit section 3.1.1.2", "the flush did not reach what was asked for"),
    row(V::VerifyMismatch,        (0, 2, 0xff), Ddp,        "rdma-commit section 3.1.2",   "the hash is not the expected one"),
    row(V::AtomicWriteAlignment,  (0, 2, 0x07), Ddp,        "rdma-commit section 3.1.3.1", "an Atomic Write that cannot be placed atomically"),
    row(V::ResponseMismatch,      (0, 2, 0xff), Ddp,        "RFC 5040 section 5.2.2",      "a response does not match its request"),
];

impl Violation {
    /// Returns its row of the table.
    pub fn row(self) -> &'static TerminateRow {
        &TABLE[self as usize]
    }
}
