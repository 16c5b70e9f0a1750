//! Bytes that are easy to tell from others.

/// `length` bytes that depend on `seed`.
pub(super) fn pattern(seed: u32, length: u32) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9) | 1;
    let next = |_| {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state as u8
    };
    (0..length).map(next).collect()
}
