//! The few header fields that the runner itself reads, by bits, from the figures of RFC 5040, 5041 and 5044.
//! It must not judge by the codec of `wire`, which the tested peer may share.

/// A field's position in a byte string, counted as in the figures: bit 0 is the most significant bit of the
/// first byte. Fields are at most 64 bits wide.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Bits {
    /// The number of bits before the field.
    pub(crate) offset: usize,
    /// The width of the field in bits, 1 to 64.
    pub(crate) width: usize,
}

impl Bits {
    /// Returns a field of `width` bits after `offset` bits.
    pub(crate) const fn new(offset: usize, width: usize) -> Self {
        Self { offset, width }
    }

    /// Returns a field of whole bytes.
    pub(crate) const fn bytes(offset: usize, width: usize) -> Self {
        Self::new(offset * 8, width * 8)
    }

    /// Returns its value in `bytes`; `None` if they are too short.
    pub(crate) fn read(self, bytes: &[u8]) -> Option<u64> {
        let (first, end) = (self.offset / 8, (self.offset + self.width).div_ceil(8));
        let bytes = bytes.get(first..end)?;
        let mut value: u128 = 0;
        for byte in bytes {
            value = value << 8 | u128::from(*byte);
        }
        let after = end * 8 - self.offset - self.width;
        Some((value >> after) as u64 & self.mask())
    }

    /// Writes as many low bits of `value` as the field has. Returns false if the bytes are too short.
    pub(crate) fn write(self, bytes: &mut [u8], value: u64) -> bool {
        let (first, end) = (self.offset / 8, (self.offset + self.width).div_ceil(8));
        let Some(bytes) = bytes.get_mut(first..end) else { return false };
        let after = end * 8 - self.offset - self.width;
        let mask = u128::from(self.mask()) << after;
        let value = u128::from(value & self.mask()) << after;
        let last = bytes.len().saturating_sub(1);
        for (index, byte) in bytes.iter_mut().enumerate() {
            let shift = 8 * (last - index);
            *byte = *byte & !((mask >> shift) as u8) | (value >> shift) as u8;
        }
        true
    }

    pub(crate) fn mask(self) -> u64 {
        if self.width >= 64 { u64::MAX } else { (1 << self.width) - 1 }
    }
}

/// The length of a setup frame's key in bytes (RFC 5044 figure 8).
pub(crate) const KEY: usize = 16;
/// The length of a setup frame before its private data, in bytes.
pub(crate) const SETUP: usize = 20;
/// M of a setup frame.
pub(crate) const SETUP_MARKERS: Bits = Bits::new(128, 1);
/// C of a setup frame.
pub(crate) const SETUP_CRC: Bits = Bits::new(129, 1);
/// R of a setup frame.
pub(crate) const SETUP_REJECTED: Bits = Bits::new(130, 1);
/// Rev of a setup frame.
pub(crate) const SETUP_REVISION: Bits = Bits::bytes(17, 1);
/// PD_Length of a setup frame.
pub(crate) const SETUP_LENGTH: Bits = Bits::bytes(18, 2);

/// T of a DDP segment (RFC 5041 figure 3).
pub(crate) const TAGGED: Bits = Bits::new(0, 1);
/// L of a DDP segment.
pub(crate) const LAST: Bits = Bits::new(1, 1);
/// DV of a DDP segment.
pub(crate) const DDP_VERSION: Bits = Bits::new(6, 2);
/// RV of RDMAP's control byte (RFC 5040 figure 3), the second byte of every DDP segment.
pub(crate) const RDMAP_VERSION: Bits = Bits::new(8, 2);
/// The opcode, including the bit that later documents took from the reserved ones.
pub(crate) const OPCODE: Bits = Bits::new(11, 5);
/// The length of a tagged segment's header in bytes (RFC 5041 figure 4).
pub(crate) const TAGGED_HEADER: usize = 14;
/// STag of a tagged segment.
pub(crate) const STEERING_TAG: Bits = Bits::bytes(2, 4);
pub(crate) const TAGGED_OFFSET: Bits = Bits::bytes(6, 8);
/// The length of an untagged segment's header in bytes (RFC 5041 figure 5).
pub(crate) const UNTAGGED_HEADER: usize = 18;
/// QN of an untagged segment.
pub(crate) const QUEUE_NUMBER: Bits = Bits::bytes(6, 4);
/// MSN of an untagged segment.
pub(crate) const MESSAGE_SEQUENCE_NUMBER: Bits = Bits::bytes(10, 4);
/// MO of an untagged segment.
pub(crate) const MESSAGE_OFFSET: Bits = Bits::bytes(14, 4);

/// Fields of a Read Request's payload (RFC 5040 figure 6).
pub(crate) const SINK_STEERING_TAG: Bits = Bits::bytes(0, 4);
/// The Tagged Offset of the Data Sink.
pub(crate) const SINK_OFFSET: Bits = Bits::bytes(4, 8);
/// RDMA Read Message Size.
pub(crate) const READ_SIZE: Bits = Bits::bytes(12, 4);
/// STag of the Data Source.
pub(crate) const SOURCE_STEERING_TAG: Bits = Bits::bytes(16, 4);
/// The Tagged Offset of the Data Source.
pub(crate) const SOURCE_OFFSET: Bits = Bits::bytes(20, 8);
/// The length of a Read Request's payload in bytes.
pub(crate) const READ_REQUEST: usize = 28;

/// Fields of a Terminate's payload (RFC 5040 figure 7).
pub(crate) const TERMINATE_LAYER: Bits = Bits::new(0, 4);
pub(crate) const TERMINATE_TYPE: Bits = Bits::new(4, 4);
pub(crate) const TERMINATE_CODE: Bits = Bits::new(8, 8);
/// M of HdrCt: the segment length is valid.
pub(crate) const TERMINATE_M: Bits = Bits::new(16, 1);
/// D of HdrCt: the DDP header is present.
pub(crate) const TERMINATE_D: Bits = Bits::new(17, 1);
/// R of HdrCt: the RDMAP header is present.
pub(crate) const TERMINATE_R: Bits = Bits::new(18, 1);
/// The reserved bits after HdrCt.
pub(crate) const TERMINATE_RESERVED: Bits = Bits::new(19, 13);
/// The length of the first word in bytes.
pub(crate) const TERMINATE_CONTROL: usize = 4;
/// The length of the DDP Segment Length in bytes.
pub(crate) const TERMINATE_LENGTH: usize = 2;

/// Opcodes that the engine handles specially (RFC 5040 figure 4).
pub(crate) const WRITE: u8 = 0;
pub(crate) const READ_REQUEST_OPCODE: u8 = 1;
pub(crate) const READ_RESPONSE: u8 = 2;
pub(crate) const SEND: u8 = 3;
pub(crate) const TERMINATE: u8 = 7;

/// Returns the opcode's name (RFC 5040 figure 4, RFC 7306 figure 2, the drafts).
pub(crate) fn opcode_name(opcode: u8) -> &'static str {
    const NAMES: [&str; 17] = [
        "Write",
        "Read Request",
        "Read Response",
        "Send",
        "Send with Invalidate",
        "Send with SE",
        "Send with SE and Invalidate",
        "Terminate",
        "Immediate Data",
        "Immediate Data with SE",
        "Atomic Request",
        "Atomic Response",
        "Flush Request",
        "Flush Response",
        "Verify Request",
        "Verify Response",
        "Atomic Write Request",
    ];
    NAMES.get(usize::from(opcode)).copied().unwrap_or("message of a later opcode")
}

#[cfg(test)]
mod tests {
    use super::Bits;

    #[test]
    fn fields_within_and_across_bytes() {
        let bytes = [0b1010_0101, 0xf0, 0x12, 0x34];
        assert_eq!(Bits::new(0, 1).read(&bytes), Some(1));
        assert_eq!(Bits::new(4, 4).read(&bytes), Some(5));
        assert_eq!(Bits::new(4, 8).read(&bytes), Some(0x5f));
        assert_eq!(Bits::bytes(2, 2).read(&bytes), Some(0x1234));
        assert_eq!(Bits::bytes(3, 2).read(&bytes), None);
    }

    #[test]
    fn writing_leaves_the_neighbours() {
        let mut bytes = [0xff; 10];
        assert!(Bits::new(3, 64).write(&mut bytes, 0));
        assert_eq!(bytes, [0xe0, 0, 0, 0, 0, 0, 0, 0, 0x1f, 0xff]);
        assert!(Bits::new(3, 64).write(&mut bytes, u64::MAX));
        assert_eq!(bytes, [0xff; 10]);
        assert!(!Bits::bytes(9, 2).write(&mut bytes, 0));
    }
}
