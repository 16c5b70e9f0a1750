//! A cursor that writes big-endian values into a caller's buffer.

use crate::BufferTooSmall;

/// Writes one message to the front of a buffer. A write past the end does not panic; [`Writer::finish`]
/// reports it.
#[derive(Debug)]
pub struct Writer<'a> {
    buffer: &'a mut [u8],
    needed: usize,
}

impl<'a> Writer<'a> {
    /// Creates a writer at the front of `buffer`.
    pub fn new(buffer: &'a mut [u8]) -> Self {
        Self { buffer, needed: 0 }
    }

    /// Writes bytes unchanged.
    pub fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        let end = self.needed.saturating_add(bytes.len());
        if let Some(target) = self.buffer.get_mut(self.needed..end) {
            target.copy_from_slice(bytes);
        }
        self.needed = end;
        self
    }

    /// Writes `count` zero bytes.
    pub fn zeros(&mut self, count: usize) -> &mut Self {
        let end = self.needed.saturating_add(count);
        if let Some(target) = self.buffer.get_mut(self.needed..end) {
            target.fill(0);
        }
        self.needed = end;
        self
    }

    /// Writes one byte.
    pub fn u8(&mut self, value: u8) -> &mut Self {
        self.bytes(&[value])
    }

    /// Writes a 16-bit integer, big-endian.
    pub fn u16(&mut self, value: u16) -> &mut Self {
        self.bytes(&value.to_be_bytes())
    }

    /// Writes a 32-bit integer, big-endian.
    pub fn u32(&mut self, value: u32) -> &mut Self {
        self.bytes(&value.to_be_bytes())
    }

    /// Writes a 64-bit integer, big-endian.
    pub fn u64(&mut self, value: u64) -> &mut Self {
        self.bytes(&value.to_be_bytes())
    }

    /// Returns the number of bytes written so far.
    pub fn written(&self) -> usize {
        self.needed
    }

    /// Returns the bytes written so far.
    pub fn so_far(&self) -> &[u8] {
        self.buffer.get(..self.needed).unwrap_or(&[])
    }

    /// Returns the length of the message, or the missing room.
    ///
    /// # Errors
    /// [`BufferTooSmall`] when the message did not fit; the buffer then holds part of it.
    pub fn finish(&self) -> Result<usize, BufferTooSmall> {
        if self.needed > self.buffer.len() {
            return Err(BufferTooSmall { needed: self.needed, available: self.buffer.len() });
        }
        Ok(self.needed)
    }
}
