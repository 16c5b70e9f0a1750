//! The nodes of an MPA setup frame.

use super::node::{Tree, Value};
use super::part::Part;
use super::place::{FramePlace, locate};
use crate::field::mpa as fields;
use crate::mpa::SetupItem;
use warpscope_wire::mpa::{
    KEY_LENGTH, MAX_PRIVATE_DATA, RdmaPrivateDataView, Role, SETUP_HEADER_LENGTH,
};

const FLAGS: usize = KEY_LENGTH;

/// Adds a setup frame.
pub fn push_setup(tree: &mut Tree, frame: FramePlace, item: &SetupItem<'_>) {
    let run = locate(tree, frame, item.bytes, item.spans, "Reassembled MPA setup frame");
    let mut part = Part { tree, source: run.source, start: run.start, bytes: item.bytes };
    let header = item.view.header;
    let (heading, key) = match header.role() {
        Some(Role::Reply) => (&fields::REPLY, &fields::KEY_REPLY),
        _ => (&fields::REQUEST, &fields::KEY_REQUEST),
    };
    let length = item.bytes.len();
    part.layer(0, &fields::MPA, None);
    part.value(1, heading, Value::None, 0, length);
    part.bytes(2, key, 0, KEY_LENGTH);
    part.bits(2, &fields::MARKER_FLAG, FLAGS, 0, 1);
    part.bits(2, &fields::CRC_FLAG, FLAGS, 1, 1);
    part.bits(2, &fields::REJECTED_FLAG, FLAGS, 2, 1);
    if header.rejected() && header.role() == Some(Role::Request) {
        part.value(3, &fields::REJECT_IN_REQUEST, Value::None, FLAGS, 1);
    }
    if header.revision() >= 2 {
        part.bits(2, &fields::ENHANCED_FLAG, FLAGS, 3, 1);
        part.bits(2, &fields::RESERVED, FLAGS, 4, 4);
    } else {
        part.bits(2, &fields::RESERVED, FLAGS, 3, 5);
    }
    if header.reserved() != 0 {
        part.value(3, &fields::RESERVED_NOT_ZERO, Value::None, FLAGS, 1);
    }
    part.number(2, &fields::REVISION, FLAGS + 1, 1);
    if header.revision() > 2 {
        part.value(3, &fields::REVISION_NOT_KNOWN, Value::None, FLAGS + 1, 1);
    }
    part.number(2, &fields::PRIVATE_DATA_LENGTH, FLAGS + 2, 2);
    if usize::from(header.private_data_length()) > MAX_PRIVATE_DATA {
        part.value(3, &fields::BAD_LENGTH, Value::None, FLAGS + 2, 2);
    }
    if length > SETUP_HEADER_LENGTH {
        part.bytes(2, &fields::PRIVATE_DATA, SETUP_HEADER_LENGTH, length - SETUP_HEADER_LENGTH);
        private_data(&mut part, item);
    }
}

fn private_data(part: &mut Part<'_, '_>, item: &SetupItem<'_>) {
    let at = SETUP_HEADER_LENGTH;
    let mut ulp_at = at;
    if item.view.enhanced().is_some() {
        part.value(3, &fields::ENHANCED, Value::None, at, 4);
        part.bits(4, &fields::ENHANCED_A, at, 0, 1);
        part.bits(4, &fields::ENHANCED_B, at, 1, 1);
        part.bits(4, &fields::ENHANCED_IRD, at, 2, 14);
        part.bits(4, &fields::ENHANCED_C, at + 2, 0, 1);
        part.bits(4, &fields::ENHANCED_D, at + 2, 1, 1);
        part.bits(4, &fields::ENHANCED_ORD, at + 2, 2, 14);
        ulp_at += 4;
    }
    let Ok((view, _)) = RdmaPrivateDataView::parse(item.view.ulp_private_data()) else { return };
    if view.recognised() {
        part.value(3, &fields::RDMA_PRIVATE_DATA, Value::None, ulp_at, 8);
        part.number(4, &fields::RDMA_MAGIC, ulp_at, 4);
        part.number(4, &fields::RDMA_VERSION, ulp_at + 4, 1);
        part.bits(4, &fields::RDMA_INVALIDATION, ulp_at + 5, 7, 1);
        let (send, receive) = (view.send_size(), view.receive_size());
        part.value(4, &fields::RDMA_SEND_SIZE, Value::Unsigned(send.into()), ulp_at + 6, 1);
        part.value(4, &fields::RDMA_RECEIVE_SIZE, Value::Unsigned(receive.into()), ulp_at + 7, 1);
    }
}
