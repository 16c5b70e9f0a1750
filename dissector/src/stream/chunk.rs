//! What a direction's stream consists of: bytes, and gaps where bytes are not to be had.

/// A run of stream bytes that came from one frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FrameSpan {
    /// The frame's number.
    pub frame: u64,
    /// Where the run begins in that frame's TCP payload, in bytes.
    pub payload_offset: u32,
    /// Bytes of the run.
    pub length: u32,
}

/// Why bytes of a stream are missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum GapReason {
    /// The receiver acknowledged them (or the connection ended) and no captured frame holds them.
    NotCaptured,
    /// The capture's snapshot length cut them off.
    SnapLength,
    /// More bytes waited behind the hole than the analyzer keeps.
    BufferLimit,
}

impl GapReason {
    /// The reason in words, to stand behind a number of bytes.
    pub fn describe(self) -> &'static str {
        match self {
            Self::NotCaptured => "missing from the capture",
            Self::SnapLength => "cut off by the snapshot length",
            Self::BufferLimit => "given up: too much waited behind them",
        }
    }
}

/// The next part of a stream, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Chunk<'a> {
    /// Bytes.
    Data {
        /// Stream offset of the first, from the first byte that the capture shows.
        offset: u64,
        /// Where they came from.
        span: FrameSpan,
        /// The bytes.
        bytes: &'a [u8],
    },
    /// Bytes that will not come.
    Gap {
        /// Stream offset of the first.
        offset: u64,
        /// How many.
        length: u64,
        /// Why.
        reason: GapReason,
    },
}
