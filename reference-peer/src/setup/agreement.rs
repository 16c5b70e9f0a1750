//! What setup frames say to each other, and what comes of it.

use super::SetupRevision;
use warpscope_wire::mpa::ReadyToReceive;

/// A ready-to-receive (RTR) indication (RFC 6581 section 9.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Indication {
    /// A zero-length Send.
    Send,
    /// A zero-length RDMA Write.
    Write,
    /// A zero-length RDMA Read.
    Read,
}

impl Indication {
    /// Every kind, in the order in which this peer prefers them: a Write asks nothing of the
    /// receiver, a Read asks for a response.
    pub const PREFERRED: [Self; 3] = [Self::Write, Self::Read, Self::Send];

    /// Whether a side supports this kind.
    pub fn is_in(self, set: ReadyToReceive) -> bool {
        match self {
            Self::Send => set.send(),
            Self::Write => set.write(),
            Self::Read => set.read(),
        }
    }
}

/// An initiator's request, as its responder reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// Its revision.
    pub revision: SetupRevision,
    /// M: the initiator requires markers.
    pub markers: bool,
    /// C: the initiator wants CRCs.
    pub crc: bool,
    /// The enhanced data, when there is some: A, then the supported indications, IRD and ORD.
    pub enhanced: Option<EnhancedRequest>,
    /// The ULP's private data.
    pub private_data: Vec<u8>,
}

/// The enhanced data of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EnhancedRequest {
    /// A: the peer-to-peer model.
    pub peer_to_peer: bool,
    /// B, C, D: what the initiator can send; ignored without A.
    pub ready_to_receive: Option<ReadyToReceive>,
    /// Initiator IRD.
    pub ird: u16,
    /// Initiator ORD.
    pub ord: u16,
}

/// What both sides go by in Full Operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agreement {
    /// The revision of the frames.
    pub revision: SetupRevision,
    /// Whether this side puts markers into what it sends.
    pub send_markers: bool,
    /// Whether this side finds markers in what it receives.
    pub receive_markers: bool,
    /// Whether CRCs are in use, in both directions.
    pub crc: bool,
    /// IRD of this side.
    pub ird: u16,
    /// ORD of this side.
    pub ord: u16,
    /// The IRD that the peer named, 0x3FFF included; it goes to the ULP (RFC 6581 section 9.1).
    pub peer_ird: Option<u16>,
    /// The ORD that the peer named.
    pub peer_ord: Option<u16>,
    /// The indications that the initiator's first message may be: none in the client-server model.
    pub ready_to_receive: Option<ReadyToReceive>,
    /// The peer's private data.
    pub private_data: Vec<u8>,
}
