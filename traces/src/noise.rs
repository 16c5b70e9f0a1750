//! Bytes that look random and are the same in every run.

/// A xorshift generator with a fixed seed.
#[derive(Debug, Clone)]
pub struct Noise(u64);

impl Noise {
    /// Creates a generator; equal seeds give equal bytes.
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// Returns the next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Returns a number below `limit`, which must not be zero.
    pub fn below(&mut self, limit: u64) -> u64 {
        (self.next_u64() >> 11) % limit.max(1)
    }

    /// Fills a buffer.
    pub fn fill(&mut self, buffer: &mut [u8]) {
        for part in buffer.chunks_mut(8) {
            let bytes = self.next_u64().to_le_bytes();
            part.copy_from_slice(&bytes[..part.len()]);
        }
    }

    /// Returns the next `count` bytes.
    pub fn bytes(&mut self, count: usize) -> Vec<u8> {
        let mut buffer = vec![0; count];
        self.fill(&mut buffer);
        buffer
    }
}
