//! What is remembered of a connection's calls and grants.

use super::suspicion::Suspicions;
use crate::mpa::Side;
use std::collections::VecDeque;
use warpscope_wire::rpcrdma::{Chunks, Segment};

/// The most calls of a side that are remembered.
const CALLS: usize = 1024;
/// The most chunk segments of a side that are remembered.
const SEGMENTS: usize = 1 << 14;

/// What a side's private data said (RFC 8797 §4).
#[derive(Debug, Clone, Copy)]
pub(in crate::rules) struct PrivateData {
    /// R: remote invalidation is supported.
    pub remote_invalidation: bool,
    /// The most bytes that it sends inline.
    pub send_size: u32,
    /// The most bytes that it receives inline.
    pub receive_size: u32,
}

/// A call without a reply.
#[derive(Debug)]
pub(super) struct OpenCall {
    /// Transaction ID (XID).
    pub xid: u32,
    /// The version in its transport header.
    pub version: u32,
    /// The frame that completed its Send.
    pub frame: u64,
    /// The memory that it offers.
    pub chunks: Chunks,
    /// True when its credential asks for integrity or privacy of RPCSEC_GSS.
    pub wrapped: bool,
    /// True when its memory was used before it was captured.
    pub late: bool,
}

impl OpenCall {
    /// Segments that the responder may write to.
    pub(super) fn writable(&self) -> impl Iterator<Item = &Segment> {
        self.chunks.writes.iter().flatten().chain(self.chunks.reply.iter().flatten())
    }

    /// Segments that the responder may read.
    pub(super) fn readable(&self) -> impl Iterator<Item = &Segment> {
        self.chunks.reads.iter().map(|read| &read.target)
    }

    /// Whether it offers memory of that handle.
    pub(super) fn offers(&self, handle: u32) -> bool {
        self.readable().chain(self.writable()).any(|segment| segment.handle == handle)
    }

    fn segments(&self) -> usize {
        self.readable().chain(self.writable()).count()
    }
}

/// The calls of one side.
#[derive(Debug, Default)]
pub(super) struct Caller {
    /// Those that wait for a reply, oldest first.
    pub open: VecDeque<OpenCall>,
    /// Credits of the last two replies, the last one first.
    grants: Option<[u32; 2]>,
    segments: usize,
    /// True when calls had to be forgotten.
    pub forgot: bool,
}

impl Caller {
    /// A call was sent.
    pub(super) fn call(&mut self, call: OpenCall) {
        self.segments += call.segments();
        self.open.push_back(call);
        while self.open.len() > CALLS || self.segments > SEGMENTS {
            let Some(oldest) = self.open.pop_front() else { break };
            self.segments = self.segments.saturating_sub(oldest.segments());
            self.forgot = true;
        }
    }

    /// The call of that XID is answered.
    pub(super) fn answered(&mut self, xid: u32) -> Option<OpenCall> {
        let index = self.open.iter().position(|call| call.xid == xid)?;
        let call = self.open.remove(index)?;
        self.segments = self.segments.saturating_sub(call.segments());
        Some(call)
    }

    /// A reply granted credits.
    pub(super) fn grant(&mut self, credits: u32) {
        let before = self.grants.map_or(credits, |[last, _]| last);
        self.grants = Some([credits, before]);
    }

    /// The calls that may wait at once, and `None` before the first reply. A call may have been
    /// under way when a smaller grant came: of the last two the larger counts.
    pub(super) fn limit(&self) -> Option<u32> {
        self.grants.map(|[last, before]| last.max(before))
    }
}

/// What is remembered of a connection's RPC-over-RDMA.
#[derive(Debug, Default)]
pub(in crate::rules) struct RpcState {
    callers: [Caller; 2],
    private_data: [Option<PrivateData>; 2],
    /// True when a call and its reply were seen: the connection carries RPC-over-RDMA beyond doubt.
    pub(super) proven: bool,
    /// The number of the last Write message of each side that a finding was made of.
    pub(super) told_write: [u64; 2],
    /// A call in a read chunk of position 0 that is being answered before it was read.
    pub(super) unread: Option<(u32, u64, u64)>,
    /// True when the call that was answered last was captured late: what was written before it
    /// cannot be traced to it.
    pub(super) late: bool,
    /// What may turn out to be the capture's order alone.
    pub(super) suspicions: Suspicions,
}

impl RpcState {
    /// The calls of a side.
    pub(super) fn caller(&mut self, side: Side) -> &mut Caller {
        let [one, other] = &mut self.callers;
        if side.index() == 0 { one } else { other }
    }

    /// What a side's private data said.
    pub(super) fn private_data(&self, side: Side) -> Option<PrivateData> {
        self.private_data.get(side.index()).copied().flatten()
    }

    /// A frame of a side acknowledges so many bytes of the other stream, modulo 2^32.
    pub(in crate::rules) fn acknowledges(&mut self, side: Side, bytes: u32) {
        self.suspicions.acknowledges(side, bytes);
    }

    /// Takes note of a side's private data.
    pub(super) fn set_private_data(&mut self, side: Side, data: PrivateData) {
        if let Some(kept) = self.private_data.get_mut(side.index()) {
            kept.get_or_insert(data);
        }
        self.proven |= self.private_data.iter().all(Option::is_some);
    }
}
