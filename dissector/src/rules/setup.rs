//! Judges setup frames, the bytes around them, and how Full Operation begins.

use super::catalogue::setup as rules;
use super::judge::Reporter;
use super::state::ConnectionState;
use crate::message::SegmentItem;
use crate::mpa::{EnhancedSeen, SetupFacts, SetupItem, SkipReason, SkippedItem};
use warpscope_wire::mpa::{
    MAX_PRIVATE_DATA, NOT_NEGOTIATED, REPLY_KEY, REQUEST_KEY, Role, SetupHeaderView,
};
use warpscope_wire::rdmap::{Message, ReadRequestView};

/// The newest revision that a document defines (RFC 6581).
const NEWEST_REVISION: u8 = 2;
/// The S bit, and the reserved bits below it.
const S_BIT: u8 = 0x10;
const RESERVED: u8 = 0x0f;
/// Bytes of enhanced data.
const ENHANCED: u16 = 4;

pub(super) fn frame(state: &mut ConnectionState, item: &SetupItem<'_>, report: &mut Reporter<'_>) {
    let (facts, negotiation) = (report.facts, report.context.negotiation);
    let (side, header) = (report.place.side, item.view.header);
    let handshake = report.context.connection.handshake;
    state.handshake |= handshake;
    let mine = state.side(side);
    mine.whole = true;
    mine.sure = true;
    mine.setup_length = item.bytes.len() as u32;
    mine.end = item.stream_offset + item.bytes.len() as u64;
    mine.messages = super::ddp::Messages::at_beginning();
    let quiet = handshake && facts.acknowledged <= 1;
    if quiet {
        mine.quiet_up_to = mine.quiet_up_to.max(mine.end);
    }
    header_fields(&header, report);
    if let Some(enhanced) = item.view.enhanced() {
        flags(header.role() == Some(Role::Reply), &enhanced.into(), report);
    }
    let Some(seen) = negotiation.seen(side) else { return };
    let other = negotiation.seen(side.peer());
    if seen.role == Role::Reply && other.is_none() && quiet {
        let text = "The reply was sent before any byte from the other side was received.";
        report.broken(&rules::REPLY_FIRST, text.to_owned());
    }
    let Some(other) = other else { return };
    match (other.role, seen.role) {
        (Role::Request, Role::Reply) => answer(other, seen, report),
        (Role::Reply, Role::Request) => {}
        (Role::Request, Role::Request) => {
            report.broken(&rules::TWO_REQUESTS, "Both sides sent a request.".to_owned());
        }
        (Role::Reply, Role::Reply) => {
            report.broken(&rules::TWO_REQUESTS, "Both sides sent a reply.".to_owned());
        }
    }
}

/// Judges a setup frame on its own.
fn header_fields(header: &SetupHeaderView<'_>, report: &mut Reporter<'_>) {
    let (flags, revision, length) =
        (header.flags(), header.revision(), header.private_data_length());
    let name = if header.role() == Some(Role::Reply) { "reply" } else { "request" };
    if revision > NEWEST_REVISION {
        let text = format!("The {name} has revision {revision}; only 1 and 2 are defined.");
        report.broken(&rules::REVISION, text);
    }
    if flags & RESERVED != 0 {
        let text = format!(
            "The {name}'s flags are {flags:#04x}: the reserved bits {:#04x} are set.",
            flags & RESERVED
        );
        report.broken(&rules::RESERVED, text);
    }
    if flags & S_BIT != 0 && revision < NEWEST_REVISION {
        let text = format!("The {name} has the S bit and revision {revision}.");
        report.broken(&rules::ENHANCED_REVISION, text);
    }
    if usize::from(length) > MAX_PRIVATE_DATA {
        let text =
            format!("The {name} has {length} bytes of private data; at most 512 are allowed.");
        report.broken(&rules::PRIVATE_DATA_LENGTH, text);
    }
    if header.role() == Some(Role::Request) && header.rejected() {
        report.broken(&rules::REQUEST_REJECTS, "The request has the R bit.".to_owned());
    }
    if header.enhanced_flag() && length < ENHANCED {
        let text = format!(
            "The {name} has the S bit and {length} bytes of private data; at least 4 are needed."
        );
        report.broken(&rules::ENHANCED_SHORT, text);
    }
}

/// Judges the control flags of a frame with enhanced data.
fn flags(reply: bool, enhanced: &EnhancedSeen, report: &mut Reporter<'_>) {
    let (named, any) = kinds(enhanced.rtr_send, enhanced.rtr_write, enhanced.rtr_read);
    let (name, rule) = match reply {
        true => ("reply", &rules::REPLY_WITHOUT_RTR),
        false => ("request", &rules::REQUEST_WITHOUT_RTR),
    };
    if enhanced.peer_to_peer && !any {
        report.broken(rule, format!("The {name} has control flag A set, but none of B, C and D."));
    }
    let open = enhanced.ird == NOT_NEGOTIATED && enhanced.ord == NOT_NEGOTIATED;
    if !reply && !enhanced.peer_to_peer && open {
        let text = "The request has control flag A clear, and IRD and ORD are 0x3fff.".to_owned();
        report.broken(&rules::ENHANCED_NEEDLESS, text);
    }
    if !enhanced.peer_to_peer && any {
        let text = format!("The {name} has control flag A clear, but {named} set.");
        report.broken(&rules::FLAGS_WITHOUT_MODEL, text);
    }
}

fn answer(request: &SetupFacts, reply: &SetupFacts, report: &mut Reporter<'_>) {
    match (request.enhanced, reply.enhanced) {
        (Some(_), None) => {
            let text = format!(
                "The request has enhanced data, but the reply (revision {}) has none.",
                reply.revision
            );
            report.broken(&rules::ENHANCED_UNANSWERED, text);
        }
        (None, Some(_)) => {
            let text = format!(
                "The reply has enhanced data, but the request (revision {}) has none.",
                request.revision
            );
            report.broken(&rules::ENHANCED_UNASKED, text);
        }
        _ => {}
    }
    let (Some(asked), Some(answered)) = (request.enhanced, reply.enhanced) else { return };
    // A reply that rejects the connection names what the responder would need.
    if reply.rejected {
        return;
    }
    match (asked.peer_to_peer, answered.peer_to_peer) {
        (true, false) => {
            let text = "Control flag A is set in the request, but clear in the reply.".to_owned();
            report.broken(&rules::MODEL_NOT_KEPT, text);
        }
        (false, true) => {
            let text = "Control flag A is clear in the request, but set in the reply.".to_owned();
            report.broken(&rules::MODEL_UNASKED, text);
        }
        _ => {}
    }
    depths((asked.ird, asked.ord), (answered.ird, answered.ord), report);
}

/// Judges IRD and ORD of a reply against those of its request.
fn depths(asked: (u16, u16), answered: (u16, u16), report: &mut Reporter<'_>) {
    let ((asked_ird, asked_ord), (ird, ord)) = (asked, answered);
    if asked_ird == NOT_NEGOTIATED {
        if ord != NOT_NEGOTIATED {
            let text = format!("The request's IRD is 0x3fff, but the reply's ORD is {ord}.");
            report.broken(&rules::REPLY_ORD_UNNEGOTIATED, text);
        }
    } else if ord > asked_ird && ord != NOT_NEGOTIATED {
        let text = format!("The request's IRD is {asked_ird}, but the reply's ORD is {ord}.");
        report.broken(&rules::REPLY_ORD, text);
    }
    if asked_ord == NOT_NEGOTIATED && ird != NOT_NEGOTIATED {
        let text = format!("The request's ORD is 0x3fff, but the reply's IRD is {ird}.");
        report.broken(&rules::REPLY_IRD_UNNEGOTIATED, text);
    }
}

/// Describes the ready-to-receive indications that are set; also returns whether any is.
fn kinds(send: bool, write: bool, read: bool) -> (&'static str, bool) {
    let words = match (send, write, read) {
        (false, false, false) => "none of B, C and D",
        (true, false, false) => "B (Send)",
        (false, true, false) => "C (Write)",
        (false, false, true) => "D (Read)",
        (true, true, false) => "B (Send) and C (Write)",
        (true, false, true) => "B (Send) and D (Read)",
        (false, true, true) => "C (Write) and D (Read)",
        (true, true, true) => "B (Send), C (Write) and D (Read)",
    };
    (words, send || write || read)
}

/// Judges the first segment of a direction after its setup frame, as far as the setup forbids it.
pub(super) fn first_segment(
    state: &mut ConnectionState,
    item: &SegmentItem<'_>,
    report: &mut Reporter<'_>,
) {
    let (side, negotiation) = (report.context.side, report.context.negotiation);
    let facts = report.facts;
    let Some(mine) = negotiation.seen(side) else { return };
    let first = item.fpdu.spans.first().map_or(0, |span| span.frame);
    let Some(other) = negotiation.seen(side.peer()) else {
        let quiet = state.handshake && facts.acknowledged <= 1;
        let mine = state.side(side);
        let quiet = quiet || item.fpdu.stream_offset < mine.quiet_up_to;
        if quiet && !mine.reported.before_reply {
            mine.reported.before_reply = true;
            let text = "An FPDU was sent before any byte from the other side was received.";
            report.broken(&rules::DATA_BEFORE_REPLY, text.to_owned());
        }
        return;
    };
    if negotiation.rejected() {
        let text = "An FPDU was sent although the reply rejects the connection.";
        report.broken(&rules::AFTER_REJECT, text.to_owned());
        return;
    }
    let peer = state.side(side.peer());
    // What the reply's sender has acknowledged ends with the request.
    let only_setup = facts.acknowledged <= peer.setup_length.saturating_add(1);
    let nothing_before = peer.whole && peer.fpdus == 0 && only_setup;
    if (mine.role, other.role) == (Role::Reply, Role::Request)
        && nothing_before
        && state.handshake
        && first == facts.frame
    {
        let text =
            "The responder's first FPDU was sent before any byte after the request was received.";
        report.broken(&rules::RESPONDER_FIRST, text.to_owned());
    }
}

/// Judges the initiator's first FPDU, if the peers agreed on a ready-to-receive indication.
pub(super) fn ready_to_receive(item: &SegmentItem<'_>, report: &mut Reporter<'_>) {
    let context = report.context;
    let seen = |side| context.negotiation.seen(side);
    let (Some(request), Some(reply)) = (seen(context.side), seen(context.side.peer())) else {
        return;
    };
    if (request.role, reply.role) != (Role::Request, Role::Reply) || reply.rejected {
        return;
    }
    let (Some(asked), Some(answered)) = (request.enhanced, reply.enhanced) else { return };
    let Some(message) = item.message else { return };
    if !asked.peer_to_peer || !answered.peer_to_peer || message == Message::Terminate {
        return;
    }
    let no_bytes = item.payload_length == 0 && item.completed.is_some();
    let (kind, agreed) = match message {
        message if message.is_send() && no_bytes => ("Send", answered.rtr_send),
        Message::Write if no_bytes => ("Write", answered.rtr_write),
        Message::ReadRequest => match ReadRequestView::parse(item.payload) {
            Ok((view, _)) if view.read_message_size() == 0 => ("Read", answered.rtr_read),
            // An incomplete request says nothing.
            Err(_) if !item.fpdu.complete => return,
            _ => ("", false),
        },
        _ => ("", false),
    };
    let (named, any) = kinds(answered.rtr_send, answered.rtr_write, answered.rtr_read);
    if kind.is_empty() {
        let name = message.info().name;
        let text = format!(
            "The first FPDU is a {name} of {} bytes; the reply has control flag A and {named}: a zero-length message is due.",
            item.payload_length
        );
        report.broken(&rules::RTR_MISSING, text);
    } else if any && !agreed {
        let text = format!("The indication is a zero-length {kind}; the reply names {named}.");
        report.broken(&rules::RTR_KIND, text);
    }
}

/// Returns whether a stream that begins with these bytes may begin with a setup frame.
pub(super) fn begins(bytes: &[u8]) -> bool {
    [REQUEST_KEY, REPLY_KEY]
        .iter()
        .any(|key| key.iter().zip(bytes).all(|(one, other)| one == other))
}

/// Judges bytes that belong to no setup frame and no FPDU, and are not missing.
pub(super) fn skipped(
    state: &mut ConnectionState,
    item: &SkippedItem<'_>,
    report: &mut Reporter<'_>,
) {
    let negotiation = report.context.negotiation;
    let Some(first) = item.spans.first().map(|span| span.frame) else { return };
    let side = report.place.side;
    let mine = state.side(side);
    let place = super::Place { frame: first, time: None, ..report.place };
    let quiet = item.stream_offset < mine.quiet_up_to;
    if item.reason == SkipReason::BehindSetup && mine.whole && quiet {
        let text = format!(
            "The setup frame is followed by {} bytes that its PD_Length does not count and that are not an FPDU.",
            item.length
        );
        report.broken_at(place, &rules::BYTES_BEHIND, text);
    }
    let begins = item.stream_offset == 0 && mine.wrong_key;
    if begins && negotiation.seen(side).is_none() && negotiation.seen(side.peer()).is_some() {
        let text = format!("The stream begins with {} bytes without a setup key.", item.length);
        report.broken_at(place, &rules::KEY, text);
    }
}
