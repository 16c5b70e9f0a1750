//! Two connections under observation, one of them with bugs.

use crate::prelude::*;
use crate::raw::Trace;

/// Which side has which bugs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seeded {
    pub(super) side: usize,
    pub(super) bugs: Bugs,
}

impl Seeded {
    pub(super) fn role(&self) -> Role {
        if self.side == INITIATOR { Role::Initiator } else { Role::Responder }
    }

    pub(super) fn config(&self) -> Config {
        Config { bugs: self.bugs, ..Config::new(self.role(), STREAM) }
    }
}

pub(super) struct Play {
    pub(super) pair: Pair,
    regions: Vec<(usize, u32)>,
    trace: Trace,
}

impl Play {
    /// Two connections that have sent nothing.
    pub(super) fn new(seeded: &Seeded, mut configs: [Config; 2]) -> Self {
        configs[seeded.side].bugs = seeded.bugs;
        let mut pair = Pair::new(configs);
        pair.ends[seeded.side].memory.set_bugs(seeded.bugs);
        Self { pair, regions: Vec::new(), trace: Trace::default() }
    }

    /// The same, with the setup and an empty Write of the initiator after them: both may send.
    pub(super) fn opened(seeded: &Seeded, configs: [Config; 2]) -> Self {
        let mut play = Self::new(seeded, configs);
        play.run();
        play.post(INITIATOR, 99, write_op(b"", remote(0, 0)));
        play.run();
        play
    }

    /// A region whose bytes are shown at the end.
    pub(super) fn region(&mut self, side: usize, bytes: Vec<u8>, rights: Rights) -> u32 {
        let tag = self.pair.ends[side].region(bytes, rights);
        self.watch(side, tag);
        tag
    }

    pub(super) fn watch(&mut self, side: usize, tag: u32) {
        self.regions.push((side, tag));
    }

    pub(super) fn receive(&mut self, side: usize, name: u64, room: usize) {
        let posted = self.pair.ends[side].connection.post_receive(name, room);
        self.trace.record("receive", posted);
    }

    pub(super) fn post(&mut self, side: usize, name: u64, operation: Operation) {
        self.post_request(side, WorkRequest::new(name, operation));
    }

    pub(super) fn post_request(&mut self, side: usize, request: WorkRequest) {
        let end = &mut self.pair.ends[side];
        let posted = end.connection.post(&end.memory, request);
        self.trace.record("post", posted);
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
        if !self.pair.comes_to_rest(10_000) {
            self.trace.observed.push("no rest".to_owned());
        }
    }

    /// What was seen, up to the end of all timers; both directions are closed.
    pub(super) fn closed(mut self) -> Trace {
        for side in [INITIATOR, RESPONDER] {
            self.pair.ends[side].connection.finish();
            self.run();
        }
        self.seen()
    }

    /// What was seen, up to the end of all timers.
    pub(super) fn seen(mut self) -> Trace {
        self.run();
        for side in [INITIATOR, RESPONDER] {
            let due = self.pair.ends[side].connection.poll_timeout();
            self.trace.record("deadline", due);
            if let Some(due) = due {
                self.pair.now = due;
                self.pair.ends[side].connection.handle_timeout(due);
                self.run();
            }
        }
        let wire = self.pair.transcript.iter();
        self.trace.wire = wire.map(|(side, bytes)| format!("{side} {bytes:02x?}")).collect();
        for end in &self.pair.ends {
            self.trace.record("events", &end.events);
            self.trace.record("completions", &end.completions);
            self.trace.record("ended", end.connection.is_ended());
        }
        for (side, tag) in &self.regions {
            self.trace.record_region(&self.pair.ends[*side].memory, *tag);
        }
        self.trace
    }
}
