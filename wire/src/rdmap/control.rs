//! The RDMAP control byte: the first byte that DDP reserves for its ULP (RFC 5040 §4.1, figure 3).

use super::{Message, Profile};
use crate::{Illegal, Layer};

const NEWEST_VERSION: u8 = 2;
const VERSION_SHIFT: u32 = 6;
const FIVE_BITS: u8 = 0x1f;
const SIXTH_BIT: u8 = 0x20;

/// `RV | Rsv | Opcode`. RFC 5040 has two reserved bits and a 4-bit opcode; ext-v2 and rdma-commit
/// take the lower reserved bit as the opcode's fifth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RdmapControlView(pub u8);

impl RdmapControlView {
    /// RV: the version of RDMAP.
    pub fn rdmap_version(self) -> u8 {
        self.0 >> VERSION_SHIFT
    }

    /// The opcode with five bits. The fifth is zero in every message of RFC 5040 and RFC 7306.
    pub fn opcode(self) -> u8 {
        self.0 & FIVE_BITS
    }

    /// The bit that is reserved in every document.
    pub fn reserved(self) -> u8 {
        (self.0 & SIXTH_BIT) >> 5
    }
}

/// A legal control byte: a message, and a version of RDMAP that has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RdmapControl {
    byte: u8,
    message: Message,
}

impl RdmapControl {
    /// The byte of `message` under a version: 0 is the RDMA Consortium's, 1 that of RFC 5040 and
    /// rdma-commit, 2 that of ext-v2.
    ///
    /// # Errors
    /// [`Illegal`] when the version has no such message.
    pub fn new(rdmap_version: u8, message: Message) -> Result<Self, Illegal> {
        let byte = rdmap_version << VERSION_SHIFT | message.info().opcode;
        if rdmap_version > NEWEST_VERSION {
            return Err(illegal("RDMAP version", rdmap_version));
        }
        match Message::from_control(RdmapControlView(byte), Profile::ALL) {
            Some(found) if found == message => Ok(Self { byte, message }),
            _ => Err(illegal("opcode", message.info().opcode)),
        }
    }

    /// RV: the version of RDMAP.
    pub fn rdmap_version(self) -> u8 {
        RdmapControlView(self.byte).rdmap_version()
    }

    /// The message.
    pub fn message(self) -> Message {
        self.message
    }

    /// The byte on the wire.
    pub fn byte(self) -> u8 {
        self.byte
    }
}

impl TryFrom<RdmapControlView> for RdmapControl {
    type Error = Illegal;

    /// Refuses a reserved bit, a version that nobody defines and an opcode that it does not have.
    fn try_from(view: RdmapControlView) -> Result<Self, Illegal> {
        if view.reserved() != 0 {
            return Err(illegal("reserved", view.reserved()));
        }
        let message = Message::from_control(view, Profile::ALL)
            .ok_or_else(|| illegal("opcode", view.opcode()))?;
        Self::new(view.rdmap_version(), message)
    }
}

fn illegal(field: &'static str, value: u8) -> Illegal {
    let (layer, section) = (Layer::Rdmap, "RFC 5040 section 4.1");
    Illegal { layer, field, value: value.into(), section }
}
