//! The duplicate request cache of version 3 (RFC 1813 section 4.5): a call that must not be carried out twice
//! is carried out once, and a retransmission gets the results of the first.
//!
//! A call is carried out before the next is looked at, so no retransmission finds the first in progress.

use crate::rpc::{Credential, ProcedureCall};
use crate::{Status, procedure};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, VecDeque};

/// The limits of the cache: the number of results, and their total size in bytes.
const MOST_KEPT: usize = 1024;
const MOST_BYTES: usize = 1 << 20;

/// The procedures that give different results, or destroy something, if they are carried out again.
const ONCE: [u32; 9] = [
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

/// Who numbers the calls: a host, as AUTH_SYS names it, on whatever stream; otherwise the stream's user.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Caller {
    Host(Vec<u8>),
    Stream(u64),
}

/// The caller, XID, procedure and argument digest that a retransmission shares with the first call.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key {
    caller: Caller,
    xid: u32,
    procedure: u32,
    arguments: [u8; 32],
}

impl Key {
    /// Returns the key of a version 3 call; `None` if it may be carried out again, or the caller is unknown.
    pub(crate) fn of(call: &ProcedureCall, stream: Option<u64>, arguments: &[u8]) -> Option<Self> {
        if !ONCE.contains(&call.procedure) {
            return None;
        }
        let caller = match &call.credential {
            Credential::Sys(user) if !user.machine_name.is_empty() => {
                Caller::Host(user.machine_name.clone())
            }
            _ => Caller::Stream(stream?),
        };
        let arguments = Sha256::digest(arguments).into();
        Some(Self { caller, xid: call.xid, procedure: call.procedure, arguments })
    }
}

/// Results that may be needed again, the oldest first.
#[derive(Debug, Default)]
pub(crate) struct Duplicates {
    kept: BTreeMap<Key, Vec<u8>>,
    order: VecDeque<Key>,
    bytes: usize,
}

impl Duplicates {
    /// Returns the results of the call that this one repeats.
    pub(crate) fn results(&self, key: &Key) -> Option<&[u8]> {
        self.kept.get(key).map(Vec::as_slice)
    }

    /// Keeps the results of a call that is not a retransmission, unless it was deferred (NFS3ERR_JUKEBOX).
    /// Removes the oldest when there are too many.
    pub(crate) fn keep(&mut self, key: Key, results: &[u8]) {
        if results.first_chunk() == Some(&Status::JUKEBOX.0.to_be_bytes()) {
            return;
        }
        self.bytes += results.len();
        self.order.push_back(key.clone());
        self.kept.insert(key, results.to_vec());
        while self.order.len() > MOST_KEPT || self.bytes > MOST_BYTES {
            let Some(oldest) = self.order.pop_front() else { break };
            self.bytes -= self.kept.remove(&oldest).map_or(0, |results| results.len());
        }
    }

    /// Forgets the calls of unknown callers on a closed stream, because another stream may get its number.
    pub(crate) fn gone(&mut self, stream: u64) {
        let of_stream = |key: &Key| key.caller == Caller::Stream(stream);
        self.order.retain(|key| !of_stream(key));
        self.kept.retain(|key, _| !of_stream(key));
        self.bytes = self.kept.values().map(Vec::len).sum();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{NFS, VERSION};

    fn key(xid: u32, stream: u64) -> Key {
        let credential = Credential::None;
        let procedure = procedure::REMOVE;
        let call = ProcedureCall { xid, program: NFS, version: VERSION, procedure, credential };
        Key::of(&call, Some(stream), b"arguments").unwrap()
    }

    #[test]
    fn the_oldest_go_first_by_number_and_by_bytes() {
        let mut duplicates = Duplicates::default();
        for xid in 0..MOST_KEPT as u32 + 2 {
            duplicates.keep(key(xid, 1), b"four");
        }
        assert_eq!(duplicates.kept.len(), MOST_KEPT);
        assert_eq!(duplicates.bytes, 4 * MOST_KEPT);
        assert_eq!(duplicates.results(&key(1, 1)), None);
        assert_eq!(duplicates.results(&key(2, 1)), Some(&b"four"[..]));
        duplicates.keep(key(0, 2), &[0; MOST_BYTES - 4]);
        assert_eq!((duplicates.kept.len(), duplicates.bytes), (2, MOST_BYTES));
        duplicates.keep(key(1, 2), &[0; MOST_BYTES + 1]);
        assert_eq!((duplicates.order.len(), duplicates.kept.len(), duplicates.bytes), (0, 0, 0));
    }

    #[test]
    fn what_was_put_off_may_come_again() {
        let mut duplicates = Duplicates::default();
        duplicates.keep(key(1, 1), &10008_u32.to_be_bytes());
        assert_eq!((duplicates.results(&key(1, 1)), duplicates.order.len()), (None, 0));
    }

    #[test]
    fn a_stream_that_is_gone_leaves_nothing() {
        let mut duplicates = Duplicates::default();
        duplicates.keep(key(1, 1), b"1234");
        duplicates.keep(key(1, 2), b"12345678");
        duplicates.gone(1);
        assert_eq!(duplicates.results(&key(1, 1)), None);
        assert_eq!(duplicates.results(&key(1, 2)), Some(&b"12345678"[..]));
        assert_eq!((duplicates.order.len(), duplicates.bytes), (1, 8));
    }
}
