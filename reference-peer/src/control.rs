//! Control connections: TCP connections beside the streams, on which a conformance runner and an agent
//! exchange lines. They are part of the [adapter](crate::network), and share its poll.

use crate::streams::ControlEvent;
use mio::net::{TcpListener, TcpStream};
use mio::{Interest, Registry, Token};
use std::collections::{BTreeMap, VecDeque};
use std::io::{self, ErrorKind, Read, Write};
use std::net::SocketAddr;
use std::time::Duration;

/// The first token of control connections; it is the listener's.
pub(crate) const FIRST: usize = 1 << 15;
/// Number of bytes per read.
const PIECE: usize = 64 << 10;
/// Number of pieces read from a connection in a turn, and of lines taken from it. The rest waits in
/// TCP.
const PIECES: usize = 4;
const LINES: usize = 64;
/// Limit in bytes, over all connections, of incomplete lines and of unsent bytes that wait for runners.
/// If they exceed it, the connection with the most ends.
const MOST_WAITING: usize = 64 << 20;
/// Time between attempts to call a runner that is not there, and the time limit of one attempt.
const AGAIN: Duration = Duration::from_millis(100);
const PATIENCE: Duration = Duration::from_secs(1);
/// The largest number of control connections.
const MOST: usize = 256;

/// A control connection.
#[derive(Debug)]
struct Line {
    socket: TcpStream,
    /// Received bytes that are not a complete line yet, and how many of them were searched for its end.
    received: Vec<u8>,
    searched: usize,
    unsent: VecDeque<u8>,
    /// Whether more can be read without waiting.
    more: bool,
    /// Whether the runner closed its direction: nothing more is read.
    finished: bool,
    /// Whether the service knows of that: it has answered what came before.
    answered: bool,
    over: bool,
}

/// The listener and its control connections.
#[derive(Debug, Default)]
pub(crate) struct Control {
    listener: Option<TcpListener>,
    /// Whether connections may be waiting that were not accepted because there was no room.
    crowded: bool,
    /// A runner to call, and the time of the next call.
    runner: Option<SocketAddr>,
    again: Duration,
    lines: BTreeMap<u64, Line>,
    next: u64,
    events: VecDeque<(u64, ControlEvent)>,
}

impl Control {
    /// Listens at an address; returns the address with its port.
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

    /// Sets a listening runner, which is called whenever no connection is open.
    pub(crate) fn call(&mut self, runner: SocketAddr) {
        self.runner = Some(runner);
    }

    /// Accepts what could not be accepted before, and calls the runner, if it is time.
    pub(crate) fn keep(&mut self, registry: &Registry, now: Duration) -> io::Result<()> {
        if self.crowded {
            self.accept(registry)?;
        }
        let Some(runner) = self.runner.filter(|_| self.lines.is_empty() && now >= self.again)
        else {
            return Ok(());
        };
        self.again = now.saturating_add(AGAIN);
        // If it is not there, it is called again.
        if let Ok(socket) = std::net::TcpStream::connect_timeout(&runner, PATIENCE) {
            socket.set_nonblocking(true)?;
            self.open(registry, TcpStream::from_std(socket), runner)?;
        }
        Ok(())
    }

    /// Returns whether no event is waiting.
    pub(crate) fn is_quiet(&self) -> bool {
        self.events.is_empty()
    }

    /// Returns whether more can be read without waiting.
    pub(crate) fn has_more(&self) -> bool {
        self.lines.values().any(|line| line.more)
    }

    fn open(
        &mut self,
        registry: &Registry,
        mut socket: TcpStream,
        runner: SocketAddr,
    ) -> io::Result<()> {
        // Failure only costs speed.
        let _ = socket.set_nodelay(true);
        self.next += 1;
        let token = Token(FIRST + self.next as usize % (FIRST - 1) + 1);
        let interest = Interest::READABLE | Interest::WRITABLE;
        registry.register(&mut socket, token, interest)?;
        let line = Line {
            socket,
            received: Vec::new(),
            searched: 0,
            unsent: VecDeque::new(),
            more: false,
            finished: false,
            answered: false,
            over: false,
        };
        self.lines.insert(self.next, line);
        self.events.push_back((self.next, ControlEvent::Opened(runner)));
        Ok(())
    }

    /// Accepts the connections that are waiting. The system reports each of them only once.
    fn accept(&mut self, registry: &Registry) -> io::Result<()> {
        self.crowded = false;
        while let Some(listener) = &self.listener {
            if self.lines.len() >= MOST {
                self.crowded = true;
                break;
            }
            match listener.accept() {
                Ok((socket, runner)) => self.open(registry, socket, runner)?,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                // The connection has already gone, or this process has no room for it.
                Err(_) => {
                    self.crowded = true;
                    break;
                }
            }
        }
        Ok(())
    }

    /// Handles readiness: reads what has arrived on any connection, and sends what waits.
    pub(crate) fn ready(&mut self, registry: &Registry) -> io::Result<()> {
        self.accept(registry)?;
        let mut piece = vec![0; PIECE];
        for (number, line) in &mut self.lines {
            line.more = !line.finished;
            let mut lines = LINES;
            for _ in 0..PIECES {
                if line.finished {
                    break;
                }
                while lines > 0
                    && let Some(whole) = line.next()
                {
                    lines -= 1;
                    self.events.push_back((*number, ControlEvent::Line(whole)));
                }
                if lines == 0 {
                    break;
                }
                match line.socket.read(&mut piece) {
                    Ok(count @ 1..) => line.received.extend(piece.iter().take(count)),
                    // Every whole line before is among the events already.
                    Ok(0) => {
                        (line.finished, line.more) = (true, false);
                        self.events.push_back((*number, ControlEvent::Closed));
                    }
                    Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                    Err(error) if error.kind() == ErrorKind::WouldBlock => {
                        line.more = false;
                        break;
                    }
                    Err(_) => {
                        line.over = true;
                        break;
                    }
                }
            }
            line.flush();
        }
        self.end_the_greediest(|line| line.received.len());
        self.drop_ended(registry);
        Ok(())
    }

    /// Ends the connections that hold the most bytes, until all together hold no more than they may.
    fn end_the_greediest(&mut self, held: impl Fn(&Line) -> usize) {
        let open = self.lines.values().filter(|line| !line.over);
        let mut all: usize = open.map(&held).sum();
        while all > MOST_WAITING {
            let left = self.lines.values_mut().filter(|line| !line.over);
            let Some(line) = left.max_by_key(|line| held(line)) else { break };
            line.over = true;
            all -= held(line);
        }
    }

    /// Sends a line; what TCP does not accept yet waits.
    pub(crate) fn say(&mut self, registry: &Registry, connection: u64, line: &str) {
        if let Some(to) = self.lines.get_mut(&connection) {
            to.unsent.extend(line.as_bytes());
            if to.unsent.len() > PIECE {
                to.flush();
            }
        }
        self.end_the_greediest(|line| line.unsent.len());
        self.drop_ended(registry);
    }

    /// Sends the waiting lines: many are sent together.
    pub(crate) fn flush(&mut self, registry: &Registry) {
        self.lines.values_mut().for_each(Line::flush);
        self.drop_ended(registry);
    }

    fn drop_ended(&mut self, registry: &Registry) {
        let events = &mut self.events;
        self.lines.retain(|number, line| {
            line.over |= line.answered && line.unsent.is_empty();
            if line.over {
                let _ = registry.deregister(&mut line.socket);
                if !line.finished {
                    events.push_back((*number, ControlEvent::Closed));
                }
            }
            !line.over
        });
    }

    /// Returns the next event.
    pub(crate) fn poll(&mut self) -> Option<(u64, ControlEvent)> {
        let (number, event) = self.events.pop_front()?;
        if event == ControlEvent::Closed
            && let Some(line) = self.lines.get_mut(&number)
        {
            line.answered = true;
        }
        Some((number, event))
    }
}

impl Line {
    /// Returns the next complete line, without its end; empty lines are skipped.
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
