//! Setups that break RFC 5044 section 7.1 or RFC 6581.

use super::super::catalogue::{Made, Scenario, payload, tagged};
use super::case::{Case, Cases};
use crate::Result;
use crate::conversation::{INITIATOR, RESPONDER};
use crate::message::Target;
use crate::session::Agreement;
use warpscope_wire::mpa::{Enhanced, Mode, NOT_NEGOTIATED, ReadyToReceive, Revision, Setup};
use warpscope_wire::rdmap::Message;

pub(in crate::scenario) const SCENARIO: Scenario = Scenario {
    name: "violations-setup",
    contains: "connections whose setup frames, or what stands around them, break a rule each",
    purpose: "each rule of the setup is tripped where it is broken",
    make,
};

const FLAGS: usize = 16;
const REVISION: usize = 17;
const LENGTH: usize = 18;
/// A and B stand in the first byte of private data.
const A_AND_B: usize = 20;

fn unchanged(_: &mut Vec<u8>) {}

fn enhanced(mode: Mode, ird: u16, ord: u16) -> Result<Revision> {
    Ok(Revision::Two(Some(Enhanced::new(mode, ird, ord)?)))
}

/// The peer-to-peer model, a Send as indication.
fn by_send() -> Mode {
    ReadyToReceive::new(true, false, false).map_or(Mode::ClientServer, Mode::PeerToPeer)
}

fn revisions(request: Revision, reply: Revision) -> Agreement {
    Agreement { revision: [request, reply], ..Agreement::default() }
}

fn make() -> Result<Made> {
    let mut cases = Cases::new(46_000);
    frames(&mut cases)?;
    order(&mut cases)?;
    answers(&mut cases)?;
    indications(&mut cases)?;
    Ok(cases.made())
}

/// What a frame says by itself.
fn frames(cases: &mut Cases) -> Result<()> {
    let plain = Agreement::default();
    let request_breaks = |case: &mut Case, rule| {
        // Behind SYN, SYN-ACK and ACK.
        case.breaks_later(rule, INITIATOR, 3);
    };
    cases.new_connection(|case| {
        case.breaks_later("mpa-setup-key", RESPONDER, 4);
        case.open(&plain, unchanged, |reply| reply[8] = b'B')
    })?;
    cases.new_connection(|case| {
        request_breaks(case, "mpa-setup-revision");
        case.open(&plain, |request| request[REVISION] = 3, unchanged)
    })?;
    cases.new_connection(|case| {
        request_breaks(case, "mpa-setup-reserved");
        case.open(&plain, |request| request[FLAGS] |= 1, unchanged)
    })?;
    cases.new_connection(|case| {
        request_breaks(case, "mpa-private-data-length");
        case.open(
            &plain,
            |request| {
                request[LENGTH..].copy_from_slice(&516_u16.to_be_bytes());
                request.extend_from_slice(&payload(700, 516));
            },
            unchanged,
        )
    })?;
    cases.new_connection(|case| {
        request_breaks(case, "mpa-request-rejects");
        case.open(&plain, |request| request[FLAGS] |= 0x20, unchanged)
    })?;
    cases.new_connection(|case| {
        request_breaks(case, "mpa-enhanced-revision");
        case.open(&plain, |request| request[FLAGS] |= 0x10, unchanged)
    })?;
    cases.new_connection(|case| {
        request_breaks(case, "mpa-enhanced-short");
        let agreement = revisions(Revision::Two(None), Revision::Two(None));
        case.open(&agreement, |request| request[FLAGS] |= 0x10, unchanged)
    })
}

/// What is sent when.
fn order(cases: &mut Cases) -> Result<()> {
    let plain = Agreement::default();
    cases.new_connection(|case| {
        case.session.conversation.handshake();
        case.session.request(&plain)?;
        case.session.flush(INITIATOR);
        case.breaks("mpa-same-role", RESPONDER);
        case.session.streams[RESPONDER].setup(&Setup::request(false, true, Revision::One, &[])?)?;
        case.session.flush(RESPONDER);
        Ok(())
    })?;
    cases.new_connection(|case| {
        case.session.conversation.handshake();
        case.session.request(&plain)?;
        case.session.reply(&plain)?;
        case.breaks("mpa-reply-without-request", RESPONDER);
        case.session.flush(RESPONDER);
        case.session.flush(INITIATOR);
        Ok(())
    })?;
    cases.new_connection(|case| {
        case.session.conversation.handshake();
        case.session.request(&plain)?;
        case.session.flush(INITIATOR);
        case.breaks("mpa-data-before-reply", INITIATOR);
        case.send(INITIATOR, Message::Send, Target::Queue, &payload(701, 40))?;
        case.session.reply(&plain)?;
        case.session.flush(RESPONDER);
        Ok(())
    })?;
    cases.new_connection(|case| {
        case.breaks_later("mpa-bytes-after-setup", INITIATOR, 3);
        case.open(&plain, |request| request.extend_from_slice(&[0xaa; 30]), unchanged)
    })?;
    cases.opened(&Agreement { rejected: true, ..Agreement::default() }, |case| {
        case.breaks("mpa-fpdu-after-reject", INITIATOR);
        case.send(INITIATOR, Message::Send, Target::Queue, &payload(702, 40))
    })?;
    cases.opened(&plain, |case| {
        case.breaks("mpa-responder-first", RESPONDER);
        case.send(RESPONDER, Message::Send, Target::Queue, &payload(703, 40))?;
        case.send(INITIATOR, Message::Send, Target::Queue, &payload(704, 40))
    })
}

/// Replies that do not answer their requests.
fn answers(cases: &mut Cases) -> Result<()> {
    let client_server = enhanced(Mode::ClientServer, 4, 4)?;
    let peer_to_peer = enhanced(by_send(), 4, 4)?;
    let more = enhanced(Mode::ClientServer, 4, 8)?;
    let open_ird = enhanced(Mode::ClientServer, NOT_NEGOTIATED, 4)?;
    let open_ord = enhanced(Mode::ClientServer, 4, NOT_NEGOTIATED)?;
    for (rule, request, reply) in [
        ("mpa-enhanced-unanswered", client_server, Revision::Two(None)),
        ("mpa-enhanced-unasked", Revision::One, client_server),
        ("mpa-reply-model", peer_to_peer, client_server),
        ("mpa-reply-model-unasked", client_server, peer_to_peer),
        ("mpa-reply-ord", client_server, more),
        ("mpa-reply-ord-unnegotiated", open_ird, client_server),
        ("mpa-reply-ird-unnegotiated", open_ord, client_server),
    ] {
        cases.new_connection(|case| {
            case.breaks_later(rule, RESPONDER, 4);
            case.session.open(&revisions(request, reply))
        })?;
    }
    // A reply without enhanced data to a request of revision 1 is what is due.
    cases.opened(&revisions(Revision::One, Revision::One), |_| Ok(()))
}

/// Control flags and the indications that they name.
fn indications(cases: &mut Cases) -> Result<()> {
    let client_server = enhanced(Mode::ClientServer, 4, 4)?;
    let peer_to_peer = enhanced(by_send(), 4, 4)?;
    let nothing = enhanced(Mode::ClientServer, NOT_NEGOTIATED, NOT_NEGOTIATED)?;
    cases.new_connection(|case| {
        case.breaks_later("mpa-enhanced-needless", INITIATOR, 3);
        case.open(&revisions(nothing, nothing), unchanged, unchanged)
    })?;
    cases.new_connection(|case| {
        case.breaks_later("mpa-flags-without-model", INITIATOR, 3);
        let agreement = revisions(client_server, client_server);
        case.open(&agreement, |request| request[A_AND_B] |= 0x40, unchanged)
    })?;
    cases.new_connection(|case| {
        case.breaks_later("mpa-request-rtr", INITIATOR, 3);
        let agreement = revisions(client_server, peer_to_peer);
        case.open(&agreement, |request| request[A_AND_B] |= 0x80, unchanged)
    })?;
    cases.new_connection(|case| {
        case.breaks_later("mpa-reply-rtr", RESPONDER, 4);
        let agreement = revisions(peer_to_peer, client_server);
        case.open(&agreement, unchanged, |reply| reply[A_AND_B] |= 0x80)?;
        case.send(INITIATOR, Message::Send, Target::Queue, &[])
    })?;
    cases.opened(&revisions(peer_to_peer, peer_to_peer), |case| {
        case.breaks("mpa-rtr-missing", INITIATOR);
        case.send(INITIATOR, Message::Send, Target::Queue, &payload(705, 10))
    })?;
    cases.opened(&revisions(peer_to_peer, peer_to_peer), |case| {
        case.breaks("mpa-rtr-kind", INITIATOR);
        case.send(INITIATOR, Message::Write, tagged(0), &[])
    })
}
