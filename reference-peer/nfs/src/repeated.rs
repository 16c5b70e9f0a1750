//! Calls that come again: version 3 has no sessions, and a client that lost its connection sends what
//! was not answered once more (RFC 1813 section 4.5). What would then fail, or be done twice, gets the
//! reply that was sent first. Version 4 has its slots for that.

use crate::rpc::{REPLY_HEADER, RpcMessage};
use crate::{NFS, Status, VERSION, procedure};
use sha2::{Digest, Sha256};
use std::collections::{HashMap, VecDeque};
use std::time::{Duration, Instant};
use warpscope_wire::rpc::RpcView;

/// The most replies that are kept; each has some hundred bytes.
const MOST: usize = 4096;
/// How long one is kept.
const KEPT: Duration = Duration::from_secs(120);
/// The procedures that are not the same when they are carried out twice.
const NOT_IDEMPOTENT: [u32; 9] = [
    procedure::SETATTR,
    procedure::CREATE,
    procedure::MKDIR,
    procedure::SYMLINK,
    procedure::MKNOD,
    procedure::REMOVE,
    procedure::RMDIR,
    procedure::RENAME,
    procedure::LINK,
];

/// A call: its XID, and a digest of all of it. A client sends the same bytes again, over whatever connection; one that
/// uses an XID again sends others.
pub(crate) type Call = (u32, [u8; 32]);

/// Replies that may be wanted again (the duplicate request cache).
#[derive(Debug, Default)]
pub(crate) struct Replies {
    kept: HashMap<Call, RpcMessage>,
    /// Since when, the oldest first.
    since: VecDeque<(Instant, Call)>,
}

/// The call, if it is one that must not be carried out twice.
pub(crate) fn not_idempotent(call: &[u8]) -> Option<Call> {
    let Ok((RpcView::Call(view), _)) = RpcView::parse(call) else { return None };
    let of_nfs = (view.program, view.program_version) == (NFS, VERSION);
    let kept = of_nfs && NOT_IDEMPOTENT.contains(&view.procedure);
    kept.then(|| (view.xid, Sha256::digest(call).into()))
}

impl Replies {
    /// The reply that was sent to it.
    pub(crate) fn of(&mut self, call: &Call, now: Instant) -> Option<RpcMessage> {
        while let Some((since, oldest)) = self.since.front()
            && (now.duration_since(*since) > KEPT || self.since.len() > MOST)
        {
            self.kept.remove(oldest);
            self.since.pop_front();
        }
        self.kept.get(call).cloned()
    }

    /// Keeps the reply that is sent to it; not one that asks for the call again (NFS3ERR_JUKEBOX).
    pub(crate) fn keep(&mut self, call: Call, reply: &RpcMessage, now: Instant) {
        let status = reply.bytes.get(REPLY_HEADER..).and_then(|rest| rest.first_chunk());
        if status == Some(&Status::JUKEBOX.0.to_be_bytes()) {
            return;
        }
        if self.kept.insert(call, reply.clone()).is_none() {
            self.since.push_back((now, call));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_are_kept_for_a_time_and_up_to_a_number() {
        let (mut replies, begun) = (Replies::default(), Instant::now());
        let call = |xid: usize| (xid as u32, [0; 32]);
        for xid in 0..=MOST {
            replies.keep(call(xid), &RpcMessage::plain(vec![1; 4]), begun);
        }
        assert!(replies.of(&call(MOST), begun).is_some());
        assert!(replies.of(&call(0), begun).is_none(), "the oldest of too many");
        assert!(replies.of(&call(1), begun).is_some());
        assert!(replies.of(&(1, [1; 32]), begun).is_none(), "another call with its XID");
        assert!(replies.of(&call(1), begun + KEPT + Duration::from_secs(1)).is_none());
        assert_eq!(replies.kept.len(), replies.since.len());
    }
}
