//! Rules of calls and replies: what belongs together, credits, errors, remote invalidation.

use super::header::{self, Kind};
use super::state::OpenCall;
use super::suspicion::Awaited;
use super::{chunks, inline, memory};
use crate::message::{Completed, SegmentItem, Transport};
use crate::mpa::Side;
use crate::pipeline::ItemContext;
use crate::rules::catalogue::rpc::WRAPPED;
use crate::rules::catalogue::rpc_exchange::{
    CREDITS, CREDITS_FIRST, ERROR_RANGE, ERROR_SENDER, ERROR_VERSION, ERROR_XID, INVALIDATE,
    INVALIDATE_UNAGREED, REPLY_UNKNOWN,
};
use crate::rules::scene::{Scene, finding};
use crate::rules::state::ConnectionState;
use warpscope_wire::ddp::HeaderView;
use warpscope_wire::rdmap::Message;
use warpscope_wire::rpcrdma::{Body, Chunks, TransportError};

/// The second word of an RPC message that is a reply (RFC 5531 §9).
const REPLY: [u8; 4] = [0, 0, 0, 1];

/// Judges a segment: what it writes, and the message that it completes.
pub(in crate::rules) fn segment(
    state: &mut ConnectionState,
    context: &ItemContext<'_>,
    item: &SegmentItem<'_>,
    scene: &mut Scene<'_>,
) {
    let (side, fpdu) = (context.side, item.fpdu);
    state.rpc.suspicions.seen(side, fpdu.stream_offset + fpdu.stream_length as u64);
    if item.message == Some(Message::Write) {
        memory::write(state, context, item.number, scene);
    }
    message(state, context, item, scene);
    let whole = state.side(side).whole;
    state.rpc.suspicions.arrived(side, None, whole, scene.findings);
}

/// Judges the message that a segment completes.
fn message(
    state: &mut ConnectionState,
    context: &ItemContext<'_>,
    item: &SegmentItem<'_>,
    scene: &mut Scene<'_>,
) {
    let Some(completed) = &item.completed else { return };
    if !completed.whole || completed.length == 0 || !item.message.is_some_and(Message::is_send) {
        return;
    }
    let Some(transport) = &completed.transport else {
        if state.rpc.proven {
            header::unreadable(completed.bytes, scene);
            unreadable(state, context.side, completed, scene);
        }
        return;
    };
    let kind = kind(state, context, transport);
    let readable = header::judge(transport, kind, scene);
    if readable {
        inline::judge(state, context, completed.length, scene);
    }
    let peer = context.side.peer();
    let answered = match kind {
        Kind::Call => {
            call(state, context, transport, scene);
            None
        }
        Kind::Reply => {
            let credits = transport.header.credits();
            let call = answer(state, context, transport, scene);
            state.rpc.caller(peer).grant(credits);
            if let (Some(call), Some(chunks)) = (&call, transport.header.body.chunks())
                && readable
            {
                chunks::returned(&call.chunks, chunks, scene);
                let used = chunks.writes.iter().any(|chunk| header::total(chunk) > 0);
                if call.wrapped && used {
                    let explanation =
                        "The reply to a call with RPCSEC_GSS integrity or privacy has \
                                       bytes in a write chunk."
                            .to_owned();
                    scene.broken(&WRAPPED, explanation);
                }
            }
            state.rpc.proven |= call.is_some();
            call
        }
        Kind::Error => {
            let call = answer(state, context, transport, scene);
            error(transport, call.as_ref(), scene);
            call
        }
        Kind::Other => None,
    };
    if item.message.is_some_and(Message::may_invalidate)
        && let Ok(HeaderView::Untagged(view)) = &item.header
    {
        invalidate(state, context, view.rsvd_ulp_word(), kind, answered.as_ref(), scene);
    }
}

/// What a message is. An RDMA_NOMSG does not say it: replies have no read list, and answer a call.
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

/// True when both directions were captured without a hole from their beginnings, and every call is
/// remembered.
fn all_seen(state: &mut ConnectionState, caller: Side) -> bool {
    state.sides.iter().all(|side| side.whole) && !state.rpc.caller(caller).forgot
}

fn call(
    state: &mut ConnectionState,
    context: &ItemContext<'_>,
    transport: &Transport<'_>,
    scene: &mut Scene<'_>,
) {
    let side = context.side;
    let header = &transport.header;
    // A reply that the call's segment acknowledges may have granted more.
    let judged = all_seen(state, side) && state.rpc.suspicions.in_step(side.peer());
    let mut call = OpenCall {
        xid: header.xid(),
        version: header.version(),
        frame: scene.place.frame,
        chunks: header.body.chunks().cloned().unwrap_or_default(),
        wrapped: false,
        late: false,
    };
    let whole = state.side(side).whole;
    let suspicions = &mut state.rpc.suspicions;
    let (answered, used) = suspicions.arrived(side, Some(&call), whole, scene.findings);
    if answered {
        return;
    }
    call.late = used;
    let caller = state.rpc.caller(side);
    let waiting = caller.open.len();
    if judged && let Some(first) = caller.open.front() {
        match caller.limit() {
            None => {
                let explanation = format!(
                    "A call while that of frame {} has no reply: no reply has granted a second \
                     credit yet.",
                    first.frame
                );
                scene.broken(&CREDITS_FIRST, explanation);
            }
            Some(limit) if waiting as u64 >= u64::from(limit.max(1)) => {
                let explanation =
                    format!("{} calls without a reply, with {limit} credits granted.", waiting + 1);
                scene.broken(&CREDITS, explanation);
            }
            Some(_) => {}
        }
    }
    caller.call(call);
}

/// A Send that cannot be read is a call, unless it has the XID of one: an RDMA_ERROR may answer it.
fn unreadable(
    state: &mut ConnectionState,
    side: Side,
    completed: &Completed<'_>,
    scene: &Scene<'_>,
) {
    let Some((xid, rest)) = completed.bytes.split_first_chunk::<4>() else { return };
    let xid = u32::from_be_bytes(*xid);
    if state.rpc.caller(side.peer()).open.iter().any(|call| call.xid == xid) {
        return;
    }
    let version = rest.first_chunk::<4>().map_or(0, |word| u32::from_be_bytes(*word));
    let (frame, chunks) = (scene.place.frame, Chunks::default());
    state.rpc.caller(side).call(OpenCall {
        xid,
        version,
        frame,
        chunks,
        wrapped: false,
        late: false,
    });
}

/// Takes the call that a reply or RDMA_ERROR answers.
fn answer(
    state: &mut ConnectionState,
    context: &ItemContext<'_>,
    transport: &Transport<'_>,
    scene: &mut Scene<'_>,
) -> Option<OpenCall> {
    let caller = context.side.peer();
    let xid = transport.header.xid();
    let answered = state.rpc.caller(caller).answered(xid);
    state.rpc.late = answered.as_ref().is_some_and(|call| call.late);
    if answered.is_some() || !all_seen(state, caller) {
        return answered;
    }
    let waiting = state.rpc.caller(caller).open.len();
    let calls = match waiting {
        0 => "no call waits".to_owned(),
        1 => "the one call that waits has another".to_owned(),
        _ => format!("the {waiting} calls that wait have others"),
    };
    let initiator = context.negotiation.initiator();
    let (rule, name) = match &transport.header.body {
        Body::Error(_) if initiator == Some(context.side) => (&ERROR_SENDER, "An RDMA_ERROR"),
        Body::Error(_) => (&ERROR_XID, "An RDMA_ERROR"),
        _ => (&REPLY_UNKNOWN, "A reply"),
    };
    let explanation = format!("{name} with XID 0x{xid:08x}: {calls}.");
    let finding = finding(rule, scene.place, explanation);
    let awaited = Awaited::Xid(xid);
    state.rpc.suspicions.suspect(caller, awaited, finding, scene.findings);
    None
}

fn error(transport: &Transport<'_>, call: Option<&OpenCall>, scene: &mut Scene<'_>) {
    let header = &transport.header;
    if let Some(call) = call
        && call.version != header.version()
    {
        let explanation = format!(
            "The RDMA_ERROR has version {}, the call of frame {} has {}.",
            header.version(),
            call.frame,
            call.version
        );
        scene.broken(&ERROR_VERSION, explanation);
    }
    let Body::Error(TransportError::Version { low, high }) = header.body else { return };
    let refused = call.map_or(header.version(), |call| call.version);
    if low > high {
        let explanation =
            format!("ERR_VERS names {low} as the lowest version and {high} as the highest.");
        scene.broken(&ERROR_RANGE, explanation);
    } else if (low..=high).contains(&refused) {
        let explanation = format!(
            "ERR_VERS refuses version {refused} and says that {low} to {high} are supported."
        );
        scene.broken(&ERROR_RANGE, explanation);
    }
}

fn invalidate(
    state: &mut ConnectionState,
    context: &ItemContext<'_>,
    steering_tag: u32,
    kind: Kind,
    call: Option<&OpenCall>,
    scene: &mut Scene<'_>,
) {
    let side = context.side;
    let seen = Side::BOTH.iter().all(|side| context.negotiation.has_sent(*side));
    let agreed = |side| state.rpc.private_data(side).is_some_and(|it| it.remote_invalidation);
    if seen && kind != Kind::Call && !Side::BOTH.into_iter().all(agreed) {
        let explanation = format!(
            "A reply invalidates STag 0x{steering_tag:08x}, and not both sides have set R in their \
             private data."
        );
        scene.broken(&INVALIDATE_UNAGREED, explanation);
        return;
    }
    let explanation = match (kind, call) {
        (Kind::Call, _) => {
            format!(
                "A call invalidates STag 0x{steering_tag:08x}: it has no memory of the other side."
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
    scene.broken(&INVALIDATE, explanation);
}
