//! What a target can do, and how fast it answers.

use super::control::{answer_words, order_words};
use super::error::RunError;
use super::options::{Mode, Options, Pace, Target};
use super::session::Session;
use crate::plan::Capabilities;
use crate::stream::{MessageOut, Part, RawStream, Received, SetupOut, SetupSeen};
use std::time::{Duration, Instant};
use warpscope_wire::test_ulp::{Answer, Order, kind};

/// Conversations that are timed.
const ROUNDS: u32 = 8;

/// What is known of a target before the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probe {
    /// What it can do.
    pub capabilities: Capabilities,
    /// How long to wait for it.
    pub pace: Pace,
    /// Names of capabilities in the target's profile that there are none of.
    pub unknown: Vec<String>,
}

/// Asks a target what it can do, and times it.
///
/// # Errors
/// [`RunError`] when the target is not there, or does not speak the test ULP where it should.
pub fn probe(target: &Target, options: &Options) -> Result<Probe, RunError> {
    let Some(address) = target.addresses.first() else {
        return Err(RunError::Unknown("the target has no address".to_owned()));
    };
    let mut pace = Pace { factor: options.patience.max(1), ..Pace::default() };
    let mut session = Session::new(target, *address, 1, pace);
    let mut capabilities = if target.mode == Mode::Bare {
        pace.round_trip = Duration::from_millis(20);
        bare(&mut session)?
    } else {
        session.open_control()?;
        let begun = Instant::now();
        let mut answer = session.need(&Order::Capabilities)?;
        for _ in 1..ROUNDS {
            answer = session.need(&Order::Capabilities)?;
        }
        pace.round_trip = begun.elapsed() / ROUNDS;
        let Answer::Capabilities(limits, _) = answer else {
            let why = answer_words(&answer);
            return Err(RunError::Refused { order: order_words(kind::CAPABILITIES), why });
        };
        session.ask(&Order::Goodbye)?;
        Capabilities::reported(limits)
    };
    for (name, there) in target.rpc.capabilities() {
        capabilities.set(name, there);
    }
    let unknown = target
        .capabilities
        .iter()
        .filter(|(name, there)| !capabilities.set(name, *there))
        .map(|(name, _)| name.clone())
        .collect();
    Ok(Probe { capabilities, pace, unknown })
}

/// The stream that is used.
const STREAM: u32 = 0;
/// How long an answer may take.
const ANSWER: Duration = Duration::from_secs(2);
/// What passes before the first FPDU: some targets take a while to listen behind their reply.
const PAUSE: Duration = Duration::from_millis(200);
/// Enhanced data: IRD and ORD of 4, and the same for the peer-to-peer model with Write and Read as
/// indications (RFC 6581 section 9).
const CLIENT_SERVER: [u8; 4] = [0x00, 0x04, 0x00, 0x04];
const PEER_TO_PEER: [u8; 4] = [0x80, 0x04, 0xc0, 0x04];
/// The opcode of a Read Response (RFC 5040 section 4.3).
const READ_RESPONSE: u8 = 2;

/// Asks a target without the test ULP: whether it answers a Read of no bytes, which needs no valid
/// STag, and whether it knows the enhanced setup and the peer-to-peer model.
///
/// # Errors
/// [`RunError`] when it is not there any more.
fn bare(session: &mut Session) -> Result<Capabilities, RunError> {
    let mut capabilities = Capabilities::bare();
    let read = || MessageOut::read_request((0, 0), 0, (0, 0));
    let plain = asked(session, SetupOut::request(b""))?;
    if plain.is_some_and(|it| !it.rejected()) {
        session.pump(PAUSE);
        send(session, Part::Message(read()))?;
        let answered = |raw: &RawStream| {
            raw.received().iter().any(|received| match received {
                Received::Message(message) => message.opcode() == Some(READ_RESPONSE),
                _ => false,
            })
        };
        capabilities.set("rdma-read", wait(session, answered));
    }
    let enhanced =
        |data: &[u8]| SetupOut { enhanced: true, revision: 2, ..SetupOut::request(data) };
    let known = asked(session, enhanced(&CLIENT_SERVER))?;
    capabilities.set("enhanced-setup", known.as_ref().and_then(flags).is_some());
    if capabilities.has("enhanced-setup") {
        let reply = asked(session, enhanced(&PEER_TO_PEER))?;
        if let Some([a, c]) = reply.as_ref().and_then(flags) {
            capabilities.set("peer-to-peer", a & 0x80 != 0);
            // The target waits for its indication.
            let write = c & 0x80 != 0;
            let indication = if write { MessageOut::write(0, 0, b"") } else { read() };
            session.pump(PAUSE);
            send(session, Part::Message(indication))?;
            session.pump(PAUSE);
        }
    }
    session.clear();
    Ok(capabilities)
}

/// Opens a stream with this request; the reply, if there is one.
fn asked(session: &mut Session, request: SetupOut) -> Result<Option<SetupSeen>, RunError> {
    session.clear();
    session.connect(STREAM, None)?;
    send(session, Part::Setup(request))?;
    wait(session, |raw| raw.peer_setup().is_some());
    let raw = session.streams.get(&STREAM).map(|it| &it.raw);
    Ok(raw.and_then(RawStream::peer_setup).cloned())
}

/// The bytes of an enhanced reply's data that the control flags are in.
fn flags(reply: &SetupSeen) -> Option<[u8; 2]> {
    let enhanced = reply.bytes.get(16)? & 0x10 != 0 && reply.revision() == 2;
    match reply.private_data() {
        [a, _, c, _, ..] if enhanced && !reply.rejected() => Some([*a, *c]),
        _ => None,
    }
}

fn send(session: &mut Session, part: Part) -> Result<(), RunError> {
    let Some(stream) = session.streams.get_mut(&STREAM) else { return Ok(()) };
    let writes = stream.raw.send(&[part]);
    session.write(STREAM, &writes)
}

/// Waits until something holds of the link; false when it does not in time, or the stream ended.
fn wait(session: &mut Session, holds: impl Fn(&RawStream) -> bool) -> bool {
    let until = Instant::now() + session.pace.within(ANSWER);
    loop {
        let Some(stream) = session.streams.get(&STREAM) else { return false };
        if holds(&stream.raw) {
            return true;
        }
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() || stream.raw.ended() {
            return false;
        }
        session.pump(left);
    }
}
