//! Judges requests and responses as a conversation, and what follows a Terminate.

use super::catalogue::operation as rules;
use super::judge::FrameFacts;
use super::scene::Scene;
use super::state::{ConnectionState, SideState};
use crate::message::SegmentItem;
use crate::mpa::Negotiation;
use crate::operation::{Event, Operation, OperationItem, OperationKind, Outcome};
use crate::pipeline::ItemContext;
use warpscope_wire::mpa::{NOT_NEGOTIATED, Role};
use warpscope_wire::rdmap::Message;

/// A segment: whether its side may still send, and what is kept of it for its response.
pub(super) fn segment(
    state: &mut ConnectionState,
    context: &ItemContext<'_>,
    item: &SegmentItem<'_>,
    scene: &mut Scene<'_>,
) {
    let operation = context.link.operation;
    match item.message {
        Some(Message::VerifyRequest) => state.side(context.side).verifies.request(operation, item),
        Some(Message::VerifyResponse) => {
            state.side(context.side.peer()).verifies.response(operation, item, scene);
        }
        _ => {}
    }
    after_terminate(state.side(context.side), item, scene);
}

fn after_terminate(side: &mut SideState, item: &SegmentItem<'_>, scene: &mut Scene<'_>) {
    let terminate = item.message == Some(Message::Terminate);
    if let Some(since) = side.terminated {
        if terminate && item.completed.is_some() {
            let text = format!("A second Terminate; the first is in frame {since}.");
            scene.broken(&rules::TERMINATE_TWICE, text);
        } else if !terminate && !side.told.after_terminate {
            side.told.after_terminate = true;
            let name = item.message.map_or("message", |message| message.info().name);
            let text = format!("{name} behind the side's Terminate in frame {since}.");
            scene.broken(&rules::AFTER_TERMINATE, text);
        }
    } else if terminate && item.completed.is_some() {
        side.terminated = Some(scene.place.frame);
    }
}

/// What was seen when something happened to an operation.
#[derive(Debug)]
pub(super) struct Seen {
    /// The frame at hand.
    pub(super) facts: FrameFacts,
    /// Bytes of the message that the segment before completed, when nothing of it is missing.
    pub(super) completed: Option<u64>,
}

/// What happened to an operation.
pub(super) fn judge(
    state: &mut ConnectionState,
    context: &ItemContext<'_>,
    seen: &Seen,
    item: &OperationItem<'_>,
    scene: &mut Scene<'_>,
) {
    let operation = item.operation;
    if !operation.kind.answered() {
        return;
    }
    match item.event {
        Event::Requested => {
            *waiting(state.side(context.side), operation.kind) += 1;
            depth(state, context.negotiation, seen, operation, scene);
        }
        Event::Completed => {
            done(state.side(context.side), operation.kind);
            completed(state, seen, operation, scene);
        }
        Event::Abandoned | Event::Refused(_) => {
            done(state.side(context.side), operation.kind);
            // Its response may come, where it was given up because too much was kept.
            state.side(operation.requester.peer()).whole &= operation.outcome != Outcome::Lost;
        }
        Event::Unsolicited => unsolicited(state, seen, operation, scene),
        Event::Terminated(..) => {}
    }
}

/// The count that a kind of request belongs to: kinds of one count are answered in order.
fn waiting(side: &mut SideState, kind: OperationKind) -> &mut u32 {
    match kind {
        OperationKind::Read | OperationKind::ReadV2 => &mut side.reads,
        OperationKind::Atomic => &mut side.atomics,
        _ => &mut side.commits,
    }
}

fn done(side: &mut SideState, kind: OperationKind) {
    let count = waiting(side, kind);
    *count = count.saturating_sub(1);
}

/// Reads that wait at once, against what the reply says (RFC 6581 section 9.1): the responder's IRD
/// for the initiator, its ORD for itself.
fn depth(
    state: &mut ConnectionState,
    negotiation: &Negotiation,
    seen: &Seen,
    operation: &Operation,
    scene: &mut Scene<'_>,
) {
    let requester = operation.requester;
    let mine = state.side(requester);
    let (reads, told) = (mine.reads, mine.told.depth);
    let read = matches!(operation.kind, OperationKind::Read | OperationKind::ReadV2);
    // A Read of no bytes that comes first is a ready-to-receive indication.
    let indication = operation.expected == Some(0) && operation.request.message == 1;
    if !read || told || indication {
        return;
    }
    let depths = |side| negotiation.seen(side).filter(|seen| seen.role == Role::Reply)?.enhanced;
    let (limit, rule, what) = match (depths(requester.peer()), depths(requester)) {
        (Some(reply), _) => (reply.ird, &rules::INITIATOR_DEPTH, "the reply's IRD"),
        (_, Some(reply)) => (reply.ord, &rules::RESPONDER_DEPTH, "the reply's ORD"),
        _ => return,
    };
    if limit == NOT_NEGOTIATED || reads <= u32::from(limit) || !state.whole() {
        return;
    }
    // A response that the requester has and that was not judged would make one Read less.
    if !state.knows_all_received_by(requester, &seen.facts) {
        return;
    }
    state.side(requester).told.depth = true;
    let text = format!("{reads} Reads wait for their responses; {what} is {limit}.");
    scene.broken(rule, text);
}

fn completed(
    state: &mut ConnectionState,
    seen: &Seen,
    operation: &Operation,
    scene: &mut Scene<'_>,
) {
    let Some(response) = operation.response else { return };
    if !state.whole() {
        return;
    }
    let mine = state.side(operation.requester);
    let (ordered, commits) = (mine.reads + mine.atomics, mine.commits);
    let mut place = scene.place;
    place.side = operation.requester.peer();
    place.message = Some(response.message);
    if operation.overtook > 0 {
        let commit = matches!(
            operation.kind,
            OperationKind::Flush | OperationKind::Verify | OperationKind::AtomicWrite
        );
        // Between a Read or an Atomic and the requests of rdma-commit no order is demanded.
        let (rule, alike) = match commit {
            true => (&rules::COMMIT_ORDER, ordered == 0),
            false => (&rules::ORDER, commits == 0),
        };
        if alike {
            let text = format!(
                "The response to the {} in frame {} began before those to earlier requests: {} still waited.",
                operation.kind.name(),
                operation.request.last_frame,
                operation.overtook
            );
            scene.broken_at(place, rule, text);
        }
    }
    let read = matches!(operation.kind, OperationKind::Read | OperationKind::ReadV2);
    if let (Some(expected), Some(bytes)) = (operation.expected, seen.completed)
        && read
        && bytes != expected
    {
        let text = format!(
            "The response has {bytes} bytes; the request in frame {} asks for {expected}.",
            operation.request.last_frame
        );
        scene.broken_at(place, &rules::LENGTH, text);
    }
}

fn unsolicited(
    state: &mut ConnectionState,
    seen: &Seen,
    operation: &Operation,
    scene: &mut Scene<'_>,
) {
    let requester = operation.requester;
    let mut place = scene.place;
    place.side = requester.peer();
    // A request that was not captured would have been acknowledged.
    if state.whole() && state.knows_all_received_by(place.side, &seen.facts) {
        let name = operation.message.info().name;
        let text = format!("{name}: there is no request that it answers.");
        scene.broken_at(place, &rules::UNSOLICITED, text);
    }
}
