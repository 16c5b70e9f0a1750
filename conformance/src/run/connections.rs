//! TCP connections, each with a thread that reads it. All of them deliver their events to one place.

use super::session::RunError;
use crate::frames::LONGEST;
use socket2::{Domain, SockRef, Socket, Type};
use std::io::{self, Read, Write};
use std::net::{IpAddr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime};

/// A single read is one frame of a capture.
const READ: usize = LONGEST;
/// The maximum number of bytes that wait to be heard, over all connections. Readers leave the rest in TCP.
const QUEUED: usize = 4 << 20;
/// The maximum number of bytes that are read from a connection that is being closed: more than a case leaves in
/// TCP. If they stayed there, TCP would close the connection with a reset.
const LEFT: usize = 8 << 20;
/// The cost of an event besides its bytes.
const EVENT: usize = 128;
/// How long a write may wait for space.
const WRITE_TIMEOUT: Duration = Duration::from_secs(20);
/// How often a paused reader checks whether it may continue.
const PAUSE: Duration = Duration::from_millis(1);
/// The pauses before a refused connection is tried again.
const AGAIN: [Duration; 3] =
    [Duration::from_millis(20), Duration::from_millis(100), Duration::from_millis(400)];

#[derive(Debug)]
pub(super) enum SocketEvent {
    Bytes(Vec<u8>),
    Finished,
    Reset,
}

/// The clock of a session. All events of the session are ordered by these times, which do not change if the
/// wall clock is set.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clock {
    began: Instant,
    on_the_wall: SystemTime,
}

impl Clock {
    fn start() -> Self {
        Self { began: Instant::now(), on_the_wall: SystemTime::now() }
    }

    pub(super) fn now(self) -> SystemTime {
        self.on_the_wall + self.began.elapsed()
    }
}

/// What a connection heard, and when.
#[derive(Debug)]
pub(super) struct Event {
    pub(super) connection: u64,
    pub(super) time: SystemTime,
    pub(super) heard: SocketEvent,
}

impl Event {
    /// Returns the cost of keeping it, in bytes.
    fn cost(&self) -> usize {
        EVENT + if let SocketEvent::Bytes(bytes) = &self.heard { bytes.len() } else { 0 }
    }
}

/// The connections of a session, which deliver their events here.
#[derive(Debug)]
pub(super) struct Connections {
    sender: Sender<Event>,
    receiver: Receiver<Event>,
    /// The cost of the events that have not been heard yet.
    queued: Arc<AtomicUsize>,
    next: u64,
    pub(super) clock: Clock,
}

#[derive(Debug)]
pub(super) struct Connection {
    pub(super) number: u64,
    /// The addresses of this side and of the target.
    pub(super) ends: [SocketAddr; 2],
    /// Whether this side opened it.
    pub(super) opened: bool,
    /// When it was established: before anything was heard on it.
    pub(super) since: SystemTime,
    /// The longest segment that TCP sends, in bytes, if TCP reports it.
    pub(super) segment_size: Option<usize>,
    stream: TcpStream,
    gate: Arc<Gate>,
    reader: Option<JoinHandle<()>>,
}

/// The state that controls a connection's reader.
#[derive(Debug, Default)]
struct Gate {
    /// Incoming data stays in TCP while this is set.
    paused: AtomicBool,
    /// Nobody listens to it any longer.
    closed: AtomicBool,
}

impl Connections {
    pub(super) fn new() -> Self {
        let (sender, receiver) = channel();
        let queued = Arc::new(AtomicUsize::new(0));
        Self { sender, receiver, queued, next: 1, clock: Clock::start() }
    }

    /// Connects, with segments of at most this number of bytes. Tries a refused connection again a few times.
    /// Returns how often it was refused.
    pub(super) fn connect(
        &mut self,
        address: SocketAddr,
        mut from: Option<OwnPort>,
        timeout: Duration,
        segment_size: Option<u32>,
    ) -> Result<(Connection, usize), RunError> {
        let mut refused = 0;
        loop {
            let own = from.as_ref().map(|it| it.address);
            match open(address, from.take(), timeout, segment_size) {
                Ok(stream) => return Ok((self.adopt(stream, true)?, refused)),
                Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
                    let Some(pause) = AGAIN.get(refused) else {
                        return Err(RunError::Connect { address, error });
                    };
                    refused += 1;
                    std::thread::sleep(*pause);
                    from = own.map(OwnPort::again).transpose()?;
                }
                Err(error) => return Err(RunError::Connect { address, error }),
            }
        }
    }

    /// Waits for a connection at a listener; returns `None` if none came within this time.
    pub(super) fn accept(
        &mut self,
        listener: &TcpListener,
        within: Duration,
    ) -> Result<Option<Connection>, RunError> {
        let until = Instant::now() + within;
        self.accept_until(listener, || Ok(Instant::now() >= until))
    }

    /// Waits for a connection at a listener until `over` returns true. A connection that waits by then is
    /// still accepted: a runner that had no time to look must not report that nothing came.
    pub(super) fn accept_until(
        &mut self,
        listener: &TcpListener,
        mut over: impl FnMut() -> Result<bool, RunError>,
    ) -> Result<Option<Connection>, RunError> {
        listener.set_nonblocking(true)?;
        loop {
            let last = over()?;
            match listener.accept() {
                Ok((stream, _)) => {
                    stream.set_nonblocking(false)?;
                    return self.adopt(stream, false).map(Some);
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock && last => return Ok(None),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    std::thread::sleep(Duration::from_millis(2));
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    fn adopt(&mut self, stream: TcpStream, opened: bool) -> Result<Connection, RunError> {
        stream.set_nodelay(true)?;
        stream.set_write_timeout(Some(WRITE_TIMEOUT))?;
        let ends = [stream.local_addr()?, stream.peer_addr()?];
        let segment_size = SockRef::from(&stream).tcp_mss().ok().map(|it| it as usize);
        let number = self.next;
        self.next += 1;
        let (clock, since) = (self.clock, self.clock.now());
        let gate = Arc::new(Gate::default());
        let reader = Reader {
            stream: stream.try_clone()?,
            connection: number,
            clock,
            sender: self.sender.clone(),
            queued: Arc::clone(&self.queued),
            gate: Arc::clone(&gate),
        };
        let reader = std::thread::Builder::new()
            .name(format!("connection {number}"))
            .spawn(move || reader.run())?;
        let reader = Some(reader);
        Ok(Connection { number, ends, opened, since, segment_size, stream, gate, reader })
    }

    /// Returns the next event; `None` if there is none within this time.
    pub(super) fn hear(&self, within: Duration) -> Option<Event> {
        let event = self.receiver.recv_timeout(within).ok()?;
        self.queued.fetch_sub(event.cost(), Ordering::Relaxed);
        Some(event)
    }
}

/// A port of this side that is reserved before its connection is known.
#[derive(Debug)]
pub(super) struct OwnPort {
    pub(super) address: SocketAddr,
    socket: Socket,
}

impl OwnPort {
    /// Reserves any port that is free at an address.
    pub(super) fn take(address: IpAddr) -> io::Result<Self> {
        Self::again(SocketAddr::new(address, 0))
    }

    fn again(address: SocketAddr) -> io::Result<Self> {
        let socket = Socket::new(Domain::for_address(address), Type::STREAM, None)?;
        socket.set_reuse_address(true)?;
        socket.bind(&address.into())?;
        let bound = socket.local_addr()?.as_socket();
        Ok(Self { address: bound.unwrap_or(address), socket })
    }
}

fn open(
    address: SocketAddr,
    from: Option<OwnPort>,
    timeout: Duration,
    segment_size: Option<u32>,
) -> io::Result<TcpStream> {
    let socket = match from {
        Some(port) => port.socket,
        None => Socket::new(Domain::for_address(address), Type::STREAM, None)?,
    };
    if let Some(segment_size) = segment_size {
        socket.set_tcp_mss(segment_size)?;
    }
    socket.connect_timeout(&address.into(), timeout)?;
    Ok(socket.into())
}

/// Reads a connection in its own thread.
struct Reader {
    stream: TcpStream,
    connection: u64,
    clock: Clock,
    sender: Sender<Event>,
    queued: Arc<AtomicUsize>,
    gate: Arc<Gate>,
}

impl Reader {
    fn run(mut self) {
        let mut buffer = vec![0; READ];
        let mut left = LEFT;
        loop {
            while self.waits() {
                std::thread::sleep(PAUSE);
            }
            let heard = match self.stream.read(&mut buffer) {
                Ok(0) => SocketEvent::Finished,
                Ok(length) => SocketEvent::Bytes(buffer.get(..length).unwrap_or_default().to_vec()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(_) => SocketEvent::Reset,
            };
            let over = !matches!(heard, SocketEvent::Bytes(_));
            let event = Event { connection: self.connection, time: self.clock.now(), heard };
            self.queued.fetch_add(event.cost(), Ordering::Relaxed);
            if self.gate.closed.load(Ordering::Relaxed) {
                left = left.saturating_sub(event.cost());
            }
            if self.sender.send(event).is_err() || over || left == 0 {
                return;
            }
        }
    }

    /// Whether incoming data must stay in TCP for now.
    fn waits(&self) -> bool {
        let full = self.queued.load(Ordering::Relaxed) >= QUEUED;
        (self.gate.paused.load(Ordering::Relaxed) || full)
            && !self.gate.closed.load(Ordering::Relaxed)
    }
}

impl Connection {
    /// Writes bytes, and returns how many were written.
    pub(super) fn write(&mut self, bytes: &[u8]) -> (usize, io::Result<()>) {
        let mut written = 0;
        while let Some(rest) = bytes.get(written..).filter(|rest| !rest.is_empty()) {
            match self.stream.write(rest) {
                Ok(0) => return (written, Err(io::ErrorKind::WriteZero.into())),
                Ok(more) => written += more,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return (written, Err(error)),
            }
        }
        (written, Ok(()))
    }

    /// Sets whether incoming data is read. A read that has already begun still delivers its data.
    pub(super) fn hear(&self, on: bool) {
        self.gate.paused.store(!on, Ordering::Relaxed);
    }

    /// Closes this side's direction normally.
    pub(super) fn finish(&self) -> io::Result<()> {
        self.stream.shutdown(Shutdown::Write)
    }

    pub(super) fn reset(self) -> io::Result<()> {
        SockRef::from(&self.stream).set_linger(Some(Duration::ZERO))
        // Dropping ends the reader before the last descriptor is closed, which sends the reset.
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.gate.closed.store(true, Ordering::Relaxed);
        // Wakes the reader without sending anything.
        let _ = self.stream.shutdown(Shutdown::Read);
        if let Some(reader) = self.reader.take() {
            let _ = reader.join();
        }
    }
}
