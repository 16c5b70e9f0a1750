//! RPC calls and replies of one direction of calling.

use crate::rpc::{RpcItem, RpcKind};
use warpscope_wire::rpc::{ReplyBody, RpcView};

/// The least and the most of something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Range {
    /// The least.
    pub least: u32,
    /// The most.
    pub most: u32,
}

impl Range {
    /// Widens a range, or begins one.
    pub(super) fn widen(range: &mut Option<Self>, value: u32) {
        let range = range.get_or_insert(Self { least: value, most: value });
        range.least = range.least.min(value);
        range.most = range.most.max(value);
    }
}

/// What became of the calls of one side.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Calls {
    /// Calls.
    pub calls: u64,
    /// Replies, RDMA_ERRORs not counted.
    pub replies: u64,
    /// Replies whose RPC header tells an error: rejected, or accepted and not executed (RFC 5531 §9).
    pub refused: u64,
    /// RDMA_ERRORs in place of a reply (RFC 8166 §4.5).
    pub errors: u64,
    /// Calls that a reply or an RDMA_ERROR answered.
    pub answered: u64,
    /// Replies and RDMA_ERRORs whose call was not seen.
    pub unmatched: u64,
    /// Credits that calls asked for.
    pub credits_asked: Option<Range>,
    /// Credits that replies granted.
    pub credits_granted: Option<Range>,
    /// The most calls without a reply at once.
    pub most_in_flight: u32,
    /// Calls sent while more were without a reply than the last grant allows (RFC 8166 §3.3.1).
    pub over_grant: u64,
}

impl Calls {
    /// Takes a call of one side, or an answer to one; `granted` are the credits that it was granted
    /// last in the connection, and is updated.
    pub fn count(&mut self, item: &RpcItem<'_>, granted: &mut Option<u32>) {
        if item.kind == RpcKind::Call {
            self.calls += 1;
            Range::widen(&mut self.credits_asked, item.credits);
            let in_flight = item.call.map_or(0, |call| call.in_flight);
            self.most_in_flight = self.most_in_flight.max(in_flight);
            self.over_grant += u64::from(granted.is_some_and(|granted| in_flight > granted));
            return;
        }
        if item.kind == RpcKind::Error {
            self.errors += 1;
        } else {
            self.replies += 1;
            self.refused += u64::from(refuses(item));
        }
        if item.call.is_some() {
            self.answered += 1;
        } else {
            self.unmatched += 1;
        }
        *granted = Some(item.credits);
        Range::widen(&mut self.credits_granted, item.credits);
    }

    /// Calls that nothing answered in the capture.
    pub fn unanswered(&self) -> u64 {
        self.calls.saturating_sub(self.answered)
    }

    /// Whether anything was counted.
    pub fn any(&self) -> bool {
        self.calls + self.replies + self.errors > 0
    }
}

/// Whether the RPC header of a reply tells an error.
pub(super) fn refuses(item: &RpcItem<'_>) -> bool {
    match &item.header {
        Some(Ok(RpcView::Reply(reply))) => match reply.body {
            ReplyBody::Accepted { accept_status, .. } => accept_status != 0,
            ReplyBody::RpcMismatch { .. } | ReplyBody::AuthError { .. } => true,
        },
        _ => false,
    }
}
