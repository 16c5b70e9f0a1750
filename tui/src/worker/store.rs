//! Frames read again: from the capture itself, or from an unnamed copy of what cannot be read twice.

use crate::state::index::Frames;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use warpscope_dissector::capture::{Frame, LinkType};

/// Octets read at a time.
const WINDOW: usize = 256 * 1024;

/// The file that offsets in the index count in.
#[derive(Debug)]
pub struct Store {
    file: File,
}

impl Store {
    /// The capture file itself.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub fn open(path: &Path) -> io::Result<Self> {
        Ok(Self { file: File::open(path)? })
    }

    /// An unnamed file that goes when the program does.
    ///
    /// # Errors
    /// When there is no room for temporary files.
    pub fn unnamed() -> io::Result<Self> {
        Ok(Self { file: tempfile::tempfile()? })
    }

    /// Appends to an unnamed file.
    ///
    /// # Errors
    /// The system's.
    pub fn append(&self, octets: &[u8]) -> io::Result<()> {
        (&self.file).write_all(octets)
    }

    #[cfg(unix)]
    fn read_at(&self, octets: &mut [u8], offset: u64) -> io::Result<usize> {
        std::os::unix::fs::FileExt::read_at(&self.file, octets, offset)
    }

    #[cfg(windows)]
    fn read_at(&self, octets: &mut [u8], offset: u64) -> io::Result<usize> {
        std::os::windows::fs::FileExt::seek_read(&self.file, octets, offset)
    }
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
        let octets = self.window.get(at..at + length).unwrap_or(&[]);
        let link_type = frames.interface(entry.interface).map(|interface| interface.link_type);
        Ok(Frame {
            number: number.into(),
            interface: entry.interface.into(),
            time: entry.time(),
            link_type: link_type.unwrap_or(LinkType::NULL),
            octets,
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
