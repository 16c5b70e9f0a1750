//! What two ends agreed on, in words.

use crate::mpa::{Negotiation, Seen, Side};

/// What a side is in the connection.
pub fn role(negotiation: &Negotiation, side: Side) -> &'static str {
    match negotiation.initiator() {
        Some(initiator) if initiator == side => "initiator",
        Some(_) => "responder",
        None => "role not known",
    }
}

/// What the setup frames say, each as a name and a value; empty when none was seen.
pub fn parameters(negotiation: &Negotiation) -> Vec<(&'static str, String)> {
    let initiator = negotiation.initiator().unwrap_or(Side(0));
    let seen = [negotiation.seen(initiator), negotiation.seen(initiator.peer())];
    let mut words = Vec::new();
    if seen == [None, None] {
        return words;
    }
    let both = |of: &dyn Fn(&Seen) -> Option<String>| {
        let [one, other] = seen.map(|seen| seen.and_then(of));
        match (one, other) {
            (None, None) => None,
            (Some(one), Some(other)) if one == other => Some(one),
            (one, other) => {
                let or = |value: Option<String>| value.unwrap_or_else(|| "-".to_owned());
                Some(format!("{} / {}", or(one), or(other)))
            }
        }
    };
    let mut push = |name, value: Option<String>| words.extend(value.map(|value| (name, value)));
    push("MPA revision", both(&|seen| Some(seen.revision.to_string())));
    let crc = match negotiation.crc() {
        Some(true) => "in use",
        Some(false) => "not in use",
        None => "not known",
    };
    push("CRC", Some(crc.to_owned()));
    let markers = [initiator, initiator.peer()].map(|side| match negotiation.markers_from(side) {
        Some(true) => "yes",
        Some(false) => "no",
        None => "not known",
    });
    push(
        "markers",
        Some(match markers {
            [one, other] if one == other => one.to_owned(),
            [one, other] => format!("from initiator {one}, from responder {other}"),
        }),
    );
    push("IRD", both(&|seen| Some(seen.enhanced?.ird.to_string())));
    push("ORD", both(&|seen| Some(seen.enhanced?.ord.to_string())));
    push(
        "ready to receive",
        both(&|seen| {
            let enhanced = seen.enhanced.filter(|enhanced| enhanced.peer_to_peer)?;
            let kinds = [
                (enhanced.rtr_send, "Send"),
                (enhanced.rtr_write, "Write"),
                (enhanced.rtr_read, "Read"),
            ];
            let kinds: Vec<_> = kinds.iter().filter(|kind| kind.0).map(|kind| kind.1).collect();
            Some(if kinds.is_empty() { "none".to_owned() } else { kinds.join("+") })
        }),
    );
    push("inline send", both(&|seen| Some(seen.rdma_private?.send_size.to_string())));
    push("inline receive", both(&|seen| Some(seen.rdma_private?.receive_size.to_string())));
    if negotiation.rejected() {
        push("outcome", Some("rejected".to_owned()));
    }
    words
}
