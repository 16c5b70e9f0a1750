//! The synthetic captures: the contents of each, and the plan of its streams.

use super::{iwarp, network, rpcrdma, violations};
use crate::capture::{CapturedFrame, Format, file_bytes};
use crate::message::{self, Target};
use crate::noise::Noise;
use crate::packet::End;
use crate::session::{Agreement, PlannedStream, Session};
use crate::session::{INITIATOR, RESPONDER};
use crate::{Result, TraceError};
use warpscope_wire::rdmap::{Message, ReadRequest, Terminate, TerminatedDdp};

/// A rule that a capture breaks deliberately.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct PlannedBreach {
    /// The connection, numbered from 0 in the order of their first frames.
    pub connection: u32,
    /// The frame that breaks it, numbered from 1.
    pub frame: u64,
    /// The ID of the rule.
    pub rule: &'static str,
    /// The side that sends the frame; 0 is the initiator.
    pub side: u8,
}

/// A generated capture.
#[derive(Debug, Clone, Default)]
pub struct Generated {
    /// The frames of the capture.
    pub frames: Vec<CapturedFrame>,
    /// The file format.
    pub format: Format,
    /// The iWARP connections in the order of their first frames, with the planned stream of each side.
    pub connections: Vec<[PlannedStream; 2]>,
    /// Rules that the capture breaks deliberately.
    pub breaches: Vec<PlannedBreach>,
}

impl Generated {
    /// Creates a pcap with the frames of one connection.
    pub(super) fn one(session: Session) -> Self {
        let mut made = Self::default();
        made.add(session);
        made
    }

    /// Adds a connection after the others.
    pub(super) fn add(&mut self, session: Session) {
        let (frames, plan) = session.finish();
        self.frames.extend(frames);
        self.connections.push(plan);
    }
}

/// A synthetic capture.
#[derive(Debug, Clone, Copy)]
pub struct Scenario {
    /// The name, which is also the file name without the extension.
    pub name: &'static str,
    /// What it contains.
    pub contains: &'static str,
    /// The purpose of the capture.
    pub purpose: &'static str,
    pub(super) make: fn() -> Result<Generated>,
}

impl Scenario {
    /// Generates the frames.
    ///
    /// # Errors
    /// If a message would be illegal.
    pub fn make(&self) -> Result<Generated> {
        (self.make)()
    }

    /// Whether peers break rules in this capture, as in all of [`with_breaches`].
    pub fn breaks_rules(&self) -> bool {
        with_breaches().any(|scenario| scenario.name == self.name)
    }

    /// Returns the file name.
    pub fn file_name(&self) -> String {
        let extension = if self.name.starts_with("pcapng") { "pcapng" } else { "pcap" };
        format!("{}.{extension}", self.name)
    }

    /// Returns the bytes of the file.
    ///
    /// # Errors
    /// If a message would be illegal.
    pub fn file_bytes(&self) -> Result<Vec<u8>> {
        let made = self.make()?;
        let io = |source| TraceError::Io { name: self.file_name(), source };
        file_bytes(&made.frames, made.format).map_err(io)
    }
}

/// Declares a list of scenarios: name, function that makes it, contents, purpose.
macro_rules! scenarios {
    ($list:ident: $($name:literal, $make:expr, $contains:literal, $purpose:literal;)+) => {
        pub(super) const $list: &[$crate::scenario::Scenario] = &[$(
            $crate::scenario::Scenario {
                name: $name,
                contains: $contains,
                purpose: $purpose,
                make: $make,
            },
        )+];
    };
}
pub(super) use scenarios;

pub(super) const GROUPS: [&[Scenario]; 8] = [
    iwarp::MARKERS,
    network::LOSSES,
    iwarp::SETUP,
    network::SEGMENTING,
    network::LINKS,
    iwarp::EXTENSIONS,
    iwarp::TERMINATE,
    rpcrdma::SCENARIOS,
];

/// Captures of peers that break rules. They are separate from the others, which break none except those about
/// damage.
const VIOLATIONS: [Scenario; 10] = [
    violations::SETUP,
    violations::FPDU,
    violations::DDP,
    violations::RDMAP,
    violations::OPERATION,
    violations::TERMINATE,
    violations::RPC,
    violations::SMB_DIRECT,
    violations::ISER,
    violations::NVME,
];

/// Returns every synthetic capture in which peers break rules.
pub fn with_breaches() -> impl Iterator<Item = &'static Scenario> {
    VIOLATIONS.iter()
}

/// Returns every synthetic capture except those of [`with_breaches`].
pub fn all() -> impl Iterator<Item = &'static Scenario> {
    GROUPS.into_iter().flatten()
}

/// Returns the synthetic capture with this name.
pub fn by_name(name: &str) -> Option<&'static Scenario> {
    all().chain(with_breaches()).find(|scenario| scenario.name == name)
}

pub(super) const PORT: u16 = 4_791;
pub(super) const SINK: u32 = 0x0000_a100;
pub(super) const SOURCE: u32 = 0x0000_b200;
pub(super) const BUFFER_OFFSET: u64 = 0x0000_7f00_0000_1000;

/// Returns a target in the buffer that scenarios write to.
pub(super) fn tagged(offset: u64) -> Target {
    Target::Tagged { steering_tag: SINK, tagged_offset: BUFFER_OFFSET + offset }
}

/// Returns a new connection from this port of the first host.
pub(super) fn session_from(port: u16) -> Session {
    let ends = [End::v4(1, port), End::v4(2, PORT)];
    let spread = u32::from(port) << 12;
    Session::new(ends, [0x1000_0000 + spread, 0x6000_0000 + spread])
}

/// Returns a connection that is set up.
pub(super) fn opened(agreement: &Agreement) -> Result<Session> {
    let mut session = session_from(40_001);
    session.open(agreement)?;
    Ok(session)
}

/// Returns an agreement with the markers that each side requires in what it receives.
pub(super) fn markers_required(initiator: bool, responder: bool) -> Agreement {
    Agreement { markers: [initiator, responder], ..Agreement::default() }
}

/// Returns the header of a Read Request for the buffers that scenarios use.
pub(super) fn read_header(length: u32) -> ReadRequest {
    ReadRequest {
        sink_steering_tag: SINK,
        sink_tagged_offset: BUFFER_OFFSET,
        read_message_size: length,
        source_steering_tag: SOURCE,
        source_tagged_offset: 0x2000,
    }
}

/// Returns payload bytes that depend on the seed.
pub(super) fn payload(seed: u64, count: usize) -> Vec<u8> {
    Noise::new(seed).bytes(count)
}

/// Sends some of everything from RFC 5040. The initiator: Send of 100 bytes, Write of 3000, Read Request. The
/// responder: Read Response of 2000, Send of 200. With frames of 1500 bytes these are five FPDUs and three.
pub(super) fn mixed(session: &mut Session) -> Result<()> {
    session.send(INITIATOR, Message::Send, Target::Queue, &payload(1, 100))?;
    session.send(INITIATOR, Message::Write, tagged(0), &payload(2, 3000))?;
    let request = message::read_request(&read_header(2000));
    session.send(INITIATOR, Message::ReadRequest, Target::Queue, &request)?;
    session.send(RESPONDER, Message::ReadResponse, tagged(0), &payload(3, 2000))?;
    session.send(RESPONDER, Message::Send, Target::Queue, &payload(4, 200))
}

/// Returns a capture with only the mixed exchange.
pub(super) fn mixed_alone(agreement: &Agreement) -> Result<Generated> {
    Ok(Generated::one(mixed_connection(session_from(40_001), agreement)?))
}

/// Returns a capture of a connection that the initiator closes.
pub(super) fn closed(mut session: Session) -> Result<Generated> {
    session.conversation.close(INITIATOR);
    Ok(Generated::one(session))
}

/// Runs the mixed exchange on a connection, and closes it normally.
pub(super) fn mixed_connection(mut session: Session, agreement: &Agreement) -> Result<Session> {
    session.open(agreement)?;
    mixed(&mut session)?;
    session.conversation.close(INITIATOR);
    Ok(session)
}

/// Returns a Terminate about a segment, with layer, error type and code, and with the segment's headers.
pub(super) fn about(
    (layer, error_type, code): (u8, u8, u8),
    ulpdu: &[u8],
    request: Option<ReadRequest>,
) -> Result<Vec<u8>> {
    let (header, _) = TerminatedDdp::parse(ulpdu)?;
    let about = Terminate::new(layer, error_type, code)?.with_ddp(ulpdu.len() as u16, header);
    let about = request.map_or(about, |request| about.with_read_request(request));
    Ok(message::terminate(&about)?)
}

/// Returns the initiator's last ULPDU.
pub(super) fn last_ulpdu(session: &Session) -> Vec<u8> {
    let last = session.streams[INITIATOR].fpdus.last();
    last.map(|fpdu| fpdu.ulpdu.clone()).unwrap_or_default()
}
