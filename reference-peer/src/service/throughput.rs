//! `source` and `sink`: transfer bytes in one direction, as fast as possible.
//!
//! Either may be the initiator. All Sends except those that carry data are [`Note`]s of 40 bytes:
//!
//! 1. A sink that is the initiator sends [`Kind::Hello`], because a responder may not send first.
//! 2. The source sends [`Kind::Offer`]: how it wants to send, the size and number of messages, the
//!    window, and for RDMA Reads its region.
//! 3. The sink answers [`Kind::Ready`] with its region, or the number of receives it has posted.
//! 4. RDMA Writes or Sends by the source, or RDMA Reads by the sink. For Sends the sink returns
//!    [`Kind::Credit`] with the number that it has received.
//! 5. After Writes and Sends the source sends [`Kind::Done`].
//! 6. The sink sends [`Kind::Report`], and the source closes.

use super::Service;
use super::program::{Done, Failure, Program, Stream, drive};
use super::rate::Rate;
use crate::memory::Rights;
use crate::streams::{StreamEvent, Streams};
use crate::work::{LocalBuffer, Operation, RemoteBuffer, Source};
use std::collections::HashMap;
use std::fmt;
use std::time::Duration;
use warpscope_text::counted;

#[cfg(test)]
mod tests;

/// What a source does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ThroughputOptions {
    /// How the bytes are transferred.
    pub mode: Mode,
    /// Length of a message in bytes.
    pub size: u32,
    /// Number of messages on each stream.
    pub count: u64,
    /// Number of messages that are posted at once; at least one.
    pub window: u32,
}

impl Default for ThroughputOptions {
    /// A thousand RDMA Writes of 64 KiB, sixteen at a time.
    fn default() -> Self {
        Self { mode: Mode::Write, size: 65536, count: 1000, window: 16 }
    }
}

/// How the bytes are transferred from the source to the sink.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Mode {
    /// The source writes, with RDMA Writes.
    #[default]
    Write = 1,
    /// The source sends, with Sends.
    Send = 2,
    /// The sink reads, with RDMA Reads.
    Read = 3,
}

/// The kind of a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A sink that is the initiator announces itself.
    Hello = 1,
    /// The source offers a transfer.
    Offer = 2,
    /// The sink is ready for it.
    Ready = 3,
    /// The sink has received `count` messages.
    Credit = 4,
    /// The source has sent `count` messages, and sends no more.
    Done = 5,
    /// The sink has received `count` messages; `slots` is 1 when their bytes are right.
    Report = 6,
}

/// A message of 40 bytes, all numbers big-endian: kind, mode, STag and size in 32 bits each,
/// Tagged Offset and count in 64, slots in 32, and 32 bits of zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Note {
    /// The kind of the note.
    pub kind: Kind,
    /// How the bytes are transferred.
    pub mode: Mode,
    /// The region of the note's sender, if the peer accesses it.
    pub region: RemoteBuffer,
    /// Length of a message in bytes.
    pub size: u32,
    /// Number of messages.
    pub count: u64,
    /// Number of messages that fit in the region, or for which receives are posted.
    pub slots: u32,
}

impl Note {
    /// Its length in bytes.
    pub const LENGTH: usize = 40;

    /// Creates a note without a region.
    pub fn new(kind: Kind, mode: Mode) -> Self {
        let region = RemoteBuffer { steering_tag: 0, tagged_offset: 0 };
        Self { kind, mode, region, size: 0, count: 0, slots: 0 }
    }

    /// Parses a message; returns `None` if it is not a note.
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        use Kind::{Credit, Done, Hello, Offer, Ready, Report};
        let bytes: &[u8; Self::LENGTH] = bytes.try_into().ok()?;
        let (words, _) = bytes.as_chunks::<4>();
        let mut words = words.iter().map(|word| u32::from_be_bytes(*word));
        let mut word = || words.next().unwrap_or_default();
        let (kind, mode, steering_tag, size) = (word(), word(), word(), word());
        let mut long = || u64::from(word()) << 32 | u64::from(word());
        let (tagged_offset, count) = (long(), long());
        let slots = word();
        let kinds = [Hello, Offer, Ready, Credit, Done, Report];
        let kind = kinds.into_iter().find(|known| *known as u32 == kind)?;
        let modes = [Mode::Write, Mode::Send, Mode::Read];
        let mode = modes.into_iter().find(|known| *known as u32 == mode)?;
        let region = RemoteBuffer { steering_tag, tagged_offset };
        Some(Self { kind, mode, region, size, count, slots })
    }

    /// Returns the message.
    pub fn bytes(self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(Self::LENGTH);
        for word in [self.kind as u32, self.mode as u32, self.region.steering_tag, self.size] {
            bytes.extend(word.to_be_bytes());
        }
        bytes.extend(self.region.tagged_offset.to_be_bytes());
        bytes.extend(self.count.to_be_bytes());
        bytes.extend(self.slots.to_be_bytes());
        bytes.extend([0; 4]);
        bytes
    }

    fn send(self, stream: &mut Stream<'_>) -> Done {
        stream.send(&self.bytes())
    }
}

/// Posts a receive with room for a message of `size` bytes, and for a note.
fn receive(stream: &mut Stream<'_>, size: u32) -> Done {
    stream.receive(1, Note::LENGTH.max(size as usize))
}

/// The identifier of work requests that carry data.
const DATA: u64 = 1;

/// Returns the bytes of every message.
fn pattern(size: u32) -> Vec<u8> {
    (0..size).map(|at| (at.wrapping_mul(7).wrapping_add(at / 251)) as u8).collect()
}

/// The largest size in bytes of a sink's region, and of its receives together.
const ROOM: u64 = 64 << 20;
/// The largest number of messages that a sink receives at a time, however short they are.
const MOST_SLOTS: u64 = 4096;

#[derive(Debug, Default)]
struct SinkStream {
    /// The source's offer.
    offer: Option<Note>,
    region: Option<u32>,
    slots: u32,
    /// Number of messages received, or of Reads completed.
    received: u64,
    posted: u64,
    depth: u32,
    /// The bytes that every message must have.
    expected: Vec<u8>,
    differs: bool,
    begun: Duration,
    rate: Option<Rate>,
}

impl SinkStream {
    fn begin(stream: &mut Stream<'_>) -> Result<Self, Failure> {
        receive(stream, 0)?;
        if stream.is_initiator() {
            Note::new(Kind::Hello, Mode::Write).send(stream)?;
        }
        Ok(Self { begun: stream.now(), ..Self::default() })
    }

    fn ready(&mut self, stream: &mut Stream<'_>, offer: Note) -> Done {
        let size = u64::from(offer.size);
        let most = ROOM.checked_div(size).unwrap_or(u64::from(u32::MAX));
        let slots = u64::from(offer.slots).min(most).min(MOST_SLOTS);
        if slots == 0 {
            let slots = offer.slots;
            let offered = format!("messages of {size} bytes, {slots} at a time");
            return Err(format!("the source offers {offered}").into());
        }
        self.slots = slots as u32;
        self.expected = pattern(offer.size);
        self.offer = Some(offer);
        let mut ready = Note { slots: self.slots, ..Note::new(Kind::Ready, offer.mode) };
        if offer.mode == Mode::Send {
            // One of them is for the note after the data.
            for _ in 0..=self.slots {
                receive(stream, offer.size)?;
            }
        } else {
            let write = offer.mode == Mode::Write;
            let rights = if write { Rights::WRITE } else { Rights::NONE };
            let steering_tag = stream.register(vec![0; (slots * size) as usize], rights)?;
            self.region = Some(steering_tag);
            ready.region = RemoteBuffer { steering_tag, tagged_offset: 0 };
            receive(stream, 0)?;
        }
        self.begun = stream.now();
        ready.send(stream)?;
        if offer.mode == Mode::Read {
            let connection = stream.streams.connection(stream.number);
            let agreement = connection.and_then(|connection| connection.agreement());
            self.depth = agreement.map_or(1, |agreed| u32::from(agreed.ord)).min(self.slots);
            self.read(stream, offer)?;
        }
        Ok(())
    }

    /// Handles a Send with data.
    fn data(&mut self, stream: &mut Stream<'_>, offer: Note, bytes: &[u8]) -> Done {
        receive(stream, offer.size)?;
        self.received += 1;
        self.differs |= bytes != self.expected;
        let step = u64::from((self.slots / 4).max(1));
        if self.received.is_multiple_of(step) && self.received < offer.count {
            let credit = Note::new(Kind::Credit, offer.mode);
            Note { count: self.received, ..credit }.send(stream)?;
        }
        Ok(())
    }

    /// Posts as many Reads as window and count allow.
    fn read(&mut self, stream: &mut Stream<'_>, offer: Note) -> Done {
        while self.posted < offer.count && self.posted < self.received + u64::from(self.depth) {
            let slot = self.posted % u64::from(self.slots);
            let tagged_offset = slot * u64::from(offer.size);
            let sink = LocalBuffer { steering_tag: self.region.unwrap_or(0), tagged_offset };
            let (length, remote) = (offer.size, offer.region);
            stream.post(DATA, Operation::Read { sink, length, remote })?;
            self.posted += 1;
        }
        if self.received == offer.count {
            return self.report(stream, offer);
        }
        match self.depth {
            0 => Err("no RDMA Reads were agreed on: the ORD is 0".into()),
            _ => Ok(()),
        }
    }

    fn report(&mut self, stream: &mut Stream<'_>, offer: Note) -> Done {
        let taken = stream.now().saturating_sub(self.begun);
        let used = u64::from(self.slots).min(self.received) * u64::from(offer.size);
        if let Some(bytes) = self.region.and_then(|tag| stream.streams.memory().bytes(tag)) {
            let used = bytes.get(..used as usize).unwrap_or(bytes);
            let mut slots = used.chunks(offer.size.max(1) as usize);
            self.differs |= slots.any(|slot| slot != self.expected);
        }
        self.rate = Some(Rate::new(self.received, offer.size, taken));
        let report = Note::new(Kind::Report, offer.mode);
        Note { count: self.received, slots: u32::from(!self.differs), ..report }.send(stream)?;
        match self.differs {
            true => Err("the bytes that arrived are not those that were sent".into()),
            false => Ok(()),
        }
    }
}

impl Side for SinkStream {
    fn received(&mut self, stream: &mut Stream<'_>, bytes: &[u8]) -> Done {
        if let Some(offer) = self.offer
            && offer.mode == Mode::Send
            && self.received < offer.count
        {
            return self.data(stream, offer, bytes);
        }
        let note = Note::parse(bytes).ok_or("the source sent a message that is not a note")?;
        match (note.kind, self.offer) {
            (Kind::Offer, None) => self.ready(stream, note),
            (Kind::Done, Some(offer)) if offer.mode != Mode::Read => {
                if offer.mode == Mode::Write {
                    self.received = note.count;
                }
                self.report(stream, offer)
            }
            (kind, _) => Err(format!("the source sent {kind:?} out of turn").into()),
        }
    }

    fn completed(&mut self, stream: &mut Stream<'_>) -> Done {
        let Some(offer) = self.offer else { return Ok(()) };
        self.received += 1;
        self.read(stream, offer)
    }

    fn region(&self) -> Option<u32> {
        self.region
    }

    fn rate(&self) -> Option<Rate> {
        self.rate
    }
}

/// Number of receives that a source posts at once: no more credits and reports can arrive.
const RECEIVES: usize = 10;

#[derive(Debug)]
struct SourceStream {
    options: ThroughputOptions,
    region: u32,
    /// The sink's answer to the offer.
    ready: Option<Note>,
    posted: u64,
    outstanding: u32,
    /// Number of messages that the sink says it has received.
    credited: u64,
    begun: Duration,
    rate: Option<Rate>,
}

impl SourceStream {
    /// Begins; an initiator makes its offer.
    fn begin(stream: &mut Stream<'_>, options: ThroughputOptions) -> Result<Self, Failure> {
        let rights = if options.mode == Mode::Read { Rights::READ } else { Rights::NONE };
        let region = stream.register(pattern(options.size), rights)?;
        let (ready, rate, begun) = (None, None, stream.now());
        let (posted, outstanding, credited) = (0, 0, 0);
        let source = Self { options, region, ready, posted, outstanding, credited, begun, rate };
        stream.receive(RECEIVES, Note::LENGTH)?;
        if stream.is_initiator() {
            source.offer(stream)?;
        }
        Ok(source)
    }

    fn offer(&self, stream: &mut Stream<'_>) -> Done {
        let ThroughputOptions { mode, size, count, window } = self.options;
        let region = RemoteBuffer { steering_tag: self.region, tagged_offset: 0 };
        let (kind, slots) = (Kind::Offer, window.max(1));
        Note { kind, mode, region, size, count, slots }.send(stream)
    }

    /// Posts as many messages as window, credit and count allow.
    fn pump(&mut self, stream: &mut Stream<'_>) -> Done {
        let Some(ready) = self.ready else { return Ok(()) };
        let ThroughputOptions { mode, size, count, window } = self.options;
        if mode == Mode::Read {
            return Ok(());
        }
        let may = match mode {
            Mode::Send => self.credited.saturating_add(ready.slots.into()).min(count),
            _ => count,
        };
        let before = self.posted;
        while self.posted < may && self.outstanding < window.max(1) {
            let region = LocalBuffer { steering_tag: self.region, tagged_offset: 0 };
            let source = Source::Region(region, size);
            let operation = if mode == Mode::Send {
                Operation::Send { source, invalidate: None, solicited: false, immediate: None }
            } else {
                let slot = self.posted % u64::from(ready.slots);
                let RemoteBuffer { steering_tag, tagged_offset } = ready.region;
                let tagged_offset = tagged_offset.wrapping_add(slot * u64::from(size));
                Operation::Write { source, remote: RemoteBuffer { steering_tag, tagged_offset } }
            };
            stream.post(DATA, operation)?;
            self.posted += 1;
            self.outstanding += 1;
        }
        if self.posted == count && (before < count || count == 0) {
            Note { count, ..Note::new(Kind::Done, mode) }.send(stream)?;
        }
        Ok(())
    }
}

impl Side for SourceStream {
    fn received(&mut self, stream: &mut Stream<'_>, bytes: &[u8]) -> Done {
        let note = Note::parse(bytes).ok_or("the sink sent a message that is not a note")?;
        receive(stream, 0)?;
        match note.kind {
            Kind::Hello if self.ready.is_none() => self.offer(stream),
            Kind::Ready if self.ready.is_none() => {
                if note.slots == 0 || note.slots > self.options.window.max(1) {
                    return Err(format!("the sink is ready with {} slots", note.slots).into());
                }
                self.begun = stream.now();
                self.ready = Some(note);
                self.pump(stream)
            }
            Kind::Credit if self.ready.is_some() && note.count <= self.posted => {
                self.credited = self.credited.max(note.count);
                self.pump(stream)
            }
            Kind::Report if self.ready.is_some() => {
                let ThroughputOptions { count, size, .. } = self.options;
                if note.count != count {
                    return Err(
                        format!("the sink received {} messages of {count}", note.count).into()
                    );
                }
                if note.slots != 1 {
                    return Err("the sink received bytes that are not those that were sent".into());
                }
                let taken = stream.now().saturating_sub(self.begun);
                self.rate = Some(Rate::new(count, size, taken));
                stream.finish();
                Ok(())
            }
            kind => Err(format!("the sink sent {kind:?} out of turn").into()),
        }
    }

    fn completed(&mut self, stream: &mut Stream<'_>) -> Done {
        self.outstanding = self.outstanding.saturating_sub(1);
        self.pump(stream)
    }

    fn region(&self) -> Option<u32> {
        Some(self.region)
    }

    fn rate(&self) -> Option<Rate> {
        self.rate
    }
}

/// One side of a stream: source or sink.
trait Side: fmt::Debug {
    /// Handles a message.
    fn received(&mut self, stream: &mut Stream<'_>, bytes: &[u8]) -> Done;

    /// Handles the completion of a work request that carries data.
    fn completed(&mut self, stream: &mut Stream<'_>) -> Done;

    /// Returns the Steering Tag of its region.
    fn region(&self) -> Option<u32>;

    /// Returns the rate of the stream, once the transfer is complete.
    fn rate(&self) -> Option<Rate>;
}

/// The service `source` or `sink`.
#[derive(Debug)]
pub struct Throughput {
    /// The options of a source; `None` for a sink.
    source: Option<ThroughputOptions>,
    sides: HashMap<u64, Box<dyn Side>>,
    streams: u64,
    failed: u64,
    rate: Rate,
    /// Whether this side opened streams: it is done when they are.
    opens: bool,
    stopping: bool,
    failure: Option<String>,
}

impl Throughput {
    /// Creates a source that does this on every stream.
    pub fn source(options: ThroughputOptions) -> Self {
        Self { source: Some(options), ..Self::sink() }
    }

    /// Creates a sink.
    pub fn sink() -> Self {
        Self {
            source: None,
            sides: HashMap::new(),
            streams: 0,
            failed: 0,
            rate: Rate::default(),
            opens: false,
            stopping: false,
            failure: None,
        }
    }
}

impl Program for Throughput {
    fn begin(&mut self, stream: &mut Stream<'_>) -> Done {
        self.streams += 1;
        let side: Box<dyn Side> = match self.source {
            Some(options) => Box::new(SourceStream::begin(stream, options)?),
            None => Box::new(SinkStream::begin(stream)?),
        };
        self.sides.insert(stream.number, side);
        Ok(())
    }

    fn has(&self, number: u64) -> bool {
        self.sides.contains_key(&number)
    }

    fn received(&mut self, stream: &mut Stream<'_>, bytes: &[u8]) -> Done {
        self.sides.get_mut(&stream.number).map_or(Ok(()), |side| side.received(stream, bytes))
    }

    fn completed(&mut self, stream: &mut Stream<'_>, identifier: u64) -> Done {
        let side = self.sides.get_mut(&stream.number).filter(|_| identifier == DATA);
        side.map_or(Ok(()), |side| side.completed(stream))
    }

    fn peer_finished(&mut self, number: u64) -> Done {
        match self.sides.get(&number) {
            Some(side) if side.rate().is_none() => Err("the peer closed early".into()),
            _ => Ok(()),
        }
    }

    fn end(&mut self, stream: &mut Stream<'_>) {
        let Some(side) = self.sides.remove(&stream.number) else { return };
        stream.deregister(side.region());
        if let Some(Rate { messages, bytes, taken }) = side.rate() {
            self.rate.messages = self.rate.messages.saturating_add(messages);
            self.rate.bytes = self.rate.bytes.saturating_add(bytes);
            self.rate.taken = self.rate.taken.saturating_add(taken);
        }
    }

    fn failed(&mut self, stream: &mut Stream<'_>, why: String) -> bool {
        if !self.stopping {
            self.failed += 1;
            if stream.is_initiator() {
                self.failure.get_or_insert(why);
            }
        }
        !self.stopping
    }
}

impl Service for Throughput {
    fn handle(&mut self, streams: &mut Streams, number: u64, event: StreamEvent) {
        let mut stream = Stream { streams, number };
        self.opens |= stream.is_initiator();
        drive(self, &mut stream, event);
    }

    fn stop(&mut self, streams: &mut Streams) {
        self.stopping = true;
        for number in streams.numbers() {
            streams.finish(number);
        }
    }

    fn is_done(&self, streams: &Streams) -> bool {
        streams.count() == 0 && (self.stopping || self.opens)
    }

    fn failure(&self) -> Option<String> {
        self.failure.clone()
    }

    fn summary(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if self.streams > 0 {
            let done = if self.source.is_some() { "sent" } else { "received" };
            lines.push(format!("{done} on {}: {}", counted(self.streams, "stream"), self.rate));
        }
        if self.failed > 0 {
            lines.push(format!("{} failed", counted(self.failed, "stream")));
        }
        lines
    }
}
