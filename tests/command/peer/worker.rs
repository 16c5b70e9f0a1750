//! A program on the peer's library, that works on a listener's regions.

use super::listener::PATIENCE;
use std::net::SocketAddr;
use warpscope_peer::connection::{Config, Event, Role};
use warpscope_peer::memory::{Accessor, Memory};
use warpscope_peer::network::{Host, HostOptions};
use warpscope_peer::streams::{StreamEvent, Streams};
use warpscope_peer::work::{Completion, Operation, RemoteBuffer, WorkRequest};
use warpscope_wire::rdmap::Profile;

/// A stream of this process.
pub(super) struct Worker {
    host: Host,
    stream: u64,
}

impl Worker {
    /// A stream to this address, established.
    pub(super) fn connect(address: &str) -> Self {
        let address: SocketAddr = address.parse().unwrap();
        let mut number = 0x5eed_u32;
        let memory = Memory::new(move || {
            number = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            number
        });
        let mut host = Host::new(Streams::new(memory), HostOptions::default()).unwrap();
        let accessor = Accessor { stream: 0, protection_domain: 1 };
        let config = Config { profile: Profile::ALL, ..Config::new(Role::Initiator, accessor) };
        let stream = host.streams().connect(address, config, false);
        let mut worker = Self { host, stream };
        while !matches!(worker.next(), StreamEvent::Event(Event::Established(_))) {}
        worker
    }

    /// What happens next.
    pub(super) fn next(&mut self) -> StreamEvent {
        let (_, event) = self.host.wait(PATIENCE).unwrap().unwrap();
        event
    }

    /// Posts an operation, which goes out when something is waited for; false when the stream takes
    /// none any more.
    pub(super) fn post(&mut self, operation: Operation) -> bool {
        self.host.streams().post(self.stream, WorkRequest::new(1, operation)).is_ok()
    }

    /// Does an operation, and waits for its end.
    pub(super) fn does(&mut self, operation: Operation) -> Completion {
        assert!(self.post(operation));
        loop {
            if let StreamEvent::Completion(done) = self.next() {
                return done;
            }
        }
    }

    /// Writes that many bytes to a region.
    pub(super) fn writes(&mut self, steering_tag: u32, at: u64, bytes: &[u8]) {
        let remote = RemoteBuffer { steering_tag, tagged_offset: at };
        let done = self.does(Operation::Write { source: bytes.into(), remote });
        assert!(done.result.is_ok(), "{done:?}");
    }

    /// Flushes bytes of a region to persistence; says how that ended.
    pub(super) fn flushes(&mut self, steering_tag: u32, at: u64, length: u32) -> Completion {
        let remote = RemoteBuffer { steering_tag, tagged_offset: at };
        let (persistence, global_visibility) = (true, false);
        self.does(Operation::Flush { remote, length, persistence, global_visibility })
    }

    /// Waits until what was written is there: a Flush of nothing else comes behind it.
    pub(super) fn is_heard(&mut self, steering_tag: u32) {
        let remote = RemoteBuffer { steering_tag, tagged_offset: 0 };
        let (persistence, global_visibility) = (false, true);
        let flush = Operation::Flush { remote, length: 1, persistence, global_visibility };
        assert!(self.does(flush).result.is_ok());
    }
}
