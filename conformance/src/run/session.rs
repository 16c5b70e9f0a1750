//! The runner's side of everything: its connections, what they hear, and the control stream.

use super::connections;
use super::connections::{Connection, Connections, SocketEvent};
use super::control::{ClientError, Control, answer_words, order_words, refused_words};
use super::evidence::{Event, Transcript};
use super::options::{Mode, Pace, Target};
use super::requester::Task;
use super::serve::RpcTarget;
use crate::format::time;
use crate::stream::{RawStream, TcpWrite};
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::time::{Duration, Instant, SystemTime};
use warpscope_wire::test_ulp::{Answer, Order, RegionDescription, RegionRange, Status};

/// Bytes that are asked for at once, at first.
const AT_ONCE: u32 = 1 << 16;
/// What a target answers at least (test ULP section 2.2), less the header.
const LEAST: u32 = 2048;

#[derive(Debug)]
pub(super) struct Stream {
    pub(super) raw: RawStream,
    /// None once this side has reset it.
    pub(super) connection: Option<Connection>,
    /// Whether this side has closed its direction.
    pub(super) finished: bool,
    pub(super) number: u64,
    /// Where the next expectation begins.
    pub(super) cursor: usize,
}

/// Connections and the control stream, over many instances.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) connections: Connections,
    pub(super) address: SocketAddr,
    control_address: SocketAddr,
    mode: Mode,
    number: u32,
    listener: Option<TcpListener>,
    pub(super) control: Option<Control>,
    pub(super) streams: BTreeMap<u32, Stream>,
    pub(super) transcript: Transcript,
    /// Where the target was, for each connection of the transcript.
    pub(super) targets: Vec<SocketAddr>,
    /// How often a connection was refused before it came about.
    pub(super) refused: usize,
    pub(super) pace: Pace,
    /// The target's RPC-over-RDMA sides.
    pub(super) rpc_target: RpcTarget,
    /// Whether streams are with these.
    pub(super) rpc: bool,
    /// What the target's RPC requester was started for.
    pub(super) task: Option<Task>,
    /// Calls that were answered, by stream and XID.
    pub(super) served: BTreeSet<(u32, u32)>,
}

impl Session {
    /// A session at one of the target's addresses; without connections.
    pub(super) fn new(target: &Target, address: SocketAddr, session: u32, pace: Pace) -> Self {
        Self {
            connections: Connections::new(),
            address,
            control_address: target.control_of(address),
            mode: target.mode,
            number: session,
            listener: None,
            control: None,
            streams: BTreeMap::new(),
            transcript: Transcript::default(),
            targets: Vec::new(),
            refused: 0,
            pace,
            rpc_target: target.rpc.clone(),
            rpc: false,
            task: None,
            served: BTreeSet::new(),
        }
    }

    /// The session's number at the target; 0 without the test ULP.
    pub(super) fn number(&self) -> u32 {
        if self.control.is_some() && !self.rpc { self.number } else { 0 }
    }

    /// Opens the control stream, unless there is one that is of use.
    pub(super) fn open_control(&mut self) -> Result<(), RunError> {
        if self.control.as_ref().is_some_and(|control| control.usable().is_ok()) {
            return Ok(());
        }
        self.control = None;
        let patience = self.pace.patience();
        let connection = match self.mode {
            Mode::Bare => return Ok(()),
            Mode::Agent => self.connections.connect(self.control_address, patience, None)?.0,
            Mode::Listen => {
                let listener = match self.listener.take() {
                    Some(listener) => listener,
                    None => listen(self.address)?,
                };
                let connection = self.connections.accept(&listener, patience);
                self.listener = Some(listener);
                connection?.ok_or(RunError::NoConnection(patience))?
            }
        };
        let accepted = !connection.opened;
        self.control = Some(Control::begin(connection, self.number));
        let until = Instant::now() + patience;
        let over = |session: &Self| -> Result<bool, RunError> {
            let Some(control) = &session.control else { return Ok(true) };
            control.usable()?;
            Ok(control.client.raw.peer_setup().is_some())
        };
        while !over(self)? {
            if Instant::now() >= until {
                return Err(RunError::NoGreeting(patience));
            }
            self.pump(Duration::from_millis(50));
        }
        if accepted && let Some(control) = &mut self.control {
            control.reply();
        }
        let hello = match &self.control {
            Some(control) if !accepted && !control.client.greeted() => control.client.hello(),
            _ => return Ok(()),
        };
        self.ask(&hello).map(|_| ())
    }

    /// Takes what is heard: waits for the first thing for so long, and takes the others as they are.
    /// True when there was any.
    pub(super) fn pump(&mut self, within: Duration) -> bool {
        let mut wait = within;
        let mut any = false;
        while let Some(event) = self.connections.hear(wait) {
            wait = Duration::ZERO;
            any = true;
            self.heard(event);
        }
        any
    }

    fn heard(&mut self, event: connections::Event) {
        if let Some(control) = &mut self.control
            && control.connection.number == event.connection
        {
            control.hear(&event.heard);
            return;
        }
        let found = self.streams.values_mut().find(|it| it.number == event.connection);
        let Some(stream) = found else { return };
        let what = match &event.heard {
            SocketEvent::Bytes(bytes) => Event::Bytes(bytes.clone()),
            SocketEvent::Finished => Event::Finished,
            SocketEvent::Reset => Event::Reset,
        };
        self.transcript.add(event.time, event.connection, false, what);
        match &event.heard {
            SocketEvent::Bytes(bytes) => {
                stream.raw.receive(bytes);
            }
            SocketEvent::Finished => stream.raw.finished(),
            SocketEvent::Reset => stream.raw.reset(),
        }
        let answers = stream.raw.take_answers();
        write(&mut self.transcript, stream, &answers);
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
            write(&mut self.transcript, stream, std::slice::from_ref(one));
        }
        Ok(())
    }

    /// Opens a TCP connection to the target.
    pub(super) fn connect(&mut self, name: u32, segment_size: Option<u32>) -> Result<(), RunError> {
        let address = match self.rpc_target.address.filter(|_| self.rpc) {
            Some(address) => address,
            None if self.mode == Mode::Listen => {
                let why = "the target connects to the runner, and not the other way round";
                return Err(RunError::Unknown(why.to_owned()));
            }
            None => self.address,
        };
        let patience = self.pace.patience();
        let (connection, refused) = self.connections.connect(address, patience, segment_size)?;
        self.refused += refused;
        self.adopt(name, connection);
        Ok(())
    }

    /// A listener for the target to connect to, and its address.
    pub(super) fn listener(&mut self) -> Result<(TcpListener, SocketAddr), RunError> {
        let control = self.control.as_ref().ok_or(RunError::NoAgent("opening streams"))?;
        let [own, _] = control.connection.ends;
        let listener = listen(SocketAddr::new(own.ip(), 0))?;
        let address = listener.local_addr()?;
        Ok((listener, address))
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
        self.transcript.add(SystemTime::now(), number, true, opened);
        self.targets.push(ends[1]);
        let raw = RawStream::new();
        let stream =
            Stream { raw, connection: Some(connection), finished: false, number, cursor: 0 };
        self.streams.insert(name, stream);
    }

    pub(super) fn stream(&mut self, name: u32) -> Result<&mut Stream, RunError> {
        self.streams.get_mut(&name).ok_or_else(|| unknown(name))
    }

    /// Closes this side's direction of a stream.
    pub(super) fn finish(&mut self, name: u32) -> Result<(), RunError> {
        let stream = self.streams.get_mut(&name).ok_or_else(|| unknown(name))?;
        stream.finished = true;
        if let Some(connection) = &stream.connection
            && connection.finish().is_ok()
        {
            self.transcript.add(SystemTime::now(), stream.number, true, Event::Finished);
        }
        Ok(())
    }

    pub(super) fn reset(&mut self, name: u32) -> Result<(), RunError> {
        let stream = self.streams.get_mut(&name).ok_or_else(|| unknown(name))?;
        if let Some(connection) = stream.connection.take() {
            self.transcript.add(SystemTime::now(), stream.number, true, Event::Reset);
            connection.reset()?;
        }
        Ok(())
    }

    /// Gives an order, and waits for its answer.
    pub(super) fn ask(&mut self, order: &Order) -> Result<Answer, RunError> {
        let within = self.pace.patience();
        let until = Instant::now() + within;
        let control = |session: &mut Self| -> Result<(), RunError> {
            let control = session.control.as_ref().ok_or(RunError::NoAgent("an order"))?;
            control.usable()
        };
        let silent = || RunError::NoAnswer { order: order_words(order.kind()), within };
        loop {
            control(self)?;
            if self.control.as_ref().is_some_and(|it| it.client.may_ask()) {
                break;
            }
            if Instant::now() >= until {
                return Err(silent());
            }
            self.pump(Duration::from_millis(100));
        }
        let Some(it) = &mut self.control else { return Err(RunError::NoAgent("an order")) };
        let (sequence, writes) = it.client.ask(order)?;
        it.write(&writes);
        loop {
            if let Some(answer) = self.control.as_mut().and_then(|it| it.client.answer(sequence)) {
                return Ok(answer);
            }
            control(self)?;
            if Instant::now() >= until {
                return Err(silent());
            }
            self.pump(Duration::from_millis(100));
        }
    }

    /// As [`Session::ask`], for an order that the run cannot do without.
    pub(super) fn need(&mut self, order: &Order) -> Result<Answer, RunError> {
        match self.ask(order)? {
            Answer::Refused(status, _, text) => {
                let why = refused_words(status, &text);
                Err(RunError::Refused { order: order_words(order.kind()), why })
            }
            answer => Ok(answer),
        }
    }

    /// Has the target forget what instances before left there.
    pub(super) fn reset_target(&mut self) -> Result<(), RunError> {
        self.need(&Order::Reset).map(|_| ())
    }

    /// Reads bytes of a region of the target.
    pub(super) fn read_region(
        &mut self,
        region: &RegionDescription,
        offset: u64,
        length: u64,
    ) -> Result<Vec<u8>, RunError> {
        let mut bytes = Vec::new();
        let mut at_once = AT_ONCE;
        while (bytes.len() as u64) < length {
            let left = length - bytes.len() as u64;
            let range = RegionRange {
                region: region.region,
                length: left.min(at_once.into()) as u32,
                offset: offset + bytes.len() as u64,
            };
            let order = Order::Read(range);
            match self.ask(&order)? {
                Answer::Bytes(more) if !more.is_empty() => bytes.extend(more),
                Answer::Refused(Status::Limit, ..) if at_once > LEAST => at_once = LEAST,
                answer => {
                    let why = answer_words(&answer);
                    return Err(RunError::Refused { order: order_words(order.kind()), why });
                }
            }
        }
        Ok(bytes)
    }

    /// Lets the target look at everything that was sent before, where there is a control stream, and
    /// takes what it sent because of it.
    pub(super) fn settle(&mut self) -> Result<(), RunError> {
        if self.control.is_some() && !self.rpc {
            self.ask(&Order::Capabilities)?;
            self.ask(&Order::Capabilities)?;
        }
        self.pump(self.pace.round_trip + Duration::from_millis(2));
        Ok(())
    }

    /// Forgets the instance's streams; the transcript and where the target was are handed out.
    pub(super) fn clear(&mut self) -> (Transcript, Vec<SocketAddr>) {
        self.streams.clear();
        self.task = None;
        self.served.clear();
        self.refused = 0;
        (std::mem::take(&mut self.transcript), std::mem::take(&mut self.targets))
    }
}

fn write(transcript: &mut Transcript, stream: &mut Stream, writes: &[TcpWrite]) {
    for one in writes {
        let Some(connection) = &mut stream.connection else { return };
        let at = SystemTime::now();
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
        /// Why.
        error: io::Error,
    },
    /// The runner cannot listen.
    #[error("cannot listen at {address}: {error}")]
    Listen {
        /// Where to.
        address: SocketAddr,
        /// Why.
        error: io::Error,
    },
    /// A socket failed.
    #[error("{0}")]
    Socket(#[from] io::Error),
    /// The target did not connect in time.
    #[error("the target did not connect within {}", time(*.0))]
    NoConnection(Duration),
    /// The target's RPC requester did not connect.
    #[error("no connection came from the requester within {}: its command {command}", time(*.waited))]
    NoRequester {
        /// How long the runner waited: less than it would have, where the command ended.
        waited: Duration,
        /// How the command ended or what it is about, and what it said.
        command: String,
    },
    /// The control stream failed.
    #[error(transparent)]
    Client(#[from] ClientError),
    /// The target did not greet on the control stream in time.
    #[error("the target did not set the control stream up within {}", time(*.0))]
    NoGreeting(Duration),
    /// The target did not answer an order in time.
    #[error("the target did not answer the order `{order}` within {}", time(*.within))]
    NoAnswer {
        /// The order: its name in cases, or in the test ULP where cases have none.
        order: &'static str,
        /// How long it had.
        within: Duration,
    },
    /// The target refused an order that the run cannot do without.
    #[error("the target refused the order `{order}`: {why}")]
    Refused {
        /// The order: its name in cases, or in the test ULP where cases have none.
        order: &'static str,
        /// Why.
        why: String,
    },
    /// An action takes the test ULP, and the target does not speak it.
    #[error("{0} takes a target that speaks the test ULP")]
    NoAgent(&'static str),
    /// An action names what is not there.
    #[error("{0}")]
    Unknown(String),
    /// A step cannot be carried out.
    #[error("{0}")]
    Step(String),
    /// An instance took too long.
    #[error("the instance took longer than {}", time(*.0))]
    TooLong(Duration),
}
