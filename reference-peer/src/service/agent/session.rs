//! The agent: its sessions, the calls of runners, and the events of streams.

use super::errors::{no_memory, unknown};
use super::events;
use super::memory::Registered;
use super::options::AgentOptions;
use super::stream::{Decision, Prepared, Stream, messages};
use crate::connection::{Event, Role};
use crate::setup::Request;
use crate::streams::{ControlEvent, Service, StreamEvent, Streams};
use crate::variant::Variant;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::net::SocketAddr;
use std::time::Duration;
use strum::VariantArray as _;
use warpscope_agent::{
    Ability, Bytes, Call, Capabilities, Ending, Error, Happened, Method, Profile, RegionName,
    Reply, StreamOptions, VERSION,
};

/// A session: a control connection, and what its runner has created here.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) runner: SocketAddr,
    pub(super) regions: BTreeMap<RegionName, Registered>,
}

/// The service of `warpscope peer agent`.
#[derive(Debug)]
pub struct Agent {
    pub(super) options: AgentOptions,
    /// Sessions by the number of their control connection.
    pub(super) sessions: BTreeMap<u64, Session>,
    /// Streams that are established or in setup, by number.
    pub(super) streams: BTreeMap<u64, Stream>,
    /// Prepared streams that have not arrived yet, by ticket.
    pub(super) prepared: HashMap<u64, Prepared>,
    /// Number of bytes of all regions.
    pub(super) bytes: u64,
    /// Number of Tagged Offsets that were chosen.
    pub(super) chosen: u64,
    /// Streams that were dropped and that the adapter has not removed yet.
    pub(super) dropped: BTreeSet<u64>,
    /// Lines to send on control connections.
    outgoing: VecDeque<(u64, String)>,
    calls: u64,
    failed: u64,
}

impl Agent {
    /// Creates an agent without runners.
    pub fn new(options: AgentOptions) -> Self {
        Self {
            options,
            sessions: BTreeMap::new(),
            streams: BTreeMap::new(),
            prepared: HashMap::new(),
            bytes: 0,
            chosen: 0,
            dropped: BTreeSet::new(),
            outgoing: VecDeque::new(),
            calls: 0,
            failed: 0,
        }
    }

    /// Returns the number of the stream to which a runner gave this name; the latest of that name.
    pub(super) fn named(&self, session: u64, name: &str) -> Result<u64, Error> {
        let mut found = self.streams.iter().rev();
        let found = found.find(|(_, it)| it.session == Some(session) && it.name == name);
        found.map(|it| *it.0).ok_or_else(|| unknown(format!("there is no stream {name}")))
    }

    fn say(&mut self, session: u64, reply: &Reply) {
        self.outgoing.push_back((session, reply.line()));
    }

    /// Reports an event of a stream to its runner.
    pub(super) fn report(&mut self, number: u64, happened: Happened) {
        let Some(stream) = self.streams.get(&number) else { return };
        if let Some(session) = stream.session {
            let event = warpscope_agent::Event { stream: stream.name.clone(), happened };
            self.say(session, &Reply::event(event));
        }
    }

    /// Carries out a line from a runner.
    fn line(&mut self, streams: &mut Streams, session: u64, line: &[u8]) {
        self.calls += 1;
        let reply = match Call::read(line) {
            Err(reply) => reply,
            Ok(Call { id, method, .. }) => match self.call(streams, session, method) {
                Ok(result) => Reply::result(id, &result),
                Err(error) => Reply::error(Some(id), error),
            },
        };
        self.failed += u64::from(reply.failed());
        self.say(session, &reply);
    }

    fn call(
        &mut self,
        streams: &mut Streams,
        session: u64,
        method: Method,
    ) -> Result<Value, Error> {
        let region = match method {
            Method::Register(asked) => self.register(streams, session, asked)?,
            Method::BindWindow(asked) => self.bind_window(streams, session, asked)?,
            Method::Revalidate(asked) => self.revalidate(streams, session, asked)?,
            Method::Capabilities => return Ok(json!(self.capabilities(session)?)),
            Method::ReadMemory(range) => {
                return Ok(json!(Bytes(self.bytes(streams, session, &range)?.to_vec())));
            }
            method => {
                self.act(streams, session, method)?;
                return Ok(Value::Null);
            }
        };
        Ok(json!(region))
    }

    /// Carries out a call without a result.
    fn act(&mut self, streams: &mut Streams, session: u64, method: Method) -> Result<(), Error> {
        match method {
            Method::Capabilities
            | Method::Register(_)
            | Method::BindWindow(_)
            | Method::Revalidate(_)
            | Method::ReadMemory(_) => Ok(()),
            Method::Reset => {
                self.reset(streams, session);
                Ok(())
            }
            Method::Invalidate { region } => {
                let steering_tag = self.registered(session, &region)?.steering_tag;
                streams.memory().invalidate(steering_tag).map_err(no_memory)
            }
            Method::Deregister { region } => self.deregister(streams, session, &region),
            Method::WriteMemory(asked) => {
                let (region, offset) = (asked.region, asked.offset);
                let length = asked.bytes.0.len() as u64;
                let range = warpscope_agent::MemoryRange { region, offset, length };
                self.bytes(streams, session, &range)?.copy_from_slice(&asked.bytes.0);
                Ok(())
            }
            Method::Recall { region } => {
                let steering_tag = self.registered(session, &region)?.steering_tag;
                streams.memory().recall(steering_tag).map_err(no_memory)
            }
            Method::PostReceives(asked) => self.post_receives(streams, session, &asked),
            Method::Post(asked) => self.post(streams, session, &asked),
            Method::Open(asked) => self.open(streams, session, &asked),
            Method::Prepare(asked) => self.prepare(streams, session, asked),
            Method::Finish { stream } => {
                let number = self.named(session, &stream)?;
                self.finish(streams, number)
            }
            Method::Abort { stream } => {
                let number = self.named(session, &stream)?;
                self.abort(streams, number);
                Ok(())
            }
        }
    }

    /// Resets a session to its initial state.
    fn reset(&mut self, streams: &mut Streams, session: u64) {
        let mine = |it: &Stream| it.session == Some(session);
        let own = self.streams.iter().filter(|(_, it)| mine(it)).map(|(number, _)| *number);
        for number in own.collect::<Vec<u64>>() {
            streams.abort(number);
            self.streams.remove(&number);
            self.dropped.insert(number);
        }
        self.deregister_all(streams, session);
        self.prepared.retain(|ticket, it| {
            let stays = it.session != session;
            if !stays {
                streams.unprepare(*ticket);
            }
            stays
        });
    }

    fn capabilities(&self, session: u64) -> Result<Capabilities, Error> {
        let session = self.sessions.get(&session).ok_or_else(|| unknown("no session"))?;
        let variants = self.options.config.variants;
        let chooses = [Variant::OpensPeerToPeer, Variant::OpensWithRead];
        let chooses = chooses.into_iter().any(|it| variants.has(it));
        let with = |it: &&Ability| match it {
            Ability::FileBacking => self.options.files.is_some(),
            Ability::Revision | Ability::PeerToPeer => !chooses,
            _ => true,
        };
        Ok(Capabilities {
            protocol: VERSION,
            agent: self.options.description.clone(),
            runner: session.runner,
            listens: self.options.listens,
            abilities: Ability::VARIANTS.iter().filter(with).copied().collect(),
            profiles: Profile::VARIANTS.iter().copied().collect(),
            profile: messages(self.options.config.profile),
            limits: self.options.limits,
        })
    }

    /// Adds a stream that is not known yet.
    fn begin(&mut self, streams: &mut Streams, number: u64) {
        if self.streams.contains_key(&number) {
            return;
        }
        let role = streams.config(number).map_or(Role::Responder, |it| it.role);
        let prepared = streams.ticket(number).and_then(|it| self.prepared.get(&it));
        let stream = match prepared {
            Some(Prepared { session, options }) => Stream::new(Some(*session), options, role),
            None => Stream::new(None, &StreamOptions::default(), role),
        };
        self.streams.insert(number, stream);
    }

    fn event(&mut self, streams: &mut Streams, number: u64, event: Event) {
        if self.dropped.contains(&number) {
            streams.abort(number);
            return;
        }
        let over = matches!(event, Event::SetupFailed { .. } | Event::Ended(_));
        if over || matches!(event, Event::Requested(_) | Event::Established(_)) {
            self.begin(streams, number);
        }
        // A stream may be over before its request came: what was prepared is for no other.
        if let Some(ticket) = streams.ticket(number).filter(|_| over) {
            self.prepared.remove(&ticket);
        }
        match event {
            Event::Requested(request) => self.requested(streams, number, &request),
            Event::Established(agreement) => {
                self.report(number, Happened::Established(events::agreed(agreement)));
                let role = self.streams.get(&number).map(|it| it.role);
                if role == Some(Role::Initiator) {
                    self.post_prepared(streams, number);
                }
            }
            Event::Rejected { private_data, ird, ord } => {
                self.report(number, Happened::Rejected(events::rejected(private_data, ird, ord)));
                self.ended(number, Ending::Rejected);
            }
            Event::SetupFailed { failure, .. } => {
                self.report(number, events::setup_failed(failure));
                self.ended(number, Ending::SetupFailed);
            }
            Event::Solicited => self.report(number, Happened::SolicitedEvent),
            Event::Violated(violation) => self.report(number, events::violated(violation)),
            Event::TerminateReceived(received) => self.report(number, events::terminated(received)),
            Event::FinishReceived => {
                self.report(number, Happened::PeerClosed);
                if !self.streams.get(&number).is_some_and(|it| it.half_open) {
                    streams.finish(number);
                }
            }
            Event::Ended(ending) => self.ended(number, events::ending(ending)),
        }
    }

    pub(super) fn ended(&mut self, number: u64, how: Ending) {
        self.report(number, Happened::Ended { how: Some(how) });
        if let Some(stream) = self.streams.get_mut(&number) {
            stream.decision = None;
        }
    }

    /// Posts receives, and answers the request or lets it wait.
    fn requested(&mut self, streams: &mut Streams, number: u64, request: &Request) {
        let prepared = streams.ticket(number).and_then(|ticket| self.prepared.remove(&ticket));
        let options = prepared.map(|it| it.options).unwrap_or_default();
        self.report(number, Happened::Request(events::requested(request)));
        self.post_prepared(streams, number);
        let at = streams.now().saturating_add(Duration::from_millis(options.delay.into()));
        if let Some(stream) = self.streams.get_mut(&number) {
            stream.decision = Some(Decision { at, reject: options.reject });
        }
        if options.delay == 0 {
            self.decide(streams, number);
        }
    }

    /// Posts the initial receives of a stream.
    fn post_prepared(&mut self, streams: &mut Streams, number: u64) {
        let (count, size) = self.streams.get(&number).map_or((0, 0), |it| it.to_post);
        for identifier in 1..=u64::from(count) {
            if self.post_receive(streams, number, identifier, (size, None)).is_err() {
                break;
            }
        }
    }

    fn fell_back(&mut self, number: u64, next: u64) {
        let Some(old) = self.streams.get(&number) else { return };
        let options = StreamOptions {
            stream: old.name.clone(),
            receives: old.to_post.0,
            receive_size: old.to_post.1,
            half_open: old.half_open,
            ..StreamOptions::default()
        };
        let stream = Stream::new(old.session, &options, old.role);
        self.streams.insert(next, stream);
        self.report(number, Happened::FellBack);
    }

    /// Answers requests whose delay has passed.
    fn mind(&mut self, streams: &mut Streams) {
        let now = streams.now();
        let due = |it: &Stream| it.decision.as_ref().is_some_and(|it| it.at <= now);
        let due = self.streams.iter().filter(|(_, it)| due(it)).map(|(number, _)| *number);
        for number in due.collect::<Vec<u64>>() {
            self.decide(streams, number);
        }
    }
}

impl Service for Agent {
    fn handle(&mut self, streams: &mut Streams, number: u64, event: StreamEvent) {
        match event {
            StreamEvent::Event(event) => self.event(streams, number, event),
            StreamEvent::Completion(completion) => self.completion(number, completion),
            StreamEvent::FellBack(next) => self.fell_back(number, next),
            StreamEvent::Closed => {
                self.dropped.remove(&number);
                self.streams.remove(&number);
            }
        }
        self.mind(streams);
    }

    fn control(&mut self, streams: &mut Streams, connection: u64, event: ControlEvent) {
        match event {
            ControlEvent::Opened(runner) => {
                let regions = BTreeMap::new();
                self.sessions.insert(connection, Session { runner, regions });
            }
            ControlEvent::Line(line) => self.line(streams, connection, &line),
            ControlEvent::Closed => {
                self.reset(streams, connection);
                self.sessions.remove(&connection);
            }
        }
    }

    fn poll_control(&mut self) -> Option<(u64, String)> {
        self.outgoing.pop_front()
    }

    fn poll_timeout(&self) -> Option<Duration> {
        self.streams.values().filter_map(|it| it.decision.as_ref().map(|it| it.at)).min()
    }

    fn handle_timeout(&mut self, streams: &mut Streams) {
        self.mind(streams);
    }

    fn summary(&self) -> Vec<String> {
        vec![format!("{} calls, {} of them not carried out", self.calls, self.failed)]
    }
}
