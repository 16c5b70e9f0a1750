//! What a connection is made with.

use crate::bug::{Bug, Bugs};
use crate::memory::Accessor;
use crate::setup::SetupConfig;
use std::time::Duration;
use warpscope_wire::rdmap::Profile;

/// Which side of the setup a connection is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// Sends the request.
    Initiator,
    /// Answers it.
    Responder,
}

/// How FPDUs are put into TCP segments (RFC 5044 sections 4.6 and 5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Packing {
    /// Each FPDU in a segment of its own, aligned.
    #[default]
    One,
    /// As many whole FPDUs in a segment as fit, aligned.
    Several,
    /// Full segments, wherever FPDUs begin and end.
    Unaligned,
}

/// What a connection is made with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// The role.
    pub role: Role,
    /// What this side wants from the setup.
    pub setup: SetupConfig,
    /// The documents in force.
    pub profile: Profile,
    /// The stream's number and Protection Domain, as memory knows them.
    pub accessor: Accessor,
    /// Effective Maximum Segment Size (EMSS) of TCP in bytes.
    pub emss: usize,
    /// The longest ULPDU, if it is to be shorter than the EMSS allows, in bytes.
    pub longest_ulpdu: Option<u16>,
    /// How FPDUs are put into TCP segments.
    pub packing: Packing,
    /// Whether a responder accepts by itself, with the setup's private data. If not, the ULP calls
    /// [`Connection::accept`](super::Connection::accept) or `reject`.
    pub accepts: bool,
    /// Whether the Atomic Swap of rdmap-ext-04, which RFC 7306 left out, is taken.
    pub atomic_swap: bool,
    /// How long the setup may take (RFC 5044 section 7.1.2 rules 8 and 10).
    pub setup_timeout: Duration,
    /// How long the peer may take to close after a Terminate.
    pub close_timeout: Duration,
    /// What this side does wrong. Bugs of memory are the memory's
    /// ([`Memory::set_bugs`](crate::memory::Memory::set_bugs)).
    pub bugs: Bugs,
}

impl Config {
    /// A connection of this role with RFC 5040 alone, for Ethernet.
    pub fn new(role: Role, accessor: Accessor) -> Self {
        Self {
            role,
            setup: SetupConfig::default(),
            profile: Profile::RFC5040,
            accessor,
            emss: 1460,
            longest_ulpdu: None,
            packing: Packing::default(),
            accepts: true,
            atomic_swap: false,
            setup_timeout: Duration::from_secs(10),
            close_timeout: Duration::from_secs(5),
            bugs: Bugs::NONE,
        }
    }

    /// Whether TCP stays open behind a wrong setup frame.
    pub(crate) fn keeps_tcp(&self) -> bool {
        self.bugs.has(Bug::SetupErrorKeepsTcp)
    }
}
