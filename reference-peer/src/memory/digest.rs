//! The hashes of a Verify: an upper layer chooses, a region remembers (rdma-commit section 3.1.2).

use sha2::{Digest, Sha256};
use warpscope_wire::crc;

/// A hash algorithm by name. The draft leaves algorithms and lengths to the upper layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum HashAlgorithm {
    /// CRC-32C; its four bytes are big-endian.
    #[default]
    Crc32c,
    /// SHA-256; 32 bytes.
    Sha256,
    /// BLAKE3 in its plain mode; 32 bytes.
    Blake3,
}

impl HashAlgorithm {
    /// The longest hash in bytes.
    pub const LONGEST: usize = 32;

    /// All of them.
    pub const ALL: [Self; 3] = [Self::Crc32c, Self::Sha256, Self::Blake3];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Crc32c => "crc32c",
            Self::Sha256 => "sha256",
            Self::Blake3 => "blake3",
        }
    }

    /// The hash of `bytes`.
    pub fn hash(self, bytes: &[u8]) -> Vec<u8> {
        match self {
            Self::Crc32c => crc::crc32c(bytes).to_be_bytes().to_vec(),
            Self::Sha256 => Sha256::digest(bytes).to_vec(),
            Self::Blake3 => blake3::hash(bytes).as_bytes().to_vec(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::HashAlgorithm;

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// The check value of CRC-32C, FIPS 180-2 appendix B.1, and BLAKE3's published hash of nothing.
    #[test]
    fn known_hashes() {
        let [crc32c, sha256, blake3] = HashAlgorithm::ALL;
        assert_eq!(hex(&crc32c.hash(b"123456789")), "e3069283");
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(hex(&sha256.hash(b"abc")), abc);
        let nothing = "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262";
        assert_eq!(hex(&blake3.hash(b"")), nothing);
    }
}
