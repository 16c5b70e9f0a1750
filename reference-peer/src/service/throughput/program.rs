//! The services `source` and `sink`.

use super::sides::{Receiving, Sending};
use crate::connection::{Event, Role};
use crate::service::Service;
use crate::service::program::{counted, trouble};
use crate::streams::{StreamEvent, Streams};
use crate::work::{Completion, Outcome, RemoteBuffer};
use std::collections::HashMap;
use std::fmt;
use std::time::Duration;

/// What a source does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ThroughputOptions {
    /// How bytes go.
    pub mode: Mode,
    /// Bytes of a message.
    pub size: u32,
    /// How many messages on each stream.
    pub count: u64,
    /// Messages that are posted at once; at least one.
    pub window: u32,
}

impl Default for ThroughputOptions {
    /// A thousand RDMA Writes of 64 KiB, sixteen at a time.
    fn default() -> Self {
        Self { mode: Mode::Write, size: 65536, count: 1000, window: 16 }
    }
}

/// What both services do with a stream.
trait Side: fmt::Debug + Sized {
    /// A message came; says whether the stream is to be closed.
    fn message(&mut self, to: &mut Streams, number: u64, bytes: &[u8]) -> Result<bool, String>;

    /// A work request is done.
    fn completed(&mut self, to: &mut Streams, number: u64, identifier: u64) -> Result<(), String>;

    /// What went over the stream, once it has.
    fn rate(&self) -> Option<Rate>;

    /// What is wrong with what went over it.
    fn mismatch(&self) -> Option<String> {
        None
    }

    /// Gives memory back.
    fn end(&self, streams: &mut Streams);
}

impl Side for Sending {
    fn message(&mut self, to: &mut Streams, number: u64, bytes: &[u8]) -> Result<bool, String> {
        let note = Note::parse(bytes).ok_or("the sink says what is no note")?;
        self.note(to, number, note)
    }

    fn completed(&mut self, to: &mut Streams, number: u64, identifier: u64) -> Result<(), String> {
        Self::completed(self, to, number, identifier)
    }

    fn rate(&self) -> Option<Rate> {
        let mut rate = Rate::default();
        rate.add(self.options.count, self.options.size, self.taken?);
        Some(rate)
    }

    fn end(&self, streams: &mut Streams) {
        Self::end(self, streams);
    }
}

impl Side for Receiving {
    fn message(&mut self, to: &mut Streams, number: u64, bytes: &[u8]) -> Result<bool, String> {
        Self::message(self, to, number, bytes).map(|()| false)
    }

    fn completed(&mut self, to: &mut Streams, number: u64, identifier: u64) -> Result<(), String> {
        Self::completed(self, to, number, identifier)
    }

    fn rate(&self) -> Option<Rate> {
        let (messages, size, taken) = self.taken?;
        let mut rate = Rate::default();
        rate.add(messages, size, taken);
        Some(rate)
    }

    fn mismatch(&self) -> Option<String> {
        self.mismatch.then(|| "bytes came that are not those that were sent".into())
    }

    fn end(&self, streams: &mut Streams) {
        Self::end(self, streams);
    }
}

/// The streams of one service, and how they went.
#[derive(Debug)]
struct Sides<S> {
    sides: HashMap<u64, S>,
    streams: u64,
    failed: u64,
    rate: Rate,
    /// Whether this side opened streams: then it is done when they are.
    opens: bool,
    stopping: bool,
    failure: Option<String>,
}

impl<S> Default for Sides<S> {
    fn default() -> Self {
        Self {
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

impl<S: Side> Sides<S> {
    fn handle(
        &mut self,
        streams: &mut Streams,
        number: u64,
        event: StreamEvent,
        begin: impl FnOnce(&mut Streams, u64) -> Result<S, String>,
    ) {
        let opened = streams.config(number).is_some_and(|it| it.role == Role::Initiator);
        self.opens |= opened;
        let done = match event {
            StreamEvent::Event(Event::Established(_)) => {
                self.streams += 1;
                begin(streams, number).map(|side| {
                    self.sides.insert(number, side);
                })
            }
            StreamEvent::Event(Event::FinishReceived) => {
                streams.finish(number);
                let owes = self.sides.get(&number).is_some_and(|side| side.rate().is_none());
                if owes && !self.stopping { Err("the peer closed early".into()) } else { Ok(()) }
            }
            // How a stream that has failed ends is not told again.
            StreamEvent::Event(Event::Ended(_)) if !self.sides.contains_key(&number) => Ok(()),
            StreamEvent::Event(event) => trouble(&event).map_or(Ok(()), Err),
            StreamEvent::Completion(completion) => self.completed(streams, number, completion),
            // The new stream tells of itself.
            StreamEvent::FellBack(_) => Ok(()),
            StreamEvent::Closed => {
                self.end(streams, number);
                return;
            }
        };
        if let Err(why) = done
            && !self.stopping
        {
            self.failed += 1;
            if opened {
                self.failure.get_or_insert(why);
            }
            self.end(streams, number);
            streams.finish(number);
        }
    }

    fn completed(
        &mut self,
        streams: &mut Streams,
        number: u64,
        completion: Completion,
    ) -> Result<(), String> {
        let Some(side) = self.sides.get_mut(&number) else { return Ok(()) };
        // What has failed, an event tells of.
        let over = match completion.result {
            Ok(Outcome::Received(received)) => side.message(streams, number, &received.bytes)?,
            Ok(_) => {
                side.completed(streams, number, completion.identifier)?;
                false
            }
            Err(_) => false,
        };
        if over {
            streams.finish(number);
        }
        side.mismatch().map_or(Ok(()), Err)
    }

    /// A stream is no more, or of no more interest.
    fn end(&mut self, streams: &mut Streams, number: u64) {
        let Some(side) = self.sides.remove(&number) else { return };
        side.end(streams);
        if let Some(rate) = side.rate() {
            self.rate.messages = self.rate.messages.saturating_add(rate.messages);
            self.rate.bytes = self.rate.bytes.saturating_add(rate.bytes);
            self.rate.taken = self.rate.taken.saturating_add(rate.taken);
        }
    }
}

impl<S> Sides<S> {
    fn stop(&mut self, streams: &mut Streams) {
        self.stopping = true;
        for number in streams.numbers() {
            streams.finish(number);
        }
    }

    fn is_done(&self, streams: &Streams) -> bool {
        streams.count() == 0 && (self.stopping || self.opens)
    }

    fn summary(&self, done: &str) -> Vec<String> {
        let mut lines = Vec::new();
        if self.streams > 0 {
            lines.push(format!("{done} on {}: {}", counted(self.streams, "stream"), self.rate));
        }
        if self.failed > 0 {
            lines.push(format!("{} failed", counted(self.failed, "stream")));
        }
        lines
    }
}

/// The service `source`.
#[derive(Debug, Default)]
pub struct Source {
    options: ThroughputOptions,
    sides: Sides<Sending>,
}

impl Source {
    /// A source that does this on every stream.
    pub fn new(options: ThroughputOptions) -> Self {
        Self { options, sides: Sides::default() }
    }
}

impl Service for Source {
    fn handle(&mut self, streams: &mut Streams, number: u64, event: StreamEvent) {
        let options = self.options;
        let begin = |streams: &mut Streams, number| Sending::begin(streams, number, options);
        self.sides.handle(streams, number, event, begin);
    }

    fn stop(&mut self, streams: &mut Streams) {
        self.sides.stop(streams);
    }

    fn is_done(&self, streams: &Streams) -> bool {
        self.sides.is_done(streams)
    }

    fn failure(&self) -> Option<String> {
        self.sides.failure.clone()
    }

    fn summary(&self) -> Vec<String> {
        self.sides.summary("sent")
    }
}

/// The service `sink`.
#[derive(Debug, Default)]
pub struct Sink {
    sides: Sides<Receiving>,
}

impl Service for Sink {
    fn handle(&mut self, streams: &mut Streams, number: u64, event: StreamEvent) {
        self.sides.handle(streams, number, event, Receiving::begin);
    }

    fn stop(&mut self, streams: &mut Streams) {
        self.sides.stop(streams);
    }

    fn is_done(&self, streams: &Streams) -> bool {
        self.sides.is_done(streams)
    }

    fn failure(&self) -> Option<String> {
        self.sides.failure.clone()
    }

    fn summary(&self) -> Vec<String> {
        self.sides.summary("received")
    }
}

// What a source and a sink tell each other.

/// How bytes go from the source to the sink.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Mode {
    /// The source writes, with RDMA Writes.
    #[default]
    Write,
    /// The source sends, with Sends.
    Send,
    /// The sink reads, with RDMA Reads.
    Read,
}

impl Mode {
    /// Every mode with its number on the wire.
    const NUMBERS: [(u32, Self); 3] = [(1, Self::Write), (2, Self::Send), (3, Self::Read)];
}

/// What a note says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A sink that is the initiator is there.
    Hello,
    /// What the source wants to do.
    Offer,
    /// The sink is ready for it.
    Ready,
    /// The sink has received `count` messages.
    Credit,
    /// The source has sent `count` messages, and sends no more.
    Done,
    /// The sink has got `count` messages; `slots` is 1 when their bytes are right.
    Report,
}

impl Kind {
    /// Every kind with its number on the wire.
    const NUMBERS: [(u32, Self); 6] = [
        (1, Self::Hello),
        (2, Self::Offer),
        (3, Self::Ready),
        (4, Self::Credit),
        (5, Self::Done),
        (6, Self::Report),
    ];
}

/// A message of 40 bytes, all numbers big-endian: kind, mode, STag and size in 32 bits each,
/// Tagged Offset and count in 64, slots in 32, and 32 bits of zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Note {
    /// What it says.
    pub kind: Kind,
    /// How bytes go.
    pub mode: Mode,
    /// The region of the side that says it, where others reach it.
    pub region: RemoteBuffer,
    /// Bytes of a message.
    pub size: u32,
    /// How many messages.
    pub count: u64,
    /// Messages that the region has room for, or that receives are posted for.
    pub slots: u32,
}

impl Note {
    /// Its length in bytes.
    pub const LENGTH: usize = 40;

    /// A note without a region.
    pub fn new(kind: Kind, mode: Mode) -> Self {
        let region = RemoteBuffer { steering_tag: 0, tagged_offset: 0 };
        Self { kind, mode, region, size: 0, count: 0, slots: 0 }
    }

    /// Reads a message; none when it is no note.
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let bytes: &[u8; Self::LENGTH] = bytes.try_into().ok()?;
        let (words, _) = bytes.as_chunks::<4>();
        let mut words = words.iter().map(|word| u32::from_be_bytes(*word));
        let mut word = || words.next().unwrap_or_default();
        let (kind, mode, steering_tag, size) = (word(), word(), word(), word());
        let mut long = || u64::from(word()) << 32 | u64::from(word());
        let (tagged_offset, count) = (long(), long());
        let slots = word();
        let kind = Kind::NUMBERS.iter().find(|it| it.0 == kind)?.1;
        let mode = Mode::NUMBERS.iter().find(|it| it.0 == mode)?.1;
        let region = RemoteBuffer { steering_tag, tagged_offset };
        Some(Self { kind, mode, region, size, count, slots })
    }

    /// The message.
    pub fn bytes(self) -> Vec<u8> {
        let kind = Kind::NUMBERS.iter().find(|it| it.1 == self.kind).map_or(0, |it| it.0);
        let mode = Mode::NUMBERS.iter().find(|it| it.1 == self.mode).map_or(0, |it| it.0);
        let mut bytes = Vec::with_capacity(Self::LENGTH);
        for word in [kind, mode, self.region.steering_tag, self.size] {
            bytes.extend(word.to_be_bytes());
        }
        bytes.extend(self.region.tagged_offset.to_be_bytes());
        bytes.extend(self.count.to_be_bytes());
        bytes.extend(self.slots.to_be_bytes());
        bytes.extend([0; 4]);
        bytes
    }
}

// How fast it went.

/// Messages over a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Rate {
    /// How many.
    pub(super) messages: u64,
    /// Their bytes.
    pub(super) bytes: u64,
    /// The time that they took, summed over streams.
    pub(super) taken: Duration,
}

impl Rate {
    pub(super) fn add(&mut self, messages: u64, size: u32, taken: Duration) {
        self.messages = self.messages.saturating_add(messages);
        self.bytes = self.bytes.saturating_add(messages.saturating_mul(size.into()));
        self.taken = self.taken.saturating_add(taken);
    }
}

impl std::fmt::Display for Rate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { messages, bytes, taken } = self;
        let seconds = taken.as_secs_f64();
        let (messages, bytes) = (counted(*messages, "message"), counted(*bytes, "byte"));
        write!(f, "{messages}, {bytes} in {seconds:.3} s")?;
        if seconds > 0.0 {
            let rate = self.bytes as f64 / seconds / 1e6;
            write!(f, ": {rate:.1} MB/s, {:.0} messages/s", self.messages as f64 / seconds)?;
        }
        Ok(())
    }
}
