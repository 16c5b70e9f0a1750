//! A finding with what is known around it, and the words for it.

use warpscope_dissector::mpa::Side;
use warpscope_dissector::rules::{Finding, Level};

/// What became of a side in the setup of its connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SideRole {
    /// It sent the request frame.
    Initiator,
    /// It sent, or should have sent, the reply frame.
    Responder,
}

impl SideRole {
    /// The word for it.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Initiator => "initiator",
            Self::Responder => "responder",
        }
    }
}

/// A finding as it is kept and reported.
#[derive(Debug, Clone)]
pub(super) struct Found {
    /// What was found.
    pub(super) finding: Finding,
    /// The side that initiated the connection, when its setup was seen.
    pub(super) initiator: Option<Side>,
    /// Why it is tolerated, when it is.
    pub(super) waived: Option<String>,
}

impl Found {
    /// The role of a side.
    pub(super) fn role(&self, side: Side) -> Option<SideRole> {
        let initiator = self.initiator?;
        Some(if side == initiator { SideRole::Initiator } else { SideRole::Responder })
    }

    /// The address and port of a side.
    pub(super) fn address(&self, side: Side) -> String {
        let ends = &self.finding.place.connection.ends;
        ends.get(side.index()).map(ToString::to_string).unwrap_or_default()
    }

    /// Address and role of the side at fault, or that it is not known.
    pub(super) fn at_fault(&self) -> String {
        let Some(side) = self.finding.at_fault else {
            return "either side".to_owned();
        };
        match self.role(side) {
            Some(role) => format!("{} ({})", self.address(side), role.word()),
            None => self.address(side),
        }
    }

    /// The requirement that it names: the first of the rule.
    pub(super) fn requirement(&self) -> &'static str {
        self.finding.rule.requirements.first().copied().unwrap_or_default()
    }

    /// Frame, connection, place and side at fault, and what was found, in a line.
    pub(super) fn line(&self) -> String {
        let place = &self.finding.place;
        let offset = place.stream_offset.map(|offset| format!(", byte {offset}"));
        format!(
            "frame {}, connection {}{}, {}: {}",
            place.frame,
            place.connection.number,
            offset.unwrap_or_default(),
            self.at_fault(),
            self.finding.explanation
        )
    }
}

/// The word for a level.
pub(crate) fn level_word(level: Level) -> &'static str {
    match level {
        Level::Must => "MUST",
        Level::Should => "SHOULD",
    }
}
