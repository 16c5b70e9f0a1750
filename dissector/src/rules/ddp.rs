//! Judges DDP headers, and the order of the segments that make up messages.

use super::catalogue::ddp as rules;
use super::finding::Place;
use super::scene::Scene;
use super::state::SideState;
use crate::message::SegmentItem;
use warpscope_wire::ddp::{ControlView, DDP_VERSION, HeaderView, TaggedView, UntaggedView};

/// Queues that RDMAP uses.
const QUEUES: usize = 4;
/// Bytes that a message has at most, and one more.
const TOO_MANY: u64 = 1 << 32;
/// The opcode of a Read Response; the other tagged message is the Write.
const READ_RESPONSE: u8 = 2;

/// Bytes of a message that were left out so far.
#[derive(Debug, Clone, Copy)]
struct Hole {
    begin: u64,
    end: u64,
    /// Where they should have been sent.
    place: Place,
}

/// An untagged message whose last segment has not come.
#[derive(Debug, Clone, Copy)]
struct Open {
    sequence: u32,
    end: u64,
    reserved_for_ulp: [u8; 5],
    hole: Option<Hole>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Queue {
    /// The MSN of the next message, when that is known.
    next: Option<u32>,
    /// True when a message of this queue was seen.
    used: bool,
    open: Option<Open>,
    /// Bytes of the last message that ended.
    ended: u64,
}

#[derive(Debug, Clone, Copy)]
struct OpenTagged {
    steering_tag: u32,
    end: u64,
}

/// The messages of a direction that are under way.
#[derive(Debug, Default)]
pub(super) struct Messages {
    queues: [Queue; QUEUES],
    /// A Write, a Read Response.
    tagged: [Option<OpenTagged>; 2],
}

impl Messages {
    /// Nothing was sent yet.
    pub(super) fn at_beginning() -> Self {
        let queue = Queue { next: Some(1), ..Queue::default() };
        Self { queues: [queue; QUEUES], tagged: [None; 2] }
    }

    /// Bytes are missing: nothing is known of what comes next.
    pub(super) fn after_loss() -> Self {
        Self::default()
    }
}

/// Judges a segment.
pub(super) fn judge(side: &mut SideState, item: &SegmentItem<'_>, scene: &mut Scene<'_>) {
    let header = match &item.header {
        Ok(header) => *header,
        Err(_) if !item.fpdu.complete => {
            side.lost();
            return;
        }
        Err(malformed) => {
            let length = item.fpdu.ulpdu_length;
            let text = format!("The ULPDU has {length} bytes: {malformed}.");
            scene.broken(&rules::HEADER_SHORT, text);
            side.lost();
            return;
        }
    };
    if !header.control().legal() {
        control(header.control(), scene);
    }
    if let Some(completed) = &item.completed
        && completed.whole
        && completed.length == 0
        && completed.segments > 1
    {
        let text = format!("The message has {} segments and no bytes.", completed.segments);
        scene.broken(&rules::EMPTY, text);
    }
    match header {
        HeaderView::Tagged(view) => {
            let slot = usize::from(view.rsvd_ulp() & 0x1f == READ_RESPONSE);
            if let Some(open) = side.messages.tagged.get_mut(slot) {
                tagged(open, &view, item.payload_length, scene);
            }
        }
        HeaderView::Untagged(view) => {
            let number = view.queue_number() as usize;
            if let Some(queue) = side.messages.queues.get_mut(number) {
                untagged(queue, &view, item.payload_length, scene);
            }
        }
    }
}

fn control(control: ControlView, scene: &mut Scene<'_>) {
    if control.reserved() != 0 {
        let text = format!("The DDP control byte is {:#04x}.", control.0);
        scene.broken(&rules::RESERVED, text);
    }
    if control.ddp_version() != DDP_VERSION {
        let tagged = control.tagged();
        let rule = if tagged { &rules::VERSION_TAGGED } else { &rules::VERSION_UNTAGGED };
        scene.broken(rule, format!("The DDP version is {}.", control.ddp_version()));
    }
}

fn tagged(
    open: &mut Option<OpenTagged>,
    view: &TaggedView<'_>,
    length: u32,
    scene: &mut Scene<'_>,
) {
    let (steering_tag, offset) = (view.steering_tag(), view.tagged_offset());
    // STag and TO of a segment of no bytes mean nothing (RFC 5041 section 5.2).
    if let Some(before) = *open
        && length > 0
    {
        if before.steering_tag != steering_tag {
            let text = format!(
                "The STag is {steering_tag:#010x}; the segment before has {:#010x} and no L bit.",
                before.steering_tag
            );
            scene.broken(&rules::TAGGED_STAG, text);
        } else if before.end != offset {
            let text = format!(
                "The TO is {offset:#x}; the segment before ended at {:#x} and has no L bit.",
                before.end
            );
            scene.broken(&rules::TAGGED_OFFSET, text);
        }
    }
    if length > 0 && offset.checked_add(length.into()).is_none() {
        let text = format!("The TO is {offset:#x} and the segment has {length} bytes.");
        scene.broken(&rules::TAGGED_WRAP, text);
    }
    let end = offset.wrapping_add(length.into());
    *open = (!view.control().last()).then_some(OpenTagged { steering_tag, end });
}

fn untagged(queue: &mut Queue, view: &UntaggedView<'_>, length: u32, scene: &mut Scene<'_>) {
    let (sequence, offset) = (view.message_sequence_number(), u64::from(view.message_offset()));
    let end = offset + u64::from(length);
    if end >= TOO_MANY {
        let text = format!("MO is {offset} and the segment has {length} bytes.");
        scene.broken(&rules::MESSAGE_LENGTH, text);
    }
    let known = queue.next.is_some();
    let mut open = match queue.open.take() {
        Some(mut open) if open.sequence == sequence => {
            goes_on(&mut open, view, offset, end, scene);
            open
        }
        unfinished => {
            if let Some(open) = unfinished {
                unfilled(&open, scene);
                let text = format!(
                    "Message {sequence} begins; message {} has {} bytes so far and no segment with the L bit.",
                    open.sequence, open.end
                );
                scene.broken(&rules::LAST, text);
            }
            if queue.used && queue.next == Some(sequence.wrapping_add(1)) && offset > 0 {
                let text = format!(
                    "MO is {offset}; message {sequence} ended with the L bit behind {} bytes.",
                    queue.ended
                );
                scene.broken(&rules::AFTER_LAST, text);
                return;
            }
            begins(queue, sequence, view.queue_number(), scene);
            let hole =
                (known && offset > 0).then_some(Hole { begin: 0, end: offset, place: scene.place });
            Open { sequence, end, reserved_for_ulp: view.rsvd_ulp(), hole }
        }
    };
    queue.used = true;
    queue.next = Some(sequence.wrapping_add(1));
    open.end = open.end.max(end);
    if view.control().last() {
        queue.ended = open.end;
        unfilled(&open, scene);
    } else {
        queue.open = Some(open);
    }
}

/// The first segment of a message: its number.
fn begins(queue: &Queue, sequence: u32, number: u32, scene: &mut Scene<'_>) {
    let Some(expected) = queue.next.filter(|next| *next != sequence) else { return };
    if queue.used {
        let text = format!("The MSN on queue {number} is {sequence}; {expected} is due.");
        scene.broken(&rules::SEQUENCE, text);
    } else {
        let text = format!("The first MSN on queue {number} is {sequence}.");
        scene.broken(&rules::SEQUENCE_FIRST, text);
    }
}

/// A further segment of a message.
fn goes_on(open: &mut Open, view: &UntaggedView<'_>, offset: u64, end: u64, scene: &mut Scene<'_>) {
    if open.reserved_for_ulp != view.rsvd_ulp() {
        let text = format!(
            "The RsvdULP bytes are {:02x?}; the message's first segment has {:02x?}.",
            view.rsvd_ulp(),
            open.reserved_for_ulp
        );
        scene.broken(&rules::RESERVED_FOR_ULP, text);
    }
    match open.hole {
        _ if offset == open.end => {}
        None if offset > open.end => {
            open.hole = Some(Hole { begin: open.end, end: offset, place: scene.place });
        }
        Some(hole) if offset == hole.begin && end <= hole.end => {
            open.hole = (end < hole.end).then_some(Hole { begin: end, ..hole });
            if open.hole.is_none() {
                let text = format!(
                    "The segment with MO {} was sent before that with MO {offset}.",
                    hole.end
                );
                scene.broken_at(hole.place, &rules::ORDER, text);
            }
        }
        _ => {
            let text = format!("MO is {offset}; {} bytes of the message were sent.", open.end);
            scene.broken(&rules::OFFSET, text);
        }
    }
    open.end = open.end.max(end);
}

/// A message ends: bytes that were left out will not come.
fn unfilled(open: &Open, scene: &mut Scene<'_>) {
    if let Some(hole) = open.hole {
        let text =
            format!("MO is {}; {} bytes of the message were sent before.", hole.end, hole.begin);
        scene.broken_at(hole.place, &rules::OFFSET, text);
    }
}
