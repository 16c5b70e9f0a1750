//! What is kept of a capture: 32 bytes a frame, and bounded tables of what was found in it.

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

/// The flow of a frame that is of none.
pub const NO_FLOW: u32 = u32::MAX;

bitflags::bitflags! {
    /// What is known of a frame without decoding it again.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
    pub struct Flags: u16 {
        /// It completes something of iWARP: setup frame, FPDU, or skipped bytes.
        const IWARP = 1;
        /// It completes a message or setup frame, or begins with one that is wrong.
        const MESSAGE = 1 << 1;
        /// Bytes were skipped.
        const SKIPPED = 1 << 2;
        /// A Terminate is complete.
        const TERMINATE = 1 << 3;
        /// An RPC message is complete.
        const RPC = 1 << 4;
        /// It came from the connection's second end.
        const SECOND = 1 << 5;
        /// A CRC or marker is wrong.
        const WRONG = 1 << 6;
        /// It repeats bytes, or came out of order.
        const REPEATED = 1 << 7;
        /// A setup frame is complete.
        const SETUP = 1 << 8;
    }
}

/// A frame: where its bytes are, and what it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// Where its first byte is in the file that frames are read from again.
    pub offset: u64,
    /// When it was captured, in nanoseconds since 1970; `i64::MIN` where that is not known.
    pub time: i64,
    /// Bytes captured.
    pub captured: u32,
    /// Bytes on the wire.
    pub length: u32,
    /// Its connection (`tcp.stream`), or [`NO_FLOW`].
    pub flow: u32,
    /// Index of its interface.
    pub interface: u16,
    /// What it is.
    pub flags: Flags,
}

/// What the index may take of a frame.
const _: () = assert!(size_of::<Entry>() == 32);

impl Entry {
    /// When it was captured, where that is known.
    pub fn time(&self) -> Option<i64> {
        (self.time != i64::MIN).then_some(self.time)
    }

    /// Its connection.
    pub fn flow(&self) -> Option<u32> {
        (self.flow != NO_FLOW).then_some(self.flow)
    }
}

// All frames, in batches that state and workers share.

/// Frames that were added together.
#[derive(Debug, Clone)]
pub struct Batch {
    /// The frames, in order.
    pub entries: Arc<[Entry]>,
    /// Every interface known now, when there are more than before.
    pub interfaces: Option<Arc<[Interface]>>,
}

/// The frames of a capture, numbered from 1. A copy shares the batches.
#[derive(Debug, Clone, Default)]
pub struct Frames {
    /// Each batch with the frames before it.
    batches: VecDeque<(u32, Arc<[Entry]>)>,
    count: u32,
    /// Frames that were given up, from the first on.
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

    /// The number of the last frame: frames there are, and those that were given up.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// The first frame that is kept.
    pub fn first(&self) -> u32 {
        self.forgotten.saturating_add(1)
    }

    /// Gives up the frames before one.
    pub fn forget(&mut self, first: u32) {
        self.forgotten = first.saturating_sub(1).clamp(self.forgotten, self.count);
        let gone = |(before, entries): &(u32, Arc<[Entry]>)| {
            *before as usize + entries.len() <= self.forgotten as usize
        };
        while self.batches.front().is_some_and(gone) {
            self.batches.pop_front();
        }
    }

    /// A frame by its number.
    pub fn find(&self, number: u32) -> Option<&Entry> {
        let index = number.checked_sub(1).filter(|index| *index >= self.forgotten)?;
        let batch = self.batches.partition_point(|(before, _)| *before <= index).checked_sub(1)?;
        let (before, entries) = self.batches.get(batch)?;
        entries.get((index - before) as usize)
    }

    /// Frames with their numbers, from one on.
    pub fn from(&self, number: u32) -> impl Iterator<Item = (u32, &Entry)> {
        let number = number.max(self.first());
        let index = number - 1;
        let first = self.batches.partition_point(|(before, _)| *before <= index).saturating_sub(1);
        let batches = self.batches.iter().skip(first);
        let all = batches.flat_map(|(before, entries)| (before + 1..).zip(entries.iter()));
        all.skip_while(move |(at, _)| *at < number)
    }

    /// When the capture's first frame was captured, be it kept or not.
    pub fn first_time(&self) -> Option<i64> {
        self.origin
    }

    /// An interface by its index.
    pub fn interface(&self, index: u16) -> Option<&Interface> {
        self.interfaces.get(usize::from(index))
    }

    /// Interfaces known.
    pub fn interfaces(&self) -> &Arc<[Interface]> {
        &self.interfaces
    }
}

// TCP connections, whatever they carry.

/// TCP connections: those with the most frames, and how many there are.
#[derive(Debug, Clone, Default)]
pub struct TcpConnections {
    /// Each with its number (`tcp.stream`), those with the most frames first.
    pub rows: Vec<(u32, Conversation)>,
    /// How many there are.
    pub count: usize,
}

// Rows of flows, operations, calls and findings, as small as they can be.

/// A connection.
#[derive(Debug, Clone)]
pub struct FlowRow {
    /// What was counted of it.
    pub flow: Arc<Flow>,
    /// What it moved over its time.
    pub spark: Spark,
    /// Frames with Terminates, and why each was sent, in a sentence; of many the first.
    pub terminates: Vec<(u32, String)>,
    /// False while it is still followed: operations are not counted yet.
    pub settled: bool,
}

/// An operation that has come to its end.
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
    /// Nanoseconds that it took; -1 where that is not known.
    pub latency: i64,
    /// Of these until the first segment of its response; -1 where that is not known.
    pub first_byte: i64,
    /// Bytes of the user's data.
    pub bytes: u64,
    /// Bytes of its direction that came more than once while the message that carried them was under way.
    pub repeated: u64,
    /// DDP segments of its request and of its response.
    pub segments: [u32; 2],
    /// The longest time between two segments of the message that carried its data.
    pub pause: Option<Pause>,
    /// Requests in flight when it was sent, itself counted.
    pub depth: u16,
    /// How many its side may have in flight; 0 where that is not known.
    pub limit: u16,
    /// The side that began it.
    pub requester: Side,
    /// What it does.
    pub kind: OperationKind,
    /// How it ended.
    pub outcome: Outcome,
    /// True for a response that answers nothing.
    pub unsolicited: bool,
    /// The STag of the memory that it names, or 0.
    pub steering_tag: u32,
    /// The Tagged Offset (TO) in that memory.
    pub tagged_offset: u64,
}

/// A request of an upper layer protocol with its answer.
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
    /// Transaction ID (XID); of other protocols the command identifier, task tag or message ID.
    pub xid: u32,
    /// The side that called.
    pub caller: Side,
    /// The protocol; of RPC the program's name. Nothing where that is not known.
    pub program: &'static str,
    /// Its version; 0 where it has none.
    pub version: u32,
    /// The procedure's number.
    pub procedure: u32,
    /// Its name, or nothing.
    pub name: Cow<'static, str>,
    /// What it is about, or nothing.
    pub object: Box<str>,
    /// Nanoseconds from call to reply; -1 where that is not known.
    pub latency: i64,
    /// Bytes of call and reply that went inline.
    pub inline: u32,
    /// Bytes that went by chunks.
    pub chunks: u64,
    /// How it was answered.
    pub status: Option<Answer>,
    /// Credits that the call asked for and the reply granted.
    pub credits: [u16; 2],
    /// Calls without a reply when it was sent, itself counted.
    pub depth: u16,
}

/// How a call was answered.
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
    /// What is known of it beside its handle, where RPC-over-RDMA has it in a list.
    pub listed: Option<ListedChunk>,
    /// The frame of the first segment that moved some of it.
    pub first: u32,
    /// The frame of the last one.
    pub last: u32,
}

/// A segment of a chunk in a list of RPC-over-RDMA.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListedChunk {
    /// The list.
    pub name: &'static str,
    /// Its offset: a Tagged Offset (TO).
    pub offset: u64,
    /// Its bytes.
    pub length: u32,
    /// Those of them that were moved.
    pub moved: u64,
}

/// A rule that was broken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundRow {
    /// The rule.
    pub rule: &'static Rule,
    /// The connection.
    pub flow: u32,
    /// The side at fault, where that is known.
    pub at_fault: Option<Side>,
    /// The frame.
    pub frame: u32,
    /// The number of the message among those of its direction, where it is of one.
    pub message: Option<u64>,
    /// What was seen and what was due.
    pub explanation: String,
}

/// The payload of a message, as far as it was captured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StreamPart {
    /// The side that sent it.
    pub side: Side,
    /// The message's number among those of its direction, from 1.
    pub number: u64,
    /// The frame of its first segment.
    pub frame: u32,
    /// What it is, in the RFC's words.
    pub name: &'static str,
    /// The payload.
    pub bytes: Vec<u8>,
}

// How much a flow moved, over its time.

/// Parts that a flow's time is cut into, at most.
pub const BUCKETS: usize = 32;
/// How long a part is at first, in nanoseconds.
const SHORTEST: i64 = 1_000;

/// Bytes by part of a flow's time; parts grow with the time that there is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spark {
    origin: Option<i64>,
    part: i64,
    /// As many parts as the last that has bytes needs: most flows are short.
    bytes: Vec<u32>,
}

impl Default for Spark {
    fn default() -> Self {
        Self { origin: None, part: SHORTEST, bytes: Vec::new() }
    }
}

impl Spark {
    /// Counts bytes that came then.
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

    /// Nanoseconds of a part, and the bytes of each part from the first frame on.
    pub fn parts(&self) -> (u64, &[u32]) {
        (self.part.unsigned_abs(), &self.bytes)
    }

    /// Heights from 0 to 8 in at most so many columns.
    pub fn heights(&self, columns: usize) -> Vec<u8> {
        let per = self.bytes.len().div_ceil(columns.max(1)).max(1);
        let parts = self.bytes.chunks(per);
        let sums: Vec<u64> =
            parts.map(|part| part.iter().map(|bytes| u64::from(*bytes)).sum()).collect();
        let most = sums.iter().copied().max().unwrap_or(0).max(1);
        // What is not nothing shows.
        sums.iter().map(|sum| (sum * 8).div_ceil(most).min(8) as u8).collect()
    }
}

/// What is known of a row.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MessageRow {
    /// The frame's line.
    pub line: Line,
    /// The colour that a rule gives it.
    pub tone: Option<Tone>,
    /// The values of fields that are columns.
    pub values: Vec<(&'static Field, String)>,
}

impl MessageRow {
    /// The values of a field; none when it was not asked for.
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
