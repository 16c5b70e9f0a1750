//! Many streams and the memory that they share, also without sockets and clocks.
//!
//! A service works with [`Streams`], and an adapter drives them. [`Pipe`] is the adapter without a
//! network: two sides in one program.

use super::connection::{Config, Connection, Event, Role, SetupFailure, Transmit};
use super::memory::Memory;
use super::setup::SetupRevision;
use super::work::{Completion, LocalBuffer, PostError, WorkRequest};
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::fmt;
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::time::Duration;

#[cfg(test)]
mod tests;

/// An event of a stream. Completions come before the events that follow them, and
/// [`StreamEvent::Closed`] comes last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StreamEvent {
    /// An event of the connection.
    Event(Event),
    /// The completion of a work request or a receive.
    Completion(Completion),
    /// The peer does not accept revision 2: the stream with this number tries revision 1 on a new
    /// connection (RFC 6581 section 10).
    FellBack(u64),
    /// The stream has ended; its number is not used again.
    Closed,
}

/// An event of a control connection: TCP, beside the streams.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ControlEvent {
    /// The connection to a runner is open.
    Opened(SocketAddr),
    /// A line was received, here without its end.
    Line(Vec<u8>),
    /// The connection has ended.
    Closed,
}

/// A program that works with streams. One service has all streams of a side, both accepted and opened.
pub trait Service: fmt::Debug {
    /// Handles an event of the stream `number`. The service posts, accepts, finishes and reads memory
    /// through `streams`. After [`StreamEvent::Closed`] the number is not used again.
    fn handle(&mut self, streams: &mut Streams, number: u64, event: StreamEvent);

    /// Handles an event of the control connection with this number, if the service is an agent's.
    fn control(&mut self, _streams: &mut Streams, _connection: u64, _event: ControlEvent) {}

    /// Returns a line to send on a control connection.
    fn poll_control(&mut self) -> Option<(u64, String)> {
        None
    }

    /// Returns when [`Service::handle_timeout`] is to be called next.
    fn poll_timeout(&self) -> Option<Duration> {
        None
    }

    /// Handles the timer that [`Service::poll_timeout`] returned.
    fn handle_timeout(&mut self, _streams: &mut Streams) {}

    /// Ends work in progress normally, because the user wants to stop. By default every stream is
    /// finished.
    fn stop(&mut self, streams: &mut Streams) {
        for number in streams.numbers() {
            streams.finish(number);
        }
    }

    /// Returns whether an event of a stream is no failure, because the service opens another stream instead.
    fn tries_again(&self, _number: u64, _event: &Event) -> bool {
        false
    }

    /// Returns whether nothing is left to do, so that the program can end.
    fn is_done(&self, _streams: &Streams) -> bool {
        false
    }

    /// Returns what went wrong, for the user; `None` if all went well.
    fn failure(&self) -> Option<String> {
        None
    }

    /// Returns what was done, one item per line, for the end of a run.
    fn summary(&self) -> Vec<String> {
        Vec::new()
    }
}

/// Two sides whose TCP connections have no loss and no delay. A connection that one side opens is
/// accepted by the other, whatever the address.
#[derive(Debug)]
pub struct Pipe {
    /// The sides.
    pub sides: [Streams; 2],
    /// The configuration with which each side accepts.
    pub accepting: [Config; 2],
    /// The longest piece in which bytes arrive, in bytes.
    pub piece: usize,
    /// The numbers of each stream at both sides.
    pairs: Vec<[u64; 2]>,
}

impl Pipe {
    /// Creates two sides without streams that accept with these configurations.
    pub fn new(sides: [Streams; 2], accepting: [Config; 2]) -> Self {
        Self { sides, accepting, piece: usize::MAX, pairs: Vec::new() }
    }

    /// Transfers bytes, and runs both services, until nothing changes any more.
    pub fn run(&mut self, services: &mut [&mut dyn Service; 2]) {
        let mut moved = true;
        while moved {
            moved = self.carry();
            for (side, service) in services.iter_mut().enumerate() {
                while let Some((number, event)) = self.poll(side) {
                    service.handle(&mut self.sides[side & 1], number, event);
                    moved = true;
                }
            }
        }
    }

    /// Returns the next event at a side.
    pub fn poll(&mut self, side: usize) -> Option<(u64, StreamEvent)> {
        self.sides[side & 1].poll()
    }

    /// Sets the time on both sides.
    pub fn set_now(&mut self, now: Duration) {
        for side in &mut self.sides {
            side.set_now(now);
            side.handle_timeouts();
        }
    }

    /// Transfers what both sides have to send; returns whether there was anything.
    pub fn carry(&mut self) -> bool {
        let mut moved = false;
        for side in [0, 1] {
            while let Some((number, _)) = self.sides[side].poll_connect() {
                let there =
                    self.sides[1 - side].accepted(self.accepting[1 - side].clone(), None, None);
                self.sides[side].opened(number, None);
                let mut pair = [there; 2];
                pair[side] = number;
                self.pairs.push(pair);
                moved = true;
            }
            while let Some(number) = self.sides[side].poll_sending() {
                moved |= self.carry_stream(side, number);
            }
        }
        let [left, right] = &mut self.sides;
        self.pairs.retain(|[here, there]| {
            let over = left.is_over(*here) && right.is_over(*there);
            if over {
                left.remove(*here);
                right.remove(*there);
            }
            !over
        });
        moved
    }

    fn carry_stream(&mut self, side: usize, number: u64) -> bool {
        let Some(pair) = self.pairs.iter().find(|pair| pair[side] == number) else { return false };
        let other = pair[1 - side];
        let mut moved = false;
        while let Some(transmit) = self.sides[side].poll_transmit(number) {
            let there = &mut self.sides[1 - side];
            match transmit {
                Transmit::Bytes(bytes) => {
                    for piece in bytes.chunks(self.piece.max(1)) {
                        there.received(other, piece);
                    }
                }
                Transmit::Finish => there.finished(other),
                Transmit::Reset => there.lost(other),
            }
            moved = true;
        }
        moved
    }
}

#[derive(Debug)]
struct StreamState {
    config: Config,
    /// The connection; `None` until TCP is open.
    connection: Option<Connection>,
    /// The address to try again with revision 1, if an initiator may do so.
    fall_back: Option<SocketAddr>,
    /// Whether Full Operation was reported: completions are reported only after that.
    established: bool,
    /// Events to report before those of the connection.
    first: VecDeque<StreamEvent>,
    deadline: Option<Duration>,
    /// Whether its TCP connection has ended.
    gone: bool,
    /// The ticket of the preparation with which it was accepted.
    ticket: Option<u64>,
}

impl StreamState {
    /// Returns the next report of the connection: completions before events, but none before the
    /// connection is established.
    fn of_connection(&mut self) -> Option<StreamEvent> {
        let connection = self.connection.as_mut()?;
        if self.established
            && let Some(completion) = connection.poll_completion()
        {
            return Some(StreamEvent::Completion(completion));
        }
        if let Some(event) = connection.poll_event() {
            self.established |= matches!(event, Event::Established(_));
            return Some(StreamEvent::Event(event));
        }
        connection.poll_completion().map(StreamEvent::Completion)
    }
}

/// The configuration of one incoming stream, used instead of the adapter's.
#[derive(Debug)]
struct Prepared {
    ticket: u64,
    config: Config,
    /// The address of the peer, if known.
    from: Option<SocketAddr>,
}

/// Many streams and their memory.
///
/// The adapter sets the time with [`Streams::set_now`].
#[derive(Debug)]
pub struct Streams {
    memory: Memory,
    now: Duration,
    links: HashMap<u64, StreamState>,
    next: u64,
    to_connect: VecDeque<(u64, SocketAddr)>,
    /// Streams that may have an event.
    pending: BTreeSet<u64>,
    /// Streams that may have something to transmit.
    sending: BTreeSet<u64>,
    deadlines: BTreeSet<(Duration, u64)>,
    /// Configurations of incoming streams, in order.
    prepared: VecDeque<Prepared>,
    next_ticket: u64,
}

impl Streams {
    /// Creates an empty set of streams.
    pub fn new(memory: Memory) -> Self {
        Self {
            memory,
            now: Duration::ZERO,
            links: HashMap::new(),
            next: 1,
            to_connect: VecDeque::new(),
            pending: BTreeSet::new(),
            sending: BTreeSet::new(),
            deadlines: BTreeSet::new(),
            prepared: VecDeque::new(),
            next_ticket: 1,
        }
    }

    /// Returns the memory of all streams.
    pub fn memory(&mut self) -> &mut Memory {
        &mut self.memory
    }

    /// Returns the time since a moment that the adapter chose.
    pub fn now(&self) -> Duration {
        self.now
    }

    /// Returns the number of streams.
    pub fn count(&self) -> usize {
        self.links.len()
    }

    /// Returns the numbers of all streams, in the order of their creation.
    pub fn numbers(&self) -> Vec<u64> {
        let mut numbers: Vec<u64> = self.links.keys().copied().collect();
        numbers.sort_unstable();
        numbers
    }

    /// Returns a stream's connection, once TCP is open.
    pub fn connection(&self, number: u64) -> Option<&Connection> {
        self.links.get(&number)?.connection.as_ref()
    }

    /// Returns the configuration of a stream.
    pub fn config(&self, number: u64) -> Option<&Config> {
        self.links.get(&number).map(|link| &link.config)
    }

    /// Requests a stream to `address`; returns its number. `config` is an initiator's; its stream
    /// number is set here. With `fall_back`, if the peer does not accept revision 2, revision 1 is
    /// tried on a new stream: [`StreamEvent::FellBack`].
    pub fn connect(&mut self, address: SocketAddr, config: Config, fall_back: bool) -> u64 {
        let number = self.insert(config, Role::Initiator);
        if let Some(link) = self.links.get_mut(&number) {
            link.fall_back = fall_back.then_some(address);
        }
        self.to_connect.push_back((number, address));
        number
    }

    /// Prepares `config` for the stream that comes in from an address, instead of the adapter's
    /// configuration. A stream from elsewhere uses the oldest preparation. Returns a ticket, by which
    /// `ticket` identifies the stream.
    pub fn prepare(&mut self, config: Config, from: Option<SocketAddr>) -> u64 {
        let ticket = self.next_ticket;
        self.next_ticket += 1;
        self.prepared.push_back(Prepared { ticket, config, from });
        ticket
    }

    /// Removes a preparation that has not been used.
    pub(crate) fn unprepare(&mut self, ticket: u64) {
        self.prepared.retain(|it| it.ticket != ticket);
    }

    /// Returns the ticket of the preparation with which a stream was accepted.
    pub(crate) fn ticket(&self, number: u64) -> Option<u64> {
        self.links.get(&number)?.ticket
    }

    fn insert(&mut self, mut config: Config, role: Role) -> u64 {
        let number = self.next;
        self.next += 1;
        config.role = role;
        config.accessor.stream = number;
        let link = StreamState {
            config,
            connection: None,
            fall_back: None,
            established: false,
            first: VecDeque::new(),
            deadline: None,
            gone: false,
            ticket: None,
        };
        self.links.insert(number, link);
        number
    }

    fn changed(&mut self, number: u64) {
        let Some(link) = self.links.get_mut(&number) else { return };
        self.pending.insert(number);
        self.sending.insert(number);
        let deadline = link.connection.as_ref().and_then(Connection::poll_timeout);
        if deadline != link.deadline {
            if let Some(old) = link.deadline {
                self.deadlines.remove(&(old, number));
            }
            if let Some(new) = deadline {
                self.deadlines.insert((new, number));
            }
            link.deadline = deadline;
        }
    }

    fn update<T>(
        &mut self,
        number: u64,
        act: impl FnOnce(&mut Connection, &mut Memory, Duration) -> T,
    ) -> Option<T> {
        let connection = self.links.get_mut(&number)?.connection.as_mut()?;
        let result = act(connection, &mut self.memory, self.now);
        self.changed(number);
        Some(result)
    }
}

/// The functions for services. A stream that does not exist accepts nothing, and has nothing to end.
impl Streams {
    /// Posts a work request.
    ///
    /// # Errors
    /// [`PostError`]; [`PostError::Closed`] also when there is no such stream.
    pub fn post(&mut self, number: u64, request: WorkRequest) -> Result<(), PostError> {
        self.update(number, |it, memory, _| it.post(memory, request))
            .unwrap_or(Err(PostError::Closed))
    }

    /// Posts a buffer for one message on the Send queue.
    ///
    /// # Errors
    /// [`PostError::Closed`].
    pub fn post_receive(
        &mut self,
        number: u64,
        identifier: u64,
        room: usize,
    ) -> Result<(), PostError> {
        self.update(number, |it, _, _| it.post_receive(identifier, room))
            .unwrap_or(Err(PostError::Closed))
    }

    /// Posts a buffer for one message on the Send queue. The message's bytes are placed in a region.
    ///
    /// # Errors
    /// [`PostError::Closed`], [`PostError::LocalBuffer`].
    pub fn post_receive_into(
        &mut self,
        number: u64,
        identifier: u64,
        buffer: LocalBuffer,
        room: usize,
    ) -> Result<(), PostError> {
        let post = |it: &mut Connection, memory: &mut Memory, _| {
            it.post_receive_into(memory, identifier, buffer, room)
        };
        self.update(number, post).unwrap_or(Err(PostError::Closed))
    }

    /// Accepts the request of [`Event::Requested`].
    pub fn accept(&mut self, number: u64, private_data: &[u8]) {
        self.update(number, |it, _, _| it.accept(private_data));
    }

    /// Rejects the request of [`Event::Requested`].
    pub fn reject(&mut self, number: u64, private_data: &[u8]) {
        self.update(number, |it, _, _| it.reject(private_data));
    }

    /// Closes this direction once everything posted is complete.
    pub fn finish(&mut self, number: u64) {
        self.update(number, |it, _, _| it.finish());
    }

    /// Drops a stream's connection.
    pub fn abort(&mut self, number: u64) {
        self.update(number, |it, _, _| it.abort());
    }

    /// Drops a stream's connection, because nothing is received or sent.
    pub fn expire(&mut self, number: u64) {
        self.update(number, |it, _, _| it.expire());
    }

    /// Returns the next event, and the number of its stream.
    pub fn poll(&mut self) -> Option<(u64, StreamEvent)> {
        while let Some(number) = self.pending.first().copied() {
            if let Some(event) = self.next_event(number) {
                return Some((number, event));
            }
            self.pending.remove(&number);
        }
        None
    }

    fn next_event(&mut self, number: u64) -> Option<StreamEvent> {
        let link = self.links.get_mut(&number)?;
        if let Some(event) = link.first.pop_front() {
            return Some(event);
        }
        if let Some(event) = link.of_connection() {
            let StreamEvent::Event(Event::SetupFailed { revision_one_may_do: true, .. }) = event
            else {
                return Some(event);
            };
            return Some(match link.fall_back.take() {
                Some(address) => self.fall_back(number, address),
                None => event,
            });
        }
        let gone = link.gone;
        gone.then(|| self.forget(number))
    }

    fn fall_back(&mut self, number: u64, address: SocketAddr) -> StreamEvent {
        let Some(mut config) = self.config(number).cloned() else { return StreamEvent::Closed };
        config.setup.revision = SetupRevision::One;
        config.setup.enhanced = false;
        StreamEvent::FellBack(self.connect(address, config, false))
    }
}

/// The functions for adapters.
impl Streams {
    /// Sets the time, which never goes back.
    pub fn set_now(&mut self, now: Duration) {
        self.now = self.now.max(now);
    }

    /// Handles the timers that are due. Bytes that have arrived must be passed to the streams first: a
    /// timer must not report silence if they were only not read yet.
    pub fn handle_timeouts(&mut self) {
        let now = self.now;
        while let Some((due, number)) = self.deadlines.first().copied().filter(|it| it.0 <= now) {
            self.update(number, |it, _, now| it.handle_timeout(now));
            // A timer that was handled and is still set is not handled twice.
            self.deadlines.remove(&(due, number));
        }
    }

    /// Returns when [`Streams::handle_timeouts`] is to be called next.
    pub fn poll_timeout(&self) -> Option<Duration> {
        self.deadlines.first().map(|it| it.0)
    }

    /// Returns a stream whose TCP connection the adapter is to open, and its address. The adapter then
    /// calls [`Streams::opened`] or [`Streams::lost`].
    pub fn poll_connect(&mut self) -> Option<(u64, SocketAddr)> {
        self.to_connect.pop_front()
    }

    /// Handles an incoming TCP connection from an address, if that is known; `emss` is its segment size
    /// in bytes, if known.
    pub fn accepted(
        &mut self,
        config: Config,
        from: Option<SocketAddr>,
        emss: Option<usize>,
    ) -> u64 {
        let mut waiting = self.prepared.iter();
        let place = waiting.position(|it| it.from.is_some() && it.from == from).unwrap_or(0);
        let prepared = self.prepared.remove(place);
        let ticket = prepared.as_ref().map(|it| it.ticket);
        let number = self.insert(prepared.map_or(config, |it| it.config), Role::Responder);
        if let Some(link) = self.links.get_mut(&number) {
            link.ticket = ticket;
        }
        self.opened(number, emss);
        number
    }

    /// Handles the opening of the TCP connection that [`Streams::connect`] requested.
    pub fn opened(&mut self, number: u64, emss: Option<usize>) {
        let now = self.now;
        if let Some(link) = self.links.get_mut(&number) {
            link.config.emss = emss.unwrap_or(link.config.emss);
            link.connection = Some(Connection::new(link.config.clone(), now));
            self.changed(number);
        }
    }

    /// Sets the new segment size of TCP, in bytes.
    pub fn set_emss(&mut self, number: u64, emss: usize) {
        self.update(number, |it, _, _| it.set_emss(emss));
    }

    /// Handles the reset or loss of the TCP connection.
    pub fn lost(&mut self, number: u64) {
        self.update(number, |it, _, _| it.handle_reset());
    }

    /// Handles the failure to open the TCP connection.
    pub fn not_connected(&mut self, number: u64, why: ErrorKind) {
        if let Some(link) = self.links.get_mut(&number) {
            let failure = SetupFailure::NotConnected(why);
            let event = Event::SetupFailed { failure, revision_one_may_do: false };
            link.first.push_back(StreamEvent::Event(event));
            self.pending.insert(number);
        }
    }

    /// Handles received bytes.
    pub fn received(&mut self, number: u64, bytes: &[u8]) {
        self.update(number, |it, memory, now| it.handle_bytes(now, memory, bytes));
    }

    /// Returns how many bytes to read from a stream's TCP connection next, of at most `room`.
    pub(crate) fn read_length(&self, number: u64, room: usize) -> usize {
        let connection = self.links.get(&number).and_then(|it| it.connection.as_ref());
        connection.map_or(room, |it| it.read_length(room))
    }

    /// Handles the end of the peer's direction.
    pub fn finished(&mut self, number: u64) {
        self.update(number, |it, _, now| it.handle_finish(now));
    }

    /// Returns a stream that may have something to transmit.
    pub(crate) fn poll_sending(&mut self) -> Option<u64> {
        self.sending.pop_first()
    }

    /// Returns the next thing to do to a stream's TCP connection.
    pub fn poll_transmit(&mut self, number: u64) -> Option<Transmit> {
        let link = self.links.get_mut(&number)?;
        let transmit = link.connection.as_mut()?.poll_transmit(self.now, &mut self.memory);
        self.changed(number);
        if transmit.is_none() {
            self.sending.remove(&number);
        }
        transmit
    }

    /// Takes back the buffer of a [`Streams::poll_transmit`] that was sent, to use it again.
    pub fn reuse(&mut self, number: u64, segment: Vec<u8>) {
        let link = self.links.get_mut(&number);
        if let Some(connection) = link.and_then(|link| link.connection.as_mut()) {
            connection.reuse(segment);
        }
    }

    /// Returns whether a stream's connection has ended and has nothing more for TCP. This is true for a
    /// stream that does not exist.
    pub fn is_over(&self, number: u64) -> bool {
        let link = self.links.get(&number);
        link.is_none_or(|it| it.connection.as_ref().is_some_and(Connection::is_ended))
    }

    /// Handles the end of a stream's TCP connection. Remaining events are still reported,
    /// [`StreamEvent::Closed`] last; then the stream is removed.
    pub fn remove(&mut self, number: u64) {
        if let Some(link) = self.links.get_mut(&number) {
            link.gone = true;
            self.pending.insert(number);
        }
    }

    fn forget(&mut self, number: u64) -> StreamEvent {
        if let Some(deadline) = self.links.remove(&number).and_then(|link| link.deadline) {
            self.deadlines.remove(&(deadline, number));
        }
        self.sending.remove(&number);
        StreamEvent::Closed
    }
}
