//! The nodes of the headers that RDMAP messages carry in their payload.

use super::node::{FramePlace, Part, Run, SourceId, Tree, Value, locate};
use super::ulp::push_private_data;
use crate::field::{FieldRef, mpa, operation, rdmap};
use crate::item::ItemContext;
use crate::message::SegmentItem;
use crate::mpa::{CrcVerdict, FpduItem, Negotiation, SetupItem, Side, SkippedItem};
use crate::operation::{
    Echo, Event, Operation, OperationItem, Reading, explain, field_at_fault, meaning,
};
use crate::ulp::Ulp;
use warpscope_wire::ddp::{HeaderView, TaggedView, UntaggedView};
use warpscope_wire::mpa::{
    CRC_LENGTH, KEY_LENGTH, MARKER_LENGTH, MAX_PRIVATE_DATA, MarkerView, RdmaPrivateDataView, Role,
    SETUP_HEADER_LENGTH, pad_length,
};
use warpscope_wire::rdmap::{
    AtomicRequestView, AtomicResponseView, AtomicWriteRequestView, FlushRequestView,
    IMMEDIATE_LENGTH, Message, Payload as Carries, ReadRequestView, ReadV2RequestView,
    TerminateView, VerifyRangeView, VerifyRequestView,
};

/// A segment's payload and its location.
pub(super) struct Payload<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) source: SourceId,
    pub(super) start: u32,
    /// True for the first segment of its message, which contains the header.
    pub(super) begins: bool,
}

/// Adds the header at the beginning of the message's payload, if it has one.
pub(super) fn push_payload(tree: &mut Tree, item: &SegmentItem<'_>, payload: &Payload<'_>) {
    let Some(message) = item.message else { return };
    let bytes = payload.bytes;
    let mut part = Part { tree, source: payload.source, start: payload.start, bytes };
    let needed = match message.info().payload {
        Carries::Header(needed) | Carries::AtLeast(needed) if payload.begins => needed,
        Carries::UlpThenImmediate if last(item) => IMMEDIATE_LENGTH,
        _ => return,
    };
    if bytes.len() < needed && !item.fpdu.complete {
        // Not the sender's fault: the capture has no more of it.
        return;
    }
    if bytes.len() < needed {
        let text = format!(
            "{} carries at least {needed} bytes, but only {} are there",
            message.info().name,
            bytes.len()
        );
        part.tree.push_generated(2, &rdmap::MALFORMED, Value::Text(text.into()));
        return;
    }
    match message {
        Message::ReadRequest => read_request(&mut part),
        Message::ReadV2Request => read_v2(&mut part),
        Message::Terminate => push_terminate(&mut part),
        Message::AtomicRequest => atomic_request(&mut part),
        Message::AtomicResponse => {
            let fields = [&rdmap::ATOMIC_ORIGINAL_ID, &rdmap::ATOMIC_ORIGINAL_VALUE];
            part.figure(2, 0, AtomicResponseView::PLACES, fields);
            left_over(&mut part, AtomicResponseView::LENGTH);
        }
        Message::FlushRequest => {
            range(&mut part, FlushRequestView::LENGTH);
            part.number(3, &rdmap::FLUSH_FLAGS, 16, 4);
            part.bits(4, &rdmap::FLUSH_GLOBAL, 19, 6, 1);
            part.bits(4, &rdmap::FLUSH_PERSISTENCE, 19, 7, 1);
            left_over(&mut part, FlushRequestView::LENGTH);
        }
        Message::VerifyRequest => {
            range(&mut part, VerifyRequestView::LENGTH);
            hash(&mut part, VerifyRequestView::LENGTH);
        }
        Message::VerifyResponse => hash(&mut part, 0),
        Message::AtomicWriteRequest => {
            range(&mut part, AtomicWriteRequestView::LENGTH);
            part.number(3, &rdmap::ATOMIC_WRITE_DATA, 16, 8);
            left_over(&mut part, AtomicWriteRequestView::LENGTH);
        }
        Message::Immediate
        | Message::ImmediateSolicited
        | Message::SendImmediate
        | Message::SendInvalidateImmediate
        | Message::SendSolicitedImmediate
        | Message::SendSolicitedInvalidateImmediate => {
            part.number(2, &rdmap::IMMEDIATE_DATA, 0, IMMEDIATE_LENGTH);
            left_over(&mut part, IMMEDIATE_LENGTH);
        }
        _ => {}
    }
}

/// Returns true for the segment that carries a Send's Immediate Data: the last one.
fn last(item: &SegmentItem<'_>) -> bool {
    item.header.is_ok_and(|header| header.control().last())
}

/// Pushes bytes after a header that should have nothing after it.
fn left_over(part: &mut Part<'_, '_>, from: usize) {
    let more = part.bytes.len().saturating_sub(from);
    if more > 0 {
        let text = format!("{more} bytes more than the header has");
        part.tree.push_generated(2, &rdmap::MALFORMED, Value::Text(text.into()));
    }
}

fn read_request(part: &mut Part<'_, '_>) {
    part.value(2, &rdmap::READ_REQUEST, Value::None, 0, ReadRequestView::LENGTH);
    let fields = [
        &rdmap::SINK_STEERING_TAG,
        &rdmap::SINK_TAGGED_OFFSET,
        &rdmap::READ_MESSAGE_SIZE,
        &rdmap::SOURCE_STEERING_TAG,
        &rdmap::SOURCE_TAGGED_OFFSET,
    ];
    part.figure(3, 0, ReadRequestView::PLACES, fields);
    left_over(part, ReadRequestView::LENGTH);
}

fn read_v2(part: &mut Part<'_, '_>) {
    part.value(2, &rdmap::READ_V2, Value::None, 0, ReadV2RequestView::LENGTH);
    let fields =
        [&rdmap::READ_MESSAGE_SIZE, &rdmap::SOURCE_STEERING_TAG, &rdmap::SOURCE_TAGGED_OFFSET];
    part.figure(3, 0, ReadV2RequestView::PLACES, fields);
    left_over(part, ReadV2RequestView::LENGTH);
}

fn atomic_request(part: &mut Part<'_, '_>) {
    part.bits(2, &rdmap::ATOMIC_RESERVED, 0, 0, 28);
    let operation = part.bits(2, &rdmap::ATOMIC_OPCODE, 0, 28, 4);
    // The words carry what the operation uses; words that it does not use are fixed.
    let (data, mask) = match operation {
        Some(0) => (&rdmap::ATOMIC_ADD_DATA, &rdmap::ATOMIC_ADD_MASK),
        _ => (&rdmap::ATOMIC_SWAP_DATA, &rdmap::ATOMIC_SWAP_MASK),
    };
    let fields = [
        &rdmap::ATOMIC_REQUEST_ID,
        &rdmap::ATOMIC_REMOTE_STAG,
        &rdmap::ATOMIC_REMOTE_OFFSET,
        data,
        mask,
        &rdmap::ATOMIC_COMPARE_DATA,
        &rdmap::ATOMIC_COMPARE_MASK,
    ];
    part.figure(2, 0, &AtomicRequestView::PLACES[1..], fields);
    left_over(part, AtomicRequestView::LENGTH);
}

fn range(part: &mut Part<'_, '_>, length: usize) {
    part.value(2, &rdmap::COMMIT, Value::None, 0, length);
    let fields = [&rdmap::COMMIT_STAG, &rdmap::COMMIT_LENGTH, &rdmap::COMMIT_OFFSET];
    part.figure(3, 0, VerifyRangeView::PLACES, fields);
}

fn hash(part: &mut Part<'_, '_>, at: usize) {
    let length = part.bytes.len().saturating_sub(at);
    if length > 0 {
        part.bytes(2, &rdmap::VERIFY_HASH, at, length);
    }
}

// The nodes of an FPDU and of skipped bytes.

/// Adds the MPA layer of an FPDU; returns where its bytes without markers are.
pub(super) fn push_fpdu(tree: &mut Tree, frame: FramePlace, item: &FpduItem<'_>) -> Run {
    let run = locate(tree, frame, item.raw, item.spans, "Reassembled FPDU");
    let content = if item.markers.is_empty() { run } else { without_markers(tree, run, item) };
    let mut raw = Part { tree, source: run.source, start: run.start, bytes: item.raw };
    raw.layer(0, &mpa::MPA, None);
    raw.value(1, &mpa::FPDU, Value::None, 0, item.raw.len());
    let (source, start) = (content.source, content.start);
    let mut part = Part { tree, source, start, bytes: item.bytes };
    let ulpdu_length = usize::from(item.ulpdu_length);
    part.number(2, &mpa::ULPDU_LENGTH, 0, 2);
    let pad = pad_length(item.ulpdu_length);
    if item.complete {
        if pad > 0 {
            part.bytes(2, &mpa::PAD, 2 + ulpdu_length, pad);
        }
        let field = match item.crc {
            CrcVerdict::Good | CrcVerdict::Bad => &mpa::CRC_CHECK,
            _ => &mpa::CRC,
        };
        part.number(2, field, 2 + ulpdu_length + pad, CRC_LENGTH);
    }
    let status = match item.crc {
        CrcVerdict::Bad => 0,
        CrcVerdict::Good => 1,
        CrcVerdict::Unchecked => 2,
        CrcVerdict::NotInUse => 3,
        CrcVerdict::Unknown => 4,
    };
    part.derived(2, &mpa::CRC_STATUS_FIELD, status);
    if let (CrcVerdict::Bad, Some(computed)) = (item.crc, item.computed_crc) {
        // Shown in the byte order of the field.
        part.derived(2, &mpa::CRC_CALCULATED, computed.swap_bytes().into());
    }
    if !item.complete {
        let missing = item.stream_length.saturating_sub(item.raw.len());
        part.derived(2, &mpa::FPDU_MISSING, missing as u64);
    }
    for span in item.spans {
        if item.spans.len() > 1 || span.frame != frame.number {
            part.derived(2, &mpa::FPDU_FRAME, span.frame);
        }
    }
    markers(tree, run, item);
    content
}

/// Adds the bytes between the markers.
fn without_markers(tree: &mut Tree, run: Run, item: &FpduItem<'_>) -> Run {
    let source = tree.add_source("FPDU without Markers", item.bytes);
    let (mut at, mut from) = (0, 0);
    let ends = item.markers.iter().copied().chain([item.raw.len()]);
    for end in ends {
        let length = end.saturating_sub(from) as u32;
        let there = Run { source: run.source, start: run.start + from as u32 };
        tree.came_from(source, at, length, there);
        (at, from) = (at + length, end + MARKER_LENGTH);
    }
    Run { source, start: 0 }
}

fn markers(tree: &mut Tree, run: Run, item: &FpduItem<'_>) {
    if item.markers.is_empty() {
        return;
    }
    let mut part = Part { tree, source: run.source, start: run.start, bytes: item.raw };
    part.value(1, &mpa::MARKERS, Value::None, 0, item.raw.len());
    for at in item.markers {
        part.number(2, &mpa::MARKER_RESERVED, *at, 2);
        let Some(bytes) = item.raw.get(*at..at + MARKER_LENGTH) else { continue };
        let Ok((view, _)) = MarkerView::parse(bytes) else { continue };
        let pointer = Value::Unsigned(view.fpdu_pointer().into());
        part.value(2, &mpa::MARKER_FPDU_POINTER, pointer, at + 2, 2);
    }
    if item.marker_mismatch {
        part.tree.push_generated(2, &mpa::MARKER_MISMATCH, Value::None);
    }
}

/// Adds bytes that were skipped.
pub(crate) fn push_skipped(tree: &mut Tree, item: &SkippedItem<'_>) {
    tree.push_generated(0, &mpa::MPA, Value::None);
    tree.push_generated(1, &mpa::SKIPPED, Value::Unsigned(item.length));
    tree.push_generated(2, &mpa::SKIPPED_REASON, Value::Text(item.reason.describe().into()));
    tree.push_generated(2, &mpa::SKIPPED_OFFSET, Value::Unsigned(item.stream_offset));
}

// The nodes of an MPA setup frame.

const FLAGS: usize = KEY_LENGTH;

/// Adds a setup frame.
pub(crate) fn push_setup(
    tree: &mut Tree,
    frame: FramePlace,
    item: &SetupItem<'_>,
    ulp: Option<Ulp>,
) {
    let run = locate(tree, frame, item.bytes, item.spans, "Reassembled TCP");
    let mut part = Part { tree, source: run.source, start: run.start, bytes: item.bytes };
    let header = item.view.header;
    let (heading, key) = match header.role() {
        Some(Role::Reply) => (&mpa::REPLY, &mpa::KEY_REPLY),
        _ => (&mpa::REQUEST, &mpa::KEY_REQUEST),
    };
    let length = item.bytes.len();
    part.layer(0, &mpa::MPA, None);
    part.value(1, heading, Value::None, 0, length);
    part.bytes(2, key, 0, KEY_LENGTH);
    part.bits(2, &mpa::MARKER_FLAG, FLAGS, 0, 1);
    part.bits(2, &mpa::CRC_FLAG, FLAGS, 1, 1);
    part.bits(2, &mpa::REJECTED_FLAG, FLAGS, 2, 1);
    if header.rejected() && header.role() == Some(Role::Request) {
        part.value(3, &mpa::REJECT_IN_REQUEST, Value::None, FLAGS, 1);
    }
    if header.revision() >= 2 {
        part.bits(2, &mpa::ENHANCED_FLAG, FLAGS, 3, 1);
        part.bits(2, &mpa::RESERVED, FLAGS, 4, 4);
    } else {
        part.bits(2, &mpa::RESERVED, FLAGS, 3, 5);
    }
    if header.reserved() != 0 {
        part.value(3, &mpa::RESERVED_NOT_ZERO, Value::None, FLAGS, 1);
    }
    part.number(2, &mpa::REVISION, FLAGS + 1, 1);
    if header.revision() > 2 {
        part.value(3, &mpa::REVISION_NOT_KNOWN, Value::None, FLAGS + 1, 1);
    }
    part.number(2, &mpa::PRIVATE_DATA_LENGTH, FLAGS + 2, 2);
    if usize::from(header.private_data_length()) > MAX_PRIVATE_DATA {
        part.value(3, &mpa::BAD_LENGTH, Value::None, FLAGS + 2, 2);
    }
    if length > SETUP_HEADER_LENGTH {
        part.bytes(2, &mpa::PRIVATE_DATA, SETUP_HEADER_LENGTH, length - SETUP_HEADER_LENGTH);
        private_data(&mut part, item, ulp);
    }
}

fn private_data(part: &mut Part<'_, '_>, item: &SetupItem<'_>, ulp: Option<Ulp>) {
    let at = SETUP_HEADER_LENGTH;
    let mut ulp_at = at;
    if item.view.enhanced().is_some() {
        part.value(3, &mpa::ENHANCED, Value::None, at, 4);
        part.bits(4, &mpa::ENHANCED_A, at, 0, 1);
        part.bits(4, &mpa::ENHANCED_B, at, 1, 1);
        part.bits(4, &mpa::ENHANCED_IRD, at, 2, 14);
        part.bits(4, &mpa::ENHANCED_C, at + 2, 0, 1);
        part.bits(4, &mpa::ENHANCED_D, at + 2, 1, 1);
        part.bits(4, &mpa::ENHANCED_ORD, at + 2, 2, 14);
        ulp_at += 4;
    }
    let parsed = RdmaPrivateDataView::parse(item.view.ulp_private_data());
    if let Ok((view, _)) = parsed.as_ref()
        && view.recognised()
    {
        part.value(3, &mpa::RDMA_PRIVATE_DATA, Value::None, ulp_at, 8);
        part.number(4, &mpa::RDMA_MAGIC, ulp_at, 4);
        part.number(4, &mpa::RDMA_VERSION, ulp_at + 4, 1);
        part.bits(4, &mpa::RDMA_INVALIDATION, ulp_at + 5, 7, 1);
        let (send, receive) = (view.send_size(), view.receive_size());
        part.value(4, &mpa::RDMA_SEND_SIZE, Value::Unsigned(send.into()), ulp_at + 6, 1);
        part.value(4, &mpa::RDMA_RECEIVE_SIZE, Value::Unsigned(receive.into()), ulp_at + 7, 1);
    } else if let Some(ulp) = ulp {
        push_private_data(part, ulp_at, item, ulp);
    }
}

// The nodes of a Terminate and of the headers nested in it. The nodes follow RFC 5040 figure 8; if only
// another reading makes sense ([`Reading::swapped`]), it is added under a separate heading.

/// Bytes of Terminate Control and reserved bits.
const CONTROL: usize = 4;

pub(super) fn push_terminate(part: &mut Part<'_, '_>) {
    let Ok(view) = TerminateView::parse(part.bytes) else { return };
    let length = part.bytes.len();
    part.value(2, &rdmap::TERMINATE, Value::None, 0, length);
    part.value(3, &rdmap::TERM_CONTROL, Value::None, 0, 3);
    part.bits(4, &rdmap::TERM_LAYER, 0, 0, 4);
    let (error_type, code) = match (view.layer(), view.error_type()) {
        // A local catastrophic error has no code: any value will do (RFC 5040 figure 9).
        (0, 0) => (&rdmap::TERM_TYPE_RDMA, &rdmap::TERM_CODE),
        (0, _) => (&rdmap::TERM_TYPE_RDMA, &rdmap::TERM_CODE_RDMA),
        (1, 1) => (&rdmap::TERM_TYPE_DDP, &rdmap::TERM_CODE_TAGGED),
        (1, 2) => (&rdmap::TERM_TYPE_DDP, &rdmap::TERM_CODE_UNTAGGED),
        (1, _) => (&rdmap::TERM_TYPE_DDP, &rdmap::TERM_CODE),
        (2, 0) => (&rdmap::TERM_TYPE_LLP, &rdmap::TERM_CODE_LLP),
        (2, _) => (&rdmap::TERM_TYPE_LLP, &rdmap::TERM_CODE),
        _ => (&rdmap::TERM_TYPE, &rdmap::TERM_CODE),
    };
    part.bits(4, error_type, 0, 4, 4);
    part.number(4, code, 1, 1);
    part.value(4, &rdmap::TERM_HEADER_CONTROL, Value::None, 2, 1);
    part.bits(5, &rdmap::TERM_M, 2, 0, 1);
    part.bits(5, &rdmap::TERM_D, 2, 1, 1);
    part.bits(5, &rdmap::TERM_R, 2, 2, 1);
    let words = meaning(view.layer(), view.error_type(), view.error_code());
    let words = Value::Text(words.into());
    part.tree.push_generated(4, &rdmap::TERM_MEANING, words);
    part.bits(3, &rdmap::TERM_RESERVED, 2, 3, 13);
    let mut at = CONTROL;
    if view.ddp_segment_length.is_some() {
        part.bytes(3, &rdmap::TERM_SEGMENT_LENGTH, at, 2);
        at += 2;
    }
    if let Some(header) = view.ddp_header {
        part.bytes(3, &rdmap::TERM_DDP_HEADER, at, header.bytes().len());
        at += nested_ddp(part, 4, &header, at);
    }
    if view.rdmap_header.is_some() {
        part.bytes(3, &rdmap::TERM_RDMA_HEADER, at, ReadRequestView::LENGTH);
        at += nested_read(part, 4, at);
    }
    if let Some(cut) = view.cut {
        part.tree.push_generated(3, &rdmap::TERM_CUT, Value::Text(cut.to_string().into()));
    }
    if !view.rest.is_empty() {
        part.bytes(3, &rdmap::TERM_UNEXPLAINED, at, length - at);
    }
    if let Some(other) = Reading::swapped(&view) {
        part.value(3, &rdmap::TERM_SWAPPED, Value::None, 2, length - 2);
        let words = Value::Text(other.meaning().into());
        part.tree.push_generated(4, &rdmap::TERM_MEANING, words);
        let mut end = at;
        if let Some(header) = other.header {
            end += 2;
            end += nested_ddp(part, 4, &header, end);
        }
        if other.read_request.is_some() {
            end += nested_read(part, 4, end);
        }
        debug_assert!(end <= length);
    }
}

fn nested_ddp(part: &mut Part<'_, '_>, depth: u8, header: &HeaderView<'_>, at: usize) -> usize {
    part.bits(depth, &rdmap::TERM_TAGGED_FLAG, at, 0, 1);
    part.bits(depth, &rdmap::TERM_LAST_FLAG, at, 1, 1);
    part.bits(depth, &rdmap::TERM_DDP_VERSION, at, 6, 2);
    part.bits(depth, &rdmap::TERM_OPCODE, at + 1, 3, 5);
    match header {
        HeaderView::Tagged(_) => {
            let fields = [&rdmap::TERM_STEERING_TAG, &rdmap::TERM_TAGGED_OFFSET];
            part.figure(depth, at, &TaggedView::PLACES[1..], fields);
            TaggedView::LENGTH
        }
        HeaderView::Untagged(_) => {
            let fields = [
                &rdmap::TERM_QUEUE_NUMBER,
                &rdmap::TERM_SEQUENCE_NUMBER,
                &rdmap::TERM_MESSAGE_OFFSET,
            ];
            part.figure(depth, at, &UntaggedView::PLACES[2..], fields);
            UntaggedView::LENGTH
        }
    }
}

fn nested_read(part: &mut Part<'_, '_>, depth: u8, at: usize) -> usize {
    let fields = [
        &rdmap::TERM_SINK_STEERING_TAG,
        &rdmap::TERM_SINK_TAGGED_OFFSET,
        &rdmap::TERM_READ_MESSAGE_SIZE,
        &rdmap::TERM_SOURCE_STEERING_TAG,
        &rdmap::TERM_SOURCE_TAGGED_OFFSET,
    ];
    part.figure(depth, at, ReadRequestView::PLACES, fields);
    ReadRequestView::LENGTH
}

// The nodes of what happened to an operation.

/// Returns a Terminate as a sentence, with the addresses of the two ends.
pub fn explanation(
    context: &ItemContext<'_>,
    item: &OperationItem<'_>,
    echo: Echo,
) -> Option<String> {
    let Event::Terminated(cause, bytes) = item.event else { return None };
    let view = TerminateView::parse(bytes).ok()?;
    let initiator = context.negotiation.initiator();
    let end = |side: Side| {
        let end = context.connection.ends[side.index()];
        match initiator {
            Some(initiator) if initiator == side => format!("the initiator {}", end.address),
            Some(_) => format!("the responder {}", end.address),
            None => format!("{}:{}", end.address, end.port),
        }
    };
    let sender = item.operation.requester;
    Some(explain(&Reading::of(&view), cause, &end(sender), &end(sender.peer()), echo))
}

/// Adds what happened to an operation.
pub(crate) fn push_operation(tree: &mut Tree, context: &ItemContext<'_>, item: &OperationItem<'_>) {
    let operation = item.operation;
    let index = tree.push_generated(0, &operation::WARPSCOPE, Value::None);
    let event = <&str>::from(item.event);
    let note = format!("{} {} {event}", operation.kind.name(), operation.number);
    if let Some(node) = tree.nodes.get_mut(index) {
        node.note = Some(note.into());
    }
    tree.push_generated(1, &operation::OPERATION, Value::None);
    let mut push = |field: FieldRef, value: Value| {
        tree.push_generated(2, field, value);
    };
    push(&operation::NUMBER, Value::Unsigned(operation.number));
    push(&operation::KIND, Value::Text(operation.kind.name().into()));
    push(&operation::EVENT, Value::Text(event.into()));
    push(&operation::OUTCOME, Value::Text(operation.outcome.word().into()));
    numbers(operation, context.negotiation, &mut push);
    let Event::Terminated(cause, bytes) = item.event else { return };
    if let Some(segment) = &cause.segment {
        push(&operation::CAUSE_FRAME, Value::Unsigned(segment.frame));
        push(&operation::CAUSE_MESSAGE, Value::Unsigned(segment.message_number));
        push(&operation::CAUSE_EXACT, Value::Unsigned(cause.exact.into()));
    }
    let field = TerminateView::parse(bytes)
        .ok()
        .and_then(|view| field_at_fault(&Reading::of(&view), cause));
    if let Some(field) = field {
        push(&operation::CAUSE_FIELD, Value::Text(field.into()));
    }
    if let Some(words) = explanation(context, item, Echo::Reported) {
        push(&operation::EXPLANATION, Value::Text(words.into()));
    }
}

fn numbers(
    operation: &Operation,
    negotiation: &Negotiation,
    push: &mut dyn FnMut(FieldRef, Value),
) {
    let number = |number: u64| Value::Unsigned(number);
    push(&operation::FIRST_FRAME, number(operation.request.first_frame));
    push(&operation::REQUEST_FRAME, number(operation.request.last_frame));
    if let Some(region) = &operation.remote {
        push(&operation::STEERING_TAG, number(region.steering_tag.into()));
        push(&operation::TAGGED_OFFSET, number(region.tagged_offset));
        push(&operation::LENGTH, number(region.length));
    }
    if operation.kind.answered() {
        push(&operation::DEPTH, number(operation.depth.into()));
        if let Some(limit) = negotiation.depth(operation.requester) {
            push(&operation::DEPTH_LIMIT, number(limit.into()));
        }
    }
    let carrier = match (&operation.response, operation.kind.answered()) {
        (Some(response), _) => response,
        (None, true) => return,
        (None, false) => &operation.request,
    };
    push(&operation::BYTES, number(operation.bytes()));
    push(&operation::SEGMENTS, number(carrier.segments.into()));
    if carrier.repeated > 0 {
        push(&operation::REPEATED, number(carrier.repeated));
    }
    if let Some(pause) = carrier.pause {
        push(&operation::PAUSE, Value::Time(pause.length));
        push(&operation::PAUSE_FRAME, number(pause.frame));
        if pause.missed > 0 {
            push(&operation::PAUSE_MISSED, number(pause.missed.into()));
            push(&operation::PAUSE_WAITED, Value::Time(pause.waited));
        }
    }
    if operation.overtook > 0 {
        push(&operation::OVERTOOK, number(operation.overtook.into()));
    }
    if let Some(latency) = operation.latency() {
        push(&operation::LATENCY, Value::Time(latency));
    }
    if let Some(first) = operation.first_byte() {
        push(&operation::FIRST_BYTE, Value::Time(first));
    }
}
