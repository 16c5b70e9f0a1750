//! The services `source` and `sink`.

use super::note::{Mode, Note};
use super::rate::Rate;
use super::sink::Receiving;
use super::source::Sending;
use crate::connection::{Event, Role};
use crate::service::Service;
use crate::service::words::{counted, trouble};
use crate::streams::{StreamEvent, Streams};
use crate::work::{Completion, Outcome};
use std::collections::HashMap;
use std::fmt;

/// What a source does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ThroughputOptions {
    /// How bytes go.
    pub mode: Mode,
    /// Bytes of a message.
    pub size: u32,
    /// How many messages on each stream.
    pub count: u64,
    /// Messages that are posted at once; at least one.
    pub window: u32,
}

impl Default for ThroughputOptions {
    /// A thousand RDMA Writes of 64 KiB, sixteen at a time.
    fn default() -> Self {
        Self { mode: Mode::Write, size: 65536, count: 1000, window: 16 }
    }
}

/// What both services do with a stream.
trait Side: fmt::Debug + Sized {
    /// A message came; says whether the stream is to be closed.
    fn message(&mut self, to: &mut Streams, number: u64, bytes: &[u8]) -> Result<bool, String>;

    /// A work request is done.
    fn completed(&mut self, to: &mut Streams, number: u64, identifier: u64) -> Result<(), String>;

    /// What went over the stream, once it has.
    fn rate(&self) -> Option<Rate>;

    /// What is wrong with what went over it.
    fn mismatch(&self) -> Option<String> {
        None
    }

    /// Gives memory back.
    fn end(&self, streams: &mut Streams);
}

impl Side for Sending {
    fn message(&mut self, to: &mut Streams, number: u64, bytes: &[u8]) -> Result<bool, String> {
        let note = Note::parse(bytes).ok_or("the sink says what is no note")?;
        self.note(to, number, note)
    }

    fn completed(&mut self, to: &mut Streams, number: u64, identifier: u64) -> Result<(), String> {
        Self::completed(self, to, number, identifier)
    }

    fn rate(&self) -> Option<Rate> {
        let mut rate = Rate::default();
        rate.add(self.options.count, self.options.size, self.taken?);
        Some(rate)
    }

    fn end(&self, streams: &mut Streams) {
        Self::end(self, streams);
    }
}

impl Side for Receiving {
    fn message(&mut self, to: &mut Streams, number: u64, bytes: &[u8]) -> Result<bool, String> {
        Self::message(self, to, number, bytes).map(|()| false)
    }

    fn completed(&mut self, to: &mut Streams, number: u64, identifier: u64) -> Result<(), String> {
        Self::completed(self, to, number, identifier)
    }

    fn rate(&self) -> Option<Rate> {
        let (messages, size, taken) = self.taken?;
        let mut rate = Rate::default();
        rate.add(messages, size, taken);
        Some(rate)
    }

    fn mismatch(&self) -> Option<String> {
        self.mismatch.then(|| "bytes came that are not those that were sent".into())
    }

    fn end(&self, streams: &mut Streams) {
        Self::end(self, streams);
    }
}

/// The streams of one service, and how they went.
#[derive(Debug)]
struct Sides<S> {
    sides: HashMap<u64, S>,
    streams: u64,
    failed: u64,
    rate: Rate,
    /// Whether this side opened streams: then it is done when they are.
    opens: bool,
    stopping: bool,
    failure: Option<String>,
}

impl<S> Default for Sides<S> {
    fn default() -> Self {
        Self {
            sides: HashMap::new(),
            streams: 0,
            failed: 0,
            rate: Rate::default(),
            opens: false,
            stopping: false,
            failure: None,
        }
    }
}

impl<S: Side> Sides<S> {
    fn handle(
        &mut self,
        streams: &mut Streams,
        number: u64,
        event: StreamEvent,
        begin: impl FnOnce(&mut Streams, u64) -> Result<S, String>,
    ) {
        let opened = streams.config(number).is_some_and(|it| it.role == Role::Initiator);
        self.opens |= opened;
        let done = match event {
            StreamEvent::Event(Event::Established(_)) => {
                self.streams += 1;
                begin(streams, number).map(|side| {
                    self.sides.insert(number, side);
                })
            }
            StreamEvent::Event(Event::FinishReceived) => {
                streams.finish(number);
                let owes = self.sides.get(&number).is_some_and(|side| side.rate().is_none());
                if owes && !self.stopping { Err("the peer closed early".into()) } else { Ok(()) }
            }
            // How a stream that has failed ends is not told again.
            StreamEvent::Event(Event::Ended(_)) if !self.sides.contains_key(&number) => Ok(()),
            StreamEvent::Event(event) => trouble(&event).map_or(Ok(()), Err),
            StreamEvent::Completion(completion) => self.completed(streams, number, completion),
            // The new stream tells of itself.
            StreamEvent::FellBack(_) => Ok(()),
            StreamEvent::Closed => {
                self.end(streams, number);
                return;
            }
        };
        if let Err(why) = done
            && !self.stopping
        {
            self.failed += 1;
            if opened {
                self.failure.get_or_insert(why);
            }
            self.end(streams, number);
            streams.finish(number);
        }
    }

    fn completed(
        &mut self,
        streams: &mut Streams,
        number: u64,
        completion: Completion,
    ) -> Result<(), String> {
        let Some(side) = self.sides.get_mut(&number) else { return Ok(()) };
        // What has failed, an event tells of.
        let over = match completion.result {
            Ok(Outcome::Received(received)) => side.message(streams, number, &received.bytes)?,
            Ok(_) => {
                side.completed(streams, number, completion.identifier)?;
                false
            }
            Err(_) => false,
        };
        if over {
            streams.finish(number);
        }
        side.mismatch().map_or(Ok(()), Err)
    }

    /// A stream is no more, or of no more interest.
    fn end(&mut self, streams: &mut Streams, number: u64) {
        let Some(side) = self.sides.remove(&number) else { return };
        side.end(streams);
        if let Some(rate) = side.rate() {
            self.rate.messages = self.rate.messages.saturating_add(rate.messages);
            self.rate.bytes = self.rate.bytes.saturating_add(rate.bytes);
            self.rate.taken = self.rate.taken.saturating_add(rate.taken);
        }
    }
}

impl<S> Sides<S> {
    fn stop(&mut self, streams: &mut Streams) {
        self.stopping = true;
        for number in streams.numbers() {
            streams.finish(number);
        }
    }

    fn is_done(&self, streams: &Streams) -> bool {
        streams.count() == 0 && (self.stopping || self.opens)
    }

    fn summary(&self, done: &str) -> Vec<String> {
        let mut lines = Vec::new();
        if self.streams > 0 {
            lines.push(format!("{done} on {}: {}", counted(self.streams, "stream"), self.rate));
        }
        if self.failed > 0 {
            lines.push(format!("{} failed", counted(self.failed, "stream")));
        }
        lines
    }
}

/// The service `source`.
#[derive(Debug, Default)]
pub struct Source {
    options: ThroughputOptions,
    sides: Sides<Sending>,
}

impl Source {
    /// A source that does this on every stream.
    pub fn new(options: ThroughputOptions) -> Self {
        Self { options, sides: Sides::default() }
    }
}

impl Service for Source {
    fn handle(&mut self, streams: &mut Streams, number: u64, event: StreamEvent) {
        let options = self.options;
        let begin = |streams: &mut Streams, number| Sending::begin(streams, number, options);
        self.sides.handle(streams, number, event, begin);
    }

    fn stop(&mut self, streams: &mut Streams) {
        self.sides.stop(streams);
    }

    fn is_done(&self, streams: &Streams) -> bool {
        self.sides.is_done(streams)
    }

    fn failure(&self) -> Option<String> {
        self.sides.failure.clone()
    }

    fn summary(&self) -> Vec<String> {
        self.sides.summary("sent")
    }
}

/// The service `sink`.
#[derive(Debug, Default)]
pub struct Sink {
    sides: Sides<Receiving>,
}

impl Service for Sink {
    fn handle(&mut self, streams: &mut Streams, number: u64, event: StreamEvent) {
        self.sides.handle(streams, number, event, Receiving::begin);
    }

    fn stop(&mut self, streams: &mut Streams) {
        self.sides.stop(streams);
    }

    fn is_done(&self, streams: &Streams) -> bool {
        self.sides.is_done(streams)
    }

    fn failure(&self) -> Option<String> {
        self.sides.failure.clone()
    }

    fn summary(&self) -> Vec<String> {
        self.sides.summary("received")
    }
}
