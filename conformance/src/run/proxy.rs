//! Accepts connections and relays each of them.

use crate::proxy::{Impairments, Observed, Relay, Step, Witness, capture_writer};
use crate::run::session::RunError;
use crate::run::suite::capture_path;
use mio::{Events, Interest, Poll, Token};
use rustix::net::{SendFlags, send};
use socket2::{SockRef, TcpKeepalive};
use std::fs::File;
use std::io::{self, BufWriter, ErrorKind, Read as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant, SystemTime};
use warpscope_dissector::recording::create_private;

/// The maximum number of connections at once. More wait until others end.
const MOST: u64 = 128;
/// How often to check for a connection.
const NAP: Duration = Duration::from_millis(10);

/// How connections are relayed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProxyOptions {
    /// The addresses of the target; the first that answers is used.
    pub to: Vec<SocketAddr>,
    /// What is done to the streams.
    pub impairments: Impairments,
    /// The seed of all choices.
    pub seed: u64,
    /// The number of the first connection.
    pub first: u64,
    /// The number of connections after which it ends.
    pub connections: u64,
    /// The time after which it ends.
    pub during: Option<Duration>,
    /// The folder for captures, one per connection.
    pub captures: Option<PathBuf>,
    /// The name of the program in captures.
    pub application: String,
}

/// A listener whose connections are relayed to a target.
#[derive(Debug)]
pub struct Proxy {
    listener: TcpListener,
    address: SocketAddr,
}

type ConnectionResult = Result<Observed, RunError>;

impl Proxy {
    /// Listens.
    ///
    /// # Errors
    /// [`RunError::Listen`].
    pub fn listen(address: SocketAddr) -> Result<Self, RunError> {
        let failed = |error| RunError::Listen { address, error };
        let listener = TcpListener::bind(address).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        Ok(Self { listener, address })
    }

    /// Returns the address where it listens, with the port.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Relays connections until there were enough, the time is over, or `stop` is set. Connections that are
    /// open then are reset. Each connection is reported when it is over.
    ///
    /// # Errors
    /// [`RunError::Connect`] if the first connection cannot reach the target; for a later one, this is
    /// reported as inconclusive. [`RunError::Socket`] if captures cannot be written.
    pub fn run(
        self,
        options: &ProxyOptions,
        stop: &AtomicBool,
        mut report: impl FnMut(Observed),
    ) -> Result<(), RunError> {
        if let Some(folder) = &options.captures {
            std::fs::create_dir_all(folder)?;
        }
        let until = options.during.map(|during| Instant::now() + during);
        let over = AtomicBool::new(false);
        let (sender, receiver) = channel();
        let mut failed = None;
        std::thread::scope(|scope| {
            let (mut taken, mut running) = (0, 0);
            loop {
                if stop.load(Ordering::Relaxed)
                    || until.is_some_and(|until| Instant::now() >= until)
                    || failed.is_some()
                {
                    over.store(true, Ordering::Relaxed);
                }
                let enough = taken >= options.connections;
                let ended = over.load(Ordering::Relaxed) || enough;
                if ended && running == 0 {
                    break;
                }
                let mut idle = true;
                if !ended && running < MOST {
                    match self.listener.accept() {
                        Ok((stream, from)) => {
                            let number = options.first + taken;
                            let one = RelayedConnection { options, number, from, to: self.address };
                            let (over, sender) = (&over, sender.clone());
                            scope.spawn(move || one.run(stream, over, &sender));
                            (taken, running, idle) = (taken + 1, running + 1, false);
                        }
                        Err(error) if waits(&error) => {}
                        Err(error) => failed = Some(error.into()),
                    }
                }
                let wait = if idle { NAP } else { Duration::ZERO };
                for came in heard(&receiver, wait) {
                    running -= 1;
                    match came {
                        Ok(observed) => report(observed),
                        Err(error) => failed = failed.take().or(Some(error)),
                    }
                }
            }
        });
        failed.map_or(Ok(()), Err)
    }
}

/// Whether there is just no connection for now. One that went away before it was accepted counts too.
fn waits(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::WouldBlock | ErrorKind::Interrupted | ErrorKind::ConnectionAborted
    )
}

/// Returns everything that came within this time.
fn heard(receiver: &Receiver<ConnectionResult>, wait: Duration) -> Vec<ConnectionResult> {
    let first = receiver.recv_timeout(wait).ok();
    first.into_iter().chain(receiver.try_iter()).collect()
}

/// An accepted connection.
struct RelayedConnection<'a> {
    options: &'a ProxyOptions,
    number: u64,
    from: SocketAddr,
    /// The address that accepted it.
    to: SocketAddr,
}

impl RelayedConnection<'_> {
    fn run(self, stream: TcpStream, over: &AtomicBool, sender: &Sender<ConnectionResult>) {
        // If nobody listens, the run has ended.
        let _ = sender.send(self.relayed(stream, over));
    }

    fn relayed(&self, stream: TcpStream, over: &AtomicBool) -> ConnectionResult {
        let options = self.options;
        let (target, to) = match connect(&options.to) {
            Ok(connected) => connected,
            Err(error) => {
                // This tells the side that connected that there is nobody.
                let _ = socket2::SockRef::from(&stream).set_linger(Some(Duration::ZERO));
                if self.number == options.first {
                    return Err(error);
                }
                let to = options.to.first().copied().unwrap_or(self.to);
                return Ok(Observed::unreached(self.number, [self.from, to], error.to_string()));
            }
        };
        let ends = [self.from, to];
        let unreached = Observed::unreached(self.number, ends, String::new());
        let path = options.captures.as_ref().map(|folder| capture_path(folder, &unreached.id()));
        let capture = path.as_ref().map(|path| {
            let file = BufWriter::new(create_private(path)?);
            capture_writer(file, &options.application)
        });
        let witness = Witness::opened(wall_clock(), ends, capture.transpose()?)?;
        let relay = Relay::new(options.impairments, options.seed, self.number);
        let sockets = [Socket::new(stream)?, Socket::new(target)?];
        let observed = Pair::new(sockets, relay, witness)?.run(self.number, over)?;
        Ok(Observed { capture: path, ..observed })
    }
}

/// The maximum time for one attempt.
const WITHIN: Duration = Duration::from_secs(5);
/// The pauses before a refused connection is tried again.
const AGAIN: [Duration; 3] =
    [Duration::from_millis(20), Duration::from_millis(100), Duration::from_millis(400)];

/// Connects to the first address that answers, and returns it.
///
/// # Errors
/// [`RunError::Connect`] of the last one if none answers.
pub(super) fn connect(addresses: &[SocketAddr]) -> Result<(TcpStream, SocketAddr), RunError> {
    let mut failed = RunError::Unknown("the target has no address".to_owned());
    for pause in AGAIN.into_iter().map(Some).chain([None]) {
        let mut refused = false;
        for address in addresses {
            match TcpStream::connect_timeout(address, WITHIN) {
                Ok(stream) => return Ok((stream, *address)),
                Err(error) => {
                    refused |= error.kind() == ErrorKind::ConnectionRefused;
                    failed = RunError::Connect { address: *address, error: plain(error) };
                }
            }
        }
        match pause {
            Some(pause) if refused => std::thread::sleep(pause),
            _ => break,
        }
    }
    Err(failed)
}

/// Returns the error with the words for its kind if those of the system say less.
fn plain(error: io::Error) -> io::Error {
    if error.kind() == ErrorKind::TimedOut {
        return io::Error::new(ErrorKind::TimedOut, format!("no answer within {WITHIN:?}"));
    }
    error
}

const BUFFER: usize = 1 << 16;
/// The maximum sleep, so that a request to stop is noticed.
const IDLE: Duration = Duration::from_millis(100);
/// The number of pieces written before it is the other side's turn.
const TURN: usize = 256;

/// The two connections by side, and what passes between them.
pub(super) struct Pair {
    sockets: [Socket; 2],
    relay: Relay,
    witness: Witness<BufWriter<File>>,
    poll: Poll,
    buffer: Vec<u8>,
    began: Instant,
}

/// Returns nanoseconds since 1970.
pub(super) fn wall_clock() -> i64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}

/// Returns how long to wait for events if nothing moves. `due` is indexed by the sending side, `space` by the side
/// whether its socket takes bytes: what is due but cannot be sent waits for an event, and nothing waits for it.
fn until_due(now: Duration, due: [Option<Duration>; 2], space: [bool; 2]) -> Duration {
    let [to_first, to_second] = space;
    let [from_first, from_second] = due;
    let first = from_first.filter(|_| to_second);
    let next = first.into_iter().chain(from_second.filter(|_| to_first)).min();
    match next.map(|due| due.saturating_sub(now)) {
        Some(due) if due.is_zero() => Duration::ZERO,
        // A poll counts in milliseconds, and must not return too early.
        Some(due) => (due + Duration::from_millis(1)).min(IDLE),
        None => IDLE,
    }
}

impl Pair {
    pub(super) fn new(
        sockets: [Socket; 2],
        relay: Relay,
        witness: Witness<BufWriter<File>>,
    ) -> io::Result<Self> {
        let poll = Poll::new()?;
        let mut sockets = sockets;
        for (token, socket) in sockets.iter_mut().enumerate() {
            let interest = Interest::READABLE | Interest::WRITABLE;
            poll.registry().register(&mut socket.stream, Token(token), interest)?;
        }
        let (buffer, began) = (vec![0; BUFFER], Instant::now());
        Ok(Self { sockets, relay, witness, poll, buffer, began })
    }

    fn socket(&mut self, side: u8) -> &mut Socket {
        let [first, second] = &mut self.sockets;
        if side == 0 { first } else { second }
    }

    /// Moves bytes until both sides have closed or the connection is lost, or until `stop` is set. Returns
    /// what was seen.
    pub(super) fn run(mut self, number: u64, stop: &AtomicBool) -> io::Result<Observed> {
        let mut events = Events::with_capacity(8);
        let mut stopped = false;
        while !self.relay.is_over() {
            if stop.load(Ordering::Relaxed) {
                stopped = true;
                self.sockets.iter().for_each(Socket::reset);
                break;
            }
            // Everything that came is read before anything is sent, so that answers stay in order.
            let moved = self.receive(0)? | self.receive(1)? | self.send(0)? | self.send(1)?;
            let space = self.sockets.each_ref().map(|socket| socket.writable);
            let wait = match moved {
                true => Duration::ZERO,
                false => until_due(self.began.elapsed(), self.relay.due(), space),
            };
            match self.poll.poll(&mut events, Some(wait)) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                other => other?,
            }
            if events.is_empty() && wait == IDLE {
                self.witness.flush()?;
            }
            for event in &events {
                let socket = self.socket(u8::from(event.token() != Token(0)));
                let ends = event.is_read_closed() || event.is_error() || event.is_write_closed();
                socket.readable |= event.is_readable() || ends;
                socket.writable |= event.is_writable() || ends;
                socket.failed |= event.is_error();
            }
        }
        let took = self.began.elapsed();
        let observed = self.witness.end(number, self.relay.counts())?;
        Ok(Observed { took, cut_short: stopped, ..observed })
    }

    /// Reads what a side sent. Returns true if there was any.
    fn receive(&mut self, side: u8) -> io::Result<bool> {
        let room = self.relay.has_room(side);
        let [first, second] = &mut self.sockets;
        let socket = if side == 0 { first } else { second };
        if socket.over || !room {
            // Nothing is read after a FIN, or while too much waits. A reset is reported in another way then.
            let reset = std::mem::take(&mut socket.failed) && socket.stream.take_error()?.is_some();
            return if reset { self.lost(side).map(|()| true) } else { Ok(false) };
        }
        if !socket.readable {
            return Ok(false);
        }
        let read = socket.read(&mut self.buffer);
        let (now, time) = (self.began.elapsed(), wall_clock());
        match read {
            Read::Bytes(count) => {
                let bytes = self.buffer.get(..count).unwrap_or_default();
                self.witness.bytes(time, side, bytes)?;
                self.relay.received(now, side, bytes);
            }
            Read::Blocked => return Ok(false),
            Read::Finished => {
                socket.over = true;
                self.witness.finished(time, side)?;
                self.relay.finished(side);
            }
            Read::Lost => {
                socket.over = true;
                self.witness.reset(time, side)?;
                self.relay.lost(side);
            }
        }
        Ok(true)
    }

    /// Relays what a side sent, as far as it is due and there is space. Returns true if anything was sent.
    fn send(&mut self, from: u8) -> io::Result<bool> {
        let to = 1 - from;
        let mut moved = false;
        for _ in 0..TURN {
            let (now, lost) = (self.began.elapsed(), self.relay.is_lost());
            let [first, second] = &mut self.sockets;
            let socket = if to == 0 { first } else { second };
            match self.relay.step(now, from) {
                Step::Bytes(bytes) if socket.writable => match socket.write(bytes) {
                    Ok(0) => {}
                    Ok(count) => {
                        self.relay.went(now, from, count);
                        self.witness.arrived(to, count);
                    }
                    Err(_) => {
                        self.lost(to)?;
                        return Ok(true);
                    }
                },
                // At the end of a lost connection, what finds no space is lost with it.
                Step::Bytes(_) if lost => {
                    socket.reset();
                    self.relay.has_reset();
                }
                Step::Finish => {
                    socket.finish();
                    self.relay.has_finished(from);
                    self.witness.arrived(to, 1);
                }
                Step::Reset => {
                    socket.reset();
                    self.relay.has_reset();
                }
                Step::Bytes(_) | Step::Nothing => break,
            }
            moved = true;
        }
        Ok(moved)
    }

    /// Handles a side that accepts no more: reads what it sent before, and then treats it as lost.
    fn lost(&mut self, side: u8) -> io::Result<()> {
        self.socket(side).readable = true;
        loop {
            let [first, second] = &mut self.sockets;
            let socket = if side == 0 { first } else { second };
            if socket.over {
                break;
            }
            let Read::Bytes(count) = socket.read(&mut self.buffer) else { break };
            let bytes = self.buffer.get(..count).unwrap_or_default();
            self.witness.bytes(wall_clock(), side, bytes)?;
            self.relay.received(self.began.elapsed(), side, bytes);
        }
        self.socket(side).over = true;
        self.witness.reset(wall_clock(), side)?;
        self.relay.lost(side);
        Ok(())
    }
}

/// How long a connection may be idle before TCP checks whether the peer is still there, and the interval of
/// further checks.
const QUIET: Duration = Duration::from_secs(60);
const PROBE: Duration = Duration::from_secs(10);

/// The result of an attempt to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Read {
    Bytes(usize),
    /// Nothing for now.
    Blocked,
    /// The peer closed its direction.
    Finished,
    Lost,
}

/// A TCP connection with its state as reported by the system.
#[derive(Debug)]
pub(super) struct Socket {
    pub(super) stream: mio::net::TcpStream,
    pub(super) readable: bool,
    pub(super) writable: bool,
    /// Whether nothing more will come from it.
    pub(super) over: bool,
    /// Whether the system has an error for it.
    pub(super) failed: bool,
}

impl Socket {
    pub(super) fn new(stream: TcpStream) -> io::Result<Self> {
        // If the connection is already lost, the first read shows it.
        let _ = stream.set_nodelay(true);
        let keepalive = TcpKeepalive::new().with_time(QUIET).with_interval(PROBE);
        // If this is not available, a peer that silently disappeared is noticed later.
        let _ = SockRef::from(&stream).set_tcp_keepalive(&keepalive);
        stream.set_nonblocking(true)?;
        let stream = mio::net::TcpStream::from_std(stream);
        Ok(Self { stream, readable: true, writable: true, over: false, failed: false })
    }

    /// Reads received bytes.
    pub(super) fn read(&mut self, buffer: &mut [u8]) -> Read {
        loop {
            return match self.stream.read(buffer) {
                Ok(0) => Read::Finished,
                Ok(count) => Read::Bytes(count),
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    self.readable = false;
                    Read::Blocked
                }
                Err(_) => Read::Lost,
            };
        }
    }

    /// Writes bytes without joining anything to them. Returns how many were written: 0 if there is no space.
    pub(super) fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        loop {
            return match send(&self.stream, bytes, SendFlags::EOR | SendFlags::NOSIGNAL) {
                Ok(count) => Ok(count),
                Err(rustix::io::Errno::INTR) => continue,
                Err(rustix::io::Errno::AGAIN) => {
                    self.writable = false;
                    Ok(0)
                }
                Err(error) => Err(error.into()),
            };
        }
    }

    /// Closes the direction towards the peer.
    pub(super) fn finish(&self) {
        // A failure shows in what is read.
        let _ = self.stream.shutdown(Shutdown::Write);
    }

    /// Makes the connection end with a reset when it is dropped.
    pub(super) fn reset(&self) {
        let _ = SockRef::from(&self.stream).set_linger(Some(Duration::ZERO));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_direction_without_space_keeps_nobody_waiting() {
        let milliseconds = |number| Duration::from_millis(number);
        let (now, later) = (milliseconds(20), Some(milliseconds(25)));
        for (due, space, wait) in [
            ([Some(now), later], [true, true], 0),
            ([Some(now), later], [true, false], 6),
            ([later, Some(now)], [false, true], 6),
            ([Some(now), None], [true, false], 100),
            ([None, Some(now)], [true, false], 0),
            ([None, None], [true, true], 100),
        ] {
            assert_eq!(until_due(now, due, space), milliseconds(wait), "{due:?} {space:?}");
        }
    }
}
