//! The hashes of a Verify: an upper layer chooses, a region remembers (rdma-commit section 3.1.2).

use sha2::{Digest, Sha256};
use warpscope_wire::crc;

/// A hash algorithm by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum HashAlgorithm {
    /// CRC-32C; its four octets are big-endian.
    #[default]
    Crc32c,
    /// SHA-256; 32 octets.
    Sha256,
}

impl HashAlgorithm {
    /// The longest hash in octets.
    pub const LONGEST: usize = 32;

    /// The hash of `octets`.
    pub fn hash(self, octets: &[u8]) -> Vec<u8> {
        match self {
            Self::Crc32c => crc::crc32c(octets).to_be_bytes().to_vec(),
            Self::Sha256 => Sha256::digest(octets).to_vec(),
        }
    }
}
