//! A connection that receives bytes built by hand, and what is seen of it.

use crate::prelude::*;
use std::fmt::Debug;
use warpscope_peer::memory::Association;

/// The first Tagged Offset of most regions.
pub(crate) const BASE: u64 = 0x1000;

/// The regions, of 64 bytes each from [`BASE`] on if nothing else is said.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tags {
    /// Of this stream, with all rights.
    pub(crate) own: u32,
    pub(crate) read_only: u32,
    pub(crate) write_only: u32,
    /// It may be flushed to persistence, and nothing else.
    pub(crate) lasting: u32,
    pub(crate) other_stream: u32,
    /// Of another stream, without rights.
    pub(crate) blind: u32,
    pub(crate) other_domain: u32,
    pub(crate) shared: u32,
    /// 24 bytes of `own`, from byte 20 on.
    pub(crate) window: u32,
    /// The same from Tagged Offset 0 on: at an address that is not aligned.
    pub(crate) odd_window: u32,
}

impl Tags {
    fn all(self) -> impl Iterator<Item = u32> {
        let first = [self.own, self.read_only, self.write_only, self.lasting, self.other_stream];
        let others = [self.blind, self.other_domain, self.shared, self.window, self.odd_window];
        first.into_iter().chain(others)
    }
}

#[derive(Default)]
pub(crate) struct Trace {
    /// Bytes, FINs and RSTs.
    pub(crate) wire: Vec<String>,
    /// Events, completions, refusals, timers and memory.
    pub(crate) observed: Vec<String>,
}

impl Trace {
    pub(crate) fn record(&mut self, what: &str, it: impl Debug) {
        self.observed.push(format!("{what}: {it:?}"));
    }

    pub(crate) fn record_region(&mut self, memory: &Memory, tag: u32) {
        self.record("region", (tag, memory.is_valid(tag), memory.bytes(tag)));
    }

    /// Whether a connection could be distinguished from the one that left `other`.
    pub(crate) fn differs(&self, other: &Self) -> bool {
        self.wire != other.wire || self.observed != other.observed
    }
}

impl FromIterator<Trace> for Trace {
    fn from_iter<I: IntoIterator<Item = Self>>(traces: I) -> Self {
        traces.into_iter().fold(Self::default(), |mut all, trace| {
            all.wire.push("---".to_owned());
            all.wire.extend(trace.wire);
            all.observed.extend(trace.observed);
            all
        })
    }
}

pub(crate) struct Raw {
    pub(crate) connection: Connection,
    pub(crate) memory: Memory,
    pub(crate) tags: Tags,
    trace: Trace,
}

pub(crate) fn config(profile: Profile) -> Config {
    Config { profile, ..Config::new(Role::Responder, STREAM) }
}

/// A request frame: flags, revision, private data.
pub(crate) fn request(flags: u8, revision: u8, private_data: &[u8]) -> Vec<u8> {
    let mut bytes = b"MPA ID Req Frame".to_vec();
    bytes.extend_from_slice(&[flags, revision, 0, private_data.len() as u8]);
    bytes.extend_from_slice(private_data);
    bytes
}

pub(crate) fn reply(flags: u8, revision: u8, private_data: &[u8]) -> Vec<u8> {
    let mut bytes = request(flags, revision, private_data);
    bytes[7..10].copy_from_slice(b"Rep");
    bytes
}

impl Raw {
    /// A responder that has accepted a request of revision 1; CRCs are in use.
    pub(crate) fn operating(config: Config) -> Self {
        let mut raw = Self::new(config);
        raw.feed(&request(0x40, 1, &[]));
        let reply = raw.transmit();
        assert!(matches!(&reply[..], [Transmit::Bytes(_)]), "{reply:?}");
        raw
    }

    /// A connection of either role that has sent an empty Write, and heard one unless it requires
    /// markers; with two receives of eight bytes. The peer's frame has these flags.
    pub(crate) fn opened(config: Config, flags: u8) -> Self {
        let version = if config.profile.ext_v2 { 0x80 } else { 0x40 };
        let frame = if config.role == Role::Responder { request } else { reply }(flags, 1, &[]);
        let mut raw = Self::new(config);
        raw.transmit();
        raw.feed(&frame);
        raw.ask(write_op(b"", remote(0, 0)));
        raw.transmit();
        if flags & 0x80 == 0 {
            raw.feed_ulpdu(&tagged([0xc1, version], 0, 0, b""));
        }
        raw.transmit();
        raw.receive(1, 8);
        raw.receive(2, 8);
        raw
    }

    /// A connection that has sent and heard nothing.
    pub(crate) fn new(config: Config) -> Self {
        let mut memory = Memory::seeded(3);
        memory.set_bugs(config.bugs);
        let of = |stream, rights| Registration::stream(stream, rights).based_at(BASE);
        let own = |rights| of(STREAM.stream, rights);
        let domain = |domain| Registration {
            association: Association::ProtectionDomain(domain),
            ..own(Rights::ALL)
        };
        let mut register = |it| memory.register((0..64).collect(), it).unwrap();
        let mut tags = Tags {
            own: register(own(Rights::ALL)),
            read_only: register(own(Rights::READ)),
            write_only: register(own(Rights::WRITE)),
            lasting: register(own(Rights::FLUSH_PERSISTENT)),
            other_stream: register(of(STREAM.stream + 1, Rights::ALL)),
            blind: register(of(STREAM.stream + 1, Rights::NONE)),
            other_domain: register(domain(STREAM.protection_domain + 1)),
            shared: register(domain(STREAM.protection_domain)),
            window: 0,
            odd_window: 0,
        };
        let zero_based = Registration::stream(STREAM.stream, Rights::ALL);
        tags.window = memory.bind_window(tags.own, 20, 24, own(Rights::ALL)).unwrap();
        tags.odd_window = memory.bind_window(tags.own, 20, 24, zero_based).unwrap();
        let connection = Connection::new(config, Duration::ZERO);
        Self { connection, memory, tags, trace: Trace::default() }
    }

    /// A further region of this stream alone, from Tagged Offset 0 on.
    pub(crate) fn register(&mut self, bytes: Vec<u8>, rights: Rights) -> u32 {
        self.memory.register(bytes, Registration::stream(STREAM.stream, rights)).unwrap()
    }

    /// The bytes of the region with all rights.
    pub(crate) fn own(&self) -> &[u8] {
        self.memory.bytes(self.tags.own).unwrap()
    }

    /// Every region: whether it is valid, and its bytes.
    pub(crate) fn contents(&self) -> Vec<(bool, Vec<u8>)> {
        let of = |tag| (self.memory.is_valid(tag), self.memory.bytes(tag).unwrap().to_vec());
        self.tags.all().map(of).collect()
    }

    pub(crate) fn post(&mut self, identifier: u64, operation: Operation) {
        let request = WorkRequest::new(identifier, operation);
        self.connection.post(&self.memory, request).unwrap();
    }

    /// Posts a work request, which may be refused.
    pub(crate) fn ask(&mut self, operation: Operation) {
        let posted = self.connection.post(&self.memory, WorkRequest::new(9, operation));
        self.trace.record("post", posted);
    }

    /// Posts a receive, which may be refused.
    pub(crate) fn receive(&mut self, name: u64, room: usize) {
        let posted = self.connection.post_receive(name, room);
        self.trace.record("receive", posted);
    }

    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        self.connection.handle_bytes(Duration::ZERO, &mut self.memory, bytes);
    }

    /// A ULPDU in an FPDU with the right CRC.
    pub(crate) fn feed_ulpdu(&mut self, ulpdu: &[u8]) {
        self.feed(&fpdu(ulpdu));
    }

    pub(crate) fn transmit_one(&mut self) -> Option<Transmit> {
        let transmit = self.connection.poll_transmit(Duration::ZERO, &mut self.memory)?;
        self.trace.wire.push(format!("{transmit:02x?}"));
        Some(transmit)
    }

    /// Everything that is sent now.
    pub(crate) fn transmit(&mut self) -> Vec<Transmit> {
        std::iter::from_fn(|| self.transmit_one()).take(1000).collect()
    }

    pub(crate) fn events(&mut self) -> impl Iterator<Item = Event> {
        std::iter::from_fn(|| self.connection.poll_event())
    }

    /// The name and the result of what completed next.
    pub(crate) fn completed(&mut self) -> Option<(u64, Result<Outcome, CompletionError>)> {
        self.connection.poll_completion().map(|it| (it.identifier, it.result))
    }

    pub(crate) fn violations(&mut self) -> Vec<Violation> {
        let violation = |event| match event {
            Event::Violated(violation) => Some(violation),
            _ => None,
        };
        self.events().filter_map(violation).collect()
    }

    /// The payload of the Terminate that is all that is sent, with a FIN after it; it may have
    /// several segments.
    pub(crate) fn terminate(&mut self) -> Vec<u8> {
        let sent = self.transmit();
        let Some((Transmit::Finish, segments)) = sent.split_last() else {
            panic!("no Terminate with a FIN: {sent:?}");
        };
        let mut payload = Vec::new();
        for (at, segment) in segments.iter().enumerate() {
            let Transmit::Bytes(bytes) = segment else { panic!("{sent:?}") };
            let length = usize::from(u16::from_be_bytes([bytes[0], bytes[1]]));
            let ulpdu = &bytes[2..2 + length];
            // DV 1, L in the last; RV 1 or 2, opcode 7; queue 2, MSN 1 (RFC 5040 section 5.4).
            let last = if at + 1 == segments.len() { 0x41 } else { 0x01 };
            assert_eq!((ulpdu[0], ulpdu[1] & 0x3f), (last, 0x07));
            assert_eq!(ulpdu[2..14], [0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 1]);
            assert_eq!(ulpdu[14..18], (payload.len() as u32).to_be_bytes());
            payload.extend_from_slice(&ulpdu[18..]);
        }
        assert!(!payload.is_empty(), "no Terminate: {sent:?}");
        payload
    }

    pub(crate) fn seen(mut self) -> Trace {
        self.transmit();
        let events: Vec<_> = self.events().collect();
        self.trace.record("events", events);
        let completions: Vec<_> =
            std::iter::from_fn(|| self.connection.poll_completion()).collect();
        self.trace.record("completions", completions);
        self.trace.record("deadline", self.connection.poll_timeout());
        self.trace.record("ended", self.connection.is_ended());
        for tag in self.tags.all() {
            self.trace.record_region(&self.memory, tag);
        }
        self.trace
    }
}

/// Offsets, and the bytes from there on.
type Flushed = Vec<(u64, Vec<u8>)>;

/// A store that remembers what was flushed, or fails.
#[derive(Debug, Clone, Default)]
pub(crate) struct Remembering {
    pub(crate) flushed: Arc<Mutex<Flushed>>,
    pub(crate) fails: bool,
}

impl Store for Remembering {
    fn persist(&mut self, offset: u64, bytes: &[u8]) -> Result<(), FlushFailed> {
        self.flushed.lock().unwrap().push((offset, bytes.to_vec()));
        if self.fails { Err(FlushFailed("the disk is full".to_owned())) } else { Ok(()) }
    }
}

impl Remembering {
    /// A region of zeros with this store behind it; its hash is SHA-256.
    pub(crate) fn region(&self, memory: &mut Memory, length: usize) -> u32 {
        let mut registration = Registration::stream(STREAM.stream, Rights::ALL);
        registration.hash = HashAlgorithm::Sha256;
        let store = Box::new(self.clone());
        memory.register_stored(vec![0; length], store, registration).unwrap()
    }
}

/// An FPDU without markers.
pub(crate) fn fpdu(ulpdu: &[u8]) -> Vec<u8> {
    let mut bytes = (ulpdu.len() as u16).to_be_bytes().to_vec();
    bytes.extend_from_slice(ulpdu);
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    let crc = crc::field_bytes(crc::crc32c(&bytes));
    bytes.extend_from_slice(&crc);
    bytes
}

/// The CRC field of an FPDU without markers again.
pub(crate) fn seal(bytes: &mut [u8]) {
    let (covered, field) = bytes.split_at_mut(bytes.len() - 4);
    field.copy_from_slice(&crc::field_bytes(crc::crc32c(covered)));
}

/// An untagged segment: both control bytes, the word after them, QN, MSN, MO, payload.
pub(crate) fn untagged(control: [u8; 2], words: [u32; 4], payload: &[u8]) -> Vec<u8> {
    [&control, words.map(u32::to_be_bytes).as_flattened(), payload].concat()
}

/// A tagged segment: both control bytes, STag, TO, payload.
pub(crate) fn tagged(control: [u8; 2], tag: u32, offset: u64, payload: &[u8]) -> Vec<u8> {
    [&control, &tag.to_be_bytes()[..], &offset.to_be_bytes(), payload].concat()
}

/// A Read Request's header: sink STag and TO, size, source STag and TO.
pub(crate) fn read(size: u32, source: u32, offset: u64) -> Vec<u8> {
    let sink = [0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 6];
    [&sink[..], &size.to_be_bytes(), &source.to_be_bytes(), &offset.to_be_bytes()].concat()
}
