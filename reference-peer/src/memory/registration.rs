//! How memory is offered to peers.

use super::{HashAlgorithm, Rights};

/// Where the Tagged Offsets of a region begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Base {
    /// The first byte has Tagged Offset 0; it is aligned to 64 bits.
    #[default]
    Zero,
    /// The Tagged Offset is the ULP Buffer address, and the first byte has this one.
    Address(u64),
}

impl Base {
    /// The Tagged Offset of the first byte.
    pub fn tagged_offset(self) -> u64 {
        match self {
            Self::Zero => 0,
            Self::Address(address) => address,
        }
    }
}

/// Which streams may use a Steering Tag (RFC 5040 section 8.1.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Association {
    /// One stream, by its number; the peer may invalidate the tag.
    Stream(u64),
    /// All streams of a Protection Domain; no peer may invalidate it.
    ProtectionDomain(u32),
}

/// What a region or window is to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Registration {
    /// Where its Tagged Offsets begin.
    pub base: Base,
    /// What a remote peer may do.
    pub rights: Rights,
    /// Which streams may use it.
    pub association: Association,
    /// The hash that a Verify computes.
    pub hash: HashAlgorithm,
}

impl Registration {
    /// A zero-based registration for the streams of a Protection Domain.
    pub fn shared(protection_domain: u32, rights: Rights) -> Self {
        let association = Association::ProtectionDomain(protection_domain);
        Self { base: Base::Zero, rights, association, hash: HashAlgorithm::default() }
    }

    /// A zero-based registration for one stream.
    pub fn stream(stream: u64, rights: Rights) -> Self {
        let association = Association::Stream(stream);
        Self { base: Base::Zero, rights, association, hash: HashAlgorithm::default() }
    }

    /// The same with Tagged Offsets that are addresses.
    #[must_use]
    pub fn based_at(self, address: u64) -> Self {
        Self { base: Base::Address(address), ..self }
    }
}
