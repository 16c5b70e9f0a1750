//! Frames read again: from the capture itself, or from an unnamed copy of what cannot be read twice.

use crate::state::index::Frames;
use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use warpscope_dissector::capture::{Frame, LinkType};

/// Bytes read at a time.
const WINDOW: usize = 256 * 1024;

/// A file that holds the bytes from an offset on.
#[derive(Debug, Clone)]
struct Part {
    start: u64,
    file: Arc<File>,
}

/// The files that offsets in the index count in: one, or of a ring several, the oldest first.
#[derive(Debug)]
pub struct Store {
    parts: RwLock<VecDeque<Part>>,
}

impl Store {
    /// The capture file itself.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub fn open(path: &Path) -> io::Result<Self> {
        Ok(Self::of(File::open(path)?))
    }

    /// An unnamed file that goes when the program does.
    ///
    /// # Errors
    /// When there is no room for temporary files.
    pub fn unnamed() -> io::Result<Self> {
        Ok(Self::of(tempfile::tempfile()?))
    }

    fn of(file: File) -> Self {
        let part = Part { start: 0, file: Arc::new(file) };
        Self { parts: RwLock::new(VecDeque::from([part])) }
    }

    /// Appends to the last of the unnamed files.
    ///
    /// # Errors
    /// The system's.
    pub fn append(&self, bytes: &[u8]) -> io::Result<()> {
        let last = self.parts().back().map(|part| part.file.clone());
        last.map_or(Ok(()), |file| (&*file).write_all(bytes))
    }

    /// What is appended from now on goes to another unnamed file; it begins at this offset.
    ///
    /// # Errors
    /// When there is no room for temporary files.
    pub fn turn(&self, start: u64) -> io::Result<()> {
        let file = Arc::new(tempfile::tempfile()?);
        self.parts_mut().push_back(Part { start, file });
        Ok(())
    }

    /// Gives up the oldest of the unnamed files, unless it is the only one.
    pub fn forget_oldest(&self) {
        let mut parts = self.parts_mut();
        if parts.len() > 1 {
            parts.pop_front();
        }
    }

    // A thread that failed while it held the lock leaves the list whole: it is changed in one step.
    fn parts(&self) -> RwLockReadGuard<'_, VecDeque<Part>> {
        self.parts.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn parts_mut(&self) -> RwLockWriteGuard<'_, VecDeque<Part>> {
        self.parts.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads from an offset on, within one file; 0 where there is nothing, or nothing any more.
    fn read_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<usize> {
        let part = self.parts().iter().rfind(|part| part.start <= offset).cloned();
        let Some(Part { start, file }) = part else { return Ok(0) };
        read_file_at(&file, bytes, offset - start)
    }
}

#[cfg(unix)]
fn read_file_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, bytes, offset)
}

#[cfg(windows)]
fn read_file_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, bytes, offset)
}

/// Reads frames again through a window of its own.
#[derive(Debug)]
pub(super) struct FrameReader {
    store: Arc<Store>,
    window: Vec<u8>,
    start: u64,
}

impl FrameReader {
    /// A reader of a store.
    pub(super) fn new(store: Arc<Store>) -> Self {
        Self { store, window: Vec::new(), start: 0 }
    }

    /// A frame.
    ///
    /// # Errors
    /// When the file has become shorter, or cannot be read any more.
    pub(super) fn frame(&mut self, frames: &Frames, number: u32) -> io::Result<Frame<'_>> {
        let Some(entry) = frames.find(number) else {
            return Err(io::Error::new(io::ErrorKind::NotFound, "there is no such frame"));
        };
        let length = entry.captured as usize;
        let inside = |start: u64, window: &[u8]| {
            let at = usize::try_from(entry.offset.checked_sub(start)?).ok()?;
            (at.checked_add(length)? <= window.len()).then_some(at)
        };
        if inside(self.start, &self.window).is_none() {
            self.fill(entry.offset, length)?;
        }
        let at = inside(self.start, &self.window).unwrap_or(0);
        let bytes = self.window.get(at..at + length).unwrap_or(&[]);
        let link_type = frames.interface(entry.interface).map(|interface| interface.link_type);
        Ok(Frame {
            number: number.into(),
            interface: entry.interface.into(),
            time: entry.time(),
            link_type: link_type.unwrap_or(LinkType::NULL),
            bytes,
            original_length: entry.length,
        })
    }

    fn fill(&mut self, offset: u64, needed: usize) -> io::Result<()> {
        self.start = offset;
        self.window.resize(needed.max(WINDOW), 0);
        let mut filled = 0;
        while filled < self.window.len() {
            let room = self.window.get_mut(filled..).unwrap_or_default();
            match self.store.read_at(room, offset + filled as u64) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.window.clear();
                    return Err(error);
                }
            }
        }
        self.window.truncate(filled);
        if filled < needed {
            return Err(io::Error::new(
                io::ErrorKind::UnexpectedEof,
                "the file has become shorter since it was opened; open it again",
            ));
        }
        Ok(())
    }
}
