//! CRC-32C (Castagnoli) as MPA uses it (RFC 5044 §4.4), and the CRC-32 of Ethernet.

use crc_fast::{CrcAlgorithm, checksum};

/// The CRC-32C of some bytes.
pub fn crc32c(bytes: &[u8]) -> u32 {
    // The catalogue of CRCs names it for iSCSI; a CRC of 32 bits is in the low half.
    checksum(CrcAlgorithm::Crc32Iscsi, bytes) as u32
}

/// The CRC-32 of Ethernet and zlib, which Wireshark gives short names to file handles by.
pub fn crc32(bytes: &[u8]) -> u32 {
    checksum(CrcAlgorithm::Crc32IsoHdlc, bytes) as u32
}

/// The four bytes of an FPDU's CRC field. They are the reflected CRC's, least significant first:
/// the one field of iWARP that is not big-endian when read as an integer.
pub fn field_bytes(crc: u32) -> [u8; 4] {
    crc.to_le_bytes()
}

/// The CRC that a CRC field's four bytes stand for.
pub fn from_field(bytes: [u8; 4]) -> u32 {
    u32::from_le_bytes(bytes)
}

#[cfg(test)]
mod tests {
    /// RFC 3720 §B.4 gives these values for CRC-32C over 32 bytes, which MPA takes over.
    #[test]
    fn iscsi_examples() {
        assert_eq!(super::field_bytes(super::crc32c(&[0; 32])), [0xaa, 0x36, 0x91, 0x8a]);
        assert_eq!(super::field_bytes(super::crc32c(&[0xff; 32])), [0x43, 0xab, 0xa8, 0x62]);
        let rising: Vec<u8> = (0..32).collect();
        let field = super::field_bytes(super::crc32c(&rising));
        assert_eq!(field, [0x4e, 0x79, 0xdd, 0x46]);
        assert_eq!(super::from_field(field), super::crc32c(&rising));
    }
}
