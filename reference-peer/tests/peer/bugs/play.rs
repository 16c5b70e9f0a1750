//! What a scenario is played with, and what is seen of it.

use crate::prelude::*;
use std::fmt::Debug;
use warpscope_peer::memory::Association;

/// Which side has which bugs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Seeded {
    pub(super) side: usize,
    pub(super) bugs: Bugs,
}

impl Seeded {
    pub(super) fn bugs_of(&self, side: usize) -> Bugs {
        if side == self.side { self.bugs } else { Bugs::NONE }
    }
}

/// What was seen.
#[derive(Default)]
pub(super) struct Trace {
    /// Bytes, FINs and RSTs.
    pub(super) wire: Vec<String>,
    /// Events, completions, refusals, timers and memory.
    pub(super) told: Vec<String>,
    /// The connections themselves, for a judge.
    pub(super) pairs: Vec<Pair>,
}

impl Trace {
    fn tell(&mut self, what: &str, it: impl Debug) {
        self.told.push(format!("{what}: {it:?}"));
    }

    /// Whether a connection could be told from the one that left `other`.
    pub(super) fn differs(&self, other: &Self) -> bool {
        self.wire != other.wire || self.told != other.told
    }

    /// Another trace after this one.
    pub(super) fn then(mut self, other: Self) -> Self {
        self.wire.push("---".to_owned());
        self.wire.extend(other.wire);
        self.told.extend(other.told);
        self.pairs.extend(other.pairs);
        self
    }
}

/// Two connections under observation.
pub(super) struct Play {
    pub(super) pair: Pair,
    regions: Vec<(usize, u32)>,
    trace: Trace,
}

impl Play {
    /// Two connections that have sent nothing.
    pub(super) fn new(seeded: &Seeded, mut configs: [Config; 2]) -> Self {
        for (side, config) in configs.iter_mut().enumerate() {
            config.bugs = seeded.bugs_of(side);
        }
        let mut pair = Pair::new(configs);
        for (side, end) in pair.ends.iter_mut().enumerate() {
            end.memory.set_bugs(seeded.bugs_of(side));
        }
        Self { pair, regions: Vec::new(), trace: Trace::default() }
    }

    /// The same, with the setup after them.
    pub(super) fn opened(seeded: &Seeded, configs: [Config; 2]) -> Self {
        let mut play = Self::new(seeded, configs);
        play.run();
        play
    }

    pub(super) fn region(&mut self, side: usize, bytes: Vec<u8>, rights: Rights) -> u32 {
        self.register(side, bytes, Registration::stream(STREAM.stream, rights))
    }

    pub(super) fn register(&mut self, side: usize, bytes: Vec<u8>, as_: Registration) -> u32 {
        let tag = self.pair.ends[side].memory.register(bytes, as_).unwrap();
        self.watch(side, tag);
        tag
    }

    /// Shows the bytes of a region at the end.
    pub(super) fn watch(&mut self, side: usize, tag: u32) {
        self.regions.push((side, tag));
    }

    pub(super) fn receive(&mut self, side: usize, name: u64, room: usize) {
        let posted = self.pair.ends[side].connection.post_receive(name, room);
        self.trace.tell("receive", posted);
    }

    pub(super) fn post(&mut self, side: usize, name: u64, operation: Operation) {
        self.post_request(side, WorkRequest::new(name, operation));
    }

    pub(super) fn post_request(&mut self, side: usize, request: WorkRequest) {
        let end = &mut self.pair.ends[side];
        let posted = end.connection.post(&end.memory, request);
        self.trace.tell("post", posted);
    }

    /// All that a side sends now arrives before anything else happens.
    pub(super) fn send_all(&mut self, side: usize) {
        for _ in 0..100 {
            if !self.pair.transmit(side) {
                break;
            }
        }
        while self.pair.arrive(side) {}
    }

    pub(super) fn run(&mut self) {
        for _ in 0..10_000 {
            let mut busy = false;
            for side in [INITIATOR, RESPONDER] {
                busy |= self.pair.transmit(side);
                busy |= self.pair.arrive(side);
            }
            if !busy {
                return;
            }
        }
        self.trace.told.push("no rest".to_owned());
    }

    /// Closes both directions.
    pub(super) fn close(&mut self) {
        for side in [INITIATOR, RESPONDER] {
            self.pair.ends[side].connection.finish();
            self.run();
        }
    }

    /// What was seen, up to the end of all timers.
    pub(super) fn seen(mut self) -> Trace {
        self.run();
        for side in [INITIATOR, RESPONDER] {
            let due = self.pair.ends[side].connection.poll_timeout();
            self.trace.tell("deadline", due);
            if let Some(due) = due {
                self.pair.now = due;
                self.pair.ends[side].connection.handle_timeout(due);
                self.run();
            }
        }
        let wire = self.pair.transcript.iter();
        self.trace.wire = wire.map(|(side, bytes)| format!("{side} {bytes:02x?}")).collect();
        for end in &self.pair.ends {
            self.trace.tell("events", &end.events);
            self.trace.tell("completions", &end.completions);
            self.trace.tell("ended", end.connection.is_ended());
        }
        for (side, tag) in &self.regions {
            let memory = &self.pair.ends[*side].memory;
            self.trace.tell("tag", tag);
            self.trace.tell("valid", memory.is_valid(*tag));
            self.trace.tell("bytes", memory.bytes(*tag));
        }
        Trace { pairs: vec![self.pair], ..self.trace }
    }
}

/// What happens to a connection that receives bytes built by hand.
#[derive(Clone)]
pub(super) enum Step {
    Hear(Vec<u8>),
    Ulpdu(Vec<u8>),
    Post(Operation),
    Receive(usize),
    /// Everything is sent that can be.
    Transmit,
    /// One TCP segment is sent.
    TransmitOne,
    /// The peer closes.
    Finish,
    /// This side is to close.
    Close,
    Reject,
    Accept,
    Invalidate(usize),
    Revalidate(usize),
}

/// The first Tagged Offset of the regions below.
pub(super) const BASE: u64 = 0x1000;

/// A connection alone, with regions of 64 bytes each.
pub(super) struct Alone {
    connection: Connection,
    memory: Memory,
    pub(super) tags: Vec<u32>,
    trace: Trace,
    receives: u64,
}

/// The regions that each lonely connection has, by their place in its tags.
pub(super) const OWN: usize = 0;
pub(super) const READ_ONLY: usize = 1;
pub(super) const WRITE_ONLY: usize = 2;
pub(super) const OTHER_STREAM: usize = 3;
pub(super) const OTHER_DOMAIN: usize = 4;
pub(super) const SHARED: usize = 5;
pub(super) const WINDOW: usize = 6;
/// A window whose first byte has Tagged Offset 0, and an address that is not aligned.
pub(super) const ODD_WINDOW: usize = 7;
/// A region that may be flushed to persistence, and nothing else.
pub(super) const LASTING: usize = 8;

impl Alone {
    /// A connection that has sent and heard nothing.
    pub(super) fn new(seeded: &Seeded, mut config: Config) -> Self {
        config.bugs = seeded.bugs;
        let mut memory = crate::pair::memory(3);
        memory.set_bugs(seeded.bugs);
        let of = |stream, rights| Registration::stream(stream, rights).based_at(BASE);
        let domain = |domain| Registration {
            association: Association::ProtectionDomain(domain),
            ..of(0, Rights::ALL)
        };
        let registrations = [
            of(STREAM.stream, Rights::ALL),
            of(STREAM.stream, Rights::READ),
            of(STREAM.stream, Rights::WRITE),
            of(STREAM.stream + 1, Rights::ALL),
            domain(STREAM.protection_domain + 1),
            domain(STREAM.protection_domain),
        ];
        let filled = || (0..64).collect::<Vec<u8>>();
        let mut tags: Vec<u32> =
            registrations.iter().map(|it| memory.register(filled(), *it).unwrap()).collect();
        let window = of(STREAM.stream, Rights::ALL);
        tags.push(memory.bind_window(tags[OWN], 20, 24, window).unwrap());
        let odd = Registration::stream(STREAM.stream, Rights::ALL);
        tags.push(memory.bind_window(tags[OWN], 20, 24, odd).unwrap());
        let lasting = of(STREAM.stream, Rights::FLUSH_PERSISTENT);
        tags.push(memory.register(filled(), lasting).unwrap());
        let connection = Connection::new(config, Duration::ZERO);
        Self { connection, memory, tags, trace: Trace::default(), receives: 0 }
    }

    pub(super) fn step(&mut self, step: Step) {
        let now = Duration::ZERO;
        match step {
            Step::Hear(bytes) => self.connection.handle_bytes(now, &mut self.memory, &bytes),
            Step::Ulpdu(ulpdu) => {
                let bytes = crate::raw::fpdu(&ulpdu);
                self.connection.handle_bytes(now, &mut self.memory, &bytes);
            }
            Step::Post(operation) => {
                let posted = self.connection.post(&self.memory, WorkRequest::new(9, operation));
                self.trace.tell("post", posted);
            }
            Step::Receive(room) => {
                self.receives += 1;
                let posted = self.connection.post_receive(self.receives, room);
                self.trace.tell("receive", posted);
            }
            Step::Transmit => {
                for _ in 0..1000 {
                    if !self.transmit() {
                        break;
                    }
                }
            }
            Step::TransmitOne => {
                self.transmit();
            }
            Step::Finish => self.connection.handle_finish(now),
            Step::Close => self.connection.finish(),
            Step::Reject => self.connection.reject(b"no"),
            Step::Accept => self.connection.accept(b"yes"),
            Step::Invalidate(at) => {
                self.memory.invalidate(self.tags[at]).unwrap();
            }
            Step::Revalidate(at) => {
                let tag = self.memory.revalidate(self.tags[at], Rights::ALL);
                self.trace.tell("revalidated", tag);
            }
        }
    }

    fn transmit(&mut self) -> bool {
        let transmit = self.connection.poll_transmit(Duration::ZERO, &mut self.memory);
        match &transmit {
            Some(Transmit::Bytes(bytes)) => self.trace.wire.push(format!("{bytes:02x?}")),
            Some(other) => self.trace.wire.push(format!("{other:?}")),
            None => {}
        }
        transmit.is_some()
    }

    /// What was seen.
    pub(super) fn seen(mut self) -> Trace {
        self.step(Step::Transmit);
        while let Some(event) = self.connection.poll_event() {
            self.trace.tell("event", event);
        }
        while let Some(completion) = self.connection.poll_completion() {
            self.trace.tell("completion", completion);
        }
        self.trace.tell("deadline", self.connection.poll_timeout());
        self.trace.tell("ended", self.connection.is_ended());
        for tag in &self.tags {
            self.trace.tell("tag", tag);
            self.trace.tell("valid", self.memory.is_valid(*tag));
            self.trace.tell("bytes", self.memory.bytes(*tag));
        }
        self.trace
    }
}

/// The role of a side.
pub(super) fn role(side: usize) -> Role {
    if side == INITIATOR { Role::Initiator } else { Role::Responder }
}
