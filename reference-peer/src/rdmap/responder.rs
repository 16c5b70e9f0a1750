//! The peer's requests: held in order, up to the Inbound RDMA Read Queue Depth.

use crate::bug::{Bug, Bugs};
use crate::violation::Refused;
use std::collections::VecDeque;
use warpscope_wire::rdmap::{
    AtomicRequest, AtomicWriteRequest, FlushRequest, Profile, ReadRequest, ReadV2Request,
    VerifyRangeView, VerifyRequest,
};

/// The longest hash that a Verify may bring or return, in bytes.
pub(crate) const LONGEST_HASH: usize = 64;

const READ: usize = 28;
const ATOMIC: usize = 52;

/// What a request asks for.
#[derive(Debug, Clone)]
pub(crate) enum Work {
    Read(ReadRequest),
    ReadV2(ReadV2Request),
    Atomic(AtomicRequest),
    Flush(FlushRequest),
    Verify(VerifyRequest),
    AtomicWrite(AtomicWriteRequest),
}

/// A request that waits for its response to be sent.
#[derive(Debug, Clone)]
pub(crate) struct Pending {
    pub(crate) work: Work,
    /// The Steering Tag that goes once the work is done (rdma-commit section 3.1).
    pub(crate) invalidate: Option<u32>,
    /// Its segment, should the work fail.
    pub(crate) refused: Refused,
}

/// The requests of the peer.
#[derive(Debug, Clone)]
pub(crate) struct Responder {
    pending: VecDeque<Pending>,
    bugs: Bugs,
}

impl Responder {
    /// Nothing waits.
    pub(crate) fn new(bugs: Bugs) -> Self {
        Self { pending: VecDeque::new(), bugs }
    }

    /// The length of the buffer that the next request takes; none when the queue is full (RFC 5040
    /// section 6.1). Buffers have the length of the longest request that the documents have.
    pub(crate) fn room(&self, ird: u16, profile: Profile) -> Option<usize> {
        let longest = match (profile.commit, profile.extensions) {
            (true, _) => VerifyRangeView::LENGTH + LONGEST_HASH,
            (false, true) => ATOMIC,
            (false, false) => READ,
        };
        let held = self.pending.len() + usize::from(self.bugs.has(Bug::IrdOneLess));
        let free = held < usize::from(ird) || self.bugs.has(Bug::IrdIgnored);
        free.then_some(longest)
    }

    /// Takes a request that was found right.
    pub(crate) fn push(&mut self, pending: Pending) {
        let mut turn = self.pending.len();
        let flush = matches!(self.pending.back(), Some(Pending { work: Work::Flush(_), .. }));
        let write = matches!(pending.work, Work::AtomicWrite(_));
        if flush && write && self.bugs.has(Bug::AtomicWriteBeforeFlush) {
            turn -= 1;
        }
        if self.bugs.has(Bug::ResponsesReversed) {
            // The first may be under way.
            turn = turn.min(1);
        }
        self.pending.insert(turn, pending);
    }

    /// The request whose turn it is.
    pub(crate) fn front(&self) -> Option<&Pending> {
        self.pending.front()
    }

    /// Ends the first request: its response is sent.
    pub(crate) fn finish(&mut self) {
        self.pending.pop_front();
    }

    /// Whether nothing waits.
    pub(crate) fn is_idle(&self) -> bool {
        self.pending.is_empty()
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.pending.clear();
    }
}
