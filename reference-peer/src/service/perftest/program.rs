//! The service: which stream is a client's control, and which carry its test.

use super::control::Control;
use super::data::{CREDIT, Data};
use crate::connection::Event;
use crate::service::Service;
use crate::service::words::{counted, trouble};
use crate::streams::{StreamEvent, Streams};
use crate::work::{Completion, Outcome};
use std::collections::BTreeMap;
use std::time::Duration;

/// What a server offers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PerftestOptions {
    /// Bytes of the memory that a client reads and writes, and room of a receive.
    pub room: usize,
    /// Receives that are posted on each stream of a test.
    pub receives: usize,
}

impl Default for PerftestOptions {
    /// Room for the longest messages of a test of all sizes, 8 MiB, twice.
    fn default() -> Self {
        Self { room: 16 << 20, receives: 1024 }
    }
}

/// The service `perftest`. One client at a time: the first stream is its control, and those that
/// come while that is open are its test's.
#[derive(Debug, Default)]
pub struct Perftest {
    options: PerftestOptions,
    control: Option<(u64, Control)>,
    data: BTreeMap<u64, Data>,
    /// Data streams of the client so far.
    taken: usize,
    tests: u64,
    streams: u64,
    messages: u64,
    bytes: u64,
    failed: u64,
    stopping: bool,
}

impl Perftest {
    /// A server that offers this.
    pub fn new(options: PerftestOptions) -> Self {
        Self { options, ..Self::default() }
    }

    fn begin(&mut self, streams: &mut Streams, number: u64) -> Result<(), String> {
        if self.control.is_none() {
            let control = Control::begin(streams, number, self.options.room)?;
            self.control = Some((number, control));
            self.taken = 0;
            self.tests += 1;
            return Ok(());
        }
        let data = Data::begin(streams, number, self.taken, self.options)?;
        self.taken += 1;
        self.streams += 1;
        self.data.insert(number, data);
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
        if let Some((control, state)) = &mut self.control
            && *control == number
        {
            return match outcome {
                Outcome::Received(received) => state.message(streams, number, &received.bytes),
                _ => Ok(()),
            };
        }
        let Some(data) = self.data.get_mut(&number) else { return Ok(()) };
        match outcome {
            Outcome::Received(received) => {
                let length = received.bytes.len();
                data.message(streams, number, length, self.options)?;
                self.messages += 1;
                self.bytes += length as u64;
                if let Some((_, control)) = &mut self.control {
                    control.used = true;
                    control.due = None;
                }
            }
            _ if completion.identifier == CREDIT => data.told(),
            _ => return Ok(()),
        }
        let remote = self.control.as_ref().and_then(|(_, control)| control.buffers.get(data.index));
        data.credit(streams, number, remote.copied())
    }

    fn end(&mut self, streams: &mut Streams, number: u64) {
        self.data.remove(&number);
        if let Some((_, control)) = self.control.take_if(|(control, _)| *control == number) {
            control.end(streams);
            // A test does not go on without its control.
            for number in self.data.keys() {
                streams.finish(*number);
            }
        }
    }
}

impl Service for Perftest {
    fn handle(&mut self, streams: &mut Streams, number: u64, event: StreamEvent) {
        let known = self.data.contains_key(&number)
            || self.control.as_ref().is_some_and(|(control, _)| *control == number);
        let done = match event {
            StreamEvent::Event(Event::Established(_)) => self.begin(streams, number),
            StreamEvent::Event(Event::FinishReceived) => {
                streams.finish(number);
                Ok(())
            }
            // How a stream that has failed ends is not told again.
            StreamEvent::Event(Event::Ended(_)) if !known => Ok(()),
            StreamEvent::Event(event) => trouble(&event).map_or(Ok(()), Err),
            StreamEvent::Completion(completion) => self.completed(streams, number, completion),
            StreamEvent::FellBack(_) => Ok(()),
            StreamEvent::Closed => {
                self.end(streams, number);
                Ok(())
            }
        };
        if done.is_err() {
            self.failed += 1;
            self.end(streams, number);
            streams.finish(number);
        }
    }

    fn poll_timeout(&self) -> Option<Duration> {
        self.control.as_ref().and_then(|(_, control)| control.due)
    }

    fn handle_timeout(&mut self, streams: &mut Streams) {
        let Some((_, control)) = &mut self.control else { return };
        if control.due.is_some_and(|due| due <= streams.now()) {
            control.due = None;
            for number in self.data.keys() {
                streams.finish(*number);
            }
        }
    }

    fn stop(&mut self, streams: &mut Streams) {
        self.stopping = true;
        for number in streams.numbers() {
            streams.finish(number);
        }
    }

    fn is_done(&self, streams: &Streams) -> bool {
        self.stopping && streams.count() == 0
    }

    fn summary(&self) -> Vec<String> {
        let Self { tests, streams, messages, bytes, failed, .. } = self;
        let mut lines = vec![format!(
            "{} on {}: {}, {}",
            counted(*tests, "test"),
            counted(*streams, "stream"),
            counted(*messages, "Send"),
            counted(*bytes, "byte")
        )];
        if *failed > 0 {
            lines.push(format!("{} failed", counted(*failed, "stream")));
        }
        lines
    }
}
