//! Frames one direction: setup frame, then FPDUs; loses the boundary at gaps and finds it again.

use super::item::{
    CrcVerdict, FpduItem, MpaItem, SetupItem, SkipReason, SkippedItem, StreamContext, advance,
    advance_spans, cut_spans, truncate_spans,
};
use super::search::{self, Knowledge, TaggedEnd};
use crate::stream::{Chunk, FrameSpan};
use arrayvec::ArrayVec;
use std::slice::from_ref;
use warpscope_wire::crc;
use warpscope_wire::mpa::{
    FpduView, KEY_LENGTH, MARKER_INTERVAL, MARKER_LENGTH, MarkerView, REPLY_KEY, REQUEST_KEY,
    SetupHeaderView, SetupView, demark, fpdu_length, fpdu_length_with_markers, take_out_markers,
};

/// The most unused capacity that a stream keeps, in bytes.
const MOST_UNUSED: usize = 4 << 10;
/// The most bytes searched in a stream not known to be iWARP before it is ignored.
const SEARCH_UNKNOWN: usize = 64 << 10;
/// The most bytes kept while searching a stream known to be iWARP.
const SEARCH_KNOWN: usize = 256 << 10;
/// Evidence (bits) needed to recognise a stream of unknown protocol as iWARP.
const ENOUGH_UNKNOWN: u32 = 60;
/// Evidence (bits) needed on a connection known to be iWARP.
const ENOUGH_KNOWN: u32 = 36;
/// Evidence (bits) needed when no more bytes will come.
const ENOUGH_AT_END: u32 = 44;
const ENOUGH_KNOWN_AT_END: u32 = 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum State {
    /// At the stream's first byte: a setup frame, or the middle of a connection.
    #[default]
    Beginning,
    /// After the setup frame.
    Ready,
    /// At an FPDU's first byte; the stream's markers are known.
    Framed,
    /// After a hole within an FPDU whose end is known.
    Rest(u64),
    /// Searching for a boundary.
    Searching,
    /// Not iWARP.
    Ignored,
}

impl State {
    /// Returns the state with this many bytes left before the end of an FPDU with a hole.
    fn before_end(rest: u64) -> Self {
        if rest == 0 { Self::Framed } else { Self::Rest(rest) }
    }
}

/// Frames one direction of a connection.
#[derive(Debug, Clone, Default)]
pub struct Framer {
    state: State,
    /// Unused bytes, their stream offset, and where they came from.
    buffer: Vec<u8>,
    offset: u64,
    spans: Vec<FrameSpan>,
    /// `Some` if the stream has markers: the amount that turns a stream offset into a position, at which
    /// every multiple of 512 is a marker.
    marker_phase: Option<u64>,
    /// True after the setup frame, until the first FPDU.
    behind_setup: bool,
    /// True if the boundaries were found by search, not given by setup frames.
    inferred: bool,
    /// True once an FPDU of this stream had a correct CRC.
    crc_seen_good: bool,
    /// Buffer length at which the next search is worthwhile.
    search_at: usize,
    scratch: Vec<u8>,
    markers: Vec<usize>,
    one_span: Vec<FrameSpan>,
}

/// The bytes being processed.
#[derive(Clone, Copy)]
struct Window<'b> {
    /// Stream offset of the first byte.
    offset: u64,
    bytes: &'b [u8],
    spans: &'b [FrameSpan],
    /// True if no more bytes will come.
    ending: bool,
}

/// The result of a step over these bytes.
enum Step {
    /// This many bytes were used; continue.
    Used(usize),
    /// More bytes are needed.
    Wait,
}

type Emit<'e> = dyn FnMut(MpaItem<'_>) + 'e;

/// The connection's state, and the receiver of the items.
struct Around<'a, 'c> {
    context: &'a mut StreamContext<'c>,
    emit: &'a mut Emit<'a>,
}

impl Framer {
    /// Returns the bytes buffered.
    pub fn buffered(&self) -> usize {
        self.buffer.capacity()
    }

    /// Returns whether the first bytes of an FPDU have arrived, but not its last.
    pub(crate) fn is_within_fpdu(&self) -> bool {
        self.state == State::Framed && !self.buffer.is_empty()
    }

    /// Takes the next part of the stream.
    pub fn chunk(
        &mut self,
        chunk: Chunk<'_>,
        context: &mut StreamContext<'_>,
        emit: &mut Emit<'_>,
    ) {
        let around = &mut Around { context, emit };
        if self.state == State::Ignored {
            if *around.context.iwarp {
                self.skip_chunk(chunk, around);
            }
            return;
        }
        match chunk {
            Chunk::Data { offset, span, bytes, .. } => self.data(offset, span, bytes, around),
            Chunk::Gap { offset, length, reason } => {
                self.gap(offset, length, SkipReason::Gap(reason), around);
            }
        }
    }

    fn skip_chunk(&mut self, chunk: Chunk<'_>, around: &mut Around<'_, '_>) {
        let (stream_offset, length, reason, spans): (_, _, _, &[FrameSpan]) = match &chunk {
            Chunk::Data { offset, span, bytes, .. } => {
                (*offset, bytes.len() as u64, SkipReason::NoBoundary, from_ref(span))
            }
            Chunk::Gap { offset, length, reason } => {
                (*offset, *length, SkipReason::Gap(*reason), &[])
            }
        };
        (around.emit)(MpaItem::Skipped(SkippedItem { stream_offset, length, reason, spans }));
    }

    fn data(
        &mut self,
        mut offset: u64,
        mut span: FrameSpan,
        mut bytes: &[u8],
        around: &mut Around<'_, '_>,
    ) {
        if let State::Rest(rest) = self.state {
            let part = rest.min(bytes.len() as u64);
            self.state = State::before_end(rest - part);
            (offset, bytes) = (offset + part, bytes.get(part as usize..).unwrap_or(&[]));
            span = advance(span, part as usize);
        }
        // An FPDU that is complete in its segment is not copied.
        while self.buffer.is_empty() && self.state == State::Framed && !bytes.is_empty() {
            self.one_span.clear();
            self.one_span.push(span);
            let spans = std::mem::take(&mut self.one_span);
            let window = Window { offset, bytes, spans: &spans, ending: false };
            let step = self.framed(window, around);
            self.one_span = spans;
            let Step::Used(used) = step else { break };
            (offset, bytes) = (offset + used as u64, bytes.get(used..).unwrap_or(&[]));
            span = advance(span, used);
        }
        if bytes.is_empty() {
            return;
        }
        if self.buffer.is_empty() {
            self.offset = offset;
        }
        self.buffer.extend_from_slice(bytes);
        self.spans.push(span);
        self.work(false, around);
    }

    /// Processes as much of the buffer as it can.
    fn work(&mut self, ending: bool, around: &mut Around<'_, '_>) {
        let buffer = std::mem::take(&mut self.buffer);
        let mut spans = std::mem::take(&mut self.spans);
        let mut used = 0;
        while used < buffer.len() {
            let offset = self.offset + used as u64;
            let window = Window { offset, bytes: &buffer[used..], spans: &spans, ending };
            let step = match self.state {
                State::Beginning => self.beginning(window, around),
                State::Ready => {
                    self.ready(offset, around);
                    Step::Used(0)
                }
                State::Framed => self.framed(window, around),
                State::Searching => self.searching(window, around),
                State::Rest(_) | State::Ignored => Step::Used(window.bytes.len()),
            };
            match step {
                Step::Used(count) => {
                    used += count;
                    advance_spans(&mut spans, count);
                }
                Step::Wait => break,
            }
        }
        self.offset += used as u64;
        self.buffer = buffer;
        self.buffer.drain(..used.min(self.buffer.len()));
        self.spans = spans;
        if self.buffer.is_empty() {
            self.spans.clear();
        }
        // There may be many streams: none keeps much unused capacity.
        if self.buffer.capacity() > MOST_UNUSED + 2 * self.buffer.len() {
            self.buffer.shrink_to(2 * self.buffer.len());
        }
    }

    /// Processes the start of the stream.
    fn beginning(&mut self, window: Window<'_>, around: &mut Around<'_, '_>) -> Step {
        let Window { offset, bytes, spans, ending } = window;
        let seen = bytes.len().min(KEY_LENGTH);
        let begins = |key: &[u8]| key.get(..seen) == bytes.get(..seen);
        if !begins(REQUEST_KEY) && !begins(REPLY_KEY) {
            self.state = if around.context.from_the_start && !*around.context.iwarp {
                State::Ignored
            } else {
                State::Searching
            };
            return Step::Used(0);
        }
        if seen == KEY_LENGTH {
            *around.context.iwarp = true;
        }
        match SetupView::parse(bytes) {
            Ok((view, rest)) => {
                let mut negotiation = around.context.negotiation.get();
                negotiation.take(around.context.side, &view);
                around.context.negotiation.set(negotiation);
                let used = bytes.len() - rest.len();
                let mut own = spans.to_vec();
                truncate_spans(&mut own, used);
                let (bytes, spans) = (&bytes[..used], own.as_slice());
                let item = SetupItem { stream_offset: offset, view, bytes, spans };
                (around.emit)(MpaItem::Setup(item));
                self.state = State::Ready;
                self.behind_setup = true;
                Step::Used(used)
            }
            Err(_) => {
                // No setup frame has this length: do not wait for that many bytes.
                let absurd = SetupHeaderView::parse(bytes)
                    .is_ok_and(|(header, _)| header.private_data_length() > 4096);
                if ending || absurd {
                    self.state = State::Searching;
                    return Step::Used(0);
                }
                Step::Wait
            }
        }
    }

    /// Continues after the setup frame: markers are known if the peer's frame was seen.
    fn ready(&mut self, offset: u64, around: &Around<'_, '_>) {
        self.state = match around.context.negotiation.get().markers_from(around.context.side) {
            Some(markers) => {
                self.marker_phase = markers.then(|| phase(offset, 0));
                self.inferred = false;
                self.behind_setup = false;
                State::Framed
            }
            None => State::Searching,
        };
        self.search_at = 0;
    }

    /// Processes an FPDU.
    fn framed(&mut self, window: Window<'_>, around: &mut Around<'_, '_>) -> Step {
        if self.marker_phase.is_none() {
            let (scratch, markers) = (&mut Vec::new(), &mut Vec::new());
            return self.fpdu(window, scratch, markers, around).unwrap_or(Step::Wait);
        }
        let (mut scratch, mut markers) =
            (std::mem::take(&mut self.scratch), std::mem::take(&mut self.markers));
        let step = self.fpdu(window, &mut scratch, &mut markers, around).unwrap_or(Step::Wait);
        (self.scratch, self.markers) = (scratch, markers);
        step
    }

    /// Returns the FPDU at the start of the window; `None` if it is incomplete.
    fn fpdu(
        &mut self,
        window: Window<'_>,
        scratch: &mut Vec<u8>,
        markers: &mut Vec<usize>,
        around: &mut Around<'_, '_>,
    ) -> Option<Step> {
        let crc_in_use = around.context.negotiation.get().crc();
        let wanted = crc_in_use != Some(false);
        let (raw, bytes, ulpdu_length, field, computed, mismatch) = match self.marker_phase {
            None => {
                let (view, _) = FpduView::parse(window.bytes).ok()?;
                let computed = wanted.then(|| crc::crc32c(view.covered()));
                (view.bytes(), view.bytes(), view.ulpdu_length(), view.crc(), computed, None)
            }
            Some(phase) => {
                let demarked =
                    demark(window.offset + phase, window.bytes, scratch, markers).ok()?;
                let field = FpduView::parse(scratch).map_or(0, |(view, _)| view.crc());
                let computed = wanted.then_some(demarked.computed_crc);
                let raw = &window.bytes[..demarked.consumed];
                let mismatch = markers_disagree(raw, markers, demarked.start);
                (raw, scratch.as_slice(), demarked.ulpdu_length, field, computed, Some(mismatch))
            }
        };
        let verdict = self.judge(crc_in_use, field, computed);
        if self.lost(bytes, ulpdu_length, verdict) && mismatch != Some(false) {
            self.state = State::Searching;
            self.search_at = 0;
            return Some(Step::Used(0));
        }
        (around.emit)(MpaItem::Fpdu(FpduItem {
            stream_offset: window.offset,
            stream_length: raw.len(),
            raw,
            bytes,
            markers,
            ulpdu_length,
            complete: true,
            crc: verdict,
            computed_crc: computed,
            marker_mismatch: mismatch == Some(true),
            spans: cut_spans(window.spans, raw.len(), &mut ArrayVec::new()),
        }));
        Some(Step::Used(raw.len()))
    }

    fn judge(&mut self, in_use: Option<bool>, field: u32, computed: Option<u32>) -> CrcVerdict {
        match (in_use, computed) {
            (Some(false), _) | (_, None) => CrcVerdict::NotInUse,
            (_, Some(computed)) if computed == field => {
                self.crc_seen_good = true;
                CrcVerdict::Good
            }
            (Some(true), _) => CrcVerdict::Bad,
            (None, _) if self.crc_seen_good => CrcVerdict::Bad,
            (None, _) => CrcVerdict::Unknown,
        }
    }

    /// Returns true if an inferred boundary is most likely wrong: headers that nobody sends, and no CRC to
    /// confirm them. Boundaries given by setup frames are never doubted.
    fn lost(&self, fpdu: &[u8], ulpdu_length: u16, verdict: CrcVerdict) -> bool {
        if matches!(verdict, CrcVerdict::Good) || !self.inferred {
            return false;
        }
        let mut tagged_end: TaggedEnd = None;
        search::header_evidence(fpdu.get(2..).unwrap_or(&[]), ulpdu_length, &mut tagged_end)
            .is_none()
    }

    /// Searches for a boundary.
    fn searching(&mut self, window: Window<'_>, around: &mut Around<'_, '_>) -> Step {
        let Window { offset, bytes, spans, ending } = window;
        let known = *around.context.iwarp;
        if !ending && bytes.len() < self.search_at {
            return Step::Wait;
        }
        let enough = match (known, ending) {
            (true, false) => ENOUGH_KNOWN,
            (true, true) => ENOUGH_KNOWN_AT_END,
            (false, false) => ENOUGH_UNKNOWN,
            (false, true) => ENOUGH_AT_END,
        };
        let markers = around.context.negotiation.get().markers_from(around.context.side);
        let position = self.marker_phase.map(|phase| offset + phase);
        if let Some(found) = search::find(bytes, spans, Knowledge { markers, position, enough }) {
            *around.context.iwarp = true;
            self.skip(offset, found.start, spans, SkipReason::BeforeBoundary, around);
            self.marker_phase = found.position.map(|position| phase(offset, position));
            self.inferred = true;
            self.behind_setup = false;
            self.state = State::Framed;
            self.search_at = 0;
            return Step::Used(found.start);
        }
        let limit = if known { SEARCH_KNOWN } else { SEARCH_UNKNOWN };
        if !ending && bytes.len() < limit {
            self.search_at = bytes.len() + bytes.len() / 2 + 1;
            return Step::Wait;
        }
        if !known {
            if ending || bytes.len() >= limit {
                self.state = State::Ignored;
            }
            return Step::Used(bytes.len());
        }
        // Half is kept: it may contain a boundary near its end.
        let used = if ending { bytes.len() } else { bytes.len() / 2 };
        self.skip(offset, used, spans, SkipReason::NoBoundary, around);
        self.search_at = 0;
        Step::Used(used)
    }

    fn skip(
        &self,
        stream_offset: u64,
        length: usize,
        spans: &[FrameSpan],
        reason: SkipReason,
        around: &mut Around<'_, '_>,
    ) {
        if length > 0 {
            let reason = match reason {
                SkipReason::Gap(_) => reason,
                _ if self.behind_setup => SkipReason::BehindSetup,
                _ => reason,
            };
            let mut cut = ArrayVec::new();
            let spans = cut_spans(spans, length, &mut cut);
            let length = length as u64;
            (around.emit)(MpaItem::Skipped(SkippedItem { stream_offset, length, reason, spans }));
        }
    }

    /// Processes a gap.
    fn gap(
        &mut self,
        mut offset: u64,
        mut length: u64,
        reason: SkipReason,
        around: &mut Around<'_, '_>,
    ) {
        match self.state {
            State::Rest(rest) if rest >= length => {
                self.state = State::before_end(rest - length);
                return;
            }
            State::Rest(rest) => {
                (offset, length) = (offset + rest, length - rest);
                self.state = State::Searching;
            }
            State::Framed => {
                if let Some(total) = self.partial(around) {
                    // The hole begins within this FPDU; where the FPDU ends is known.
                    let end = self.offset + total as u64;
                    self.drop_buffer(offset);
                    if offset + length <= end {
                        self.state = State::before_end(end - (offset + length));
                        return;
                    }
                    length -= end - offset;
                    offset = end;
                }
                self.state = State::Searching;
            }
            State::Beginning | State::Ready | State::Searching | State::Ignored => {
                self.work(true, around);
                self.end_buffer(around);
                if self.state != State::Ignored {
                    self.state = State::Searching;
                }
            }
        }
        self.end_buffer(around);
        self.search_at = 0;
        if *around.context.iwarp && length > 0 {
            let (stream_offset, spans) = (offset, &[]);
            (around.emit)(MpaItem::Skipped(SkippedItem { stream_offset, length, reason, spans }));
        }
        self.offset = offset + length;
    }

    /// Emits the incomplete FPDU at the start of the buffer; returns its length in the stream. Returns `None`
    /// if not even its length field is there.
    fn partial(&mut self, around: &mut Around<'_, '_>) -> Option<usize> {
        let (raw, position) = (&self.buffer, self.marker_phase.map(|phase| self.offset + phase));
        let before = match position {
            Some(position) if position.is_multiple_of(MARKER_INTERVAL) => MARKER_LENGTH,
            _ => 0,
        };
        let length_field = raw.get(before..before + 2)?;
        let ulpdu_length = u16::from_be_bytes([length_field[0], length_field[1]]);
        let (mut bytes, mut markers) = (Vec::new(), Vec::new());
        let stream_length = match position {
            None => {
                bytes.extend_from_slice(raw);
                fpdu_length(ulpdu_length)
            }
            Some(position) => {
                take_out_markers(position, raw, &mut bytes, &mut markers);
                fpdu_length_with_markers(position, ulpdu_length)
            }
        };
        (around.emit)(MpaItem::Fpdu(FpduItem {
            stream_offset: self.offset,
            stream_length,
            raw,
            bytes: &bytes,
            markers: &markers,
            ulpdu_length,
            complete: false,
            crc: CrcVerdict::Unchecked,
            computed_crc: None,
            marker_mismatch: markers_disagree(raw, &markers, before),
            spans: &self.spans,
        }));
        Some(stream_length)
    }

    fn drop_buffer(&mut self, offset: u64) {
        self.buffer.clear();
        self.spans.clear();
        self.offset = offset;
    }

    /// Discards the rest of the buffer, and reports it.
    fn end_buffer(&mut self, around: &mut Around<'_, '_>) {
        if !self.buffer.is_empty() {
            if *around.context.iwarp {
                let length = self.buffer.len();
                self.skip(self.offset, length, &self.spans, SkipReason::Unfinished, around);
            }
            let end = self.offset + self.buffer.len() as u64;
            self.drop_buffer(end);
        }
    }

    /// Ends the stream: processes and accounts for the remaining bytes.
    pub fn finish(&mut self, context: &mut StreamContext<'_>, emit: &mut Emit<'_>) {
        let around = &mut Around { context, emit };
        if self.state != State::Framed {
            self.work(true, around);
        }
        if self.state == State::Framed && !self.buffer.is_empty() {
            if self.partial(around).is_some() {
                let end = self.offset + self.buffer.len() as u64;
                self.drop_buffer(end);
            }
            // If more comes after all, it begins in the middle of this FPDU.
            self.state = State::Searching;
            self.search_at = 0;
        }
        self.end_buffer(around);
    }
}

/// Returns what to add to a stream offset to get its position, if `offset` is at `position`.
fn phase(offset: u64, position: u64) -> u64 {
    (position % MARKER_INTERVAL + MARKER_INTERVAL - offset % MARKER_INTERVAL) % MARKER_INTERVAL
}

/// Returns true if a marker does not point at the FPDU's start, or its reserved half is not zero.
fn markers_disagree(raw: &[u8], markers: &[usize], start: usize) -> bool {
    markers.iter().any(|marker| {
        raw.get(*marker..).and_then(|bytes| MarkerView::parse(bytes).ok()).is_some_and(
            |(view, _)| {
                let expected = marker.saturating_sub(start) & 0xffff;
                view.reserved() != 0 || usize::from(view.fpdu_pointer()) != expected
            },
        )
    })
}
