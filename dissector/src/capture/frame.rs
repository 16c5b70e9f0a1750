//! A captured frame, the interface that it was seen on, and the type of its first header.

use std::io;
use std::ops::Range;

/// A LINKTYPE number: the type of a frame's first header (<https://www.tcpdump.org/linktypes.html>).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct LinkType(pub u32);

impl LinkType {
    /// BSD loopback: an address family in the capturing host's byte order.
    pub const NULL: Self = Self(0);
    /// Ethernet (IEEE 802.3).
    pub const ETHERNET: Self = Self(1);
    /// Raw IP, as some BSDs number it.
    pub const RAW_BSD: Self = Self(12);
    /// Raw IP, as OpenBSD numbers it.
    pub const RAW_OPENBSD: Self = Self(14);
    /// Raw IP, version 4 or 6.
    pub const RAW: Self = Self(101);
    /// OpenBSD loopback: an address family in network byte order.
    pub const LOOP: Self = Self(108);
    /// Linux "cooked" capture, version 1.
    pub const LINUX_SLL: Self = Self(113);
    /// Raw IPv4.
    pub const IPV4: Self = Self(228);
    /// Raw IPv6.
    pub const IPV6: Self = Self(229);
    /// Linux "cooked" capture, version 2.
    pub const LINUX_SLL2: Self = Self(276);
}

/// A frame of a capture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame<'a> {
    /// Its number in the capture, from 1.
    pub number: u64,
    /// Index into the reader's interfaces.
    pub interface: u32,
    /// Capture time: nanoseconds since 1970-01-01 UTC; `None` if the capture does not give it.
    pub time: Option<i64>,
    /// The type of its first header.
    pub link_type: LinkType,
    /// The captured bytes.
    pub bytes: &'a [u8],
    /// Its length on the wire in bytes, at least that of `bytes` unless the capture is inconsistent.
    pub original_length: u32,
}

/// Consecutive frames that own their bytes, so that they can be passed to another thread.
#[derive(Debug, Default)]
pub struct Batch {
    pub(super) bytes: Vec<u8>,
    pub(super) frames: Vec<BatchedFrame>,
}

/// A frame of a [`Batch`].
#[derive(Debug)]
pub(super) struct BatchedFrame {
    pub(super) number: u64,
    pub(super) interface: u32,
    pub(super) time: Option<i64>,
    pub(super) link_type: LinkType,
    pub(super) bytes: Range<usize>,
    pub(super) original_length: u32,
}

impl Batch {
    /// Returns the number of frames.
    pub fn len(&self) -> usize {
        self.frames.len()
    }

    /// Returns true if there is no frame.
    pub fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    /// Returns a frame by its index, from 0.
    pub fn frame(&self, index: usize) -> Option<Frame<'_>> {
        self.frames.get(index).map(|frame| Frame {
            number: frame.number,
            interface: frame.interface,
            time: frame.time,
            link_type: frame.link_type,
            bytes: self.bytes.get(frame.bytes.clone()).unwrap_or_default(),
            original_length: frame.original_length,
        })
    }
}

/// An interface that frames were captured on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Interface {
    /// The section of the capture that describes it, from 0; always 0 in pcap.
    pub section: u32,
    /// Its number within its section, from 0.
    pub number: u32,
    /// The type of its frames' first header.
    pub link_type: LinkType,
    /// The most bytes kept of a frame; 0 for no limit.
    pub snap_length: u32,
    /// Its name (`eth0`), if the capture gives it.
    pub name: Option<String>,
    /// Its description, if the capture gives it.
    pub description: Option<String>,
}

/// A frame with the interface it was captured on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DescribedFrame<'a> {
    /// The frame.
    pub frame: Frame<'a>,
    /// The interface; `None` if the capture does not describe it.
    pub interface: Option<&'a Interface>,
    /// Decimal digits of its time in the capture: 6 for microseconds.
    pub time_digits: u8,
    /// Its own block and the blocks before it, in a pcapng capture.
    pub blocks: Blocks<'a>,
}

/// Blocks of a pcapng capture, unchanged; empty for other formats.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Blocks<'a> {
    /// The blocks between the previous packet and this one, with the length of section headers set to
    /// unknown; only if the reader was told to keep them (`super::CaptureReader::keep_all_blocks`).
    pub before: &'a [u8],
    /// The packet's own block.
    pub packet: &'a [u8],
    /// True if the section is big-endian.
    pub big_endian: bool,
}

/// Why a capture could not be opened, or why reading it stopped.
///
/// Offsets are bytes from the start of the capture, after decompression.
#[derive(Debug, thiserror::Error)]
pub enum CaptureError {
    /// The file could not be opened.
    #[error("{name}: cannot open the file: {source}")]
    Open {
        /// The file.
        name: String,
        /// The system's error.
        source: io::Error,
    },
    /// The name is that of a directory.
    #[error("{name}: this is a directory, not a capture file")]
    Directory {
        /// The directory.
        name: String,
    },
    /// The file is empty.
    #[error("{name}: the file is empty; a capture file has at least a header of 24 bytes")]
    Empty {
        /// The file.
        name: String,
    },
    /// The file does not start like any supported capture file.
    #[error("{name}: not a pcap or pcapng file: it starts with {found}; {hint}")]
    NotACapture {
        /// The file.
        name: String,
        /// Its first bytes, in hexadecimal.
        found: String,
        /// What it looks like, and what can be done.
        hint: &'static str,
    },
    /// The system could not read the file.
    #[error("{name}: reading failed at byte {offset}, after {frames_read} frames: {source}")]
    Read {
        /// The file.
        name: String,
        /// Bytes read before the error.
        offset: u64,
        /// Frames delivered before the error.
        frames_read: u64,
        /// The system's error.
        source: io::Error,
    },
    /// The caller asked to stop ([`CaptureReader::stop_on`](super::CaptureReader::stop_on)).
    #[error("{name}: stopped as asked")]
    Stopped {
        /// The file.
        name: String,
        /// Frames delivered before the stop.
        frames_read: u64,
    },
    /// Decompression needs more memory than the limit.
    #[error("{name}: unsupported: the zstd data looks back over more than 64 MiB")]
    Window {
        /// The file.
        name: String,
        /// Frames delivered before the error.
        frames_read: u64,
    },
    /// The compressed data is invalid.
    #[error(
        "{name}: the {decompressor} data is damaged: decompression stopped {offset} bytes into \
         the capture, after {frames_read} frames: {source}"
    )]
    Decompression {
        /// The file.
        name: String,
        /// `gzip`, `zstd` or `lz4`.
        decompressor: &'static str,
        /// Bytes that could be decompressed before the error.
        offset: u64,
        /// Frames delivered before the error.
        frames_read: u64,
        /// The decompressor's error.
        source: io::Error,
    },
    /// The capture is truncated.
    #[error(
        "{name}: the capture is cut off: frame {frame}: the {what} at byte {offset} needs {needed} bytes, but only {available} are left"
    )]
    Truncated {
        /// The file.
        name: String,
        /// The frame that cannot be read: one more than the frames delivered.
        frame: u64,
        /// The truncated item: `file header`, `record header`, `record`, `block header`, `block`, or
        /// `section header`.
        what: &'static str,
        /// Its offset.
        offset: u64,
        /// Its length in bytes.
        needed: u64,
        /// Number of bytes of it that are there.
        available: u64,
    },
    /// Something in the capture is invalid.
    #[error(
        "{name}: the capture is damaged: frame {frame}: at byte {offset}, expected {expected}, but found {found}; {hint}"
    )]
    Malformed {
        /// The file.
        name: String,
        /// The frame that cannot be read: one more than the frames delivered.
        frame: u64,
        /// Its offset.
        offset: u64,
        /// What was expected.
        expected: &'static str,
        /// What was found.
        found: String,
        /// The possible cause, or what can be done.
        hint: &'static str,
    },
}

impl CaptureError {
    /// Returns how many frames had been delivered before the error; 0 means that nothing could be read.
    pub fn frames_read(&self) -> u64 {
        match self {
            Self::Read { frames_read, .. }
            | Self::Decompression { frames_read, .. }
            | Self::Window { frames_read, .. }
            | Self::Stopped { frames_read, .. } => *frames_read,
            Self::Truncated { frame, .. } | Self::Malformed { frame, .. } => {
                frame.saturating_sub(1)
            }
            _ => 0,
        }
    }
}
