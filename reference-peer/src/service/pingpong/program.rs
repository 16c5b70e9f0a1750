//! The service: which side each stream is on, and how it ends.

use super::Advertisement;
use super::pinger::{Pinger, Progress};
use super::ponger::{Ponger, READ};
use crate::connection::{Event, Role};
use crate::service::Service;
use crate::service::words::{counted, trouble};
use crate::streams::{StreamEvent, Streams};
use crate::work::{Completion, OperationKind, Outcome};
use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

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
pub(super) fn release(streams: &mut Streams, tags: impl IntoIterator<Item = u32>) {
    for tag in tags {
        let _ = streams.memory().deregister(tag);
    }
}
