//! `perftest`: the server of perftest's bandwidth tests over the RDMA connection manager
//! (`ib_write_bw -R`, `ib_read_bw -R`, `ib_send_bw -R`).
//!
//! A client opens a control stream and, to the same port, one stream for every queue pair. On the
//! control stream it sends, and waits for an answer of the same length, again and again: its version,
//! sizes of the host, [`Destination`]s with STag and Tagged Offset, at the end its results. This
//! server answers with what it got, but for its own memory in a [`Destination`]. What the test is,
//! nobody tells: the memory can be read and written, and receives are posted. Behind Sends the client
//! waits for credit, which is written to the memory that it named.
//!
//! The latency tests and tests in both directions need a server that sends too: they are not served.

use super::Service;
use super::program::{counted, trouble};
use crate::connection::Event;
use crate::memory::{Registration, Rights};
use crate::streams::{StreamEvent, Streams};
use crate::work::{Completion, Operation, Outcome, RemoteBuffer, WorkRequest};
use std::collections::BTreeMap;
use std::time::Duration;

#[cfg(test)]
mod tests;

// A client's control stream.

/// The longest message that is answered, in bytes.
const LONGEST: usize = 256;
/// Receives that are posted: a client sends one message and waits.
const RECEIVES: usize = 4;
/// Where the Tagged Offsets of the region begin.
const BASE: u64 = 0x10000;
/// How long a client that is through may take to close.
const PATIENCE: Duration = Duration::from_secs(1);

/// A control stream.
#[derive(Debug)]
struct Control {
    region: RemoteBuffer,
    /// The memory that the client names for each queue pair.
    buffers: Vec<RemoteBuffer>,
    /// Whether messages of data or results came: then the next destination says that it is over.
    used: bool,
    /// When the data streams are closed, if the client does not do so first.
    due: Option<Duration>,
}

impl Control {
    /// Registers the memory that the client reads and writes.
    fn begin(streams: &mut Streams, number: u64, room: usize) -> Result<Self, String> {
        for _ in 0..RECEIVES {
            receive(streams, number, LONGEST)?;
        }
        let domain = streams.config(number).map(|config| config.accessor.protection_domain);
        let registration = Registration::shared(
            domain.unwrap_or_default(),
            Rights::READ | Rights::WRITE | Rights::ATOMIC,
        );
        let region = streams.memory().register(vec![0; room], registration.based_at(BASE));
        let steering_tag = region.map_err(|error| error.to_string())?;
        let region = RemoteBuffer { steering_tag, tagged_offset: BASE };
        Ok(Self { region, buffers: Vec::new(), used: false, due: None })
    }

    /// A message came: it is answered by one of the same length.
    fn message(&mut self, streams: &mut Streams, number: u64, bytes: &[u8]) -> Result<(), String> {
        receive(streams, number, LONGEST)?;
        self.due = None;
        let answer = match Destination::parse(bytes) {
            Some(theirs) => {
                if let Some(buffer) = theirs.buffer().filter(|it| !self.buffers.contains(it)) {
                    self.buffers.push(buffer);
                }
                self.due = self.used.then_some(streams.now().saturating_add(PATIENCE));
                theirs.with(number as u32 & 0xff_ffff, self.region).bytes().to_vec()
            }
            None => {
                // The first numbers of the results have eight bytes, as no other message has.
                self.used |= bytes.len() == 8;
                bytes.to_vec()
            }
        };
        let posted = streams.post(number, WorkRequest::new(0, Operation::send(&answer)));
        posted.map_err(|error| error.to_string())
    }

    /// Gives the memory back.
    fn end(&self, streams: &mut Streams) {
        // It may be gone already.
        let _ = streams.memory().deregister(self.region.steering_tag);
    }
}

// A stream of a test.

/// The work request whose completion counts: a credit.
const CREDIT: u64 = 1;

/// A stream of a test.
#[derive(Debug, Clone, Copy)]
struct Data {
    /// Which of the client's queue pairs it is.
    index: usize,
    /// Messages that came of one length: a test of all sizes counts each anew.
    messages: u64,
    length: usize,
    /// What the client was told last, and whether that is still on its way.
    credited: u64,
    telling: bool,
}

impl Data {
    /// Posts receives; a test without Sends uses none.
    fn begin(
        streams: &mut Streams,
        number: u64,
        index: usize,
        options: PerftestOptions,
    ) -> Result<Self, String> {
        for _ in 0..options.receives {
            receive(streams, number, options.room)?;
        }
        Ok(Self { index, messages: 0, length: 0, credited: 0, telling: false })
    }

    /// A Send came.
    fn message(
        &mut self,
        streams: &mut Streams,
        number: u64,
        length: usize,
        options: PerftestOptions,
    ) -> Result<(), String> {
        if length != self.length {
            (self.length, self.messages, self.credited) = (length, 0, 0);
        }
        self.messages += 1;
        receive(streams, number, options.room)
    }

    /// Writes the number of messages to the client's memory, unless it is told just now. It is a
    /// number of the client's own order of bytes: little-endian ones are served.
    fn credit(
        &mut self,
        streams: &mut Streams,
        number: u64,
        remote: Option<RemoteBuffer>,
    ) -> Result<(), String> {
        let Some(remote) = remote.filter(|_| !self.telling && self.credited < self.messages) else {
            return Ok(());
        };
        (self.telling, self.credited) = (true, self.messages);
        let source = (self.messages as u32).to_le_bytes()[..].into();
        let write = Operation::Write { source, remote };
        let posted = streams.post(number, WorkRequest::new(CREDIT, write));
        posted.map_err(|error| error.to_string())
    }

    /// A credit has gone.
    fn told(&mut self) {
        self.telling = false;
    }
}

fn receive(streams: &mut Streams, number: u64, room: usize) -> Result<(), String> {
    streams.post_receive(number, 0, room).map_err(|error| error.to_string())
}

// What each side tells of a queue pair.

/// A queue pair as perftest tells of it: 56 bytes, in the layout of the C structure on 64-bit
/// hosts, numbers big-endian. It is kept whole, because the server sends most of it back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Destination([u8; Self::LENGTH]);

impl Destination {
    /// Its length on the wire in bytes.
    pub const LENGTH: usize = 56;
    /// Where the queue pair's number, the STag and the Tagged Offset stand.
    const NUMBER: usize = 8;
    const STEERING_TAG: usize = 16;
    const TAGGED_OFFSET: usize = 24;

    /// Reads a message; none when it has another length.
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    /// The memory that it names; none when it names none yet.
    pub fn buffer(&self) -> Option<RemoteBuffer> {
        let steering_tag = u32::from_be_bytes(self.at(Self::STEERING_TAG)?);
        let tagged_offset = u64::from_be_bytes(self.at(Self::TAGGED_OFFSET)?);
        (steering_tag != 0).then_some(RemoteBuffer { steering_tag, tagged_offset })
    }

    fn at<const N: usize>(&self, start: usize) -> Option<[u8; N]> {
        self.0.get(start..)?.first_chunk().copied()
    }

    /// The same with another memory and queue pair number.
    #[must_use]
    pub fn with(mut self, number: u32, buffer: RemoteBuffer) -> Self {
        self.put(Self::NUMBER, &number.to_be_bytes());
        self.put(Self::STEERING_TAG, &buffer.steering_tag.to_be_bytes());
        self.put(Self::TAGGED_OFFSET, &buffer.tagged_offset.to_be_bytes());
        self
    }

    fn put(&mut self, start: usize, bytes: &[u8]) {
        if let Some(target) = self.0.get_mut(start..start + bytes.len()) {
            target.copy_from_slice(bytes);
        }
    }

    /// The message.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }
}

// The service: which stream is a client's control, and which carry its test.

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
