//! A field of a header by its place: so many bits behind so many others.

/// A field's place in a string of bytes, as the figures count: bit 0 is the most significant bit of
/// the first byte. Fields are at most 64 bits wide.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Bits {
    /// Bits before the field.
    pub offset: usize,
    /// Bits of the field, 1 to 64.
    pub width: usize,
}

impl Bits {
    /// A field of `width` bits behind `offset` bits.
    pub const fn new(offset: usize, width: usize) -> Self {
        Self { offset, width }
    }

    /// A field of whole bytes.
    pub const fn bytes(offset: usize, width: usize) -> Self {
        Self::new(offset * 8, width * 8)
    }

    /// The same field behind so many more bytes.
    #[must_use]
    pub const fn behind(self, bytes: usize) -> Self {
        Self::new(self.offset + bytes * 8, self.width)
    }

    /// Its value in `bytes`; none where they are too few.
    pub fn read(self, bytes: &[u8]) -> Option<u64> {
        let (first, end) = (self.offset / 8, (self.offset + self.width).div_ceil(8));
        let bytes = bytes.get(first..end)?;
        let mut value: u128 = 0;
        for byte in bytes {
            value = value << 8 | u128::from(*byte);
        }
        let behind = end * 8 - self.offset - self.width;
        Some((value >> behind) as u64 & self.mask())
    }

    /// Puts `value` there, as many of its low bits as the field has; false where the bytes are too few.
    pub fn write(self, bytes: &mut [u8], value: u64) -> bool {
        let (first, end) = (self.offset / 8, (self.offset + self.width).div_ceil(8));
        let Some(bytes) = bytes.get_mut(first..end) else { return false };
        let behind = end * 8 - self.offset - self.width;
        let mask = u128::from(self.mask()) << behind;
        let value = u128::from(value & self.mask()) << behind;
        let last = bytes.len().saturating_sub(1);
        for (index, byte) in bytes.iter_mut().enumerate() {
            let shift = 8 * (last - index);
            *byte = *byte & !((mask >> shift) as u8) | (value >> shift) as u8;
        }
        true
    }

    /// The greatest value.
    pub fn mask(self) -> u64 {
        if self.width >= 64 { u64::MAX } else { (1 << self.width) - 1 }
    }
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
