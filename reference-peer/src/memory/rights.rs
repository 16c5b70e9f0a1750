//! What a remote peer may do with a region.

use std::ops::BitOr;

/// A set of rights of remote access. Local access needs none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Rights(u8);

impl Rights {
    /// No remote access.
    pub const NONE: Self = Self(0);
    /// To be read by RDMA Reads (RFC 5040 section 8.1.1).
    pub const READ: Self = Self(1);
    /// To be written by RDMA Writes and Atomic Writes (RFC 5040 section 8.1.1).
    pub const WRITE: Self = Self(1 << 1);
    /// To be changed by atomic operations (RFC 7306 section 5).
    pub const ATOMIC: Self = Self(1 << 2);
    /// To be flushed to persistence (rdma-commit section 3.2.1).
    pub const FLUSH_PERSISTENT: Self = Self(1 << 3);
    /// To be flushed to global visibility (rdma-commit section 3.2.1).
    pub const FLUSH_VISIBLE: Self = Self(1 << 4);
    /// To be hashed by a Verify (rdma-commit section 3.1.2).
    pub const VERIFY: Self = Self(1 << 5);
    /// To be flushed either way.
    pub const FLUSH: Self = Self(1 << 3 | 1 << 4);
    /// Every right.
    pub const ALL: Self = Self(0x3f);

    /// The rights with these bits, in the order of the constants from bit 0 on; others are left out.
    pub fn from_bits(bits: u8) -> Self {
        Self(bits & Self::ALL.0)
    }

    /// Their bits.
    pub fn bits(self) -> u8 {
        self.0
    }

    /// Whether every right of `needed` is in this set.
    pub fn contain(self, needed: Self) -> bool {
        self.0 & needed.0 == needed.0
    }

    /// This set without the rights of `others`.
    pub fn without(self, others: Self) -> Self {
        Self(self.0 & !others.0)
    }
}

impl BitOr for Rights {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}
