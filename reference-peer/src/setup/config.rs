//! What a side brings to the setup.

use crate::bug::Bugs;
use warpscope_wire::mpa::ReadyToReceive;

/// A revision of MPA.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SetupRevision {
    /// Revision 0, of the RDMA Consortium.
    Zero,
    /// Revision 1 (RFC 5044).
    One,
    /// Revision 2 (RFC 6581).
    Two,
}

/// What a side wants from the setup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetupConfig {
    /// The revision that an initiator sends, and the newest that a responder takes.
    pub revision: SetupRevision,
    /// M: markers are required in what this side receives.
    pub markers: bool,
    /// C: this side wants CRCs.
    pub crc: bool,
    /// S: an initiator of revision 2 sends enhanced data. A responder answers as it was asked.
    pub enhanced: bool,
    /// Whether enhanced data names depths; if not, they are 0x3FFF (RFC 6581 section 9.1).
    pub negotiate_depths: bool,
    /// Inbound RDMA Read Queue Depth (IRD): requests that this side can hold at once.
    pub ird: u16,
    /// Outbound RDMA Read Queue Depth (ORD): requests that this side wants to have waiting.
    pub ord: u16,
    /// The least ORD that a responder's ULP can work with; it rejects an initiator with less IRD.
    pub required_ord: u16,
    /// Whether an initiator asks for the peer-to-peer model.
    pub peer_to_peer: bool,
    /// The ready-to-receive indications that this side supports; none: all of them. A side that
    /// knows revision 2 supports one at least (RFC 6581 section 9.2).
    pub ready_to_receive: Option<ReadyToReceive>,
    /// The ULP's private data.
    pub private_data: Vec<u8>,
    /// What this side does wrong; a connection puts its own set here.
    pub bugs: Bugs,
}

impl Default for SetupConfig {
    /// Revision 1 with CRCs, without markers, and depths of 16.
    fn default() -> Self {
        Self {
            revision: SetupRevision::One,
            markers: false,
            crc: true,
            enhanced: false,
            negotiate_depths: true,
            ird: 16,
            ord: 16,
            required_ord: 0,
            peer_to_peer: false,
            ready_to_receive: None,
            private_data: Vec::new(),
            bugs: Bugs::NONE,
        }
    }
}

impl SetupConfig {
    /// The indications that this side supports, if the peer-to-peer model is asked for.
    pub(super) fn supported(&self, peer_to_peer: bool) -> Option<ReadyToReceive> {
        let all = ReadyToReceive::new(true, true, true);
        self.ready_to_receive.or(all).filter(|_| peer_to_peer)
    }

    /// An initiator's revision 2 with enhanced data.
    pub fn enhanced() -> Self {
        Self { revision: SetupRevision::Two, enhanced: true, ..Self::default() }
    }
}
