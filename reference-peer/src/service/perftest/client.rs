//! The client. perftest has a program for each test, this client has [`PerftestKind`].

use super::messages::{CACHE_LINE, Destination, MTU, PAGE, check_version, version};
use crate::connection::{Event, SetupFailure};
use crate::memory::Rights;
use crate::service::Service;
use crate::service::program::{Done, Failure, Program, Stream, drive, fail};
use crate::service::rate::Rate;
use crate::streams::{StreamEvent, Streams};
use crate::work::{LocalBuffer, Operation, PostError, RemoteBuffer, Source, WorkRequest};
use std::collections::VecDeque;
use std::net::SocketAddr;
use std::time::Duration;
use warpscope_text::counted;

/// The number of attempts to open the stream of a queue pair, and the time between them. A server
/// listens for these streams only after it has answered.
const TRIES: u32 = 100;
const BETWEEN_TRIES: Duration = Duration::from_millis(100);
/// Interval at which credit is checked when nothing can be sent without it.
const LOOK: Duration = Duration::from_millis(1);
/// How long the control stream is kept open after the last answer: a server whose stream ends before it
/// has noticed that its answer was sent treats that as a failure.
const LINGER: Duration = Duration::from_millis(100);
/// How long a server may be inactive.
const PATIENCE: Duration = Duration::from_secs(60);
/// The length of a receive on the control stream in bytes; answers are shorter.
const ROOM: usize = 256;
/// The identifier of the work that is measured.
const DATA: u64 = 1;

/// The test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum PerftestKind {
    /// `ib_write_bw`: Writes to the server's memory.
    #[default]
    Write,
    /// `ib_read_bw`: Reads from it.
    Read,
    /// `ib_send_bw`: Sends into the server's receives.
    Send,
}

/// What a client does. Size and number of queue pairs must be the same at the server, and with Sends
/// the number of messages and the depth too, because none of them is exchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PerftestClientOptions {
    /// The test.
    pub kind: PerftestKind,
    /// The server's address, for the streams of the queue pairs.
    pub server: SocketAddr,
    /// Length of a message in bytes.
    pub size: u32,
    /// Number of messages on each queue pair.
    pub count: u64,
    /// Number of queue pairs.
    pub queue_pairs: usize,
    /// Number of messages that are posted at once on each queue pair; at least one.
    pub window: u32,
    /// Number of receives that the server posts on each queue pair.
    pub depth: u64,
    /// How long to wait before the first message. Some servers miss a message that follows their reply
    /// immediately.
    pub pause: Duration,
}

impl PerftestClientOptions {
    /// Returns perftest's own default numbers, for a server at this address.
    pub fn new(server: SocketAddr) -> Self {
        let (size, count, queue_pairs) = (65536, 1000, 1);
        let (window, depth, pause) = (128, 512, Duration::ZERO);
        let kind = PerftestKind::default();
        Self { kind, server, size, count, queue_pairs, window, depth, pause }
    }

    /// Returns the number of messages that may be sent before credit for the first arrives, plus one.
    /// perftest posts no more receives than there are messages, and an even number.
    fn receives(&self) -> u64 {
        let depth = self.depth.min(self.count);
        depth + depth % 2
    }
}

/// A step on the control stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Version,
    Page,
    CacheLine,
    Mtu,
    /// A destination without memory.
    Blank,
    /// The streams of the queue pairs are opened one after the other, because the server identifies
    /// them by their order.
    Open,
    /// The destination of a queue pair.
    Destination(usize),
    /// The data is sent.
    Run,
    Result(u64),
}

/// Returns the steps of a test before its data.
fn steps(options: &PerftestClientOptions) -> VecDeque<Step> {
    let mut steps = VecDeque::from([Step::Version, Step::Page, Step::CacheLine, Step::Mtu]);
    steps.extend([Step::Blank, Step::Open, Step::Blank]);
    let each = || (0..options.queue_pairs).map(Step::Destination);
    steps.extend(each());
    if options.kind == PerftestKind::Send {
        steps.push_back(Step::Destination(0));
    }
    steps.extend(each());
    steps.extend([Step::Destination(0), Step::Run]);
    steps
}

/// Returns the steps after the data. The results are those that perftest prints: megabytes of 2^20
/// bytes, and millions of messages, per second.
fn last_steps(options: &PerftestClientOptions, rate: &Rate) -> VecDeque<Step> {
    let mut steps = VecDeque::new();
    if options.kind != PerftestKind::Send {
        let seconds = rate.taken.as_secs_f64().max(1e-9);
        let megabytes = rate.bytes as f64 / seconds / f64::from(1 << 20);
        let messages = rate.messages as f64 / seconds / 1e6;
        steps.push_back(Step::Destination(0));
        steps.extend([options.size.into(), options.count].map(Step::Result));
        // The peak, which is not measured separately, and the average.
        steps.extend([megabytes, megabytes, messages].map(|it| Step::Result(it.to_bits())));
    }
    steps.push_back(Step::Destination(0));
    steps
}

/// A stream of the test.
#[derive(Debug, Clone, Copy)]
struct Queue {
    number: u64,
    /// The Steering Tag of the bytes that are sent, or of the sink of Reads.
    region: u32,
    /// The Steering Tag of the word to which the server writes credit, in a test with Sends.
    credit: Option<u32>,
    /// The server's memory.
    remote: Option<RemoteBuffer>,
    posted: u64,
    completed: u64,
}

impl Queue {
    fn begin(stream: &mut Stream<'_>, options: &PerftestClientOptions) -> Result<Self, Failure> {
        let region = stream.register(vec![0x77; options.size as usize], Rights::NONE)?;
        let credit = match options.kind {
            PerftestKind::Send => Some(stream.register(vec![0; 4], Rights::WRITE)?),
            _ => None,
        };
        let (remote, posted, completed) = (None, 0, 0);
        Ok(Self { number: stream.number, region, credit, remote, posted, completed })
    }

    /// Returns the largest number of outstanding Reads.
    fn reads(&self, streams: &Streams) -> u32 {
        let agreement = streams.connection(self.number).and_then(|it| it.agreement());
        agreement.map_or(1, |agreed| agreed.ord.into())
    }

    /// Returns what the server is told about the queue pair.
    fn destination(&self, streams: &Streams, kind: PerftestKind) -> Destination {
        let steering_tag = self.credit.unwrap_or(self.region);
        let buffer = RemoteBuffer { steering_tag, tagged_offset: 0 };
        let reads = if kind == PerftestKind::Read { self.reads(streams) } else { 1 };
        Destination::new(self.number as u32 & 0xff_ffff, reads, buffer)
    }

    /// Returns whether credit allows another Send. Credit is the number of messages that the server has
    /// received, in its own byte order; little-endian numbers are understood. It may have wrapped around.
    fn may_send(
        &self,
        streams: &mut Streams,
        options: &PerftestClientOptions,
    ) -> Result<bool, Failure> {
        let bytes = self.credit.and_then(|tag| streams.memory().bytes(tag));
        let credited = bytes.and_then(|it| it.first_chunk().copied()).map_or(0, u32::from_le_bytes);
        let ahead = u64::from((self.posted as u32).wrapping_sub(credited));
        match ahead > self.posted {
            true => Err(format!("credit for {credited} of {} messages", self.posted).into()),
            false => Ok(ahead + 1 < options.receives()),
        }
    }

    /// Posts as many messages as window, credit and count allow. Returns whether credit is the limit.
    fn pump(
        &mut self,
        stream: &mut Stream<'_>,
        options: &PerftestClientOptions,
    ) -> Result<bool, Failure> {
        let PerftestClientOptions { kind, size, count, window, .. } = *options;
        let window = match kind {
            PerftestKind::Read => window.min(self.reads(stream.streams)),
            _ => window.max(1),
        };
        if window == 0 {
            return Err("no RDMA Reads were agreed on: the ORD is 0".into());
        }
        let local = LocalBuffer { steering_tag: self.region, tagged_offset: 0 };
        let source = || Source::Region(local, size);
        while self.posted < count && self.posted - self.completed < window.into() {
            let operation = match (kind, self.remote) {
                (PerftestKind::Send, _) if !self.may_send(stream.streams, options)? => {
                    return Ok(true);
                }
                (PerftestKind::Send, _) => {
                    let (invalidate, solicited, immediate) = (None, false, None);
                    Operation::Send { source: source(), invalidate, solicited, immediate }
                }
                (PerftestKind::Write, Some(remote)) => {
                    Operation::Write { source: source(), remote }
                }
                (PerftestKind::Read, Some(remote)) => {
                    Operation::Read { sink: local, length: size, remote }
                }
                (_, None) => return Err("the server names no memory".into()),
            };
            match stream.streams.post(self.number, WorkRequest::new(DATA, operation)) {
                // The event that follows gives the reason.
                Err(PostError::Closed) => return Ok(false),
                other => other?,
            }
            self.posted += 1;
        }
        Ok(false)
    }
}

/// The client side of the service `perftest`. The first stream is its control stream; it opens the others.
#[derive(Debug)]
pub struct PerftestClient {
    options: PerftestClientOptions,
    control: Option<u64>,
    /// Queue pairs in the order in which they were opened.
    queues: Vec<Queue>,
    /// The stream that is being opened, and the number of earlier attempts.
    opening: Option<(u64, u32)>,
    /// The remaining steps, and the current one.
    steps: VecDeque<Step>,
    step: Option<Step>,
    /// When to send the first message, retry a stream, check credit, and close the control stream.
    begins: Option<Duration>,
    retries: Option<Duration>,
    looks: Option<Duration>,
    closes: Option<Duration>,
    /// When an operation last completed.
    progress: Duration,
    /// When the first data was posted.
    begun: Duration,
    rate: Option<Rate>,
    over: bool,
    stopping: bool,
    failure: Option<String>,
}

impl PerftestClient {
    /// Creates a client with these options.
    pub fn new(options: PerftestClientOptions) -> Self {
        Self {
            options,
            control: None,
            queues: Vec::new(),
            opening: None,
            steps: steps(&options),
            step: None,
            begins: None,
            retries: None,
            looks: None,
            closes: None,
            progress: Duration::ZERO,
            begun: Duration::ZERO,
            rate: None,
            over: false,
            stopping: false,
            failure: None,
        }
    }

    fn queue(&mut self, number: u64) -> Option<&mut Queue> {
        self.queues.iter_mut().find(|queue| queue.number == number)
    }

    /// Begins the next step.
    fn advance(&mut self, streams: &mut Streams) -> Done {
        self.progress = streams.now();
        self.step = self.steps.pop_front();
        match self.step {
            None => {
                self.over = true;
                self.closes = Some(streams.now().saturating_add(LINGER));
                self.finish_queues(streams);
                Ok(())
            }
            Some(Step::Open) => self.open(streams, 0),
            Some(Step::Run) => {
                self.begun = streams.now();
                self.pump(streams)
            }
            Some(step) => {
                let Some(number) = self.control else { return Ok(()) };
                let bytes = self.message(step, streams);
                Stream { streams, number }.send(&bytes)
            }
        }
    }

    fn message(&self, step: Step, streams: &Streams) -> Vec<u8> {
        match step {
            Step::Version => version(),
            Step::Page => PAGE.to_be_bytes().to_vec(),
            Step::CacheLine => CACHE_LINE.to_be_bytes().to_vec(),
            Step::Mtu => MTU.to_vec(),
            Step::Destination(index) => {
                let queue = self.queues.get(index);
                let made = queue.map(|queue| queue.destination(streams, self.options.kind));
                made.unwrap_or(Destination::BLANK).bytes().to_vec()
            }
            Step::Result(number) => number.to_be_bytes().to_vec(),
            Step::Blank | Step::Open | Step::Run => Destination::BLANK.bytes().to_vec(),
        }
    }

    /// Handles the server's answer to the message of the current step.
    fn answered(&mut self, streams: &mut Streams, bytes: &[u8]) -> Done {
        let step = match self.step {
            Some(step) if !matches!(step, Step::Open | Step::Run) => step,
            _ => return Err("the server sent a message that answers nothing".into()),
        };
        let due = self.message(step, streams).len();
        if bytes.len() != due {
            let came = counted(bytes.len() as u64, "byte");
            return Err(format!("the server answered with {came}; expected {due}").into());
        }
        match step {
            Step::Version => check_version(bytes).map_err(|version| {
                format!("the server runs perftest {version}; 5.70 or later is needed")
            })?,
            Step::Destination(index) => {
                let remote = Destination::parse(bytes).and_then(|it| it.buffer());
                if let Some(queue) = self.queues.get_mut(index) {
                    queue.remote = queue.remote.or(remote);
                }
            }
            _ => {}
        }
        self.advance(streams)
    }

    /// Opens a stream for the next queue pair, after this number of earlier attempts.
    fn open(&mut self, streams: &mut Streams, tries: u32) -> Done {
        // The control stream's revision and other settings worked with this server.
        let config = self.control.and_then(|number| streams.config(number)).cloned();
        let config = config.ok_or("the control stream is gone")?;
        self.opening = Some((streams.connect(self.options.server, config, false), tries));
        Ok(())
    }

    /// Posts what may be sent on every queue pair.
    fn pump(&mut self, streams: &mut Streams) -> Done {
        self.looks = None;
        for queue in &mut self.queues {
            let mut stream = Stream { streams, number: queue.number };
            if queue.pump(&mut stream, &self.options)? {
                self.looks = Some(stream.now().saturating_add(LOOK));
            }
        }
        Ok(())
    }

    /// Closes every stream except the control stream.
    fn finish_queues(&self, streams: &mut Streams) {
        let queues = self.queues.iter().map(|queue| queue.number);
        for number in queues.chain(self.opening.map(|(number, _)| number)) {
            streams.finish(number);
        }
    }

    /// Returns whether the server may close a stream: the control stream at the end, the others when
    /// only its last answer is missing.
    fn may_close(&self, number: u64) -> bool {
        let last = self.step.is_some() && self.rate.is_some() && self.steps.is_empty();
        self.over || self.stopping || (last && self.control != Some(number))
    }

    /// Returns the time before which the server must do something.
    fn deadline(&self) -> Option<Duration> {
        let waits =
            self.control.is_some() && !self.over && !self.stopping && self.failure.is_none();
        waits.then(|| self.progress.saturating_add(PATIENCE))
    }

    /// Describes where it failed: the stream, and the progress of its messages.
    fn place(&self, number: u64) -> String {
        let index = self.queues.iter().position(|queue| queue.number == number);
        let all = self.options.queue_pairs;
        match (index, self.opening) {
            (Some(index), _) => format!("queue pair {} of {all}", index + 1),
            (_, Some((opening, _))) if opening == number => {
                format!("queue pair {} of {all}", self.queues.len() + 1)
            }
            _ => "control stream".to_owned(),
        }
    }

    fn progress(&self) -> String {
        if self.step != Some(Step::Run) {
            return String::new();
        }
        let done = self.queues.iter().map(|queue| queue.completed).sum::<u64>();
        let all = self.options.count.saturating_mul(self.options.queue_pairs as u64);
        format!(", after {done} of {}", counted(all, "message"))
    }
}

impl Program for PerftestClient {
    fn begin(&mut self, stream: &mut Stream<'_>) -> Done {
        self.progress = stream.now();
        if self.control.is_none() {
            self.control = Some(stream.number);
            stream.receive(2, ROOM)?;
            if self.options.pause.is_zero() {
                return self.advance(stream.streams);
            }
            self.begins = Some(stream.now().saturating_add(self.options.pause));
            return Ok(());
        }
        if self.opening.take_if(|(number, _)| *number == stream.number).is_none() {
            return Err("the control stream is already open".into());
        }
        self.queues.push(Queue::begin(stream, &self.options)?);
        match self.queues.len() < self.options.queue_pairs {
            true => self.open(stream.streams, 0),
            false => self.advance(stream.streams),
        }
    }

    fn has(&self, number: u64) -> bool {
        self.control == Some(number) || self.queues.iter().any(|queue| queue.number == number)
    }

    fn received(&mut self, stream: &mut Stream<'_>, bytes: &[u8]) -> Done {
        if self.control != Some(stream.number) {
            return Err("a message arrived, but the server has none to send here".into());
        }
        stream.receive(1, ROOM)?;
        self.answered(stream.streams, bytes)
    }

    fn completed(&mut self, stream: &mut Stream<'_>, identifier: u64) -> Done {
        let Some(queue) = self.queue(stream.number).filter(|_| identifier == DATA) else {
            return Ok(());
        };
        queue.completed += 1;
        self.progress = stream.now();
        let PerftestClientOptions { size, count, .. } = self.options;
        if self.queues.iter().any(|queue| queue.completed < count) {
            return self.pump(stream.streams);
        }
        let taken = stream.now().saturating_sub(self.begun);
        let rate = Rate::new(count.saturating_mul(self.queues.len() as u64), size, taken);
        self.steps = last_steps(&self.options, &rate);
        self.rate = Some(rate);
        self.advance(stream.streams)
    }

    fn peer_finished(&mut self, number: u64) -> Done {
        match self.may_close(number) || self.failure.is_some() {
            true => Ok(()),
            false => Err("the server closed it in the middle of the test".into()),
        }
    }

    fn end(&mut self, stream: &mut Stream<'_>) {
        if let Some(queue) = self.queue(stream.number).copied() {
            stream.deregister([Some(queue.region), queue.credit].into_iter().flatten());
        }
    }

    fn failed(&mut self, stream: &mut Stream<'_>, why: String) -> bool {
        if !self.may_close(stream.number) {
            let (place, progress) = (self.place(stream.number), self.progress());
            self.failure.get_or_insert(format!("{place}: {why}{progress}"));
            self.finish_queues(stream.streams);
            self.control.inspect(|number| stream.streams.finish(*number));
        }
        true
    }
}

impl Service for PerftestClient {
    fn handle(&mut self, streams: &mut Streams, number: u64, event: StreamEvent) {
        if let StreamEvent::Event(event) = &event
            && self.tries_again(number, event)
        {
            self.retries = Some(streams.now().saturating_add(BETWEEN_TRIES));
            return;
        }
        drive(self, &mut Stream { streams, number }, event);
    }

    /// The server begins to listen a little later than it announces.
    fn tries_again(&self, number: u64, event: &Event) -> bool {
        let lost = matches!(
            event,
            Event::SetupFailed { failure: SetupFailure::Lost | SetupFailure::NotConnected(_), .. }
        );
        let tried = self.opening.filter(|(opening, _)| *opening == number);
        lost && tried.is_some_and(|(_, tries)| tries < TRIES) && !self.stopping
    }

    fn poll_timeout(&self) -> Option<Duration> {
        [self.begins, self.retries, self.looks, self.closes, self.deadline()]
            .into_iter()
            .flatten()
            .min()
    }

    fn handle_timeout(&mut self, streams: &mut Streams) {
        let now = streams.now();
        let is_due = |time: &mut Duration| *time <= now;
        let mut done = Ok(());
        if self.begins.take_if(is_due).is_some() {
            done = self.advance(streams);
        } else if self.retries.take_if(is_due).is_some() {
            let tries = self.opening.map_or(0, |(_, tries)| tries);
            done = self.open(streams, tries + 1);
        } else if self.looks.take_if(is_due).is_some() {
            done = self.pump(streams);
        }
        if let (Some(_), Some(number)) = (self.closes.take_if(is_due), self.control) {
            streams.finish(number);
        }
        if done.is_ok() && self.deadline().is_some_and(|due| due <= now) {
            let seconds = PATIENCE.as_secs();
            let advice = "are size, number and queue pairs the same on both sides?";
            done = Err(format!("nothing completed in {seconds} s: {advice}").into());
        }
        if let (Err(why), Some(number)) = (done, self.control) {
            fail(self, &mut Stream { streams, number }, &why);
        }
    }

    fn stop(&mut self, streams: &mut Streams) {
        self.stopping = true;
        (self.begins, self.retries, self.looks, self.closes) = (None, None, None, None);
        for number in streams.numbers() {
            streams.finish(number);
        }
    }

    fn is_done(&self, streams: &Streams) -> bool {
        self.failure.is_some() || (streams.count() == 0 && (self.over || self.stopping))
    }

    fn failure(&self) -> Option<String> {
        self.failure.clone()
    }

    fn summary(&self) -> Vec<String> {
        let done = match self.options.kind {
            PerftestKind::Write => "wrote",
            PerftestKind::Read => "read",
            PerftestKind::Send => "sent",
        };
        let pairs = counted(self.queues.len() as u64, "queue pair");
        self.rate.iter().map(|rate| format!("{done} on {pairs}: {rate}")).collect()
    }
}
