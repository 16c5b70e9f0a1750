//! The service: a side for each stream.

use super::side::Side;
use crate::connection::Event;
use crate::service::Service;
use crate::streams::{StreamEvent, Streams};
use std::collections::HashMap;

/// What is exercised.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExerciseOptions {
    /// The sizes of messages in bytes.
    pub sizes: Vec<u32>,
}

impl Default for ExerciseOptions {
    fn default() -> Self {
        Self { sizes: vec![0, 1, 7, 1400, 4096, 65_536] }
    }
}

/// Every operation of a profile, both ways.
#[derive(Debug, Default)]
pub struct Exercise {
    options: ExerciseOptions,
    sides: HashMap<u64, Side>,
    pub(super) steps: u64,
    pub(super) streams: u64,
    failures: Vec<String>,
}

impl Exercise {
    /// With these options, which both sides need to have alike.
    pub fn new(options: ExerciseOptions) -> Self {
        Self { options, ..Self::default() }
    }

    fn work(
        &mut self,
        streams: &mut Streams,
        number: u64,
        event: StreamEvent,
    ) -> Result<(), String> {
        match event {
            StreamEvent::Event(Event::Established(_)) => {
                let side = Side::new(streams, number, &self.options)?;
                self.sides.insert(number, side);
            }
            StreamEvent::Completion(done) => {
                let ended = self.sides.get(&number).is_none_or(Side::is_over);
                if let Some(side) = self.sides.get_mut(&number)
                    && (!ended || done.result.is_ok())
                {
                    side.completed(streams, done)?;
                }
            }
            StreamEvent::Event(Event::FinishReceived) => streams.finish(number),
            StreamEvent::Event(Event::SetupFailed { failure, .. }) => {
                return Err(format!("setup failed: {failure:?}"));
            }
            StreamEvent::Event(Event::Rejected { .. }) => return Err("rejected".to_owned()),
            StreamEvent::Closed => {
                let Some(side) = self.sides.remove(&number) else { return Ok(()) };
                side.leave(streams);
                self.steps += side.done;
                self.streams += 1;
                if !side.is_over() {
                    return Err(format!("ended after {} steps", side.done));
                }
            }
            StreamEvent::Event(_) | StreamEvent::FellBack(_) => {}
        }
        Ok(())
    }
}

impl Service for Exercise {
    fn handle(&mut self, streams: &mut Streams, number: u64, event: StreamEvent) {
        if let Err(failure) = self.work(streams, number, event) {
            self.failures.push(format!("stream {number}: {failure}"));
            streams.abort(number);
        }
    }

    fn failure(&self) -> Option<String> {
        self.failures.first().cloned()
    }

    fn summary(&self) -> Vec<String> {
        vec![format!(
            "  {} steps on {} streams, {} failures",
            self.steps,
            self.streams,
            self.failures.len()
        )]
    }
}
