//! The runner's side of everything: its connections, what they hear, and the control connection.

use super::connections::{self, Clock, Connection, Connections, OwnPort, SocketEvent};
use super::control::{AgentError, Control};
use super::evidence::{Event, Transcript};
use super::options::{Mode, Pace, Target};
use super::probe::Offers;
use super::requester::Task;
use super::serve::RpcTarget;
use crate::format::time;
use crate::judge::KnownFaults;
use crate::stream::{RawStream, TcpWrite};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use warpscope_agent::{Bytes, Capabilities, Error, ErrorCode, MemoryRange, Method, VERSION};

/// Bytes of memory that are asked for at once.
const AT_ONCE: u64 = 1 << 16;
/// A wait that is overdue by this was one of a process that stood still.
const STALL: Duration = Duration::from_millis(200);
/// An agent that has time answers two calls within this, beside twenty round trips.
const SLOW: Duration = Duration::from_millis(20);
/// What a target may say on its streams in an instance, and its agent, by what it costs to keep. A target that
/// says more floods the runner: the longest cases are with 5 MiB, or with 65,600 messages.
const FLOOD: usize = 96 << 20;
const CONTROL_FLOOD: usize = 32 << 20;
/// The same where all instances that run keep [`ALL`]; more where the steps of a case are repeated, as what they
/// ask for is no flood.
const SHARE: usize = 16 << 20;
const ALL: usize = 128 << 20;
/// What a message or an FPDU costs beside its bytes.
const ITEM: usize = 1024;
/// How often a target that answers slowly gets the time of an expectation once more.
const AGAIN: u32 = 4;

#[derive(Debug)]
pub(super) struct Stream {
    pub(super) raw: RawStream,
    /// None once this side has reset it.
    pub(super) connection: Option<Connection>,
    /// Whether this side has closed its direction.
    pub(super) finished: bool,
    pub(super) number: u64,
    /// The runner's port.
    pub(super) port: u16,
    /// Where the next expectation begins.
    pub(super) cursor: usize,
}

/// Connections and the control connection, over many instances.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) connections: Connections,
    /// Where streams go, where that is known.
    pub(super) address: Option<SocketAddr>,
    /// Where the target's agent is, or where the runner waits for it.
    agent: Option<SocketAddr>,
    mode: Mode,
    /// Whether the network changes the runner's address on its way to the agent.
    pub(super) translated: bool,
    listener: Option<TcpListener>,
    pub(super) control: Option<Control>,
    /// How often the target had gone away when the control connection was last of use.
    deaths: usize,
    pub(super) streams: BTreeMap<u32, Stream>,
    pub(super) transcript: Transcript,
    /// Where the target was, for each connection of the transcript.
    pub(super) targets: Vec<SocketAddr>,
    /// What the target has said on its streams since the last instance ended, and its agent, by its cost.
    heard: [usize; 2],
    flooded: bool,
    /// What it may say on its streams in the instance at hand where all together say much.
    share: usize,
    /// What the targets of all sessions of the run have said, by its cost.
    pub(super) heard_by_all: Arc<AtomicUsize>,
    /// How often a connection was refused before it came about.
    pub(super) refused: usize,
    pub(super) pace: Pace,
    /// See [`Target::without_crc`].
    pub(super) without_crc: bool,
    /// See [`Target::first_fpdu_delay`].
    pub(super) first_fpdu_delay: Duration,
    /// What the target's bytes are known to have wrong.
    pub(super) known_faults: KnownFaults,
    /// The target's RPC-over-RDMA sides.
    pub(super) rpc_target: RpcTarget,
    /// Whether streams are with these.
    pub(super) rpc: bool,
    /// Which streams are set up with enhanced data where the case says nothing.
    pub(super) offers: Offers,
    /// What the target's RPC requester was started for.
    pub(super) task: Option<Task>,
    /// Calls that were answered, by stream and XID.
    pub(super) served: BTreeSet<(u32, u32)>,
}

impl Session {
    /// A session at the copy of the target with this number; without connections.
    pub(super) fn new(target: &Target, copy: usize, pace: Pace) -> Self {
        Self {
            connections: Connections::new(),
            address: target.addresses.get(copy).copied(),
            agent: target.agents.get(copy).copied(),
            mode: target.mode,
            translated: false,
            listener: None,
            control: None,
            deaths: 0,
            streams: BTreeMap::new(),
            transcript: Transcript::default(),
            targets: Vec::new(),
            heard: [0; 2],
            flooded: false,
            share: SHARE,
            heard_by_all: Arc::default(),
            refused: 0,
            pace,
            without_crc: target.without_crc,
            first_fpdu_delay: target.first_fpdu_delay,
            known_faults: KnownFaults::excused(|rule| target.excuses(rule).is_some()),
            rpc_target: target.rpc.clone(),
            rpc: false,
            offers: Offers::default(),
            task: None,
            served: BTreeSet::new(),
        }
    }

    /// Whether streams are set up with enhanced data where the case says nothing.
    pub(super) fn offers_depths(&self) -> bool {
        if self.rpc { self.offers.rpc } else { self.offers.streams }
    }

    /// Forgets the control connection where the target has gone away since.
    pub(super) fn knows_deaths(&mut self, deaths: usize) {
        if self.deaths != deaths {
            (self.deaths, self.control) = (deaths, None);
        }
    }

    /// Opens the control connection, unless there is one that is of use.
    pub(super) fn open_control(&mut self) -> Result<(), RunError> {
        self.pump(Duration::ZERO);
        match self.control.as_ref().map(Control::usable) {
            None => {}
            Some(Ok(())) => return Ok(()),
            Some(Err(error)) => {
                // Reported once: who comes next has another connection.
                self.control = None;
                return Err(error);
            }
        }
        let patience = self.pace.patience();
        let connection = match (self.mode, self.agent) {
            (Mode::Bare, _) | (_, None) => return Ok(()),
            (Mode::Agent, Some(agent)) => self.connections.connect(agent, None, patience, None)?.0,
            (Mode::Listen, Some(address)) => {
                let listener = match self.listener.take() {
                    Some(listener) => listener,
                    None => listen(address)?,
                };
                let connection = self.connections.accept(&listener, patience);
                self.listener = Some(listener);
                connection?.ok_or(RunError::NoConnection(patience))?
            }
        };
        let [own, agent] = connection.ends;
        self.control = Some(Control::new(connection));
        let capabilities = self.capabilities()?;
        if capabilities.protocol != VERSION {
            return Err(AgentError::Version(capabilities.protocol).into());
        }
        self.translated = capabilities.runner != own;
        let listens = capabilities.listens.map(|mut address| {
            if address.ip().is_unspecified() {
                address.set_ip(agent.ip());
            }
            address
        });
        self.address = self.address.or(listens);
        Ok(())
    }

    /// What the target can do, as its agent says.
    pub(super) fn capabilities(&mut self) -> Result<Capabilities, RunError> {
        self.result(Method::Capabilities)
    }

    /// Takes what is heard: waits for the first thing for so long, and takes the others as they are.
    /// True when there was any.
    pub(super) fn pump(&mut self, within: Duration) -> bool {
        let until = Instant::now() + within;
        let mut any = false;
        let mut wait = within;
        if self.is_flooded() {
            std::thread::sleep(within);
            return false;
        }
        loop {
            while let Some(event) = self.connections.hear(wait) {
                wait = Duration::ZERO;
                any = true;
                self.heard(event);
                if self.is_flooded() {
                    return true;
                }
            }
            // Where this process stood still, what came in the meantime is still on its way here.
            if any || wait == STALL || until.elapsed() < STALL {
                return any;
            }
            wait = STALL;
        }
    }

    /// Whether the target says so much that no more of it is heard in this instance: on its streams, on the
    /// control connection.
    fn floods(&self) -> [bool; 2] {
        let [streams, control] = self.heard;
        let shared = streams > self.share && self.heard_by_all.load(Ordering::Relaxed) > ALL;
        [streams > FLOOD || shared, control > CONTROL_FLOOD]
    }

    /// The steps of the instance at hand are done so many times in all.
    pub(super) fn repeats(&mut self, repetitions: u64) {
        let asked = usize::try_from(repetitions).unwrap_or(usize::MAX).saturating_mul(ITEM);
        self.share = SHARE.max(asked);
    }

    fn is_flooded(&self) -> bool {
        self.flooded || self.floods() != [false; 2]
    }

    /// That the target floods the runner, in words.
    pub(super) fn flood(&self) -> Option<String> {
        let on = match (self.is_flooded(), self.floods()) {
            (false, _) => return None,
            (true, [false, true]) => "on the control connection",
            (true, _) => "on its streams",
        };
        Some(format!("the target floods the runner {on}: it does not stop sending"))
    }

    fn cost(&mut self, is_control: bool, cost: usize) {
        let [streams, control] = &mut self.heard;
        *(if is_control { control } else { streams }) += cost;
        self.heard_by_all.fetch_add(cost, Ordering::Relaxed);
        if !self.flooded && self.is_flooded() {
            self.flooded = true;
            // Nobody hears what else it says: no connection may wait for that.
            self.streams.values_mut().for_each(|stream| stream.connection = None);
            self.control = None;
        }
    }

    pub(super) fn heard(&mut self, event: connections::Event) {
        let of = self.control.as_ref().map(|control| control.connection.number);
        let is_control = of == Some(event.connection);
        if let SocketEvent::Bytes(bytes) = &event.heard {
            self.cost(is_control, bytes.len());
        }
        if self.flooded {
            return;
        }
        if let Some(control) = self.control.as_mut().filter(|_| is_control) {
            control.hear(&event.heard);
            return;
        }
        let found = self.streams.values_mut().find(|it| it.number == event.connection);
        let Some(stream) = found else { return };
        let mut tell = |what| self.transcript.add(event.time, event.connection, false, what);
        let mut cost = 0;
        match &event.heard {
            SocketEvent::Bytes(bytes) => {
                let items = stream.raw.receive(bytes).len();
                // What is read at once is no segment of TCP: that an FPDU goes on in the next read does not
                // say that it begins within a segment.
                let (whole, begun) = bytes.split_at(bytes.len().saturating_sub(stream.raw.begun()));
                for part in [whole, begun].into_iter().filter(|part| !part.is_empty()) {
                    tell(Event::Bytes(part.to_vec()));
                }
                cost = items * ITEM;
            }
            SocketEvent::Finished => {
                stream.raw.finished();
                tell(Event::Finished);
            }
            SocketEvent::Reset => {
                stream.raw.reset();
                tell(Event::Reset);
            }
        }
        let answers = stream.raw.take_answers();
        write(&mut self.transcript, self.connections.clock, stream, &answers);
        self.cost(false, cost);
    }

    /// Writes to a stream. Bytes that TCP does not take any more are dropped: what became of the
    /// stream shows in what comes.
    pub(super) fn write(&mut self, name: u32, writes: &[TcpWrite]) -> Result<(), RunError> {
        for one in writes {
            let until = Instant::now() + one.delay;
            while !one.delay.is_zero() && Instant::now() < until {
                self.pump(until.saturating_duration_since(Instant::now()));
            }
            let stream = self.streams.get_mut(&name).ok_or_else(|| unknown(name))?;
            let clock = self.connections.clock;
            write(&mut self.transcript, clock, stream, std::slice::from_ref(one));
        }
        Ok(())
    }

    fn streams_go(&self) -> Result<SocketAddr, RunError> {
        let unknown =
            "the agent does not say at which address the target accepts streams: use --target";
        let rpc = self.rpc_target.address.filter(|_| self.rpc);
        rpc.or(self.address).ok_or_else(|| RunError::Unknown(unknown.to_owned()))
    }

    /// The address of this side on the way to where streams go.
    fn own_address(&self) -> Result<IpAddr, RunError> {
        let to = self.streams_go()?;
        let any: IpAddr = match to {
            SocketAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
            SocketAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
        };
        // This sends nothing: it asks for the route.
        let route = UdpSocket::bind((any, 0))?;
        route.connect(to).map_err(|error| RunError::Connect { address: to, error })?;
        Ok(route.local_addr()?.ip())
    }

    /// A port of this side for a stream to the target.
    pub(super) fn own_port(&self) -> Result<OwnPort, RunError> {
        Ok(OwnPort::take(self.own_address()?)?)
    }

    /// Opens a TCP connection to the target, from this port if one is given.
    pub(super) fn connect(
        &mut self,
        name: u32,
        from: Option<OwnPort>,
        segment_size: Option<u32>,
    ) -> Result<(), RunError> {
        let (address, patience) = (self.streams_go()?, self.pace.patience());
        let (connection, refused) =
            self.connections.connect(address, from, patience, segment_size)?;
        self.refused += refused;
        self.adopt(name, connection);
        Ok(())
    }

    /// A listener for the target to connect to, and how the target reaches it: the address, if the
    /// target does not know better, and the port.
    pub(super) fn listener(&mut self) -> Result<(TcpListener, Option<IpAddr>, u16), RunError> {
        let own = self.own_address()?;
        let listener = listen(SocketAddr::new(own, 0))?;
        let port = listener.local_addr()?.port();
        Ok((listener, Some(own).filter(|_| !self.translated), port))
    }

    /// Takes the connection that the target opens.
    pub(super) fn accept(&mut self, name: u32, listener: &TcpListener) -> Result<(), RunError> {
        let patience = self.pace.patience();
        let connection = self.connections.accept(listener, patience)?;
        self.adopt(name, connection.ok_or(RunError::NoConnection(patience))?);
        Ok(())
    }

    pub(super) fn adopt(&mut self, name: u32, connection: Connection) {
        let (number, ends) = (connection.number, connection.ends);
        let opened = Event::Opened(ends, connection.opened);
        self.transcript.add(connection.since, number, true, opened);
        self.targets.push(ends[1]);
        let mut raw = RawStream::new();
        raw.segment_size = connection.segment_size;
        let (connection, port) = (Some(connection), ends[0].port());
        let stream = Stream { raw, connection, finished: false, number, port, cursor: 0 };
        self.streams.insert(name, stream);
    }

    pub(super) fn stream(&mut self, name: u32) -> Result<&mut Stream, RunError> {
        self.streams.get_mut(&name).ok_or_else(|| unknown(name))
    }

    /// Closes this side's direction of a stream.
    pub(super) fn finish(&mut self, name: u32) -> Result<(), RunError> {
        let stream = self.streams.get_mut(&name).ok_or_else(|| unknown(name))?;
        stream.finished = true;
        // What the target does because of it comes later.
        let at = self.connections.clock.now();
        if let Some(connection) = &stream.connection
            && connection.finish().is_ok()
        {
            self.transcript.add(at, stream.number, true, Event::Finished);
        }
        Ok(())
    }

    pub(super) fn reset(&mut self, name: u32) -> Result<(), RunError> {
        let stream = self.streams.get_mut(&name).ok_or_else(|| unknown(name))?;
        if let Some(connection) = stream.connection.take() {
            self.transcript.add(self.connections.clock.now(), stream.number, true, Event::Reset);
            connection.reset()?;
        }
        Ok(())
    }

    /// Calls a method of the agent, and waits for what comes of it.
    pub(super) fn ask(&mut self, method: Method) -> Result<Result<Value, Error>, RunError> {
        let (name, call) = (method.name(), self.call(method)?);
        self.answer(name, call)
    }

    /// Has the target's agent do something, and does not wait for its answer; the number of the call.
    fn call(&mut self, method: Method) -> Result<u64, RunError> {
        if let Some(flood) = self.flood() {
            return Err(RunError::Unknown(flood));
        }
        Ok(self.control.as_mut().ok_or(RunError::NoAgent("a call"))?.call(method))
    }

    /// The answer to a call.
    fn answer(
        &mut self,
        method: &'static str,
        call: u64,
    ) -> Result<Result<Value, Error>, RunError> {
        let within = self.pace.patience();
        let until = Instant::now() + within;
        loop {
            if let Some(flood) = self.flood() {
                return Err(RunError::Unknown(flood));
            }
            let control = self.control.as_mut().ok_or(RunError::NoAgent("a call"))?;
            if let Some(reply) = control.reply(call) {
                return Ok(reply);
            }
            control.usable()?;
            if Instant::now() >= until {
                return Err(RunError::NoAnswer { method, within });
            }
            self.pump(Duration::from_millis(100));
        }
    }

    /// As [`Session::ask`], for what the run cannot do without.
    pub(super) fn need(&mut self, method: Method) -> Result<Value, RunError> {
        self.need_all(method, 1)
    }

    /// As [`Session::need`], so many times; the calls do not wait for each other's answers.
    pub(super) fn need_all(&mut self, method: Method, times: u64) -> Result<Value, RunError> {
        let name = method.name();
        let calls: Vec<u64> =
            (0..times).map(|_| self.call(method.clone())).collect::<Result<_, _>>()?;
        let mut last = Value::Null;
        for call in calls {
            let answer = self.answer(name, call)?;
            last = answer.map_err(|error| RunError::Refused { method: name, error })?;
        }
        Ok(last)
    }

    /// As [`Session::need`], with the result as it must be.
    pub(super) fn result<T: DeserializeOwned>(&mut self, method: Method) -> Result<T, RunError> {
        let name = method.name();
        serde_json::from_value(self.need(method)?)
            .map_err(|error| RunError::NoResult { method: name, why: error.to_string() })
    }

    /// Has the target forget what an instance left there.
    fn reset_target(&mut self) -> Result<(), RunError> {
        self.need(Method::Reset)?;
        if let Some(control) = &mut self.control {
            control.events.clear();
        }
        Ok(())
    }

    /// Reads bytes of a region of the target.
    pub(super) fn read_region(
        &mut self,
        region: &str,
        offset: u64,
        length: u64,
    ) -> Result<Vec<u8>, RunError> {
        let mut bytes = Vec::new();
        while (bytes.len() as u64) < length {
            let left = length - bytes.len() as u64;
            let (offset, length) = (offset + bytes.len() as u64, left.min(AT_ONCE));
            let range = MemoryRange { region: region.to_owned(), offset, length };
            let Bytes(more) = self.result(Method::ReadMemory(range))?;
            if more.len() as u64 != length {
                let why = format!("it read {} bytes instead of {length}", more.len());
                return Err(RunError::NoResult { method: "read_memory", why });
            }
            bytes.extend(more);
        }
        Ok(bytes)
    }

    /// Lets the target look at everything that was sent before, where it has an agent, and takes what
    /// it sent because of it. Whether it answered slowly: then it has had less time than it seems.
    pub(super) fn settle(&mut self) -> Result<bool, RunError> {
        let begun = Instant::now();
        if self.control.is_some() && !self.rpc {
            self.need(Method::Capabilities)?;
            self.need(Method::Capabilities)?;
        }
        let slow = begun.elapsed() > self.pace.round_trip * 20 + SLOW;
        self.pump(self.pace.round_trip + Duration::from_millis(2));
        Ok(slow)
    }

    /// Forgets the instance's streams, and hands out what it leaves.
    pub(super) fn clear(&mut self) -> Left {
        self.streams.clear();
        self.task = None;
        self.served.clear();
        self.heard_by_all.fetch_sub(self.heard.iter().sum(), Ordering::Relaxed);
        (self.refused, self.heard, self.flooded) = (0, [0; 2], false);
        // Memory at a given place would be in the way of the next instance, whoever runs it.
        let reset = if self.control.is_some() { self.reset_target() } else { Ok(()) };
        if reset.is_err() {
            self.control = None;
        }
        Left {
            transcript: std::mem::take(&mut self.transcript),
            targets: std::mem::take(&mut self.targets),
            reset,
        }
    }
}

/// Whether time that is over says that nothing comes: a target that has not looked yet has a chance, and one
/// that answers slowly has some more.
#[derive(Debug, Default)]
pub(super) struct Chances {
    taken: u32,
    /// Whether the last was of a target that has time.
    last: bool,
}

impl Chances {
    pub(super) fn left(&self) -> bool {
        !self.last && self.taken < AGAIN
    }

    /// Takes one; whether the target, which is slow or not, gets the time once more.
    pub(super) fn slow(&mut self, slow: bool) -> bool {
        self.taken += 1;
        self.last = !slow;
        slow
    }
}

/// What an instance leaves behind.
pub(super) struct Left {
    pub(super) transcript: Transcript,
    /// Where the target was, for each connection.
    pub(super) targets: Vec<SocketAddr>,
    /// Whether the target has forgotten the instance.
    pub(super) reset: Result<(), RunError>,
}

fn write(transcript: &mut Transcript, clock: Clock, stream: &mut Stream, writes: &[TcpWrite]) {
    for one in writes {
        let Some(connection) = &mut stream.connection else { return };
        let at = clock.now();
        let (written, result) = connection.write(&one.bytes);
        let bytes = one.bytes.get(..written).unwrap_or_default();
        if !bytes.is_empty() {
            transcript.add(at, stream.number, true, Event::Bytes(bytes.to_vec()));
        }
        if result.is_err() {
            return;
        }
    }
}

pub(super) fn listen(address: SocketAddr) -> Result<TcpListener, RunError> {
    TcpListener::bind(address).map_err(|error| RunError::Listen { address, error })
}

pub(super) fn unknown(stream: u32) -> RunError {
    RunError::Unknown(format!("there is no stream {stream}"))
}

/// Why something could not be done.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// No connection to the target.
    #[error("cannot connect to {address}: {error}; is the target running there?")]
    Connect {
        /// Where to.
        address: SocketAddr,
        /// Why the connection was not made.
        error: io::Error,
    },
    /// The runner cannot listen.
    #[error("cannot listen at {address}: {error}")]
    Listen {
        /// Where to.
        address: SocketAddr,
        /// Why nothing can listen there.
        error: io::Error,
    },
    /// A socket failed.
    #[error("{0}")]
    Socket(#[from] io::Error),
    /// The target did not connect in time.
    #[error("the target did not connect within {}", time(*.0))]
    NoConnection(Duration),
    /// The target's RPC requester did not connect.
    #[error("no connection from the requester within {}: its command {command}", time(*.waited))]
    NoRequester {
        /// How long the runner waited: less than it would have, where the command ended.
        waited: Duration,
        /// How the command ended or what it is about, and what it said.
        command: String,
    },
    /// The control connection failed.
    #[error(transparent)]
    Agent(#[from] AgentError),
    /// The agent did not answer in time.
    #[error("the agent did not answer `{method}` within {}", time(*.within))]
    NoAnswer {
        /// What it was asked.
        method: &'static str,
        /// How long it had.
        within: Duration,
    },
    /// The agent refused what the run cannot do without.
    #[error("the agent refused `{method}`: {error}")]
    Refused {
        /// What it was asked.
        method: &'static str,
        /// The error that the agent answered with.
        error: Error,
    },
    /// A result is not that of its method.
    #[error("the agent answered `{method}` with something else: {why}")]
    NoResult {
        /// What it was asked.
        method: &'static str,
        /// What is wrong with it.
        why: String,
    },
    /// A target that cannot choose has opened with this revision.
    #[error("the target opens streams with revision {0} of MPA and cannot use another setup")]
    OtherRevision(u8),
    /// The network ends TCP connections of the runner, and begins others to the target.
    #[error("the runner's segment size does not reach the target: the network changes addresses")]
    SegmentSize,
    /// An action takes an agent, and the target has none.
    #[error("{0} needs a target with an agent")]
    NoAgent(&'static str),
    /// An action names what is not there.
    #[error("{0}")]
    Unknown(String),
    /// A step cannot be carried out.
    #[error("{0}")]
    Step(String),
    /// A target does not do what a case supposes.
    #[error("the case does not apply to this target: {0}")]
    DoesNotApply(String),
    /// An instance took too long.
    #[error("the instance took longer than {}", time(*.0))]
    TooLong(Duration),
}

impl RunError {
    /// Whether the target cannot do what it was asked, ever.
    pub(super) fn is_unsupported(&self) -> bool {
        match self {
            Self::Refused { error, .. } => {
                error.is(ErrorCode::Unsupported) || error.is(ErrorCode::Limit)
            }
            Self::OtherRevision(_) | Self::SegmentSize | Self::DoesNotApply(_) => true,
            _ => false,
        }
    }
}
