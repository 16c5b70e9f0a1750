//! Finds FPDU boundaries in a stream whose framing was lost or never seen.
//!
//! A place is accepted if the chain of FPDUs that starts there gives enough evidence: control bytes that
//! senders use, queue numbers, CRCs, tagged offsets that continue from one to the next, correct markers, and
//! ends that coincide with the ends of TCP segments.

use crate::stream::FrameSpan;
use warpscope_wire::crc;
use warpscope_wire::ddp::{ControlView, TaggedView, UntaggedView};
use warpscope_wire::mpa::{
    FpduView, MARKER_INTERVAL, MARKER_LENGTH, MarkerView, demark, fpdu_length,
    fpdu_length_with_markers, next_marker,
};
use warpscope_wire::rdmap::{Buffer, Message, Profile, RdmapControlView};

/// The most FPDUs of a chain that are examined.
const CHAIN: usize = 8;
/// What guessing one of 512 phases costs in evidence, in bits.
const GUESSED_PHASE: u32 = 9;
/// A position far from the stream's beginning, congruent to 0: for guessed phases.
const FAR: u64 = MARKER_INTERVAL << 20;

/// What is known of the stream to search.
#[derive(Debug, Clone, Copy)]
pub(super) struct Knowledge {
    pub(super) markers: Option<bool>,
    /// The position of the first byte for counting markers; known after a gap.
    pub(super) position: Option<u64>,
    /// The evidence needed, in bits.
    pub(super) enough: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Boundary {
    /// Index of the FPDU's first byte in the bytes searched.
    pub(super) start: usize,
    /// With markers, the position of the first byte searched.
    pub(super) position: Option<u64>,
    /// The evidence for it, in bits.
    evidence: u32,
}

/// Searches `bytes`, which come from `spans`.
pub(super) fn find(bytes: &[u8], spans: &[FrameSpan], knowledge: Knowledge) -> Option<Boundary> {
    let edges = Edges::new(spans);
    let plain = match knowledge.markers {
        Some(true) => None,
        _ => find_plain(bytes, &edges, knowledge.enough),
    };
    let marked = match (knowledge.markers, knowledge.position) {
        (Some(false), _) => None,
        (_, Some(position)) => find_by_marker(bytes, &edges, position, knowledge.enough)
            .or_else(|| find_at_edges(bytes, &edges, position, knowledge.enough)),
        (_, None) => (0..MARKER_INTERVAL)
            .filter_map(|phase| {
                let position = FAR + MARKER_INTERVAL - phase;
                find_by_marker(bytes, &edges, position, knowledge.enough + GUESSED_PHASE)
            })
            .max_by_key(|found| found.evidence),
    };
    match (plain, marked) {
        (Some(plain), Some(marked)) if marked.evidence > plain.evidence => Some(marked),
        (plain, marked) => plain.or(marked),
    }
}

/// Where TCP segments begin and end in the bytes searched.
struct Edges {
    starts: Vec<usize>,
    ends: Vec<usize>,
}

impl Edges {
    fn new(spans: &[FrameSpan]) -> Self {
        let mut edges = Self { starts: Vec::new(), ends: Vec::new() };
        let mut at = 0;
        for span in spans {
            if span.payload_offset == 0 {
                edges.starts.push(at);
            }
            at += span.length as usize;
            edges.ends.push(at);
        }
        edges
    }

    fn start(&self, at: usize) -> u32 {
        if self.starts.binary_search(&at).is_ok() { AT_SEGMENT_START } else { 0 }
    }

    fn end(&self, at: usize) -> u32 {
        if self.ends.binary_search(&at).is_ok() { AT_SEGMENT_END } else { 0 }
    }
}

fn find_plain(bytes: &[u8], edges: &Edges, enough: u32) -> Option<Boundary> {
    (0..bytes.len().saturating_sub(3)).find_map(|start| {
        // Nearly every place fails here: DDP's control byte has one of four values.
        if bytes[start + 2] & 0x3f != 1 {
            return None;
        }
        let evidence = plain_chain(bytes, start, edges)?;
        (evidence >= enough).then_some(Boundary { start, position: None, evidence })
    })
}

/// Returns the evidence of a chain of FPDUs without markers; `None` if it breaks.
fn plain_chain(bytes: &[u8], start: usize, edges: &Edges) -> Option<u32> {
    let mut total = edges.start(start);
    let mut at = start;
    let mut tagged_end: TaggedEnd = None;
    for _ in 0..CHAIN {
        let Some([high, low]) = bytes.get(at..at + 2) else { break };
        let length = u16::from_be_bytes([*high, *low]);
        total += header_evidence(&bytes[at + 2..], length, &mut tagged_end)?;
        let Ok((fpdu, _)) = FpduView::parse(&bytes[at..]) else { break };
        at += fpdu_length(length);
        total += edges.end(at) + crc_evidence(fpdu.crc(), crc::crc32c(fpdu.covered()));
    }
    Some(total)
}

fn crc_evidence(field: u32, computed: u32) -> u32 {
    match field {
        field if field == computed => RIGHT_CRC,
        0 => ZERO_CRC,
        _ => 0,
    }
}

/// Follows a marker to its FPDU, if the first byte is at `position`.
fn find_by_marker(bytes: &[u8], edges: &Edges, position: u64, enough: u32) -> Option<Boundary> {
    let mut marker = (next_marker(position) - position) as usize;
    while let Some(field) = bytes.get(marker..marker + MARKER_LENGTH) {
        let (view, _) = MarkerView::parse(field).ok()?;
        if view.reserved() != 0 {
            return None;
        }
        // The marker says where its FPDU starts: perhaps before the first byte available.
        if let Some(start) = marker.checked_sub(usize::from(view.fpdu_pointer())) {
            let start = region_start(position, start);
            let evidence = marked_chain(bytes, start, position, edges);
            if let Some(evidence) = evidence.filter(|evidence| *evidence >= enough) {
                return Some(Boundary { start, position: Some(position), evidence });
            }
        }
        marker += MARKER_INTERVAL as usize;
    }
    None
}

/// Tries the starts of segments, for when no marker points into the bytes.
fn find_at_edges(bytes: &[u8], edges: &Edges, position: u64, enough: u32) -> Option<Boundary> {
    edges.starts.iter().copied().filter(|start| *start < bytes.len()).find_map(|start| {
        let evidence = marked_chain(bytes, start, position, edges)?;
        (evidence >= enough).then_some(Boundary { start, position: Some(position), evidence })
    })
}

/// Returns where an FPDU's bytes start if its ULPDU_Length is at `start`: at the marker before it, if any.
fn region_start(position: u64, start: usize) -> usize {
    match start.checked_sub(MARKER_LENGTH) {
        Some(before) if (position + before as u64).is_multiple_of(MARKER_INTERVAL) => before,
        _ => start,
    }
}

/// Returns the evidence of a chain of FPDUs with markers; `None` if it breaks.
fn marked_chain(bytes: &[u8], start: usize, position: u64, edges: &Edges) -> Option<u32> {
    let (mut fpdu, mut markers) = (Vec::new(), Vec::new());
    let mut total = edges.start(start);
    let mut at = start;
    let mut tagged_end: TaggedEnd = None;
    for _ in 0..CHAIN {
        let here = position + at as u64;
        let stream = bytes.get(at..)?;
        let Ok(demarked) = demark(here, stream, &mut fpdu, &mut markers) else {
            // Cut off at the end: judge what there is of its header, without any markers in it.
            let before = (here.is_multiple_of(MARKER_INTERVAL)).then_some(MARKER_LENGTH);
            let length_at = before.unwrap_or(0);
            let Some([high, low, rest @ ..]) = stream.get(length_at..) else { break };
            let room = (next_marker(here + 1) - here) as usize - length_at;
            let header = rest.get(..rest.len().min(room.saturating_sub(2))).unwrap_or(&[]);
            let length = u16::from_be_bytes([*high, *low]);
            total += header_evidence(header, length, &mut tagged_end)?;
            break;
        };
        let length = demarked.ulpdu_length;
        total += header_evidence(fpdu.get(2..).unwrap_or(&[]), length, &mut tagged_end)?;
        for marker in &markers {
            let (view, _) = MarkerView::parse(stream.get(*marker..)?).ok()?;
            let expected = marker.saturating_sub(demarked.start);
            if view.reserved() != 0 || usize::from(view.fpdu_pointer()) != expected & 0xffff {
                return None;
            }
            total += RIGHT_MARKER;
        }
        at += fpdu_length_with_markers(here, length);
        let (view, _) = FpduView::parse(&fpdu).ok()?;
        total += edges.end(at) + crc_evidence(view.crc(), demarked.computed_crc);
    }
    Some(total)
}

// How much bytes resemble an FPDU, in bits: how unlikely the resemblance is by chance.

/// Length of the smallest ULPDU in bytes: a tagged header.
pub(super) const SMALLEST_ULPDU: u16 = TaggedView::LENGTH as u16;
pub(super) const RIGHT_CRC: u32 = 32;
/// A CRC field of zero: some senders use it when CRCs are not in use.
pub(super) const ZERO_CRC: u32 = 16;
/// The FPDU begins where a TCP segment begins.
pub(super) const AT_SEGMENT_START: u32 = 8;
/// The FPDU ends where a TCP segment ends.
pub(super) const AT_SEGMENT_END: u32 = 8;
/// A marker that points at the FPDU's start.
pub(super) const RIGHT_MARKER: u32 = 30;

const TAGGED_HEADER: u32 = 13;
const UNTAGGED_HEADER: u32 = 40;
const CONTIGUOUS: u32 = 40;

/// Where a tagged segment ended: the next segment of the message continues there.
pub(super) type TaggedEnd = Option<(u32, u64)>;

/// Judges the DDP and RDMAP control bytes of a ULPDU, as far as they are available.
///
/// Returns the evidence in bits, or `None` if no conforming sender would send them. `previous` is where the
/// previous tagged segment ended, and is updated.
pub(super) fn header_evidence(
    ulpdu: &[u8],
    ulpdu_length: u16,
    previous: &mut TaggedEnd,
) -> Option<u32> {
    if ulpdu_length < SMALLEST_ULPDU {
        return None;
    }
    let (Some(ddp), Some(rdmap)) = (ulpdu.first(), ulpdu.get(1)) else { return Some(0) };
    let (ddp, rdmap) = (ControlView(*ddp), RdmapControlView(*rdmap));
    if !ddp.legal() || !matches!(rdmap.rdmap_version(), 1 | 2) || rdmap.reserved() != 0 {
        return None;
    }
    let message = Message::from_control(rdmap, Profile::ALL)?;
    let last_end = previous.take();
    match message.info().buffer {
        Buffer::Tagged if ddp.tagged() => {
            let Ok((view, _)) = TaggedView::parse(ulpdu) else { return Some(TAGGED_HEADER) };
            let contiguous = last_end == Some((view.steering_tag(), view.tagged_offset()));
            let payload = u64::from(ulpdu_length) - TaggedView::LENGTH as u64;
            *previous = Some((view.steering_tag(), view.tagged_offset().wrapping_add(payload)));
            Some(TAGGED_HEADER + if contiguous && payload > 0 { CONTIGUOUS } else { 0 })
        }
        Buffer::Queue(queue_number) if !ddp.tagged() => {
            if usize::from(ulpdu_length) < UntaggedView::LENGTH {
                return None;
            }
            let Ok((view, _)) = UntaggedView::parse(ulpdu) else { return Some(TAGGED_HEADER) };
            (view.queue_number() == queue_number).then_some(UNTAGGED_HEADER)
        }
        Buffer::Tagged | Buffer::Queue(_) => None,
    }
}
