//! The violations, by name.

use crate::memory::AccessViolation;

/// Something that a peer did, or that happened, and that ends the stream.
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
    /// What a tagged segment breaks (RFC 5041 section 7.2). DDP has no code for rights, and RDMAP's is
    /// for requests alone (RFC 5040 figure 10): an STag whose buffer does not allow the placement is
    /// not valid for it.
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

    /// What a request breaks that names a buffer in its RDMAP header (RFC 5040 section 7.2).
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
