//! One TCP connection.

use crate::connection::Transmit;
use mio::net::TcpStream;
use rustix::net::{SendFlags, send};
use socket2::{SockRef, TcpKeepalive};
use std::collections::VecDeque;
use std::io::{self, ErrorKind, Read};
use std::net::SocketAddr;
use std::time::Duration;

/// How long a connection may be quiet before TCP asks whether the peer is still there, and how long
/// until it asks again: after nine such questions the connection is lost.
const QUIET: Duration = Duration::from_secs(60);
const PROBE: Duration = Duration::from_secs(10);

/// What became of an attempt to move bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Moved {
    /// This many bytes.
    Bytes(usize),
    /// Not now.
    Blocked,
    /// The peer closed its direction, or will take no more.
    Finished,
    /// The connection is lost.
    Lost,
}

/// A TCP connection and what waits to go out on it.
#[derive(Debug)]
pub(super) struct Socket {
    pub(super) stream: TcpStream,
    /// False until an initiator's connection is open.
    pub(super) open: bool,
    pub(super) ends: Option<[SocketAddr; 2]>,
    /// What waits, one TCP segment each.
    waiting: VecDeque<Vec<u8>>,
    /// Bytes of the first that are gone.
    gone: usize,
    /// Whether to close once nothing waits, and whether that was done.
    pub(super) finishing: bool,
    pub(super) finished: bool,
    pub(super) peer_finished: bool,
    /// Whether the system told that nothing more comes; bytes may wait before that end.
    pub(super) closes: bool,
    pub(super) lost: bool,
    /// Once the stream is over: until when the peer is waited for.
    pub(super) lingers: Option<Duration>,
    /// Bytes that went out and came in.
    pub(super) sent: u64,
    pub(super) received: u64,
}

impl Socket {
    pub(super) fn new(stream: TcpStream, open: bool) -> Self {
        Self {
            stream,
            open,
            ends: None,
            waiting: VecDeque::new(),
            gone: 0,
            finishing: false,
            finished: false,
            peer_finished: false,
            closes: false,
            lost: false,
            lingers: None,
            sent: 0,
            received: 0,
        }
    }

    /// Sets the connection up for FPDUs that are sent at once; returns TCP's segment size.
    pub(super) fn prepare(&mut self) -> Option<usize> {
        // Only speed is lost where this cannot be had.
        let _ = self.stream.set_nodelay(true);
        // A peer that is gone without a word is noticed.
        let keepalive = TcpKeepalive::new().with_time(QUIET).with_interval(PROBE);
        let _ = SockRef::from(&self.stream).set_tcp_keepalive(&keepalive);
        let both = self.stream.local_addr().and_then(|it| Ok([it, self.stream.peer_addr()?]));
        self.ends = both.ok();
        SockRef::from(&self.stream).tcp_mss().ok().map(|bytes| bytes as usize)
    }

    /// Whether everything that was to go has gone.
    pub(super) fn is_idle(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Takes what is to be done; a reset is done at once.
    pub(super) fn push(&mut self, transmit: Transmit) {
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

    /// Sends what waits; calls `sent` with every piece that went.
    pub(super) fn send(&mut self, mut sent: impl FnMut(&[u8])) -> Moved {
        let mut moved = 0;
        while let Some(bytes) = self.waiting.front() {
            let rest = bytes.get(self.gone..).unwrap_or(&[]);
            // The end of a record: the next FPDU begins a TCP segment of its own (RFC 5044
            // section 5.1).
            match send(&self.stream, rest, SendFlags::EOR | SendFlags::NOSIGNAL) {
                Ok(count) => {
                    sent(rest.get(..count).unwrap_or(&[]));
                    self.gone += count;
                    moved += count;
                    if count == rest.len() {
                        self.waiting.pop_front();
                        self.gone = 0;
                    }
                }
                Err(rustix::io::Errno::AGAIN) => {
                    self.sent += moved as u64;
                    return Moved::Blocked;
                }
                Err(rustix::io::Errno::INTR) => {}
                Err(_) => return self.lose(),
            }
        }
        self.sent += moved as u64;
        if self.finishing && !self.finished {
            self.finished = true;
            let _ = self.stream.shutdown(std::net::Shutdown::Write);
            return Moved::Finished;
        }
        Moved::Bytes(moved)
    }

    /// Reads what has come.
    pub(super) fn receive(&mut self, buffer: &mut [u8]) -> Moved {
        loop {
            return match self.stream.read(buffer) {
                Ok(0) => {
                    self.peer_finished = true;
                    Moved::Finished
                }
                Ok(count) => {
                    self.received += count as u64;
                    Moved::Bytes(count)
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => Moved::Blocked,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(_) => self.lose(),
            };
        }
    }

    fn lose(&mut self) -> Moved {
        self.lost = true;
        self.waiting.clear();
        Moved::Lost
    }

    /// Whether an initiator's connection is open by now.
    pub(super) fn connected(&self) -> io::Result<bool> {
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
