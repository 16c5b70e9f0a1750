//! Setups that break RFC 5044 section 7.1 or RFC 6581.

use crate::Result;
use crate::message::Target;
use crate::scenario::PlannedBreach;
use crate::scenario::catalogue::{
    Generated, Scenario, markers_required, payload, session_from, tagged,
};
use crate::session::{Agreement, Cutting, INITIATOR, RESPONDER, Session};
use warpscope_wire::crc;
use warpscope_wire::mpa::{
    CRC_LENGTH, Enhanced, Mode, NOT_NEGOTIATED, ReadyToReceive, Revision, Setup, pad_length,
};
use warpscope_wire::rdmap::Message;

pub(in crate::scenario) const SETUP: Scenario = Scenario {
    name: "violations-setup",
    contains: "connections whose setup frames, or what stands around them, break a rule each",
    purpose: "each rule of the setup is tripped where it is broken",
    make: make_setup,
};

const FLAGS: usize = 16;
const REVISION: usize = 17;
const LENGTH: usize = 18;
/// A and B are in the first byte of private data.
const A_AND_B: usize = 20;

/// Used in place of a rule: the case appears to break one, but is legal.
pub(super) const LEGAL: &str = "";

/// A change to a frame or a message.
pub(super) type Change = fn(&mut Vec<u8>);

pub(super) fn unchanged(_: &mut Vec<u8>) {}

/// Replaces bytes of a message at an offset.
pub(super) fn put(message: &mut [u8], at: usize, bytes: &[u8]) {
    if let Some(place) = message.get_mut(at..at + bytes.len()) {
        place.copy_from_slice(bytes);
    }
}

/// Returns a message with some of its bytes replaced at an offset.
pub(super) fn patched(mut message: Vec<u8>, at: usize, bytes: &[u8]) -> Vec<u8> {
    put(&mut message, at, bytes);
    message
}

fn enhanced(mode: Mode, ird: u16, ord: u16) -> Result<Revision> {
    Ok(Revision::Two(Some(Enhanced::new(mode, ird, ord)?)))
}

/// Returns the peer-to-peer mode with a Send as the RTR indication.
fn by_send() -> Mode {
    ReadyToReceive::new(true, false, false).map_or(Mode::ClientServer, Mode::PeerToPeer)
}

fn revisions(request: Revision, reply: Revision) -> Agreement {
    Agreement { revision: [request, reply], ..Agreement::default() }
}

fn make_setup() -> Result<Generated> {
    let mut cases = Cases::new(46_000);
    frames(&mut cases)?;
    order(&mut cases)?;
    answers(&mut cases)?;
    indications(&mut cases)?;
    Ok(cases.made())
}

/// Faults within a single setup frame.
fn frames(cases: &mut Cases) -> Result<()> {
    let plain = Agreement::default();
    cases.new_connection(|case| {
        case.breaks_later("mpa-setup-key", RESPONDER, 4);
        case.open(&plain, unchanged, |reply| reply[8] = b'B')
    })?;
    let enhanced = revisions(Revision::Two(None), Revision::Two(None));
    let too_long = |request: &mut Vec<u8>| {
        request[LENGTH..].copy_from_slice(&516_u16.to_be_bytes());
        request.extend_from_slice(&payload(700, 516));
    };
    let changes: [(_, _, Change); 6] = [
        ("mpa-setup-revision", &plain, |request| request[REVISION] = 3),
        ("mpa-setup-reserved", &plain, |request| request[FLAGS] |= 1),
        ("mpa-private-data-length", &plain, too_long),
        ("mpa-request-rejects", &plain, |request| request[FLAGS] |= 0x20),
        ("mpa-enhanced-revision", &plain, |request| request[FLAGS] |= 0x10),
        ("mpa-enhanced-short", &enhanced, |request| request[FLAGS] |= 0x10),
    ];
    for (rule, agreement, change) in changes {
        cases.with_request(rule, agreement, change)?;
    }
    Ok(())
}

/// Faults in the order of messages.
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
    cases.with_request("mpa-bytes-after-setup", &plain, |request| {
        request.extend_from_slice(&[0xaa; 30]);
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
    // A reply without enhanced data is correct for a request of revision 1.
    cases.opened(&revisions(Revision::One, Revision::One), |_| Ok(()))
}

/// Control flags and the RTR indications that they name.
fn indications(cases: &mut Cases) -> Result<()> {
    let client_server = enhanced(Mode::ClientServer, 4, 4)?;
    let peer_to_peer = enhanced(by_send(), 4, 4)?;
    let nothing = enhanced(Mode::ClientServer, NOT_NEGOTIATED, NOT_NEGOTIATED)?;
    let (alike, follows) =
        (revisions(client_server, client_server), revisions(client_server, peer_to_peer));
    let flag = |bit| move |request: &mut Vec<u8>| request[A_AND_B] |= bit;
    cases.with_request("mpa-enhanced-needless", &revisions(nothing, nothing), unchanged)?;
    cases.with_request("mpa-flags-without-model", &alike, flag(0x40))?;
    cases.with_request("mpa-request-rtr", &follows, flag(0x80))?;
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

/// A connection that breaks rules.
pub(super) struct Case {
    pub(super) session: Session,
    /// Rule, side, and the index of the frame in the connection.
    breaches: Vec<(&'static str, usize, usize)>,
}

impl Case {
    /// Records that the next frame, which `side` sends, breaks a rule.
    pub(super) fn breaks(&mut self, rule: &'static str, side: usize) {
        self.breaks_later(rule, side, 0);
    }

    /// Records that the frame after `later` further ones breaks a rule.
    pub(super) fn breaks_later(&mut self, rule: &'static str, side: usize, later: usize) {
        let frame = self.session.conversation.frame_count() + later;
        self.breaches.push((rule, side, frame));
    }

    /// Performs the handshake, then sends setup frames that `request` and `reply` may change.
    pub(super) fn open(
        &mut self,
        agreement: &Agreement,
        request: impl FnOnce(&mut Vec<u8>),
        reply: impl FnOnce(&mut Vec<u8>),
    ) -> Result<()> {
        self.session.conversation.handshake();
        self.session.request(agreement)?;
        self.flush(0, request);
        self.session.reply(agreement)?;
        self.flush(1, reply);
        Ok(())
    }

    /// Sends the waiting bytes of a side's stream in one segment, after changing them.
    pub(super) fn flush(&mut self, side: usize, change: impl FnOnce(&mut Vec<u8>)) {
        let (mut bytes, ends) = self.session.streams[side].take();
        change(&mut bytes);
        self.session.conversation.send(side, &bytes, &ends, &Cutting::Whole);
    }

    /// Sends a message, with one FPDU per segment; `change` may change each ULPDU, and gets its index.
    pub(super) fn send_changed(
        &mut self,
        side: usize,
        message: Message,
        target: Target,
        payload: &[u8],
        mut change: impl FnMut(usize, &mut Vec<u8>),
    ) -> Result<()> {
        let ulpdus = self.session.senders[side].ulpdus(message, target, payload)?;
        for (index, mut ulpdu) in ulpdus.into_iter().enumerate() {
            change(index, &mut ulpdu);
            self.send_ulpdu(side, &ulpdu)?;
        }
        Ok(())
    }

    /// Sends an FPDU in its own segment.
    pub(super) fn send_ulpdu(&mut self, side: usize, ulpdu: &[u8]) -> Result<()> {
        self.session.streams[side].fpdu(ulpdu)?;
        self.session.flush(side);
        Ok(())
    }

    /// Sends a message without changes.
    pub(super) fn send(
        &mut self,
        side: usize,
        message: Message,
        target: Target,
        payload: &[u8],
    ) -> Result<()> {
        self.session.send(side, message, target, payload)
    }
}

/// Two ends whose Sends may be illegal.
pub(super) struct Pair<'a> {
    pub(super) case: &'a mut Case,
    /// The rule that the connection breaks.
    pub(super) rule: &'static str,
}

/// A function that sends the messages of both ends.
pub(super) type Play = fn(&mut Pair<'_>) -> Result<()>;

impl Pair<'_> {
    /// Sends a Send.
    pub(super) fn send(&mut self, side: usize, bytes: &[u8]) -> Result<()> {
        self.case.send(side, Message::Send, Target::Queue, bytes)
    }

    /// Sends a Send that breaks the rule.
    pub(super) fn wrong(&mut self, side: usize, bytes: &[u8]) -> Result<()> {
        self.case.breaks(self.rule, side);
        self.send(side, bytes)
    }

    /// Sends a Send with Invalidate from the responder that breaks the rule.
    pub(super) fn wrong_invalidating(&mut self, tag: u32, bytes: &[u8]) -> Result<()> {
        self.case.breaks(self.rule, RESPONDER);
        self.case.send(RESPONDER, Message::SendInvalidate, Target::Invalidate(tag), bytes)
    }
}

/// Corrects the CRC of the only FPDU in a buffer.
pub(super) fn seal(bytes: &mut [u8]) {
    let covered = bytes.len().saturating_sub(CRC_LENGTH);
    let crc = crc::crc32c(&bytes[..covered]);
    bytes[covered..].copy_from_slice(&crc::field_bytes(crc));
}

/// The connections of a capture.
pub(super) struct Cases {
    made: Generated,
    port: u16,
}

impl Cases {
    /// Creates a list of connections from this port on.
    pub(super) fn new(port: u16) -> Self {
        Self { made: Generated::default(), port }
    }

    /// Adds a connection on which nothing was sent yet.
    pub(super) fn new_connection(
        &mut self,
        run: impl FnOnce(&mut Case) -> Result<()>,
    ) -> Result<()> {
        let mut case = Case { session: session_from(self.port), breaches: Vec::new() };
        self.port += 1;
        run(&mut case)?;
        // The side that breaks a rule closes first, because the other would have to send a Terminate.
        let first = case.breaches.last().map_or(INITIATOR, |(_, side, _)| *side);
        case.session.conversation.close(first);
        let (connection, before) = (self.made.connections.len(), self.made.frames.len());
        let planned = case.breaches.into_iter().map(|(rule, side, index)| PlannedBreach {
            rule,
            connection: connection as u32,
            side: side as u8,
            frame: (before + index + 1) as u64,
        });
        self.made.breaches.extend(planned);
        self.made.add(case.session);
        Ok(())
    }

    /// Adds an established connection whose request, the frame after the TCP handshake, breaks a rule.
    fn with_request(
        &mut self,
        rule: &'static str,
        agreement: &Agreement,
        change: impl FnOnce(&mut Vec<u8>),
    ) -> Result<()> {
        self.new_connection(|case| {
            case.breaks_later(rule, INITIATOR, 3);
            case.open(agreement, change, unchanged)
        })
    }

    /// Adds an established connection.
    pub(super) fn opened(
        &mut self,
        agreement: &Agreement,
        run: impl FnOnce(&mut Case) -> Result<()>,
    ) -> Result<()> {
        self.new_connection(|case| {
            case.session.open(agreement)?;
            run(case)
        })
    }

    /// Returns the capture.
    pub(super) fn made(self) -> Generated {
        self.made
    }
}

// FPDUs that break RFC 5044 sections 3 to 5.

pub(in crate::scenario) const FPDU: Scenario = Scenario {
    name: "violations-fpdu",
    contains: "connections whose FPDUs or markers break a rule each",
    purpose: "each rule of the framing is tripped where it is broken",
    make: make_fpdu,
};

/// One more than the longest ULPDU, and a multiple of four with its length field.
const TOO_LONG: u16 = 64_770;

fn make_fpdu() -> Result<Generated> {
    let mut cases = Cases::new(47_000);
    let plain = Agreement::default();
    cases.opened(&plain, |case| {
        case.breaks("mpa-crc", INITIATOR);
        case.session.put(INITIATOR, Message::Send, Target::Queue, &payload(710, 40))?;
        case.session.streams[INITIATOR].spoil_crc();
        case.session.flush(INITIATOR);
        Ok(())
    })?;
    cases.opened(&plain, |case| {
        case.breaks("mpa-pad", INITIATOR);
        // 2 + 18 + 41 bytes and 3 of pad.
        case.session.put(INITIATOR, Message::Send, Target::Queue, &payload(711, 41))?;
        case.flush(INITIATOR, |bytes| {
            bytes[62] = 0x40;
            seal(bytes);
        });
        Ok(())
    })?;
    cases.opened(&plain, |case| {
        case.breaks("mpa-ulpdu-length", INITIATOR);
        // The FPDU does not fit into a TCP segment either.
        case.breaks("mpa-mulpdu", INITIATOR);
        case.session.put(INITIATOR, Message::Send, Target::Queue, &payload(712, 40))?;
        case.flush(INITIATOR, |bytes| {
            bytes[..2].copy_from_slice(&TOO_LONG.to_be_bytes());
            bytes.resize(2 + usize::from(TOO_LONG) + pad_length(TOO_LONG) + 4, 0x55);
            seal(bytes);
        });
        Ok(())
    })?;
    markers(&mut cases)?;
    cases.opened(&plain, |case| {
        // 2 + 14 + 2000 + 4 bytes, in segments of 1460: the FPDU ends in the second.
        case.session.senders[INITIATOR].max_ulpdu = 3000;
        case.breaks_later("mpa-mulpdu", INITIATOR, 1);
        case.send(INITIATOR, Message::Write, tagged(0), &payload(719, 2000))
    })?;
    alignment(&mut cases)?;
    Ok(cases.made())
}

/// Connections whose first bytes after the setup frames are a marker, or should be.
fn markers(cases: &mut Cases) -> Result<()> {
    for (rule, at, value) in [
        ("mpa-marker-reserved", 1, 0x80),
        ("mpa-marker-pointer", 3, 4),
        ("mpa-marker-low-bits", 3, 1),
    ] {
        cases.opened(&markers_required(true, true), |case| {
            case.breaks(rule, INITIATOR);
            case.session.put(INITIATOR, Message::Send, Target::Queue, &payload(713, 40))?;
            case.flush(INITIATOR, |bytes| {
                bytes[at] = value;
                seal(bytes);
            });
            Ok(())
        })?;
    }
    cases.opened(&markers_required(true, true), |case| {
        case.session.streams[INITIATOR].markers = false;
        case.breaks("mpa-markers-missing", INITIATOR);
        case.send(INITIATOR, Message::Send, Target::Queue, &payload(714, 40))?;
        case.send(RESPONDER, Message::Send, Target::Queue, &payload(715, 40))
    })?;
    cases.opened(&Agreement::default(), |case| {
        case.session.streams[INITIATOR].markers = true;
        case.breaks("mpa-markers-unwanted", INITIATOR);
        case.send(INITIATOR, Message::Send, Target::Queue, &payload(716, 40))?;
        case.send(RESPONDER, Message::Send, Target::Queue, &payload(717, 40))
    })
}

/// FPDUs of 1460 bytes in segments of 1000: from the second on, each begins within a segment. The rule
/// reports the 16th, which ends with byte 23360, in the 24th segment.
fn alignment(cases: &mut Cases) -> Result<()> {
    cases.opened(&Agreement::default(), |case| {
        case.session.conversation.acknowledge_every = 0;
        case.session.cutting[INITIATOR] = Cutting::Fixed(1000);
        case.breaks_later("mpa-fpdu-alignment", INITIATOR, 23);
        case.send(INITIATOR, Message::Write, tagged(0), &payload(718, 24_000))
    })
}
