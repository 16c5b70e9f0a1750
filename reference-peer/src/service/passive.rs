//! Takes what comes and does nothing: for peers that only need somebody there.

use super::Service;
use crate::connection::Event;
use crate::streams::{StreamEvent, Streams};
use crate::work::OperationKind;

/// Posts receives on every stream, a new one for each that is used, and closes when the peer has.
#[derive(Debug, Clone, Copy)]
pub struct Passive {
    /// Receives that are posted on each stream.
    pub receives: usize,
    /// The room of each in bytes.
    pub room: usize,
}

impl Default for Passive {
    fn default() -> Self {
        Self { receives: 64, room: 64 * 1024 }
    }
}

impl Service for Passive {
    fn handle(&mut self, streams: &mut Streams, number: u64, event: StreamEvent) {
        // A stream that takes no more receives is ending: an event says so.
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
