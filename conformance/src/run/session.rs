//! The runner's side: its connections, what they receive, and the control connection.

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

/// The maximum number of bytes of memory that are read at once.
const AT_ONCE: u64 = 1 << 16;
/// If a wait is overdue by this, the process stood still.
const STALL: Duration = Duration::from_millis(200);
/// An agent that is not busy answers two calls within this, plus twenty round trips.
const SLOW: Duration = Duration::from_millis(20);
/// How much a target may send on its streams in an instance, and its agent, by the cost of keeping it. A
/// target that sends more floods the runner: the longest cases have 16 MiB, or 65,600 messages.
const FLOOD: usize = 96 << 20;
const CONTROL_FLOOD: usize = 32 << 20;
/// The same if all running instances together keep [`ALL`], besides what the case asks for: the bytes of its
/// buffers, and the messages of its steps.
const SHARE: usize = 16 << 20;
const ALL: usize = 128 << 20;
/// The cost of a message or an FPDU besides its bytes.
const ITEM: usize = 1024;
/// How many times a target that answers slowly gets the time of an expectation again.
const AGAIN: u32 = 4;

#[derive(Debug)]
pub(super) struct Stream {
    pub(super) raw: RawStream,
    /// `None` once this side has reset it.
    pub(super) connection: Option<Connection>,
    /// Whether this side has closed its direction.
    pub(super) finished: bool,
    pub(super) number: u64,
    /// The runner's port.
    pub(super) port: u16,
    /// Where the next expectation starts.
    pub(super) cursor: usize,
}

/// The connections and the control connection, kept over many instances.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) connections: Connections,
    /// The address for streams that the user gave.
    given_address: Option<SocketAddr>,
    /// The address for streams, if known: the given one, or that which the agent reports.
    address: Option<SocketAddr>,
    /// The address of the target's agent, or where the runner waits for it.
    agent: Option<SocketAddr>,
    mode: Mode,
    /// Whether the network changes the runner's address on its way to the agent.
    pub(super) translated: bool,
    listener: Option<TcpListener>,
    pub(super) control: Option<Control>,
    /// How often the target had gone away when the control connection was last usable.
    deaths: usize,
    pub(super) streams: BTreeMap<u32, Stream>,
    pub(super) transcript: Transcript,
    /// The address of the target for each connection of the transcript.
    pub(super) targets: Vec<SocketAddr>,
    /// What the target and its agent have sent since the last instance ended, by its cost.
    heard: [usize; 2],
    flooded: bool,
    /// What it may send on its streams in the current instance if all instances together have much.
    share: usize,
    /// What the targets of all sessions of the run have sent, by its cost.
    pub(super) heard_by_all: Arc<AtomicUsize>,
    /// How often a connection was refused before it was established.
    pub(super) refused: usize,
    pub(super) pace: Pace,
    /// See [`Target::without_crc`].
    pub(super) without_crc: bool,
    /// See [`Target::first_fpdu_delay`].
    pub(super) first_fpdu_delay: Duration,
    /// The known faults in the target's bytes.
    pub(super) known_faults: KnownFaults,
    /// The target's RPC-over-RDMA sides.
    pub(super) rpc_target: RpcTarget,
    /// Whether streams go to these sides.
    pub(super) rpc: bool,
    /// Which streams are set up with enhanced data if the case does not say.
    pub(super) offers: Offers,
    /// The task that the target's RPC requester was started for.
    pub(super) task: Option<Task>,
    /// Calls that have been answered, by stream and XID.
    pub(super) served: BTreeSet<(u32, u32)>,
}

impl Session {
    /// Returns a session without connections, for the copy of the target with this number.
    pub(super) fn new(target: &Target, copy: usize, pace: Pace) -> Self {
        Self {
            connections: Connections::new(),
            given_address: target.addresses.get(copy).copied(),
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

    /// Whether streams are set up with enhanced data if the case does not say.
    pub(super) fn offers_depths(&self) -> bool {
        if self.rpc { self.offers.rpc } else { self.offers.streams }
    }

    /// Drops the control connection if the target has gone away since.
    pub(super) fn knows_deaths(&mut self, deaths: usize) {
        if self.deaths != deaths {
            (self.deaths, self.control) = (deaths, None);
        }
    }

    /// Opens the control connection, unless there is a usable one.
    pub(super) fn open_control(&mut self) -> Result<(), RunError> {
        self.pump(Duration::ZERO);
        match self.control.as_ref().map(Control::usable) {
            None => {}
            Some(Ok(())) => return Ok(()),
            Some(Err(error)) => {
                // Reported once: the next instance has another connection.
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
        // Without its capabilities, the connection is not open.
        let capabilities = self.capabilities().inspect_err(|_| self.control = None)?;
        if capabilities.protocol != VERSION {
            self.control = None;
            return Err(AgentError::Version(capabilities.protocol).into());
        }
        self.translated = capabilities.runner != own;
        let listens = capabilities.listens.map(|mut address| {
            if address.ip().is_unspecified() {
                address.set_ip(agent.ip());
            }
            address
        });
        self.address = self.given_address.or(listens);
        Ok(())
    }

    /// Returns what the target can do, as reported by its agent.
    pub(super) fn capabilities(&mut self) -> Result<Capabilities, RunError> {
        self.result(Method::Capabilities)
    }

    /// Handles events: waits this long for the first, then takes those that are already there. Returns true
    /// if there were any.
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
            // If this process stood still, what came in the meantime is still on its way here.
            if any || wait == STALL || until.elapsed() < STALL {
                return any;
            }
            wait = STALL;
        }
    }

    /// Whether the target sends so much that nothing more of it is heard in this instance: on its streams, on
    /// the control connection.
    fn floods(&self) -> [bool; 2] {
        let [streams, control] = self.heard;
        let shared = streams > self.share && self.heard_by_all.load(Ordering::Relaxed) > ALL;
        [streams > FLOOD || shared, control > CONTROL_FLOOD]
    }

    /// Sets what the current instance asks for: messages, and bytes.
    pub(super) fn asks_for(&mut self, messages: u64, bytes: u64) {
        let asked = messages.saturating_mul(ITEM as u64).saturating_add(bytes);
        self.share = SHARE.saturating_add(usize::try_from(asked).unwrap_or(usize::MAX));
    }

    fn is_flooded(&self) -> bool {
        self.flooded || self.floods() != [false; 2]
    }

    /// Returns the message that the target floods the runner.
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
            // Nobody hears the rest: no connection may wait for that.
            self.streams.values_mut().for_each(|stream| stream.connection = None);
            self.control = None;
        }
    }

    pub(super) fn heard(&mut self, event: connections::Event) {
        let of = self.control.as_ref().map(|control| control.connection.number);
        let is_control = of == Some(event.connection);
        // An earlier instance may have left a connection that still had something to say.
        if !is_control && !self.streams.values().any(|it| it.number == event.connection) {
            return;
        }
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
        let mut record = |what| self.transcript.add(event.time, event.connection, false, what);
        let mut cost = 0;
        match &event.heard {
            SocketEvent::Bytes(bytes) => {
                let items = stream.raw.receive(bytes).len();
                // A single read is not a TCP segment: that an FPDU continues in the next read does not show
                // that it begins within a segment.
                let (whole, begun) = bytes.split_at(bytes.len().saturating_sub(stream.raw.begun()));
                for part in [whole, begun].into_iter().filter(|part| !part.is_empty()) {
                    record(Event::Bytes(part.to_vec()));
                }
                cost = items * ITEM;
            }
            SocketEvent::Finished => {
                stream.raw.finished();
                record(Event::Finished);
            }
            SocketEvent::Reset => {
                stream.raw.reset();
                record(Event::Reset);
            }
        }
        let answers = stream.raw.take_answers();
        write(&mut self.transcript, self.connections.clock, stream, &answers);
        self.cost(false, cost);
    }

    /// Writes to a stream. Bytes that TCP no longer accepts are dropped: what comes shows what happened to
    /// the stream.
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

    /// Returns the address of this side on the route to the address for streams.
    fn own_address(&self) -> Result<IpAddr, RunError> {
        let to = self.streams_go()?;
        let any: IpAddr = match to {
            SocketAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
            SocketAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
        };
        // This sends nothing; it only determines the route.
        let route = UdpSocket::bind((any, 0))?;
        route.connect(to).map_err(|error| RunError::Connect { address: to, error })?;
        Ok(route.local_addr()?.ip())
    }

    /// Reserves a port of this side for a stream to the target.
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

    /// Returns a listener for the target to connect to, and how the target reaches it: the address, if the
    /// target does not know better, and the port.
    pub(super) fn listener(&mut self) -> Result<(TcpListener, Option<IpAddr>, u16), RunError> {
        let own = self.own_address()?;
        let listener = listen(SocketAddr::new(own, 0))?;
        let port = listener.local_addr()?.port();
        Ok((listener, Some(own).filter(|_| !self.translated), port))
    }

    /// Accepts the connection that the target opens.
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
        // What the target does as a result comes later.
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

    /// Calls a method of the agent, and waits for the result.
    pub(super) fn ask(&mut self, method: Method) -> Result<Result<Value, Error>, RunError> {
        let (name, call) = (method.name(), self.call(method)?);
        self.answer(name, call)
    }

    /// Calls a method of the agent without waiting for its answer. Returns the number of the call.
    fn call(&mut self, method: Method) -> Result<u64, RunError> {
        if let Some(flood) = self.flood() {
            return Err(RunError::Unknown(flood));
        }
        Ok(self.control.as_mut().ok_or(RunError::NoAgent("a call"))?.call(method))
    }

    /// Waits for the answer to a call.
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

    /// Like [`Session::ask`], for calls that must succeed for the run to continue.
    pub(super) fn need(&mut self, method: Method) -> Result<Value, RunError> {
        self.need_all(method, 1)
    }

    /// Like [`Session::need`], repeated; the calls do not wait for each other's answers.
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

    /// Like [`Session::need`], with the result parsed.
    pub(super) fn result<T: DeserializeOwned>(&mut self, method: Method) -> Result<T, RunError> {
        let name = method.name();
        serde_json::from_value(self.need(method)?)
            .map_err(|error| RunError::NoResult { method: name, why: error.to_string() })
    }

    /// Makes the target forget what an instance left there.
    fn reset_target(&mut self) -> Result<(), RunError> {
        self.need(Method::Reset)?;
        if let Some(control) = &mut self.control {
            control.forget();
        }
        Ok(())
    }

    /// Reads bytes from a region of the target.
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

    /// Lets a target with an agent handle everything that was sent before, and takes what it sent as a
    /// result. Returns whether it answered slowly: then it has had less time than it seems.
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

    /// Forgets the instance's streams, and returns what it leaves.
    pub(super) fn clear(&mut self) -> Left {
        self.streams.clear();
        self.task = None;
        self.served.clear();
        self.heard_by_all.fetch_sub(self.heard.iter().sum(), Ordering::Relaxed);
        (self.refused, self.heard, self.flooded) = (0, [0; 2], false);
        // Memory at a given offset would conflict with the next instance, whoever runs it.
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

/// Decides whether a timeout means that nothing comes: a target that has not looked yet gets a chance, and
/// one that answers slowly gets some more.
#[derive(Debug, Default)]
pub(super) struct Chances {
    taken: u32,
    /// Whether the last chance was that of a target that is not slow.
    last: bool,
}

impl Chances {
    pub(super) fn left(&self) -> bool {
        !self.last && self.taken < AGAIN
    }

    /// Uses a chance. Returns whether the target, which is slow or not, gets the time again.
    pub(super) fn slow(&mut self, slow: bool) -> bool {
        self.taken += 1;
        self.last = !slow;
        slow
    }
}

/// What an instance leaves behind.
pub(super) struct Left {
    pub(super) transcript: Transcript,
    /// The address of the target for each connection.
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
        /// The address to connect to.
        address: SocketAddr,
        /// Why the connection was not made.
        error: io::Error,
    },
    /// The runner cannot listen.
    #[error("cannot listen at {address}: {error}")]
    Listen {
        /// The address to listen at.
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
        /// How long the runner waited: less than usual if the command ended.
        waited: Duration,
        /// How the command ended or what it is doing, and its output.
        command: String,
    },
    /// The control connection failed.
    #[error(transparent)]
    Agent(#[from] AgentError),
    /// The agent did not answer in time.
    #[error("the agent did not answer `{method}` within {}", time(*.within))]
    NoAnswer {
        /// The method that was called.
        method: &'static str,
        /// The time that it had.
        within: Duration,
    },
    /// The agent refused something that the run needs.
    #[error("the agent refused `{method}`: {error}")]
    Refused {
        /// The method that was called.
        method: &'static str,
        /// The error that the agent answered with.
        error: Error,
    },
    /// A result does not match its method.
    #[error("the agent answered `{method}` with something else: {why}")]
    NoResult {
        /// The method that was called.
        method: &'static str,
        /// What is wrong with it.
        why: String,
    },
    /// A target that cannot choose the revision has opened with this one.
    #[error("the target opens streams with revision {0} of MPA and cannot use another setup")]
    OtherRevision(u8),
    /// The network ends TCP connections of the runner, and begins others to the target.
    #[error("the runner's segment size does not reach the target: the network changes addresses")]
    SegmentSize,
    /// An action needs an agent, and the target has none.
    #[error("{0} needs a target with an agent")]
    NoAgent(&'static str),
    /// An action names something that does not exist.
    #[error("{0}")]
    Unknown(String),
    /// A step cannot be carried out.
    #[error("{0}")]
    Step(String),
    /// A target does not do what a case assumes.
    #[error("the case does not apply to this target: {0}")]
    DoesNotApply(String),
    /// An instance took too long.
    #[error("the instance took longer than {}", time(*.0))]
    TooLong(Duration),
}

impl RunError {
    /// Whether the target can never do what it was asked.
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
