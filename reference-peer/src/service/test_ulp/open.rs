//! Streams that are opened or prepared by order (section 8).

use super::answer::No;
use super::stream::{Decision, Stream};
use super::target::TestUlp;
use crate::connection::{Config, Packing, Role};
use crate::setup::SetupRevision;
use crate::streams::Streams;
use std::net::SocketAddr;
use std::time::Duration;
use warpscope_wire::mpa::{MAX_PRIVATE_DATA, ReadyToReceive};
use warpscope_wire::rdmap::Profile;
use warpscope_wire::test_ulp::{
    Answer, Documents, Given, Greeting, Magic, PackingCode, Purpose, RoleCode, StreamOptions,
    Switches, Version,
};

/// The longest delay of an answer to a request, in milliseconds.
const LONGEST_DELAY: u32 = 60_000;

/// What the next stream that comes in is accepted with.
#[derive(Debug, Clone)]
pub(super) struct Prepared {
    pub(super) session: u32,
    pub(super) options: StreamOptions,
    /// Private data, if it was given.
    pub(super) private_data: Option<Vec<u8>>,
}

impl TestUlp {
    /// The configuration that options ask for.
    fn configured(&self, options: &StreamOptions, role: Role) -> Result<Config, No> {
        let given = |what| options.given.contains(what);
        let on = |what| options.switches.contains(what);
        let mut config = self.options.config.clone();
        config.role = role;
        config.accepts = false;
        let setup = &mut config.setup;
        if given(Given::REVISION) {
            setup.revision = match options.revision {
                0 => SetupRevision::Zero,
                1 => SetupRevision::One,
                _ => SetupRevision::Two,
            };
            setup.enhanced &= setup.revision == SetupRevision::Two;
        }
        let switches = [
            (Given::MARKERS, Switches::MARKERS, &mut setup.markers),
            (Given::CRC, Switches::CRC, &mut setup.crc),
            (Given::ENHANCED, Switches::ENHANCED, &mut setup.enhanced),
            (Given::DEPTHS, Switches::DEPTHS, &mut setup.negotiate_depths),
            (Given::PEER_TO_PEER, Switches::PEER_TO_PEER, &mut setup.peer_to_peer),
        ];
        for (bit, switch, field) in switches {
            if given(bit) {
                *field = on(switch);
            }
        }
        let depths = [
            (Given::IRD, options.ird, &mut setup.ird),
            (Given::ORD, options.ord, &mut setup.ord),
            (Given::REQUIRED_ORD, options.required_ord, &mut setup.required_ord),
        ];
        for (bit, depth, field) in depths {
            if given(bit) {
                *field = depth;
            }
        }
        if given(Given::READY_TO_RECEIVE) {
            let [send, write, read] =
                [Switches::READY_SEND, Switches::READY_WRITE, Switches::READY_READ].map(on);
            let set = ReadyToReceive::new(send, write, read);
            let none = || No::unsupported("one ready-to-receive indication is supported at least");
            setup.ready_to_receive = Some(set.ok_or_else(none)?);
        }
        if given(Given::PROTECTION_DOMAIN) {
            let first = config.accessor.protection_domain;
            let domain = options.protection_domain.wrapping_sub(1);
            config.accessor.protection_domain = first.wrapping_add(domain);
        }
        if given(Given::LONGEST_ULPDU) {
            config.longest_ulpdu = Some(options.longest_ulpdu.max(LEAST_ULPDU));
        }
        if given(Given::PACKING) {
            config.packing = match options.packing {
                PackingCode::One => Packing::One,
                PackingCode::Several => Packing::Several,
                PackingCode::Unaligned => Packing::Unaligned,
            };
        }
        if given(Given::DOCUMENTS) {
            let has = |document| options.documents.contains(document);
            config.profile = Profile {
                extensions: has(Documents::EXTENSIONS),
                ext_v2: has(Documents::EXT_V2),
                commit: has(Documents::COMMIT),
            };
        }
        if options.delay > LONGEST_DELAY {
            return Err(No::limit("milliseconds of delay", LONGEST_DELAY.into()));
        }
        self.judge_receives(options.receives, options.receive_size)?;
        Ok(config)
    }

    /// Whether so many receives of so many bytes can be posted on a new stream.
    pub(super) fn judge_receives(&self, count: u32, size: u32) -> Result<(), No> {
        let limits = self.options.limits;
        if count > limits.receives {
            return Err(No::limit("receives on a stream", limits.receives.into()));
        }
        if size > limits.longest_receive {
            return Err(No::limit("bytes in a receive", limits.longest_receive.into()));
        }
        Ok(())
    }

    fn has_room_for_stream(&self, session: u32) -> Result<(), No> {
        let up = self.streams.values().filter(|it| it.session == session).count();
        let waiting = self.sessions.get(&session).map_or(0, |it| it.prepared.len());
        let most = self.options.limits.streams;
        if up + waiting >= most as usize {
            return Err(No::limit("streams", most.into()));
        }
        Ok(())
    }

    fn private_data(options: &StreamOptions, bytes: &[u8]) -> Result<Option<Vec<u8>>, No> {
        if bytes.len() > MAX_PRIVATE_DATA {
            return Err(No::limit("bytes of private data", MAX_PRIVATE_DATA as u64));
        }
        Ok(options.given.contains(Given::PRIVATE_DATA).then(|| bytes.to_vec()))
    }

    pub(super) fn open(
        &mut self,
        streams: &mut Streams,
        number: u64,
        (options, bytes): (&StreamOptions, &[u8]),
        address: SocketAddr,
    ) -> Result<Answer, No> {
        let session = self.session_of(number);
        self.has_room_for_stream(session)?;
        let mut config = self.configured(options, Role::Initiator)?;
        let private_data = Self::private_data(options, bytes)?;
        let name = self.name(options.stream);
        let mut stream = Stream::new(session, name, options.purpose, RoleCode::Initiator);
        stream.half_open = options.switches.contains(Switches::HALF_OPEN);
        stream.to_post = (options.receives, options.receive_size);
        config.setup.private_data = match private_data {
            Some(bytes) => bytes,
            None if options.purpose == Purpose::Bare => Vec::new(),
            None => self.greeting(&stream),
        };
        let fall_back = options.switches.contains(Switches::FALL_BACK);
        let opened = streams.connect(address, config, fall_back);
        self.streams.insert(opened, stream);
        Ok(Answer::Stream(name))
    }

    pub(super) fn prepare(
        &mut self,
        streams: &mut Streams,
        number: u64,
        (options, bytes): (&StreamOptions, &[u8]),
    ) -> Result<Answer, No> {
        let session = self.session_of(number);
        self.has_room_for_stream(session)?;
        let mut config = self.configured(options, Role::Responder)?;
        let private_data = Self::private_data(options, bytes)?;
        // The reply may be late by order.
        let delay = Duration::from_millis(options.delay.into());
        config.setup_timeout = config.setup_timeout.saturating_add(delay);
        let name = self.name(options.stream);
        let options = StreamOptions { stream: name, ..*options };
        let ticket = streams.prepare(config);
        self.prepared.insert(ticket, Prepared { session, options, private_data });
        if let Some(session) = self.sessions.get_mut(&session) {
            session.prepared.push(ticket);
        }
        Ok(Answer::Stream(name))
    }

    /// The name that was asked for, or one of the target's.
    pub(super) fn name(&mut self, asked: u32) -> u32 {
        if asked != 0 {
            return asked;
        }
        self.next_name = self.next_name.wrapping_add(1) | OWN_NAMES;
        self.next_name
    }

    /// The greeting of the target on a stream.
    pub(super) fn greeting_of(&self, stream: &Stream) -> Greeting {
        let limits = self.options.limits;
        let (receives, longest) = match stream.purpose {
            Purpose::Bare => {
                let receives = u16::try_from(stream.ordered_receives()).unwrap_or(u16::MAX);
                (receives, stream.to_post.1)
            }
            Purpose::Control | Purpose::Shared => (limits.orders, limits.longest_order),
        };
        Greeting {
            magic: Magic,
            version: Version,
            purpose: stream.purpose,
            receives,
            session: stream.session,
            stream: stream.name,
            longest,
        }
    }

    /// Its bytes.
    pub(super) fn greeting(&self, stream: &Stream) -> Vec<u8> {
        let mut bytes = vec![0; Greeting::LENGTH];
        self.greeting_of(stream).emit(&mut warpscope_wire::Writer::new(&mut bytes));
        bytes
    }

    /// Answers a request whose time has come.
    pub(super) fn decide(&mut self, streams: &mut Streams, number: u64) {
        let decision = self.streams.get_mut(&number).and_then(|it| it.decision.take());
        let Some(Decision { reject, private_data, .. }) = decision else { return };
        if reject {
            streams.reject(number, &private_data);
        } else {
            streams.accept(number, &private_data);
        }
    }
}

/// Where the names begin that a target gives.
pub(super) const OWN_NAMES: u32 = 0x8000_0000;

/// The shortest ULPDU that has a payload behind an untagged header, in bytes.
const LEAST_ULPDU: u16 = 19;
