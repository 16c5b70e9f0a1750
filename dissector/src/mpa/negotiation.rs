//! What two setup frames agree on.

use warpscope_wire::mpa::{Role, SetupView};

/// One side of a connection: an index, 0 for the side that sent the first segment seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Side(pub u8);

impl Side {
    /// Both sides.
    pub const BOTH: [Self; 2] = [Self(0), Self(1)];

    /// The other side.
    #[must_use]
    pub fn peer(self) -> Self {
        Self(self.0 ^ 1)
    }

    /// The side as an index.
    pub fn index(self) -> usize {
        usize::from(self.0 & 1)
    }
}

/// What is remembered of a setup frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Seen {
    role: Role,
    markers: bool,
    crc: bool,
    rejected: bool,
    revision: u8,
}

/// The setup frames of a connection, as far as they were seen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Negotiation {
    sent: [Option<Seen>; 2],
}

impl Negotiation {
    /// Takes the setup frame that a side sent. The first one counts.
    pub fn take(&mut self, side: Side, view: &SetupView<'_>) {
        let Some(role) = view.header.role() else { return };
        self.sent[side.index()].get_or_insert(Seen {
            role,
            markers: view.header.markers(),
            crc: view.header.crc(),
            rejected: view.header.rejected(),
            revision: view.header.revision(),
        });
    }

    /// Whether a side's stream carries markers: the other side decides. `None` when its setup
    /// frame was not seen.
    pub fn markers_from(&self, side: Side) -> Option<bool> {
        self.sent[side.peer().index()].map(|seen| seen.markers)
    }

    /// Whether CRCs are in use: when either side asked for them. `None` when that cannot be told.
    pub fn crc(&self) -> Option<bool> {
        match self.sent {
            [Some(one), Some(other)] => Some(one.crc || other.crc),
            [Some(seen), None] | [None, Some(seen)] if seen.crc => Some(true),
            _ => None,
        }
    }

    /// Whether a side's setup frame was seen.
    pub fn has_sent(&self, side: Side) -> bool {
        self.sent[side.index()].is_some()
    }

    /// The side that sent the request, or did not send the reply.
    pub fn initiator(&self) -> Option<Side> {
        Side::BOTH.into_iter().find_map(|side| {
            self.sent[side.index()].map(|seen| match seen.role {
                Role::Request => side,
                Role::Reply => side.peer(),
            })
        })
    }

    /// Whether the responder rejected the connection.
    pub fn rejected(&self) -> bool {
        self.sent.iter().flatten().any(|seen| seen.role == Role::Reply && seen.rejected)
    }

    /// The revision that a side sent.
    pub fn revision(&self, side: Side) -> Option<u8> {
        self.sent[side.index()].map(|seen| seen.revision)
    }
}
