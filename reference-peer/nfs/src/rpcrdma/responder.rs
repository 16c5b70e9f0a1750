//! Calls of the peer: pulls read chunks, has the call answered, and places the reply (RFC 8166 sections
//! 3.4.5, 3.4.6 and 4.3).

use super::compose::{
    addressable, emit, emit_message, filled, handles, padded, read_chunks, reduce, restorable,
    restore, total, unused,
};
use super::config::RpcRdmaConfig;
use super::end::Link;
use crate::rpc::{Answer, RpcMessage};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::ops::Range;
use warpscope_peer::bug::{Bug, Bugs};
use warpscope_peer::variant::Variant;
use warpscope_wire::rpc::{Auth, Reply, ReplyBody, RpcView};
use warpscope_wire::rpcrdma::{
    Body, Chunks, FIXED_LENGTH, FixedView, Header, HeaderView, Segment, TransportError, VERSION,
};
use warpscope_wire::{Writer, rpc};

/// The accept status GARBAGE_ARGS (RFC 5531 section 9).
const GARBAGE_ARGS: u32 = 4;

/// A chunk that is being pulled: its position and its sink.
#[derive(Debug)]
struct Sink {
    position: u32,
    tag: u32,
}

/// A call whose chunks are being pulled.
#[derive(Debug)]
struct Pull {
    xid: u32,
    chunks: Chunks,
    /// The payload of the Send.
    payload: Option<Vec<u8>>,
    sinks: Vec<Sink>,
    /// The number of Reads that are not complete.
    left: usize,
}

/// Calls that are being pulled.
#[derive(Debug, Default)]
pub(super) struct Responder {
    /// The Steering Tags that each call offers that the end holds back, oldest call first.
    pub(super) held: VecDeque<Vec<u32>>,
    pulls: BTreeMap<u64, Pull>,
    next_pull: u64,
    /// The pull that each Read belongs to.
    reads: HashMap<u64, u64>,
    next_read: u64,
}

struct CompleteCall<'a> {
    xid: u32,
    bytes: &'a [u8],
    /// The items from read chunks at positions other than 0.
    items: Vec<Range<usize>>,
    chunks: &'a Chunks,
}

impl Responder {
    /// Returns how many calls are being pulled.
    pub(super) fn pulling(&self) -> usize {
        self.pulls.len()
    }

    /// Returns the total bytes of the sinks of all pulls.
    pub(super) fn sinks(&self) -> usize {
        let of = |pull: &Pull| pull.chunks.reads.iter().map(|it| it.target.length as usize).sum();
        self.pulls.values().map(of).fold(0, usize::saturating_add)
    }

    /// Accepts a call, and returns its reply unless chunks must be pulled first.
    pub(super) fn call(
        &mut self,
        call: Message<'_>,
        link: &mut Link<'_>,
        answer: &mut dyn Answer,
    ) -> Option<Outgoing> {
        if call.chunks.reads.is_empty() {
            let bytes = call.payload.unwrap_or(&[]);
            let whole =
                CompleteCall { xid: call.xid, bytes, items: Vec::new(), chunks: &call.chunks };
            return Some(self.answer(&whole, link, answer));
        }
        let number = self.next_pull;
        self.next_pull += 1;
        let payload = call.payload.map(<[u8]>::to_vec);
        let (xid, chunks) = (call.xid, call.chunks);
        let mut pull = Pull { xid, chunks, payload, sinks: Vec::new(), left: 0 };
        let refuses = pull.payload.is_none() && link.config.bugs.has(Bug::RpcLongCallRefused);
        let asked = match refuses {
            true => None,
            false => self.pull(&mut pull, number, link),
        };
        if asked.is_none() {
            // Memory or Reads are not available. A Read that is already in progress has nothing to fill.
            self.reads.retain(|_, of| *of != number);
            discard(pull, link);
            return Some(refusal(xid, &link.config));
        }
        if pull.left == 0 {
            return Some(self.pulled(pull, link, answer));
        }
        self.pulls.insert(number, pull);
        None
    }

    /// Requests the bytes of all read chunks.
    fn pull(&mut self, pull: &mut Pull, number: u64, link: &mut Link<'_>) -> Option<()> {
        let chunks = read_chunks(&pull.chunks.reads);
        // Registers all memory first, because a Read must find its sink.
        for (position, segments) in &chunks {
            // Not longer than the longest call, as checked before.
            let tag = link.sink(total(segments) as usize)?;
            pull.sinks.push(Sink { position: *position, tag });
        }
        let tags: Vec<u32> = pull.sinks.iter().map(|sink| sink.tag).collect();
        for ((_, mut segments), tag) in chunks.into_iter().zip(tags) {
            link.config.bugs.when(Bug::RpcSegmentsReversed, || segments.reverse());
            let mut offset = 0;
            let most = match link.config.variants.has(Variant::RpcReadsInPieces) {
                true => PIECE,
                false => u32::MAX,
            };
            for segment in segments.iter().flat_map(|segment| pieces(*segment, most)) {
                let segment = &segment;
                let read = self.next_read;
                self.next_read += 1;
                link.read(read, segment, tag, offset).ok()?;
                self.reads.insert(read, number);
                pull.left += 1;
                offset += u64::from(segment.length);
            }
        }
        Some(())
    }

    /// Handles the completion of a Read. Returns the reply if it was the last Read of its call.
    pub(super) fn read(
        &mut self,
        read: u64,
        well: bool,
        link: &mut Link<'_>,
        answer: &mut dyn Answer,
    ) -> Option<Outgoing> {
        let number = self.reads.remove(&read)?;
        let pull = self.pulls.get_mut(&number)?;
        pull.left -= 1;
        if well && pull.left > 0 {
            return None;
        }
        let pull = self.pulls.remove(&number)?;
        if !well {
            // The connection is ending: nobody waits for a reply.
            discard(pull, link);
            return None;
        }
        Some(self.pulled(pull, link, answer))
    }

    /// Assembles a call whose chunks are complete, and answers it.
    fn pulled(&mut self, pull: Pull, link: &mut Link<'_>, answer: &mut dyn Answer) -> Outgoing {
        let Pull { xid, chunks, payload, sinks, .. } = pull;
        let mut items: Vec<(u32, Vec<u8>)> =
            sinks.iter().map(|sink| (sink.position, link.withdraw(sink.tag))).collect();
        let stem = match payload {
            Some(payload) => payload,
            None if items.is_empty() => Vec::new(),
            None => items.remove(0).1,
        };
        let places = items.iter().map(|(position, bytes)| {
            let start = *position as usize;
            start..start + bytes.len()
        });
        let places = places.collect();
        let Some(bytes) = restore(&stem, &items, link.config.bugs) else {
            return refusal(xid, &link.config);
        };
        let whole = CompleteCall { xid, bytes: &bytes, items: places, chunks: &chunks };
        self.answer(&whole, link, answer)
    }

    fn answer(
        &self,
        call: &CompleteCall<'_>,
        link: &Link<'_>,
        answer: &mut dyn Answer,
    ) -> Outgoing {
        let CompleteCall { xid, bytes, items, chunks } = call;
        if !belongs(bytes, *xid, link.config.bugs) || bytes.get(4..8) != Some(&CALL.to_be_bytes()) {
            return refusal(*xid, &link.config);
        }
        let bugs = link.config.bugs;
        let mut reply = match items.iter().all(|item| eligible(bytes, item, answer, bugs)) {
            true => answer.answer_on(link.number, bytes),
            false => garbage(*xid),
        };
        // In a SUCCESS reply, all bytes between type and results are zero.
        let refused = reply.bytes.get(8..24).is_none_or(|says| says.iter().any(|it| *it != 0));
        if refused && bugs.has(Bug::RpcRefusalsAsErrors) {
            return refusal(*xid, &link.config);
        }
        if reply.bytes.first_chunk::<4>() != bytes.first_chunk() {
            // There is no reply to this call, but the requester must not wait forever.
            return refusal(*xid, &link.config);
        }
        if let Some(kind) = reply.bytes.get_mut(4..8)
            && bugs.has(Bug::RpcReplySaysCall)
        {
            kind.fill(0);
        }
        let agreed = link.thresholds.remote_invalidation || bugs.has(Bug::RpcInvalidateUnagreed);
        let variants = link.config.variants;
        let free = |handle: &u32| {
            // A tag that another call also offers must not be invalidated (RFC 8797 section 4.1).
            let pulled = self.pulls.values().flat_map(|pull| handles(&pull.chunks));
            let mut others = pulled.chain(self.held.iter().flatten().copied());
            agreed && !others.any(|other| other == *handle)
        };
        let mut invalidate = match variants.has(Variant::RpcInvalidatesLast) {
            true => handles(chunks).filter(free).last(),
            false => handles(chunks).find(free),
        };
        variants.when(Variant::RpcInvalidatesNothing, || invalidate = None);
        bugs.when(Bug::RpcInvalidateOther, || invalidate = invalidate.map(|handle| handle ^ 1));
        let mut outgoing = respond(*xid, &reply, chunks, &link.config, link.thresholds.send);
        outgoing.invalidate = invalidate.filter(|_| outgoing.replies);
        outgoing
    }

    /// Drops all calls because the connection is lost.
    pub(super) fn lose(&mut self, link: &mut Link<'_>) {
        self.held.clear();
        self.reads.clear();
        for (_, pull) in std::mem::take(&mut self.pulls) {
            discard(pull, link);
        }
    }
}

fn discard(pull: Pull, link: &mut Link<'_>) {
    for sink in pull.sinks {
        link.withdraw(sink.tag);
    }
}

/// Whether an argument may have come by a chunk: no part of the RPC header may, and only arguments that the
/// program's binding lists (RFC 8166 section 6.1).
fn eligible(call: &[u8], item: &Range<usize>, answer: &dyn Answer, bugs: Bugs) -> bool {
    if bugs.has(Bug::RpcAnythingTakenOut) {
        return true;
    }
    let header = RpcView::parse(call).map_or(usize::MAX, |(_, rest)| call.len() - rest.len());
    item.is_empty() || (item.start >= header && answer.may_take_out(call, item.clone()))
}

/// Returns the reply to a call from which something was removed that is not eligible (RFC 8166 sections 6.1
/// and 4.5.2).
fn garbage(xid: u32) -> RpcMessage {
    let (verifier, mismatch) = (Auth::default(), None);
    let body = ReplyBody::Accepted { verifier, accept_status: GARBAGE_ARGS, mismatch };
    let mut bytes = vec![0; 24];
    match rpc::Reply::new(xid, body) {
        Ok(reply) => Reply::emit(&reply, &mut Writer::new(&mut bytes)),
        Err(_) => bytes.clear(),
    }
    RpcMessage::plain(bytes)
}

// Classifying a Send: a call, a reply, an error, or a message to refuse or drop (RFC 8166 section 4.5).

/// The shortest header that is examined (RFC 8166 section 4.5).
const SHORTEST: usize = 28;
/// The procedure words of RDMA_DONE and RDMA_ERROR.
const DONE: u32 = 3;
const ERROR: u32 = 4;
/// The values of the second word of an RPC message (RFC 5531 section 9).
const CALL: u32 = 0;
const REPLY: u32 = 1;

/// Why a message was silently dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Discard {
    /// It is shorter than a header (RFC 8166 section 4.5).
    Short,
    /// It is an RDMA_DONE (RFC 8166 section 4.6.2).
    Done,
    /// It is an RDMA_ERROR that is malformed, or for no call (RFC 8166 sections 4.2.4 and 4.5).
    Error,
    /// It is a reply whose header is wrong (RFC 8166 section 4.5).
    FaultyReply,
    /// It is a reply whose XID belongs to no waiting call.
    UnknownXid,
    /// It is a call, and this end accepts none (RFC 8167 section 6).
    Call,
}

/// A message with its chunk lists.
#[derive(Debug)]
pub(super) struct Message<'a> {
    pub(super) xid: u32,
    pub(super) credits: u32,
    pub(super) chunks: Chunks,
    /// The payload in the Send; `None` in an RDMA_NOMSG.
    pub(super) payload: Option<&'a [u8]>,
}

/// The classification of a Send.
#[derive(Debug)]
pub(super) enum Incoming<'a> {
    Call(Message<'a>),
    Reply(Message<'a>),
    /// An RDMA_ERROR for a waiting call.
    Failure {
        xid: u32,
        credits: u32,
        error: TransportError,
    },
    /// A call that is answered with this error header.
    Refused(Header),
    Discarded(Discard),
}

/// The context that decides whether a message without an RPC header is a call or a reply.
pub(super) struct Context<'a> {
    pub(super) config: &'a RpcRdmaConfig,
    /// Whether a call of this end with this XID waits for its reply.
    pub(super) waits: &'a dyn Fn(u32) -> bool,
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|bytes| u32::from_be_bytes(*bytes))
}

impl Context<'_> {
    /// Classifies a Send.
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
            // An RDMA_NOMSG has no RPC header, and an unparsable message may have none. A reply has the XID
            // of a call, and no read list.
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

    /// Classifies an RDMA_ERROR: it answers a call of this end, or is dropped.
    fn judge_error<'a>(&self, fixed: &FixedView<'_>, bytes: &[u8]) -> Incoming<'a> {
        let (bugs, dropped) = (self.config.bugs, || Incoming::Discarded(Discard::Error));
        let Ok((view, rest)) = HeaderView::parse(bytes) else {
            let taken = (self.waits)(fixed.xid()) && bugs.has(Bug::RpcFaultyErrorTaken);
            return if taken { failure(fixed) } else { dropped() };
        };
        // It must have the version of the call that it answers.
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
        let refuse = || Incoming::Refused(refusal_header(fixed, config));
        if version_of(fixed, config) != VERSION {
            return refuse();
        }
        let call = parsed.and_then(|(view, rest)| message(view, rest, config.bugs));
        match call.filter(|call| usable(call, self.config)) {
            Some(call) => Incoming::Call(call),
            None => refuse(),
        }
    }
}

/// Ends the call with this XID as if an ERR_CHUNK had come.
fn failure<'a>(fixed: &FixedView<'_>) -> Incoming<'a> {
    let (xid, credits) = (fixed.xid(), fixed.credits());
    Incoming::Failure { xid, credits, error: TransportError::Chunk }
}

fn reads(view: &HeaderView<'_>) -> bool {
    view.body.chunks().is_some_and(|chunks| !chunks.reads.is_empty())
}

/// Whether the XID of an RPC message is that of its header (RFC 8166 section 4.2.1).
pub(super) fn belongs(message: &[u8], xid: u32, bugs: Bugs) -> bool {
    word(message, 0) == Some(xid) || bugs.has(Bug::RpcXidUnchecked)
}

/// Returns an RDMA_MSG or RDMA_NOMSG whose payload is in the right place, with the XID of the header.
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

/// Classifies a reply: one with a faulty header is dropped (RFC 8166 section 4.5). The caller compares its
/// chunks with those of the call.
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

/// Whether the chunks of a call can be used: each read chunk has a valid position, and together they are not
/// too long; an RDMA_NOMSG has a chunk of position 0, and an RDMA_MSG has none.
fn usable(call: &Message<'_>, config: &RpcRdmaConfig) -> bool {
    let chunks = &call.chunks;
    let taken = config.takes_chunks || config.variants.has(Variant::RpcBackwardChunksTaken);
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

// Placing a reply: write chunks, inline, or the reply chunk (RFC 8166 sections 3.5.3 and 4.3).

/// The answer to a call: Writes, then one Send.
#[derive(Debug, Default)]
pub(super) struct Outgoing {
    pub(super) writes: Vec<(Segment, Vec<u8>)>,
    pub(super) bytes: Vec<u8>,
    pub(super) invalidate: Option<u32>,
    /// Whether it is a reply, not an RDMA_ERROR.
    pub(super) replies: bool,
}

/// Bytes per Read or Write of [`Variant::RpcReadsInPieces`] and [`Variant::RpcWritesInPieces`].
const PIECE: u32 = 256;

/// Divides a segment into pieces of at most `most` bytes; an empty segment has none.
fn pieces(segment: Segment, most: u32) -> impl Iterator<Item = Segment> {
    (0..segment.length.div_ceil(most)).map(move |number| {
        let before = number * most;
        let offset = segment.offset.wrapping_add(before.into());
        Segment { length: (segment.length - before).min(most), offset, ..segment }
    })
}

impl Outgoing {
    /// Creates an answer that consists of a header only.
    pub(super) fn error(header: &Header) -> Self {
        Self { bytes: emit(header, &[]), ..Self::default() }
    }

    /// Writes bytes into a chunk, and returns its segments for the reply. `None` if there is not enough room.
    fn fill(
        &mut self,
        offered: &[Segment],
        bytes: &[u8],
        config: &RpcRdmaConfig,
    ) -> Option<Vec<Segment>> {
        let in_pieces = config.variants.has(Variant::RpcWritesInPieces);
        let most = if in_pieces { PIECE } else { u32::MAX };
        let Some(segments) = filled(offered, bytes.len()) else {
            let first = offered.first().filter(|_| config.bugs.has(Bug::RpcRoomUnchecked))?;
            self.writes.push((*first, bytes.to_vec()));
            return Some(offered.to_vec());
        };
        if let Some(first) = offered.first()
            && config.bugs.has(Bug::RpcWriteOverrun)
        {
            self.writes.push((*first, bytes.to_vec()));
            return Some(segments);
        }
        let mut rest = bytes;
        for segment in segments.iter().flat_map(|segment| pieces(*segment, most)) {
            let (now, later) = rest.split_at_checked(segment.length as usize)?;
            self.writes.push((segment, now.to_vec()));
            rest = later;
        }
        Some(segments)
    }
}

/// Returns the header of an RDMA_ERROR (RFC 8166 section 4.5).
pub(super) fn error_header(
    config: &RpcRdmaConfig,
    xid: u32,
    version: u32,
    error: TransportError,
) -> Header {
    let bugs = config.bugs;
    let xid = if bugs.has(Bug::RpcErrorXid) { !xid } else { xid };
    let sent = if bugs.has(Bug::RpcErrorVersion) { VERSION } else { version };
    let error = match error {
        TransportError::Version { low, .. } if bugs.has(Bug::RpcErrorRange) => {
            TransportError::Version { low, high: version.max(low) }
        }
        TransportError::Chunk if bugs.has(Bug::RpcErrorKind) => {
            TransportError::Version { low: VERSION, high: VERSION }
        }
        right => right,
    };
    Header::error(xid, sent, config.credits_granted, error)
}

/// Returns the version that a message is treated as.
fn version_of(fixed: &FixedView<'_>, config: &RpcRdmaConfig) -> u32 {
    if config.bugs.has(Bug::RpcVersionUnchecked) { VERSION } else { fixed.version() }
}

/// Returns the header that refuses an unusable message: ERR_VERS if its version differs, otherwise ERR_CHUNK.
pub(super) fn refusal_header(fixed: &FixedView<'_>, config: &RpcRdmaConfig) -> Header {
    let error = match version_of(fixed, config) {
        VERSION => TransportError::Chunk,
        _ => TransportError::Version { low: VERSION, high: VERSION },
    };
    error_header(config, fixed.xid(), fixed.version(), error)
}

/// Returns ERR_CHUNK for a call of version 1.
pub(super) fn refusal(xid: u32, config: &RpcRdmaConfig) -> Outgoing {
    Outgoing::error(&error_header(config, xid, VERSION, TransportError::Chunk))
}

/// Returns the reply to these chunks, inline in up to `longest` bytes; ERR_CHUNK if it fits nowhere.
pub(super) fn respond(
    xid: u32,
    reply: &RpcMessage,
    offered: &Chunks,
    config: &RpcRdmaConfig,
    longest: usize,
) -> Outgoing {
    place(xid, reply, offered, config, longest).unwrap_or_else(|| refusal(xid, config))
}

fn place(
    xid: u32,
    reply: &RpcMessage,
    offered: &Chunks,
    config: &RpcRdmaConfig,
    longest: usize,
) -> Option<Outgoing> {
    let mut outgoing = Outgoing { replies: true, ..Outgoing::default() };
    let mut chunks = Chunks::default();
    let (bugs, mut moved): (_, Vec<Range<usize>>) = (config.bugs, Vec::new());
    let mut eligible: Vec<&Range<usize>> = reply.eligible.iter().collect();
    let backwards = bugs.has(Bug::RpcWriteChunksBackwards);
    let mut writes: Vec<&Vec<Segment>> = offered.writes.iter().collect();
    if backwards {
        writes.reverse();
    }
    bugs.when(Bug::RpcResultsInline, || eligible.clear());
    let mut results = eligible.into_iter();
    for chunk in writes {
        // Each result has its chunk; if that chunk is empty, the result stays inline (RFC 8166 section
        // 4.3.2.3). A chunk without a result is returned unused.
        let skips = chunk.is_empty() && bugs.has(Bug::RpcEmptyChunkSkipped);
        let result = if skips { None } else { results.next() };
        let returned = match result.filter(|_| !chunk.is_empty()) {
            Some(result) => {
                let end = match bugs.has(Bug::RpcWritePadding) {
                    true => padded(result.end).min(reply.bytes.len()),
                    false => result.end,
                };
                moved.push(result.clone());
                outgoing.fill(chunk, reply.bytes.get(result.start..end)?, config)?
            }
            None => {
                let room = total(chunk).min(64) as usize;
                if room > 0 && config.variants.has(Variant::RpcUnusedChunksWritten) {
                    outgoing.fill(chunk, &vec![0x5a; room], config)?;
                }
                unused(chunk)
            }
        };
        chunks.writes.push(if bugs.has(Bug::RpcLengthsKept) { chunk.clone() } else { returned });
    }
    moved.sort_by_key(|item| item.start);
    if backwards {
        chunks.writes.reverse();
    }
    bugs.when(Bug::RpcWriteListDropped, || chunks.writes.clear());
    chunks.reply = offered.reply.as_deref().map(unused);
    bugs.when(Bug::RpcReplyChunkDropped, || chunks.reply = None);
    bugs.when(Bug::RpcReadListReturned, || chunks.reads.clone_from(&offered.reads));
    let payload = reduce(&reply.bytes, &moved, bugs);
    let unlimited = bugs.has(Bug::RpcLongReplyInline);
    let fits = |length: usize| length <= longest || unlimited;
    let room = offered.reply.as_deref().map_or(0, total) >= payload.len() as u64;
    let by_chunk = room && config.variants.has(Variant::RpcReplyChunks);
    let inline = fits(FIXED_LENGTH + chunks.length() + payload.len()) && !by_chunk;
    if !inline {
        let chunk = offered.reply.as_deref().filter(|_| fits(FIXED_LENGTH + chunks.length()))?;
        chunks.reply = Some(outgoing.fill(chunk, &payload, config)?);
    }
    let body = if inline { Body::Message(chunks) } else { Body::NoMessage(chunks) };
    let header = Header::new(xid, config.credits_granted, body).ok()?;
    outgoing.bytes = emit_message(&header, if inline { &payload } else { &[] }, bugs);
    if let Some(credits) = outgoing.bytes.get_mut(8..12)
        && bugs.has(Bug::RpcCreditsZero)
    {
        credits.fill(0);
    }
    Some(outgoing)
}
