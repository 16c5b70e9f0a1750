//! Fills a Terminate from the table and the segment that is refused.

use super::{Echo, Violation};
use crate::bug::{Bug, Bugs};
use warpscope_wire::ddp::HeaderView;
use warpscope_wire::rdmap::{ReadRequest, Terminate};

/// The incoming segment that a Terminate is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// Bytes of the segment: the ULPDU's length.
    pub segment_length: u16,
    /// The bytes of its DDP header.
    pub ddp_header: Vec<u8>,
    /// The Read Request, as far as it has come (RFC 5040 section 4.8), if it was one.
    pub read_request: Option<ReadRequest>,
}

impl Refused {
    /// A segment by its ULPDU; nothing when the ULPDU has no whole DDP header.
    pub fn segment(ulpdu: &[u8]) -> Option<Self> {
        let (header, _) = HeaderView::parse(ulpdu).ok()?;
        Some(Self {
            segment_length: u16::try_from(ulpdu.len()).ok()?,
            ddp_header: header.bytes().to_vec(),
            read_request: None,
        })
    }

    /// The same, with the Read Request that it carried.
    #[must_use]
    pub fn with_read_request(self, read_request: ReadRequest) -> Self {
        Self { read_request: Some(read_request), ..self }
    }
}

/// The Terminate that a violation deserves; `refused` is the segment that showed it, if one did.
pub fn terminate(violation: Violation, refused: Option<&Refused>) -> Option<Terminate> {
    let row = violation.row();
    let terminate = Terminate::new(row.layer, row.error_type, row.error_code).ok()?;
    let Some(refused) = refused.filter(|_| row.echo != Echo::Nothing) else {
        return Some(terminate);
    };
    let (header, _) = HeaderView::parse(&refused.ddp_header).ok()?;
    let terminate = terminate.with_ddp(refused.segment_length, header);
    Some(match refused.read_request {
        Some(request) if row.echo == Echo::DdpAndRead => terminate.with_read_request(request),
        _ => terminate,
    })
}

/// What a violation is called in a Terminate.
pub(crate) fn told(bugs: Bugs, violation: Violation) -> Violation {
    use Violation as V;
    match violation {
        violation if bugs.is_empty() => violation,
        V::AccessRights if bugs.has(Bug::RightsToldAsBounds) => V::Bounds,
        V::NotAssociated if bugs.has(Bug::ForeignTagToldAsInvalid) => V::SteeringTag,
        V::Wrap if bugs.has(Bug::WrapToldAsBounds) => V::Bounds,
        V::CannotInvalidate if bugs.has(Bug::InvalidateToldAsInvalidTag) => V::SteeringTag,
        V::MessageSequenceNumber if bugs.has(Bug::SequenceNumberToldAsNoBuffer) => V::NoBuffer,
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
