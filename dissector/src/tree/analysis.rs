//! The nodes of remarks about a frame.

use super::node::{Tree, Value};
use crate::analysis::{Analysis, Signs};
use crate::field::FieldRef;
use crate::field::analysis::expert::{self, CHAT, NOTE, SEQUENCE, WARNING};
use crate::field::analysis::tcp as fields;
use crate::link::{TcpFlags, TcpSegment};

/// The signs, their field, if they have one, their severity, and their text.
type Row = (Signs, Option<FieldRef>, u64, &'static str);

const RETRANSMISSION: &str = "This frame is a (suspected) retransmission";

#[rustfmt::skip]
static ROWS: &[Row] = &[
    (Signs::RETRANSMISSION, Some(&fields::RETRANSMISSION), NOTE, RETRANSMISSION),
    (Signs::FAST_RETRANSMISSION, Some(&fields::FAST_RETRANSMISSION), NOTE, "This frame is a (suspected) fast retransmission"),
    (Signs::FAST_RETRANSMISSION, Some(&fields::RETRANSMISSION), NOTE, RETRANSMISSION),
    (Signs::SPURIOUS_RETRANSMISSION, Some(&fields::SPURIOUS_RETRANSMISSION), NOTE, "This frame is a (suspected) spurious retransmission"),
    (Signs::SPURIOUS_RETRANSMISSION, Some(&fields::RETRANSMISSION), NOTE, RETRANSMISSION),
    (Signs::OUT_OF_ORDER, Some(&fields::OUT_OF_ORDER), WARNING, "This frame is a (suspected) out-of-order segment"),
    (Signs::REUSED_PORTS, Some(&fields::REUSED_PORTS), NOTE, "A new tcp session is started with the same ports as an earlier session in this trace"),
    (Signs::LOST_SEGMENT, Some(&fields::LOST_SEGMENT), WARNING, "Previous segment(s) not captured (common at capture start)"),
    (Signs::ACKED_LOST_SEGMENT, Some(&fields::ACK_LOST_SEGMENT), WARNING, "ACKed segment that wasn't captured (common at capture start)"),
    (Signs::WINDOW_UPDATE, Some(&fields::WINDOW_UPDATE), CHAT, "TCP window update"),
    (Signs::WINDOW_FULL, Some(&fields::WINDOW_FULL), WARNING, "TCP window specified by the receiver is now completely full"),
    (Signs::KEEP_ALIVE, Some(&fields::KEEP_ALIVE), NOTE, "TCP keep-alive segment"),
    (Signs::KEEP_ALIVE_ACK, Some(&fields::KEEP_ALIVE_ACK), NOTE, "ACK to a TCP keep-alive segment"),
    (Signs::ZERO_WINDOW_PROBE, Some(&fields::ZERO_WINDOW_PROBE), NOTE, "TCP Zero Window Probe"),
    (Signs::ZERO_WINDOW, Some(&fields::ZERO_WINDOW), WARNING, "TCP Zero Window segment"),
    (Signs::ZERO_WINDOW_PROBE_ACK, Some(&fields::ZERO_WINDOW_PROBE_ACK), NOTE, "ACK to a TCP Zero Window Probe"),
    (Signs::DUPLICATE_ACK, Some(&fields::DUPLICATE_ACK), NOTE, "Duplicate ACK"),
    (Signs::DUPLICATE_SACK, None, WARNING, "D-SACK Sequence"),
    (Signs::CLOSES, None, NOTE, "This frame initiates the connection closing"),
    (Signs::CLOSES_TOO, None, NOTE, "This frame undergoes the connection closing"),
];

/// Adds a remark about a frame.
pub(crate) fn push_expert(tree: &mut Tree, depth: u8, severity: u64, group: u64, words: String) {
    tree.push_generated(depth, &expert::EXPERT, Value::None);
    tree.push_generated(depth + 1, &expert::MESSAGE, Value::Text(words.into()));
    tree.push_generated(depth + 1, &expert::SEVERITY, Value::Unsigned(severity));
    tree.push_generated(depth + 1, &expert::GROUP, Value::Unsigned(group));
}

/// Adds a remark that something in a frame cannot be read.
pub(crate) fn push_malformed(tree: &mut Tree) {
    tree.push_generated(0, &expert::MALFORMED, Value::None);
    let words = "Malformed Packet (Exception occurred)".to_owned();
    push_expert(tree, 1, expert::ERROR, expert::MALFORMED_GROUP, words);
}

/// Adds what a segment is in relation to the previous ones.
pub(super) fn push_analysis(tree: &mut Tree, segment: &TcpSegment<'_>, found: &Analysis) {
    let flags = segment.flags;
    let (source, destination) = (segment.source.port, segment.destination.port);
    let chat = match (flags.syn(), flags.ack()) {
        (true, false) => {
            Some(format!("Connection establish request (SYN): server port {destination}"))
        }
        (true, true) => {
            Some(format!("Connection establish acknowledge (SYN+ACK): server port {source}"))
        }
        _ => None,
    };
    let fin = flags.fin().then(|| "Connection finish (FIN)".to_owned());
    for words in chat.into_iter().chain(fin) {
        push_expert(tree, 1, CHAT, SEQUENCE, words);
    }
    if flags.has(TcpFlags::RST) {
        push_expert(tree, 1, WARNING, SEQUENCE, "Connection reset (RST)".to_owned());
    }
    for (sign, field, severity, words) in ROWS {
        if field.is_none() && found.signs.has(*sign) {
            push_expert(tree, 1, *severity, SEQUENCE, (*words).to_owned());
        }
    }
    let flagged = found.signs.has(Signs::FLAGS);
    if !found.noted {
        return;
    }
    tree.push_generated(1, &fields::ANALYSIS, Value::None);
    let mut push = |field, value| {
        tree.push_generated(2, field, value);
    };
    if let Some((frame, time)) = found.acknowledges {
        push(&fields::ACKS_FRAME, Value::Unsigned(frame));
        push(&fields::ACK_ROUND_TRIP, Value::Time(time));
    }
    if let Some(time) = found.initial_round_trip {
        push(&fields::INITIAL_ROUND_TRIP, Value::Time(time));
    }
    if let Some(bytes) = found.in_flight {
        push(&fields::IN_FLIGHT, Value::Unsigned(bytes.into()));
    }
    if let Some(bytes) = found.since_push {
        push(&fields::SINCE_PUSH, Value::Unsigned(bytes.into()));
    }
    if !flagged {
        return;
    }
    tree.push_generated(2, &fields::FLAGS, Value::None);
    for (sign, field, severity, words) in ROWS {
        let Some(field) = field.filter(|_| found.signs.has(*sign)) else { continue };
        let words = match found.duplicates.filter(|_| *sign == Signs::DUPLICATE_ACK) {
            Some((number, _)) => format!("{words} (#{number})"),
            None => (*words).to_owned(),
        };
        tree.push_generated(3, field, Value::None);
        push_expert(tree, 4, *severity, SEQUENCE, words);
    }
    if let Some((number, frame)) = found.duplicates {
        tree.push_generated(2, &fields::DUPLICATE_ACK, Value::None);
        tree.push_generated(2, &fields::DUPLICATE_ACK_NUMBER, Value::Unsigned(number.into()));
        tree.push_generated(2, &fields::DUPLICATE_ACK_FRAME, Value::Unsigned(frame));
    }
}
