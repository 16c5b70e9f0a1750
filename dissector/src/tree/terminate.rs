//! The nodes of a Terminate and of the headers nested in it.
//!
//! The nodes follow RFC 5040 figure 8; where only another reading makes sense
//! ([`Reading::swapped`]), that is added under a heading of its own.

use super::node::Value;
use super::part::Part;
use crate::field::rdmap as fields;
use crate::operation::{Reading, meaning};
use warpscope_wire::ddp::{HeaderView, TaggedView, UntaggedView};
use warpscope_wire::rdmap::{ReadRequestView, TerminateView};

/// Bytes of Terminate Control and reserved bits.
const CONTROL: usize = 4;

pub(super) fn push_terminate(part: &mut Part<'_, '_>) {
    let Ok(view) = TerminateView::parse(part.bytes) else { return };
    let length = part.bytes.len();
    part.value(2, &fields::TERMINATE, Value::None, 0, length);
    part.value(3, &fields::TERM_CONTROL, Value::None, 0, 3);
    part.bits(4, &fields::TERM_LAYER, 0, 0, 4);
    let (error_type, code) = match (view.layer(), view.error_type()) {
        // A local catastrophic error has no code: any value will do (RFC 5040 figure 9).
        (0, 0) => (&fields::TERM_TYPE_RDMA, &fields::TERM_CODE),
        (0, _) => (&fields::TERM_TYPE_RDMA, &fields::TERM_CODE_RDMA),
        (1, 1) => (&fields::TERM_TYPE_DDP, &fields::TERM_CODE_TAGGED),
        (1, 2) => (&fields::TERM_TYPE_DDP, &fields::TERM_CODE_UNTAGGED),
        (1, _) => (&fields::TERM_TYPE_DDP, &fields::TERM_CODE),
        (2, 0) => (&fields::TERM_TYPE_LLP, &fields::TERM_CODE_LLP),
        (2, _) => (&fields::TERM_TYPE_LLP, &fields::TERM_CODE),
        _ => (&fields::TERM_TYPE, &fields::TERM_CODE),
    };
    part.bits(4, error_type, 0, 4, 4);
    part.number(4, code, 1, 1);
    part.value(4, &fields::TERM_HEADER_CONTROL, Value::None, 2, 1);
    part.bits(5, &fields::TERM_M, 2, 0, 1);
    part.bits(5, &fields::TERM_D, 2, 1, 1);
    part.bits(5, &fields::TERM_R, 2, 2, 1);
    let words = meaning(view.layer(), view.error_type(), view.error_code());
    let words = Value::Text(words.into());
    part.tree.push_generated(4, &fields::TERM_MEANING, words);
    part.bits(3, &fields::TERM_RESERVED, 2, 3, 13);
    let mut at = CONTROL;
    if view.ddp_segment_length.is_some() {
        part.bytes(3, &fields::TERM_SEGMENT_LENGTH, at, 2);
        at += 2;
    }
    if let Some(header) = view.ddp_header {
        part.bytes(3, &fields::TERM_DDP_HEADER, at, header.bytes().len());
        at += nested_ddp(part, 4, &header, at);
    }
    if view.rdmap_header.is_some() {
        part.bytes(3, &fields::TERM_RDMA_HEADER, at, ReadRequestView::LENGTH);
        at += nested_read(part, 4, at);
    }
    if let Some(cut) = view.cut {
        part.tree.push_generated(3, &fields::TERM_CUT, Value::Text(cut.to_string().into()));
    }
    if view.rest.is_empty() {
        return;
    }
    part.bytes(3, &fields::TERM_UNEXPLAINED, at, length - at);
    if let Some(other) = Reading::swapped(&view) {
        part.value(3, &fields::TERM_SWAPPED, Value::None, 2, length - 2);
        let words = Value::Text(other.meaning().into());
        part.tree.push_generated(4, &fields::TERM_MEANING, words);
        let at = at + 2;
        let mut end = at + other.header.map_or(0, |header| nested_ddp(part, 4, &header, at));
        if other.read_request.is_some() {
            end += nested_read(part, 4, end);
        }
        debug_assert!(end <= length);
    }
}

fn nested_ddp(part: &mut Part<'_, '_>, depth: u8, header: &HeaderView<'_>, at: usize) -> usize {
    part.bits(depth, &fields::TERM_TAGGED_FLAG, at, 0, 1);
    part.bits(depth, &fields::TERM_LAST_FLAG, at, 1, 1);
    part.bits(depth, &fields::TERM_DDP_VERSION, at, 6, 2);
    part.bits(depth, &fields::TERM_OPCODE, at + 1, 3, 5);
    match header {
        HeaderView::Tagged(_) => {
            part.number(depth, &fields::TERM_STEERING_TAG, at + 2, 4);
            part.number(depth, &fields::TERM_TAGGED_OFFSET, at + 6, 8);
            TaggedView::LENGTH
        }
        HeaderView::Untagged(_) => {
            part.number(depth, &fields::TERM_QUEUE_NUMBER, at + 6, 4);
            part.number(depth, &fields::TERM_SEQUENCE_NUMBER, at + 10, 4);
            part.number(depth, &fields::TERM_MESSAGE_OFFSET, at + 14, 4);
            UntaggedView::LENGTH
        }
    }
}

fn nested_read(part: &mut Part<'_, '_>, depth: u8, at: usize) -> usize {
    part.number(depth, &fields::TERM_SINK_STEERING_TAG, at, 4);
    part.number(depth, &fields::TERM_SINK_TAGGED_OFFSET, at + 4, 8);
    part.number(depth, &fields::TERM_READ_MESSAGE_SIZE, at + 12, 4);
    part.number(depth, &fields::TERM_SOURCE_STEERING_TAG, at + 16, 4);
    part.number(depth, &fields::TERM_SOURCE_TAGGED_OFFSET, at + 20, 8);
    ReadRequestView::LENGTH
}
