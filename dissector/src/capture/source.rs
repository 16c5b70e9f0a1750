//! The byte stream that a capture is read from: a window that moves forward and grows only as data arrives.

use super::CaptureError;
use super::compression::Compression;
use std::io::{self, Read};
use std::ops::Range;

/// The initial size of the window in bytes.
const FIRST_CAPACITY: usize = 256 * 1024;

/// The size of a window that is passed to other threads, in bytes.
const BATCH: usize = 1024 * 1024;

/// The most bytes to read at a time: they should still be in the processor's cache when they are looked at.
const READ: usize = 128 * 1024;

/// A window on a byte stream.
pub(super) struct Buffer {
    source: Box<dyn Read + Send>,
    bytes: Vec<u8>,
    /// The bytes read but not consumed.
    filled: Range<usize>,
    /// Bytes consumed since the start of the stream.
    consumed: u64,
    ended: bool,
    /// The buffer to use when the window has to move.
    spare: Option<Vec<u8>>,
    /// The previous buffer, once the window has moved.
    moved_from: Option<Vec<u8>>,
}

impl Buffer {
    /// Creates a window at the start of the stream.
    pub(super) fn new(source: Box<dyn Read + Send>) -> Self {
        Self {
            source,
            bytes: vec![0; FIRST_CAPACITY],
            filled: 0..0,
            consumed: 0,
            ended: false,
            spare: None,
            moved_from: None,
        }
    }

    /// Keeps the window where it is: when it has to move, `spare` becomes the window.
    pub(super) fn keep(&mut self, spare: Vec<u8>) {
        let fits = (BATCH..=2 * BATCH).contains(&spare.len());
        self.spare = Some(if fits { spare } else { vec![0; BATCH] });
    }

    /// Returns the previous buffer if the window has moved since [`Self::keep`].
    pub(super) fn moved_from(&mut self) -> Option<Vec<u8>> {
        self.moved_from.take()
    }

    /// Moves the window in any case, and returns its previous buffer.
    pub(super) fn give_up(&mut self) -> Vec<u8> {
        self.move_to_spare();
        self.moved_from.take().unwrap_or_default()
    }

    fn move_to_spare(&mut self) {
        let Some(mut spare) = self.spare.take() else { return };
        let held = self.bytes.get(self.filled.clone()).unwrap_or_default();
        if spare.len() < held.len() {
            spare.resize(held.len(), 0);
        }
        if let Some(to) = spare.get_mut(..held.len()) {
            to.copy_from_slice(held);
        }
        self.filled = 0..self.filled.len();
        self.moved_from = Some(std::mem::replace(&mut self.bytes, spare));
    }

    /// Returns the number of bytes before the window.
    pub(super) fn offset(&self) -> u64 {
        self.consumed
    }

    /// Returns the content of the window.
    pub(super) fn available(&self) -> &[u8] {
        self.bytes.get(self.filled.clone()).unwrap_or(&[])
    }

    /// Reads until the window holds `needed` bytes or the stream ends; returns how many it holds.
    ///
    /// # Errors
    /// Errors of the stream. What was read before stays in the window.
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
            let room = self.bytes.len() - self.filled.end;
            if room < READ.max(needed - self.filled.len()) {
                self.move_to_spare();
                if self.filled.start > 0 {
                    self.bytes.copy_within(self.filled.clone(), 0);
                    self.filled = 0..self.filled.len();
                }
            }
            if self.filled.end == self.bytes.len() {
                self.bytes.resize(self.bytes.len() * 2, 0);
            }
            let end = self.bytes.len().min(self.filled.end + READ);
            let free = self.bytes.get_mut(self.filled.end..end).unwrap_or_default();
            match self.source.read(free) {
                Ok(0) => self.ended = true,
                Ok(count) => self.filled.end += count.min(free.len()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(self.filled.len())
    }

    /// Moves the window past `count` bytes that it holds; returns their range for [`Self::get`].
    #[inline]
    pub(super) fn consume(&mut self, count: usize) -> Range<usize> {
        let start = self.filled.start;
        let end = start.saturating_add(count).min(self.filled.end);
        self.filled.start = end;
        self.consumed += (end - start) as u64;
        start..end
    }

    /// Returns bytes consumed since the last read.
    #[inline]
    pub(super) fn get(&self, range: Range<usize>) -> &[u8] {
        self.bytes.get(range).unwrap_or(&[])
    }

    /// Moves past `count` bytes, in the window or not; returns how many there were.
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

/// The most bytes of a frame or block; more is treated as damage.
pub(super) const LARGEST_RECORD: usize = 16 * 1024 * 1024;

const DAMAGED: &str = "bytes are missing or changed here or before this place (a bad disk, a \
                       transfer in text mode, two writers in one file)";

/// A byte stream, with what its errors report.
pub(super) struct Source {
    pub(super) buffer: Buffer,
    pub(super) name: String,
    pub(super) frames_read: u64,
    pub(super) compression: Option<Compression>,
}

impl Source {
    /// Reads until `needed` bytes are available; returns how many there are if the stream ends first.
    pub(super) fn fill(
        &mut self,
        needed: usize,
        what: &'static str,
    ) -> Result<usize, CaptureError> {
        self.buffer.ensure(needed).map_err(|error| self.failed(error, what, needed as u64))
    }

    /// Returns false at the end of the stream.
    #[inline]
    pub(super) fn has_more(&mut self, what: &'static str) -> Result<bool, CaptureError> {
        Ok(self.fill(1, what)? > 0)
    }

    /// Reads until `needed` bytes are available.
    #[inline]
    pub(super) fn require(
        &mut self,
        needed: usize,
        what: &'static str,
    ) -> Result<(), CaptureError> {
        let available = self.fill(needed, what)?;
        if available < needed {
            return Err(self.truncated(
                self.buffer.offset(),
                what,
                needed as u64,
                available as u64,
            ));
        }
        Ok(())
    }

    /// Skips `count` bytes.
    pub(super) fn skip(&mut self, count: u64, what: &'static str) -> Result<(), CaptureError> {
        let offset = self.buffer.offset();
        match self.buffer.skip(count) {
            Ok(skipped) if skipped == count => Ok(()),
            Ok(available) => Err(self.truncated(offset, what, count, available)),
            Err(error) => Err(self.failed(error, what, count)),
        }
    }

    fn truncated(
        &self,
        offset: u64,
        what: &'static str,
        needed: u64,
        available: u64,
    ) -> CaptureError {
        let (name, frame) = (self.name.clone(), self.frames_read + 1);
        CaptureError::Truncated { name, frame, what, offset, needed, available }
    }

    /// Returns an error about data `behind` bytes after the window's start, where bytes were lost or changed.
    pub(super) fn damaged(
        &self,
        behind: usize,
        expected: &'static str,
        found: impl ToString,
    ) -> CaptureError {
        self.malformed(behind, expected, found.to_string(), DAMAGED)
    }

    /// Returns an error about data `behind` bytes after the window's start.
    #[cold]
    pub(super) fn malformed(
        &self,
        behind: usize,
        expected: &'static str,
        found: String,
        hint: &'static str,
    ) -> CaptureError {
        CaptureError::Malformed {
            name: self.name.clone(),
            frame: self.frames_read + 1,
            offset: self.buffer.offset() + behind as u64,
            expected,
            found,
            hint,
        }
    }

    #[cold]
    fn failed(&self, source: io::Error, what: &'static str, needed: u64) -> CaptureError {
        let available = self.buffer.available().len() as u64;
        let name = self.name.clone();
        let (offset, frames_read) = (self.buffer.offset() + available, self.frames_read);
        match (self.compression, source.kind()) {
            // The library gives no other indication.
            (Some(_), io::ErrorKind::Other) if source.to_string().contains("too much memory") => {
                CaptureError::Window { name, frames_read }
            }
            (Some(_), io::ErrorKind::UnexpectedEof) => {
                self.truncated(self.buffer.offset(), what, needed, available)
            }
            (
                Some(compression),
                io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput | io::ErrorKind::Other,
            ) => CaptureError::Decompression {
                name,
                decompressor: compression.name(),
                offset,
                frames_read,
                source,
            },
            _ => CaptureError::Read { name, offset, frames_read, source },
        }
    }
}

/// A frame whose bytes are still in the window.
pub(super) struct RawRecord {
    pub(super) interface: u32,
    pub(super) time: Option<i64>,
    pub(super) bytes: Range<usize>,
    pub(super) original_length: u32,
    /// The range of its whole block in a pcapng file.
    pub(super) block: Range<usize>,
}
