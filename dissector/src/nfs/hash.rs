//! Short names for file handles and state IDs: the checksums that Wireshark shows.

/// The CRC-32 of a file handle's bytes (`nfs.fh.hash`): the one of Ethernet and zlib.
pub fn handle_hash(bytes: &[u8]) -> u32 {
    let mut crc = flate2::Crc::new();
    crc.update(bytes);
    crc.sum()
}

/// The CRC-16 of a state ID's 16 bytes (`nfs.stateid.hash`): reflected polynomial 0x1021, from all
/// ones, inverted at the end, as in X.25.
pub fn state_id_hash(bytes: &[u8]) -> u16 {
    let mut crc = 0xffff_u16;
    for byte in bytes {
        crc ^= u16::from(*byte);
        for _ in 0..8 {
            crc = if crc & 1 != 0 { crc >> 1 ^ 0x8408 } else { crc >> 1 };
        }
    }
    !crc
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The check values of the two CRCs, over the digits 1 to 9.
    #[test]
    fn the_checksums_are_the_known_ones() {
        assert_eq!(handle_hash(b"123456789"), 0xcbf4_3926);
        assert_eq!(state_id_hash(b"123456789"), 0x906e);
    }
}
