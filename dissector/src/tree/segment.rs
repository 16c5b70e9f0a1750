//! The nodes of a DDP segment and its RDMAP message.

use super::fpdu::push_fpdu;
use super::node::{Tree, Value};
use super::part::Part;
use super::place::{FramePlace, Run};
use super::rdmap::{Payload, push_payload};
use super::rpc::push_transport;
use crate::field::{ddp, link, rdmap};
use crate::message::SegmentItem;
use crate::operation::OperationRef;
use warpscope_wire::ddp::HeaderView as DdpHeader;
use warpscope_wire::rdmap::{Payload as Carries, RdmapControlView};

/// Adds an FPDU: MPA, DDP and RDMAP layers, and what a completed Send carries. Returns where what
/// follows an RPC-over-RDMA header is.
pub(crate) fn push_segment(
    tree: &mut Tree,
    frame: FramePlace,
    item: &SegmentItem<'_>,
    link: &OperationRef,
) -> Option<Run> {
    let run = push_fpdu(tree, frame, item.fpdu);
    // The ULPDU stands behind the length field.
    let run = Run { start: run.start + 2, ..run };
    let ulpdu = item.fpdu.ulpdu();
    let mut part = Part { tree, source: run.source, start: run.start, bytes: ulpdu };
    part.layer(0, &ddp::DDP_RDMAP, None);
    let header = match item.header {
        Ok(header) => header,
        Err(malformed) => {
            let text = Value::Text(malformed.to_string().into());
            part.tree.push_generated(1, &ddp::MALFORMED, text);
            return None;
        }
    };
    let length = header.bytes().len();
    part.value(1, &ddp::DDP, Value::None, 0, length);
    part.value(2, &ddp::CONTROL, Value::None, 0, 1);
    part.bits(3, &ddp::TAGGED_FLAG, 0, 0, 1);
    part.bits(3, &ddp::LAST_FLAG, 0, 1, 1);
    part.bits(3, &ddp::RESERVED, 0, 2, 4);
    part.bits(3, &ddp::VERSION, 0, 6, 2);
    match header {
        DdpHeader::Tagged(_) => {
            part.value(2, &ddp::TAGGED, Value::None, 2, 12);
            part.number(3, &ddp::STEERING_TAG, 2, 4);
            part.number(3, &ddp::TAGGED_OFFSET, 6, 8);
        }
        DdpHeader::Untagged(_) => {
            part.bytes(2, &ddp::RESERVED_ULP, 1, 5);
            part.value(2, &ddp::UNTAGGED, Value::None, 6, 12);
            part.number(3, &ddp::QUEUE_NUMBER, 6, 4);
            part.number(3, &ddp::MESSAGE_SEQUENCE_NUMBER, 10, 4);
            part.number(3, &ddp::MESSAGE_OFFSET, 14, 4);
        }
    }
    rdmap_header(&mut part, item, header);
    let payload = Payload {
        bytes: item.payload,
        source: run.source,
        start: run.start + length as u32,
        first_segment: item.before == 0,
    };
    push_payload(tree, item, &payload);
    message(tree, item, link);
    content(tree, item, &payload)
}

fn rdmap_header(part: &mut Part<'_, '_>, item: &SegmentItem<'_>, header: DdpHeader<'_>) {
    let control = RdmapControlView(header.rdmap_control());
    part.value(1, &rdmap::RDMAP, Value::None, 1, header.bytes().len() - 1);
    part.value(2, &rdmap::CONTROL, Value::None, 1, 1);
    part.bits(3, &rdmap::VERSION, 1, 0, 2);
    // Five opcode bits where a message of the drafts uses the fifth.
    let five = control.opcode() > 0x0f && item.message.is_some();
    let opcode_bits = if five { 5 } else { 4 };
    part.bits(3, &rdmap::RESERVED_BITS, 1, 2, 6 - opcode_bits);
    part.bits(3, &rdmap::OPCODE, 1, 8 - opcode_bits, opcode_bits);
    if let Some(message) = item.message {
        let name = Value::Text(message.info().name.into());
        part.tree.push_generated(3, &rdmap::MESSAGE, name);
    }
    if matches!(header, DdpHeader::Untagged(_)) {
        if item.message.is_some_and(|message| message.info().invalidates) {
            part.number(2, &rdmap::INVALIDATE_STEERING_TAG, 2, 4);
        } else {
            part.bytes(2, &rdmap::RESERVED, 2, 4);
        }
    }
}

/// What is known of the message as a whole.
fn message(tree: &mut Tree, item: &SegmentItem<'_>, link: &OperationRef) {
    let mut push = |field, value| tree.push_generated(2, field, Value::Unsigned(value));
    push(&rdmap::PAYLOAD_LENGTH, item.payload_length.into());
    push(&rdmap::MESSAGE_NUMBER, item.number);
    if let Some(number) = link.operation {
        push(&rdmap::MESSAGE_OPERATION, number);
    }
    if let Some(frame) = link.request_frame {
        push(&rdmap::MESSAGE_REQUEST_FRAME, frame);
    }
    if let Some(completed) = &item.completed {
        push(&rdmap::MESSAGE_FIRST_FRAME, completed.first_frame);
        push(&rdmap::MESSAGE_SEGMENTS, completed.segments.into());
        push(&rdmap::MESSAGE_LENGTH, completed.length);
        push(&rdmap::MESSAGE_COMPLETE, completed.whole.into());
    }
}

/// What the message carries: RPC-over-RDMA, or just data.
fn content(tree: &mut Tree, item: &SegmentItem<'_>, payload: &Payload<'_>) -> Option<Run> {
    if let Some((completed, transport)) =
        item.completed.as_ref().and_then(|done| Some((done, done.transport.as_ref()?)))
    {
        let run = if completed.segments > 1 {
            let source = tree.add_source("Reassembled Send", completed.bytes);
            let (at, length) = (u32::try_from(item.before), payload.bytes.len() as u32);
            if let Ok(at) = at {
                let from = Run { source: payload.source, start: payload.start };
                tree.came_from(source, at, length, from);
            }
            Run { source, start: 0 }
        } else {
            Run { source: payload.source, start: payload.start }
        };
        return Some(push_transport(tree, run, completed.bytes, transport));
    }
    let carries = item
        .message
        .is_none_or(|message| message.is_send() || matches!(message.info().payload, Carries::Ulp));
    if carries && !payload.bytes.is_empty() {
        let (source, start, bytes) = (payload.source, payload.start, payload.bytes);
        let mut part = Part { tree, source, start, bytes };
        part.layer(0, &link::DATA, Some(format!("{} bytes", bytes.len())));
        part.bytes(1, &link::DATA_BYTES, 0, bytes.len());
        part.derived(1, &link::DATA_LENGTH, bytes.len() as u64);
    }
    None
}
