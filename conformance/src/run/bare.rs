//! What a target without the test ULP shows of itself.

use super::error::RunError;
use super::stage::Stage;
use crate::engine::{
    Capabilities, Delivery, Link, LinkOptions, MessageOut, Part, SetupOut, SetupSeen, What,
};
use std::time::{Duration, Instant};

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
pub(super) fn bare(stage: &mut Stage) -> Result<Capabilities, RunError> {
    let mut capabilities = Capabilities::bare();
    let read = || MessageOut::read_request((0, 0), 0, (0, 0));
    let plain = asked(stage, SetupOut::request(b""))?;
    if plain.is_some_and(|it| !it.rejected()) {
        stage.pump(PAUSE);
        send(stage, Part::message(read()))?;
        let answered = |link: &Link| {
            link.arrivals().iter().any(|arrival| match &arrival.what {
                What::Message(message) => message.opcode() == Some(READ_RESPONSE),
                _ => false,
            })
        };
        capabilities.set("rdma-read", wait(stage, answered));
    }
    let enhanced =
        |data: &[u8]| SetupOut { enhanced: true, revision: 2, ..SetupOut::request(data) };
    let known = asked(stage, enhanced(&CLIENT_SERVER))?;
    capabilities.set("enhanced-setup", known.as_ref().and_then(flags).is_some());
    if capabilities.has("enhanced-setup") {
        let reply = asked(stage, enhanced(&PEER_TO_PEER))?;
        if let Some([a, c]) = reply.as_ref().and_then(flags) {
            capabilities.set("peer-to-peer", a & 0x80 != 0);
            // The target waits for its indication.
            let write = c & 0x80 != 0;
            let indication = if write { MessageOut::write(0, 0, b"") } else { read() };
            stage.pump(PAUSE);
            send(stage, Part::message(indication))?;
            stage.pump(PAUSE);
        }
    }
    stage.clear();
    Ok(capabilities)
}

/// Opens a stream with this request; the reply, if there is one.
fn asked(stage: &mut Stage, request: SetupOut) -> Result<Option<SetupSeen>, RunError> {
    stage.clear();
    stage.connect(STREAM, LinkOptions::default())?;
    send(stage, Part::Setup(request))?;
    wait(stage, |link| link.peer_setup().is_some());
    let link = stage.streams.get(&STREAM).map(|it| &it.link);
    Ok(link.and_then(Link::peer_setup).cloned())
}

/// The bytes of an enhanced reply's data that the control flags are in.
fn flags(reply: &SetupSeen) -> Option<[u8; 2]> {
    let enhanced = reply.bytes.get(16)? & 0x10 != 0 && reply.revision() == 2;
    match reply.private_data() {
        [a, _, c, _, ..] if enhanced && !reply.rejected() => Some([*a, *c]),
        _ => None,
    }
}

fn send(stage: &mut Stage, part: Part) -> Result<(), RunError> {
    let Some(stream) = stage.streams.get_mut(&STREAM) else { return Ok(()) };
    let writes = stream.link.sending(&[part], &Delivery::default());
    stage.write(STREAM, &writes)
}

/// Waits until something holds of the link; false when it does not in time, or the stream ended.
fn wait(stage: &mut Stage, holds: impl Fn(&Link) -> bool) -> bool {
    let until = Instant::now() + stage.pace.within(ANSWER);
    loop {
        let Some(stream) = stage.streams.get(&STREAM) else { return false };
        if holds(&stream.link) {
            return true;
        }
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() || stream.link.ended() {
            return false;
        }
        stage.pump(left);
    }
}
