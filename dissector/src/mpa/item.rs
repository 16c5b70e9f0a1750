//! The items that MPA delivers.

use super::negotiation::{Negotiation, Side};
use crate::stream::{FrameSpan, GapReason};
use arrayvec::ArrayVec;
use std::cell::Cell;
use warpscope_wire::mpa::SetupView;

/// A part of a direction's stream, decoded or skipped. Every byte of an iWARP stream is in exactly one of
/// these.
#[derive(Debug, Clone, Copy)]
pub enum MpaItem<'a> {
    /// A request or reply frame.
    Setup(SetupItem<'a>),
    /// An FPDU.
    Fpdu(FpduItem<'a>),
    /// Bytes that could not be decoded.
    Skipped(SkippedItem<'a>),
}

/// A setup frame in the stream.
#[derive(Debug, Clone, Copy)]
pub struct SetupItem<'a> {
    /// Stream offset of its first byte.
    pub stream_offset: u64,
    /// The frame.
    pub view: SetupView<'a>,
    /// All its bytes.
    pub bytes: &'a [u8],
    /// Where they came from.
    pub spans: &'a [FrameSpan],
}

/// The verdict on the CRC field of an FPDU.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, Default, strum::IntoStaticStr, strum::VariantArray,
)]
pub enum CrcVerdict {
    /// It is the CRC of the FPDU.
    #[default]
    Good,
    /// CRCs are in use and it is wrong.
    Bad,
    /// Both sides declined CRCs: the field has no meaning.
    #[strum(serialize = "Not in use")]
    NotInUse,
    /// The setup frames are not known, and the field is not the CRC: CRCs may not be in use.
    Unknown,
    /// Not all bytes of the FPDU were captured.
    Unchecked,
}

impl CrcVerdict {
    /// Returns the verdict as text.
    pub fn describe(self) -> &'static str {
        self.into()
    }
}

/// An FPDU in the stream.
#[derive(Debug, Clone, Copy)]
pub struct FpduItem<'a> {
    /// Stream offset of its first byte (of the marker before it, if there is one).
    pub stream_offset: u64,
    /// Bytes that it takes in the stream, including markers.
    pub stream_length: usize,
    /// The bytes captured of it without a hole, including markers.
    pub raw: &'a [u8],
    /// The same without markers: ULPDU_Length through CRC when it is complete.
    pub bytes: &'a [u8],
    /// Offsets of its markers in `raw`.
    pub markers: &'a [usize],
    /// ULPDU_Length.
    pub ulpdu_length: u16,
    /// True if `raw` is all of it.
    pub complete: bool,
    /// The verdict on its CRC.
    pub crc: CrcVerdict,
    /// The computed CRC, if it was computed.
    pub computed_crc: Option<u32>,
    /// True when a marker's FPDUPTR does not point at the FPDU's start, or its reserved half is not zero.
    pub marker_mismatch: bool,
    /// Where the bytes of `raw` came from.
    pub spans: &'a [FrameSpan],
}

impl<'a> FpduItem<'a> {
    /// Returns the captured part of the ULPDU.
    pub fn ulpdu(&self) -> &'a [u8] {
        let end = (2 + usize::from(self.ulpdu_length)).min(self.bytes.len());
        self.bytes.get(2..end).unwrap_or(&[])
    }
}

/// Why bytes were skipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum SkipReason {
    /// They are missing.
    Gap(GapReason),
    /// No FPDU boundary could be found in them.
    NoBoundary,
    /// They precede the first FPDU boundary that could be found.
    BeforeBoundary,
    /// They follow a setup frame, are not counted in its length, and are not an FPDU.
    #[strum(serialize = "after-setup")]
    BehindSetup,
    /// The stream ended within an FPDU or a setup frame.
    Unfinished,
}

impl SkipReason {
    /// Returns the reason as text, to follow a number of bytes.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Gap(reason) => reason.describe(),
            Self::NoBoundary => "in which no FPDU boundary was found",
            Self::BeforeBoundary => "skipped up to the next FPDU boundary",
            Self::BehindSetup => "after a setup frame that does not count them, and not an FPDU",
            Self::Unfinished => "of an FPDU or setup frame that the stream does not complete",
        }
    }
}

/// Bytes of the stream that belong to no setup frame and no FPDU.
#[derive(Debug, Clone, Copy)]
pub struct SkippedItem<'a> {
    /// Stream offset of the first byte.
    pub stream_offset: u64,
    /// Number of bytes.
    pub length: u64,
    /// Why they were skipped.
    pub reason: SkipReason,
    /// Where they came from; empty for a gap.
    pub spans: &'a [FrameSpan],
}

// Tracks where a buffer's bytes came from: runs that are consumed from the front.

/// The most parts of an item that are distinguished; of an item with more, the first ones are shown.
const SPANS: usize = 64;

/// Returns a span without its first bytes.
pub(super) fn advance(span: FrameSpan, bytes: usize) -> FrameSpan {
    let bytes = (bytes as u32).min(span.length);
    FrameSpan { payload_offset: span.payload_offset + bytes, length: span.length - bytes, ..span }
}

/// Removes bytes from the front of some spans.
pub(super) fn advance_spans(spans: &mut Vec<FrameSpan>, mut bytes: usize) {
    let mut gone = 0;
    for span in spans.iter_mut() {
        let part = bytes.min(span.length as usize);
        *span = advance(*span, part);
        bytes -= part;
        if span.length > 0 {
            break;
        }
        gone += 1;
    }
    spans.drain(..gone);
}

/// Keeps only the first bytes of some spans.
pub(super) fn truncate_spans(spans: &mut Vec<FrameSpan>, mut bytes: usize) {
    spans.retain_mut(|span| {
        span.length = span.length.min(bytes as u32);
        bytes -= span.length as usize;
        span.length > 0
    });
}

/// Returns the spans of the first bytes, stored in `cut`, which must be empty.
pub(super) fn cut_spans<'a>(
    spans: &[FrameSpan],
    bytes: usize,
    cut: &'a mut ArrayVec<FrameSpan, SPANS>,
) -> &'a [FrameSpan] {
    let mut left = bytes as u32;
    for span in spans {
        if left == 0 {
            break;
        }
        let part = FrameSpan { length: span.length.min(left), ..*span };
        left -= part.length;
        if cut.try_push(part).is_err() {
            break;
        }
    }
    cut
}

/// The state of the connection that a stream's framer needs.
#[derive(Debug)]
pub struct StreamContext<'a> {
    /// The setup frames seen so far; the framer adds its own.
    pub negotiation: &'a Cell<Negotiation>,
    /// The side whose stream this is.
    pub side: Side,
    /// True once either direction was recognised as iWARP, or the user said so. The framer sets it.
    pub iwarp: &'a mut bool,
    /// True when the stream's first byte is the connection's first.
    pub from_the_start: bool,
}
