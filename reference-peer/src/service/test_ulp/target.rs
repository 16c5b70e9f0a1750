//! The target: its sessions and streams, and what happens on them.

use super::answer::No;
use super::open::{OWN_NAMES, Prepared};
use super::options::TestUlpOptions;
use super::region::Region;
use super::session::Session;
use super::stream::{Decision, Job, Stream};
use super::tell;
use crate::connection::{Event, Role};
use crate::setup::{Agreement, Request, SetupRevision};
use crate::streams::{Service, StreamEvent, Streams};
use crate::work::Operation;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Duration;
use warpscope_wire::test_ulp::{
    Abilities, AccessRights, Answer, Capabilities, Documents, EndingCode, Greeting, GreetingView,
    Happened, Hashes, Order, Purpose, RoleCode, StreamDescription, StreamState, Switches, kind,
};

/// The service `test-ulp`.
#[derive(Debug)]
pub struct TestUlp {
    pub(super) options: TestUlpOptions,
    pub(super) sessions: BTreeMap<u32, Session>,
    /// Streams that are up or coming up, by number.
    pub(super) streams: BTreeMap<u64, Stream>,
    pub(super) regions: BTreeMap<u32, Region>,
    pub(super) next_region: u32,
    /// Bytes of regions by order.
    pub(super) bytes: u64,
    /// What waits for streams to come in, by ticket.
    pub(super) prepared: HashMap<u64, Prepared>,
    pub(super) next_name: u32,
    /// Streams that were dropped and are not forgotten by the adapter yet.
    pub(super) dropped: BTreeSet<u64>,
    pub(super) orders: u64,
    pub(super) refused: u64,
}

impl TestUlp {
    /// A target without streams.
    pub fn new(options: TestUlpOptions) -> Self {
        let mut target = Self {
            sessions: BTreeMap::new(),
            streams: BTreeMap::new(),
            regions: BTreeMap::new(),
            next_region: 1,
            bytes: 0,
            prepared: HashMap::new(),
            next_name: OWN_NAMES,
            dropped: BTreeSet::new(),
            orders: 0,
            refused: 0,
            options,
        };
        for (name, steering_tag) in target.options.regions.clone() {
            let region = Region::advertised(name, steering_tag);
            target.regions.insert(target.next_region, region);
            target.next_region += 1;
        }
        target
    }

    /// The session of a stream.
    pub(super) fn session_of(&self, number: u64) -> u32 {
        self.streams.get(&number).map_or(0, |it| it.session)
    }

    /// The stream of that name in the session of the stream `number`; 0 is that one itself.
    pub(super) fn named(&self, number: u64, name: u32) -> Result<u64, No> {
        if name == 0 {
            return Ok(number);
        }
        let session = self.session_of(number);
        let mut found = self.streams.iter().rev();
        let found = found.find(|(_, it)| it.session == session && it.name == name);
        found.map(|it| *it.0).ok_or_else(|| No::unknown(format!("there is no stream {name:#x}")))
    }

    /// Enters a session, which may be new; says whether there is room.
    pub(super) fn enter_session(&mut self, streams: &mut Streams, session: u32) -> bool {
        if self.sessions.contains_key(&session) {
            return true;
        }
        if self.sessions.len() >= self.options.limits.sessions {
            let idle = self.sessions.iter().filter_map(|(key, it)| Some((it.idle_since?, *key)));
            let Some((_, oldest)) = idle.min() else { return false };
            self.forget_session(streams, oldest);
        }
        let new = Session::new(self.options.limits.reports, streams.now());
        self.sessions.insert(session, new);
        true
    }

    /// Brings a session back to its first state; `but` is the stream that stays.
    pub(super) fn reset(&mut self, streams: &mut Streams, session: u32, but: Option<u64>) {
        let own = self
            .streams
            .iter()
            .filter(|(number, it)| it.session == session && Some(**number) != but);
        for number in own.map(|it| *it.0).collect::<Vec<u64>>() {
            self.tell_none(streams, number);
            streams.abort(number);
            self.streams.remove(&number);
            self.dropped.insert(number);
        }
        if let Some(number) = but {
            self.tell_none(streams, number);
        }
        self.deregister_all(streams, session);
        let Some(session) = self.sessions.get_mut(&session) else { return };
        session.reports.clear();
        session.ended.clear();
        for ticket in session.prepared.drain(..) {
            streams.unprepare(ticket);
            self.prepared.remove(&ticket);
        }
    }

    fn forget_session(&mut self, streams: &mut Streams, session: u32) {
        self.reset(streams, session, None);
        self.sessions.remove(&session);
    }

    /// A stream that is not known yet.
    fn begin(&mut self, streams: &mut Streams, number: u64) {
        if self.streams.contains_key(&number) {
            return;
        }
        let role = match streams.config(number).map(|it| it.role) {
            Some(Role::Initiator) => RoleCode::Initiator,
            _ => RoleCode::Responder,
        };
        let ticket = streams.ticket(number);
        let prepared = ticket.and_then(|ticket| Some((ticket, self.prepared.get(&ticket)?)));
        let (session, asked, purpose) = match prepared {
            Some((_, it)) => (it.session, it.options.stream, it.options.purpose),
            // What the adapter opened is for orders.
            None if role == RoleCode::Initiator => (0, 0, Purpose::Control),
            None => (0, 0, Purpose::Shared),
        };
        let half_open =
            prepared.is_some_and(|(_, it)| it.options.switches.contains(Switches::HALF_OPEN));
        let to_post =
            prepared.map_or((0, 0), |(_, it)| (it.options.receives, it.options.receive_size));
        if let (Some(ticket), Some(session)) = (ticket, self.sessions.get_mut(&session)) {
            session.prepared.retain(|it| *it != ticket);
        }
        let name = self.name(asked);
        let mut stream = Stream::new(session, name, purpose, role);
        (stream.half_open, stream.to_post) = (half_open, to_post);
        self.streams.insert(number, stream);
    }

    fn event(&mut self, streams: &mut Streams, number: u64, event: Event) {
        if self.dropped.contains(&number) {
            streams.abort(number);
            return;
        }
        if matches!(event, Event::Requested(_)) {
            self.begin(streams, number);
        } else if matches!(event, Event::Established(_) | Event::SetupFailed { .. }) {
            self.begin(streams, number);
            let session = self.session_of(number);
            if !self.enter_session(streams, session) {
                self.streams.remove(&number);
                self.dropped.insert(number);
                streams.abort(number);
                return;
            }
        }
        match event {
            Event::Requested(request) => self.requested(streams, number, &request),
            Event::Established(agreement) => self.established(streams, number, agreement),
            Event::Rejected { private_data, ird, ord } => {
                let role = self.streams.get(&number).map_or(RoleCode::Initiator, |it| it.role);
                let report = tell::rejected(role, ird, ord);
                self.tell(streams, number, Happened::Rejected(report, private_data));
                self.ended(streams, number, EndingCode::Rejected);
            }
            Event::SetupFailed { failure, .. } => {
                if let Some(ticket) = streams.ticket(number) {
                    self.prepared.remove(&ticket);
                }
                self.tell(streams, number, tell::setup_failed(failure));
                self.ended(streams, number, EndingCode::SetupFailed);
            }
            Event::Solicited => {
                // Of orders nothing is reported.
                let Some(stream) = self.streams.get_mut(&number) else { return };
                match stream.solicited_orders.checked_sub(1) {
                    Some(left) => stream.solicited_orders = left,
                    None => self.tell(streams, number, Happened::Solicited),
                }
            }
            Event::Violated(violation) => self.tell(streams, number, tell::violated(violation)),
            Event::TerminateReceived(received) => {
                self.tell(streams, number, tell::terminated(received));
            }
            Event::FinishReceived => {
                self.tell(streams, number, Happened::FinishReceived);
                if !self.streams.get(&number).is_some_and(|it| it.half_open) {
                    streams.finish(number);
                }
            }
            Event::Ended(ending) => self.ended(streams, number, tell::ending(ending)),
        }
    }

    fn ended(&mut self, streams: &mut Streams, number: u64, ending: EndingCode) {
        self.tell(streams, number, Happened::Ended(ending));
        if let Some(stream) = self.streams.get_mut(&number) {
            stream.state = StreamState::Ended;
            stream.ending = ending;
            stream.waiting = None;
            stream.decision = None;
        }
    }

    /// Reads the greeting, posts receives, and answers the request or lets it wait.
    fn requested(&mut self, streams: &mut Streams, number: u64, request: &Request) {
        let prepared = streams.ticket(number).and_then(|ticket| self.prepared.remove(&ticket));
        let greeting = read_greeting(&request.private_data);
        let session = greeting.map_or(self.session_of(number), |it| it.session);
        let room = self.enter_session(streams, session);
        if let Some(greeting) = greeting {
            let name = self.name(greeting.stream);
            if let Some(stream) = self.streams.get_mut(&number) {
                stream.session = greeting.session;
                stream.name = name;
                stream.purpose = greeting.purpose;
                if greeting.purpose == Purpose::Bare {
                    stream.to_post = (greeting.receives.into(), greeting.longest);
                } else {
                    stream.to_post = (0, 0);
                    stream.takes(greeting.longest);
                }
            }
        }
        if let Some(stream) = self.streams.get_mut(&number) {
            let (count, size) = (self.options.limits.receives, self.options.limits.longest_receive);
            stream.to_post = (stream.to_post.0.min(count), stream.to_post.1.min(size));
        }
        let report = tell::requested(request);
        self.tell(streams, number, Happened::Requested(report, request.private_data.clone()));
        let purpose = self.streams.get(&number).map_or(Purpose::Shared, |it| it.purpose);
        if purpose != Purpose::Bare {
            // Twice what the greeting promises: see `Job::Answer`.
            let orders = self.options.limits.orders;
            self.post_own(streams, number, 2 * u32::from(orders));
        }
        self.post_prepared(streams, number);
        let Some(stream) = self.streams.get(&number) else { return };
        let own = || self.greeting(stream);
        let given = prepared.as_ref().and_then(|it| it.private_data.clone());
        let private_data = given.unwrap_or_else(own);
        let rejects = |it: &Prepared| it.options.switches.contains(Switches::REJECT);
        let reject = !room || prepared.as_ref().is_some_and(rejects);
        let delay = prepared.map_or(0, |it| it.options.delay);
        let at = streams.now().saturating_add(Duration::from_millis(delay.into()));
        if let Some(stream) = self.streams.get_mut(&number) {
            stream.decision = Some(Decision { at, reject, private_data });
        }
        if delay == 0 {
            self.decide(streams, number);
        }
    }

    fn established(&mut self, streams: &mut Streams, number: u64, agreement: Agreement) {
        let Some(stream) = self.streams.get_mut(&number) else { return };
        stream.state = StreamState::Established;
        let (role, purpose) = (stream.role, stream.purpose);
        let report = tell::agreed(&agreement, role);
        let greeting = read_greeting(&agreement.private_data);
        let private_data = agreement.private_data;
        self.tell(streams, number, Happened::Established(report, private_data));
        if role == RoleCode::Responder {
            return;
        }
        if purpose == Purpose::Bare {
            self.post_prepared(streams, number);
            return;
        }
        self.post_own(streams, number, 2 * u32::from(self.options.limits.orders));
        self.post_prepared(streams, number);
        let Some(stream) = self.streams.get_mut(&number) else { return };
        if let Some(greeting) = greeting {
            stream.takes(greeting.longest);
        }
        stream.greeting = true;
        let Some(stream) = self.streams.get(&number) else { return };
        // The initiator speaks first (section 3.3).
        let hello = Order::Hello(self.greeting_of(stream)).message(0);
        let job = Job::Answer { again: false, abort: false };
        // A stream that is closing needs none.
        let _ = self.post(streams, number, Operation::send(&hello), false, job);
    }

    fn fell_back(&mut self, streams: &mut Streams, number: u64, next: u64) {
        let Some(old) = self.streams.get(&number) else { return };
        let mut stream = Stream::new(old.session, old.name, old.purpose, old.role);
        (stream.half_open, stream.to_post) = (old.half_open, old.to_post);
        let name = old.name;
        self.streams.insert(next, stream);
        self.tell(streams, number, Happened::FellBack(name));
    }

    fn closed(&mut self, number: u64) {
        self.dropped.remove(&number);
        let Some(stream) = self.streams.remove(&number) else { return };
        let goes_on = |it: &Stream| it.session == stream.session && it.name == stream.name;
        if self.streams.values().any(goes_on) {
            return;
        }
        let most = self.options.limits.streams;
        if let Some(session) = self.sessions.get_mut(&stream.session) {
            let state = StreamState::Ended;
            session.remember(StreamDescription { state, ..stream.describe() }, most);
        }
    }

    /// Drops a stream, also one whose TCP connection is not open yet.
    pub(super) fn abort(&mut self, streams: &mut Streams, number: u64) {
        if streams.connection(number).is_none() {
            self.ended(streams, number, EndingCode::Aborted);
            self.closed(number);
            self.dropped.insert(number);
        }
        streams.abort(number);
    }

    /// What is due: reports that are waited for, requests that wait, sessions that are left.
    fn mind(&mut self, streams: &mut Streams) {
        let now = streams.now();
        let mut due = Vec::new();
        let mut decided = Vec::new();
        for (number, stream) in &self.streams {
            if let Some(waiting) = &stream.waiting {
                let any = |it: &Session| it.reports.any(waiting.order.stream);
                if self.sessions.get(&stream.session).is_some_and(any) || waiting.until <= now {
                    due.push(*number);
                }
            }
            if stream.decision.as_ref().is_some_and(|it| it.at <= now) {
                decided.push(*number);
            }
        }
        for number in decided {
            self.decide(streams, number);
        }
        for number in due {
            self.tell_reports(streams, number, u32::MAX);
        }
        self.mind_sessions(streams);
    }

    fn mind_sessions(&mut self, streams: &mut Streams) {
        let (now, idle) = (streams.now(), self.options.limits.idle);
        let up = |it: &&Stream| it.purpose != Purpose::Bare && it.state != StreamState::Ended;
        let up: BTreeSet<u32> = self.streams.values().filter(up).map(|it| it.session).collect();
        let mut left = Vec::new();
        for (key, session) in &mut self.sessions {
            if up.contains(key) {
                session.idle_since = None;
                continue;
            }
            let since = *session.idle_since.get_or_insert(now);
            if session.leaving || now.saturating_sub(since) >= idle {
                left.push(*key);
            }
        }
        for session in left {
            self.forget_session(streams, session);
        }
    }

    pub(super) fn capabilities(&self) -> Answer {
        let limits = self.options.limits;
        let profile = self.options.config.profile;
        let setup = &self.options.config.setup;
        let kinds = kind::ALL.iter().map(|kind| 1_u64 << kind);
        let abilities = Abilities::ALL;
        let files = self.options.files.is_some();
        let abilities = if files {
            abilities
        } else {
            let without = abilities.code() & !Abilities::FILES.code();
            Abilities::from_code(without).unwrap_or(Abilities::NONE)
        };
        let capabilities = Capabilities {
            documents: Documents::ALL,
            abilities,
            orders: kinds.sum(),
            operations: OPERATIONS,
            hashes: Hashes::ALL,
            rights: AccessRights::ALL,
            most_regions: limits.regions,
            longest_region: limits.longest_region,
            most_streams: limits.streams,
            most_receives: limits.receives,
            longest_receive: limits.longest_receive,
            most_work: limits.work,
            ird: setup.ird.max(MOST_DEPTH),
            ord: setup.ord.max(MOST_DEPTH),
            most_reports: limits.reports,
            front: limits.front,
            default_documents: Documents::NONE
                .with(Documents::EXTENSIONS, profile.extensions)
                .with(Documents::EXT_V2, profile.ext_v2)
                .with(Documents::COMMIT, profile.commit)
                .with(Documents::ENHANCED, setup.revision == SetupRevision::Two),
        };
        Answer::Capabilities(capabilities, self.options.description.clone())
    }
}

/// Operations 1 to 9: every one.
const OPERATIONS: u32 = 0x3fe;

/// The greatest depth that a setup can name (RFC 6581 section 9.1); 0x3FFF means none.
const MOST_DEPTH: u16 = 0x3ffe;

/// The greeting at the front of private data, if there is one of this version.
fn read_greeting(private_data: &[u8]) -> Option<Greeting> {
    let (view, _) = GreetingView::parse(private_data).ok()?;
    Greeting::try_from(view).ok()
}

impl Service for TestUlp {
    fn handle(&mut self, streams: &mut Streams, number: u64, event: StreamEvent) {
        match event {
            StreamEvent::Event(event) => self.event(streams, number, event),
            StreamEvent::Completion(completion) => self.completion(streams, number, completion),
            StreamEvent::FellBack(next) => self.fell_back(streams, number, next),
            StreamEvent::Closed => self.closed(number),
        }
        self.mind(streams);
    }

    fn poll_timeout(&self) -> Option<Duration> {
        let streams = self.streams.values();
        let waits = streams.clone().filter_map(|it| it.waiting.as_ref().map(|it| it.until));
        let decisions = streams.filter_map(|it| it.decision.as_ref().map(|it| it.at));
        let sessions = self.sessions.values().filter_map(|it| it.idle_since);
        let idle = sessions.map(|since| since.saturating_add(self.options.limits.idle));
        waits.chain(decisions).chain(idle).min()
    }

    fn handle_timeout(&mut self, streams: &mut Streams) {
        self.mind(streams);
    }

    fn summary(&self) -> Vec<String> {
        vec![format!("{} orders, {} of them not carried out", self.orders, self.refused)]
    }
}
