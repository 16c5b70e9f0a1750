//! Where this project and tshark may differ, and why.

use super::messages::Message;
use warpscope_dissector::nfs::{Direction, Procedure};

/// True for a difference that has a reason.
pub fn accepted(field: &str, message: &Message, ours: &str, theirs: &str) -> bool {
    ACCEPTED.iter().any(|entry| entry.field == field && (entry.when)(message, ours, theirs))
}

struct Accepted {
    field: &'static str,
    when: fn(&Message, &str, &str) -> bool,
    /// The fact behind it.
    #[allow(dead_code, reason = "for the reader")]
    reason: &'static str,
}

fn is(message: &Message, program: u32, name: &str, direction: Direction) -> bool {
    message.procedure.program == program
        && message.procedure.name() == Some(name)
        && message.direction == direction
}

static ACCEPTED: &[Accepted] = &[
    Accepted {
        field: "nfs.status3",
        when: |message, _, theirs| message.procedure.program == Procedure::ACL && theirs.is_empty(),
        reason: "tshark has the status of NFSACL under nfs.status alone",
    },
    Accepted {
        field: "nfs.access_denied",
        when: |message, ours, _| {
            is(message, Procedure::NFS, "ACCESS", Direction::Reply) && ours.is_empty()
        },
        reason: "it compares the call with the reply",
    },
];
