//! CRC-32C (Castagnoli) as MPA uses it (RFC 5044 §4.4), and the CRC-32 of Ethernet.

use crc_fast::{CrcAlgorithm, checksum};

/// Returns the CRC-32C of `bytes`.
pub fn crc32c(bytes: &[u8]) -> u32 {
    // The CRC catalogue names it for iSCSI. A 32-bit CRC is in the low half.
    checksum(CrcAlgorithm::Crc32Iscsi, bytes) as u32
}

/// Returns the CRC-32 of Ethernet and zlib, from which Wireshark derives short names of file handles.
pub fn crc32(bytes: &[u8]) -> u32 {
    checksum(CrcAlgorithm::Crc32IsoHdlc, bytes) as u32
}

/// Returns the four bytes of an FPDU's CRC field. The reflected CRC is sent least significant byte
/// first: it is the one field of iWARP that is not big-endian when read as an integer.
pub fn field_bytes(crc: u32) -> [u8; 4] {
    crc.to_le_bytes()
}

/// Returns the CRC in the four bytes of a CRC field.
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
