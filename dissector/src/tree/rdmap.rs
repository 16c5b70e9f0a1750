//! The nodes of the headers that RDMAP messages carry in their payload.

use super::node::{SourceId, Tree, Value};
use super::part::Part;
use super::terminate::push_terminate;
use crate::field::rdmap as fields;
use crate::message::SegmentItem;
use warpscope_wire::rdmap::{
    AtomicRequestView, AtomicResponseView, AtomicWriteRequestView, FlushRequestView,
    IMMEDIATE_LENGTH, Message, Payload as Carries, ReadRequestView, ReadV2RequestView,
    VerifyRequestView,
};

/// A segment's payload and where it stands.
pub(super) struct Payload<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) source: SourceId,
    pub(super) start: u32,
    /// True for the first segment of its message: the header is in it.
    pub(super) first_segment: bool,
}

/// Adds the header that the message's payload begins with, if it has one.
pub(super) fn push_payload(tree: &mut Tree, item: &SegmentItem<'_>, payload: &Payload<'_>) {
    let Some(message) = item.message else { return };
    let bytes = payload.bytes;
    let mut part = Part { tree, source: payload.source, start: payload.start, bytes };
    let needed = match message.info().payload {
        Carries::Header(needed) | Carries::AtLeast(needed) if payload.first_segment => needed,
        Carries::UlpThenImmediate if last(item) => IMMEDIATE_LENGTH,
        _ => return,
    };
    if bytes.len() < needed && !item.fpdu.complete {
        // Not the sender's fault: the capture has no more of it.
        return;
    }
    if bytes.len() < needed {
        let text = format!(
            "{} carries at least {needed} bytes, {} are there",
            message.info().name,
            bytes.len()
        );
        part.tree.push_generated(2, &fields::MALFORMED, Value::Text(text.into()));
        return;
    }
    match message {
        Message::ReadRequest => read_request(&mut part),
        Message::ReadV2Request => read_v2(&mut part),
        Message::Terminate => push_terminate(&mut part),
        Message::AtomicRequest => atomic_request(&mut part),
        Message::AtomicResponse => {
            part.number(2, &fields::ATOMIC_ORIGINAL_ID, 0, 4);
            part.number(2, &fields::ATOMIC_ORIGINAL_VALUE, 4, 8);
            left_over(&mut part, AtomicResponseView::LENGTH);
        }
        Message::FlushRequest => {
            range(&mut part, FlushRequestView::LENGTH);
            part.number(3, &fields::FLUSH_FLAGS, 16, 4);
            part.bits(4, &fields::FLUSH_GLOBAL, 19, 6, 1);
            part.bits(4, &fields::FLUSH_PERSISTENCE, 19, 7, 1);
            left_over(&mut part, FlushRequestView::LENGTH);
        }
        Message::VerifyRequest => {
            range(&mut part, VerifyRequestView::LENGTH);
            hash(&mut part, VerifyRequestView::LENGTH);
        }
        Message::VerifyResponse => hash(&mut part, 0),
        Message::AtomicWriteRequest => {
            range(&mut part, AtomicWriteRequestView::LENGTH);
            part.number(3, &fields::ATOMIC_WRITE_DATA, 16, 8);
            left_over(&mut part, AtomicWriteRequestView::LENGTH);
        }
        Message::Immediate
        | Message::ImmediateSolicited
        | Message::SendImmediate
        | Message::SendInvalidateImmediate
        | Message::SendSolicitedImmediate
        | Message::SendSolicitedInvalidateImmediate => {
            part.number(2, &fields::IMMEDIATE_DATA, 0, IMMEDIATE_LENGTH);
            left_over(&mut part, IMMEDIATE_LENGTH);
        }
        _ => {}
    }
}

/// True for the segment that carries a Send's Immediate Data: the last one.
fn last(item: &SegmentItem<'_>) -> bool {
    item.header.is_ok_and(|header| header.control().last())
}

/// Bytes behind a header that nothing should follow.
fn left_over(part: &mut Part<'_, '_>, from: usize) {
    let more = part.bytes.len().saturating_sub(from);
    if more > 0 {
        let text = format!("{more} bytes more than the header has");
        part.tree.push_generated(2, &fields::MALFORMED, Value::Text(text.into()));
    }
}

fn read_request(part: &mut Part<'_, '_>) {
    part.value(2, &fields::READ_REQUEST, Value::None, 0, ReadRequestView::LENGTH);
    part.number(3, &fields::SINK_STEERING_TAG, 0, 4);
    part.number(3, &fields::SINK_TAGGED_OFFSET, 4, 8);
    part.number(3, &fields::READ_MESSAGE_SIZE, 12, 4);
    part.number(3, &fields::SOURCE_STEERING_TAG, 16, 4);
    part.number(3, &fields::SOURCE_TAGGED_OFFSET, 20, 8);
    left_over(part, ReadRequestView::LENGTH);
}

fn read_v2(part: &mut Part<'_, '_>) {
    part.value(2, &fields::READ_V2, Value::None, 0, ReadV2RequestView::LENGTH);
    part.number(3, &fields::READ_MESSAGE_SIZE, 0, 4);
    part.number(3, &fields::SOURCE_STEERING_TAG, 4, 4);
    part.number(3, &fields::SOURCE_TAGGED_OFFSET, 8, 8);
    left_over(part, ReadV2RequestView::LENGTH);
}

fn atomic_request(part: &mut Part<'_, '_>) {
    part.bits(2, &fields::ATOMIC_RESERVED, 0, 0, 28);
    let operation = part.bits(2, &fields::ATOMIC_OPCODE, 0, 28, 4);
    part.number(2, &fields::ATOMIC_REQUEST_ID, 4, 4);
    part.number(2, &fields::ATOMIC_REMOTE_STAG, 8, 4);
    part.number(2, &fields::ATOMIC_REMOTE_OFFSET, 12, 8);
    // The words carry what the operation uses; those that it does not use are fixed.
    let (data, mask) = match operation {
        Some(0) => (&fields::ATOMIC_ADD_DATA, &fields::ATOMIC_ADD_MASK),
        _ => (&fields::ATOMIC_SWAP_DATA, &fields::ATOMIC_SWAP_MASK),
    };
    part.number(2, data, 20, 8);
    part.number(2, mask, 28, 8);
    part.number(2, &fields::ATOMIC_COMPARE_DATA, 36, 8);
    part.number(2, &fields::ATOMIC_COMPARE_MASK, 44, 8);
    left_over(part, AtomicRequestView::LENGTH);
}

fn range(part: &mut Part<'_, '_>, length: usize) {
    part.value(2, &fields::COMMIT, Value::None, 0, length);
    part.number(3, &fields::COMMIT_STAG, 0, 4);
    part.number(3, &fields::COMMIT_LENGTH, 4, 4);
    part.number(3, &fields::COMMIT_OFFSET, 8, 8);
}

fn hash(part: &mut Part<'_, '_>, at: usize) {
    let length = part.bytes.len().saturating_sub(at);
    if length > 0 {
        part.bytes(2, &fields::VERIFY_HASH, at, length);
    }
}
