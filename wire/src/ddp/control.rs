//! The DDP control byte, the same in both segment formats (RFC 5041 §4.1).

/// The DDP version (DV) that RFC 5041 defines.
pub const DDP_VERSION: u8 = 1;

pub(super) const TAGGED: u8 = 0x80;
pub(super) const LAST: u8 = 0x40;
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

    /// The four reserved bits, as a number from 0 to 15.
    pub fn reserved(self) -> u8 {
        (self.0 & RESERVED) >> 2
    }

    /// DV: the version of DDP.
    pub fn ddp_version(self) -> u8 {
        self.0 & VERSION
    }

    /// True for what RFC 5041 lets a sender send: no reserved bit, version 1.
    pub fn legal(self) -> bool {
        self.reserved() == 0 && self.ddp_version() == DDP_VERSION
    }
}
