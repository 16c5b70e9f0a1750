//! `pingpong`: does the same as rping of rdma-core. An initiator is its client, a responder its server.
//!
//! In a round, the client advertises a source, and the server reads it with an RDMA Read and sends a
//! go-ahead. Then the client advertises a sink, and the server writes the bytes there with an RDMA
//! Write and sends another go-ahead. Every Send is an [`Advertisement`] of sixteen bytes; there is no
//! private data.

use super::Service;
use super::program::{Done, Failure, Program, Stream, drive, fail};
use crate::memory::Rights;
use crate::streams::{StreamEvent, Streams};
use crate::work::{LocalBuffer, Operation, RemoteBuffer, Source};
use std::collections::{BTreeSet, HashMap};
use std::time::Duration;
use warpscope_text::counted;

#[cfg(test)]
mod tests;

/// A tagged buffer as rping advertises it: Tagged Offset, STag and length, each big-endian. They are
/// ignored in a server's go-ahead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Advertisement {
    /// The buffer's Steering Tag and Tagged Offset.
    pub buffer: RemoteBuffer,
    /// Its length in bytes.
    pub length: u32,
}

impl Advertisement {
    /// Its length on the wire in bytes.
    pub const LENGTH: usize = 16;

    const GO_AHEAD: Self =
        Self { buffer: RemoteBuffer { steering_tag: 0, tagged_offset: 0 }, length: 0 };

    /// Parses a message; returns `None` if it does not have rping's length.
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let (offset, rest) = bytes.split_first_chunk()?;
        let (tag, rest) = rest.split_first_chunk()?;
        let length: [u8; 4] = rest.try_into().ok()?;
        let steering_tag = u32::from_be_bytes(*tag);
        let tagged_offset = u64::from_be_bytes(*offset);
        let buffer = RemoteBuffer { steering_tag, tagged_offset };
        Some(Self { buffer, length: u32::from_be_bytes(length) })
    }

    /// Returns the message.
    pub fn bytes(self) -> Vec<u8> {
        let mut bytes = self.buffer.tagged_offset.to_be_bytes().to_vec();
        bytes.extend(self.buffer.steering_tag.to_be_bytes());
        bytes.extend(self.length.to_be_bytes());
        bytes
    }
}

/// The range of letters in the client's data.
const LETTERS: std::ops::RangeInclusive<u8> = b'A'..=b'z';

/// A client's stream: it advertises, and compares the returned bytes.
#[derive(Debug)]
struct Client {
    source: u32,
    sink: u32,
    length: u32,
    /// Number of complete rounds.
    rounds: u64,
    /// Whether the server has read the source of this round.
    source_read: bool,
    begun: Duration,
}

impl Client {
    fn begin(stream: &mut Stream<'_>, length: u32) -> Result<Self, Failure> {
        let buffer = || vec![0; length as usize];
        let source = stream.register(buffer(), Rights::READ)?;
        let sink = stream.register(buffer(), Rights::WRITE)?;
        let begun = Duration::ZERO;
        Ok(Self { source, sink, length, rounds: 0, source_read: false, begun })
    }

    /// Begins a round.
    fn ping(&mut self, stream: &mut Stream<'_>) -> Done {
        self.source_read = false;
        self.begun = stream.now();
        let memory = stream.streams.memory();
        if let Some(bytes) = memory.bytes_mut(self.source) {
            bytes.copy_from_slice(&data(self.rounds, self.length as usize));
        }
        if let Some(bytes) = memory.bytes_mut(self.sink) {
            bytes.fill(0);
        }
        self.advertise(stream, self.source)
    }

    /// Sends an advertisement. The receive is posted first, because the answer may be quick.
    fn advertise(&self, stream: &mut Stream<'_>, steering_tag: u32) -> Done {
        let buffer = RemoteBuffer { steering_tag, tagged_offset: 0 };
        stream.receive(1, Advertisement::LENGTH)?;
        stream.send(&Advertisement { buffer, length: self.length }.bytes())
    }

    /// Handles a go-ahead. Returns the duration of the round once it is complete.
    fn go_ahead(&mut self, stream: &mut Stream<'_>) -> Result<Option<Duration>, Failure> {
        if !std::mem::replace(&mut self.source_read, true) {
            self.advertise(stream, self.sink)?;
            return Ok(None);
        }
        let memory = stream.streams.memory();
        let sent = memory.bytes(self.source).unwrap_or_default();
        let back = memory.bytes(self.sink).unwrap_or_default();
        if let Some(at) = sent.iter().zip(back).position(|(sent, back)| sent != back) {
            return Err(format!("ping {}: byte {at} of what came back differs", self.rounds).into());
        }
        self.rounds += 1;
        Ok(Some(stream.now().saturating_sub(self.begun)))
    }
}

/// Returns the data of rping's client: its number, letters that begin one later every round, and a NUL.
fn data(round: u64, length: usize) -> Vec<u8> {
    let (first, last) = LETTERS.into_inner();
    let letters = (first..=last).cycle();
    let start = (round % u64::from(last - first + 1)) as usize;
    let head = format!("rdma-ping-{round}: ").into_bytes();
    let head = head.into_iter().take(length.saturating_sub(1));
    let letters = letters.skip(start);
    let mut bytes: Vec<u8> = head.chain(letters).take(length).collect();
    if let Some(last) = bytes.last_mut() {
        *last = 0;
    }
    bytes
}

/// The longest buffer that is read, in bytes. rping's own has 65535.
const LONGEST: u32 = 1 << 20;

/// The work request whose completion the server waits for.
const READ: u64 = 1;

/// The state of a server in a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Awaits {
    Source,
    Read,
    Sink,
}

/// A server's stream: it reads the advertised source, and writes the bytes back.
#[derive(Debug)]
struct Server {
    /// The bytes that were read, to be written back.
    buffer: Option<LocalBuffer>,
    room: u32,
    length: u32,
    awaits: Awaits,
}

impl Server {
    fn begin(stream: &mut Stream<'_>) -> Result<Self, Failure> {
        stream.receive(1, Advertisement::LENGTH)?;
        Ok(Self { buffer: None, room: 0, length: 0, awaits: Awaits::Source })
    }

    /// Handles an advertisement. Returns whether a round is complete.
    fn advertised(
        &mut self,
        stream: &mut Stream<'_>,
        Advertisement { buffer: remote, length }: Advertisement,
    ) -> Result<bool, Failure> {
        stream.receive(1, Advertisement::LENGTH)?;
        match self.awaits {
            Awaits::Source => {
                let sink = self.provide(stream, length)?;
                (self.length, self.awaits) = (length, Awaits::Read);
                stream.post(READ, Operation::Read { sink, length, remote })?;
                Ok(false)
            }
            Awaits::Read => Err("an advertisement arrived before the go-ahead".into()),
            Awaits::Sink => {
                self.awaits = Awaits::Source;
                if let Some(buffer) = self.buffer {
                    let source = Source::Region(buffer, length.min(self.length));
                    stream.post(0, Operation::Write { source, remote })?;
                }
                stream.send(&Advertisement::GO_AHEAD.bytes())?;
                Ok(true)
            }
        }
    }

    /// Returns a buffer of at least this length.
    fn provide(&mut self, stream: &mut Stream<'_>, length: u32) -> Result<LocalBuffer, Failure> {
        if length > LONGEST {
            let most = format!("this service reads up to {LONGEST}");
            return Err(format!("{length} bytes are advertised: {most}").into());
        }
        if let Some(buffer) = self.buffer.filter(|_| length <= self.room) {
            return Ok(buffer);
        }
        stream.deregister(self.buffer.map(|buffer| buffer.steering_tag));
        let steering_tag = stream.register(vec![0; length as usize], Rights::NONE)?;
        let buffer = LocalBuffer { steering_tag, tagged_offset: 0 };
        (self.buffer, self.room) = (Some(buffer), length);
        Ok(buffer)
    }
}

/// What a client does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PingPongOptions {
    /// The buffers' length in bytes.
    pub size: u32,
    /// Number of rounds; `None` means until it is stopped.
    pub count: Option<u64>,
    /// How long a client waits before each round. Some servers miss a message that follows their reply
    /// immediately.
    pub pause: Duration,
}

impl Default for PingPongOptions {
    /// rping's 64 bytes, ten times.
    fn default() -> Self {
        Self { size: 64, count: Some(10), pause: Duration::ZERO }
    }
}

/// The role of this side in a stream.
#[derive(Debug)]
enum Side {
    Client(Client),
    Server(Server),
}

/// The rounds of one role, and the results of its streams.
#[derive(Debug, Default)]
struct Tally {
    streams: u64,
    failed: u64,
    rounds: u64,
    /// The total time of a client's rounds, and the longest round.
    taken: Duration,
    longest: Duration,
}

/// The service `pingpong`.
#[derive(Debug, Default)]
pub struct PingPong {
    options: PingPongOptions,
    sides: HashMap<u64, Side>,
    /// When pausing clients continue.
    timers: BTreeSet<(Duration, u64)>,
    client: Tally,
    server: Tally,
    stopping: bool,
    failure: Option<String>,
}

impl PingPong {
    /// Creates a service whose clients use these options.
    pub fn new(options: PingPongOptions) -> Self {
        Self { options, ..Self::default() }
    }

    /// Begins a client's next round, if it has one left.
    fn next_round(&mut self, stream: &mut Stream<'_>) -> Done {
        let Some(Side::Client(client)) = self.sides.get_mut(&stream.number) else { return Ok(()) };
        if self.stopping || self.options.count.is_some_and(|count| client.rounds >= count) {
            stream.finish();
            return Ok(());
        }
        if self.options.pause.is_zero() {
            return client.ping(stream);
        }
        self.timers.insert((stream.now().saturating_add(self.options.pause), stream.number));
        Ok(())
    }
}

impl Program for PingPong {
    fn begin(&mut self, stream: &mut Stream<'_>) -> Done {
        let side = if stream.is_initiator() {
            self.client.streams += 1;
            Side::Client(Client::begin(stream, self.options.size)?)
        } else {
            self.server.streams += 1;
            Side::Server(Server::begin(stream)?)
        };
        self.sides.insert(stream.number, side);
        self.next_round(stream)
    }

    fn has(&self, number: u64) -> bool {
        self.sides.contains_key(&number)
    }

    fn received(&mut self, stream: &mut Stream<'_>, bytes: &[u8]) -> Done {
        let length = bytes.len();
        let message = Advertisement::parse(bytes).ok_or_else(|| {
            format!("a message of {length} bytes arrived: those of rping have 16")
        })?;
        match self.sides.get_mut(&stream.number) {
            Some(Side::Server(server)) => {
                self.server.rounds += u64::from(server.advertised(stream, message)?);
                Ok(())
            }
            Some(Side::Client(client)) => {
                let Some(taken) = client.go_ahead(stream)? else { return Ok(()) };
                self.client.rounds += 1;
                self.client.taken += taken;
                self.client.longest = self.client.longest.max(taken);
                self.next_round(stream)
            }
            None => Ok(()),
        }
    }

    fn completed(&mut self, stream: &mut Stream<'_>, identifier: u64) -> Done {
        match self.sides.get_mut(&stream.number) {
            Some(Side::Server(server)) if identifier == READ => {
                server.awaits = Awaits::Sink;
                stream.send(&Advertisement::GO_AHEAD.bytes())
            }
            _ => Ok(()),
        }
    }

    fn peer_finished(&mut self, number: u64) -> Done {
        let Some(Side::Client(Client { rounds, .. })) = self.sides.get(&number) else {
            return Ok(());
        };
        if self.stopping || self.options.count.is_some_and(|count| *rounds >= count) {
            return Ok(());
        }
        Err(format!("the server closed after {rounds} rounds").into())
    }

    fn end(&mut self, stream: &mut Stream<'_>) {
        match self.sides.remove(&stream.number) {
            Some(Side::Client(client)) => stream.deregister([client.source, client.sink]),
            Some(Side::Server(server)) => {
                stream.deregister(server.buffer.map(|buffer| buffer.steering_tag));
            }
            None => {}
        }
    }

    fn failed(&mut self, stream: &mut Stream<'_>, why: String) -> bool {
        if stream.is_initiator() {
            self.client.failed += 1;
            self.failure.get_or_insert(why);
        } else {
            self.server.failed += 1;
        }
        true
    }
}

impl Service for PingPong {
    fn handle(&mut self, streams: &mut Streams, number: u64, event: StreamEvent) {
        drive(self, &mut Stream { streams, number }, event);
    }

    fn poll_timeout(&self) -> Option<Duration> {
        self.timers.first().map(|(due, _)| *due)
    }

    fn handle_timeout(&mut self, streams: &mut Streams) {
        let now = streams.now();
        while let Some((_, number)) = self.timers.first().copied().filter(|timer| timer.0 <= now) {
            self.timers.pop_first();
            let Some(Side::Client(client)) = self.sides.get_mut(&number) else { continue };
            let mut stream = Stream { streams, number };
            if let Err(why) = client.ping(&mut stream) {
                fail(self, &mut stream, &why);
            }
        }
    }

    fn stop(&mut self, streams: &mut Streams) {
        self.stopping = true;
        for number in streams.numbers() {
            // A client ends at the end of its round.
            let pauses = self.timers.iter().any(|(_, pausing)| *pausing == number);
            if pauses || !matches!(self.sides.get(&number), Some(Side::Client(_))) {
                streams.finish(number);
            }
        }
        self.timers.clear();
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
            let (rounds, size) = (counted(*rounds, "round"), self.options.size);
            let bytes = counted(size.into(), "byte");
            let times = format!("{mean:.0} µs each, {longest:.0} µs at most");
            lines.push(format!("{rounds} of {bytes} came back unchanged: {times}"));
        }
        if *failed > 0 {
            lines.push(format!("{} to servers failed", counted(*failed, "stream")));
        }
        let Tally { streams, failed, rounds, .. } = &self.server;
        if *streams > 0 {
            let (rounds, streams) = (counted(*rounds, "round"), counted(*streams, "stream"));
            lines.push(format!("{rounds} served on {streams}"));
        }
        if *failed > 0 {
            lines.push(format!("{} of clients failed", counted(*failed, "stream")));
        }
        lines
    }
}
