//! The RDMAP control octet: the first octet that DDP reserves for its ULP (RFC 5040 §4.1, figure 3).

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
