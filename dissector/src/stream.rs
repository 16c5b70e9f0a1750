//! Puts the segments of one direction of a TCP connection in order.

use std::collections::BTreeMap;

#[cfg(test)]
mod tests;

/// Consecutive stream bytes that came from one frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FrameSpan {
    /// The frame's number.
    pub frame: u64,
    /// Where the bytes begin in that frame's TCP payload, in bytes.
    pub payload_offset: u32,
    /// Number of bytes.
    pub length: u32,
}

/// When a segment was captured, and how much its sender had received of the other direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sent {
    /// Nanoseconds since 1970.
    pub time: Option<i64>,
    /// The acknowledgment number.
    pub acknowledgment: Option<u32>,
}

impl Sent {
    /// Returns whether everything that the sender had received was delivered: the other direction was
    /// delivered up to sequence number `delivered`. A FIN counts as one byte that is never delivered.
    fn follows(&self, delivered: Option<u32>) -> bool {
        let Some((acknowledged, delivered)) = self.acknowledgment.zip(delivered) else {
            return true;
        };
        !(2..FARTHEST).contains(&acknowledged.wrapping_sub(delivered))
    }
}

/// Returns the first and the last frame of some bytes.
pub(crate) fn frames(spans: &[FrameSpan]) -> Option<(u64, u64)> {
    let frames = spans.iter().map(|span| span.frame);
    frames.clone().min().zip(frames.max())
}

/// Why bytes of a stream are missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum GapReason {
    /// The receiver acknowledged them (or the connection ended) and no captured frame holds them.
    NotCaptured,
    /// The capture's snapshot length cut them off.
    #[strum(serialize = "snapshot-length")]
    SnapLength,
    /// More bytes waited after the hole than the analyzer can keep.
    BufferLimit,
}

impl GapReason {
    /// Returns the reason as text, to follow a number of bytes.
    pub fn describe(self) -> &'static str {
        match self {
            Self::NotCaptured => "missing from the capture",
            Self::SnapLength => "cut off by the snapshot length",
            Self::BufferLimit => "given up: too many later bytes were waiting",
        }
    }
}

/// The next part of a stream, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Chunk<'a> {
    /// Bytes.
    Data {
        /// Stream offset of the first byte, counted from the first byte in the capture.
        offset: u64,
        /// Where they came from.
        span: FrameSpan,
        /// When their segment was sent, and what it acknowledged.
        sent: Sent,
        /// The bytes.
        bytes: &'a [u8],
    },
    /// Bytes that will not come.
    Gap {
        /// Stream offset of the first byte.
        offset: u64,
        /// Number of bytes.
        length: u64,
        /// Why the bytes are missing.
        reason: GapReason,
    },
}

// Puts the segments of one direction in order; waits for missing bytes as long as they can still come.

/// A hole is given up after this many acknowledgments follow one that covers what comes after the hole: the
/// receiver has the bytes, so the capture missed them.
const PATIENCE: usize = 4;
/// The most bytes that wait after holes in one direction, including the cost of each segment.
const PENDING_LIMIT: usize = 5 << 20;
/// The cost of keeping a segment, apart from its bytes: its place in the tree, and the allocator's share.
const SEGMENT_COST: usize = 160;
/// An acknowledgment this far ahead is outside any window: nothing waits for it.
const FARTHEST: u32 = 16 << 20;
/// A segment this far before the expected one is not old: the capture missed more than that.
const JUMP: i64 = 1 << 30;

/// How a segment fits into the stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SegmentDisposition {
    /// Bytes of it that the stream already had, delivered or waiting.
    pub repeated: u32,
    /// Bytes missing before it, if it has to wait.
    pub waiting_for: u64,
    /// How long later bytes had waited for its bytes, in nanoseconds; 0 if none had.
    pub stalled: i64,
    /// True if its TCP timestamp is no later than that of the bytes that waited: it was overtaken in transit,
    /// not sent again (RFC 7323 section 3).
    pub overtaken: bool,
}

impl SegmentDisposition {
    /// Returns whether a segment arrived in order, and with new bytes only.
    pub fn is_plain(&self) -> bool {
        self.repeated == 0 && self.waiting_for == 0 && self.stalled == 0
    }
}

/// A segment with payload.
#[derive(Debug, Clone, Copy, Default)]
pub struct DataSegment<'a> {
    /// The sequence number of its first byte.
    pub sequence_number: u32,
    /// The frame's number.
    pub frame: u64,
    /// When it was sent.
    pub sent: Sent,
    /// The captured part of the payload.
    pub payload: &'a [u8],
    /// The payload's length on the wire.
    pub wire_length: u32,
    /// Its TCP timestamp, if it is out of order or others wait.
    pub timestamp: Option<u32>,
}

#[derive(Debug, Clone)]
struct Pending {
    span: FrameSpan,
    sent: Sent,
    bytes: Vec<u8>,
    /// Bytes after `bytes` that the snapshot length cut off.
    cut: u32,
    timestamp: Option<u32>,
}

/// A wait for missing bytes.
#[derive(Debug, Clone, Copy)]
struct Stall {
    /// The offset of the first waiting segment, and its TCP timestamp.
    first: u64,
    timestamp: Option<u32>,
    /// When the waiting began, in nanoseconds.
    since: i64,
}

/// Reassembles one direction.
#[derive(Debug, Clone, Default)]
pub struct Reassembler {
    /// The sequence number of stream offset 0, once a segment has been seen.
    origin: Option<u32>,
    next: u64,
    acknowledged: u64,
    /// How far the latest acknowledgments went; the oldest of them is at `oldest`.
    acknowledgments: [u64; PATIENCE],
    oldest: usize,
    /// How far the acknowledgment before those went.
    settled: u64,
    pending: BTreeMap<u64, Pending>,
    /// Their cost in bytes.
    pending_bytes: usize,
    /// The wait for the bytes missing before the first of them, if any.
    stalled: Option<Stall>,
}

impl Reassembler {
    /// Sets the sequence number of the first byte, from a SYN. Has no effect once data has come. Returns
    /// whether the stream begins with that byte.
    pub fn begin(&mut self, first_byte: u32) -> bool {
        *self.origin.get_or_insert(first_byte) == first_byte
    }

    /// Returns the stream offset of the next expected byte.
    pub fn next_offset(&self) -> u64 {
        self.next
    }

    /// Returns the cost of the segments that wait after a hole, in bytes.
    pub(crate) fn pending_bytes(&self) -> usize {
        self.pending_bytes
    }

    /// Returns the number of bytes missing before the first waiting segment, and since when it has waited.
    pub(crate) fn hole(&self) -> Option<(u64, i64)> {
        let Stall { first, since, .. } = self.stalled?;
        let bytes = first.saturating_sub(self.next);
        (bytes > 0).then_some((bytes, since))
    }

    /// Returns the distance of a sequence number from the next expected byte; negative if before it.
    fn distance(&self, sequence_number: u32) -> i64 {
        let Some(origin) = self.origin else { return 0 };
        let expected = origin.wrapping_add(self.next as u32);
        i64::from(sequence_number.wrapping_sub(expected) as i32)
    }

    /// Returns the sequence number of the next expected byte, once a segment has been seen.
    pub(crate) fn next_sequence(&self) -> Option<u32> {
        Some(self.origin?.wrapping_add(self.next as u32))
    }

    /// Returns the stream offset of a sequence number; negative if before the first byte.
    pub(crate) fn offset_of(&self, sequence_number: u32) -> Option<i64> {
        self.origin?;
        Some(self.next as i64 + self.distance(sequence_number))
    }

    /// Takes a segment with payload. It waits for bytes missing before it, and for what its sender had
    /// received of the other direction, which was delivered up to `other`.
    pub fn segment(
        &mut self,
        segment: &DataSegment<'_>,
        other: Option<u32>,
        deliver: &mut dyn FnMut(Chunk<'_>),
    ) -> SegmentDisposition {
        let disposition = self.place(segment, other, deliver);
        let Some(now) = segment.sent.time else { return disposition };
        let ended = self.stalled.take_if(|stall| stall.first <= self.next);
        let since = self.stalled.map_or(now, |stall| stall.since);
        let first = self.pending.first_key_value().filter(|(first, _)| **first > self.next);
        let stall = |(first, waiting): (&u64, &Pending)| Stall {
            first: *first,
            timestamp: waiting.timestamp,
            since,
        };
        self.stalled = first.map(stall);
        let Some(ended) = ended else { return disposition };
        let stalled = now.saturating_sub(ended.since);
        let both = segment.timestamp.zip(ended.timestamp);
        let overtaken = both.is_some_and(|(late, waited)| late.wrapping_sub(waited) as i32 <= 0);
        SegmentDisposition { stalled, overtaken, ..disposition }
    }

    fn place(
        &mut self,
        segment: &DataSegment<'_>,
        other: Option<u32>,
        deliver: &mut dyn FnMut(Chunk<'_>),
    ) -> SegmentDisposition {
        let DataSegment { sequence_number, frame, sent, payload, wire_length, .. } = *segment;
        self.begin(sequence_number);
        let mut distance = self.distance(sequence_number);
        if distance < -JUMP {
            let length = u64::from((distance as i32) as u32);
            deliver(Chunk::Gap { offset: self.next, length, reason: GapReason::NotCaptured });
            self.pending.clear();
            self.pending_bytes = 0;
            self.next += length;
            distance = 0;
        }
        let wire = i64::from(wire_length);
        let old = (-distance).clamp(0, wire) as u32;
        let follows = sent.follows(other);
        if distance > 0 || (!follows && old < wire_length) {
            let offset = self.next + distance.max(0) as u64;
            let repeated = old + self.wait(offset, segment, old);
            if self.pending_bytes > PENDING_LIMIT {
                self.give_up(GapReason::BufferLimit, None, deliver);
            }
            let waiting_for = distance.max(0) as u64;
            return SegmentDisposition { repeated, waiting_for, ..SegmentDisposition::default() };
        }
        if old < wire_length {
            let captured = payload.get(old as usize..).unwrap_or(&[]);
            let cut = wire_length - old - captured.len() as u32;
            let span = FrameSpan { frame, payload_offset: old, length: captured.len() as u32 };
            self.deliver(span, sent, captured, cut, deliver);
            self.drain(other, deliver);
        }
        SegmentDisposition { repeated: old, ..SegmentDisposition::default() }
    }

    fn deliver(
        &mut self,
        span: FrameSpan,
        sent: Sent,
        bytes: &[u8],
        cut: u32,
        deliver: &mut dyn FnMut(Chunk<'_>),
    ) {
        if !bytes.is_empty() {
            deliver(Chunk::Data { offset: self.next, span, sent, bytes });
            self.next += bytes.len() as u64;
        }
        if cut > 0 {
            let (offset, length) = (self.next, u64::from(cut));
            deliver(Chunk::Gap { offset, length, reason: GapReason::SnapLength });
            self.next += length;
        }
    }

    /// Keeps an early segment, without its first `old` bytes. Returns how many of the other bytes were
    /// already there.
    fn wait(&mut self, offset: u64, segment: &DataSegment<'_>, old: u32) -> u32 {
        let payload = segment.payload.get(old as usize..).unwrap_or(&[]);
        let wire_length = segment.wire_length - old;
        let end = offset + u64::from(wire_length);
        let waiting_end =
            |start: u64, it: &Pending| start + it.bytes.len() as u64 + u64::from(it.cut);
        // Waiting segments may overlap: each byte counts once.
        let overlap = |(start, it): &(&u64, &Pending)| waiting_end(**start, it) > offset;
        let first = self.pending.range(..end).rev().take_while(overlap).last();
        let (mut covered, mut counted) = (0, offset);
        for (start, it) in first.into_iter().flat_map(|(start, _)| self.pending.range(start..&end))
        {
            let from = (*start).max(counted);
            counted = counted.max(waiting_end(*start, it).min(end));
            covered += counted.saturating_sub(from) as u32;
        }
        if covered < wire_length {
            let length = payload.len() as u32;
            let span = FrameSpan { frame: segment.frame, payload_offset: old, length };
            let cut = wire_length - length;
            let (sent, timestamp, bytes) = (segment.sent, segment.timestamp, payload.to_vec());
            let pending = Pending { span, sent, bytes, cut, timestamp };
            let longer = self
                .pending
                .get(&offset)
                .is_none_or(|old| old.bytes.len() + (old.cut as usize) < wire_length as usize);
            if longer {
                self.pending_bytes += payload.len() + SEGMENT_COST;
                if let Some(old) = self.pending.insert(offset, pending) {
                    self.pending_bytes -= old.bytes.len() + SEGMENT_COST;
                }
            }
        }
        covered
    }

    /// Delivers waiting segments that are now in order; the other direction was delivered up to `other`.
    pub(crate) fn drain(&mut self, other: Option<u32>, deliver: &mut dyn FnMut(Chunk<'_>)) {
        while let Some(entry) = self.pending.first_entry() {
            if *entry.key() > self.next || !entry.get().sent.follows(other) {
                break;
            }
            let (offset, waiting) = entry.remove_entry();
            self.pending_bytes -= waiting.bytes.len() + SEGMENT_COST;
            let total = waiting.bytes.len() as u64 + u64::from(waiting.cut);
            let old = (self.next - offset).min(total);
            if old < total {
                let bytes = waiting.bytes.get(old as usize..).unwrap_or(&[]);
                let cut = (total - old) as u32 - bytes.len() as u32;
                let payload_offset = waiting.span.payload_offset + old as u32;
                let length = bytes.len() as u32;
                let span = FrameSpan { payload_offset, length, ..waiting.span };
                self.deliver(span, waiting.sent, bytes, cut, deliver);
            }
        }
    }

    /// Processes an acknowledgment from the other direction. If it covers bytes after a hole, the capture
    /// missed the hole, which is to be given up after a little patience: returns true if it is to be given up
    /// now.
    #[must_use]
    pub fn acknowledged(&mut self, acknowledgment_number: u32) -> bool {
        if self.origin.is_none() {
            return false;
        }
        let distance = self.distance(acknowledgment_number);
        if distance > 0 {
            self.acknowledged = self.acknowledged.max(self.next + distance as u64);
        }
        let oldest = &mut self.acknowledgments[self.oldest];
        self.settled = std::mem::replace(oldest, self.acknowledged);
        self.oldest = (self.oldest + 1) % PATIENCE;
        self.is_lost()
    }

    /// Returns whether the capture missed the first hole: bytes after it were acknowledged long enough ago.
    fn is_lost(&self) -> bool {
        self.first_waiting().is_some_and(|first| self.next < first && first < self.settled)
    }

    /// Gives up the holes that the capture missed.
    pub fn give_up_lost(&mut self, other: Option<u32>, deliver: &mut dyn FnMut(Chunk<'_>)) {
        while self.is_lost() {
            self.give_up(GapReason::NotCaptured, other, deliver);
        }
    }

    /// Returns the stream offset of the first waiting byte.
    fn first_waiting(&self) -> Option<u64> {
        self.pending.first_key_value().map(|(first, _)| *first)
    }

    /// Returns the first segment that waits for nothing of its own direction: its frame, and its
    /// acknowledgment number.
    pub(crate) fn held(&self) -> Option<(u64, u32)> {
        let (first, waiting) = self.pending.first_key_value()?;
        (*first <= self.next).then_some((waiting.span.frame, waiting.sent.acknowledgment?))
    }

    /// Gives up the first hole and delivers the segments after it.
    fn give_up(
        &mut self,
        reason: GapReason,
        other: Option<u32>,
        deliver: &mut dyn FnMut(Chunk<'_>),
    ) {
        let Some(first) = self.first_waiting() else { return };
        // The bytes are not in the capture: when the receiver got them is not known.
        self.stalled = None;
        if first > self.next {
            deliver(Chunk::Gap { offset: self.next, length: first - self.next, reason });
            self.next = first;
        }
        self.drain(other, deliver);
    }

    /// Gives up what is missing before a sequence number, because the other side has it.
    pub(crate) fn give_up_to(&mut self, sequence_number: u32, deliver: &mut dyn FnMut(Chunk<'_>)) {
        let Ok(distance) = u64::try_from(self.distance(sequence_number)) else { return };
        let end = self.next + distance;
        while self.next < end {
            match self.first_waiting() {
                Some(first) if first < end => self.give_up(GapReason::NotCaptured, None, deliver),
                _ => {
                    let (offset, length) = (self.next, end - self.next);
                    deliver(Chunk::Gap { offset, length, reason: GapReason::NotCaptured });
                    self.next = end;
                }
            }
        }
    }

    /// Gives up every hole, because the connection or the capture has ended.
    pub fn finish(&mut self, reason: GapReason, deliver: &mut dyn FnMut(Chunk<'_>)) {
        while !self.pending.is_empty() {
            self.give_up(reason, None, deliver);
        }
    }
}
