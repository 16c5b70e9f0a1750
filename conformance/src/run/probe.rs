//! Probes a target before a run, and defines the sanity conversation.

use super::options::{Mode, Options, Pace, Target};
use super::session::{RunError, Session};
use crate::case::step::{
    Action, Connect, Content, Expect, Expected, FieldValue, Framing, MessagePattern, Send,
    SetupEnd, Step,
};
use crate::case::{Argument, Bytes, Instance, Record, Role, Value};
use crate::plan::Capabilities;
use crate::stream::{MessageOut, Part, RawStream, Received, SetupOut, SetupSeen};
use crate::yaml::Place;
use std::time::{Duration, Instant};
use warpscope_agent::Method;

/// Returns the sanity conversation: a stream is set up, and if the target has an agent, a Send arrives. It is
/// the first and last in a run, and follows an instance that did not pass.
pub fn sanity(probe: &Probe) -> Instance {
    let mut actions = vec![connect()];
    let mut profile = "rfc5040";
    if let Some(reported) = &probe.capabilities.reported {
        profile = reported.profile.into();
        let payload = || Bytes::These(b"sanity".to_vec());
        actions.push(send("send", Vec::new(), payload()));
        let arguments = vec![("payload", Argument::Bytes(payload()))];
        actions.push(expect(Expected::Report(Record { name: "arrival", arguments })));
    }
    conversation(Vec::new(), profile, actions)
}

/// Returns the same for the target's RPC-over-RDMA responder: it answers a call of NFS's NULL.
pub(super) fn rpc_sanity() -> Instance {
    let call = send("rpc_call", Vec::new(), Bytes::These(Vec::new()));
    let reply = expect(Expected::Message(MessagePattern::new("rpc_reply")));
    let actions = vec![connect(), call, reply];
    conversation(vec!["rpc-over-rdma"], "rfc5040", actions)
}

fn connect() -> Action {
    let number = |number| Argument::Number(Value::Known(number));
    let ours = vec![("receives", number(16)), ("receive_size", number(4096))];
    Action::Connect(Box::new(Connect {
        only_tcp: false,
        again: false,
        segment_size: None,
        ours: Record { name: "", arguments: ours },
        theirs: Record::default(),
        fields: Vec::new(),
        ends: SetupEnd::Accepted,
    }))
}

fn send(name: &str, fields: Vec<(String, FieldValue)>, payload: Bytes) -> Action {
    let content = Content::Message { name: name.to_owned(), fields, payload };
    let framing = Framing::default();
    Action::Send(Box::new(Send { content, framing, hold: false, name: None }))
}

fn expect(want: Expected) -> Action {
    let within = Some(Duration::from_secs(5));
    let (tolerate, skip) = (Vec::new(), Vec::new());
    Action::Expect(Box::new(Expect { want, tolerate, skip, supposed: false, within }))
}

fn conversation(needs: Vec<&'static str>, profile: &'static str, actions: Vec<Action>) -> Instance {
    let step = |action| Step {
        stream: "a".to_owned(),
        note: None,
        needs: None,
        while_open: None,
        times: 1,
        file: "sanity".to_owned(),
        place: Place::default(),
        action,
    };
    Instance {
        id: "sanity".to_owned(),
        case: "sanity".to_owned(),
        needs,
        profile,
        recommended: false,
        role: Role::Initiator,
        buffers: Vec::new(),
        steps: actions.into_iter().map(step).collect(),
    }
}

/// The number of conversations that are timed.
const ROUNDS: u32 = 8;

/// What is known of a target before the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probe {
    /// What it can do.
    pub capabilities: Capabilities,
    /// How long to wait for it.
    pub(crate) pace: Pace,
    /// Whether the network changes addresses on the way to its agent.
    pub(crate) translated: bool,
    /// Which streams are set up with enhanced data, unless the case says otherwise.
    pub(crate) offers: Offers,
    /// Unknown names of capabilities in the target's profile.
    pub unknown: Vec<String>,
}

/// Whether streams are set up with enhanced data: a listener that wants to know our depths accepts no other
/// setup (as some in Linux do).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Offers {
    /// To the target, which has no agent and does not accept a plain setup.
    pub(crate) streams: bool,
    /// To its RPC-over-RDMA responder, which accepts an enhanced one.
    pub(crate) rpc: bool,
}

/// Probes the capabilities of a target and its response time.
///
/// # Errors
/// [`RunError`] if the target is not there, or has no agent but should.
pub fn probe(target: &Target, options: &Options) -> Result<Probe, RunError> {
    if target.copies() == 0 {
        return Err(RunError::Unknown("the target has no address".to_owned()));
    }
    let mut pace = Pace { factor: options.patience.max(1), ..Pace::default() };
    let mut session = Session::new(target, 0, pace);
    let mut offers = Offers::default();
    let mut capabilities = if target.mode == Mode::Bare {
        pace.round_trip = Duration::from_millis(20);
        bare(&mut session, &mut offers)?
    } else {
        session.open_control()?;
        let begun = Instant::now();
        for _ in 0..ROUNDS {
            session.need(Method::Capabilities)?;
        }
        pace.round_trip = begun.elapsed() / ROUNDS;
        Capabilities::reported(session.capabilities()?)
    };
    offers.rpc = target.rpc.address.is_some() && takes_enhanced_rpc(&mut session);
    for (name, there) in target.rpc.capabilities() {
        capabilities.set(name, there);
    }
    let unknown = target
        .capabilities
        .iter()
        .filter(|(name, there)| !capabilities.set(name, *there))
        .map(|(name, _)| name.clone())
        .collect();
    Ok(Probe { capabilities, pace, translated: session.translated, offers, unknown })
}

const STREAM: u32 = 0;
/// How long an answer may take.
const ANSWER: Duration = Duration::from_secs(2);
/// The pause before the first FPDU: some targets need a while after their reply before they listen.
const PAUSE: Duration = Duration::from_millis(200);
/// Enhanced data: IRD and ORD of 4, both of 16 if an RPC responder may listen, and those of 4 for the
/// peer-to-peer model with Write and Read as indications (RFC 6581 section 9).
const CLIENT_SERVER: [u8; 4] = [0x00, 0x04, 0x00, 0x04];
const RPC_DEPTHS: [u8; 4] = [0x00, 0x10, 0x00, 0x10];
const PEER_TO_PEER: [u8; 4] = [0x80, 0x04, 0xc0, 0x04];
/// The opcode of a Read Response (RFC 5040 section 4.3).
const READ_RESPONSE: u8 = 2;

/// Probes a target without an agent: whether it answers a Read of no bytes, which needs no valid STag, and
/// whether it supports the enhanced setup and the peer-to-peer model.
///
/// # Errors
/// [`RunError`] if it is not there any longer.
fn bare(session: &mut Session, offers: &mut Offers) -> Result<Capabilities, RunError> {
    let mut capabilities = Capabilities::bare();
    let read = || MessageOut::read_request((0, 0), 0, (0, 0));
    let enhanced =
        |data: &[u8]| SetupOut { enhanced: true, revision: 2, ..SetupOut::request(data) };
    let taken = |reply: Option<SetupSeen>| reply.is_some_and(|it| !it.rejected());
    let plain = taken(asked(session, SetupOut::request(b""))?);
    offers.streams = !plain && taken(asked(session, enhanced(&RPC_DEPTHS))?);
    if plain || offers.streams {
        session.pump(PAUSE);
        send_part(session, Part::Message(read()))?;
        let answered = |raw: &RawStream| {
            raw.received().iter().any(|received| match received {
                Received::Message(message) => message.opcode() == Some(READ_RESPONSE),
                _ => false,
            })
        };
        capabilities.set("rdma-read", wait(session, answered));
    }
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
            send_part(session, Part::Message(indication))?;
            session.pump(PAUSE);
        }
    }
    session.clear();
    Ok(capabilities)
}

/// Probes whether the RPC-over-RDMA responder accepts an enhanced setup: Linux accepts no other. A missing
/// responder accepts none, which its instances report.
fn takes_enhanced_rpc(session: &mut Session) -> bool {
    session.rpc = true;
    let request = SetupOut { enhanced: true, revision: 2, ..SetupOut::request(&RPC_DEPTHS) };
    let reply = asked(session, request).ok().flatten();
    session.clear();
    reply.as_ref().and_then(flags).is_some()
}

/// Opens a stream with this request, and returns the reply, if there is one.
fn asked(session: &mut Session, request: SetupOut) -> Result<Option<SetupSeen>, RunError> {
    session.clear();
    session.connect(STREAM, None, None)?;
    send_part(session, Part::Setup(request))?;
    wait(session, |raw| raw.peer_setup().is_some());
    let raw = session.streams.get(&STREAM).map(|it| &it.raw);
    Ok(raw.and_then(RawStream::peer_setup).cloned())
}

/// Returns the bytes of an enhanced reply's data that contain the control flags.
fn flags(reply: &SetupSeen) -> Option<[u8; 2]> {
    let enhanced = reply.bytes.get(16)? & 0x10 != 0 && reply.revision() == 2;
    match reply.private_data() {
        [a, _, c, _, ..] if enhanced && !reply.rejected() => Some([*a, *c]),
        _ => None,
    }
}

fn send_part(session: &mut Session, part: Part) -> Result<(), RunError> {
    let Some(stream) = session.streams.get_mut(&STREAM) else { return Ok(()) };
    let writes = stream.raw.send(&[part]);
    session.write(STREAM, &writes)
}

/// Waits until a condition on the link holds. Returns false if it does not in time, or the stream ended.
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
