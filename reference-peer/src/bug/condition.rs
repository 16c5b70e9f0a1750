//! When a bug shows: hardware and firmware have paths for what is usual and paths for what is not, and
//! what is right on the one may be wrong on the other.

use super::{Bug, Bugs, SeededBug};
use Condition::{Cut, Initiator, Later, LaterSegment, Loaded, Responder};

/// When a bug shows, if not always.
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
    /// In FPDUs that TCP brought in pieces.
    #[strum(to_string = "only in FPDUs that arrive in pieces")]
    Cut,
    /// After the first segment of a message.
    #[strum(to_string = "only after the first segment of a message")]
    LaterSegment,
    /// While requests wait for their responses, on either side.
    #[strum(to_string = "only while requests are waiting")]
    Loaded,
}

/// The bugs that are seeded with conditions too: a mechanism in each line, and where it goes wrong.
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

/// What is so when a bug is asked for.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Circumstances {
    /// Whether this side opened the connection.
    pub(crate) initiator: bool,
    /// FPDUs so far: those that came where one comes, the more of both directions where one is sent.
    pub(crate) fpdus: u64,
    /// Whether the FPDU came in pieces.
    pub(crate) cut: bool,
    /// Whether the message has begun before.
    pub(crate) later_segment: bool,
    /// Whether requests wait for their responses.
    pub(crate) loaded: bool,
}

/// Where [`Condition::Later`] begins, in FPDUs.
const LATER: u64 = 100;

impl Condition {
    /// What a bug's name has after it.
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
    /// Whether one of them shows under a condition only.
    pub(crate) fn are_conditional(self) -> bool {
        !self.is_empty() && self.iter().any(|bug| bug.row().condition.is_some())
    }

    /// Those that show now.
    pub(crate) fn shown(self, now: Circumstances) -> Self {
        let shows = |bug: &SeededBug| bug.row().condition.is_none_or(|it| it.holds(now));
        self.iter().filter(shows).map(|bug| SeededBug::from(bug.row().bug)).collect()
    }
}
