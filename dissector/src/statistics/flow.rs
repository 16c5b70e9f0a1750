//! One connection in short: what `warpscope flows` shows of it.

use super::calls::Calls;
use super::opcode::Opcodes;
use super::operations::OperationCounts;
use super::transport::{Mark, TcpSide};
use crate::flow::ConnectionInfo;
use crate::mpa::{CrcVerdict, Negotiation, Side, SkipReason};

/// A Terminate that was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TerminateSeen {
    /// The side that sent it.
    pub by: Side,
    /// Where.
    pub mark: Mark,
    /// Layer, error type and error code; `None` when it cannot be read.
    pub error: Option<(u8, u8, u8)>,
}

/// Why nothing more of a connection was followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Left {
    /// The capture was over.
    CaptureEnded,
    /// Its two ends began another connection.
    EndsUsedAgain,
    /// There were too many connections, and it had been idle.
    TableFull,
}

/// How a connection ended, by what says most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum End {
    /// The responder's reply rejected it.
    Rejected,
    /// This side sent a Terminate, the first if both did.
    Terminated(Side),
    /// This side sent a RST, the first if both did, and no FIN came before.
    Reset(Side),
    /// Both sides sent a FIN; this one the first.
    Finished(Side),
    /// Only this side sent a FIN.
    HalfClosed(Side),
    /// Nothing said that it ended.
    Open,
}

/// What is counted of one direction.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DirectionCounts {
    /// What TCP shows.
    pub tcp: TcpSide,
    /// FPDUs by the verdict on their CRC, in the order of [`VERDICTS`].
    pub crc: [u64; 5],
    /// FPDUs with a marker that points elsewhere.
    pub marker_mismatches: u64,
    /// Bytes skipped, with how often, by reason.
    pub skipped: Vec<(SkipReason, Skips)>,
    /// The most requests of this side that waited for their responses at once.
    pub most_outstanding: u32,
    /// Requests of this side sent while as many as the limit allows, or more, waited.
    pub over_depth: u64,
    /// The calls that this side made.
    pub calls: Calls,
}

/// Times that bytes were skipped, and how many bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Skips {
    /// How often.
    pub times: u64,
    /// Bytes.
    pub bytes: u64,
}

/// Every verdict on a CRC, in the order in which they are counted.
pub const VERDICTS: [CrcVerdict; 5] = [
    CrcVerdict::Good,
    CrcVerdict::Bad,
    CrcVerdict::NotInUse,
    CrcVerdict::Unknown,
    CrcVerdict::Unchecked,
];

impl DirectionCounts {
    /// FPDUs of this direction.
    pub fn fpdus(&self) -> u64 {
        self.crc.iter().sum()
    }

    /// FPDUs with this verdict.
    pub fn with_crc(&self, verdict: CrcVerdict) -> u64 {
        let index = VERDICTS.iter().position(|each| *each == verdict);
        index.and_then(|index| self.crc.get(index)).copied().unwrap_or(0)
    }

    /// Bytes skipped for whatever reason.
    pub fn skipped_bytes(&self) -> u64 {
        self.skipped.iter().map(|(_, skips)| skips.bytes).sum()
    }

    pub(super) fn skip(&mut self, reason: SkipReason, bytes: u64) {
        let index = self.skipped.iter().position(|(known, _)| *known == reason);
        let index = index.unwrap_or_else(|| {
            self.skipped.push((reason, Skips::default()));
            self.skipped.len() - 1
        });
        if let Some((_, skips)) = self.skipped.get_mut(index) {
            skips.times += 1;
            skips.bytes += bytes;
        }
    }
}

/// Findings of the rules.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FindingCounts {
    /// Of broken MUSTs.
    pub must: u64,
    /// Of broken SHOULDs.
    pub should: u64,
}

/// A connection in short.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flow {
    /// Number and ends.
    pub info: ConnectionInfo,
    /// Its first frame.
    pub first: Mark,
    /// Its last frame.
    pub last: Mark,
    /// What the setup frames said.
    pub negotiation: Negotiation,
    /// Each side's stream.
    pub sides: [DirectionCounts; 2],
    /// Messages, segments and bytes by opcode and side.
    pub opcodes: Opcodes,
    /// Operations by kind and requester.
    pub operations: Vec<OperationCounts>,
    /// The first Terminate of each side, in their order.
    pub terminates: Vec<TerminateSeen>,
    /// Findings of the rules.
    pub findings: FindingCounts,
    /// Why nothing more of it was followed.
    pub left: Left,
}

impl Flow {
    /// A connection of which nothing is known but its first frame.
    pub fn new(info: ConnectionInfo, first: Mark) -> Self {
        Self {
            info,
            first,
            last: first,
            negotiation: Negotiation::default(),
            sides: Default::default(),
            opcodes: Opcodes::default(),
            operations: Vec::new(),
            terminates: Vec::new(),
            findings: FindingCounts::default(),
            left: Left::CaptureEnded,
        }
    }

    /// The side that sent the request frame, where that is known.
    pub fn initiator(&self) -> Option<Side> {
        self.negotiation.initiator()
    }

    /// The side to show first: the initiator; where that is not known, the side that sent the SYN, else
    /// the side that sent the first segment seen.
    pub fn first_side(&self) -> Side {
        self.initiator().unwrap_or(Side(0))
    }

    /// What is counted of a side.
    pub fn side(&self, side: Side) -> &DirectionCounts {
        &self.sides[side.index()]
    }

    /// Nanoseconds from the first frame to the last.
    pub fn duration(&self) -> Option<i64> {
        Some(self.last.time?.saturating_sub(self.first.time?))
    }

    /// Whether the capture has the connection from its first segment on.
    pub fn from_the_start(&self) -> bool {
        self.sides.iter().any(|side| side.tcp.syn.is_some())
    }

    /// Whether an FPDU was seen: without, there was at most a setup.
    pub fn has_fpdus(&self) -> bool {
        self.sides.iter().any(|side| side.fpdus() > 0)
    }

    /// How it ended.
    pub fn end(&self) -> End {
        let first = |mark: fn(&TcpSide) -> Option<Mark>| {
            let marks = Side::BOTH.map(|side| mark(&self.side(side).tcp).map(|mark| mark.frame));
            match marks {
                [None, None] => None,
                [Some(one), Some(other)] if other < one => Some((Side(1), other)),
                [Some(one), _] => Some((Side(0), one)),
                [None, Some(other)] => Some((Side(1), other)),
            }
        };
        let both_finished = self.sides.iter().all(|side| side.tcp.fin.is_some());
        let (fin, reset) = (first(|tcp| tcp.fin), first(|tcp| tcp.reset));
        if self.negotiation.rejected() {
            return End::Rejected;
        }
        if let Some(terminate) = self.terminates.first() {
            return End::Terminated(terminate.by);
        }
        match (fin, reset) {
            (Some((side, at)), Some((_, reset))) if at < reset && both_finished => {
                End::Finished(side)
            }
            (_, Some((side, _))) => End::Reset(side),
            (Some((side, _)), None) if both_finished => End::Finished(side),
            (Some((side, _)), None) => End::HalfClosed(side),
            (None, None) => End::Open,
        }
    }

    /// Bytes of the TCP payload of both sides, and how many of them came again.
    pub fn payload_and_repeated(&self) -> (u64, u64) {
        let sum = |of: fn(&TcpSide) -> u64| self.sides.iter().map(|side| of(&side.tcp)).sum();
        (sum(|tcp| tcp.payload), sum(|tcp| tcp.repeated))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::Endpoint;

    /// How a connection ends whose sides sent FIN and RST in these frames.
    fn end(fin: [Option<u64>; 2], reset: [Option<u64>; 2]) -> End {
        let info = ConnectionInfo { number: 0, ends: [Endpoint::default(); 2] };
        let mut flow = Flow::new(info, Mark::default());
        let mark = |frame: Option<u64>| frame.map(|frame| Mark { frame, time: None });
        for side in Side::BOTH {
            let tcp = &mut flow.sides[side.index()].tcp;
            (tcp.fin, tcp.reset) = (mark(fin[side.index()]), mark(reset[side.index()]));
        }
        flow.end()
    }

    #[test]
    fn ends_are_told_by_what_came_first() {
        let (one, other) = (Side(0), Side(1));
        assert_eq!(end([None; 2], [None; 2]), End::Open);
        assert_eq!(end([Some(5), None], [None; 2]), End::HalfClosed(one));
        assert_eq!(end([Some(5), Some(4)], [None; 2]), End::Finished(other));
        assert_eq!(end([None; 2], [Some(9), Some(7)]), End::Reset(other));
        // A RST that answers what came behind both FINs ends nothing.
        assert_eq!(end([Some(5), Some(6)], [Some(7), None]), End::Finished(one));
        // A FIN that a RST answers was no orderly end.
        assert_eq!(end([Some(5), None], [None, Some(6)]), End::Reset(other));
    }

    #[test]
    fn a_summary_is_small() {
        assert!(size_of::<Flow>() <= 1024, "{}", size_of::<Flow>());
    }
}
