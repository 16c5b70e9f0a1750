//! What MPA hands up.

use crate::stream::{FrameSpan, GapReason};
use warpscope_wire::mpa::SetupView;

/// A part of a direction's stream, understood or skipped. Every byte of an iWARP stream is in
/// exactly one of these.
#[derive(Debug, Clone, Copy)]
pub enum MpaItem<'a> {
    /// A request or reply frame.
    Setup(SetupItem<'a>),
    /// An FPDU.
    Fpdu(FpduItem<'a>),
    /// Bytes that could not be used.
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

/// What the CRC field of an FPDU says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CrcVerdict {
    /// It is the CRC of the FPDU.
    Good,
    /// CRCs are in use and it is not.
    Bad,
    /// Both sides said that they do not want CRCs: the field means nothing.
    NotInUse,
    /// The setup frames are not known, and the field is not the CRC: it may not be in use.
    Unknown,
    /// Not all bytes of the FPDU were captured.
    Unchecked,
}

impl CrcVerdict {
    /// The verdict in a word or two.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Good => "Good",
            Self::Bad => "Bad",
            Self::NotInUse => "Not in use",
            Self::Unknown => "Unknown",
            Self::Unchecked => "Unchecked",
        }
    }
}

/// An FPDU in the stream.
#[derive(Debug, Clone, Copy)]
pub struct FpduItem<'a> {
    /// Stream offset of its first byte (of the marker that stands before it, if one does).
    pub stream_offset: u64,
    /// Bytes of stream that it takes, its markers counted.
    pub stream_length: usize,
    /// What was captured of it without a hole, markers included.
    pub raw: &'a [u8],
    /// The same without markers: ULPDU_Length through CRC when it is complete.
    pub bytes: &'a [u8],
    /// Offsets in `raw` of its markers.
    pub markers: &'a [usize],
    /// ULPDU_Length.
    pub ulpdu_length: u16,
    /// True when `raw` is all of it.
    pub complete: bool,
    /// The verdict on its CRC.
    pub crc: CrcVerdict,
    /// The CRC as computed, when it was.
    pub computed_crc: Option<u32>,
    /// True when a marker's FPDUPTR does not point at the FPDU's start, or its reserved half is not zero.
    pub marker_mismatch: bool,
    /// Where the bytes of `raw` came from.
    pub spans: &'a [FrameSpan],
}

impl<'a> FpduItem<'a> {
    /// The ULPDU as far as it was captured.
    pub fn ulpdu(&self) -> &'a [u8] {
        let end = (2 + usize::from(self.ulpdu_length)).min(self.bytes.len());
        self.bytes.get(2..end).unwrap_or(&[])
    }
}

/// Why bytes were skipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SkipReason {
    /// They are not there.
    Gap(GapReason),
    /// No FPDU boundary could be found in them.
    NoBoundary,
    /// They precede the first FPDU boundary that could be found.
    BeforeBoundary,
    /// They stand behind a setup frame, whose length does not count them, and are no FPDU.
    BehindSetup,
    /// The stream ended within an FPDU or a setup frame.
    Unfinished,
}

impl SkipReason {
    /// The reason in words, to stand behind a number of bytes.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Gap(reason) => reason.describe(),
            Self::NoBoundary => "in which no FPDU boundary was found",
            Self::BeforeBoundary => "skipped up to the next FPDU boundary",
            Self::BehindSetup => "behind a setup frame that does not count them, and no FPDU",
            Self::Unfinished => "of an FPDU or setup frame that the stream does not finish",
        }
    }
}

/// Bytes of the stream that are in no setup frame and no FPDU.
#[derive(Debug, Clone, Copy)]
pub struct SkippedItem<'a> {
    /// Stream offset of the first.
    pub stream_offset: u64,
    /// How many.
    pub length: u64,
    /// Why.
    pub reason: SkipReason,
    /// Where they came from; empty for a gap.
    pub spans: &'a [FrameSpan],
}
