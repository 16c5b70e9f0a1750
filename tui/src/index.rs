//! The index of a capture: 32 bytes per frame, and bounded tables of its items.

use crate::look::Tone;
use std::borrow::Cow;
use std::collections::VecDeque;
use std::sync::Arc;
use warpscope_dissector::capture::Interface;
use warpscope_dissector::dissect::Line;
use warpscope_dissector::field::Field;
use warpscope_dissector::mpa::Side;
use warpscope_dissector::operation::{OperationKind, Outcome, Pause};
use warpscope_dissector::record::RpcStatus;
use warpscope_dissector::rules::Rule;
use warpscope_dissector::statistics::{Conversation, Flow};
use warpscope_dissector::ulp::IoStatus;

// A frame in the index.

/// The flow number of a frame without a flow.
pub const NO_FLOW: u32 = u32::MAX;

bitflags::bitflags! {
    /// The properties of a frame that are known without decoding it again.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
    pub struct Flags: u16 {
        /// It completes a unit of iWARP: setup frame, FPDU, or skipped bytes.
        const IWARP = 1;
        /// It completes a message or setup frame, or begins with an incorrect one.
        const MESSAGE = 1 << 1;
        /// Bytes were skipped.
        const SKIPPED = 1 << 2;
        /// A Terminate is complete.
        const TERMINATE = 1 << 3;
        /// An RPC message is complete.
        const RPC = 1 << 4;
        /// It was sent by the connection's second end.
        const SECOND = 1 << 5;
        /// A CRC or marker is wrong.
        const WRONG = 1 << 6;
        /// It repeats bytes, or is out of order.
        const REPEATED = 1 << 7;
        /// A setup frame is complete.
        const SETUP = 1 << 8;
    }
}

/// A frame: its position and its properties.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// The offset of its first byte in the file from which frames are read again.
    pub offset: u64,
    /// The capture time, in nanoseconds since 1970; `i64::MIN` if unknown.
    pub time: i64,
    /// Bytes captured.
    pub captured: u32,
    /// Bytes on the wire.
    pub length: u32,
    /// Its connection (`tcp.stream`), or [`NO_FLOW`].
    pub flow: u32,
    /// Index of its interface.
    pub interface: u16,
    /// Its properties.
    pub flags: Flags,
}

/// The index uses this many bytes per frame.
const _: () = assert!(size_of::<Entry>() == 32);

impl Entry {
    /// Returns the capture time, if known.
    pub fn time(&self) -> Option<i64> {
        (self.time != i64::MIN).then_some(self.time)
    }

    /// Returns its connection.
    pub fn flow(&self) -> Option<u32> {
        (self.flow != NO_FLOW).then_some(self.flow)
    }
}

// All frames, in batches shared by state and workers.

/// Frames that were added together.
#[derive(Debug, Clone)]
pub struct Batch {
    /// The frames, in order.
    pub entries: Arc<[Entry]>,
    /// All known interfaces, if there are more than before.
    pub interfaces: Option<Arc<[Interface]>>,
}

/// The frames of a capture, numbered from 1. Clones share the batches.
#[derive(Debug, Clone, Default)]
pub struct Frames {
    /// Each batch with the number of frames before it.
    batches: VecDeque<(u32, Arc<[Entry]>)>,
    count: u32,
    /// The number of discarded frames, from the first on.
    forgotten: u32,
    origin: Option<i64>,
    interfaces: Arc<[Interface]>,
}

impl Frames {
    /// Adds frames after the last.
    pub fn push(&mut self, batch: &Batch) {
        if let Some(interfaces) = &batch.interfaces {
            self.interfaces = interfaces.clone();
        }
        if let Some(first) = batch.entries.first() {
            if self.count == 0 {
                self.origin = first.time();
            }
            self.batches.push_back((self.count, batch.entries.clone()));
            let added = u32::try_from(batch.entries.len()).unwrap_or(u32::MAX);
            self.count = self.count.saturating_add(added);
        }
    }

    /// Returns the number of the last frame: kept and discarded frames together.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// Returns the first frame that is kept.
    pub fn first(&self) -> u32 {
        self.forgotten.saturating_add(1)
    }

    /// Discards the frames before `first`.
    pub fn forget(&mut self, first: u32) {
        self.forgotten = first.saturating_sub(1).clamp(self.forgotten, self.count);
        let gone = |(before, entries): &(u32, Arc<[Entry]>)| {
            *before as usize + entries.len() <= self.forgotten as usize
        };
        while self.batches.front().is_some_and(gone) {
            self.batches.pop_front();
        }
    }

    /// Returns a frame by its number.
    pub fn find(&self, number: u32) -> Option<&Entry> {
        let index = number.checked_sub(1).filter(|index| *index >= self.forgotten)?;
        let batch = self.batches.partition_point(|(before, _)| *before <= index).checked_sub(1)?;
        let (before, entries) = self.batches.get(batch)?;
        entries.get((index - before) as usize)
    }

    /// Returns frames with their numbers, from `number` on.
    pub fn from(&self, number: u32) -> impl Iterator<Item = (u32, &Entry)> {
        let number = number.max(self.first());
        let index = number - 1;
        let first = self.batches.partition_point(|(before, _)| *before <= index).saturating_sub(1);
        let batches = self.batches.iter().skip(first);
        let all = batches.flat_map(|(before, entries)| (before + 1..).zip(entries.iter()));
        all.skip_while(move |(at, _)| *at < number)
    }

    /// Returns the time of the capture's first frame, even if it is no longer kept.
    pub fn first_time(&self) -> Option<i64> {
        self.origin
    }

    /// Returns an interface by its index.
    pub fn interface(&self, index: u16) -> Option<&Interface> {
        self.interfaces.get(usize::from(index))
    }

    /// Returns the known interfaces.
    pub fn interfaces(&self) -> &Arc<[Interface]> {
        &self.interfaces
    }
}

// TCP connections with any content.

/// TCP connections: those with the most frames, and their total number.
#[derive(Debug, Clone, Default)]
pub struct TcpConnections {
    /// Each with its number (`tcp.stream`), those with the most frames first.
    pub rows: Vec<(u32, Conversation)>,
    /// The total number.
    pub count: usize,
}

// Rows of flows, operations, calls and findings, in compact form.

/// A connection.
#[derive(Debug, Clone)]
pub struct FlowRow {
    /// Its counts.
    pub flow: Arc<Flow>,
    /// The bytes that it transferred over time.
    pub spark: Spark,
    /// Frames with Terminates, and the reason of each as a sentence; only the first of many.
    pub terminates: Vec<(u32, String)>,
    /// False while it is still open: its operations are not counted yet.
    pub settled: bool,
}

/// An operation that has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OperationRow {
    /// Its connection.
    pub flow: u32,
    /// Its number in the connection.
    pub number: u32,
    /// The frame that completed the first segment of its request.
    pub first: u32,
    /// The frame that completed its request.
    pub frame: u32,
    /// The frame that completed the first segment of its response, or 0.
    pub answer_first: u32,
    /// The frame that completed its response, or 0.
    pub answer: u32,
    /// Its duration in nanoseconds; -1 if unknown.
    pub latency: i64,
    /// The nanoseconds until the first segment of its response; -1 if unknown.
    pub first_byte: i64,
    /// Bytes of the user's data.
    pub bytes: u64,
    /// Bytes of its direction that were repeated while the message that carried them was incomplete.
    pub repeated: u64,
    /// DDP segments of its request and of its response.
    pub segments: [u32; 2],
    /// The longest time between two segments of the message that carried its data.
    pub pause: Option<Pause>,
    /// Requests in flight when it was sent, including itself.
    pub depth: u16,
    /// The most requests that its side may have in flight; 0 if unknown.
    pub limit: u16,
    /// The side that started it.
    pub requester: Side,
    /// Its kind.
    pub kind: OperationKind,
    /// How it ended.
    pub outcome: Outcome,
    /// True for a response without a request.
    pub unsolicited: bool,
    /// The STag of the memory that it names, or 0.
    pub steering_tag: u32,
    /// The Tagged Offset (TO) in that memory.
    pub tagged_offset: u64,
}

/// A request of an upper layer protocol with its response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallRow {
    /// Its connection.
    pub flow: u32,
    /// The frame of the call's Send, or 0.
    pub frame: u32,
    /// The frame that completed the call with its read chunks, or 0.
    pub completed: u32,
    /// The frame of the reply's Send, or 0.
    pub answer: u32,
    /// Transaction ID (XID); for other protocols the command identifier, task tag or message ID.
    pub xid: u32,
    /// The side that called.
    pub caller: Side,
    /// The protocol; for RPC the program's name. Empty if unknown.
    pub program: &'static str,
    /// Its version; 0 if it has none.
    pub version: u32,
    /// The procedure's number.
    pub procedure: u32,
    /// The procedure's name, or empty.
    pub name: Cow<'static, str>,
    /// The object of the call, or empty.
    pub object: Box<str>,
    /// Nanoseconds from call to reply; -1 if unknown.
    pub latency: i64,
    /// Bytes of call and reply that were sent inline.
    pub inline: u32,
    /// Bytes that were transferred by chunks.
    pub chunks: u64,
    /// The status of its reply.
    pub status: Option<Answer>,
    /// The credits that the call requested and the reply granted.
    pub credits: [u16; 2],
    /// Calls without a reply when it was sent, including itself.
    pub depth: u16,
}

/// The status of a reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// A call of RPC.
    Rpc(RpcStatus),
    /// A request of another protocol.
    Other(IoStatus),
}

/// Memory that a call offered, and the frames in which it was used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChunkRow {
    /// The call's connection.
    pub flow: u32,
    /// The call's transaction ID (XID).
    pub xid: u32,
    /// The chunk's handle: a STag.
    pub steering_tag: u32,
    /// Its other properties, if RPC-over-RDMA has it in a list.
    pub listed: Option<ListedChunk>,
    /// The frame of the first segment that transferred a part of it.
    pub first: u32,
    /// The frame of the last such segment.
    pub last: u32,
}

/// A segment of a chunk in a list of RPC-over-RDMA.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListedChunk {
    /// The list.
    pub name: &'static str,
    /// Its offset: a Tagged Offset (TO).
    pub offset: u64,
    /// Its length in bytes.
    pub length: u32,
    /// The number of bytes that were transferred.
    pub moved: u64,
}

/// A broken rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundRow {
    /// The rule.
    pub rule: &'static Rule,
    /// The connection.
    pub flow: u32,
    /// The side at fault, if known.
    pub at_fault: Option<Side>,
    /// The frame.
    pub frame: u32,
    /// The number of the message in its direction, if the finding is about a message.
    pub message: Option<u64>,
    /// The observed and the expected behaviour.
    pub explanation: String,
}

/// The payload of a message, as far as it was captured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StreamPart {
    /// The side that sent it.
    pub side: Side,
    /// The number of the message in its direction, from 1.
    pub number: u64,
    /// The frame of its first segment.
    pub frame: u32,
    /// The kind of message, in the RFC's words.
    pub name: &'static str,
    /// The payload.
    pub bytes: Vec<u8>,
}

// The bytes that a flow transferred over time.

/// The most parts into which a flow's time is divided.
pub const BUCKETS: usize = 32;
/// The initial length of a part, in nanoseconds.
const SHORTEST: i64 = 1_000;

/// Bytes by part of a flow's time; the parts grow with the flow's duration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spark {
    origin: Option<i64>,
    part: i64,
    /// The parts up to the last one with bytes, because most flows are short.
    bytes: Vec<u32>,
}

impl Default for Spark {
    fn default() -> Self {
        Self { origin: None, part: SHORTEST, bytes: Vec::new() }
    }
}

impl Spark {
    /// Counts bytes at a time.
    pub fn add(&mut self, time: Option<i64>, bytes: u32) {
        let Some(time) = time else { return };
        let origin = *self.origin.get_or_insert(time);
        let since = time.saturating_sub(origin).max(0);
        while since / self.part >= BUCKETS as i64 {
            self.widen();
        }
        let index = usize::try_from(since / self.part).unwrap_or(0);
        if self.bytes.len() <= index {
            self.bytes.reserve_exact(index + 1 - self.bytes.len());
            self.bytes.resize(index + 1, 0);
        }
        if let Some(bucket) = self.bytes.get_mut(index) {
            *bucket = bucket.saturating_add(bytes);
        }
    }

    fn widen(&mut self) {
        let pair = |pair: &[u32]| pair.iter().fold(0_u32, |sum, bytes| sum.saturating_add(*bytes));
        self.bytes = self.bytes.chunks(2).map(pair).collect();
        self.part = self.part.saturating_mul(2);
    }

    /// Returns the length of a part in nanoseconds, and the bytes of each part from the first frame on.
    pub fn parts(&self) -> (u64, &[u32]) {
        (self.part.unsigned_abs(), &self.bytes)
    }

    /// Returns heights from 0 to 8 in at most `columns` columns.
    pub fn heights(&self, columns: usize) -> Vec<u8> {
        let per = self.bytes.len().div_ceil(columns.max(1)).max(1);
        let parts = self.bytes.chunks(per);
        let sums: Vec<u64> =
            parts.map(|part| part.iter().map(|bytes| u64::from(*bytes)).sum()).collect();
        let most = sums.iter().copied().max().unwrap_or(0).max(1);
        // Any value above 0 is visible.
        sums.iter().map(|sum| (sum * 8).div_ceil(most).min(8) as u8).collect()
    }
}

/// The content of a row of the messages view.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MessageRow {
    /// The frame's line.
    pub line: Line,
    /// The colour that a rule gives it.
    pub tone: Option<Tone>,
    /// The values of the fields that are columns.
    pub values: Vec<(&'static Field, String)>,
}

impl MessageRow {
    /// Returns the values of a field; none if it was not requested.
    pub fn value(&self, field: &'static Field) -> Option<&str> {
        let found = self.values.iter().find(|(of, _)| *of == field);
        found.map(|(_, value)| value.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_found_in_their_batches() {
        let mut frames = Frames::default();
        let mut number = 0;
        for length in [3, 1, 0, 5] {
            let entries = (0..length).map(|_| {
                number += 1;
                let (captured, flags) = (number, Flags::default());
                Entry {
                    offset: 0,
                    time: 0,
                    captured,
                    length: 0,
                    flow: NO_FLOW,
                    interface: 0,
                    flags,
                }
            });
            frames.push(&Batch { entries: entries.collect(), interfaces: None });
        }
        assert_eq!(frames.count(), 9);
        for number in 1..=9 {
            assert_eq!(frames.find(number).map(|entry| entry.captured), Some(number));
            let rest: Vec<u32> = frames.from(number).map(|(at, _)| at).collect();
            assert_eq!(rest, (number..=9).collect::<Vec<_>>());
            assert!(frames.from(number).all(|(at, entry)| at == entry.captured));
        }
        assert_eq!((frames.find(0), frames.find(10)), (None, None));
        frames.forget(6);
        assert_eq!((frames.first(), frames.count(), frames.find(5)), (6, 9, None));
        for number in 1..=9 {
            let rest: Vec<u32> = frames.from(number).map(|(at, _)| at).collect();
            assert_eq!(rest, (number.max(6)..=9).collect::<Vec<_>>());
        }
        frames.forget(3);
        assert_eq!(frames.first(), 6);
        assert_eq!(frames.find(6).map(|entry| entry.captured), Some(6));
    }

    #[test]
    fn no_byte_is_lost_when_parts_grow() {
        let mut spark = Spark::default();
        for time in 0..1_000 {
            spark.add(Some(time * 777_777), 3);
        }
        assert_eq!(spark.bytes.iter().sum::<u32>(), 3_000);
        assert!(spark.heights(16).len() <= 16 && spark.heights(16).iter().all(|it| *it <= 8));
        spark.add(Some(i64::MAX), 1);
        assert_eq!(spark.bytes.iter().sum::<u32>(), 3_001);
        assert!(Spark::default().heights(8).is_empty());
    }
}
