//! A connection's sides, setup and end.

use crate::mpa::Side;
use crate::statistics::{End, Flow, Left};

/// What a side is called: `initiator`, `responder`; without a setup frame `first` and `second`.
pub fn role(flow: &Flow, side: Side) -> &'static str {
    match flow.initiator() {
        Some(initiator) if side == initiator => "initiator",
        Some(_) => "responder",
        None if side == flow.first_side() => "first",
        None => "second",
    }
}

/// Both sides, the initiator first.
pub fn sides(flow: &Flow) -> [Side; 2] {
    let first = flow.first_side();
    [first, first.peer()]
}

/// How it ended, in a few words.
pub fn end(flow: &Flow) -> String {
    let of = |what: &str, side: Side| format!("{what} {}", role(flow, side));
    let words = match flow.end() {
        End::Rejected => return "rejected".to_owned(),
        End::Terminated(side) => of("Terminate", side),
        End::Reset(side) => of("RST", side),
        End::Finished(side) => of("FIN", side),
        End::HalfClosed(side) => of("half closed", side),
        End::Open => match flow.left {
            Left::CaptureEnded => "open".to_owned(),
            Left::EndsUsedAgain => "ports used again".to_owned(),
            Left::TableFull => "not followed".to_owned(),
        },
    };
    if flow.has_fpdus() { words } else { format!("{words}, setup only") }
}

/// Revision, CRC and markers in a few letters: `2 CRC M` for revision 2, CRC in use, and markers in at
/// least one direction.
pub fn setup(flow: &Flow) -> String {
    let negotiation = &flow.negotiation;
    let mut revisions: Vec<String> = sides(flow)
        .into_iter()
        .filter_map(|side| negotiation.revision(side))
        .map(|revision| revision.to_string())
        .collect();
    revisions.dedup();
    if revisions.is_empty() {
        return String::new();
    }
    let crc = match negotiation.crc() {
        Some(true) => " CRC",
        Some(false) => "",
        None => " CRC?",
    };
    let markers = Side::BOTH.iter().any(|side| negotiation.markers_from(*side) == Some(true));
    let markers = if markers { " M" } else { "" };
    format!("{}{crc}{markers}", revisions.join("/"))
}
