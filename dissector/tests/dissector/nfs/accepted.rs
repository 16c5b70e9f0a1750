//! Where this project and tshark may differ, and why.

use super::messages::Message;
use crate::prelude::*;

/// The entry that covers a difference: its index in [`ACCEPTED`].
pub fn accepted(field: &str, message: &Message, ours: &str, theirs: &str) -> Option<usize> {
    ACCEPTED
        .iter()
        .position(|entry| fits(entry.field, field) && (entry.when)(message, ours, theirs))
}

pub struct Accepted {
    /// A pattern of fields.
    field: &'static str,
    when: fn(&Message, &str, &str) -> bool,
    /// The fact after it.
    pub reason: &'static str,
}

/// The entries; the first one that fits counts. They are true of tshark 4.0.
pub static ACCEPTED: &[Accepted] = &[
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
        when: |message, _, theirs| {
            let close = message.name.is_empty() || message.name == "CLOSE";
            message.direction == Direction::Reply && close && theirs.is_empty()
        },
        reason: "tshark does not take the state ID of a CLOSE's result apart, which has no use",
    },
    Accepted {
        field: "*",
        when: |message, ours, theirs| {
            let undone = "SET_SSV GET_DIR_DELEGATION WANT_DELEGATION CB_NOTIFY CB_PUSH_DELEG \
                          CB_RECALL_SLOT CB_NOTIFY_DEVICEID";
            let named = |name| message.name.split(' ').next() == Some(name);
            undone.split(' ').any(named) && ours.starts_with(theirs)
        },
        reason: "tshark does not decode these operations",
    },
    Accepted {
        field: "nfs.*",
        when: |message, ours, theirs| {
            let undone = [
                ("GETDEVICEINFO too small", "8192"),
                ("LAYOUTGET later", "1"),
                ("OPEN exclusive of 4.1", ours),
                ("GETATTR audit list", ours),
                ("GETATTR status, retention, umask", ours),
            ];
            undone.contains(&(message.name, ours)) && ours.starts_with(theirs)
        },
        reason: "tshark does not decode these arms and attributes",
    },
    Accepted {
        field: "nfs.*",
        when: |message, _, _| {
            message.name == "EXCHANGE_ID secret" && message.direction == Direction::Reply
        },
        reason: "spi_handles is an array of handles (RFC 8881 section 18.35.2); tshark reads one",
    },
    Accepted {
        field: "nfsacl.acl",
        when: |message, ours, theirs| {
            message.name == "GETACL fails" && ours.is_empty() && theirs == "1"
        },
        reason: "a failed GETACL holds attributes alone; tshark has them under that heading too",
    },
    Accepted {
        field: "nfs.ops.count",
        when: |message, _, theirs| {
            message.procedure.program == Procedure::CALLBACK && theirs.is_empty()
        },
        reason: "tshark does not show how many callback operations there are",
    },
    Accepted {
        field: "nfs.*",
        when: |_, ours, theirs| theirs.replace("<MISSING>", "") == ours,
        reason: "tshark's word for no bytes",
    },
];
