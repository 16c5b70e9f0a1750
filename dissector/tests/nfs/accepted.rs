//! Where this project and tshark may differ, and why.

use super::messages::Message;
use warpscope_dissector::nfs::{Direction, Procedure};

/// True for a difference that has a reason.
pub fn accepted(field: &str, message: &Message, ours: &str, theirs: &str) -> bool {
    ACCEPTED.iter().any(|entry| fits(entry.field, field) && (entry.when)(message, ours, theirs))
}

struct Accepted {
    field: &'static str,
    when: fn(&Message, &str, &str) -> bool,
    /// The fact behind it.
    #[allow(dead_code, reason = "for the reader")]
    reason: &'static str,
}

/// A pattern may end in `*`.
fn fits(pattern: &str, field: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(start) => field.starts_with(start),
        None => pattern == field,
    }
}

static ACCEPTED: &[Accepted] = &[
    Accepted {
        field: "nfs.status3",
        when: |message, _, theirs| message.procedure.program == Procedure::ACL && theirs.is_empty(),
        reason: "tshark has the status of NFSACL under nfs.status alone",
    },
    Accepted {
        field: "nfs.access_*",
        when: |message, _, theirs| {
            message.procedure.name() == Some("ACCESS")
                && message.direction == Direction::Reply
                && theirs == "0"
        },
        reason: "tshark shows the rights that the call asked for; the reply does not hold them",
    },
    Accepted {
        field: "nfs.stateid.*",
        when: |message, ours, theirs| {
            let invalid = ["0xa96a", "4294967295", "000000000000000000000000", "0x7bd5c66f"];
            message.direction == Direction::Reply && invalid.contains(&ours) && theirs.is_empty()
        },
        reason: "tshark does not take the invalid state ID of a CLOSE apart",
    },
];
