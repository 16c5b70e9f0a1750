//! Two connections, and the TCP connection between them.

use std::collections::VecDeque;
use std::time::Duration;
use warpscope_peer::connection::{Config, Connection, Event, Role, Transmit};
use warpscope_peer::memory::{Accessor, Memory, Registration, Rights};
use warpscope_peer::work::{Completion, LocalBuffer, Operation, RemoteBuffer, WorkRequest};
use warpscope_wire::rdmap::AtomicOperation;

pub(crate) const INITIATOR: usize = 0;
pub(crate) const RESPONDER: usize = 1;

pub(crate) const STREAM: Accessor = Accessor { stream: 7, protection_domain: 1 };

pub(crate) struct End {
    pub(crate) connection: Connection,
    pub(crate) memory: Memory,
    pub(crate) events: Vec<Event>,
    pub(crate) completions: Vec<Completion>,
    /// What it has sent that the other has not got.
    wire: VecDeque<Transmit>,
}

impl End {
    fn new(config: Config, seed: u32) -> Self {
        Self {
            connection: Connection::new(config, Duration::ZERO),
            memory: Memory::seeded(seed),
            events: Vec::new(),
            completions: Vec::new(),
            wire: VecDeque::new(),
        }
    }

    /// A zero-based region of these bytes for this stream.
    pub(crate) fn region(&mut self, bytes: Vec<u8>, rights: Rights) -> u32 {
        self.memory.register(bytes, Registration::stream(STREAM.stream, rights)).unwrap()
    }

    pub(crate) fn post(&mut self, identifier: u64, operation: Operation) {
        self.connection.post(&self.memory, WorkRequest::new(identifier, operation)).unwrap();
    }

    /// The names of the completions so far, with whether they went well.
    pub(crate) fn completed(&self) -> Vec<(u64, bool)> {
        self.completions.iter().map(|it| (it.identifier, it.result.is_ok())).collect()
    }

    /// Layer, type and code of the Terminate that came.
    pub(crate) fn terminate_received(&self) -> Option<(u8, u8, u8)> {
        self.events.iter().find_map(|event| match event {
            Event::TerminateReceived(it) => Some((it.layer, it.error_type, it.error_code)),
            _ => None,
        })
    }

    fn poll(&mut self) {
        while let Some(event) = self.connection.poll_event() {
            self.events.push(event);
        }
        while let Some(completion) = self.connection.poll_completion() {
            self.completions.push(completion);
        }
    }
}

pub(crate) struct Pair {
    pub(crate) ends: [End; 2],
    pub(crate) now: Duration,
    /// What was sent: side and bytes; none for a FIN.
    pub(crate) transcript: Vec<(usize, Option<Vec<u8>>)>,
    /// The length of the pieces in which bytes arrive; 0: as they were sent.
    pub(crate) cut: usize,
}

pub(crate) fn configs() -> [Config; 2] {
    [Role::Initiator, Role::Responder].map(|role| Config::new(role, STREAM))
}

pub(crate) fn configs_with(change: impl Fn(&mut Config)) -> [Config; 2] {
    configs().map(|mut config| {
        change(&mut config);
        config
    })
}

impl Pair {
    /// Two connections; nothing has been sent.
    pub(crate) fn new([initiator, responder]: [Config; 2]) -> Self {
        let ends = [End::new(initiator, 1), End::new(responder, 2)];
        Self { ends, now: Duration::ZERO, transcript: Vec::new(), cut: 0 }
    }

    /// Two connections with the default configuration, in Full Operation.
    pub(crate) fn open() -> Self {
        Self::opened(configs())
    }

    /// Two connections in Full Operation.
    pub(crate) fn opened(configs: [Config; 2]) -> Self {
        let mut pair = Self::new(configs);
        pair.run();
        pair
    }

    /// Takes what a side has to send.
    pub(crate) fn transmit(&mut self, side: usize) -> bool {
        let end = &mut self.ends[side];
        let Some(transmit) = end.connection.poll_transmit(self.now, &mut end.memory) else {
            end.poll();
            return false;
        };
        match &transmit {
            Transmit::Bytes(bytes) => self.transcript.push((side, Some(bytes.clone()))),
            Transmit::Finish => self.transcript.push((side, None)),
            Transmit::Reset => {}
        }
        end.wire.push_back(transmit);
        end.poll();
        true
    }

    /// Hands the other side the first piece of what `side` has sent.
    pub(crate) fn arrive(&mut self, side: usize) -> bool {
        let Some(transmit) = self.ends[side].wire.pop_front() else { return false };
        let end = &mut self.ends[1 - side];
        match transmit {
            Transmit::Bytes(bytes) if self.cut == 0 => {
                end.connection.handle_bytes(self.now, &mut end.memory, &bytes);
            }
            Transmit::Bytes(bytes) => {
                for piece in bytes.chunks(self.cut) {
                    end.connection.handle_bytes(self.now, &mut end.memory, piece);
                }
            }
            Transmit::Finish => end.connection.handle_finish(self.now),
            Transmit::Reset => end.connection.handle_reset(),
        }
        end.poll();
        true
    }

    /// Lets time pass; timers that are due are handled.
    pub(crate) fn wait(&mut self, time: Duration) {
        self.now += time;
        for end in &mut self.ends {
            if end.connection.poll_timeout().is_some_and(|due| due <= self.now) {
                end.connection.handle_timeout(self.now);
                end.poll();
            }
        }
    }

    /// Takes back what a side has sent and the other has not got.
    pub(crate) fn take_wire(&mut self, side: usize) -> VecDeque<Transmit> {
        std::mem::take(&mut self.ends[side].wire)
    }

    /// Puts something after what a side has sent.
    pub(crate) fn push_wire(&mut self, side: usize, transmit: Transmit) {
        self.ends[side].wire.push_back(transmit);
    }

    /// Lets everything happen until nothing more does.
    pub(crate) fn run(&mut self) {
        assert!(self.comes_to_rest(1_000_000), "the connections do not come to rest");
    }

    /// Whether nothing more happens after so many turns.
    pub(crate) fn comes_to_rest(&mut self, turns: usize) -> bool {
        (0..turns).any(|_| {
            let mut busy = false;
            for side in [INITIATOR, RESPONDER] {
                busy |= self.transmit(side);
                busy |= self.arrive(side);
            }
            !busy
        })
    }

    pub(crate) fn both(&mut self) -> (&mut End, &mut End) {
        let [first, second] = &mut self.ends;
        (first, second)
    }
}

/// The start of a region of the peer.
pub(crate) fn remote(steering_tag: u32, tagged_offset: u64) -> RemoteBuffer {
    RemoteBuffer { steering_tag, tagged_offset }
}

/// The start of a region of this side.
pub(crate) fn local(steering_tag: u32, tagged_offset: u64) -> LocalBuffer {
    LocalBuffer { steering_tag, tagged_offset }
}

pub(crate) fn read_op(sink: LocalBuffer, length: u32, remote: RemoteBuffer) -> Operation {
    Operation::Read { sink, length, remote }
}

pub(crate) fn write_op(bytes: &[u8], remote: RemoteBuffer) -> Operation {
    Operation::Write { source: bytes.into(), remote }
}

/// A Send with a Steering Tag to invalidate, SE, and Immediate Data.
pub(crate) fn send_op(
    bytes: &[u8],
    invalidate: Option<u32>,
    solicited: bool,
    immediate: Option<u64>,
) -> Operation {
    Operation::Send { source: bytes.into(), invalidate, solicited, immediate }
}

/// A Flush to persistence and to global visibility.
pub(crate) fn flush_op(remote: RemoteBuffer, length: u32, [p, g]: [bool; 2]) -> Operation {
    Operation::Flush { remote, length, persistence: p, global_visibility: g }
}

pub(crate) fn atomic_op(operation: AtomicOperation, remote: RemoteBuffer) -> Operation {
    Operation::Atomic { operation, remote }
}

/// Bytes that differ by position.
pub(crate) fn pattern(length: usize) -> Vec<u8> {
    (0..length).map(|at| (at * 7 + at / 251) as u8).collect()
}
