//! Control connections: TCP beside the streams, on which a conformance runner and an agent exchange
//! lines. They are part of the [adapter](crate::network), and share its poll.

use crate::streams::ControlEvent;
use mio::net::{TcpListener, TcpStream};
use mio::{Interest, Registry, Token};
use std::collections::{BTreeMap, VecDeque};
use std::io::{self, ErrorKind, Read, Write};
use std::net::SocketAddr;
use std::time::Duration;

/// Tokens of control connections begin here, at the listener's.
pub(crate) const FIRST: usize = 1 << 15;
/// Bytes that are read at once.
const PIECE: usize = 64 << 10;
/// Pieces that are read of a connection in a turn, and lines that are taken of it: what more there is
/// waits in TCP.
const PIECES: usize = 4;
const LINES: usize = 64;
/// Bytes of lines whose end has not come, and bytes that wait for runners that do not read, of all
/// connections: the one that passes this ends.
const MOST_WAITING: usize = 64 << 20;
/// How often a runner is called that is not there, and how long one call may take.
const AGAIN: Duration = Duration::from_millis(100);
const PATIENCE: Duration = Duration::from_secs(1);
/// Control connections at once.
const MOST: usize = 256;

/// A control connection.
#[derive(Debug)]
struct Line {
    socket: TcpStream,
    /// What came and is no line yet, and how much of it was searched for an end.
    received: Vec<u8>,
    searched: usize,
    unsent: VecDeque<u8>,
    /// Whether more can be read at once.
    more: bool,
    over: bool,
}

/// The listener and its connections.
#[derive(Debug, Default)]
pub(crate) struct Control {
    listener: Option<TcpListener>,
    /// A runner that is called, and when the next time.
    runner: Option<SocketAddr>,
    again: Duration,
    lines: BTreeMap<u64, Line>,
    next: u64,
    events: VecDeque<(u64, ControlEvent)>,
}

impl Control {
    /// Listens; returns the address with its port.
    pub(crate) fn listen(
        &mut self,
        registry: &Registry,
        address: SocketAddr,
    ) -> io::Result<SocketAddr> {
        let mut listener = TcpListener::bind(address)?;
        registry.register(&mut listener, Token(FIRST), Interest::READABLE)?;
        let bound = listener.local_addr()?;
        self.listener = Some(listener);
        Ok(bound)
    }

    /// Has a runner that listens called, whenever no connection is there.
    pub(crate) fn call(&mut self, runner: SocketAddr) {
        self.runner = Some(runner);
    }

    /// Calls the runner, if it is time to.
    pub(crate) fn keep(&mut self, registry: &Registry, now: Duration) -> io::Result<()> {
        let Some(runner) = self.runner.filter(|_| self.lines.is_empty() && now >= self.again)
        else {
            return Ok(());
        };
        self.again = now.saturating_add(AGAIN);
        // One that is not there is called again.
        if let Ok(socket) = std::net::TcpStream::connect_timeout(&runner, PATIENCE) {
            socket.set_nonblocking(true)?;
            self.open(registry, TcpStream::from_std(socket), runner)?;
        }
        Ok(())
    }

    /// Whether nothing has happened that was not looked at.
    pub(crate) fn is_quiet(&self) -> bool {
        self.events.is_empty()
    }

    /// Whether more can be read without waiting.
    pub(crate) fn has_more(&self) -> bool {
        self.lines.values().any(|line| line.more)
    }

    fn open(
        &mut self,
        registry: &Registry,
        mut socket: TcpStream,
        runner: SocketAddr,
    ) -> io::Result<()> {
        // Only speed is lost where this cannot be had.
        let _ = socket.set_nodelay(true);
        self.next += 1;
        let token = Token(FIRST + self.next as usize % (FIRST - 1) + 1);
        let interest = Interest::READABLE | Interest::WRITABLE;
        registry.register(&mut socket, token, interest)?;
        let (received, unsent) = (Vec::new(), VecDeque::new());
        let line = Line { socket, received, searched: 0, unsent, more: false, over: false };
        self.lines.insert(self.next, line);
        self.events.push_back((self.next, ControlEvent::Opened(runner)));
        Ok(())
    }

    /// Something is ready: takes what came, on whichever connection, and sends what waits.
    pub(crate) fn ready(&mut self, registry: &Registry) -> io::Result<()> {
        while self.lines.len() < MOST
            && let Some(listener) = &self.listener
        {
            match listener.accept() {
                Ok((socket, runner)) => self.open(registry, socket, runner)?,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => break,
            }
        }
        let mut waiting: usize = self.lines.values().map(|line| line.received.len()).sum();
        let mut piece = vec![0; PIECE];
        for (number, line) in &mut self.lines {
            line.more = true;
            let mut lines = LINES;
            for _ in 0..PIECES {
                waiting -= line.received.len();
                while lines > 0
                    && let Some(whole) = line.next()
                {
                    lines -= 1;
                    self.events.push_back((*number, ControlEvent::Line(whole)));
                }
                waiting += line.received.len();
                line.over |= waiting > MOST_WAITING;
                if line.over || lines == 0 {
                    break;
                }
                match line.socket.read(&mut piece) {
                    Ok(count @ 1..) => {
                        line.received.extend(piece.iter().take(count));
                        waiting += count;
                    }
                    Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                    Err(error) if error.kind() == ErrorKind::WouldBlock => {
                        line.more = false;
                        break;
                    }
                    _ => {
                        line.over = true;
                        break;
                    }
                }
            }
            line.flush();
        }
        self.drop_ended(registry);
        Ok(())
    }

    /// Says a line; what TCP does not take yet waits.
    pub(crate) fn say(&mut self, registry: &Registry, connection: u64, line: &str) {
        let waiting: usize = self.lines.values().map(|line| line.unsent.len()).sum();
        if let Some(to) = self.lines.get_mut(&connection) {
            to.unsent.extend(line.as_bytes());
            if to.unsent.len() > PIECE {
                to.flush();
            }
            to.over |= waiting + to.unsent.len() > MOST_WAITING;
        }
        self.drop_ended(registry);
    }

    /// Sends what was said: many lines go out together.
    pub(crate) fn flush(&mut self, registry: &Registry) {
        self.lines.values_mut().for_each(Line::flush);
        self.drop_ended(registry);
    }

    fn drop_ended(&mut self, registry: &Registry) {
        let events = &mut self.events;
        self.lines.retain(|number, line| {
            if line.over {
                let _ = registry.deregister(&mut line.socket);
                events.push_back((*number, ControlEvent::Closed));
            }
            !line.over
        });
    }

    /// What happened next.
    pub(crate) fn poll(&mut self) -> Option<(u64, ControlEvent)> {
        self.events.pop_front()
    }
}

impl Line {
    /// The next line that has come whole, without its end; empty lines say nothing.
    fn next(&mut self) -> Option<Vec<u8>> {
        if self.searched == 0 {
            let blank = self.received.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            self.received.drain(..blank);
        }
        let unsearched = self.received.get(self.searched..)?;
        let Some(end) = unsearched.iter().position(|byte| *byte == b'\n') else {
            self.searched = self.received.len();
            return None;
        };
        let after = self.received.split_off(self.searched + end + 1);
        let mut whole = std::mem::replace(&mut self.received, after);
        whole.pop();
        self.searched = 0;
        Some(whole)
    }

    fn flush(&mut self) {
        while !self.unsent.is_empty() && !self.over {
            let (front, _) = self.unsent.as_slices();
            match self.socket.write(front) {
                Ok(count) => drop(self.unsent.drain(..count)),
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => self.over = true,
            }
        }
    }
}
