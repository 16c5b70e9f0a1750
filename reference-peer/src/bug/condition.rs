//! Conditions under which a bug shows. Hardware and firmware have separate paths for usual and unusual
//! cases, and behaviour that is right on one path may be wrong on another.

use super::{Bug, Bugs, SeededBug};
use Condition::{Cut, Initiator, Later, LaterSegment, Loaded, Responder};

/// The condition under which a bug shows, if it does not always show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, strum::Display)]
pub enum Condition {
    /// On the side that opened the connection.
    #[strum(to_string = "only as initiator")]
    Initiator,
    /// On the side that accepted it.
    #[strum(to_string = "only as responder")]
    Responder,
    /// After the first hundred FPDUs of either direction.
    #[strum(to_string = "only after the first 100 FPDUs")]
    Later,
    /// In FPDUs that TCP delivered in pieces.
    #[strum(to_string = "only in FPDUs that arrive in pieces")]
    Cut,
    /// After the first segment of a message.
    #[strum(to_string = "only after the first segment of a message")]
    LaterSegment,
    /// While requests wait for their responses, on either side.
    #[strum(to_string = "only while requests are waiting")]
    Loaded,
}

/// The bugs that also exist with conditions: one mechanism per line, and where it fails.
#[rustfmt::skip]
pub(super) const CONDITIONS: &[(Bug, &[Condition])] = &[
    (Bug::CrcUnchecked, &[Initiator, Responder, Later, Cut, Loaded]),
    (Bug::DdpVersionUnchecked, &[Initiator, Responder, Later, Cut, LaterSegment, Loaded]),
    (Bug::RdmapVersionUnchecked, &[Initiator, Responder, Later, Cut, Loaded]),
    (Bug::OpcodeUnchecked, &[Initiator, Responder, Later, Cut, Loaded]),
    (Bug::QueueNumberUnchecked, &[Initiator, Responder, Later, Cut, Loaded]),
    (Bug::SequenceNumberUnchecked, &[Initiator, Responder, Later, Cut, LaterSegment, Loaded]),
    (Bug::MessageOffsetUnchecked, &[Initiator, Responder, Later, Cut, LaterSegment, Loaded]),
    (Bug::MessageLengthUnchecked, &[Initiator, Responder, Later, Cut, LaterSegment]),
    (Bug::MissingBufferTaken, &[Initiator, Responder, Later, Loaded]),
    (Bug::OpcodeOnAnyQueue, &[Initiator, Responder, Later, Loaded]),
    (Bug::LateSegmentsTaken, &[Initiator, Responder, Cut]),
    (Bug::BoundsUnchecked, &[Initiator, Responder, Later, Cut, LaterSegment, Loaded]),
    (Bug::LowerBoundUnchecked, &[Initiator, Responder, Later, Cut, LaterSegment, Loaded]),
    (Bug::WrapUnchecked, &[Initiator, Responder, Later, Cut, Loaded]),
    (Bug::ReadRightUnchecked, &[Initiator, Responder, Later, Loaded]),
    (Bug::WriteRightUnchecked, &[Initiator, Responder, Later, Cut, LaterSegment, Loaded]),
    (Bug::StreamAssociationUnchecked, &[Initiator, Responder, Later, LaterSegment, Loaded]),
    (Bug::ProtectionDomainUnchecked, &[Initiator, Responder, Later, LaterSegment, Loaded]),
    (Bug::StaleTagUsable, &[Initiator, Responder, Later, LaterSegment, Loaded]),
    (Bug::TagKeyIgnored, &[Initiator, Responder, Later, LaterSegment, Loaded]),
    (Bug::InvalidateIgnored, &[Initiator, Responder, Later, Cut, LaterSegment, Loaded]),
    (Bug::InvalidateUnchecked, &[Initiator, Responder, Later, Loaded]),
    (Bug::IrdIgnored, &[Initiator, Responder]),
    (Bug::PlacementShort, &[Initiator, Responder, Later, Cut, LaterSegment, Loaded]),
    (Bug::UnaskedReadResponseTaken, &[Initiator, Responder, Loaded]),
    (Bug::TerminateNotSent, &[Initiator, Responder, Later, Loaded]),
    (Bug::BadFpduSkipped, &[Initiator, Responder, Cut]),
    (Bug::EarlyEndUnnoticed, &[Initiator, Responder, Later]),
    (Bug::LastIgnored, &[Initiator, Responder, Later, LaterSegment]),
    (Bug::TerminateIgnored, &[Initiator, Responder, Later, Loaded]),
    (Bug::SolicitedEventMissing, &[Initiator, Responder, Later, Loaded]),
    (Bug::ReceivesBackwards, &[Initiator, Responder]),
    (Bug::AtomicRightUnchecked, &[Initiator, Responder, Later, Loaded]),
    (Bug::AtomicAlignmentUnchecked, &[Initiator, Responder, Later, Loaded]),
    (Bug::WindowStartIgnored, &[Initiator, Responder, Later, LaterSegment]),
    (Bug::CrcZero, &[Initiator, Responder, Later, LaterSegment, Loaded]),
    (Bug::PadNotZero, &[Initiator, Responder, Later, LaterSegment, Loaded]),
    (Bug::LastMissing, &[Initiator, Responder, Later, LaterSegment, Loaded]),
    (Bug::TaggedOffsetStuck, &[Initiator, Responder, Later, Loaded]),
    (Bug::MessageOffsetStuck, &[Initiator, Responder, Later, Loaded]),
    (Bug::SequenceNumberStuck, &[Initiator, Responder, Later, Loaded]),
    (Bug::SequenceNumberSkips, &[Initiator, Responder, Later, Loaded]),
    (Bug::DdpReservedBits, &[Initiator, Responder, Later, LaterSegment, Loaded]),
    (Bug::RdmapReservedBits, &[Initiator, Responder, Later, LaterSegment, Loaded]),
    (Bug::MarkerPointerOff, &[Initiator, Responder, Later, LaterSegment, Loaded]),
    (Bug::ReadResponseShort, &[Initiator, Responder, Later, Loaded]),
    (Bug::ReadResponseTagWrong, &[Initiator, Responder, Later, Loaded]),
    (Bug::ReadResponseOffsetWrong, &[Initiator, Responder, Later, Loaded]),
    (Bug::SolicitedBitLost, &[Initiator, Responder, Later, LaterSegment, Loaded]),
    (Bug::InvalidateTagStray, &[Initiator, Responder, Later, LaterSegment, Loaded]),
    (Bug::ResponsesReversed, &[Initiator, Responder]),
    (Bug::OrdIgnored, &[Initiator, Responder]),
    (Bug::FenceIgnored, &[Initiator, Responder]),
    (Bug::AtomicReturnsNew, &[Initiator, Responder, Later, Loaded]),
    (Bug::ReadCompletesEarly, &[Initiator, Responder, Later]),
    (Bug::DdpVersionZero, &[Initiator, Responder, Later, LaterSegment, Loaded]),
    (Bug::RdmapVersionZero, &[Initiator, Responder, Later, LaterSegment, Loaded]),
];

/// The current circumstances, against which conditions are tested.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Circumstances {
    /// Whether this side opened the connection.
    pub(crate) initiator: bool,
    /// Number of FPDUs so far: those received, or when one is sent, the larger number of both directions.
    pub(crate) fpdus: u64,
    /// Whether the FPDU arrived in pieces.
    pub(crate) cut: bool,
    /// Whether an earlier segment of the message has been seen.
    pub(crate) later_segment: bool,
    /// Whether requests are waiting for their responses.
    pub(crate) loaded: bool,
}

/// Number of FPDUs after which [`Condition::Later`] holds.
const LATER: u64 = 100;

impl Condition {
    /// Returns the suffix that the condition adds to a bug's name.
    pub(super) fn suffix(self) -> &'static str {
        match self {
            Initiator => "as-initiator",
            Responder => "as-responder",
            Later => "later",
            Cut => "when-cut",
            LaterSegment => "in-later-segments",
            Loaded => "under-load",
        }
    }

    fn holds(self, now: Circumstances) -> bool {
        match self {
            Initiator => now.initiator,
            Responder => !now.initiator,
            Later => now.fpdus > LATER,
            Cut => now.cut,
            LaterSegment => now.later_segment,
            Loaded => now.loaded,
        }
    }
}

impl Bugs {
    /// Returns whether any of them shows only under a condition.
    pub(crate) fn are_conditional(self) -> bool {
        !self.is_empty() && self.iter().any(|bug| bug.row().condition.is_some())
    }

    /// Returns those that show in the current circumstances.
    pub(crate) fn shown(self, now: Circumstances) -> Self {
        let shows = |bug: &SeededBug| bug.row().condition.is_none_or(|it| it.holds(now));
        self.iter().filter(shows).map(|bug| SeededBug::from(bug.row().bug)).collect()
    }
}
