//! What a Send is: a call, a reply, an error, or something to refuse or to drop (RFC 8166
//! section 4.5).

use super::chunk::{addressable, read_chunks, total};
use super::config::RpcRdmaConfig;
use super::outgoing::error_header;
use super::payload::restorable;
use warpscope_peer::bug::{Bug, Bugs};
use warpscope_wire::rpcrdma::{
    Body, Chunks, FIXED_LENGTH, FixedView, Header, HeaderView, TransportError, VERSION,
};

/// The shortest header that is looked at (RFC 8166 section 4.5).
const SHORTEST: usize = 28;
/// The procedure word of RDMA_DONE and RDMA_ERROR.
const DONE: u32 = 3;
const ERROR: u32 = 4;
/// The second word of an RPC message (RFC 5531 section 9).
const CALL: u32 = 0;
const REPLY: u32 = 1;

/// Why a message was dropped without a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Discard {
    /// It is shorter than a header (RFC 8166 section 4.5).
    Short,
    /// It is an RDMA_DONE (RFC 8166 section 4.6.2).
    Done,
    /// It is an RDMA_ERROR that cannot be read, or for no call (RFC 8166 sections 4.2.4 and 4.5).
    Error,
    /// It is a reply whose header is wrong (RFC 8166 section 4.5).
    FaultyReply,
    /// It is a reply with the XID of no call that waits.
    UnknownXid,
    /// It is a call, and this end takes none (RFC 8167 section 6).
    Call,
}

/// A message with its chunk lists.
#[derive(Debug)]
pub(super) struct Message<'a> {
    pub(super) xid: u32,
    pub(super) credits: u32,
    pub(super) chunks: Chunks,
    /// The payload that is in the Send; none in an RDMA_NOMSG.
    pub(super) payload: Option<&'a [u8]>,
}

/// What a Send is.
#[derive(Debug)]
pub(super) enum Incoming<'a> {
    Call(Message<'a>),
    Reply(Message<'a>),
    /// An RDMA_ERROR for a call that waits.
    Failure {
        xid: u32,
        credits: u32,
        error: TransportError,
    },
    /// A call that is answered with this header.
    Refused(Header),
    Discarded(Discard),
}

/// What decides whether a message without an RPC header is a call or a reply.
pub(super) struct Context<'a> {
    pub(super) config: &'a RpcRdmaConfig,
    /// Whether a call of this end with that XID waits for its reply.
    pub(super) waits: &'a dyn Fn(u32) -> bool,
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|bytes| u32::from_be_bytes(*bytes))
}

impl Context<'_> {
    /// Judges a Send.
    pub(super) fn judge<'a>(&self, bytes: &'a [u8]) -> Incoming<'a> {
        let Ok((fixed, _)) = FixedView::parse(bytes) else {
            return Incoming::Discarded(Discard::Short);
        };
        let bugs = self.config.bugs;
        if fixed.procedure() == ERROR {
            return self.judge_error(&fixed, bytes);
        }
        if fixed.procedure() == DONE && (self.waits)(fixed.xid()) && bugs.has(Bug::RpcDoneEndsCall)
        {
            return failure(&fixed);
        }
        if bytes.len() < SHORTEST && !bugs.has(Bug::RpcShortAnswered) {
            return Incoming::Discarded(Discard::Short);
        }
        let parsed = HeaderView::parse(bytes).ok();
        let payload = parsed.as_ref().map(|(_, rest)| *rest);
        let is_reply = match payload.and_then(|payload| word(payload, 4)) {
            Some(CALL) => false,
            Some(REPLY) => true,
            // An RDMA_NOMSG has no RPC header, and what cannot be read may have none. Replies have
            // the XID of a call, and no read list.
            _ => (self.waits)(fixed.xid()) && !parsed.as_ref().is_some_and(|it| reads(&it.0)),
        };
        if fixed.version() == VERSION
            && fixed.procedure() == DONE
            && !bugs.has(Bug::RpcDoneAnswered)
        {
            return Incoming::Discarded(Discard::Done);
        }
        match is_reply {
            true => judge_reply(&fixed, parsed, bugs),
            false => self.judge_call(&fixed, parsed),
        }
    }

    /// An RDMA_ERROR answers a call of this end; any other is dropped.
    fn judge_error<'a>(&self, fixed: &FixedView<'_>, bytes: &[u8]) -> Incoming<'a> {
        let (bugs, dropped) = (self.config.bugs, || Incoming::Discarded(Discard::Error));
        let Ok((view, rest)) = HeaderView::parse(bytes) else {
            let taken = (self.waits)(fixed.xid()) && bugs.has(Bug::RpcFaultyErrorTaken);
            return if taken { failure(fixed) } else { dropped() };
        };
        // It has the version of the call that it answers.
        let right = view.version() == VERSION && rest.is_empty();
        let (xid, credits) = (view.xid(), view.credits());
        match view.body {
            Body::Error(TransportError::Chunk) if bugs.has(Bug::RpcErrorChunkUnknown) => dropped(),
            Body::Error(error) if right && (self.waits)(xid) => {
                Incoming::Failure { xid, credits, error }
            }
            _ if bugs.has(Bug::RpcErrorAnswered) => {
                Incoming::Refused(error_header(self.config, xid, VERSION, TransportError::Chunk))
            }
            _ => dropped(),
        }
    }

    fn judge_call<'a>(
        &self,
        fixed: &FixedView<'_>,
        parsed: Option<(HeaderView<'a>, &'a [u8])>,
    ) -> Incoming<'a> {
        let config = self.config;
        if config.credits_granted == 0 {
            return Incoming::Discarded(Discard::Call);
        }
        let (xid, version) = (fixed.xid(), fixed.version());
        let refuse = |error| Incoming::Refused(error_header(config, xid, version, error));
        if version != VERSION && !config.bugs.has(Bug::RpcVersionUnchecked) {
            return refuse(TransportError::Version { low: VERSION, high: VERSION });
        }
        let call = parsed.and_then(|(view, rest)| message(view, rest, config.bugs));
        match call.filter(|call| usable(call, self.config)) {
            Some(call) => Incoming::Call(call),
            None => refuse(TransportError::Chunk),
        }
    }
}

/// The end of the call with this XID, as if an ERR_CHUNK had come.
fn failure<'a>(fixed: &FixedView<'_>) -> Incoming<'a> {
    let (xid, credits) = (fixed.xid(), fixed.credits());
    Incoming::Failure { xid, credits, error: TransportError::Chunk }
}

fn reads(view: &HeaderView<'_>) -> bool {
    view.body.chunks().is_some_and(|chunks| !chunks.reads.is_empty())
}

/// Whether an RPC message has the XID of its header (RFC 8166 section 4.2.1).
pub(super) fn belongs(message: &[u8], xid: u32, bugs: Bugs) -> bool {
    word(message, 0) == Some(xid) || bugs.has(Bug::RpcXidUnchecked)
}

/// An RDMA_MSG or RDMA_NOMSG whose payload is where it belongs, with the XID of the header.
fn message<'a>(view: HeaderView<'_>, rest: &'a [u8], bugs: Bugs) -> Option<Message<'a>> {
    let (xid, credits) = (view.xid(), view.credits());
    let matches = belongs(rest, xid, bugs);
    match view.body {
        Body::Message(chunks) if matches && rest.len() >= 8 => {
            Some(Message { xid, credits, chunks, payload: Some(rest) })
        }
        Body::MessagePadded { chunks, .. } if matches && bugs.has(Bug::RpcPaddedAnswered) => {
            Some(Message { xid, credits, chunks, payload: Some(rest) })
        }
        Body::NoMessage(chunks) if rest.is_empty() => {
            Some(Message { xid, credits, chunks, payload: None })
        }
        _ => None,
    }
}

/// A reply whose header is wrong is dropped (RFC 8166 section 4.5). Its chunks are compared with the
/// call's by whoever has these.
fn judge_reply<'a>(
    fixed: &FixedView<'_>,
    parsed: Option<(HeaderView<'a>, &'a [u8])>,
    bugs: Bugs,
) -> Incoming<'a> {
    let right = parsed.filter(|_| fixed.version() == VERSION);
    let reply = right.and_then(|(view, rest)| message(view, rest, bugs));
    match reply.filter(|reply| reply.chunks.reads.is_empty()) {
        Some(reply) => Incoming::Reply(reply),
        None if bugs.has(Bug::RpcFaultyReplyTaken) => failure(fixed),
        None => Incoming::Discarded(Discard::FaultyReply),
    }
}

/// Whether the chunks of a call can be used: those that are read have a place each, and not too many
/// bytes; an RDMA_NOMSG is in a chunk of position 0, and an RDMA_MSG in none.
fn usable(call: &Message<'_>, config: &RpcRdmaConfig) -> bool {
    let chunks = &call.chunks;
    let taken = config.takes_chunks || config.bugs.has(Bug::RpcBackwardChunksTaken);
    if !chunks.is_empty() && !taken {
        return false;
    }
    let reads = read_chunks(&chunks.reads);
    let bytes = reads.iter().fold(0, |sum: u64, (_, chunk)| sum.saturating_add(total(chunk)));
    let inline = call.payload.map_or(0, <[u8]>::len) as u64;
    if bytes.saturating_add(inline) > u64::from(config.longest_call)
        || !addressable(chunks)
        || reads.iter().any(|(position, _)| !position.is_multiple_of(4))
    {
        return false;
    }
    let lengths = |reads: &[(u32, Vec<_>)]| -> Vec<(u32, u64)> {
        reads.iter().map(|(position, chunk)| (*position, total(chunk))).collect()
    };
    match (call.payload, reads.split_first()) {
        (Some(_), Some(((0, _), _))) => false,
        (Some(payload), _) => restorable(payload.len(), lengths(&reads).into_iter()),
        (None, Some(((0, stem), items))) => {
            let stem = total(stem) as usize;
            stem >= 8 && restorable(stem, lengths(items).into_iter())
        }
        (None, _) => false,
    }
}

const _: () = assert!(FIXED_LENGTH < SHORTEST);
