//! Judges RDMAP's control byte, and the headers of messages.

use super::catalogue::rdmap as rules;
use super::rule::Rule;
use super::scene::Scene;
use super::state::SideState;
use crate::message::SegmentItem;
use warpscope_wire::ddp::HeaderView;
use warpscope_wire::rdmap::{
    AtomicRequestView, AtomicWriteRequestView, Buffer, IMMEDIATE_LENGTH, Message, Payload,
    RdmapControlView, atomic_operation_name,
};

/// Bytes that an Atomic Write writes.
const ATOMIC_WRITE: u32 = 8;
const FETCH_ADD: u8 = 0;
const SWAP: u8 = 1;

/// Judges a segment.
pub(super) fn judge(side: &mut SideState, item: &SegmentItem<'_>, scene: &mut Scene<'_>) {
    let Ok(header) = item.header else { return };
    let byte = RdmapControlView(header.rdmap_control());
    let version = byte.rdmap_version();
    if version == 3 {
        let text = format!("RV is 3: the RDMAP control byte is {:#04x}.", byte.0);
        scene.broken(&rules::VERSION, text);
    }
    if byte.reserved() != 0 {
        let text = format!("The RDMAP control byte is {:#04x}.", byte.0);
        scene.broken(&rules::RESERVED, text);
    }
    // The messages of rdma-commit have RV 1, whatever the others have (its section 3.1).
    let commit = item.message.is_some_and(|message| {
        (Message::FlushRequest..=Message::AtomicWriteResponse).contains(&message)
    });
    match side.version_2 {
        Some(since) if version != 2 && !commit && !side.told.version_mixed => {
            side.told.version_mixed = true;
            let text = format!("RV is {version}; the side uses RV 2 since frame {since}.");
            scene.broken(&rules::VERSION_MIXED, text);
        }
        None if version == 2 => side.version_2 = Some(scene.place.frame),
        _ => {}
    }
    let Some(message) = item.message else {
        let text = format!("The opcode is {:#04x} under RV {version}.", byte.opcode());
        scene.broken(&rules::OPCODE, text);
        return;
    };
    let info = message.info();
    match (info.buffer, header) {
        (Buffer::Tagged, HeaderView::Tagged(_)) => return,
        (Buffer::Queue(due), HeaderView::Untagged(view)) => {
            if view.queue_number() != due {
                let text = format!(
                    "{} on queue {}; queue {due} is its own.",
                    info.name,
                    view.queue_number()
                );
                scene.broken(&rules::QUEUE, text);
            }
            if view.rsvd_ulp_word() != 0 && !message.may_invalidate() {
                let text = format!(
                    "{}: the Invalidate STag field is {:#010x}.",
                    info.name,
                    view.rsvd_ulp_word()
                );
                scene.broken(&rules::INVALIDATE, text);
            }
        }
        (_, header) => {
            let is = if header.control().tagged() { "tagged" } else { "untagged" };
            scene.broken(&rules::TAGGED_FLAG, format!("{}: the segment is {is}.", info.name));
            return;
        }
    }
    if (Message::FlushRequest..=Message::AtomicWriteResponse).contains(&message) && version != 1 {
        let text = format!("{}: RV is {version}.", info.name);
        scene.broken(&rules::COMMIT_VERSION, text);
    }
    contents(message, item, scene);
}

/// The message, where this segment completes it.
fn contents(message: Message, item: &SegmentItem<'_>, scene: &mut Scene<'_>) {
    let Some(completed) = &item.completed else { return };
    let info = message.info();
    if info.payload == Payload::UlpThenImmediate {
        if item.payload_length as usize != IMMEDIATE_LENGTH {
            let text = format!(
                "{}: the last segment has {} bytes; 8 are due.",
                info.name, item.payload_length
            );
            scene.broken(&rules::IMMEDIATE_ALONE, text);
        }
        return;
    }
    let first = matches!(item.header, Ok(HeaderView::Untagged(view)) if view.message_offset() == 0);
    // The length is right where every segment was seen, whether cut or not.
    let all_seen = completed.whole || (completed.segments == 1 && first);
    if !all_seen {
        return;
    }
    if let Some(rule) = length_rule(message) {
        let length = completed.length as usize;
        let (wrong, due) = match info.payload {
            Payload::Header(due) => (length != due, due),
            Payload::AtLeast(due) => (length < due, due),
            Payload::Nothing => (length != 0, 0),
            Payload::Ulp | Payload::UlpThenImmediate => (false, 0),
        };
        if wrong {
            let at_least =
                if matches!(info.payload, Payload::AtLeast(_)) { "at least " } else { "" };
            let text = format!("{} of {length} bytes; {at_least}{due} are due.", info.name);
            scene.broken(rule, text);
            return;
        }
    }
    match message {
        Message::AtomicRequest => atomic(completed.bytes, scene),
        Message::AtomicWriteRequest => {
            let Ok((view, _)) = AtomicWriteRequestView::parse(completed.bytes) else { return };
            if view.data_sink_length() != ATOMIC_WRITE {
                let text = format!("The length is {}.", view.data_sink_length());
                scene.broken(&rules::ATOMIC_WRITE_DATA, text);
            }
        }
        _ => {}
    }
}

/// The rule on the length of a message with a header of its own.
fn length_rule(message: Message) -> Option<&'static Rule> {
    Some(match message {
        Message::ReadRequest => &rules::READ_REQUEST_LENGTH,
        Message::Terminate => &rules::TERMINATE_SHORT,
        Message::Immediate | Message::ImmediateSolicited => &rules::IMMEDIATE_LENGTH,
        Message::AtomicRequest | Message::AtomicResponse => &rules::ATOMIC_LENGTH,
        Message::FlushRequest | Message::FlushResponse => &rules::FLUSH_LENGTH,
        Message::VerifyRequest => &rules::VERIFY_LENGTH,
        Message::AtomicWriteRequest | Message::AtomicWriteResponse => &rules::ATOMIC_WRITE_LENGTH,
        Message::ReadV2Request => &rules::READ_V2_LENGTH,
        _ => return None,
    })
}

fn atomic(bytes: &[u8], scene: &mut Scene<'_>) {
    let Ok((view, _)) = AtomicRequestView::parse(bytes) else { return };
    if view.reserved() != 0 {
        let text = format!("The 28 reserved bits are {:#09x}.", view.reserved());
        scene.broken(&rules::ATOMIC_RESERVED, text);
    }
    let code = view.atomic_opcode();
    let Some(name) = atomic_operation_name(code) else {
        scene.broken(&rules::ATOMIC_CODE, format!("The Atomic Operation Code is {code}."));
        return;
    };
    let (data, mask) = (view.compare_data(), view.compare_mask());
    if matches!(code, FETCH_ADD | SWAP) && (data != 0 || mask != u64::MAX) {
        let text = format!("{name} with Compare Data {data:#x} and Compare Mask {mask:#x}.");
        scene.broken(&rules::ATOMIC_OPERANDS, text);
    }
    if code == SWAP && view.add_or_swap_mask() != u64::MAX {
        let text = format!("{name} with Swap Mask {:#x}.", view.add_or_swap_mask());
        scene.broken(&rules::ATOMIC_OPERANDS, text);
    }
}
