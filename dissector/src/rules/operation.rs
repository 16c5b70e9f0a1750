//! Judges requests and responses as a conversation, and what follows a Terminate.

use super::catalogue::{operation as rules, terminate};
use super::judge::Reporter;
use super::state::{ConnectionState, SideState};
use crate::message::SegmentItem;
use crate::operation::{
    Cause, Event, Operation, OperationItem, OperationKind, Outcome, Reading, SentSegment,
};
use warpscope_wire::ddp::{DDP_VERSION, HeaderView};
use warpscope_wire::mpa::{NOT_NEGOTIATED, Role};
use warpscope_wire::rdmap::{
    Buffer, Message, Profile, RdmapControlView, ReadRequestView, TerminateView, error_code_name,
};

/// Judges a segment: whether its side may still send; and remembers what its response needs.
pub(super) fn segment(
    state: &mut ConnectionState,
    item: &SegmentItem<'_>,
    report: &mut Reporter<'_>,
) {
    let context = report.context;
    let operation = context.link.operation;
    match item.message {
        Some(Message::VerifyRequest) => state.side(context.side).verifies.request(operation, item),
        Some(Message::VerifyResponse) => {
            state.side(context.side.peer()).verifies.response(operation, item, report);
        }
        _ => {}
    }
    after_terminate(state.side(context.side), item, report);
    invalidated(state, item, report);
}

/// Judges what a side accesses by STags that it has invalidated itself. Any message from the other side may
/// have offered them again.
fn invalidated(state: &mut ConnectionState, item: &SegmentItem<'_>, report: &mut Reporter<'_>) {
    let (side, Ok(header)) = (report.context.side, &item.header) else { return };
    state.side(side.peer()).invalidated.clear();
    let (whole, mine) = (state.whole(), state.side(side));
    let used = match (item.message, header, &item.completed) {
        (Some(Message::Write), HeaderView::Tagged(view), _) if item.payload_length > 0 => {
            Some(view.steering_tag())
        }
        (Some(Message::ReadRequest), _, Some(completed)) if completed.whole => {
            let view = ReadRequestView::parse(completed.bytes).ok();
            let read = view.filter(|(view, _)| view.read_message_size() > 0);
            read.map(|(view, _)| view.source_steering_tag())
        }
        (Some(message), HeaderView::Untagged(view), Some(_)) if message.may_invalidate() => {
            mine.invalidates(view.rsvd_ulp_word());
            None
        }
        _ => None,
    };
    let Some(index) = used.and_then(|used| mine.invalidated.iter().position(|it| *it == used))
    else {
        return;
    };
    let steering_tag = mine.invalidated.remove(index);
    if whole {
        let text = format!(
            "STag {steering_tag:#010x}: this side's Send invalidated it, and the other side has sent nothing since."
        );
        report.broken(&rules::INVALIDATED, text);
    }
}

fn after_terminate(side: &mut SideState, item: &SegmentItem<'_>, report: &mut Reporter<'_>) {
    let terminate = item.message == Some(Message::Terminate);
    if let Some(since) = side.terminated {
        if terminate && item.completed.is_some() {
            let text = format!("A second Terminate; the first is in frame {since}.");
            report.broken(&rules::TERMINATE_TWICE, text);
        } else if !terminate && !side.reported.after_terminate {
            side.reported.after_terminate = true;
            let name = item.message.map_or("message", |message| message.info().name);
            let text = format!("{name} after the side's Terminate in frame {since}.");
            report.broken(&rules::AFTER_TERMINATE, text);
        }
    } else if terminate && item.completed.is_some() {
        side.terminated = Some(report.place.frame);
    }
}

/// Judges what happened to an operation.
pub(super) fn judge(
    state: &mut ConnectionState,
    item: &OperationItem<'_>,
    report: &mut Reporter<'_>,
) {
    let (context, operation) = (report.context, item.operation);
    if !operation.kind.answered() {
        return;
    }
    match item.event {
        Event::Requested => {
            *waiting(state.side(context.side), operation.kind) += 1;
            depth(state, operation, report);
        }
        Event::Completed => {
            done(state.side(context.side), operation.kind);
            completed(state, operation, report);
        }
        Event::Abandoned | Event::Refused(_) => {
            done(state.side(context.side), operation.kind);
            // The response may still come if the operation was given up because too much was kept.
            state.side(operation.requester.peer()).whole &= operation.outcome != Outcome::Lost;
        }
        Event::Unsolicited => unsolicited(state, operation, report),
        Event::Terminated(..) => {}
    }
}

/// Returns the count that a kind of request belongs to: kinds that share a count are answered in order.
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

/// Judges the number of outstanding Reads against the reply (RFC 6581 section 9.1): the responder's IRD for
/// the initiator, its ORD for itself.
fn depth(state: &mut ConnectionState, operation: &Operation, report: &mut Reporter<'_>) {
    let negotiation = report.context.negotiation;
    let requester = operation.requester;
    let mine = state.side(requester);
    let (reads, reported) = (mine.reads, mine.reported.depth);
    let read = matches!(operation.kind, OperationKind::Read | OperationKind::ReadV2);
    // A Read of no bytes that comes first is a ready-to-receive indication.
    let indication = operation.expected == Some(0) && operation.request.message == 1;
    if !read || reported || indication {
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
    // A response that the requester has received but that was not judged would make one Read less.
    if !state.knows_all_received_by(requester, &report.facts) {
        return;
    }
    state.side(requester).reported.depth = true;
    report.broken(rule, format!("{reads} Reads wait for their responses; {what} is {limit}."));
}

fn completed(state: &mut ConnectionState, operation: &Operation, report: &mut Reporter<'_>) {
    let Some(response) = operation.response else { return };
    if !state.whole() {
        return;
    }
    let mine = state.side(operation.requester);
    let (ordered, commits) = (mine.reads + mine.atomics, mine.commits);
    let mut place = report.place;
    place.side = operation.requester.peer();
    place.message = Some(response.message);
    if operation.overtook > 0 && !operation.in_doubt {
        let commit = matches!(
            operation.kind,
            OperationKind::Flush | OperationKind::Verify | OperationKind::AtomicWrite
        );
        // No order is required between a Read or an Atomic and the requests of rdma-commit.
        let (rule, alike) = match commit {
            true => (&rules::COMMIT_ORDER, ordered == 0),
            false => (&rules::ORDER, commits == 0),
        };
        if alike {
            let text = format!(
                "The response to the {} in frame {} began before those to earlier requests: {} still unanswered.",
                operation.kind.name(),
                operation.request.last_frame,
                operation.overtook
            );
            report.broken_at(place, rule, text);
        }
    }
    let read = matches!(operation.kind, OperationKind::Read | OperationKind::ReadV2);
    if let (Some(expected), Some(bytes)) = (operation.expected, report.facts.completed)
        && read
        && bytes != expected
    {
        let text = format!(
            "The response has {bytes} bytes; the request in frame {} asks for {expected}.",
            operation.request.last_frame
        );
        report.broken_at(place, &rules::LENGTH, text);
    }
}

fn unsolicited(state: &mut ConnectionState, operation: &Operation, report: &mut Reporter<'_>) {
    let requester = operation.requester;
    let mut place = report.place;
    place.side = requester.peer();
    // A request that was not captured would have been acknowledged.
    if state.whole() && state.knows_all_received_by(place.side, &report.facts) {
        let name = operation.message.info().name;
        let text = format!("{name}: it answers no request.");
        report.broken_at(place, &rules::UNSOLICITED, text);
    } else {
        // Its request was missed, or comes later: it is not known which requests are waiting.
        state.missed = true;
    }
}

const LAYER_RDMAP: u8 = 0;
const LAYER_DDP: u8 = 1;
const LAYER_LLP: u8 = 2;

/// Judges a Terminate. `all_seen` says that every segment of its receiver was seen and is remembered.
pub(super) fn judge_terminate(
    cause: &Cause,
    bytes: &[u8],
    all_seen: bool,
    report: &mut Reporter<'_>,
) {
    let Ok(view) = TerminateView::parse(bytes) else { return };
    let reading = Reading::of(&view);
    if reading.swapped {
        let fits = if reading.header.is_some() { "what follows fits" } else { "it is defined" };
        let text = format!(
            "Terminate Control is {:02x?}; {fits} if each byte is filled from its low end: {}.",
            view.control.bytes(),
            reading.meaning()
        );
        report.broken(&terminate::CONTROL, text);
        if header_control(&view, true)[2] && reading.read_request.is_none() {
            let text = "The RDMAP header that it announces is missing.".to_owned();
            report.broken(&terminate::LENGTH, text);
        }
    } else {
        by_the_figure(&view, report);
    }
    let control = header_control(&view, reading.swapped);
    headers(&reading, control, report);
    contradiction(&reading, report);
    if let (Some(segment), true) = (&cause.segment, all_seen && !cause.exact) {
        echo(&reading, control, segment, report);
    }
}

/// Judges the fields against the figure.
fn by_the_figure(view: &TerminateView<'_>, report: &mut Reporter<'_>) {
    let (layer, error_type, code) = (view.layer(), view.error_type(), view.error_code());
    if error_code_name(layer, error_type, code).is_none() {
        let text = format!("Layer {layer}, error type {error_type}, code {code:#04x}.");
        report.broken(&terminate::CODE, text);
    }
    if view.reserved() != 0 {
        let text = format!("The 13 reserved bits are {:#06x}.", view.reserved());
        report.broken(&terminate::RESERVED, text);
    }
    if let Some(cut) = view.cut {
        report
            .broken(&terminate::LENGTH, format!("A header that it announces is cut short: {cut}."));
    } else if !view.rest.is_empty() {
        report.broken(&terminate::LENGTH, format!("{} bytes are left over.", view.rest.len()));
    }
}

/// Returns M, D and R: from the high end of their byte, or from where some senders put them.
fn header_control(view: &TerminateView<'_>, swapped: bool) -> [bool; 3] {
    if !swapped {
        return [view.header_control_m(), view.header_control_d(), view.header_control_r()];
    }
    let byte = view.control.bytes()[2];
    [1, 2, 4].map(|bit| byte & bit != 0)
}

/// Judges which headers are nested, against figure 10.
fn headers(reading: &Reading<'_>, [m, d, r]: [bool; 3], report: &mut Reporter<'_>) {
    let (layer, error_type) = (reading.layer, reading.error_type);
    let bits = format_args!("M {}, D {}, R {}", u8::from(m), u8::from(d), u8::from(r));
    // DDP's error type that is reserved for the LLP carries what the LLP's errors carry. DDP's own local
    // catastrophic error is open: figure 10 has headers for all of DDP, the text none for such errors.
    let none_due = match layer {
        LAYER_RDMAP => error_type == 0,
        LAYER_DDP => error_type == 3,
        layer => layer == LAYER_LLP,
    };
    let ddp_due = layer == LAYER_DDP && error_type != 0;
    if none_due {
        if m || d || r {
            let text = format!("Layer {layer}, error type {error_type} with {bits}.");
            // The text forbids the DDP header for RDMAP's own error, figure 10 the others (SHOULD).
            let forbidden = layer == LAYER_RDMAP && d;
            report.broken(if forbidden { &terminate::NEEDLESS } else { &terminate::EXTRA }, text);
        }
        return;
    }
    if m != d || (ddp_due && !d) {
        let text = format!("Layer {layer}, error type {error_type} with {bits}.");
        report.broken(&terminate::MISSING, text);
    }
    let Some(header) = reading.header else { return };
    let message = Message::from_control(RdmapControlView(header.rdmap_control()), Profile::ALL);
    let read = message == Some(Message::ReadRequest);
    // The figure has R for a Send that invalidates as well; the text does not.
    let open = message.is_some_and(|message| message.info().invalidates);
    let plain = message.is_some_and(|message| {
        let reads = matches!(message, Message::ReadRequest | Message::ReadV2Request);
        !reads && !open && message <= Message::ImmediateSolicited
    });
    if plain && (layer, error_type) == (LAYER_RDMAP, 1) {
        let name = message.map_or("message", |message| message.info().name);
        report.broken(
            &terminate::PROTECTION,
            format!("The nested header is of this message: {name}."),
        );
    }
    let due = read && (layer, error_type) == (LAYER_RDMAP, 1);
    // RFC 5040 section 7.1 requires it for every error in a Read Request, figure 10 only for this one.
    let allowed = read && layer == LAYER_RDMAP;
    let needless = r && !allowed && !open;
    if needless || (due && !r) {
        let name = message.map_or("message", |message| message.info().name);
        let text = format!("Layer {layer}, error type {error_type} about a {name} with {bits}.");
        let rule = match (needless, read) {
            (true, true) => &terminate::EXTRA,
            (true, false) => &terminate::READ_HEADER,
            _ => &terminate::MISSING,
        };
        report.broken(rule, text);
    }
}

/// Judges the error against the header that is echoed for it.
fn contradiction(reading: &Reading<'_>, report: &mut Reporter<'_>) {
    let Some(header) = reading.header else { return };
    let message = Message::from_control(RdmapControlView(header.rdmap_control()), Profile::ALL);
    let tagged = header.control().tagged();
    let own_queue = match header {
        HeaderView::Tagged(_) => false,
        HeaderView::Untagged(view) => message
            .is_some_and(|message| message.info().buffer == Buffer::Queue(view.queue_number())),
    };
    let not_so = match (reading.layer, reading.error_type, reading.error_code) {
        (LAYER_DDP, 1, _) if !tagged => "the T bit is 0",
        (LAYER_DDP, 2, _) if tagged => "the T bit is 1",
        (LAYER_DDP, 1, 4) | (LAYER_DDP, 2, 6) if header.control().ddp_version() == DDP_VERSION => {
            "the DDP version is 1"
        }
        // The queues of RFC 5040 itself always exist.
        (LAYER_DDP, 2, 1) if own_queue && message <= Some(Message::Terminate) => {
            "the queue is the one of its opcode"
        }
        (LAYER_RDMAP, 1 | 2, 9) if message.is_some_and(|it| !it.may_invalidate()) => {
            "the opcode invalidates nothing"
        }
        _ => return,
    };
    let text = format!("{}, but in the header that it echoes {not_so}.", reading.meaning());
    report.broken(&terminate::CONTRADICTION, text);
}

/// Judges what is echoed against the segment that it most likely comes from.
fn echo(
    reading: &Reading<'_>,
    [m, ..]: [bool; 3],
    segment: &SentSegment,
    report: &mut Reporter<'_>,
) {
    let (Some(echoed), Some(sent)) = (reading.header, segment.header()) else { return };
    if let Some(length) = reading.segment_length
        && m
        && length != segment.ulpdu_length
    {
        let text = format!(
            "The DDP Segment Length is {length}; the segment in frame {} has {} bytes.",
            segment.frame, segment.ulpdu_length
        );
        report.broken(&terminate::SEGMENT_LENGTH, text);
    }
    if echoed.bytes() != sent.bytes() {
        let text = format!("{} (frame {}).", difference(&echoed, &sent), segment.frame);
        report.broken(&terminate::ECHO, text);
    }
    if let (Some(echoed), Some(sent)) = (reading.read_request, segment.read_request())
        && !same_read(&echoed, &sent)
    {
        let text = format!("The Read Request differs from the one in frame {}.", segment.frame);
        report.broken(&terminate::ECHO_READ, text);
    }
}

/// Describes where the echoed header differs.
fn difference(echoed: &HeaderView<'_>, sent: &HeaderView<'_>) -> String {
    match (echoed, sent) {
        (HeaderView::Untagged(echoed), HeaderView::Untagged(sent)) => {
            let fields = [
                ("QN", echoed.queue_number(), sent.queue_number()),
                ("MSN", echoed.message_sequence_number(), sent.message_sequence_number()),
                ("MO", echoed.message_offset(), sent.message_offset()),
                ("the Invalidate STag", echoed.rsvd_ulp_word(), sent.rsvd_ulp_word()),
            ];
            let different = fields.into_iter().find(|(_, echoed, sent)| echoed != sent);
            different.map_or_else(
                || "The control bytes differ from those sent".to_owned(),
                |(name, echoed, sent)| {
                    format!("The echoed header has {name} {echoed}, but {sent} was sent")
                },
            )
        }
        (HeaderView::Tagged(echoed), HeaderView::Tagged(sent)) => format!(
            "The echoed header has STag {:#010x} and TO {:#x}, but {:#010x} and {:#x} were sent",
            echoed.steering_tag(),
            echoed.tagged_offset(),
            sent.steering_tag(),
            sent.tagged_offset()
        ),
        _ => "The T bit of the echoed header differs from the one sent".to_owned(),
    }
}

/// Returns whether a Read Request is echoed as it was sent, or advanced by what was already answered.
fn same_read(echoed: &ReadRequestView<'_>, sent: &ReadRequestView<'_>) -> bool {
    let Some(answered) = sent.read_message_size().checked_sub(echoed.read_message_size()) else {
        return false;
    };
    let moved = |from: u64| from.wrapping_add(answered.into());
    echoed.sink_steering_tag() == sent.sink_steering_tag()
        && echoed.source_steering_tag() == sent.source_steering_tag()
        && echoed.sink_tagged_offset() == moved(sent.sink_tagged_offset())
        && echoed.source_tagged_offset() == moved(sent.source_tagged_offset())
}
