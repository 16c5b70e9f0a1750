//! The bytes of patterns (section 6.5).

use super::Pattern;

impl Pattern {
    /// Byte `index` of the pattern with this seed.
    pub fn byte(self, seed: u32, index: u32) -> u8 {
        let sum = seed.wrapping_add(index);
        match self {
            Self::Constant => seed as u8,
            Self::Counting => sum as u8,
            Self::Mixed => (sum.wrapping_mul(0x9e37_79b1) >> 24) as u8,
        }
    }

    /// Fills bytes with the pattern.
    pub fn fill(self, seed: u32, bytes: &mut [u8]) {
        for (index, byte) in bytes.iter_mut().enumerate() {
            *byte = self.byte(seed, index as u32);
        }
    }
}
