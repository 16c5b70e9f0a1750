//! `pingpong`: what rping of rdma-core does, in both roles. An initiator is its client, a responder
//! its server.
//!
//! A round: the client advertises a source, the server reads it with an RDMA Read and sends a
//! go-ahead; the client advertises a sink, the server writes there what it has read, with an RDMA
//! Write, and sends another go-ahead. Every Send has sixteen bytes ([`Advertisement`]); there is no private data.

use super::Service;
use super::program::{counted, trouble};
use crate::connection::{Event, Role};
use crate::memory::{MemoryError, Registration, Rights};
use crate::streams::{StreamEvent, Streams};
use crate::work::{
    Completion, LocalBuffer, Operation, OperationKind, Outcome, PostError, RemoteBuffer, Source,
    WorkRequest,
};
use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

#[cfg(test)]
mod tests;

// The sixteen bytes of rping's Sends.

/// A tagged buffer as rping tells of it: Tagged Offset, STag and length, each big-endian. In a
/// server's go-ahead nobody reads them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Advertisement {
    /// Where the buffer is.
    pub buffer: RemoteBuffer,
    /// Its length in bytes.
    pub length: u32,
}

impl Advertisement {
    /// Its length on the wire in bytes.
    pub const LENGTH: usize = 16;

    /// What a server's go-ahead says: nothing.
    pub const GO_AHEAD: Self =
        Self { buffer: RemoteBuffer { steering_tag: 0, tagged_offset: 0 }, length: 0 };

    /// Reads a message; none when it has another length than rping's.
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let (offset, rest) = bytes.split_first_chunk()?;
        let (tag, rest) = rest.split_first_chunk()?;
        let length: [u8; 4] = rest.try_into().ok()?;
        let steering_tag = u32::from_be_bytes(*tag);
        let tagged_offset = u64::from_be_bytes(*offset);
        let buffer = RemoteBuffer { steering_tag, tagged_offset };
        Some(Self { buffer, length: u32::from_be_bytes(length) })
    }

    /// The message.
    pub fn bytes(self) -> Vec<u8> {
        let mut bytes = self.buffer.tagged_offset.to_be_bytes().to_vec();
        bytes.extend(self.buffer.steering_tag.to_be_bytes());
        bytes.extend(self.length.to_be_bytes());
        bytes
    }
}

// The client's side of a stream: it advertises, and compares what came back.

/// What the client's letters run through.
const LETTERS: std::ops::RangeInclusive<u8> = b'A'..=b'z';

/// Which go-ahead comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Awaited {
    Read,
    Write,
}

/// What a go-ahead brought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Progress {
    /// Half a round.
    Half,
    /// A round, and how long it took.
    Round(Duration),
}

/// Why a client cannot go on.
#[derive(Debug, thiserror::Error)]
enum PingError {
    #[error("the buffers could not be registered: {0}")]
    Memory(#[from] MemoryError),
    #[error("a message could not be posted: {0}")]
    Post(#[from] PostError),
    #[error("ping {round}: byte {at} of what came back differs")]
    Differs { round: u64, at: usize },
}

/// A client's stream.
#[derive(Debug)]
struct Pinger {
    source: u32,
    sink: u32,
    length: u32,
    /// Rounds that are done.
    rounds: u64,
    awaited: Awaited,
    begun: Duration,
}

impl Pinger {
    /// Registers the buffers.
    fn begin(streams: &mut Streams, number: u64, length: u32) -> Result<Self, PingError> {
        let buffer = || vec![0; length as usize];
        let registration = |rights| Registration::stream(number, rights);
        let memory = streams.memory();
        let source = memory.register(buffer(), registration(Rights::READ))?;
        let sink = memory.register(buffer(), registration(Rights::WRITE))?;
        let awaited = Awaited::Read;
        Ok(Self { source, sink, length, rounds: 0, awaited, begun: Duration::ZERO })
    }

    /// Begins a round.
    fn ping(&mut self, streams: &mut Streams, number: u64) -> Result<(), PingError> {
        self.awaited = Awaited::Read;
        self.begun = streams.now();
        if let Some(bytes) = streams.memory().bytes_mut(self.source) {
            bytes.copy_from_slice(&data(self.rounds, self.length as usize));
        }
        if let Some(bytes) = streams.memory().bytes_mut(self.sink) {
            bytes.fill(0);
        }
        self.advertise(streams, number, self.source)
    }

    /// The receive comes first: the answer may be quick.
    fn advertise(&self, streams: &mut Streams, number: u64, tag: u32) -> Result<(), PingError> {
        let buffer = RemoteBuffer { steering_tag: tag, tagged_offset: 0 };
        let advertisement = Advertisement { buffer, length: self.length };
        streams.post_receive(number, 0, Advertisement::LENGTH)?;
        let send = Operation::send(&advertisement.bytes());
        Ok(streams.post(number, WorkRequest::new(0, send))?)
    }

    /// A go-ahead came.
    fn go_ahead(&mut self, streams: &mut Streams, number: u64) -> Result<Progress, PingError> {
        if self.awaited == Awaited::Read {
            self.awaited = Awaited::Write;
            self.advertise(streams, number, self.sink)?;
            return Ok(Progress::Half);
        }
        self.compare(streams)?;
        self.rounds += 1;
        Ok(Progress::Round(streams.now().saturating_sub(self.begun)))
    }

    fn compare(&self, streams: &mut Streams) -> Result<(), PingError> {
        let memory = streams.memory();
        let sent = memory.bytes(self.source).unwrap_or_default();
        let back = memory.bytes(self.sink).unwrap_or_default();
        match sent.iter().zip(back).position(|(sent, back)| sent != back) {
            Some(at) => Err(PingError::Differs { round: self.rounds, at }),
            None => Ok(()),
        }
    }

    /// Gives the buffers back.
    fn end(&self, streams: &mut Streams) {
        release(streams, [self.source, self.sink]);
    }
}

/// What rping's client sends: its number, letters that begin one later every round, and a NUL.
fn data(round: u64, length: usize) -> Vec<u8> {
    let (first, last) = LETTERS.into_inner();
    let letters = (first..=last).cycle();
    let start = (round % u64::from(last - first + 1)) as usize;
    let words = format!("rdma-ping-{round}: ").into_bytes();
    let words = words.into_iter().take(length.saturating_sub(1));
    let letters = letters.skip(start);
    let mut bytes: Vec<u8> = words.chain(letters).take(length).collect();
    if let Some(last) = bytes.last_mut() {
        *last = 0;
    }
    bytes
}

// The server's side of a stream: it reads what is advertised, and writes it back.

/// The longest buffer that is read, in bytes. rping's own has 65535.
const LONGEST: u32 = 1 << 20;

/// The work request whose completion the server waits for.
const READ: u64 = 1;
/// A work request that nobody waits for.
const OTHER: u64 = 0;

/// What an advertisement is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PongAwaited {
    Source,
    Read,
    Sink,
}

/// Why a server cannot go on.
#[derive(Debug, thiserror::Error)]
enum PongError {
    #[error("no buffer could be registered: {0}")]
    Memory(#[from] MemoryError),
    #[error("a request could not be posted: {0}")]
    Post(#[from] PostError),
    #[error("{0} bytes are advertised: this service reads up to {LONGEST}")]
    Long(u32),
    #[error("an advertisement came before the go-ahead")]
    Early,
}

/// A server's stream.
#[derive(Debug)]
struct Ponger {
    /// What was read, and is written back.
    buffer: Option<LocalBuffer>,
    room: u32,
    length: u32,
    awaited: PongAwaited,
}

impl Ponger {
    /// Waits for the first advertisement.
    fn begin(streams: &mut Streams, number: u64) -> Result<Self, PongError> {
        streams.post_receive(number, OTHER, Advertisement::LENGTH)?;
        Ok(Self { buffer: None, room: 0, length: 0, awaited: PongAwaited::Source })
    }

    /// An advertisement came; says whether a round is done.
    fn advertised(
        &mut self,
        streams: &mut Streams,
        number: u64,
        advertisement: Advertisement,
    ) -> Result<bool, PongError> {
        streams.post_receive(number, OTHER, Advertisement::LENGTH)?;
        let Advertisement { buffer: remote, length } = advertisement;
        match self.awaited {
            PongAwaited::Source => {
                let sink = self.provide(streams, number, length)?;
                self.length = length;
                self.awaited = PongAwaited::Read;
                let read = Operation::Read { sink, length, remote };
                streams.post(number, WorkRequest::new(READ, read))?;
                Ok(false)
            }
            PongAwaited::Read => Err(PongError::Early),
            PongAwaited::Sink => {
                self.awaited = PongAwaited::Source;
                let length = length.min(self.length);
                if let Some(buffer) = self.buffer {
                    let write = Operation::Write { source: Source::Region(buffer, length), remote };
                    streams.post(number, WorkRequest::new(OTHER, write))?;
                }
                go_ahead(streams, number)?;
                Ok(true)
            }
        }
    }

    /// The RDMA Read is done.
    fn read(&mut self, streams: &mut Streams, number: u64) -> Result<(), PongError> {
        self.awaited = PongAwaited::Sink;
        go_ahead(streams, number)
    }

    /// A buffer of this length at least.
    fn provide(
        &mut self,
        streams: &mut Streams,
        number: u64,
        length: u32,
    ) -> Result<LocalBuffer, PongError> {
        if length > LONGEST {
            return Err(PongError::Long(length));
        }
        match self.buffer {
            Some(buffer) if length <= self.room => Ok(buffer),
            old => {
                release(streams, old.map(|it| it.steering_tag));
                let registration = Registration::stream(number, Rights::NONE);
                let bytes = vec![0; length as usize];
                let steering_tag = streams.memory().register(bytes, registration)?;
                let buffer = LocalBuffer { steering_tag, tagged_offset: 0 };
                (self.buffer, self.room) = (Some(buffer), length);
                Ok(buffer)
            }
        }
    }

    /// Gives the buffer back.
    fn end(&self, streams: &mut Streams) {
        release(streams, self.buffer.map(|it| it.steering_tag));
    }
}

fn go_ahead(streams: &mut Streams, number: u64) -> Result<(), PongError> {
    let send = Operation::send(&Advertisement::GO_AHEAD.bytes());
    Ok(streams.post(number, WorkRequest::new(OTHER, send))?)
}

// The service: which side each stream is on, and how it ends.

/// What a client does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PingPongOptions {
    /// The buffers' length in bytes.
    pub size: u32,
    /// How many rounds; none: until it is stopped.
    pub count: Option<u64>,
    /// How long a client waits before each round. Some servers miss what comes right behind their
    /// reply.
    pub pause: Duration,
}

impl Default for PingPongOptions {
    /// rping's 64 bytes, ten times.
    fn default() -> Self {
        Self { size: 64, count: Some(10), pause: Duration::ZERO }
    }
}

/// A stream's side.
#[derive(Debug)]
enum Side {
    Client(Pinger),
    Server(Ponger),
}

/// Rounds of one role, and how streams of that role went.
#[derive(Debug, Default)]
struct Tally {
    streams: u64,
    failed: u64,
    rounds: u64,
    /// The time that a client's rounds took, and the longest.
    taken: Duration,
    longest: Duration,
}

/// The service `pingpong`.
#[derive(Debug, Default)]
pub struct PingPong {
    options: PingPongOptions,
    sides: HashMap<u64, Side>,
    /// When clients that pause go on.
    due: BTreeSet<(Duration, u64)>,
    client: Tally,
    server: Tally,
    stopping: bool,
    failure: Option<String>,
}

impl PingPong {
    /// A service whose clients do this.
    pub fn new(options: PingPongOptions) -> Self {
        Self { options, ..Self::default() }
    }

    fn begin(&mut self, streams: &mut Streams, number: u64) -> Result<(), String> {
        let side = match streams.config(number).map(|config| config.role) {
            Some(Role::Initiator) => {
                let pinger = Pinger::begin(streams, number, self.options.size);
                self.client.streams += 1;
                Side::Client(pinger.map_err(|error| error.to_string())?)
            }
            _ => {
                self.server.streams += 1;
                let ponger = Ponger::begin(streams, number);
                Side::Server(ponger.map_err(|error| error.to_string())?)
            }
        };
        self.sides.insert(number, side);
        self.go_on(streams, number)
    }

    /// A client's next round, if it owes one.
    fn go_on(&mut self, streams: &mut Streams, number: u64) -> Result<(), String> {
        let Some(Side::Client(pinger)) = self.sides.get_mut(&number) else { return Ok(()) };
        if self.stopping || self.options.count.is_some_and(|count| pinger.rounds >= count) {
            streams.finish(number);
            return Ok(());
        }
        if self.options.pause.is_zero() {
            return pinger.ping(streams, number).map_err(|error| error.to_string());
        }
        self.due.insert((streams.now().saturating_add(self.options.pause), number));
        Ok(())
    }

    fn completed(
        &mut self,
        streams: &mut Streams,
        number: u64,
        completion: Completion,
    ) -> Result<(), String> {
        // What has failed, an event tells of.
        let Ok(outcome) = completion.result else { return Ok(()) };
        let Some(side) = self.sides.get_mut(&number) else { return Ok(()) };
        match (side, outcome) {
            (side, Outcome::Received(received)) => {
                let length = received.bytes.len();
                let message = Advertisement::parse(&received.bytes).ok_or_else(|| {
                    format!("a message of {length} bytes came: those of rping have 16")
                })?;
                match side {
                    Side::Client(_) => self.go_ahead(streams, number),
                    Side::Server(ponger) => {
                        let done = ponger.advertised(streams, number, message);
                        self.server.rounds += u64::from(done.map_err(|error| error.to_string())?);
                        Ok(())
                    }
                }
            }
            (Side::Server(ponger), _) if completion.kind == OperationKind::Read => {
                debug_assert_eq!(completion.identifier, READ);
                ponger.read(streams, number).map_err(|error| error.to_string())
            }
            _ => Ok(()),
        }
    }

    fn go_ahead(&mut self, streams: &mut Streams, number: u64) -> Result<(), String> {
        let Some(Side::Client(pinger)) = self.sides.get_mut(&number) else { return Ok(()) };
        match pinger.go_ahead(streams, number).map_err(|error| error.to_string())? {
            Progress::Half => return Ok(()),
            Progress::Round(taken) => {
                self.client.rounds += 1;
                self.client.taken += taken;
                self.client.longest = self.client.longest.max(taken);
            }
        }
        self.go_on(streams, number)
    }

    /// A stream cannot go on, or did not end as it should have.
    fn failed(&mut self, streams: &Streams, number: u64, why: String) {
        if streams.config(number).is_some_and(|config| config.role == Role::Initiator) {
            self.client.failed += 1;
            self.failure.get_or_insert(why);
        } else {
            self.server.failed += 1;
        }
    }

    /// Whether a client has done all that it was to do.
    fn owes_rounds(&self, number: u64) -> Option<u64> {
        let Some(Side::Client(pinger)) = self.sides.get(&number) else { return None };
        let owed = self.options.count.is_none_or(|count| pinger.rounds < count);
        (owed && !self.stopping).then_some(pinger.rounds)
    }

    fn event(&mut self, streams: &mut Streams, number: u64, event: Event) -> Result<(), String> {
        match event {
            Event::Established(_) => self.begin(streams, number),
            Event::FinishReceived => {
                streams.finish(number);
                match self.owes_rounds(number) {
                    Some(rounds) => Err(format!("the server closed after {rounds} rounds")),
                    None => Ok(()),
                }
            }
            // How a stream that has failed ends is not told again.
            Event::Ended(_) if !self.sides.contains_key(&number) => Ok(()),
            event => trouble(&event).map_or(Ok(()), Err),
        }
    }
}

impl Service for PingPong {
    fn handle(&mut self, streams: &mut Streams, number: u64, event: StreamEvent) {
        let done = match event {
            StreamEvent::Event(event) => self.event(streams, number, event),
            StreamEvent::Completion(completion) => self.completed(streams, number, completion),
            StreamEvent::FellBack(_) => Ok(()),
            StreamEvent::Closed => {
                self.drop_side(streams, number);
                return;
            }
        };
        if let Err(why) = done {
            self.give_up(streams, number, why);
        }
    }

    fn poll_timeout(&self) -> Option<Duration> {
        self.due.first().map(|(due, _)| *due)
    }

    fn handle_timeout(&mut self, streams: &mut Streams) {
        while let Some((due, number)) = self.due.pop_first() {
            if due > streams.now() {
                self.due.insert((due, number));
                return;
            }
            let Some(Side::Client(pinger)) = self.sides.get_mut(&number) else { continue };
            if let Err(error) = pinger.ping(streams, number) {
                self.give_up(streams, number, error.to_string());
            }
        }
    }

    fn stop(&mut self, streams: &mut Streams) {
        self.stopping = true;
        for number in streams.numbers() {
            // A client ends when its round does.
            let pauses = self.due.iter().any(|(_, pausing)| *pausing == number);
            if pauses || !matches!(self.sides.get(&number), Some(Side::Client(_))) {
                streams.finish(number);
            }
        }
        self.due.clear();
    }

    fn is_done(&self, streams: &Streams) -> bool {
        let clients = self.client.streams + self.client.failed;
        streams.count() == 0 && (self.stopping || clients > 0)
    }

    fn failure(&self) -> Option<String> {
        self.failure.clone()
    }

    fn summary(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let Tally { streams, failed, rounds, taken, longest } = &self.client;
        if *streams > 0 {
            let mean = taken.as_secs_f64() * 1e6 / (*rounds).max(1) as f64;
            let longest = longest.as_secs_f64() * 1e6;
            let size = self.options.size;
            lines.push(format!(
                "{} of {} came back as they went: {mean:.0} µs each, {longest:.0} µs at most",
                counted(*rounds, "round"),
                counted(size.into(), "byte")
            ));
        }
        if *failed > 0 {
            lines.push(format!("{} to servers failed", counted(*failed, "stream")));
        }
        let Tally { streams, failed, rounds, .. } = &self.server;
        if *streams > 0 {
            lines.push(format!(
                "{} served on {}",
                counted(*rounds, "round"),
                counted(*streams, "stream")
            ));
        }
        if *failed > 0 {
            lines.push(format!("{} of clients failed", counted(*failed, "stream")));
        }
        lines
    }
}

impl PingPong {
    fn give_up(&mut self, streams: &mut Streams, number: u64, why: String) {
        self.failed(streams, number, why);
        self.drop_side(streams, number);
        streams.finish(number);
    }

    fn drop_side(&mut self, streams: &mut Streams, number: u64) {
        match self.sides.remove(&number) {
            Some(Side::Client(pinger)) => pinger.end(streams),
            Some(Side::Server(ponger)) => ponger.end(streams),
            None => {}
        }
    }
}

/// Takes regions away; those that are gone already stay gone.
fn release(streams: &mut Streams, tags: impl IntoIterator<Item = u32>) {
    for tag in tags {
        let _ = streams.memory().deregister(tag);
    }
}
