//! A captured frame, the interface that it was seen on, and the type of its first header.

use std::io;
use std::ops::Range;

/// A LINKTYPE number: which header a frame starts with (<https://www.tcpdump.org/linktypes.html>).
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

/// One frame of a capture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame<'a> {
    /// Its number in the capture, from 1.
    pub number: u64,
    /// Index into the reader's interfaces.
    pub interface: u32,
    /// When it was captured: nanoseconds since 1970-01-01 UTC; none where the capture does not say.
    pub time: Option<i64>,
    /// The type of its first header.
    pub link_type: LinkType,
    /// The bytes that were captured.
    pub bytes: &'a [u8],
    /// Its length on the wire in bytes, at least that of `bytes` unless the capture is odd.
    pub original_length: u32,
}

/// Frames one after the other that own their bytes, to be handed to another thread.
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
    /// How many frames there are.
    pub fn len(&self) -> usize {
        self.frames.len()
    }

    /// True when there is no frame.
    pub fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    /// A frame by its place, from 0.
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
    /// Which section of the capture describes it, from 0; always 0 in pcap.
    pub section: u32,
    /// Its number within its section, from 0.
    pub number: u32,
    /// The type of its frames' first header.
    pub link_type: LinkType,
    /// The most bytes that were kept of a frame; 0 for no limit.
    pub snap_length: u32,
    /// Its name (`eth0`), where the capture says it.
    pub name: Option<String>,
    /// Its description, where the capture says it.
    pub description: Option<String>,
}

/// A frame with the interface that it was captured on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DescribedFrame<'a> {
    /// The frame.
    pub frame: Frame<'a>,
    /// The interface; none where the capture does not describe it.
    pub interface: Option<&'a Interface>,
    /// Digits after the point that the capture has of its time: 6 for microseconds.
    pub time_digits: u8,
    /// What a pcapng capture says of it and before it.
    pub blocks: Blocks<'a>,
}

/// Blocks of a pcapng capture, as they are there; empty where the capture is none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Blocks<'a> {
    /// The blocks between the packet before and this one, the length of section headers made
    /// unknown; only where the reader was told to keep them (`super::CaptureReader::keep_all_blocks`).
    pub before: &'a [u8],
    /// The packet's own block.
    pub packet: &'a [u8],
    /// True when the section's numbers have their highest byte first.
    pub big_endian: bool,
}

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
    /// Its user asked to stop ([`CaptureReader::stop_on`](super::CaptureReader::stop_on)).
    #[error("{name}: stopped as asked")]
    Stopped {
        /// The file.
        name: String,
        /// Frames delivered before.
        frames_read: u64,
    },
    /// The compressed bytes need more memory than is given to them.
    #[error("{name}: unsupported: the zstd data looks back over more than 64 MiB")]
    Window {
        /// The file.
        name: String,
        /// Frames delivered before.
        frames_read: u64,
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
        "{name}: the capture is cut off: frame {frame}: the {what} at byte {offset} needs {needed} bytes, but only {available} are left"
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
        "{name}: the capture is damaged: frame {frame}: at byte {offset}, expected {expected}, but found {found}; {hint}"
    )]
    Malformed {
        /// The file.
        name: String,
        /// The frame that cannot be read: one more than the frames delivered.
        frame: u64,
        /// Where it is.
        offset: u64,
        /// What should be there.
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
