//! Streams that a runner opens or prepares.

use super::errors::{limit, refused, unsupported};
use super::memory::NO_STREAMS_DOMAIN;
use super::session::Agent;
use crate::connection::{Config, Packing, Role};
use crate::setup::SetupRevision;
use crate::streams::Streams;
use crate::variant::Variant;
use std::collections::HashMap;
use std::time::Duration;
use warpscope_agent::{
    Error, Indication, Open, Packing as AskedPacking, Prepare, Profile as Messages, StreamName,
    StreamOptions,
};
use warpscope_wire::mpa::{MAX_PRIVATE_DATA, ReadyToReceive};
use warpscope_wire::rdmap::Profile;

/// The longest delay of an answer to a request, in milliseconds.
const LONGEST_DELAY: u32 = 60_000;
/// The length in bytes of the shortest ULPDU that has a payload after an untagged header.
const LEAST_ULPDU: u16 = 19;
/// The largest IRD of [`Variant::ShallowDepths`].
const SHALLOW: u16 = 2;

/// A posted work request.
#[derive(Debug, Clone, Copy)]
pub(super) struct Job {
    /// The identifier that the runner gave it.
    pub(super) identifier: u64,
    /// Number of bytes that it holds.
    pub(super) bytes: u64,
}

/// The answer to a request, and when it is due.
#[derive(Debug, Clone)]
pub(super) struct Decision {
    pub(super) at: Duration,
    pub(super) reject: bool,
}

/// How an incoming stream is accepted.
#[derive(Debug, Clone)]
pub(super) struct Prepared {
    pub(super) session: u64,
    pub(super) options: StreamOptions,
}

/// A stream that is established or in setup.
#[derive(Debug)]
pub(super) struct Stream {
    /// Its session; `None` if nobody prepared it.
    pub(super) session: Option<u64>,
    pub(super) name: StreamName,
    pub(super) role: Role,
    /// Whether it stays half open after the peer closes.
    pub(super) half_open: bool,
    /// Receives to post before the stream carries anything: their number, and their length.
    pub(super) to_post: (u32, u32),
    /// Identifiers of pending receives and of incomplete work, as the runner gave them.
    pub(super) receives: HashMap<u64, u64>,
    pub(super) work: HashMap<u64, Job>,
    pub(super) decision: Option<Decision>,
    next: u64,
}

impl Stream {
    /// Creates a stream in its setup.
    pub(super) fn new(session: Option<u64>, options: &StreamOptions, role: Role) -> Self {
        Self {
            session,
            name: options.stream.clone(),
            role,
            half_open: options.half_open,
            to_post: (options.receives, options.receive_size),
            receives: HashMap::new(),
            work: HashMap::new(),
            decision: None,
            next: 1,
        }
    }

    /// Returns a number for a receive or work request.
    pub(super) fn number(&mut self) -> u64 {
        self.next += 1;
        self.next - 1
    }
}

/// Returns the profile of RDMAP for a name.
fn profile(messages: Messages) -> Profile {
    match messages {
        Messages::Rfc5040 => Profile::RFC5040,
        Messages::Rfc7306 | Messages::Ext04 => Profile::RFC7306,
        Messages::ExtV2 => Profile { ext_v2: true, ..Profile::RFC7306 },
        Messages::Commit => Profile { commit: true, ..Profile::RFC7306 },
        Messages::All => Profile::ALL,
    }
}

/// Returns the name of a profile of RDMAP.
pub(super) fn messages(profile: Profile) -> Messages {
    match (profile.extensions, profile.ext_v2, profile.commit) {
        (_, true, true) => Messages::All,
        (_, true, false) => Messages::ExtV2,
        (_, false, true) => Messages::Commit,
        (true, false, false) => Messages::Rfc7306,
        (false, false, false) => Messages::Rfc5040,
    }
}

impl Agent {
    /// Returns the configuration for these options.
    fn configured(&self, options: &StreamOptions, role: Role) -> Result<Config, Error> {
        let limits = self.options.limits;
        if options.receives > limits.receives {
            return Err(limit("receives on a stream", limits.receives));
        }
        if options.receive_size > limits.receive_size {
            return Err(limit("bytes in a receive", limits.receive_size));
        }
        if options.delay > LONGEST_DELAY {
            return Err(limit("milliseconds of delay", LONGEST_DELAY));
        }
        let mut config = self.options.config.clone();
        (config.role, config.accepts) = (role, false);
        let setup = &mut config.setup;
        if let Some(revision) = options.revision {
            setup.revision = match revision {
                0 => SetupRevision::Zero,
                1 => SetupRevision::One,
                2 => SetupRevision::Two,
                _ => return Err(unsupported(format!("there is no revision {revision} of MPA"))),
            };
            setup.enhanced &= setup.revision == SetupRevision::Two;
        }
        for (asked, field) in [
            (options.markers, &mut setup.markers),
            (options.crc, &mut setup.crc),
            (options.enhanced, &mut setup.enhanced),
            (options.peer_to_peer, &mut setup.peer_to_peer),
        ] {
            *field = asked.unwrap_or(*field);
        }
        setup.negotiate_depths |= options.ird.is_some() || options.ord.is_some();
        for (asked, field) in [
            (options.ird.map(|it| it.min(limits.ird)), &mut setup.ird),
            (options.ord.map(|it| it.min(limits.ord)), &mut setup.ord),
            (options.required_ord, &mut setup.required_ord),
        ] {
            *field = asked.unwrap_or(*field);
        }
        config.variants.when(Variant::ShallowDepths, || setup.ird = setup.ird.min(SHALLOW));
        if let Some(indications) = &options.ready_to_receive {
            let [send, write, read] = [Indication::Send, Indication::Write, Indication::Read]
                .map(|it| indications.contains(&it));
            let set = ReadyToReceive::new(send, write, read);
            let none = || unsupported("at least one ready-to-receive indication must be supported");
            setup.ready_to_receive = Some(set.ok_or_else(none)?);
        }
        // Enhanced data takes four bytes of a request's private data (RFC 6581 section 9).
        let most = MAX_PRIVATE_DATA - if setup.enhanced && role == Role::Initiator { 4 } else { 0 };
        let private_data = options.private_data.as_ref();
        if private_data.is_some_and(|it| it.0.len() > most) {
            return Err(limit("bytes of private data", most as u64));
        }
        if let Some(private_data) = private_data {
            setup.private_data.clone_from(&private_data.0);
        }
        if let Some(domain) = options.protection_domain {
            let first = config.accessor.protection_domain;
            config.accessor.protection_domain = first.wrapping_add(domain.wrapping_sub(1));
            if config.accessor.protection_domain == NO_STREAMS_DOMAIN {
                return Err(unsupported(format!("the Protection Domain {domain} has no streams")));
            }
        }
        if options.longest_ulpdu.is_some_and(|it| it < LEAST_ULPDU) {
            return Err(unsupported(format!("longest_ulpdu is at least {LEAST_ULPDU} bytes")));
        }
        config.longest_ulpdu = options.longest_ulpdu.or(config.longest_ulpdu);
        if let Some(packing) = options.packing {
            config.packing = match packing {
                AskedPacking::OwnSegment => Packing::One,
                AskedPacking::Shared => Packing::Several,
                AskedPacking::Anywhere => Packing::Unaligned,
            };
        }
        if let Some(messages) = options.profile {
            config.profile = profile(messages);
            config.atomic_swap |= messages == Messages::Ext04;
        }
        Ok(config)
    }

    /// Checks whether a session may have another stream of this name.
    fn has_room_for_stream(&self, session: u64, name: &str) -> Result<(), Error> {
        let mine = |it: &&Stream| it.session == Some(session);
        let waiting = self.prepared.values().filter(|it| it.session == session);
        if self.streams.values().filter(mine).any(|it| it.name == name)
            || waiting.clone().any(|it| it.options.stream == name)
        {
            return Err(refused(format!("the stream {name} already exists")));
        }
        let most = self.options.limits.streams;
        if self.streams.values().filter(mine).count() + waiting.count() >= most as usize {
            return Err(limit("streams", most));
        }
        Ok(())
    }

    pub(super) fn open(
        &mut self,
        streams: &mut Streams,
        session: u64,
        asked: &Open,
    ) -> Result<(), Error> {
        let Open { address, port, options } = asked;
        self.has_room_for_stream(session, &options.stream)?;
        let config = self.configured(options, Role::Initiator)?;
        let runner = self.sessions.get(&session).map(|it| it.runner.ip());
        let address = (*address).or(runner).ok_or_else(|| refused("the runner is gone"))?;
        let stream = Stream::new(Some(session), options, Role::Initiator);
        let opened = streams.connect((address, *port).into(), config, options.fall_back);
        self.streams.insert(opened, stream);
        Ok(())
    }

    pub(super) fn prepare(
        &mut self,
        streams: &mut Streams,
        session: u64,
        asked: Prepare,
    ) -> Result<(), Error> {
        let Prepare { from, options } = asked;
        self.has_room_for_stream(session, &options.stream)?;
        let mut config = self.configured(&options, Role::Responder)?;
        // The reply may be late because the options ask for it.
        let delay = Duration::from_millis(options.delay.into());
        config.setup_timeout = config.setup_timeout.saturating_add(delay);
        let ticket = streams.prepare(config, Some(from));
        self.prepared.insert(ticket, Prepared { session, options });
        Ok(())
    }

    /// Answers a request whose delay has passed.
    pub(super) fn decide(&mut self, streams: &mut Streams, number: u64) {
        let decision = self.streams.get_mut(&number).and_then(|it| it.decision.take());
        let Some(Decision { reject, .. }) = decision else { return };
        let config = streams.config(number);
        let private_data = config.map(|it| it.setup.private_data.clone()).unwrap_or_default();
        if reject {
            streams.reject(number, &private_data);
        } else {
            streams.accept(number, &private_data);
        }
    }

    /// Drops a stream, even if its TCP connection is not open yet.
    pub(super) fn abort(&mut self, streams: &mut Streams, number: u64) {
        if streams.connection(number).is_none() {
            self.ended(number, warpscope_agent::Ending::Dropped);
            self.streams.remove(&number);
            self.dropped.insert(number);
        }
        streams.abort(number);
    }

    pub(super) fn finish(&self, streams: &mut Streams, number: u64) -> Result<(), Error> {
        if streams.connection(number).is_none() {
            return Err(refused("the stream is not open yet"));
        }
        streams.finish(number);
        Ok(())
    }
}
