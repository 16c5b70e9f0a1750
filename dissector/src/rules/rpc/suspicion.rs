//! Findings that say that no call was there: they hold only when the call is not just captured late.
//!
//! A capture may show the two directions out of step: a reply before its call. The TCP segment of
//! the reply tells: it acknowledges the call. What it acknowledges must have been seen before
//! anything is said.

use super::state::OpenCall;
use crate::mpa::Side;
use crate::operation::Region;
use crate::rules::finding::Finding;
use warpscope_wire::rpcrdma::Segment;

/// The most findings of a connection that wait.
const WAITING: usize = 64;

/// What a call must have for a finding to be wrong.
#[derive(Debug, Clone, Copy)]
pub(super) enum Awaited {
    /// This XID.
    Xid(u32),
    /// This memory in its write list or reply chunk.
    Writable(Region),
    /// This memory in its read list.
    Readable(Region),
}

impl Awaited {
    fn is_met_by(self, call: &OpenCall) -> bool {
        match self {
            Self::Xid(xid) => call.xid == xid,
            Self::Writable(region) => offers(call.writable(), &region),
            Self::Readable(region) => offers(call.readable(), &region),
        }
    }
}

/// Whether segments hold the first and the last byte of a range: it may go on from one to the next.
pub(super) fn offers<'a>(segments: impl Iterator<Item = &'a Segment>, region: &Region) -> bool {
    let last = region.tagged_offset.wrapping_add(region.length.saturating_sub(1));
    let (mut first_held, mut last_held) = (false, false);
    for segment in segments.filter(|segment| segment.handle == region.steering_tag) {
        let holds = |byte: u64| {
            byte.checked_sub(segment.offset).is_some_and(|at| at < u64::from(segment.length))
        };
        first_held |= holds(region.tagged_offset);
        last_held |= holds(last);
    }
    first_held && last_held
}

/// A finding that waits for what its frame acknowledges.
#[derive(Debug)]
struct Suspicion {
    /// The side whose call it may be.
    caller: Side,
    /// Bytes of that side's stream that the frame acknowledges, modulo 2^32; `None` when that is
    /// not known.
    acknowledged: Option<u32>,
    awaited: Awaited,
    finding: Finding,
}

/// Bytes of both directions that were seen, and what waits for more.
#[derive(Debug, Default)]
pub(super) struct Suspicions {
    /// Bytes of each stream up to the end of its last FPDU.
    ends: [u64; 2],
    /// The most bytes of the other stream that a frame of each side acknowledges, modulo 2^32.
    acknowledged: [Option<u32>; 2],
    waiting: Vec<Suspicion>,
}

impl Suspicions {
    /// A side's stream was seen up to there.
    pub(super) fn seen(&mut self, side: Side, end: u64) {
        if let Some(kept) = self.ends.get_mut(side.index()) {
            *kept = end;
        }
    }

    /// A frame of a side acknowledges so many bytes of the other stream, modulo 2^32. It may be
    /// captured before others that say less.
    pub(super) fn acknowledges(&mut self, side: Side, bytes: u32) {
        if let Some(kept) = self.acknowledged.get_mut(side.index())
            && kept.is_none_or(|most| bytes.wrapping_sub(most) < 1 << 31)
        {
            *kept = Some(bytes);
        }
    }

    /// True when everything of a side was seen that the other side acknowledges.
    pub(super) fn in_step(&self, side: Side) -> bool {
        self.acknowledged_of(side).is_some_and(|bytes| self.reaches(side, bytes))
    }

    /// Bytes of a side's stream that the other side acknowledges.
    fn acknowledged_of(&self, side: Side) -> Option<u32> {
        self.acknowledged.get(side.peer().index()).copied().flatten()
    }

    fn reaches(&self, side: Side, acknowledged: u32) -> bool {
        let end = self.ends.get(side.index()).copied().unwrap_or_default();
        (end as u32).wrapping_sub(acknowledged) < 1 << 31
    }

    /// There is a finding unless a call of that side is still to be seen.
    pub(super) fn suspect(
        &mut self,
        caller: Side,
        awaited: Awaited,
        finding: Finding,
        findings: &mut Vec<Finding>,
    ) {
        if self.in_step(caller) {
            findings.push(finding);
        } else if self.waiting.len() < WAITING {
            let acknowledged = self.acknowledged_of(caller);
            self.waiting.push(Suspicion { caller, acknowledged, awaited, finding });
        }
    }

    /// An item of a side was seen, perhaps a call. Findings that it shows to be wrong are dropped;
    /// those that wait for nothing more are made. Returns true when it is a call that was answered
    /// before, and true when it is one whose memory was used before.
    pub(super) fn arrived(
        &mut self,
        side: Side,
        call: Option<&OpenCall>,
        whole: bool,
        findings: &mut Vec<Finding>,
    ) -> (bool, bool) {
        let (mut answered, mut used) = (false, false);
        if self.waiting.is_empty() {
            return (answered, used);
        }
        for suspicion in std::mem::take(&mut self.waiting) {
            if suspicion.caller != side {
                self.waiting.push(suspicion);
                continue;
            }
            if call.is_some_and(|call| suspicion.awaited.is_met_by(call)) {
                answered |= matches!(suspicion.awaited, Awaited::Xid(_));
                used |= !matches!(suspicion.awaited, Awaited::Xid(_));
            } else if !whole {
                // The call may be in what is missing.
            } else if suspicion.acknowledged.is_none_or(|end| self.reaches(side, end)) {
                findings.push(suspicion.finding);
            } else {
                self.waiting.push(suspicion);
            }
        }
        (answered, used)
    }
}
