//! Connections: assigns segments to them, and keeps the state of each.

use super::link::{Endpoint, TcpOption, TcpOptions, TcpSegment};
use crate::analysis::{Analysis, Analyzer};
use crate::message::MessageReassembler;
use crate::mpa::{Framer, Negotiation, Side};
use crate::operation::Tracker;
use crate::silence::{Awaited, SILENCE, Silences};
use crate::stream::{Chunk, GapReason, Reassembler};
use crate::ulp::rpc::{Exchanges, Records};
use crate::ulp::{Carrier, UpperLayer as _};
use std::collections::HashMap;

/// The identity of a connection, and what its handshake said.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ConnectionInfo {
    /// Its number in the capture, from 0, in the order of appearance (`tcp.stream`).
    pub number: u32,
    /// Its ends; the first is the sender of the first segment seen.
    pub ends: [Endpoint; 2],
    /// True if both SYNs were captured: relative numbers are correct.
    pub handshake: bool,
    /// Bytes that a segment to each end may carry: the size announced in its SYN, less the timestamps if both
    /// ends use them (RFC 6691 §2); 0 if not known.
    pub segment_sizes: [u16; 2],
}

impl ConnectionInfo {
    /// Creates a connection whose handshake was not seen.
    pub fn new(number: u32, ends: [Endpoint; 2]) -> Self {
        Self { number, ends, ..Self::default() }
    }
}

/// Bytes of a direction's stream, by what they were used for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Totals {
    /// Bytes in setup frames.
    pub setup: u64,
    /// Bytes in FPDUs, including markers; all bytes of an FPDU even if it has a hole.
    pub fpdu: u64,
    /// Bytes skipped with a reason, including gaps.
    pub skipped: u64,
}

/// How a direction's windows are scaled (RFC 7323 §2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WindowScale {
    /// The handshake was not seen.
    #[default]
    Unknown,
    /// The handshake did not agree on window scaling.
    NotUsed,
    /// Windows are shifted by this many bits.
    Shift(u8),
}

/// What the connection says about a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TcpContext {
    /// The number of the connection in the capture, from 0.
    pub stream: u32,
    /// The sender.
    pub side: Side,
    /// The sequence number, relative to the SYN or to the first segment seen.
    pub relative_sequence: u32,
    /// The acknowledgment number, relative like the other direction's sequence numbers.
    pub relative_acknowledgment: u32,
    /// How the sender's windows are scaled.
    pub window_scale: WindowScale,
    /// Nanoseconds since the connection's first frame.
    pub time_relative: Option<i64>,
    /// Nanoseconds since the connection's previous frame.
    pub time_delta: Option<i64>,
    /// The results of comparing the segment with those before it, if requested.
    pub analysis: Option<Analysis>,
}

impl TcpContext {
    /// Returns the ends of a segment's connection, as in [`ConnectionInfo::ends`].
    pub fn ends(&self, segment: &TcpSegment<'_>) -> [Endpoint; 2] {
        match self.side {
            Side(0) => [segment.source, segment.destination],
            _ => [segment.destination, segment.source],
        }
    }

    /// Returns the base of the numbers that a segment acknowledges: SACK edges are relative like the
    /// acknowledgment number.
    pub(crate) fn acknowledgment_base(&self, segment: &TcpSegment<'_>) -> u32 {
        match segment.flags.ack() {
            true => segment.acknowledgment_number.wrapping_sub(self.relative_acknowledgment),
            false => 0,
        }
    }

    /// Returns the window in bytes; that of a segment with SYN is never scaled.
    pub fn window(&self, segment: &TcpSegment<'_>) -> u32 {
        match self.window_scale {
            WindowScale::Shift(shift) if !segment.flags.syn() => {
                u32::from(segment.window) << shift.min(14)
            }
            _ => u32::from(segment.window),
        }
    }
}

/// The state of one direction.
#[derive(Debug, Clone, Default)]
pub struct SideState {
    /// Puts its bytes in order.
    pub reassembler: Reassembler,
    /// Finds its FPDUs.
    pub framer: Framer,
    /// Puts its messages together.
    pub messages: MessageReassembler,
    /// The RPC messages of a stream that is not iWARP.
    pub records: Records,
    /// What its bytes were used for.
    pub totals: Totals,
    scale: Option<u8>,
    syn: bool,
    /// The segment size announced in its SYN, and whether that SYN has timestamps.
    announced: Option<(u16, bool)>,
    /// The sequence number of its FIN.
    fin: Option<u32>,
    /// Its last acknowledgment number.
    acknowledgment: Option<u32>,
    /// When the bytes now being delivered arrived.
    pub(crate) clock: Clock,
}

/// When the current part of a stream was available to the receiver. TCP delivers in order, so a segment is
/// available only when all before it are: the latest of them counts, in whatever order they were captured.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Clock {
    /// The latest frame.
    pub frame: u64,
    /// The latest time.
    pub time: Option<i64>,
    /// The most bytes of the other direction that the sender had received.
    pub acknowledged: Option<i64>,
    /// True if the sender had received more of the other direction than was delivered here.
    pub ahead: bool,
    /// Stream offset of the current part.
    begins: u64,
    /// The end of the last hole whose filling was not seen.
    hole: Option<u64>,
    /// When that hole was certainly filled, because it was acknowledged.
    filled: Option<i64>,
    /// Bytes that were missing before segments already captured, and since when those waited; `None` once an
    /// FPDU after them has been read.
    pub missed: Option<(u32, i64)>,
}

impl Clock {
    /// Takes the next part of the stream. `received` is how much its sender had received of the other
    /// direction; `delivered` is how much of that was delivered.
    /// If the stream's beginning was not seen, what is missing before it may still be in flight.
    pub(crate) fn take(
        &mut self,
        chunk: &Chunk<'_>,
        received: Option<i64>,
        delivered: u64,
        from_the_start: bool,
    ) {
        // A FIN counts as one.
        self.ahead = received.is_some_and(|received| received > delivered as i64 + 1);
        match chunk {
            Chunk::Data { offset, span, sent, .. } => {
                self.begins = *offset;
                if *offset == 0 && !from_the_start {
                    (self.hole, self.filled) = (Some(0), None);
                }
                self.frame = self.frame.max(span.frame);
                if self.filled.zip(sent.time).is_some_and(|(filled, time)| filled < time) {
                    (self.hole, self.filled) = (None, None);
                }
                self.time = self.time.max(sent.time);
                self.acknowledged = self.acknowledged.max(received);
            }
            Chunk::Gap { reason: GapReason::SnapLength, .. } => {}
            Chunk::Gap { offset, length, .. } => {
                (self.hole, self.filled) = (Some(offset + length), None);
            }
        }
    }

    /// An FPDU was read: the wait belonged to it alone.
    pub(crate) fn read(self) -> Self {
        Self { missed: None, ..self }
    }

    /// Records that `bytes` are missing before a segment that has waited since `since`.
    pub(crate) fn missed(&mut self, bytes: u64, since: i64) {
        let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
        let (fewest, first) = self.missed.unwrap_or((bytes, since));
        self.missed = Some((fewest.min(bytes), first.min(since)));
    }

    /// Records that the receiver has this many bytes.
    pub(crate) fn received(&mut self, bytes: i64, time: Option<i64>) {
        if self.filled.is_none() && self.hole.is_some_and(|end| bytes >= end as i64) {
            self.filled = time;
        }
    }

    /// Returns whether it is not known when the receiver had the bytes that end at `end`: a hole before them
    /// was filled at an unknown time, or they came earlier and were recognised only now.
    pub(crate) fn open(&self, end: u64) -> bool {
        self.hole.is_some() || end <= self.begins
    }
}

impl SideState {
    /// Returns whether everything up to a sequence number was delivered.
    fn reaches(&self, sequence_number: u32) -> bool {
        let next = self.reassembler.next_sequence();
        next.is_none_or(|next| sequence_number.wrapping_sub(next) as i32 <= 0)
    }
}

/// The state of a connection.
#[derive(Debug, Clone, Default)]
pub struct Connection {
    /// Its number and ends.
    pub info: ConnectionInfo,
    /// What the setup frames said.
    pub negotiation: Negotiation,
    /// True once it was recognised as iWARP, or the user said so.
    pub iwarp: bool,
    /// The upper layer protocol that it carries.
    pub carrier: Carrier,
    /// Its operations in progress.
    pub tracker: Tracker,
    /// Its calls in progress.
    pub exchanges: Exchanges,
    /// Its directions; dropped when the connection has ended.
    pub sides: Box<[SideState; 2]>,
    /// True when no more bytes are expected.
    pub ended: bool,
    /// The frame of a RST before which bytes are missing.
    pub(crate) reset: Option<u64>,
    first_time: Option<i64>,
    last_time: Option<i64>,
    /// The time from its SYN to the first segment after the handshake, in nanoseconds.
    pub round_trip: Option<i64>,
    /// The times in which nothing of it was captured.
    pub silences: Option<Box<Silences>>,
    /// True if an earlier connection had the same ends.
    reused: bool,
    analyzer: Option<Box<Analyzer>>,
    /// The bytes that it keeps, as last counted.
    pub(crate) counted: usize,
}

impl Connection {
    /// Creates a connection from its first segment seen.
    fn new(place: &Place, segment: &TcpSegment<'_>) -> Self {
        let info = ConnectionInfo::new(place.number, [segment.source, segment.destination]);
        Self { info, reused: place.begins == Begins::EndsUsedAgain, ..Self::default() }
    }

    /// Returns the side that sent a segment of this connection.
    pub fn side_of(&self, segment: &TcpSegment<'_>) -> Side {
        Side(u8::from(segment.source != self.info.ends[0]))
    }

    /// Returns whether the first byte seen of a side is the first of its stream.
    pub fn from_the_start(&self, side: Side) -> bool {
        self.sides[side.index()].syn
    }

    /// Processes a segment's header; returns what the fields of its tree need to know.
    pub(crate) fn header(
        &mut self,
        segment: &TcpSegment<'_>,
        place: &Place,
        frame: u64,
        time: Option<i64>,
    ) -> TcpContext {
        let sender = self.side_of(segment);
        let (side, flags) = (sender.index(), segment.flags);
        let since = |earlier: Option<i64>| Some(time?.saturating_sub(earlier.or(time)?));
        let (time_relative, time_delta) = (since(self.first_time), since(self.last_time));
        if let Some(length) = time_delta.filter(|length| *length >= SILENCE) {
            let awaited = self.awaited(segment, flags.syn() && self.sides[side].syn);
            self.silences.get_or_insert_default().add(awaited, length, frame);
        }
        if self.info.handshake && self.round_trip.is_none() && !flags.syn() {
            self.round_trip = time_relative;
        }
        if flags.syn() {
            self.synchronized(side, segment);
        }
        if flags.fin() {
            let sequence = segment.sequence_number;
            self.sides[side].fin = Some(sequence.wrapping_add(segment.payload_length));
        }
        let window_scale = match (&self.sides[side], &self.sides[side ^ 1]) {
            (mine, other) if self.info.handshake => match (mine.scale, other.scale) {
                (Some(shift), Some(_)) => WindowScale::Shift(shift),
                _ => WindowScale::NotUsed,
            },
            _ => WindowScale::Unknown,
        };
        let [base, other] = place.bases;
        let context = TcpContext {
            stream: self.info.number,
            side: sender,
            relative_sequence: segment.sequence_number.wrapping_sub(base),
            relative_acknowledgment: segment.acknowledgment_number.wrapping_sub(other),
            window_scale,
            time_relative,
            time_delta,
            analysis: None,
        };
        if flags.ack() {
            self.sides[side].acknowledgment = Some(segment.acknowledgment_number);
        }
        self.first_time = self.first_time.or(time);
        self.last_time = time.or(self.last_time);
        context
    }

    /// Returns what was awaited until this segment, which has not been processed yet; `again` says that it is
    /// a repeated SYN.
    fn awaited(&self, segment: &TcpSegment<'_>, again: bool) -> (Awaited, Side) {
        let sender = self.side_of(segment);
        let incomplete = |side: &Side| self.sides[side.index()].reassembler.hole().is_some();
        if let Some(side) = Side::BOTH.into_iter().find(incomplete) {
            return (Awaited::Missing, side);
        }
        if again || self.repeats(segment) {
            return (Awaited::Repetition, sender);
        }
        let (flags, peer) = (segment.flags, sender.peer());
        let bare = segment.payload_length == 0 && !flags.fin() && !flags.rst();
        match (self.owes(sender), self.owes(peer)) {
            (_, true) if bare => (Awaited::Acknowledgment, sender),
            (true, _) => (Awaited::Data, sender),
            (false, true) => (Awaited::Data, peer),
            (false, false) => (Awaited::Nothing, sender),
        }
    }

    /// Returns whether a segment begins with bytes already delivered, some of them not acknowledged.
    fn repeats(&self, segment: &TcpSegment<'_>) -> bool {
        let side = self.side_of(segment);
        let end = segment.sequence_number.wrapping_add(segment.payload_length);
        let acknowledged = self.sides[side.peer().index()].acknowledgment;
        let reassembler = &self.sides[side.index()].reassembler;
        let begins = reassembler.offset_of(segment.sequence_number);
        segment.payload_length > 0
            && begins.is_some_and(|at| at < reassembler.next_offset() as i64)
            && acknowledged.is_none_or(|it| end.wrapping_sub(it) as i32 > 0)
    }

    /// Returns whether a side is in the middle of a message or an FPDU, or has something to answer.
    fn owes(&self, side: Side) -> bool {
        let initiator = self.negotiation.initiator();
        let reply = initiator.is_some_and(|it| it != side) && self.negotiation.seen(side).is_none();
        reply
            || self.sides[side.index()].framer.is_within_fpdu()
            || self.tracker.owes(side)
            || self.carrier.awaits(&self.exchanges, side.peer())
    }

    /// Processes a SYN of a side.
    fn synchronized(&mut self, side: usize, segment: &TcpSegment<'_>) {
        let find = |kind| TcpOptions::new(segment.options()).find(|option| option.kind == kind);
        let mine = &mut self.sides[side];
        mine.syn = mine.reassembler.begin(segment.sequence_number.wrapping_add(1));
        mine.scale = find(TcpOption::WINDOW_SCALE).and_then(|it| it.bytes.get(2).copied());
        let size = find(TcpOption::MAXIMUM_SEGMENT_SIZE).and_then(|it| it.number16(2));
        let timestamps = find(TcpOption::TIMESTAMPS).is_some();
        mine.announced = size.map(|size| (size, timestamps)).or(mine.announced);
        self.info.handshake = self.sides.iter().all(|side| side.syn);
        let both = self.sides.iter().all(|side| side.announced.is_some_and(|(_, stamps)| stamps));
        let taken = if both { TIMESTAMPS } else { 0 };
        self.info.segment_sizes = [0, 1].map(|side: usize| {
            let announced = self.sides[side].announced;
            announced.map_or(0, |(size, _)| size.saturating_sub(taken))
        });
    }

    /// Compares a segment with those before it; call it for each segment, after its header was processed.
    pub(crate) fn analyze(
        &mut self,
        segment: &TcpSegment<'_>,
        frame: u64,
        time: Option<i64>,
    ) -> Analysis {
        let side = self.side_of(segment).index();
        let scale = match (&self.sides[side], &self.sides[side ^ 1]) {
            (mine, theirs) if mine.syn && theirs.syn => mine.scale.and(theirs.scale).or(Some(0)),
            _ => None,
        };
        let (time, reused) = (time.unwrap_or(0), self.reused);
        let analyzer = self.analyzer.get_or_insert_default();
        analyzer.segment(side, segment, frame, time, scale, reused)
    }

    /// Returns whether both sides have sent a FIN, and everything before those was seen.
    pub(crate) fn both_finished(&self) -> bool {
        self.sides.iter().all(|side| side.fin.is_some_and(|fin| side.reaches(fin)))
    }

    /// Returns whether everything before a RST was seen.
    pub(crate) fn reaches_reset(&self, segment: &TcpSegment<'_>) -> bool {
        let side = self.side_of(segment);
        let acknowledged = segment.acknowledgment_number.wrapping_sub(1);
        self.sides[side.index()].reaches(segment.sequence_number)
            && (!segment.flags.ack() || self.sides[side.peer().index()].reaches(acknowledged))
    }

    /// Returns the bytes buffered by the stages.
    pub fn buffered(&self) -> usize {
        let sides = self.sides.iter().map(|side| {
            side.reassembler.pending_bytes()
                + side.framer.buffered()
                + side.messages.buffered()
                + side.records.buffered()
        });
        let above = self.exchanges.buffered() + self.carrier.buffered();
        sides.sum::<usize>() + self.tracker.buffered() + above
    }
}

/// Bytes of the TCP timestamps option in each segment, including padding.
const TIMESTAMPS: u16 = 12;

/// The most connections followed at once; beyond that, an idle one is removed.
const CONNECTIONS: usize = 20_000;

/// What a segment begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Begins {
    /// Nothing: its connection is known.
    Nothing,
    /// A connection between ends that had none.
    Connection,
    /// Another connection between the same ends as an earlier one.
    EndsUsedAgain,
    /// A connection that takes the slot of an idle one.
    TableFull,
}

/// Where a segment belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The slot of its connection, which is reused once that is no longer followed.
    pub(crate) slot: u32,
    /// The number of its connection.
    pub(crate) number: u32,
    pub(crate) begins: Begins,
    /// The sequence numbers that count as 0, of the sender and of the receiver; 0 for the receiver if the
    /// segment acknowledges nothing.
    pub(crate) bases: [u32; 2],
}

/// The key of a connection: its ends, the lesser first, and the interface if interfaces count.
type Key = (Endpoint, Endpoint, u32);

/// The directory's entry for a connection.
#[derive(Debug, Clone)]
struct Entry {
    number: u32,
    key: Key,
    ends: [Endpoint; 2],
    /// The sequence number that counts as 0, for each side.
    bases: [Option<u32>; 2],
    /// True if it had a segment since the hand last passed it.
    used: bool,
}

/// The connections being followed, by their ends: finds the connection of every segment.
#[derive(Debug, Clone, Default)]
pub(crate) struct Directory {
    by_key: HashMap<Key, usize, foldhash::fast::RandomState>,
    entries: Vec<Entry>,
    numbers: u32,
    /// Where the search for an idle connection continues.
    hand: usize,
    /// The slot of the last segment's connection: the next segment is often of the same one.
    last: usize,
}

impl Directory {
    /// Finds the place of the next segment; `interface` is 0 if interfaces do not count.
    pub(crate) fn place(&mut self, segment: &TcpSegment<'_>, interface: u32) -> Place {
        let last = self.entries.get(self.last).filter(|entry| entry.has(segment, interface));
        let (key, known) = match last {
            Some(entry) => (entry.key, Some(self.last)),
            None => {
                let (one, other) = (segment.source, segment.destination);
                let key = (one.min(other), one.max(other), interface);
                (key, self.by_key.get(&key).copied())
            }
        };
        let (slot, begins) = match known {
            Some(slot) if self.begins_again(slot, segment) => (slot, Begins::EndsUsedAgain),
            Some(slot) => (slot, Begins::Nothing),
            None if self.entries.len() < CONNECTIONS => (self.entries.len(), Begins::Connection),
            None => (self.idle(), Begins::TableFull),
        };
        self.last = slot;
        if begins != Begins::Nothing {
            self.begin(slot, key, segment);
        }
        let Some(entry) = self.entries.get_mut(slot) else {
            return Place { slot: 0, number: 0, begins, bases: [0; 2] };
        };
        entry.used = true;
        let bases = entry.bases(segment);
        Place { slot: slot as u32, number: entry.number, begins, bases }
    }

    /// Returns whether a SYN begins another connection between the ends of a known one.
    fn begins_again(&self, slot: usize, segment: &TcpSegment<'_>) -> bool {
        let flags = segment.flags;
        let base = |entry: &Entry| entry.bases[entry.side_of(segment)];
        let known = self.entries.get(slot).and_then(base);
        flags.syn() && !flags.ack() && known.is_some_and(|base| base != segment.sequence_number)
    }

    /// Begins a connection, in the slot of another if necessary.
    fn begin(&mut self, slot: usize, key: Key, segment: &TcpSegment<'_>) {
        let (number, both) = (self.numbers, [segment.source, segment.destination]);
        // In a capture that runs for weeks, numbers wrap.
        self.numbers = self.numbers.wrapping_add(1);
        let entry = Entry { number, key, ends: both, bases: [None; 2], used: true };
        match self.entries.get_mut(slot) {
            Some(old) => {
                self.by_key.remove(&std::mem::replace(old, entry).key);
            }
            None => self.entries.push(entry),
        }
        self.by_key.insert(key, slot);
    }

    /// Returns the slot of an idle connection: the hand goes round and gives each one that had a segment a
    /// second chance.
    fn idle(&mut self) -> usize {
        loop {
            self.hand = (self.hand + 1) % CONNECTIONS;
            match self.entries.get_mut(self.hand) {
                Some(Entry { used: used @ true, .. }) => *used = false,
                _ => return self.hand.min(self.entries.len().saturating_sub(1)),
            }
        }
    }
}

impl Entry {
    fn side_of(&self, segment: &TcpSegment<'_>) -> usize {
        usize::from(segment.source != self.ends[0])
    }

    /// Returns whether a segment is between its ends.
    fn has(&self, segment: &TcpSegment<'_>, interface: u32) -> bool {
        let [one, other] = &self.ends;
        let (source, destination) = (&segment.source, &segment.destination);
        self.key.2 == interface
            && (source == one && destination == other || source == other && destination == one)
    }

    /// Returns the numbers that count as 0 for a segment, the sender's first, and keeps them for later ones.
    fn bases(&mut self, segment: &TcpSegment<'_>) -> [u32; 2] {
        let (side, flags) = (self.side_of(segment), segment.flags);
        let sequence = segment.sequence_number;
        if flags.syn() {
            // A guess from an earlier frame may be wrong.
            self.bases[side] = Some(sequence);
        }
        let mine = *self.bases[side].get_or_insert(sequence.wrapping_sub(1));
        let acknowledged = segment.acknowledgment_number.wrapping_sub(1);
        let other = flags.ack().then(|| *self.bases[side ^ 1].get_or_insert(acknowledged));
        [mine, other.unwrap_or(0)]
    }
}

/// The state of the connections being followed, or of a part of them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Connections(Vec<Connection>);

impl Connections {
    /// Returns the connection of a segment, and the one that it replaced, if any.
    pub(crate) fn at(
        &mut self,
        place: &Place,
        segment: &TcpSegment<'_>,
    ) -> Option<(&mut Connection, Option<Box<Connection>>)> {
        let slot = place.slot as usize;
        let begun = || Connection::new(place, segment);
        let gone = match place.begins {
            Begins::Connection => {
                let (kept, room) = (self.0.len(), self.0.capacity());
                if kept == room {
                    // Doubles, up to the limit.
                    let more = kept.max(4).min(CONNECTIONS.saturating_sub(kept));
                    self.0.reserve_exact(more);
                }
                self.0.push(begun());
                None
            }
            Begins::Nothing => None,
            Begins::EndsUsedAgain | Begins::TableFull => {
                self.0.get_mut(slot).map(|old| Box::new(std::mem::replace(old, begun())))
            }
        };
        Some((self.0.get_mut(slot)?, gone))
    }

    /// Returns every connection being followed, in the order of its number.
    pub(crate) fn all(&mut self) -> Vec<&mut Connection> {
        let mut all: Vec<_> = self.0.iter_mut().collect();
        all.sort_by_key(|connection| connection.info.number);
        all
    }
}
