//! Judges DDP headers, and the order of the segments that make up messages.

use super::catalogue::{ddp as rules, rdmap};
use super::judge::Reporter;
use super::rule::{Place, Rule};
use super::state::SideState;
use crate::message::SegmentItem;
use warpscope_wire::ddp::{ControlView, DDP_VERSION, HeaderView, TaggedView, UntaggedView};
use warpscope_wire::rdmap::{
    AtomicRequestView, AtomicWriteRequestView, Buffer, IMMEDIATE_LENGTH, Message, Payload,
    RdmapControlView, atomic_operation_name,
};

/// Queues that RDMAP uses.
const QUEUES: usize = 4;
/// The maximum number of bytes of a message, plus one.
const TOO_MANY: u64 = 1 << 32;
/// The opcode of a Read Response; the other tagged message is the Write.
const READ_RESPONSE: u8 = 2;

/// Bytes of a message that have been left out so far.
#[derive(Debug, Clone, Copy)]
struct Hole {
    begin: u64,
    end: u64,
    /// Where they should have been sent.
    place: Place,
}

/// An untagged message whose last segment has not arrived.
#[derive(Debug, Clone, Copy)]
struct Open {
    sequence: u32,
    end: u64,
    reserved_for_ulp: [u8; 5],
    hole: Option<Hole>,
    /// True if all of it was seen from its first segment on, whichever that was.
    sure: bool,
}

#[derive(Debug, Clone, Copy, Default)]
struct Queue {
    /// The MSN of the next message, if known.
    next: Option<u32>,
    /// True if a message of this queue was seen.
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

/// The incomplete messages of a direction.
#[derive(Debug, Default)]
pub(super) struct Messages {
    /// True if nothing was sent before them.
    from_beginning: bool,
    /// Present from the first message on: many directions never have any.
    under_way: Option<Box<UnderWay>>,
}

/// State of the messages of a direction.
#[derive(Debug)]
struct UnderWay {
    queues: [Queue; QUEUES],
    /// A Write, a Read Response.
    tagged: [Option<OpenTagged>; 2],
}

impl Messages {
    /// Creates the state of a direction on which nothing has been sent yet.
    pub(super) fn at_beginning() -> Self {
        Self { from_beginning: true, under_way: None }
    }

    fn under_way(&mut self) -> &mut UnderWay {
        let next = self.from_beginning.then_some(1);
        self.under_way.get_or_insert_with(|| {
            let queues = [Queue { next, ..Queue::default() }; QUEUES];
            Box::new(UnderWay { queues, tagged: [None; 2] })
        })
    }

    /// Describes a message whose last segment has not arrived.
    pub(super) fn open(&self) -> Option<String> {
        let messages = self.under_way.as_ref()?;
        let names = ["a Write", "a Read Response"];
        let tagged = messages.tagged.iter().zip(names).find(|(open, _)| open.is_some());
        if let Some((_, name)) = tagged {
            return Some(name.to_owned());
        }
        let mut queues = messages.queues.iter().zip(0..);
        queues.find_map(|(queue, number)| {
            let open = queue.open?;
            Some(format!("message {} of queue {number}", open.sequence))
        })
    }
}

pub(super) fn judge(side: &mut SideState, item: &SegmentItem<'_>, report: &mut Reporter<'_>) {
    let header = match &item.header {
        Ok(header) => *header,
        Err(_) if !item.fpdu.complete => {
            side.lost();
            return;
        }
        Err(malformed) => {
            let length = item.fpdu.ulpdu_length;
            let text = format!("The ULPDU has {length} bytes: {malformed}.");
            report.broken(&rules::HEADER_SHORT, text);
            side.lost();
            return;
        }
    };
    if !header.control().legal() {
        control(header.control(), report);
    }
    if let Some(completed) = &item.completed
        && completed.whole
        && completed.length == 0
        && completed.segments > 1
    {
        let text = format!("The message has {} segments and no bytes.", completed.segments);
        report.broken(&rules::EMPTY, text);
    }
    match header {
        HeaderView::Tagged(view) => {
            let slot = usize::from(view.rsvd_ulp() & 0x1f == READ_RESPONSE);
            if let Some(open) = side.messages.under_way().tagged.get_mut(slot) {
                tagged(open, &view, item.payload_length, report);
            }
        }
        HeaderView::Untagged(view) => {
            let number = view.queue_number() as usize;
            if let Some(queue) = side.messages.under_way().queues.get_mut(number) {
                untagged(queue, &view, item.payload_length, report);
            }
        }
    }
}

fn control(control: ControlView, report: &mut Reporter<'_>) {
    if control.reserved() != 0 {
        report.broken(&rules::RESERVED, format!("The DDP control byte is {:#04x}.", control.0));
    }
    if control.ddp_version() != DDP_VERSION {
        let tagged = control.tagged();
        let rule = if tagged { &rules::VERSION_TAGGED } else { &rules::VERSION_UNTAGGED };
        report.broken(rule, format!("The DDP version is {}.", control.ddp_version()));
    }
}

fn tagged(
    open: &mut Option<OpenTagged>,
    view: &TaggedView<'_>,
    length: u32,
    report: &mut Reporter<'_>,
) {
    let (steering_tag, offset) = (view.steering_tag(), view.tagged_offset());
    // STag and TO of an empty segment have no meaning (RFC 5041 section 5.2).
    if let Some(before) = *open
        && length > 0
    {
        if before.steering_tag != steering_tag {
            let text = format!(
                "The STag is {steering_tag:#010x}; the segment before has {:#010x} and no L bit.",
                before.steering_tag
            );
            report.broken(&rules::TAGGED_STAG, text);
        } else if before.end != offset {
            let text = format!(
                "The TO is {offset:#x}; the segment before ended at {:#x} and has no L bit.",
                before.end
            );
            report.broken(&rules::TAGGED_OFFSET, text);
        }
    }
    if length > 0 && offset.checked_add(length.into()).is_none() {
        let text = format!("The TO is {offset:#x} and the segment has {length} bytes.");
        report.broken(&rules::TAGGED_WRAP, text);
    }
    if view.control().last() {
        *open = None;
    } else if length > 0 {
        let end = offset.wrapping_add(length.into());
        *open = Some(OpenTagged { steering_tag, end });
    }
}

fn untagged(queue: &mut Queue, view: &UntaggedView<'_>, length: u32, report: &mut Reporter<'_>) {
    let (sequence, offset) = (view.message_sequence_number(), u64::from(view.message_offset()));
    let end = offset + u64::from(length);
    if end >= TOO_MANY {
        let text = format!("MO is {offset} and the segment has {length} bytes.");
        report.broken(&rules::MESSAGE_LENGTH, text);
    }
    let known = queue.next.is_some();
    let mut open = match queue.open.take() {
        Some(mut open) if open.sequence == sequence => {
            goes_on(&mut open, view, offset, end, report);
            open
        }
        unfinished => {
            if let Some(open) = unfinished {
                unfilled(&open, report);
                let text = format!(
                    "Message {sequence} begins; message {} has {} bytes so far and no segment with the L bit.",
                    open.sequence, open.end
                );
                report.broken(&rules::LAST, text);
            }
            if queue.used && queue.next == Some(sequence.wrapping_add(1)) && offset > 0 {
                let text = format!(
                    "MO is {offset}; message {sequence} ended with the L bit after {} bytes.",
                    queue.ended
                );
                report.broken(&rules::AFTER_LAST, text);
                return;
            }
            begins(queue, sequence, view.queue_number(), report);
            let hole = (known && offset > 0).then_some(Hole {
                begin: 0,
                end: offset,
                place: report.place,
            });
            let sure = known || offset == 0;
            Open { sequence, end, reserved_for_ulp: view.rsvd_ulp(), hole, sure }
        }
    };
    queue.used = true;
    queue.next = Some(sequence.wrapping_add(1));
    open.end = open.end.max(end);
    if view.control().last() {
        queue.ended = open.end;
        unfilled(&open, report);
    } else {
        queue.open = Some(open);
    }
}

/// Judges the first segment of a message: its number.
fn begins(queue: &Queue, sequence: u32, number: u32, report: &mut Reporter<'_>) {
    let Some(expected) = queue.next.filter(|next| *next != sequence) else { return };
    if queue.used {
        let text = format!("The MSN on queue {number} is {sequence}; {expected} is due.");
        report.broken(&rules::SEQUENCE, text);
    } else {
        let text = format!("The first MSN on queue {number} is {sequence}.");
        report.broken(&rules::SEQUENCE_FIRST, text);
    }
}

/// Judges a further segment of a message.
fn goes_on(
    open: &mut Open,
    view: &UntaggedView<'_>,
    offset: u64,
    end: u64,
    report: &mut Reporter<'_>,
) {
    if open.reserved_for_ulp != view.rsvd_ulp() {
        let text = format!(
            "The RsvdULP bytes are {:02x?}; the message's first segment has {:02x?}.",
            view.rsvd_ulp(),
            open.reserved_for_ulp
        );
        report.broken(&rules::RESERVED_FOR_ULP, text);
    }
    match open.hole {
        _ if offset == open.end || !open.sure => {}
        None if offset > open.end => {
            open.hole = Some(Hole { begin: open.end, end: offset, place: report.place });
        }
        Some(hole) if offset == hole.begin && end <= hole.end => {
            open.hole = (end < hole.end).then_some(Hole { begin: end, ..hole });
            if open.hole.is_none() {
                let text = format!(
                    "The segment with MO {} was sent before the one with MO {offset}.",
                    hole.end
                );
                report.broken_at(hole.place, &rules::ORDER, text);
            }
        }
        _ => {
            let text = format!("MO is {offset}; {} bytes of the message were sent.", open.end);
            report.broken(&rules::OFFSET, text);
        }
    }
    open.end = open.end.max(end);
}

/// Judges the end of a message: bytes that were left out will not come.
fn unfilled(open: &Open, report: &mut Reporter<'_>) {
    if let Some(hole) = open.hole {
        let text =
            format!("MO is {}; {} bytes of the message were sent before.", hole.end, hole.begin);
        report.broken_at(hole.place, &rules::OFFSET, text);
    }
}

/// Bytes that an Atomic Write writes.
const ATOMIC_WRITE: u32 = 8;
const FETCH_ADD: u8 = 0;
const SWAP: u8 = 1;

pub(super) fn judge_rdmap(side: &mut SideState, item: &SegmentItem<'_>, report: &mut Reporter<'_>) {
    let Ok(header) = item.header else { return };
    let byte = RdmapControlView(header.rdmap_control());
    let version = byte.rdmap_version();
    if version == 3 {
        let text = format!("RV is 3: the RDMAP control byte is {:#04x}.", byte.0);
        report.broken(&rdmap::VERSION, text);
    }
    if version == 2 && !item.profile.ext_v2 {
        let text = "RV is 2, but rdmap-ext-v2 is not among the documents in force.".to_owned();
        report.broken(&rdmap::VERSION, text);
        return;
    }
    if byte.reserved() != 0 {
        report.broken(&rdmap::RESERVED, format!("The RDMAP control byte is {:#04x}.", byte.0));
    }
    // The messages of rdma-commit have RV 1, whatever the others have (its section 3.1).
    let commit = item.message.is_some_and(|message| {
        (Message::FlushRequest..=Message::AtomicWriteResponse).contains(&message)
    });
    match side.version_2 {
        Some(since) if version != 2 && !commit && !side.reported.version_mixed => {
            side.reported.version_mixed = true;
            let text = format!("RV is {version}; the side has used RV 2 since frame {since}.");
            report.broken(&rdmap::VERSION_MIXED, text);
        }
        None if version == 2 => side.version_2 = Some(report.place.frame),
        _ => {}
    }
    let Some(message) = item.message else {
        let text = format!("The opcode is {:#04x} under RV {version}.", byte.opcode());
        report.broken(&rdmap::OPCODE, text);
        return;
    };
    let info = message.info();
    match (info.buffer, header) {
        (Buffer::Tagged, HeaderView::Tagged(_)) => return,
        (Buffer::Queue(due), HeaderView::Untagged(view)) => {
            if view.queue_number() != due {
                let text = format!(
                    "{} on queue {}; it belongs on queue {due}.",
                    info.name,
                    view.queue_number()
                );
                report.broken(&rdmap::QUEUE, text);
            }
            if view.rsvd_ulp_word() != 0 && !message.may_invalidate() {
                let text = format!(
                    "{}: the Invalidate STag field is {:#010x}.",
                    info.name,
                    view.rsvd_ulp_word()
                );
                report.broken(&rdmap::INVALIDATE, text);
            }
        }
        (_, header) => {
            let is = if header.control().tagged() { "tagged" } else { "untagged" };
            report.broken(&rdmap::TAGGED_FLAG, format!("{}: the segment is {is}.", info.name));
            return;
        }
    }
    if (Message::FlushRequest..=Message::AtomicWriteResponse).contains(&message) && version != 1 {
        report.broken(&rdmap::COMMIT_VERSION, format!("{}: RV is {version}.", info.name));
    }
    contents(message, item, report);
}

/// Judges the message, if this segment completes it.
fn contents(message: Message, item: &SegmentItem<'_>, report: &mut Reporter<'_>) {
    let Some(completed) = &item.completed else { return };
    let info = message.info();
    if info.payload == Payload::UlpThenImmediate {
        if item.payload_length as usize != IMMEDIATE_LENGTH {
            let text = format!(
                "{}: the last segment has {} bytes; 8 are due.",
                info.name, item.payload_length
            );
            report.broken(&rdmap::IMMEDIATE_ALONE, text);
        }
        return;
    }
    let first = matches!(item.header, Ok(HeaderView::Untagged(view)) if view.message_offset() == 0);
    // The length is right if every segment was seen, even an incomplete one.
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
            report.broken(rule, text);
            return;
        }
    }
    match message {
        Message::AtomicRequest => atomic(completed.bytes, report),
        Message::AtomicWriteRequest => {
            let Ok((view, _)) = AtomicWriteRequestView::parse(completed.bytes) else { return };
            if view.data_sink_length() != ATOMIC_WRITE {
                let text = format!("The length is {}.", view.data_sink_length());
                report.broken(&rdmap::ATOMIC_WRITE_DATA, text);
            }
        }
        _ => {}
    }
}

/// Returns the rule on the length of a message with a header of its own.
fn length_rule(message: Message) -> Option<&'static Rule> {
    Some(match message {
        Message::ReadRequest => &rdmap::READ_REQUEST_LENGTH,
        Message::Terminate => &rdmap::TERMINATE_SHORT,
        Message::Immediate | Message::ImmediateSolicited => &rdmap::IMMEDIATE_LENGTH,
        Message::AtomicRequest | Message::AtomicResponse => &rdmap::ATOMIC_LENGTH,
        Message::FlushRequest | Message::FlushResponse => &rdmap::FLUSH_LENGTH,
        Message::VerifyRequest => &rdmap::VERIFY_LENGTH,
        Message::AtomicWriteRequest | Message::AtomicWriteResponse => &rdmap::ATOMIC_WRITE_LENGTH,
        Message::ReadV2Request => &rdmap::READ_V2_LENGTH,
        _ => return None,
    })
}

fn atomic(bytes: &[u8], report: &mut Reporter<'_>) {
    let Ok((view, _)) = AtomicRequestView::parse(bytes) else { return };
    if view.reserved() != 0 {
        let text = format!("The 28 reserved bits are {:#09x}.", view.reserved());
        report.broken(&rdmap::ATOMIC_RESERVED, text);
    }
    let code = view.atomic_opcode();
    let Some(name) = atomic_operation_name(code) else {
        report.broken(&rdmap::ATOMIC_CODE, format!("The Atomic Operation Code is {code}."));
        return;
    };
    let (data, mask) = (view.compare_data(), view.compare_mask());
    if matches!(code, FETCH_ADD | SWAP) && (data != 0 || mask != u64::MAX) {
        let text = format!("{name} with Compare Data {data:#x} and Compare Mask {mask:#x}.");
        report.broken(&rdmap::ATOMIC_OPERANDS, text);
    }
    if code == SWAP && view.add_or_swap_mask() != u64::MAX {
        let text = format!("{name} with Swap Mask {:#x}.", view.add_or_swap_mask());
        report.broken(&rdmap::ATOMIC_OPERANDS, text);
    }
}
