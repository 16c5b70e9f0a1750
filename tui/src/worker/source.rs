//! Where frames come from.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;
use warpscope_dissector::capture::DescribedFrame;

/// Where a capture comes from.
pub enum Source {
    /// A file.
    File(PathBuf),
    /// A file that is still being written: at its end more is waited for.
    Growing(PathBuf),
    /// A stream of bytes, as standard input; it is read once, and kept in unnamed files.
    Stream {
        /// What it is called.
        name: String,
        /// The bytes.
        reader: Box<dyn Read + Send>,
        /// About how many bytes are kept; all, where nothing is said.
        ring: Option<u64>,
    },
    /// No capture: there is something else to look at.
    Nothing,
    /// Frames as they are captured.
    Live {
        /// What it is called.
        name: String,
        /// The frames.
        feed: Box<dyn Feed>,
        /// About how many bytes are kept; all, where nothing is said.
        ring: Option<u64>,
    },
}

impl std::fmt::Debug for Source {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_tuple("Source").field(&self.name()).finish()
    }
}

impl Source {
    /// What it is called.
    pub fn name(&self) -> String {
        match self {
            Self::File(path) | Self::Growing(path) => path.display().to_string(),
            Self::Nothing => String::new(),
            Self::Stream { name, .. } | Self::Live { name, .. } => name.clone(),
        }
    }
}

/// What a [`Feed`] hands up.
#[derive(Debug)]
pub enum Fed<'a> {
    /// A frame.
    Frame(DescribedFrame<'a>),
    /// There is none now.
    Idle,
    /// There will be none.
    Ended(Option<String>),
}

/// Hands up frames as they are captured. About ten times a second it says that there is none now, even when
/// frames never stop coming.
pub trait Feed: Send {
    /// The next frame.
    fn next(&mut self) -> Fed<'_>;
}

/// How often it is looked whether a file has grown.
const LOOK: Duration = Duration::from_millis(100);

/// Reads a file, and at its end waits for more.
#[derive(Debug)]
pub(super) struct Tail {
    file: File,
}

impl Tail {
    /// Reads from the file's beginning.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        Ok(Self { file: File::open(path)? })
    }
}

impl Read for Tail {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.file.read(bytes)? {
                0 if !bytes.is_empty() => thread::sleep(LOOK),
                count => return Ok(count),
            }
        }
    }
}
