//! Where frames come from.

use std::io::Read;
use std::path::PathBuf;
use warpscope_dissector::capture::DescribedFrame;

/// Where a capture comes from.
pub enum Source {
    /// A file.
    File(PathBuf),
    /// A stream of octets, as standard input; it is read once, and kept in an unnamed file.
    Stream {
        /// What it is called.
        name: String,
        /// The octets.
        reader: Box<dyn Read + Send>,
    },
    /// No capture: there is something else to look at.
    Nothing,
    /// Frames as they are captured.
    Live {
        /// What it is called.
        name: String,
        /// The frames.
        feed: Box<dyn Feed>,
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
            Self::File(path) => path.display().to_string(),
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
