//! What can go wrong between a file's name and its last frame.

use std::io;

/// Why a capture could not be opened, or why reading it stopped.
///
/// Offsets count bytes from the start of the capture, after decompression.
#[derive(Debug, thiserror::Error)]
pub enum CaptureError {
    /// The file could not be opened.
    #[error("{name}: cannot open the file: {source}")]
    Open {
        /// The file.
        name: String,
        /// What the system says.
        source: io::Error,
    },
    /// The name belongs to a directory.
    #[error("{name}: this is a directory, not a capture file")]
    Directory {
        /// The directory.
        name: String,
    },
    /// There is not one byte in the file.
    #[error("{name}: the file is empty; a capture file has at least a header of 24 bytes")]
    Empty {
        /// The file.
        name: String,
    },
    /// The file starts like no capture file that can be read.
    #[error("{name}: not a pcap or pcapng file: it starts with {found}; {hint}")]
    NotACapture {
        /// The file.
        name: String,
        /// Its first bytes, in hexadecimal digits.
        found: String,
        /// What it looks like, and what can be done.
        hint: &'static str,
    },
    /// The system failed to deliver the file's bytes.
    #[error("{name}: reading failed at byte {offset}, after {frames_read} frames: {source}")]
    Read {
        /// The file.
        name: String,
        /// Bytes read before.
        offset: u64,
        /// Frames delivered before.
        frames_read: u64,
        /// What the system says.
        source: io::Error,
    },
    /// The compressed bytes make no sense.
    #[error(
        "{name}: the {decompressor} data is damaged: decompression stopped {offset} bytes into \
         the capture, after {frames_read} frames: {source}"
    )]
    Decompression {
        /// The file.
        name: String,
        /// `gzip`, `zstd` or `lz4`.
        decompressor: &'static str,
        /// Bytes that could be decompressed before.
        offset: u64,
        /// Frames delivered before.
        frames_read: u64,
        /// What the decompressor says.
        source: io::Error,
    },
    /// The capture ends in the middle of something.
    #[error(
        "{name}: the capture is cut off: frame {frame}: the {what} at byte {offset} needs \
         {needed} bytes, {available} are left"
    )]
    Truncated {
        /// The file.
        name: String,
        /// The frame that cannot be read: one more than the frames delivered.
        frame: u64,
        /// What is cut: `file header`, `record header`, `record`, `block header`, `block`,
        /// `section header`.
        what: &'static str,
        /// Where that starts.
        offset: u64,
        /// How long it is, in bytes.
        needed: u64,
        /// How many bytes of it there are.
        available: u64,
    },
    /// Something in the capture cannot be.
    #[error(
        "{name}: the capture is damaged: frame {frame}: at byte {offset}, {expected} was \
         expected, but found {found}; {hint}"
    )]
    Malformed {
        /// The file.
        name: String,
        /// The frame that cannot be read: one more than the frames delivered.
        frame: u64,
        /// Where it stands.
        offset: u64,
        /// What should stand there.
        expected: &'static str,
        /// What does.
        found: String,
        /// What may have happened, or what can be done.
        hint: &'static str,
    },
}

impl CaptureError {
    /// How many frames had been delivered before this; 0 means that nothing could be read.
    pub fn frames_read(&self) -> u64 {
        match self {
            Self::Open { .. }
            | Self::Directory { .. }
            | Self::Empty { .. }
            | Self::NotACapture { .. } => 0,
            Self::Read { frames_read, .. } | Self::Decompression { frames_read, .. } => {
                *frames_read
            }
            Self::Truncated { frame, .. } | Self::Malformed { frame, .. } => {
                frame.saturating_sub(1)
            }
        }
    }

    /// The name of the file, as given.
    pub fn file_name(&self) -> &str {
        match self {
            Self::Open { name, .. }
            | Self::Directory { name }
            | Self::Empty { name }
            | Self::NotACapture { name, .. }
            | Self::Read { name, .. }
            | Self::Decompression { name, .. }
            | Self::Truncated { name, .. }
            | Self::Malformed { name, .. } => name,
        }
    }
}
