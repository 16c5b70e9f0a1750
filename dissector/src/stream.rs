//! One direction of a TCP connection: segments in any order to bytes in order.

use std::collections::BTreeMap;

#[cfg(test)]
mod tests;

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

/// The first and the last frame that some bytes came in.
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
    /// More bytes waited after the hole than the analyzer keeps.
    BufferLimit,
}

impl GapReason {
    /// The reason in words, to be after a number of bytes.
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

// Puts the segments of one direction in order; waits for what is missing as long as it can still
// come.

/// A hole is given up when this many acknowledgments came after one that covers what lies after
/// it: the receiver has the bytes, so the capture missed them.
const PATIENCE: usize = 4;
/// The most bytes that wait after holes in one direction.
const PENDING_LIMIT: usize = 4 << 20;
/// A segment this far before what is expected is not old: the capture missed more than that.
const JUMP: i64 = 1 << 30;

/// What a segment's disposition meant for the stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SegmentDisposition {
    /// Bytes of it that the stream had already, delivered or waiting.
    pub repeated: u32,
    /// Bytes missing before it, when it has to wait.
    pub waiting_for: u64,
}

#[derive(Debug, Clone)]
struct Pending {
    span: FrameSpan,
    bytes: Vec<u8>,
    /// Bytes that the snapshot length cut off after `bytes`.
    cut: u32,
}

/// The reassembly of one direction.
#[derive(Debug, Clone, Default)]
pub struct Reassembler {
    /// The sequence number of stream offset 0, once a segment has been seen.
    origin: Option<u32>,
    next: u64,
    acknowledged: u64,
    /// How far the last acknowledgments went, the oldest at `oldest`.
    acknowledgments: [u64; PATIENCE],
    oldest: usize,
    pending: BTreeMap<u64, Pending>,
    pending_bytes: usize,
}

impl Reassembler {
    /// Sets the sequence number of the first byte, from a SYN. Has no effect once data came.
    pub fn begin(&mut self, first_byte: u32) {
        self.origin.get_or_insert(first_byte);
    }

    /// Stream offset of the byte that is expected next.
    pub fn next_offset(&self) -> u64 {
        self.next
    }

    /// Bytes waiting after a hole.
    pub(crate) fn pending_bytes(&self) -> usize {
        self.pending_bytes
    }

    /// How far a sequence number lies from what is expected next; negative when before it.
    fn distance(&self, sequence_number: u32) -> i64 {
        let Some(origin) = self.origin else { return 0 };
        let expected = origin.wrapping_add(self.next as u32);
        i64::from(sequence_number.wrapping_sub(expected) as i32)
    }

    /// Takes a segment with payload. `wire_length` is the payload's length on the wire, more than
    /// `payload` holds when the snapshot length cut it.
    pub fn segment(
        &mut self,
        sequence_number: u32,
        frame: u64,
        payload: &[u8],
        wire_length: u32,
        deliver: &mut dyn FnMut(Chunk<'_>),
    ) -> SegmentDisposition {
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
        if distance > 0 {
            let offset = self.next + distance as u64;
            let repeated = self.wait(offset, frame, payload, wire_length);
            if self.pending_bytes > PENDING_LIMIT {
                self.give_up(GapReason::BufferLimit, deliver);
            }
            return SegmentDisposition { repeated, waiting_for: distance as u64 };
        }
        let old = (-distance).min(wire) as u32;
        if i64::from(old) < wire {
            let captured = payload.get(old as usize..).unwrap_or(&[]);
            let cut = wire_length - old - captured.len() as u32;
            self.deliver(frame, old, captured, cut, deliver);
            self.drain(deliver);
        }
        SegmentDisposition { repeated: old, waiting_for: 0 }
    }

    fn deliver(
        &mut self,
        frame: u64,
        payload_offset: u32,
        bytes: &[u8],
        cut: u32,
        deliver: &mut dyn FnMut(Chunk<'_>),
    ) {
        if !bytes.is_empty() {
            let span = FrameSpan { frame, payload_offset, length: bytes.len() as u32 };
            deliver(Chunk::Data { offset: self.next, span, bytes });
            self.next += bytes.len() as u64;
        }
        if cut > 0 {
            let (offset, length) = (self.next, u64::from(cut));
            deliver(Chunk::Gap { offset, length, reason: GapReason::SnapLength });
            self.next += length;
        }
    }

    /// Keeps a segment that came early; returns how many of its bytes were there already.
    fn wait(&mut self, offset: u64, frame: u64, payload: &[u8], wire_length: u32) -> u32 {
        let end = offset + u64::from(wire_length);
        let covered = self
            .pending
            .range(..end)
            .rev()
            .take_while(|(start, waiting)| {
                *start + waiting.bytes.len() as u64 + u64::from(waiting.cut) > offset
            })
            .map(|(start, waiting)| {
                let waiting_end = start + waiting.bytes.len() as u64 + u64::from(waiting.cut);
                waiting_end.min(end) - (*start).max(offset)
            })
            .sum::<u64>()
            .min(u64::from(wire_length)) as u32;
        if covered < wire_length {
            let span = FrameSpan { frame, payload_offset: 0, length: payload.len() as u32 };
            let cut = wire_length - payload.len() as u32;
            let pending = Pending { span, bytes: payload.to_vec(), cut };
            let longer = self
                .pending
                .get(&offset)
                .is_none_or(|old| old.bytes.len() + (old.cut as usize) < wire_length as usize);
            if longer {
                self.pending_bytes += payload.len();
                if let Some(old) = self.pending.insert(offset, pending) {
                    self.pending_bytes -= old.bytes.len();
                }
            }
        }
        covered
    }

    /// Delivers what waited and is next now.
    fn drain(&mut self, deliver: &mut dyn FnMut(Chunk<'_>)) {
        while let Some(entry) = self.pending.first_entry() {
            if *entry.key() > self.next {
                break;
            }
            let (offset, waiting) = entry.remove_entry();
            self.pending_bytes -= waiting.bytes.len();
            let total = waiting.bytes.len() as u64 + u64::from(waiting.cut);
            let old = (self.next - offset).min(total);
            if old < total {
                let bytes = waiting.bytes.get(old as usize..).unwrap_or(&[]);
                let cut = (total - old) as u32 - bytes.len() as u32;
                let payload_offset = waiting.span.payload_offset + old as u32;
                self.deliver(waiting.span.frame, payload_offset, bytes, cut, deliver);
            }
        }
    }

    /// Takes an acknowledgment from the other direction. When it covers bytes after a hole, the
    /// hole is a loss of the capture's, and is given up after a little patience.
    pub fn acknowledged(&mut self, acknowledgment_number: u32, deliver: &mut dyn FnMut(Chunk<'_>)) {
        if self.origin.is_none() {
            return;
        }
        let distance = self.distance(acknowledgment_number);
        if distance > 0 {
            self.acknowledged = self.acknowledged.max(self.next + distance as u64);
        }
        let settled = std::mem::replace(&mut self.acknowledgments[self.oldest], self.acknowledged);
        self.oldest = (self.oldest + 1) % PATIENCE;
        while self.first_waiting().is_some_and(|first| first < settled) {
            self.give_up(GapReason::NotCaptured, deliver);
        }
    }

    /// Stream offset of the first byte that waits.
    fn first_waiting(&self) -> Option<u64> {
        self.pending.first_key_value().map(|(first, _)| *first)
    }

    /// Gives up the first hole and delivers what waited after it.
    fn give_up(&mut self, reason: GapReason, deliver: &mut dyn FnMut(Chunk<'_>)) {
        let Some(first) = self.first_waiting() else { return };
        if first > self.next {
            deliver(Chunk::Gap { offset: self.next, length: first - self.next, reason });
            self.next = first;
        }
        self.drain(deliver);
    }

    /// Gives up every hole: the connection or the capture has ended.
    pub fn finish(&mut self, reason: GapReason, deliver: &mut dyn FnMut(Chunk<'_>)) {
        while !self.pending.is_empty() {
            self.give_up(reason, deliver);
        }
    }
}
