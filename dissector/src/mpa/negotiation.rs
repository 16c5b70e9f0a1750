//! What two setup frames negotiate.

use warpscope_wire::mpa::{EnhancedView, NOT_NEGOTIATED, RdmaPrivateDataView, Role, SetupView};

/// One side of a connection: an index, 0 for the side that sent the first segment seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Side(pub u8);

impl Side {
    /// Both sides.
    pub const BOTH: [Self; 2] = [Self(0), Self(1)];

    /// Returns the other side.
    #[must_use]
    pub fn peer(self) -> Self {
        Self(self.0 ^ 1)
    }

    /// Returns the side as an index.
    pub fn index(self) -> usize {
        usize::from(self.0 & 1)
    }
}

/// The contents kept of enhanced setup data (RFC 6581 §9).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EnhancedSeen {
    /// A: the peer-to-peer model.
    pub peer_to_peer: bool,
    /// B: a zero-length Send as Ready To Receive (RTR).
    pub rtr_send: bool,
    /// C: a zero-length Write as RTR.
    pub rtr_write: bool,
    /// D: a zero-length Read as RTR.
    pub rtr_read: bool,
    /// Inbound RDMA Read Queue Depth (IRD).
    pub ird: u16,
    /// Outbound RDMA Read Queue Depth (ORD).
    pub ord: u16,
}

impl From<EnhancedView<'_>> for EnhancedSeen {
    fn from(view: EnhancedView<'_>) -> Self {
        Self {
            peer_to_peer: view.control_a(),
            rtr_send: view.control_b(),
            rtr_write: view.control_c(),
            rtr_read: view.control_d(),
            ird: view.ird(),
            ord: view.ord(),
        }
    }
}

/// The contents kept of RPC-over-RDMA's private data (RFC 8797 §4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RdmaPrivateSeen {
    /// R: remote invalidation is supported.
    pub remote_invalidation: bool,
    /// The inline send threshold in bytes.
    pub send_size: u32,
    /// The inline receive threshold in bytes.
    pub receive_size: u32,
}

/// The contents kept of a setup frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SetupFacts {
    /// Request or reply.
    pub role: Role,
    /// M: its sender wants to receive markers.
    pub markers: bool,
    /// C: its sender wants CRCs.
    pub crc: bool,
    /// R: the connection is rejected.
    pub rejected: bool,
    /// The revision.
    pub revision: u8,
    /// PD_Length in bytes.
    pub private_data_length: u16,
    /// The enhanced data, in a frame of revision 2 with S set.
    pub enhanced: Option<EnhancedSeen>,
    /// RPC-over-RDMA's private data.
    pub rdma_private: Option<RdmaPrivateSeen>,
}

/// The setup frames of a connection, as far as they were seen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Negotiation {
    sent: [Option<SetupFacts>; 2],
}

impl Negotiation {
    /// Records the setup frame that a side sent. Only the first one counts.
    pub fn take(&mut self, side: Side, view: &SetupView<'_>) {
        let Some(role) = view.header.role() else { return };
        self.sent[side.index()].get_or_insert(SetupFacts {
            role,
            markers: view.header.markers(),
            crc: view.header.crc(),
            rejected: view.header.rejected(),
            revision: view.header.revision(),
            private_data_length: view.header.private_data_length(),
            enhanced: view.enhanced().map(EnhancedSeen::from),
            rdma_private: RdmaPrivateDataView::parse(view.ulp_private_data())
                .ok()
                .filter(|(view, _)| view.recognised())
                .map(|(view, _)| RdmaPrivateSeen {
                    remote_invalidation: view.remote_invalidation(),
                    send_size: view.send_size(),
                    receive_size: view.receive_size(),
                }),
        });
    }

    /// Returns whether a side's stream carries markers, which the other side decides. Returns `None` if the
    /// other side's setup frame was not seen.
    pub fn markers_from(&self, side: Side) -> Option<bool> {
        self.sent[side.peer().index()].map(|seen| seen.markers)
    }

    /// Returns whether CRCs are in use: if either side asked for them. Returns `None` if that is not known.
    pub fn crc(&self) -> Option<bool> {
        match self.sent {
            [Some(one), Some(other)] => Some(one.crc || other.crc),
            [Some(seen), None] | [None, Some(seen)] if seen.crc => Some(true),
            _ => None,
        }
    }

    /// Returns the contents of a side's setup frame.
    pub fn seen(&self, side: Side) -> Option<&SetupFacts> {
        self.sent[side.index()].as_ref()
    }

    /// Returns how many requests a side may have outstanding: the smaller of its ORD and the other side's
    /// IRD, as negotiated by the two frames (RFC 6581 §9.1).
    pub fn depth(&self, requester: Side) -> Option<u16> {
        let of = |side: Side| self.sent[side.index()].and_then(|seen| seen.enhanced);
        let depths = [of(requester)?.ord, of(requester.peer())?.ird];
        depths.into_iter().filter(|depth| *depth != NOT_NEGOTIATED).min()
    }

    /// Returns whether a side's setup frame was seen.
    pub(crate) fn has_sent(&self, side: Side) -> bool {
        self.sent[side.index()].is_some()
    }

    /// Returns the side that sent the request, or that did not send the reply.
    pub fn initiator(&self) -> Option<Side> {
        Side::BOTH.into_iter().find_map(|side| {
            self.sent[side.index()].map(|seen| match seen.role {
                Role::Request => side,
                Role::Reply => side.peer(),
            })
        })
    }

    /// Returns whether the responder rejected the connection.
    pub fn rejected(&self) -> bool {
        self.sent.iter().flatten().any(|seen| seen.role == Role::Reply && seen.rejected)
    }

    /// Returns the revision that a side sent.
    pub fn revision(&self, side: Side) -> Option<u8> {
        self.sent[side.index()].map(|seen| seen.revision)
    }
}
