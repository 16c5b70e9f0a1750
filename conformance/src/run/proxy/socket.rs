//! One of the two TCP connections of a pair.

use mio::net::TcpStream;
use rustix::net::{SendFlags, send};
use socket2::{SockRef, TcpKeepalive};
use std::io::{self, ErrorKind, Read as _};
use std::net::Shutdown;
use std::time::Duration;

/// How long a connection may be quiet before TCP asks whether the peer is still there, and how long
/// until it asks again.
const QUIET: Duration = Duration::from_secs(60);
const PROBE: Duration = Duration::from_secs(10);

/// What became of an attempt to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Read {
    /// This many bytes.
    Bytes(usize),
    /// Nothing for now.
    Blocked,
    /// The peer closed its direction.
    Finished,
    /// The connection is lost.
    Lost,
}

/// A TCP connection, with what the system told of it.
#[derive(Debug)]
pub(super) struct Socket {
    pub(super) stream: TcpStream,
    pub(super) readable: bool,
    pub(super) writable: bool,
    /// Whether nothing more comes from it.
    pub(super) over: bool,
    /// Whether the system has an error for it.
    pub(super) failed: bool,
}

impl Socket {
    pub(super) fn new(stream: std::net::TcpStream) -> io::Result<Self> {
        // Where the connection is lost already, the first read tells.
        let _ = stream.set_nodelay(true);
        let keepalive = TcpKeepalive::new().with_time(QUIET).with_interval(PROBE);
        // A peer that is gone without a word is noticed later where this cannot be had.
        let _ = SockRef::from(&stream).set_tcp_keepalive(&keepalive);
        stream.set_nonblocking(true)?;
        let stream = TcpStream::from_std(stream);
        Ok(Self { stream, readable: true, writable: true, over: false, failed: false })
    }

    /// Reads what has come.
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

    /// Writes bytes that nothing is to be joined to; returns how many went: 0 when there is no room.
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
        // That it failed shows in what is read.
        let _ = self.stream.shutdown(Shutdown::Write);
    }

    /// Has the connection reset as soon as it is dropped.
    pub(super) fn reset(&self) {
        let _ = SockRef::from(&self.stream).set_linger(Some(Duration::ZERO));
    }
}
