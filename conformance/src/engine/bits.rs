//! A field of a header by its place: so many bits behind so many others.

/// A field's place in a string of octets, as the figures count: bit 0 is the most significant bit of
/// the first octet. Fields are at most 64 bits wide.
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

    /// A field of whole octets.
    pub const fn octets(offset: usize, width: usize) -> Self {
        Self::new(offset * 8, width * 8)
    }

    /// The same field behind so many more octets.
    #[must_use]
    pub const fn behind(self, octets: usize) -> Self {
        Self::new(self.offset + octets * 8, self.width)
    }

    /// Its value in `octets`; none where they are too few.
    pub fn read(self, octets: &[u8]) -> Option<u64> {
        let (first, end) = (self.offset / 8, (self.offset + self.width).div_ceil(8));
        let octets = octets.get(first..end)?;
        let mut value: u128 = 0;
        for octet in octets {
            value = value << 8 | u128::from(*octet);
        }
        let behind = end * 8 - self.offset - self.width;
        Some((value >> behind) as u64 & self.mask())
    }

    /// Puts `value` there, as many of its low bits as the field has; false where the octets are too few.
    pub fn write(self, octets: &mut [u8], value: u64) -> bool {
        let (first, end) = (self.offset / 8, (self.offset + self.width).div_ceil(8));
        let Some(octets) = octets.get_mut(first..end) else { return false };
        let behind = end * 8 - self.offset - self.width;
        let mask = u128::from(self.mask()) << behind;
        let value = u128::from(value & self.mask()) << behind;
        let last = octets.len().saturating_sub(1);
        for (index, octet) in octets.iter_mut().enumerate() {
            let shift = 8 * (last - index);
            *octet = *octet & !((mask >> shift) as u8) | (value >> shift) as u8;
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
    fn fields_within_and_across_octets() {
        let octets = [0b1010_0101, 0xf0, 0x12, 0x34];
        assert_eq!(Bits::new(0, 1).read(&octets), Some(1));
        assert_eq!(Bits::new(4, 4).read(&octets), Some(5));
        assert_eq!(Bits::new(4, 8).read(&octets), Some(0x5f));
        assert_eq!(Bits::octets(2, 2).read(&octets), Some(0x1234));
        assert_eq!(Bits::octets(3, 2).read(&octets), None);
    }

    #[test]
    fn writing_leaves_the_neighbours() {
        let mut octets = [0xff; 10];
        assert!(Bits::new(3, 64).write(&mut octets, 0));
        assert_eq!(octets, [0xe0, 0, 0, 0, 0, 0, 0, 0, 0x1f, 0xff]);
        assert!(Bits::new(3, 64).write(&mut octets, u64::MAX));
        assert_eq!(octets, [0xff; 10]);
        assert!(!Bits::octets(9, 2).write(&mut octets, 0));
    }
}
