//! Rules of calls and replies: matching, credits, errors, remote invalidation.

use super::message::{self, Kind};
use crate::item::ItemContext;
use crate::message::{Completed, SegmentItem, Transport};
use crate::mpa::{RdmaPrivateSeen, Side};
use crate::operation::Region;
use crate::rules::catalogue::rpc::WRAPPED;
use crate::rules::catalogue::rpc_exchange::{
    CREDITS, CREDITS_FIRST, ERROR_RANGE, ERROR_SENDER, ERROR_VERSION, ERROR_XID, INVALIDATE,
    INVALIDATE_UNAGREED, REPLY_UNKNOWN,
};
use crate::rules::judge::{Reporter, finding};
use crate::rules::rule::Finding;
use crate::rules::state::ConnectionState;
use std::collections::VecDeque;
use warpscope_wire::ddp::HeaderView;
use warpscope_wire::rdmap::Message;
use warpscope_wire::rpcrdma::{Body, Chunks, Segment, TransportError};

/// The second word of an RPC message that is a reply (RFC 5531 §9).
const REPLY: [u8; 4] = [0, 0, 0, 1];

/// Judges a segment: what it writes, and the message that it completes.
pub(in crate::rules) fn segment(
    state: &mut ConnectionState,
    item: &SegmentItem<'_>,
    report: &mut Reporter<'_>,
) {
    let (side, fpdu) = (report.context.side, item.fpdu);
    state.rpc.suspicions.seen(side, fpdu.stream_offset + fpdu.stream_length as u64);
    if item.message == Some(Message::Write) {
        message::write(state, item.number, report);
    }
    message(state, item, report);
    let whole = state.side(side).whole;
    state.rpc.suspicions.arrived(side, None, whole, report.findings);
}

/// Judges the message that a segment completes.
fn message(state: &mut ConnectionState, item: &SegmentItem<'_>, report: &mut Reporter<'_>) {
    let Some(completed) = &item.completed else { return };
    if !completed.whole || completed.length == 0 || !item.message.is_some_and(Message::is_send) {
        return;
    }
    let Some(transport) = &completed.transport else {
        if state.rpc.proven {
            message::unreadable(completed.bytes, report);
            unreadable(state, completed, report);
        } else {
            // Until RPC-over-RDMA is proven, a wrong call looks like anything.
            state.rpc.caller(report.context.side).forgot = true;
        }
        return;
    };
    if !transport.supported() {
        message::other_version(transport, report);
        unreadable(state, completed, report);
        return;
    }
    let kind = kind(state, report.context, transport);
    message::judge_header(transport, kind, report);
    message::judge_inline(state, completed.length, report);
    let peer = report.context.side.peer();
    let answered = match kind {
        Kind::Call => {
            call(state, transport, report);
            None
        }
        Kind::Reply => {
            let credits = transport.header.credits();
            let call = answer(state, transport, report);
            let end = state.side(report.context.side).end;
            state.rpc.caller(peer).grant(credits, end);
            if let (Some(call), Some(chunks)) = (&call, transport.header.body.chunks()) {
                message::returned(&call.chunks, chunks, report);
                let used = chunks.writes.iter().any(|chunk| message::total(chunk) > 0);
                if call.wrapped && used {
                    let explanation =
                        "The reply to a call with RPCSEC_GSS integrity or privacy has \
                                       bytes in a write chunk."
                            .to_owned();
                    report.broken(&WRAPPED, explanation);
                }
            }
            state.rpc.proven |= call.is_some();
            call
        }
        Kind::Error => {
            let call = answer(state, transport, report);
            error(transport, call.as_ref(), report);
            call
        }
        Kind::Other => None,
    };
    if item.message.is_some_and(Message::may_invalidate)
        && let Ok(HeaderView::Untagged(view)) = &item.header
    {
        invalidate(state, view.rsvd_ulp_word(), kind, answered.as_ref(), report);
    }
}

/// Returns what a message is. An RDMA_NOMSG does not say it: replies have no read list, and answer a call.
fn kind(state: &mut ConnectionState, context: &ItemContext<'_>, transport: &Transport<'_>) -> Kind {
    match &transport.header.body {
        Body::Done => Kind::Other,
        Body::Error(_) => Kind::Error,
        Body::Message(_) | Body::MessagePadded { .. } => {
            if transport.rest.get(4..8) == Some(&REPLY) { Kind::Reply } else { Kind::Call }
        }
        Body::NoMessage(chunks) => {
            let xid = transport.header.xid();
            let waits = state.rpc.caller(context.side.peer()).open.iter().any(|it| it.xid == xid);
            let calls = context.negotiation.initiator() == Some(context.side);
            let zero = chunks.reads.iter().any(|read| read.position == 0);
            match waits {
                true if !zero => Kind::Reply,
                _ if !chunks.reads.is_empty() || calls => Kind::Call,
                _ => Kind::Reply,
            }
        }
    }
}

/// Returns true if both directions were captured without a gap from their beginnings, and every call is
/// remembered.
fn all_seen(state: &mut ConnectionState, caller: Side) -> bool {
    state.sides.iter().all(|side| side.whole) && !state.rpc.caller(caller).forgot
}

fn call(state: &mut ConnectionState, transport: &Transport<'_>, report: &mut Reporter<'_>) {
    let side = report.context.side;
    let header = &transport.header;
    // A reply that the call's segment acknowledges may have granted more.
    let judged = all_seen(state, side) && state.rpc.suspicions.in_step(side.peer());
    let mut call = OpenCall {
        xid: header.xid(),
        version: header.version(),
        frame: report.place.frame,
        chunks: header.body.chunks().cloned().unwrap_or_default(),
        wrapped: false,
        late: false,
    };
    let whole = state.side(side).whole;
    let suspicions = &mut state.rpc.suspicions;
    let (answered, used) = suspicions.arrived(side, Some(&call), whole, report.findings);
    if answered {
        return;
    }
    call.late = used;
    let caller = state.rpc.caller(side);
    let (waiting, limit) = (caller.open.len(), caller.limit(report.facts.acknowledged));
    if judged && let Some(first) = caller.open.front() {
        match limit {
            None => {
                let explanation = format!(
                    "A call while the one in frame {} has no reply: no reply has granted a second \
                     credit yet.",
                    first.frame
                );
                report.broken(&CREDITS_FIRST, explanation);
            }
            Some(limit) if waiting as u64 >= u64::from(limit.max(1)) => {
                let explanation =
                    format!("{} calls without a reply, with {limit} credits granted.", waiting + 1);
                report.broken(&CREDITS, explanation);
            }
            Some(_) => {}
        }
    }
    caller.call(call);
}

/// Remembers an unreadable Send as a call, unless it has the XID of one: an RDMA_ERROR may answer it.
fn unreadable(state: &mut ConnectionState, completed: &Completed<'_>, report: &Reporter<'_>) {
    let side = report.context.side;
    let Some((xid, rest)) = completed.bytes.split_first_chunk::<4>() else { return };
    let xid = u32::from_be_bytes(*xid);
    if state.rpc.caller(side.peer()).open.iter().any(|call| call.xid == xid) {
        return;
    }
    let version = rest.first_chunk::<4>().map_or(0, |word| u32::from_be_bytes(*word));
    let (frame, chunks) = (report.place.frame, Chunks::default());
    state.rpc.caller(side).call(OpenCall {
        xid,
        version,
        frame,
        chunks,
        wrapped: false,
        late: false,
    });
}

/// Removes the call that a reply or RDMA_ERROR answers, and returns it.
fn answer(
    state: &mut ConnectionState,
    transport: &Transport<'_>,
    report: &mut Reporter<'_>,
) -> Option<OpenCall> {
    let context = report.context;
    let caller = context.side.peer();
    let xid = transport.header.xid();
    let answered = state.rpc.caller(caller).answered(xid);
    state.rpc.late = answered.as_ref().is_some_and(|call| call.late);
    if answered.is_some() || !all_seen(state, caller) {
        return answered;
    }
    let waiting = state.rpc.caller(caller).open.len();
    let calls = match waiting {
        0 => "no call is waiting".to_owned(),
        1 => "the only waiting call has a different XID".to_owned(),
        _ => format!("none of the {waiting} waiting calls has this XID"),
    };
    let initiator = context.negotiation.initiator();
    let (rule, name) = match &transport.header.body {
        Body::Error(_) if initiator == Some(context.side) => (&ERROR_SENDER, "An RDMA_ERROR"),
        Body::Error(_) => (&ERROR_XID, "An RDMA_ERROR"),
        _ => (&REPLY_UNKNOWN, "A reply"),
    };
    let finding = finding(rule, report.place, format!("{name} with XID 0x{xid:08x}: {calls}."));
    let awaited = Awaited::Xid(xid);
    state.rpc.suspicions.suspect(caller, awaited, finding, report.findings);
    None
}

fn error(transport: &Transport<'_>, call: Option<&OpenCall>, report: &mut Reporter<'_>) {
    let header = &transport.header;
    if let Some(call) = call
        && call.version != header.version()
    {
        let explanation = format!(
            "The RDMA_ERROR has version {}, but the call of frame {} has {}.",
            header.version(),
            call.frame,
            call.version
        );
        report.broken(&ERROR_VERSION, explanation);
    }
    let Body::Error(TransportError::Version { low, high }) = header.body else { return };
    let refused = call.map_or(header.version(), |call| call.version);
    if low > high {
        let explanation =
            format!("ERR_VERS names {low} as the lowest version and {high} as the highest.");
        report.broken(&ERROR_RANGE, explanation);
    } else if (low..=high).contains(&refused) {
        let explanation = format!(
            "ERR_VERS refuses version {refused} and says that {low} to {high} are supported."
        );
        report.broken(&ERROR_RANGE, explanation);
    }
}

fn invalidate(
    state: &mut ConnectionState,
    steering_tag: u32,
    kind: Kind,
    call: Option<&OpenCall>,
    report: &mut Reporter<'_>,
) {
    let context = report.context;
    let side = context.side;
    let seen = Side::BOTH.iter().all(|side| context.negotiation.has_sent(*side));
    let agreed = |side| state.rpc.private_data(side).is_some_and(|it| it.remote_invalidation);
    if seen && kind != Kind::Call && !Side::BOTH.into_iter().all(agreed) {
        let explanation = format!(
            "A reply invalidates STag 0x{steering_tag:08x}, but not both sides have set R in their \
             private data."
        );
        report.broken(&INVALIDATE_UNAGREED, explanation);
        return;
    }
    let explanation = match (kind, call) {
        (Kind::Call, _) => {
            format!(
                "A call invalidates STag 0x{steering_tag:08x}, but the other side has offered no memory."
            )
        }
        (_, Some(call)) if !call.offers(steering_tag) => format!(
            "The reply to the call of frame {} invalidates STag 0x{steering_tag:08x}, which that call \
             does not offer.",
            call.frame
        ),
        (_, Some(_)) => {
            let mut others = state.rpc.caller(side.peer()).open.iter();
            let Some(other) = others.find(|other| other.offers(steering_tag)) else { return };
            format!(
                "A reply invalidates STag 0x{steering_tag:08x}, which the waiting call of frame {} \
                 offers too.",
                other.frame
            )
        }
        _ => return,
    };
    report.broken(&INVALIDATE, explanation);
}

// State of a connection's calls and grants.

/// The maximum number of calls of a side that are remembered.
const CALLS: usize = 1024;
/// The maximum number of chunk segments of a side that are remembered.
const SEGMENTS: usize = 1 << 14;
/// The maximum number of grants to a side that are remembered.
const GRANTS: usize = 64;

/// A call without a reply.
#[derive(Debug)]
pub(super) struct OpenCall {
    /// Transaction ID (XID).
    pub xid: u32,
    /// The version in its transport header.
    pub version: u32,
    /// The frame that completed its Send.
    pub frame: u64,
    /// The memory that the call offers.
    pub chunks: Chunks,
    /// True if its credential asks for integrity or privacy of RPCSEC_GSS.
    pub wrapped: bool,
    /// True if its memory was used before the call was captured.
    pub late: bool,
}

impl OpenCall {
    /// Returns the segments that the responder may write to.
    pub(super) fn writable(&self) -> impl Iterator<Item = &Segment> {
        self.chunks.writes.iter().flatten().chain(self.chunks.reply.iter().flatten())
    }

    /// Returns the segments that the responder may read.
    pub(super) fn readable(&self) -> impl Iterator<Item = &Segment> {
        self.chunks.reads.iter().map(|read| &read.target)
    }

    /// Returns whether the call offers memory with this handle.
    pub(super) fn offers(&self, handle: u32) -> bool {
        self.readable().chain(self.writable()).any(|segment| segment.handle == handle)
    }

    fn segments(&self) -> usize {
        self.readable().chain(self.writable()).count()
    }
}

/// The credits that a reply grants.
#[derive(Debug, Clone, Copy)]
struct Grant {
    credits: u32,
    /// Where the reply ends in its stream, in 32 bits.
    end: u32,
}

/// The calls of one side.
#[derive(Debug, Default)]
pub(super) struct Caller {
    /// Calls that are waiting for a reply, oldest first.
    pub open: VecDeque<OpenCall>,
    /// What the last replies grant, oldest first.
    grants: VecDeque<Grant>,
    /// How many bytes of the replies' stream the side's frames acknowledge, in 32 bits, and how many those before
    /// that acknowledged less.
    acknowledged: [u32; 2],
    segments: usize,
    /// True if calls had to be forgotten.
    pub forgot: bool,
}

impl Caller {
    /// Notes that a call was sent.
    pub(super) fn call(&mut self, call: OpenCall) {
        self.segments += call.segments();
        self.open.push_back(call);
        while self.open.len() > CALLS || self.segments > SEGMENTS {
            let Some(oldest) = self.open.pop_front() else { break };
            self.segments = self.segments.saturating_sub(oldest.segments());
            self.forgot = true;
        }
    }

    pub(super) fn answered(&mut self, xid: u32) -> Option<OpenCall> {
        let index = self.open.iter().position(|call| call.xid == xid)?;
        let call = self.open.remove(index)?;
        self.segments = self.segments.saturating_sub(call.segments());
        Some(call)
    }

    /// Notes that a reply, which ends at `end` in its stream, grants credits.
    pub(super) fn grant(&mut self, credits: u32, end: u64) {
        if self.grants.len() == GRANTS
            && let Some(oldest) = self.grants.pop_front()
            && let Some(next) = self.grants.front_mut()
        {
            next.credits = next.credits.max(oldest.credits);
        }
        self.grants.push_back(Grant { credits, end: end as u32 });
    }

    /// Notes that a frame acknowledges bytes of the replies' stream, in 32 bits.
    fn acknowledges(&mut self, bytes: u32) {
        let [last, _] = self.acknowledged;
        if bytes.wrapping_sub(last) as i32 > 0 {
            self.acknowledged = [bytes, last];
        }
    }

    /// Returns the calls that may wait at once; `None` before the first reply. `acknowledged` is what the
    /// frame of the call acknowledges of the replies' stream, plus 1. The largest grant counts of those that
    /// this does not cover, the last one that it does, and the one before it: TCP may have received the last
    /// one after the call was made. So do all that frames before did not cover yet, as several may have come
    /// since; a proxy acknowledges what it has passed on, before the other side can have read it.
    pub(super) fn limit(&mut self, acknowledged: u32) -> Option<u32> {
        let last_within = |bytes: u32| {
            self.grants.iter().rposition(|grant| bytes.wrapping_sub(grant.end) as i32 >= 0)
        };
        let [_, before] = self.acknowledged;
        let now = last_within(acknowledged.wrapping_sub(1)).unwrap_or(0).saturating_sub(1);
        let least = now.min(last_within(before).unwrap_or(0));
        // Acknowledgments never go back.
        self.grants.drain(..least);
        self.grants.iter().map(|grant| grant.credits).max()
    }
}

/// State of a connection's RPC-over-RDMA.
#[derive(Debug, Default)]
pub(in crate::rules) struct RpcState {
    callers: [Caller; 2],
    private_data: [Option<RdmaPrivateSeen>; 2],
    /// True once a call and its reply were seen: the connection certainly carries RPC-over-RDMA.
    pub(super) proven: bool,
    /// The number of the last Write message of each side for which a finding was made.
    pub(super) reported_write: [u64; 2],
    /// A call in a read chunk of position 0 that is being answered before it was read.
    pub(super) unread: Option<(u32, u64, u64)>,
    /// True if the call that was answered last was captured late: what was written before it cannot be traced
    /// to it.
    pub(super) late: bool,
    /// Findings that may turn out to be due only to the order of the capture.
    pub(super) suspicions: PendingFindings,
}

impl RpcState {
    /// Forgets the calls.
    pub(in crate::rules) fn forget(&mut self) {
        for caller in &mut self.callers {
            let (grants, acknowledged) = (std::mem::take(&mut caller.grants), caller.acknowledged);
            *caller = Caller { grants, acknowledged, forgot: true, ..Caller::default() };
        }
    }

    /// Returns the calls of a side.
    pub(super) fn caller(&mut self, side: Side) -> &mut Caller {
        let [one, other] = &mut self.callers;
        if side.index() == 0 { one } else { other }
    }

    /// Returns what a side's private data said.
    pub(super) fn private_data(&self, side: Side) -> Option<RdmaPrivateSeen> {
        self.private_data.get(side.index()).copied().flatten()
    }

    /// Notes that a frame of a side acknowledges `bytes` bytes of the other stream, modulo 2^32.
    pub(in crate::rules) fn acknowledges(&mut self, side: Side, bytes: u32) {
        self.suspicions.acknowledges(side, bytes);
        self.caller(side).acknowledges(bytes);
    }

    /// Notes a side's private data.
    pub(super) fn set_private_data(&mut self, side: Side, data: RdmaPrivateSeen) {
        if let Some(kept) = self.private_data.get_mut(side.index()) {
            kept.get_or_insert(data);
        }
        self.proven |= self.private_data.iter().all(Option::is_some);
    }
}

// Findings that a call is absent hold only if the call is not just captured late. A capture may show the two
// directions out of step: a reply before its call. The TCP segment of the reply shows this: it acknowledges
// the call. Everything that it acknowledges must have been seen before such a finding is made.

/// The maximum number of pending findings of a connection.
const WAITING: usize = 64;

/// What a call must contain to disprove a pending finding.
#[derive(Debug, Clone, Copy)]
pub(super) enum Awaited {
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

/// Returns whether segments hold the first and the last byte of a range, which may span several of them.
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

/// A finding that waits until what its frame acknowledges has been seen.
#[derive(Debug)]
struct PendingFinding {
    /// The side whose call may still come.
    caller: Side,
    /// Bytes of that side's stream that the frame acknowledges, modulo 2^32; `None` if that is not known.
    acknowledged: Option<u32>,
    awaited: Awaited,
    finding: Finding,
}

/// Bytes of both directions that were seen, and the findings that wait for more.
#[derive(Debug, Default)]
pub(super) struct PendingFindings {
    /// Bytes of each stream up to the end of its last FPDU.
    ends: [u64; 2],
    /// The most bytes of the other stream that a frame of each side acknowledges, modulo 2^32.
    acknowledged: [Option<u32>; 2],
    waiting: Vec<PendingFinding>,
}

impl PendingFindings {
    /// Notes that a side's stream was seen up to `end`.
    pub(super) fn seen(&mut self, side: Side, end: u64) {
        if let Some(kept) = self.ends.get_mut(side.index()) {
            *kept = end;
        }
    }

    /// Notes that a frame of a side acknowledges `bytes` bytes of the other stream, modulo 2^32. It may be
    /// captured before other frames that acknowledge less.
    pub(super) fn acknowledges(&mut self, side: Side, bytes: u32) {
        if let Some(kept) = self.acknowledged.get_mut(side.index())
            && kept.is_none_or(|most| bytes.wrapping_sub(most) < 1 << 31)
        {
            *kept = Some(bytes);
        }
    }

    /// Returns true if everything of a side that the other side acknowledges was seen.
    pub(super) fn in_step(&self, side: Side) -> bool {
        self.acknowledged_of(side).is_some_and(|bytes| self.reaches(side, bytes))
    }

    /// Returns the bytes of a side's stream that the other side acknowledges.
    fn acknowledged_of(&self, side: Side) -> Option<u32> {
        self.acknowledged.get(side.peer().index()).copied().flatten()
    }

    fn reaches(&self, side: Side, acknowledged: u32) -> bool {
        let end = self.ends.get(side.index()).copied().unwrap_or_default();
        (end as u32).wrapping_sub(acknowledged) < 1 << 31
    }

    /// Reports a finding, or keeps it while a call of that side may still come.
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
            self.waiting.push(PendingFinding { caller, acknowledged, awaited, finding });
        }
    }

    /// Handles an item of a side, perhaps a call. Findings that it proves wrong are dropped; those that have
    /// nothing left to wait for are made. Returns two flags: true if it is a call that was already answered,
    /// and true if it is one whose memory was already used.
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
                // The call may be in the missing part.
            } else if suspicion.acknowledged.is_none_or(|end| self.reaches(side, end)) {
                findings.push(suspicion.finding);
            } else {
                self.waiting.push(suspicion);
            }
        }
        (answered, used)
    }
}
