//! Moves bytes between the two connections of a pair.

use super::socket::{Read, Socket};
use crate::proxy::{Observed, Relay, Step, Witness};
use mio::{Events, Interest, Poll, Token};
use std::fs::File;
use std::io::{self, BufWriter, ErrorKind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime};

/// Bytes read at once.
const BUFFER: usize = 1 << 16;
/// The longest sleep, so that a wish to stop is noticed.
const NAP: Duration = Duration::from_millis(100);
/// Pieces that are written before the other side has its turn.
const TURN: usize = 256;

/// The two connections, by side, and what passes between them.
pub(super) struct Pair {
    sockets: [Socket; 2],
    relay: Relay,
    witness: Witness<BufWriter<File>>,
    poll: Poll,
    buffer: Vec<u8>,
    began: Instant,
}

/// Nanoseconds since 1970.
pub(super) fn wall_clock() -> i64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
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

    /// Moves bytes until both sides have closed or the connection is lost; ends early once `stop` says
    /// so. Returns what was seen.
    ///
    /// # Errors
    /// The capture's, and the system's.
    pub(super) fn run(mut self, number: u64, stop: &AtomicBool) -> io::Result<Observed> {
        let mut events = Events::with_capacity(8);
        let mut stopped = false;
        while !self.relay.is_over() {
            if stop.load(Ordering::Relaxed) {
                stopped = true;
                self.sockets.iter().for_each(Socket::reset);
                break;
            }
            // All that came is seen before anything goes on: what answers what stays in order.
            let moved = self.receive(0)? | self.receive(1)? | self.send(0)? | self.send(1)?;
            let now = self.began.elapsed();
            let due = self.relay.due().map(|due| due.saturating_sub(now));
            // What is due and cannot go waits for room.
            let waits = [0, 1].into_iter().any(|side| !self.socket(side).writable);
            let nap = match due {
                _ if moved => Duration::ZERO,
                Some(due) if due.is_zero() && waits => NAP,
                // A poll counts in milliseconds, and must not return before the time.
                Some(due) if !due.is_zero() => (due + Duration::from_millis(1)).min(NAP),
                Some(_) => Duration::ZERO,
                None => NAP,
            };
            match self.poll.poll(&mut events, Some(nap)) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                other => other?,
            }
            if events.is_empty() && nap == NAP {
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
        let observed = self.witness.end(number, self.relay.told())?;
        Ok(Observed { took, cut_short: stopped, ..observed })
    }

    /// Reads what a side sent; true when there was any.
    fn receive(&mut self, side: u8) -> io::Result<bool> {
        let room = self.relay.has_room(side);
        let [first, second] = &mut self.sockets;
        let socket = if side == 0 { first } else { second };
        if socket.over {
            // What is behind a FIN is not read: that a reset followed is told otherwise.
            let reset = std::mem::take(&mut socket.failed) && socket.stream.take_error()?.is_some();
            return if reset { self.lost(side).map(|()| true) } else { Ok(false) };
        }
        if !socket.readable || !room {
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

    /// Sends on what a side sent, as far as it is due and there is room; true when any went.
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
                // At the end of a connection that is lost, what finds no room is lost with it.
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

    /// A side takes no more: what it sent before is read, and then it counts as lost.
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
