//! Calls of this end: credits, and replies (RFC 8166 sections 3.3.1 and 4.3).

use super::compose::{Composed, compose, gathered, repeats};
use super::end::Link;
use super::responder::{Discard, Message};
use crate::rpc::OutgoingCall;
use std::collections::{HashMap, VecDeque};
use warpscope_peer::bug::Bug;
use warpscope_peer::variant::Variant;
use warpscope_wire::rpcrdma::{Chunks, TransportError};

/// A call that has no reply yet.
#[derive(Debug)]
struct Open {
    handle: u64,
    offered: Chunks,
    /// Memory registered for the call: read chunks, write chunks (`None` for an empty one), reply chunk.
    read_tags: Vec<u32>,
    write_tags: Vec<Option<u32>>,
    reply_tag: Option<u32>,
}

pub(super) type Ended = (u64, Result<ReducedReply, CallFailure>);

/// Calls that wait to be sent, and calls that wait for a reply.
#[derive(Debug, Default)]
pub(super) struct Requester {
    next_handle: u64,
    unsent: VecDeque<(u64, OutgoingCall)>,
    open: HashMap<u32, Open>,
    /// The credits that the last reply granted; `None` before the first.
    granted: Option<u32>,
    ended: VecDeque<Ended>,
}

impl Requester {
    /// Queues a call and returns its handle.
    pub(super) fn call(&mut self, call: OutgoingCall) -> u64 {
        let handle = self.next_handle;
        self.next_handle += 1;
        self.unsent.push_back((handle, call));
        handle
    }

    /// Returns how many calls wait for a reply.
    pub(super) fn outstanding(&self) -> usize {
        self.open.len()
    }

    /// Whether no call waits to be sent or for its reply.
    pub(super) fn is_idle(&self) -> bool {
        self.unsent.is_empty() && self.open.is_empty()
    }

    /// Whether a call with this XID waits for a reply.
    pub(super) fn waits(&self, xid: u32) -> bool {
        self.open.contains_key(&xid)
    }

    /// Returns the credits that the responder granted last.
    pub(super) fn granted(&self) -> Option<u32> {
        self.granted
    }

    /// Records granted credits. A grant of 0 would stop everything: it counts as 1 (RFC 8166 section 3.3.1).
    pub(super) fn grant(&mut self, credits: u32) {
        self.granted = Some(credits.max(1));
    }

    /// Returns the outcome of a call, in the order in which calls ended.
    pub(super) fn ended(&mut self) -> Option<Ended> {
        self.ended.pop_front()
    }

    /// Returns how many calls may wait for a reply: the lower of the credits asked for and granted, and one
    /// before the first reply (RFC 8166 sections 3.3.1 and 3.3.3).
    fn limit(&self, link: &Link<'_>) -> usize {
        let asked = link.config.credits_asked.max(1);
        let at_first = if link.config.bugs.has(Bug::RpcCreditsAtFirst) { asked } else { 1 };
        let granted = self.granted.unwrap_or(at_first);
        match self.granted {
            Some(_) if link.config.bugs.has(Bug::RpcCreditsExceeded) => asked as usize,
            _ if link.config.variants.has(Variant::RpcOneCallAtATime) => 1,
            _ => asked.min(granted) as usize,
        }
    }

    /// Returns the bytes of the Send of the next call that may be sent.
    pub(super) fn next(&mut self, link: &mut Link<'_>) -> Option<Vec<u8>> {
        while self.open.len() < self.limit(link) {
            let (handle, call) = self.unsent.pop_front()?;
            let free = call.message.xid().filter(|xid| !self.open.contains_key(xid));
            let composed = match free {
                Some(xid) => compose(xid, &call, link).map(|it| (xid, it)),
                None => Err(CallFailure::Xid),
            };
            match composed {
                Ok((xid, composed)) => {
                    let Composed { bytes, chunks, read_tags, write_tags, reply_tag } = composed;
                    let offered = chunks;
                    let open = Open { handle, offered, read_tags, write_tags, reply_tag };
                    self.open.insert(xid, open);
                    return Some(bytes);
                }
                Err(failure) => self.ended.push_back((handle, Err(failure))),
            }
        }
        None
    }

    /// Handles a reply. A wrong one is dropped, and its call continues to wait.
    pub(super) fn reply(
        &mut self,
        reply: &Message<'_>,
        link: &mut Link<'_>,
    ) -> Result<(), Discard> {
        let bugs = link.config.bugs;
        let open = self.open.get(&reply.xid).ok_or(Discard::UnknownXid)?;
        let (offered, returned) = (&open.offered, &reply.chunks);
        let writes = offered.writes.len() == returned.writes.len()
            && offered.writes.iter().zip(&returned.writes).all(|(a, b)| repeats(a, b));
        let chunk = match (&offered.reply, &returned.reply) {
            (Some(offered), Some(returned)) => repeats(offered, returned),
            // Some responders leave out a reply chunk that they did not use. No byte is ambiguous.
            (_, None) => reply.payload.is_some(),
            (None, Some(_)) => false,
        };
        if (!writes || !chunk) && !link.config.variants.has(Variant::RpcListsUnchecked) {
            return Err(Discard::FaultyReply);
        }
        let payload = match reply.payload {
            Some(payload) => payload.to_vec(),
            None => {
                let written = open.reply_tag.and_then(|tag| link.streams.memory().bytes(tag));
                let lists = offered.reply.as_deref().zip(returned.reply.as_deref());
                let written = written.zip(lists).map(|(bytes, (a, b))| gathered(bytes, a, b));
                let written = written.unwrap_or_default();
                let says = written.first_chunk::<8>().copied().unwrap_or_default();
                let [_, _, _, _, kind @ ..] = says;
                if says[..4] != reply.xid.to_be_bytes() || kind != 1_u32.to_be_bytes() {
                    return Err(Discard::FaultyReply);
                }
                written
            }
        };
        self.grant(reply.credits);
        let Some(open) = self.open.remove(&reply.xid) else { return Err(Discard::UnknownXid) };
        let handle = open.handle;
        let offered = open.offered.writes.clone();
        let written = match bugs.has(Bug::RpcMemoryKept) {
            true => copy(&open, link),
            false => close(open, link),
        };
        let lists = offered.iter().zip(&returned.writes);
        let chunks = written.iter().zip(lists).map(|(bytes, (a, b))| gathered(bytes, a, b));
        let reply = ReducedReply { bytes: payload, chunks: chunks.collect() };
        self.ended.push_back((handle, Ok(reply)));
        Ok(())
    }

    /// Ends a call because of an RDMA_ERROR, which cannot raise the granted credits but may lower them.
    pub(super) fn fail(
        &mut self,
        xid: u32,
        credits: u32,
        failure: CallFailure,
        link: &mut Link<'_>,
    ) {
        self.granted = self.granted.map(|granted| granted.min(credits.max(1)));
        if let Some(open) = self.open.remove(&xid) {
            self.ended.push_back((open.handle, Err(failure)));
            close(open, link);
        }
    }

    /// Whether the call with this XID offered a Steering Tag that the peer invalidated.
    pub(super) fn offered(&self, xid: u32, tag: u32) -> bool {
        self.open.get(&xid).is_some_and(|open| {
            let writes = open.write_tags.iter().flatten();
            open.read_tags.iter().chain(writes).chain(&open.reply_tag).any(|own| *own == tag)
        })
    }

    /// Ends every call because the connection is lost.
    pub(super) fn lose(&mut self, link: &mut Link<'_>) {
        let mut open: Vec<Open> = self.open.drain().map(|(_, open)| open).collect();
        open.sort_by_key(|open| open.handle);
        for open in open {
            self.ended.push_back((open.handle, Err(CallFailure::Lost)));
            close(open, link);
        }
        for (handle, _) in self.unsent.drain(..) {
            self.ended.push_back((handle, Err(CallFailure::Lost)));
        }
        self.granted = None;
    }
}

/// Returns a copy of the content of a call's write chunks, which stay registered.
fn copy(open: &Open, link: &mut Link<'_>) -> Vec<Vec<u8>> {
    let memory = link.streams.memory();
    let bytes = |tag: u32| memory.bytes(tag).map(<[u8]>::to_vec);
    open.write_tags.iter().map(|tag| tag.and_then(bytes).unwrap_or_default()).collect()
}

/// Deregisters all memory of a call, and returns the content of its write chunks.
fn close(open: Open, link: &mut Link<'_>) -> Vec<Vec<u8>> {
    for tag in open.read_tags.into_iter().chain(open.reply_tag) {
        link.withdraw(tag);
    }
    let written = open.write_tags.into_iter();
    written.map(|tag| tag.map(|tag| link.withdraw(tag)).unwrap_or_default()).collect()
}

/// A reply as received, with the content of write chunks kept separately.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReducedReply {
    /// The RPC message from the XID on, without the items that went by write chunks and without
    /// their round-up.
    pub bytes: Vec<u8>,
    /// The bytes of each write chunk that the call offered, in order; no bytes for a chunk that the responder
    /// did not use. Empty if the call offered none: then everything is in `bytes`.
    pub chunks: Vec<Vec<u8>>,
}

impl ReducedReply {
    /// Returns the complete reply if its only eligible item is the last: READ and READLINK of NFS version 3.
    pub fn whole_with_last(self) -> Vec<u8> {
        let Self { bytes: mut whole, chunks } = self;
        for chunk in chunks {
            whole.extend_from_slice(&chunk);
            whole.resize(super::compose::padded(whole.len()), 0);
        }
        whole
    }

    /// Returns the complete reply, with each item and its round-up put back. `places` are the bytes of the
    /// reduced message before each chunk's item, in ascending order. Returns `None` if there is no such
    /// place.
    pub fn whole(&self, places: &[usize]) -> Option<Vec<u8>> {
        let (mut whole, mut taken) = (Vec::new(), 0);
        for (place, chunk) in places.iter().zip(&self.chunks) {
            whole.extend_from_slice(self.bytes.get(taken..*place)?);
            whole.extend_from_slice(chunk);
            whole.resize(super::compose::padded(whole.len()), 0);
            taken = *place;
        }
        whole.extend_from_slice(self.bytes.get(taken..)?);
        Some(whole)
    }
}

/// Why a call failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CallFailure {
    /// ERR_VERS: the responder supports other versions of RPC-over-RDMA.
    #[error("the responder supports RPC-over-RDMA versions {low} to {high}, not 1")]
    Version {
        /// The lowest supported version.
        low: u32,
        /// The highest supported version.
        high: u32,
    },
    /// ERR_CHUNK: the responder could not use the header or its chunks.
    #[error("the responder could not use the call's header or chunks (ERR_CHUNK)")]
    Chunk,
    /// The message has no XID, or a waiting call has the same one.
    #[error("the call has no XID of its own")]
    Xid,
    /// It does not fit inline, and chunks do not help or cannot be used.
    #[error("the call or its reply does not fit inline, and chunks cannot carry it")]
    TooLong,
    /// No memory could be registered.
    #[error("no memory could be registered for the call's chunks")]
    Memory,
    /// The call was cancelled.
    #[error("the call was given up")]
    Cancelled,
    /// The connection ended before the reply.
    #[error("the connection ended before the reply")]
    Lost,
}

impl From<TransportError> for CallFailure {
    fn from(error: TransportError) -> Self {
        match error {
            TransportError::Version { low, high } => Self::Version { low, high },
            TransportError::Chunk => Self::Chunk,
        }
    }
}
