//! The interface of a service, and code that the services here share.

use crate::connection::{Ending, Event, Role};
use crate::memory::{Registration, Rights};
use crate::streams::{Service, StreamEvent, Streams};
use crate::work::{Completion, Operation, OperationKind, Outcome, WorkRequest};
use std::time::Duration;

/// Why a stream cannot continue, for the user.
pub(super) type Failure = Box<dyn std::error::Error>;
pub(super) type Done = Result<(), Failure>;

/// One stream, as the service that works on it sees it.
pub(super) struct Stream<'a> {
    pub(super) streams: &'a mut Streams,
    pub(super) number: u64,
}

impl Stream<'_> {
    pub(super) fn is_initiator(&self) -> bool {
        self.streams.config(self.number).is_some_and(|config| config.role == Role::Initiator)
    }

    pub(super) fn now(&self) -> Duration {
        self.streams.now()
    }

    pub(super) fn post(&mut self, identifier: u64, operation: Operation) -> Done {
        Ok(self.streams.post(self.number, WorkRequest::new(identifier, operation))?)
    }

    pub(super) fn send(&mut self, bytes: &[u8]) -> Done {
        self.post(0, Operation::send(bytes))
    }

    /// Posts `count` receives of `room` bytes each.
    pub(super) fn receive(&mut self, count: usize, room: usize) -> Done {
        for _ in 0..count {
            self.streams.post_receive(self.number, 0, room)?;
        }
        Ok(())
    }

    /// Registers a region for this stream alone; returns its Steering Tag.
    pub(super) fn register(&mut self, bytes: Vec<u8>, rights: Rights) -> Result<u32, Failure> {
        let registration = Registration::stream(self.number, rights);
        Ok(self.streams.memory().register(bytes, registration)?)
    }

    /// Deregisters regions and windows; those that are gone already are skipped.
    pub(super) fn deregister(&mut self, tags: impl IntoIterator<Item = u32>) {
        for tag in tags {
            let _ = self.streams.memory().deregister(tag);
        }
    }

    pub(super) fn finish(&mut self) {
        self.streams.finish(self.number);
    }
}

/// A service whose streams each have their own state, from establishment to end.
pub(super) trait Program {
    /// Begins a stream that was established.
    fn begin(&mut self, stream: &mut Stream<'_>) -> Done;

    /// Returns whether the stream has begun and has not ended.
    fn has(&self, number: u64) -> bool;

    /// Handles a message.
    fn received(&mut self, stream: &mut Stream<'_>, bytes: &[u8]) -> Done;

    /// Handles the success of another work request.
    fn completed(&mut self, stream: &mut Stream<'_>, identifier: u64) -> Done;

    /// Handles the end of the peer's direction; this side closes too.
    fn peer_finished(&mut self, _number: u64) -> Done {
        Ok(())
    }

    /// Ends the stream here: deregisters its memory, and adds up its figures. It may already have
    /// ended.
    fn end(&mut self, stream: &mut Stream<'_>);

    /// Counts a failed stream. Returns whether the stream is to be ended and finished.
    fn failed(&mut self, stream: &mut Stream<'_>, why: String) -> bool;
}

/// Passes an event to a program.
pub(super) fn drive(program: &mut impl Program, stream: &mut Stream<'_>, event: StreamEvent) {
    let number = stream.number;
    let done = match event {
        StreamEvent::Event(Event::Established(_)) => program.begin(stream),
        StreamEvent::Event(Event::FinishReceived) => {
            stream.finish();
            program.peer_finished(number)
        }
        // A stream that has failed is not reported again.
        StreamEvent::Event(Event::Ended(_)) if !program.has(number) => Ok(()),
        StreamEvent::Event(event) => trouble(&event).map_or(Ok(()), |why| Err(why.into())),
        StreamEvent::Completion(_) if !program.has(number) => Ok(()),
        StreamEvent::Completion(Completion { result, identifier, .. }) => match result {
            Ok(Outcome::Received(message)) => program.received(stream, &message.bytes),
            Ok(_) => program.completed(stream, identifier),
            // The event that follows gives the reason.
            Err(_) => Ok(()),
        },
        StreamEvent::FellBack(_) => Ok(()),
        StreamEvent::Closed => {
            program.end(stream);
            Ok(())
        }
    };
    if let Err(why) = done {
        fail(program, stream, &why);
    }
}

/// Ends a stream that cannot continue.
pub(super) fn fail(program: &mut impl Program, stream: &mut Stream<'_>, why: &Failure) {
    if program.failed(stream, why.to_string()) {
        program.end(stream);
        stream.finish();
    }
}

/// Returns why an event means that a stream failed; `None` if it does not.
fn trouble(event: &Event) -> Option<String> {
    Some(match event {
        Event::Rejected { .. } => "the peer rejected the connection".into(),
        Event::SetupFailed { failure, .. } => {
            format!("the connection could not be set up: {failure:?}")
        }
        Event::Ended(Ending::Terminated(violation)) => {
            format!("the connection was terminated here: {violation:?}")
        }
        Event::Ended(Ending::RemoteTerminate) => "the peer terminated the connection".into(),
        Event::Ended(Ending::Lost) => "the connection was lost".into(),
        Event::Ended(Ending::Aborted | Ending::Idle) => "the connection was dropped here".into(),
        _ => return None,
    })
}

/// Posts receives on every stream, replaces each that is used, and closes after the peer has closed.
#[derive(Debug, Clone, Copy)]
pub struct Passive {
    /// Number of receives that are posted on each stream.
    pub receives: usize,
    /// The length of each in bytes.
    pub room: usize,
}

impl Default for Passive {
    fn default() -> Self {
        Self { receives: 64, room: 64 * 1024 }
    }
}

impl Service for Passive {
    fn handle(&mut self, streams: &mut Streams, number: u64, event: StreamEvent) {
        // A stream that accepts no more receives is ending: an event reports why.
        match event {
            StreamEvent::Event(Event::Established(_)) => {
                for identifier in 0..self.receives {
                    let _ = streams.post_receive(number, identifier as u64, self.room);
                }
            }
            StreamEvent::Event(Event::FinishReceived) => streams.finish(number),
            StreamEvent::Completion(done) if done.kind == OperationKind::Receive => {
                let _ = streams.post_receive(number, done.identifier, self.room);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    //! Two sides without a network.

    use super::*;
    use crate::connection::Config;
    use crate::memory::{Accessor, Memory};
    use crate::streams::Pipe;
    use std::net::{Ipv4Addr, SocketAddr};

    pub(in crate::service) const ADDRESS: SocketAddr =
        SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 1);

    pub(in crate::service) fn config() -> Config {
        Config::new(Role::Initiator, Accessor { stream: 0, protection_domain: 1 })
    }

    /// Two sides that accept with this configuration. Their Steering Tags are predictable.
    pub(in crate::service) fn pipe(config: &Config) -> Pipe {
        let sides = [1, 2].map(|seed| Streams::new(Memory::seeded(seed)));
        Pipe::new(sides, [config.clone(), config.clone()])
    }

    /// Runs a service on side 1 against side 0. What happens at side 0 goes to `peer`; when both
    /// sides are idle, `idle` decides whether to go on.
    pub(in crate::service) fn run_against(
        pipe: &mut Pipe,
        service: &mut dyn Service,
        mut peer: impl FnMut(&mut Streams, u64, StreamEvent),
        mut idle: impl FnMut(&mut Streams) -> bool,
    ) {
        loop {
            let mut busy = pipe.carry();
            while let Some((number, event)) = pipe.poll(1) {
                service.handle(&mut pipe.sides[1], number, event);
                busy = true;
            }
            while let Some((number, event)) = pipe.poll(0) {
                peer(&mut pipe.sides[0], number, event);
                busy = true;
            }
            if !busy && !idle(&mut pipe.sides[0]) {
                return;
            }
        }
    }

    /// Sends messages, one at a time, to a service from a client that posts 20 receives. Returns
    /// what happened to the client's stream.
    pub(in crate::service) fn converse(
        config: &Config,
        service: &mut dyn Service,
        messages: &[Vec<u8>],
    ) -> Vec<StreamEvent> {
        let mut pipe = pipe(config);
        let number = pipe.sides[0].connect(ADDRESS, config.clone(), false);
        let (mut messages, mut events) = (messages.iter(), Vec::new());
        let peer = |streams: &mut Streams, _, event| {
            if matches!(event, StreamEvent::Event(Event::Established(_))) {
                Stream { streams, number }.receive(20, 1 << 16).unwrap();
            }
            events.push(event);
        };
        run_against(&mut pipe, service, peer, |streams| {
            let Some(bytes) = messages.next() else { return false };
            let _ = Stream { streams, number }.send(bytes);
            true
        });
        events
    }
}
