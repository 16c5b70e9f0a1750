//! Enhanced RDMA connection establishment data: the first four bytes of the private data (RFC 6581 §9).

use crate::figure::figure;
use crate::{Illegal, Layer};

/// Bytes of the enhanced header.
pub const ENHANCED_LENGTH: usize = 4;
/// The IRD or ORD value that says "not negotiated here" (RFC 6581 §9.1).
pub const NOT_NEGOTIATED: u16 = 0x3fff;

const HIGH: u16 = 0x8000;
const SECOND: u16 = 0x4000;
const DEPTH: u16 = 0x3fff;
const SECTION: &str = "RFC 6581 section 9.2";

figure! {
    /// Four control flags and two queue depths.
    EnhancedView: 4 bytes, Mpa "enhanced connection establishment data" {
        /// A, B and IRD together.
        0 a_b_ird u16;
        /// C, D and ORD together.
        2 c_d_ord u16;
    }
}

impl EnhancedView<'_> {
    /// A: the peer-to-peer model is asked for (request) or followed (reply).
    pub fn control_a(&self) -> bool {
        self.a_b_ird() & HIGH != 0
    }

    /// B: a zero-length Send may be the ready-to-receive indication.
    pub fn control_b(&self) -> bool {
        self.a_b_ird() & SECOND != 0
    }

    /// C: a zero-length RDMA Write may be the ready-to-receive indication.
    pub fn control_c(&self) -> bool {
        self.c_d_ord() & HIGH != 0
    }

    /// D: a zero-length RDMA Read may be the ready-to-receive indication.
    pub fn control_d(&self) -> bool {
        self.c_d_ord() & SECOND != 0
    }

    /// Inbound RDMA Read Queue Depth (IRD), requests at once.
    pub fn ird(&self) -> u16 {
        self.a_b_ird() & DEPTH
    }

    /// Outbound RDMA Read Queue Depth (ORD), requests at once.
    pub fn ord(&self) -> u16 {
        self.c_d_ord() & DEPTH
    }
}

/// The ready-to-receive (RTR) indications that a side supports. At least one is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ReadyToReceive {
    send: bool,
    write: bool,
    read: bool,
}

impl ReadyToReceive {
    /// A set of indications; `None` when it would be empty.
    pub fn new(send: bool, write: bool, read: bool) -> Option<Self> {
        (send || write || read).then_some(Self { send, write, read })
    }

    /// B: a zero-length Send.
    pub fn send(&self) -> bool {
        self.send
    }

    /// C: a zero-length RDMA Write.
    pub fn write(&self) -> bool {
        self.write
    }

    /// D: a zero-length RDMA Read.
    pub fn read(&self) -> bool {
        self.read
    }
}

/// The connection model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mode {
    /// A = 0, and with it B, C and D.
    ClientServer,
    /// A = 1, with the indications supported.
    PeerToPeer(ReadyToReceive),
}

/// Legal enhanced connection establishment data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Enhanced {
    /// The connection model.
    pub mode: Mode,
    ird: u16,
    ord: u16,
}

impl Enhanced {
    /// Data with these depths; [`NOT_NEGOTIATED`] is allowed.
    ///
    /// # Errors
    /// [`Illegal`] when a depth needs more than 14 bits.
    pub fn new(mode: Mode, ird: u16, ord: u16) -> Result<Self, Illegal> {
        for (field, value) in [("IRD", ird), ("ORD", ord)] {
            if value > DEPTH {
                let section = "RFC 6581 section 9";
                return Err(Illegal { layer: Layer::Mpa, field, value: value.into(), section });
            }
        }
        Ok(Self { mode, ird, ord })
    }

    /// Inbound RDMA Read Queue Depth (IRD).
    pub fn ird(&self) -> u16 {
        self.ird
    }

    /// Outbound RDMA Read Queue Depth (ORD).
    pub fn ord(&self) -> u16 {
        self.ord
    }

    /// The four bytes on the wire.
    pub fn bytes(&self) -> [u8; ENHANCED_LENGTH] {
        let flag = |set: bool, bit: u16| if set { bit } else { 0 };
        let (a, b, c, d) = match self.mode {
            Mode::ClientServer => (false, false, false, false),
            Mode::PeerToPeer(rtr) => (true, rtr.send, rtr.write, rtr.read),
        };
        let [first, second] = (self.ird | flag(a, HIGH) | flag(b, SECOND)).to_be_bytes();
        let [third, fourth] = (self.ord | flag(c, HIGH) | flag(d, SECOND)).to_be_bytes();
        [first, second, third, fourth]
    }
}

impl TryFrom<EnhancedView<'_>> for Enhanced {
    type Error = Illegal;

    fn try_from(view: EnhancedView<'_>) -> Result<Self, Illegal> {
        let rtr = ReadyToReceive::new(view.control_b(), view.control_c(), view.control_d());
        let mode = match (view.control_a(), rtr) {
            (false, None) => Mode::ClientServer,
            (true, Some(rtr)) => Mode::PeerToPeer(rtr),
            (a, _) => {
                let (layer, field, section) = (Layer::Mpa, "control flags", SECTION);
                return Err(Illegal { layer, field, value: a.into(), section });
            }
        };
        Self::new(mode, view.ird(), view.ord())
    }
}
