//! The adapter that gives streams real TCP connections and a real clock. No other part of this crate
//! has either.

use super::connection::{Config, Role, Transmit};
use super::control::{self, Control};
use super::streams::{Service, StreamEvent, Streams};
use mio::event::Event;
use mio::net::{TcpListener, TcpStream};
use mio::{Events, Interest, Poll, Token};
use rustix::net::{SendFlags, send};
use socket2::{SockRef, TcpKeepalive};
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::io::{self, ErrorKind, Read};
use std::net::SocketAddr;
use std::time::{Duration, Instant, SystemTime};

#[cfg(test)]
mod tests;

/// The first token of streams: smaller tokens are listeners. A stream's token is this plus its number.
const FIRST_STREAM: usize = 1 << 16;
/// Number of bytes per read.
const BUFFER: usize = 128 * 1024;
/// Number of connections that may wait to be accepted.
const BACKLOG: i32 = 4096;
/// How long to wait for a peer to close after a stream has ended.
const LINGER: Duration = Duration::from_secs(2);
/// The same time if a bug keeps TCP open.
const LINGER_BY_BUG: Duration = Duration::from_secs(60);
/// Number of bytes sent before TCP is asked again for its segment size: it doubles each time, up to the
/// second number.
const EMSS_DUE: u64 = 64 * 1024;
const MOST_EMSS_DUE: u64 = 1024 * 1024;
/// Interval at which idle streams are searched for.
const IDLE_CHECK: Duration = Duration::from_millis(500);
/// The longest sleep, so that a request to stop is noticed.
const NAP: Duration = Duration::from_millis(100);

/// The options of a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HostOptions {
    /// The largest number of streams at once; more are not accepted until others end.
    pub most_streams: usize,
    /// The TCP segment size in bytes to use instead of the one that TCP reports.
    pub emss: Option<usize>,
    /// How long a stream may be open without a byte received or sent; `None` means no limit.
    pub idle_timeout: Option<Duration>,
}

impl Default for HostOptions {
    fn default() -> Self {
        Self { most_streams: 4096, emss: None, idle_timeout: None }
    }
}

/// The state of a socket, as the system reports it.
#[derive(Debug, Clone, Copy)]
struct Ready {
    readable: bool,
    writable: bool,
    /// The peer closed its direction, or the connection is lost: this is reported once.
    closes: bool,
}

impl Ready {
    fn of(event: &Event) -> Self {
        let closes = event.is_read_closed() || event.is_error();
        let readable = event.is_readable() || event.is_error();
        Self { readable, writable: event.is_writable(), closes }
    }
}

/// Streams whose TCP connections are real.
pub struct Host {
    streams: Streams,
    options: HostOptions,
    poll: Poll,
    events: Events,
    listeners: Vec<(TcpListener, Config)>,
    /// Whether connections may be waiting that were not accepted because there was no room.
    crowded: bool,
    sockets: HashMap<u64, Socket>,
    /// Streams from whose sockets more can be read.
    readable: BTreeSet<u64>,
    /// Streams that have ended, or whose TCP connection has.
    leaving: BTreeSet<u64>,
    control: Control,
    tap: Option<Box<dyn Tap>>,
    buffer: Vec<u8>,
    began: Instant,
    /// When idle streams are searched for next.
    idle_check: Duration,
    bytes: [u64; 2],
}

impl std::fmt::Debug for Host {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Host").field("streams", &self.streams).finish_non_exhaustive()
    }
}

impl Host {
    /// Creates a host for these streams, which have no connection yet.
    ///
    /// # Errors
    /// When the system cannot provide a poll.
    pub fn new(streams: Streams, options: HostOptions) -> io::Result<Self> {
        Ok(Self {
            streams,
            options,
            poll: Poll::new()?,
            events: Events::with_capacity(1024),
            listeners: Vec::new(),
            crowded: false,
            sockets: HashMap::new(),
            readable: BTreeSet::new(),
            leaving: BTreeSet::new(),
            control: Control::default(),
            tap: None,
            buffer: vec![0; BUFFER],
            began: Instant::now(),
            idle_check: Duration::ZERO,
            bytes: [0; 2],
        })
    }

    /// Passes all traffic to `tap`.
    pub fn tap(&mut self, tap: Box<dyn Tap>) {
        self.tap = Some(tap);
    }

    /// Accepts connections at `address`, each with `config`; returns the address with its port.
    ///
    /// # Errors
    /// When it is not possible to listen at the address.
    pub fn listen(&mut self, address: SocketAddr, config: Config) -> io::Result<SocketAddr> {
        let mut listener = TcpListener::bind(address)?;
        // A thousand may arrive at once: with the usual queue some of them are reset.
        rustix::net::listen(&listener, BACKLOG)?;
        let token = Token(self.listeners.len());
        self.poll.registry().register(&mut listener, token, Interest::READABLE)?;
        let bound = listener.local_addr()?;
        self.listeners.push((listener, config));
        Ok(bound)
    }

    /// Accepts control connections at `address`, for a service that is an agent's; returns the address
    /// with its port.
    ///
    /// # Errors
    /// When it is not possible to listen at the address.
    pub fn listen_for_control(&mut self, address: SocketAddr) -> io::Result<SocketAddr> {
        self.control.listen(self.poll.registry(), address)
    }

    /// Opens a control connection to a listening runner as soon as it can be reached, and again
    /// whenever that has ended.
    pub fn call_runner(&mut self, address: SocketAddr) {
        self.control.call(address);
    }

    /// Passes what was received on control connections to the service, after everything that was
    /// received before on the streams.
    fn hear_control(&mut self, service: &mut dyn Service) {
        while let Some((connection, event)) = self.control.poll() {
            service.control(&mut self.streams, connection, event);
            self.say_control(service);
        }
    }

    /// Queues the lines that the service sends on control connections; they are sent before the next sleep.
    fn say_control(&mut self, service: &mut dyn Service) {
        while let Some((connection, line)) = service.poll_control() {
            self.control.say(self.poll.registry(), connection, &line);
        }
    }

    /// Returns the streams.
    pub fn streams(&mut self) -> &mut Streams {
        &mut self.streams
    }

    /// Returns the bytes sent and received, over all connections.
    pub fn bytes(&self) -> [u64; 2] {
        self.bytes
    }

    /// Returns the next event; `None` after `timeout`, or when a signal arrived.
    ///
    /// # Errors
    /// When the poll fails. A failure of one connection is an event.
    pub fn wait(&mut self, timeout: Duration) -> io::Result<Option<(u64, StreamEvent)>> {
        let until = Instant::now() + timeout;
        let mut asked = false;
        loop {
            self.streams.set_now(self.began.elapsed());
            // Work that is posted for several events is sent together.
            if let Some(event) = self.streams.poll() {
                return Ok(Some(event));
            }
            self.transmit()?;
            if let Some(event) = self.streams.poll() {
                return Ok(Some(event));
            }
            let left = until.saturating_duration_since(Instant::now());
            if asked && (left.is_zero() || !self.control.is_quiet()) {
                return Ok(None);
            }
            asked = true;
            match self.turn(left) {
                Err(error) if error.kind() == ErrorKind::Interrupted => return Ok(None),
                other => other?,
            }
        }
    }

    /// Runs a service until it is done. Once `stop` returns true, the service is asked to stop; when
    /// that takes longer than `grace`, streams are dropped.
    ///
    /// # Errors
    /// As [`Host::wait`].
    pub fn serve(
        &mut self,
        service: &mut dyn Service,
        mut stop: impl FnMut() -> bool,
        grace: Duration,
    ) -> io::Result<()> {
        let mut stopping: Option<Instant> = None;
        while !service.is_done(&self.streams) {
            let now = self.streams.now();
            let due = service.poll_timeout().map(|due| due.saturating_sub(now));
            let nap = due.unwrap_or(NAP).min(NAP);
            match self.wait(nap)? {
                Some((number, event)) => service.handle(&mut self.streams, number, event),
                None => self.hear_control(service),
            }
            self.say_control(service);
            if service.poll_timeout().is_some_and(|due| due <= self.streams.now()) {
                service.handle_timeout(&mut self.streams);
            }
            match stopping {
                None if stop() => {
                    stopping = Some(Instant::now() + grace);
                    self.listeners.clear();
                    service.stop(&mut self.streams);
                }
                Some(_) if self.streams.count() == 0 => break,
                Some(until) if Instant::now() >= until => {
                    for number in self.streams.numbers() {
                        self.streams.abort(number);
                    }
                    self.transmit()?;
                    break;
                }
                _ => {}
            }
        }
        self.drain(service, grace)
    }

    /// Sends what is waiting when a service is done.
    fn drain(&mut self, service: &mut dyn Service, grace: Duration) -> io::Result<()> {
        self.control.flush(self.poll.registry());
        let until = Instant::now() + grace;
        for number in self.streams.numbers() {
            self.streams.finish(number);
        }
        while self.streams.count() > 0 && Instant::now() < until {
            if let Some((number, event)) = self.wait(NAP)? {
                service.handle(&mut self.streams, number, event);
            }
        }
        Ok(())
    }

    /// Performs one turn: sleeps until something is ready, and handles it.
    fn turn(&mut self, left: Duration) -> io::Result<()> {
        self.control.flush(self.poll.registry());
        if self.crowded && self.has_room() {
            self.crowded = false;
            for token in 0..self.listeners.len() {
                self.accept(token)?;
            }
        }
        let now = self.streams.now();
        self.control.keep(self.poll.registry(), now)?;
        let lingering = self.leaving.iter().filter_map(|it| self.sockets.get(it)?.lingers).min();
        let due = [self.streams.poll_timeout(), lingering].into_iter().flatten().min();
        let mut nap = due.map_or(left, |due| due.saturating_sub(now).min(left));
        let mut called = self.control.has_more();
        if called || !self.readable.is_empty() {
            nap = Duration::ZERO;
        }
        // Rounded up: a poll counts in milliseconds, and must not return too early.
        let nap = if nap.is_zero() { nap } else { nap.saturating_add(Duration::from_millis(1)) };
        self.poll.poll(&mut self.events, Some(nap))?;
        let ready: Vec<(usize, Ready)> =
            self.events.iter().map(|it| (it.token().0, Ready::of(it))).collect();
        self.streams.set_now(self.began.elapsed());
        for (token, ready) in ready {
            match token {
                FIRST_STREAM.. => self.is_ready((token - FIRST_STREAM) as u64, ready),
                control::FIRST.. => called = true,
                _ => self.accept(token)?,
            }
        }
        if called {
            self.control.ready(self.poll.registry())?;
        }
        for number in self.readable.clone() {
            self.receive(number);
        }
        self.streams.handle_timeouts();
        self.drop_idle();
        self.leave();
        Ok(())
    }

    /// Returns whether another stream may be accepted. One whose end was not reported yet still counts.
    fn has_room(&self) -> bool {
        self.streams.count() < self.options.most_streams
    }

    fn accept(&mut self, token: usize) -> io::Result<()> {
        while let Some((listener, config)) = self.listeners.get(token) {
            if !self.has_room() {
                self.crowded = true;
                return Ok(());
            }
            let (stream, _) = match listener.accept() {
                Ok(accepted) => accepted,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                // The connection has already gone, or this process has no room for it.
                Err(_) => {
                    self.crowded = true;
                    return Ok(());
                }
            };
            let mut socket = Socket::new(stream, true);
            let emss = self.options.emss.or(socket.prepare());
            let from = socket.ends.map(|[_, peer]| peer);
            let number = self.streams.accepted(config.clone(), from, emss);
            self.register(number, socket)?;
            self.tap_opened(number, false);
        }
        Ok(())
    }

    fn register(&mut self, number: u64, mut socket: Socket) -> io::Result<()> {
        let token = Token(FIRST_STREAM + number as usize);
        let interest = Interest::READABLE | Interest::WRITABLE;
        self.poll.registry().register(&mut socket.stream, token, interest)?;
        self.sockets.insert(number, socket);
        Ok(())
    }

    fn connect(&mut self, number: u64, address: SocketAddr) -> io::Result<()> {
        match TcpStream::connect(address) {
            Ok(stream) => self.register(number, Socket::new(stream, false)),
            Err(error) => {
                self.streams.not_connected(number, error.kind());
                self.streams.remove(number);
                Ok(())
            }
        }
    }

    fn tap_opened(&mut self, number: u64, initiator: bool) {
        let ends = self.sockets.get(&number).and_then(|socket| socket.ends);
        if let (Some(tap), Some(ends)) = (&mut self.tap, ends) {
            tap.opened(SystemTime::now(), number, ends, initiator);
        }
    }

    fn is_ready(&mut self, number: u64, ready: Ready) {
        let Some(socket) = self.sockets.get_mut(&number) else { return };
        socket.closes |= ready.closes;
        if !socket.open {
            match socket.connected() {
                Ok(false) => return,
                Ok(true) => {
                    socket.open = true;
                    let emss = self.options.emss.or(socket.prepare());
                    self.tap_opened(number, true);
                    self.streams.opened(number, emss);
                }
                Err(error) => {
                    socket.lost = true;
                    self.streams.not_connected(number, error.kind());
                    self.leaving.insert(number);
                    return;
                }
            }
        }
        if ready.readable {
            self.readable.insert(number);
        }
        if ready.writable {
            self.send(number);
        }
    }

    /// Reads once from a socket, so that each stream gets its turn.
    fn receive(&mut self, number: u64) {
        let Some(socket) = self.sockets.get_mut(&number) else {
            self.readable.remove(&number);
            return;
        };
        let length = self.streams.read_length(number, self.buffer.len());
        let moved = socket.receive(self.buffer.get_mut(..length).unwrap_or_default());
        match moved {
            Transfer::Bytes(count) => {
                // Less came than was asked for: nothing is left, and new bytes are reported, unless the
                // end was already reported.
                if count < length && !socket.closes {
                    self.readable.remove(&number);
                }
                self.pass_on(number, count);
                self.send(number);
                return;
            }
            Transfer::Blocked => {}
            Transfer::Finished => {
                if let Some(tap) = &mut self.tap {
                    tap.finished(SystemTime::now(), number, false);
                }
                self.streams.finished(number);
                self.leaving.insert(number);
            }
            Transfer::Lost => self.lose(number),
        }
        self.readable.remove(&number);
    }

    /// Passes on bytes that were received.
    fn pass_on(&mut self, number: u64, count: usize) {
        let bytes = self.buffer.get(..count).unwrap_or(&[]);
        self.bytes[1] += count as u64;
        if let Some(tap) = &mut self.tap {
            tap.bytes(SystemTime::now(), number, false, bytes);
        }
        self.streams.received(number, bytes);
    }

    /// Receives what came before a connection was lost: a Terminate is delivered (RFC 5040 section 5.4).
    fn receive_rest(&mut self, number: u64) {
        while let Some(socket) = self.sockets.get_mut(&number)
            && let Transfer::Bytes(count) = socket.receive(&mut self.buffer)
        {
            self.pass_on(number, count);
        }
    }

    fn lose(&mut self, number: u64) {
        if let Some(tap) = &mut self.tap {
            tap.reset(SystemTime::now(), number, false);
        }
        self.streams.lost(number);
        self.leaving.insert(number);
    }

    /// Opens the requested connections, and sends what the streams have to send.
    fn transmit(&mut self) -> io::Result<()> {
        while let Some((number, address)) = self.streams.poll_connect() {
            self.connect(number, address)?;
        }
        while let Some(number) = self.streams.poll_sending() {
            self.send(number);
        }
        Ok(())
    }

    /// Sends what a stream has, until its socket accepts no more.
    fn send(&mut self, number: u64) {
        let Some(socket) = self.sockets.get_mut(&number) else { return };
        while socket.open && !socket.lost {
            if let Some(segment) = socket.gone_segment.take() {
                self.streams.reuse(number, segment);
            }
            // A stream that is over may end with a reset, even if the peer has stopped reading.
            if (socket.is_idle() || self.streams.is_over(number))
                && let Some(transmit) = self.streams.poll_transmit(number)
            {
                let resets = transmit == Transmit::Reset;
                socket.push(transmit);
                if let Some(tap) = self.tap.as_mut().filter(|_| resets) {
                    tap.reset(SystemTime::now(), number, true);
                }
                continue;
            }
            let tap = &mut self.tap;
            let before = socket.sent;
            let moved = socket.send(|bytes| {
                if let Some(tap) = tap {
                    tap.bytes(SystemTime::now(), number, true, bytes);
                }
            });
            self.bytes[0] += socket.sent - before;
            if self.options.emss.is_none()
                && let Some(emss) = socket.later_emss()
            {
                self.streams.set_emss(number, emss);
            }
            match moved {
                Transfer::Bytes(0) | Transfer::Blocked => break,
                Transfer::Bytes(_) => {}
                Transfer::Finished => {
                    if let Some(tap) = &mut self.tap {
                        tap.finished(SystemTime::now(), number, true);
                    }
                }
                Transfer::Lost => {
                    self.receive_rest(number);
                    self.lose(number);
                    break;
                }
            }
        }
        if self.streams.is_over(number) {
            self.leaving.insert(number);
        }
    }

    /// Drops streams on which nothing was received or sent for a long time.
    fn drop_idle(&mut self) {
        let now = self.streams.now();
        let Some(most) = self.options.idle_timeout.filter(|_| now >= self.idle_check) else {
            return;
        };
        self.idle_check = now.saturating_add(IDLE_CHECK.min(most));
        let mut idle = Vec::new();
        for (number, socket) in self.sockets.iter_mut().filter(|(_, it)| it.open && !it.lost) {
            if socket.moved_bytes() {
                socket.quiet_since = now;
            } else if now.saturating_sub(socket.quiet_since) >= most {
                idle.push(*number);
            }
        }
        for number in idle {
            self.streams.expire(number);
            self.leaving.insert(number);
        }
    }

    /// Removes connections that have ended.
    fn leave(&mut self) {
        let now = self.streams.now();
        for number in self.leaving.clone() {
            let over = self.streams.is_over(number);
            let Some(socket) = self.sockets.get_mut(&number) else {
                self.leaving.remove(&number);
                continue;
            };
            let config = self.streams.config(number);
            let kept = config.is_some_and(Config::keeps_tcp);
            let linger = if kept { LINGER_BY_BUG } else { LINGER };
            let lingers = *socket.lingers.get_or_insert(now.saturating_add(linger));
            if !over && !socket.lost {
                // The peer closed its direction: this side may continue.
                socket.lingers = None;
                self.leaving.remove(&number);
                continue;
            }
            // After a rejection, the responder leaves the close to the initiator (RFC 5044 section
            // 7.1.2 rule 2).
            let role = self.streams.config(number).map(|config| config.role);
            let waits = role == Some(Role::Responder) || kept;
            let closes = !waits || socket.peer_finished || now >= lingers;
            if over && closes && socket.is_idle() && !socket.finished && !socket.lost {
                socket.finishing = true;
                self.send(number);
                continue;
            }
            if socket.lost || (socket.finished && socket.peer_finished) || now >= lingers {
                let mut socket = self.sockets.remove(&number);
                if let Some(socket) = &mut socket {
                    let _ = self.poll.registry().deregister(&mut socket.stream);
                }
                self.readable.remove(&number);
                self.leaving.remove(&number);
                self.streams.remove(number);
            }
        }
    }
}

/// How long a connection may be quiet before TCP probes whether the peer is still there, and the time
/// between probes: after nine probes the connection is lost.
const QUIET: Duration = Duration::from_secs(60);
const PROBE: Duration = Duration::from_secs(10);

/// The result of an attempt to send or receive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Transfer {
    /// This many bytes.
    Bytes(usize),
    /// The operation would block.
    Blocked,
    /// The peer closed its direction, or accepts no more bytes.
    Finished,
    /// The connection is lost.
    Lost,
}

/// A TCP connection and its unsent bytes.
#[derive(Debug)]
struct Socket {
    stream: TcpStream,
    /// False until an initiator's connection is open.
    open: bool,
    ends: Option<[SocketAddr; 2]>,
    /// Unsent TCP segments.
    waiting: VecDeque<Vec<u8>>,
    /// Number of bytes of the first segment that were sent.
    gone: usize,
    /// The buffer of a segment that was sent completely.
    gone_segment: Option<Vec<u8>>,
    /// Whether to close once everything is sent, and whether that was done.
    finishing: bool,
    finished: bool,
    peer_finished: bool,
    /// Whether the system reported the end of the incoming bytes; some may still wait to be read.
    closes: bool,
    lost: bool,
    /// The time until which to wait for the peer, once the stream is over.
    lingers: Option<Duration>,
    /// The number of sent bytes at which TCP is asked again for its segment size.
    emss_due: u64,
    /// Number of bytes sent and received.
    sent: u64,
    received: u64,
    /// The time since which no byte was sent or received, and the number of bytes until then.
    quiet_since: Duration,
    seen: u64,
}

impl Socket {
    fn new(stream: TcpStream, open: bool) -> Self {
        Self {
            stream,
            open,
            ends: None,
            waiting: VecDeque::new(),
            gone: 0,
            gone_segment: None,
            finishing: false,
            finished: false,
            peer_finished: false,
            closes: false,
            lost: false,
            lingers: None,
            emss_due: EMSS_DUE,
            sent: 0,
            received: 0,
            quiet_since: Duration::ZERO,
            seen: 0,
        }
    }

    /// Prepares the connection for FPDUs that are sent at once; returns TCP's segment size.
    fn prepare(&mut self) -> Option<usize> {
        // Failure only costs speed.
        let _ = self.stream.set_nodelay(true);
        // This detects a peer that has gone silently.
        let keepalive = TcpKeepalive::new().with_time(QUIET).with_interval(PROBE);
        let _ = SockRef::from(&self.stream).set_tcp_keepalive(&keepalive);
        let both = self.stream.local_addr().and_then(|it| Ok([it, self.stream.peer_addr()?]));
        self.ends = both.ok();
        self.emss()
    }

    fn emss(&self) -> Option<usize> {
        SockRef::from(&self.stream).tcp_mss().ok().map(|bytes| bytes as usize)
    }

    /// Returns TCP's segment size from time to time: it can grow with the peer's window, and shrink with
    /// the path.
    fn later_emss(&mut self) -> Option<usize> {
        if self.sent < self.emss_due {
            return None;
        }
        self.emss_due = self.sent + self.sent.min(MOST_EMSS_DUE);
        self.emss()
    }

    /// Returns whether bytes were received or sent since the previous call; true on the first call.
    fn moved_bytes(&mut self) -> bool {
        // One more than the real number, so that the first answer is true.
        let bytes = self.sent + self.received + 1;
        std::mem::replace(&mut self.seen, bytes) != bytes
    }

    /// Returns whether everything was sent.
    fn is_idle(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Queues an action; a reset is done at once.
    fn push(&mut self, transmit: Transmit) {
        match transmit {
            Transmit::Bytes(bytes) => self.waiting.push_back(bytes),
            Transmit::Finish => self.finishing = true,
            Transmit::Reset => {
                self.waiting.clear();
                let _ = SockRef::from(&self.stream).set_linger(Some(Duration::ZERO));
                self.lost = true;
            }
        }
    }

    /// Sends what waits; calls `sent` with every piece that was sent.
    fn send(&mut self, mut sent: impl FnMut(&[u8])) -> Transfer {
        let mut moved = 0;
        while let Some(bytes) = self.waiting.front() {
            let rest = bytes.get(self.gone..).unwrap_or(&[]);
            // This ends a record: the next FPDU begins a TCP segment of its own (RFC 5044 section 5.1).
            match send(&self.stream, rest, SendFlags::EOR | SendFlags::NOSIGNAL) {
                Ok(count) => {
                    sent(rest.get(..count).unwrap_or(&[]));
                    self.gone += count;
                    moved += count;
                    if count == rest.len() {
                        self.gone_segment = self.waiting.pop_front();
                        self.gone = 0;
                    }
                }
                Err(rustix::io::Errno::AGAIN) => {
                    self.sent += moved as u64;
                    return Transfer::Blocked;
                }
                Err(rustix::io::Errno::INTR) => {}
                Err(_) => return self.lose(),
            }
        }
        self.sent += moved as u64;
        if self.finishing && !self.finished {
            self.finished = true;
            let _ = self.stream.shutdown(std::net::Shutdown::Write);
            return Transfer::Finished;
        }
        Transfer::Bytes(moved)
    }

    /// Reads received bytes.
    fn receive(&mut self, buffer: &mut [u8]) -> Transfer {
        loop {
            return match self.stream.read(buffer) {
                Ok(0) => {
                    self.peer_finished = true;
                    Transfer::Finished
                }
                Ok(count) => {
                    self.received += count as u64;
                    Transfer::Bytes(count)
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => Transfer::Blocked,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(_) => self.lose(),
            };
        }
    }

    fn lose(&mut self) -> Transfer {
        self.lost = true;
        self.waiting.clear();
        Transfer::Lost
    }

    /// Returns whether an initiator's connection is open.
    fn connected(&self) -> io::Result<bool> {
        if let Some(error) = self.stream.take_error()? {
            return Err(error);
        }
        match self.stream.peer_addr() {
            Ok(_) => Ok(true),
            Err(error) if error.kind() == ErrorKind::NotConnected => Ok(false),
            Err(error) => Err(error),
        }
    }
}

/// Receives a copy of the traffic of TCP connections, in order.
pub trait Tap: Send {
    /// Reports an open connection. `initiator` is true when this side opened it.
    fn opened(&mut self, at: SystemTime, number: u64, ends: [SocketAddr; 2], initiator: bool);

    /// Reports bytes that were sent (`sent`) or received.
    fn bytes(&mut self, at: SystemTime, number: u64, sent: bool, bytes: &[u8]);

    /// Reports the close of a direction: by this side (`sent`) or by the peer.
    fn finished(&mut self, at: SystemTime, number: u64, sent: bool);

    /// Reports the reset of a connection: by this side (`sent`), by the peer, or by the network.
    fn reset(&mut self, at: SystemTime, number: u64, sent: bool);
}
