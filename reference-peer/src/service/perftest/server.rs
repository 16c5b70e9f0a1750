//! The server. It answers with the message that it received, except for its own memory in a [`Destination`].
//! It does not know which test it is: the memory can be read and written, and receives are posted.
//!
//! The latency tests and tests in both directions need a server that sends too: they are not supported.

use super::Destination;
use crate::memory::{Registration, Rights};
use crate::service::Service;
use crate::service::program::{Done, Failure, Program, Stream, drive};
use crate::streams::{StreamEvent, Streams};
use crate::work::{Operation, RemoteBuffer};
use std::collections::BTreeMap;
use std::time::Duration;
use warpscope_text::counted;

/// The longest message that is answered, in bytes.
const LONGEST: usize = 256;
/// Number of posted receives: a client sends one message and waits.
const RECEIVES: usize = 4;
/// The first Tagged Offset of the region.
const BASE: u64 = 0x10000;
/// How long a client may take to close after its last message.
const PATIENCE: Duration = Duration::from_secs(1);

/// A client's control stream.
#[derive(Debug)]
struct Control {
    number: u64,
    region: RemoteBuffer,
    /// The memory that the client named for each queue pair.
    buffers: Vec<RemoteBuffer>,
    /// Whether data or results were received: then the next destination is the last message.
    used: bool,
    /// When the data streams are closed, if the client does not close them first.
    deadline: Option<Duration>,
}

impl Control {
    /// Registers the memory that the client reads and writes.
    fn begin(stream: &mut Stream<'_>, room: usize) -> Result<Self, Failure> {
        stream.receive(RECEIVES, LONGEST)?;
        let config = stream.streams.config(stream.number);
        let domain = config.map_or(0, |config| config.accessor.protection_domain);
        let rights = Rights::READ | Rights::WRITE | Rights::ATOMIC;
        let registration = Registration::shared(domain, rights).based_at(BASE);
        let steering_tag = stream.streams.memory().register(vec![0; room], registration)?;
        let region = RemoteBuffer { steering_tag, tagged_offset: BASE };
        let number = stream.number;
        Ok(Self { number, region, buffers: Vec::new(), used: false, deadline: None })
    }

    /// Answers a message with one of the same length.
    fn message(&mut self, stream: &mut Stream<'_>, bytes: &[u8]) -> Done {
        stream.receive(1, LONGEST)?;
        self.deadline = None;
        let Some(theirs) = Destination::parse(bytes) else {
            // Only the first numbers of the results have eight bytes.
            self.used |= bytes.len() == 8;
            return stream.send(bytes);
        };
        if let Some(buffer) = theirs.buffer().filter(|buffer| !self.buffers.contains(buffer)) {
            self.buffers.push(buffer);
        }
        self.deadline = self.used.then_some(stream.now().saturating_add(PATIENCE));
        stream.send(theirs.with(stream.number as u32 & 0xff_ffff, self.region).bytes())
    }
}

/// The identifier of credits.
const CREDIT: u64 = 1;

/// A stream of a test.
#[derive(Debug, Clone, Copy, Default)]
struct Data {
    /// The index of the client's queue pair.
    index: usize,
    /// Number of messages received with the current length: a test of all sizes counts each size separately.
    messages: u64,
    length: usize,
    /// The last credit, and whether it is still being written.
    credited: u64,
    crediting: bool,
}

impl Data {
    /// Writes the number of messages to the client's memory, unless a credit is still being written.
    /// The number is in the client's own byte order: little-endian clients are supported.
    fn credit(&mut self, stream: &mut Stream<'_>, remote: Option<RemoteBuffer>) -> Done {
        let Some(remote) = remote.filter(|_| !self.crediting && self.credited < self.messages)
        else {
            return Ok(());
        };
        (self.crediting, self.credited) = (true, self.messages);
        let source = (self.messages as u32).to_le_bytes()[..].into();
        stream.post(CREDIT, Operation::Write { source, remote })
    }
}

/// The options of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PerftestOptions {
    /// Length in bytes of the memory that a client reads and writes, and of a receive.
    pub room: usize,
    /// Number of receives posted on each stream of a test; a test without Sends uses none.
    pub receives: usize,
}

impl Default for PerftestOptions {
    /// Room for the longest messages of a test of all sizes, 8 MiB, twice.
    fn default() -> Self {
        Self { room: 16 << 20, receives: 1024 }
    }
}

/// The server side of the service `perftest`. It serves one client at a time: the first stream is its
/// control stream, and streams that arrive while that is open belong to its test.
#[derive(Debug, Default)]
pub struct Perftest {
    options: PerftestOptions,
    control: Option<Control>,
    data: BTreeMap<u64, Data>,
    /// The region of a test whose control stream has ended while its data streams continue. Bytes that
    /// the client wrote before may arrive later, because TCP keeps no order between streams.
    left: Option<u32>,
    /// Number of the client's data streams so far.
    taken: usize,
    tests: u64,
    streams: u64,
    messages: u64,
    bytes: u64,
    failed: u64,
    stopping: bool,
}

impl Perftest {
    /// Creates a server with these options.
    pub fn new(options: PerftestOptions) -> Self {
        Self { options, ..Self::default() }
    }

    fn finish_data(&self, streams: &mut Streams) {
        for number in self.data.keys() {
            streams.finish(*number);
        }
    }

    fn credit(&mut self, stream: &mut Stream<'_>) -> Done {
        let Some(data) = self.data.get_mut(&stream.number) else { return Ok(()) };
        let control = self.control.as_ref();
        let remote = control.and_then(|control| control.buffers.get(data.index));
        data.credit(stream, remote.copied())
    }
}

impl Program for Perftest {
    fn begin(&mut self, stream: &mut Stream<'_>) -> Done {
        if self.control.is_none() {
            stream.deregister(self.left.take());
            self.control = Some(Control::begin(stream, self.options.room)?);
            self.taken = 0;
            self.tests += 1;
            return Ok(());
        }
        stream.receive(self.options.receives, self.options.room)?;
        self.data.insert(stream.number, Data { index: self.taken, ..Data::default() });
        self.taken += 1;
        self.streams += 1;
        Ok(())
    }

    fn has(&self, number: u64) -> bool {
        let control = self.control.as_ref();
        self.data.contains_key(&number) || control.is_some_and(|control| control.number == number)
    }

    fn received(&mut self, stream: &mut Stream<'_>, bytes: &[u8]) -> Done {
        if let Some(control) = &mut self.control {
            if control.number == stream.number {
                return control.message(stream, bytes);
            }
            (control.used, control.deadline) = (true, None);
        }
        let Some(data) = self.data.get_mut(&stream.number) else { return Ok(()) };
        if bytes.len() != data.length {
            (data.length, data.messages, data.credited) = (bytes.len(), 0, 0);
        }
        data.messages += 1;
        self.messages += 1;
        self.bytes += bytes.len() as u64;
        stream.receive(1, self.options.room)?;
        self.credit(stream)
    }

    fn completed(&mut self, stream: &mut Stream<'_>, identifier: u64) -> Done {
        match self.data.get_mut(&stream.number) {
            Some(data) if identifier == CREDIT => {
                data.crediting = false;
                self.credit(stream)
            }
            _ => Ok(()),
        }
    }

    fn end(&mut self, stream: &mut Stream<'_>) {
        self.data.remove(&stream.number);
        if let Some(control) = self.control.take_if(|control| control.number == stream.number) {
            self.left = Some(control.region.steering_tag);
            // A test does not continue without its control stream.
            self.finish_data(stream.streams);
        }
        if self.control.is_none() && self.data.is_empty() {
            stream.deregister(self.left.take());
        }
    }

    fn failed(&mut self, _: &mut Stream<'_>, _: String) -> bool {
        self.failed += 1;
        true
    }
}

impl Service for Perftest {
    fn handle(&mut self, streams: &mut Streams, number: u64, event: StreamEvent) {
        drive(self, &mut Stream { streams, number }, event);
    }

    fn poll_timeout(&self) -> Option<Duration> {
        self.control.as_ref().and_then(|control| control.deadline)
    }

    fn handle_timeout(&mut self, streams: &mut Streams) {
        let Some(control) = &mut self.control else { return };
        if control.deadline.take_if(|deadline| *deadline <= streams.now()).is_some() {
            self.finish_data(streams);
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
        let tests = counted(self.tests, "test");
        let streams = counted(self.streams, "stream");
        let (sends, bytes) = (counted(self.messages, "Send"), counted(self.bytes, "byte"));
        let mut lines = vec![format!("{tests} on {streams}: {sends}, {bytes}")];
        if self.failed > 0 {
            lines.push(format!("{} failed", counted(self.failed, "stream")));
        }
        lines
    }
}
