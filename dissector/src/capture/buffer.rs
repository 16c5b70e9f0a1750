//! A window on a stream of bytes that moves forward, and grows only as far as data arrives.

use std::io::{self, Read};
use std::ops::Range;

/// Bytes that the window holds at first.
const FIRST_CAPACITY: usize = 256 * 1024;

/// A window on a stream.
pub(super) struct Buffer {
    source: Box<dyn Read + Send>,
    bytes: Vec<u8>,
    /// What was read and not consumed.
    filled: Range<usize>,
    /// Bytes consumed since the start of the stream.
    consumed: u64,
    ended: bool,
}

impl Buffer {
    /// A window at the start of the stream.
    pub(super) fn new(source: Box<dyn Read + Send>) -> Self {
        Self { source, bytes: vec![0; FIRST_CAPACITY], filled: 0..0, consumed: 0, ended: false }
    }

    /// The bytes of the stream before the window.
    pub(super) fn offset(&self) -> u64 {
        self.consumed
    }

    /// What the window holds.
    pub(super) fn available(&self) -> &[u8] {
        self.bytes.get(self.filled.clone()).unwrap_or(&[])
    }

    /// Reads until the window holds `needed` bytes or the stream ends; returns how many it holds.
    ///
    /// # Errors
    /// The stream's own. What was read before stays in the window.
    #[inline]
    pub(super) fn ensure(&mut self, needed: usize) -> io::Result<usize> {
        if self.filled.len() >= needed {
            return Ok(self.filled.len());
        }
        self.fill(needed)
    }

    #[cold]
    fn fill(&mut self, needed: usize) -> io::Result<usize> {
        while self.filled.len() < needed && !self.ended {
            if self.filled.start > 0 {
                self.bytes.copy_within(self.filled.clone(), 0);
                self.filled = 0..self.filled.len();
            }
            if self.filled.end == self.bytes.len() {
                self.bytes.resize(self.bytes.len() * 2, 0);
            }
            let free = self.bytes.get_mut(self.filled.end..).unwrap_or_default();
            match self.source.read(free) {
                Ok(0) => self.ended = true,
                Ok(count) => self.filled.end += count.min(free.len()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(self.filled.len())
    }

    /// Moves the window past `count` bytes that it holds; returns where they are for [`Self::get`].
    #[inline]
    pub(super) fn consume(&mut self, count: usize) -> Range<usize> {
        let start = self.filled.start;
        let end = start.saturating_add(count).min(self.filled.end);
        self.filled.start = end;
        self.consumed += (end - start) as u64;
        start..end
    }

    /// Bytes that were consumed since the last reading.
    #[inline]
    pub(super) fn get(&self, range: Range<usize>) -> &[u8] {
        self.bytes.get(range).unwrap_or(&[])
    }

    /// Moves past `count` bytes, held or not; returns how many there were.
    ///
    /// # Errors
    /// The stream's own.
    pub(super) fn skip(&mut self, count: u64) -> io::Result<u64> {
        let mut left = count;
        while left > 0 {
            if self.ensure(1)? == 0 {
                break;
            }
            let step = usize::try_from(left).unwrap_or(usize::MAX).min(self.filled.len());
            left -= self.consume(step).len() as u64;
        }
        Ok(count - left)
    }
}
