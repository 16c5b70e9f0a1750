//! The nodes of a TCP header.

use super::analysis::push_analysis;
use super::layers::{UNVERIFIED, push_data};
use super::node::{FramePlace, Part, Run, Tree, Value};
use super::rdmap::{Payload, push_fpdu, push_payload};
use super::rpc::{push_transport, push_unreadable};
use crate::field::{ddp, rdmap, tcp as fields};
use crate::flow::{TcpContext, WindowScale};
use crate::item::ItemContext;
use crate::link::{TcpFlags, TcpOption, TcpOptions, TcpSegment};
use crate::message::{Completed, SegmentItem};
use crate::operation::OperationRef;
use crate::ulp::Ulp;
use std::fmt::Write as _;
use warpscope_wire::ddp::{HeaderView as DdpHeader, TaggedView, UntaggedView};
use warpscope_wire::rdmap::{Message, Payload as Carries, RdmapControlView};

pub(super) fn tcp(
    part: &mut Part<'_, '_>,
    segment: &TcpSegment<'_>,
    context: Option<&TcpContext>,
) -> Option<()> {
    part.layer(0, &fields::TCP, Some(summary(segment, context)));
    part.number(1, &fields::SOURCE_PORT, 0, 2)?;
    part.number(1, &fields::DESTINATION_PORT, 2, 2)?;
    part.number(1, &fields::PORT, 0, 2)?;
    part.number(1, &fields::PORT, 2, 2)?;
    if let Some(context) = context {
        part.derived(1, &fields::STREAM, u64::from(context.stream));
    }
    part.derived(1, &fields::LENGTH, u64::from(segment.payload_length));
    if let Some(context) = context {
        let sequence = context.relative_sequence;
        part.value(1, &fields::SEQUENCE, Value::Unsigned(u64::from(sequence)), 4, 4);
        part.number(1, &fields::SEQUENCE_RAW, 4, 4)?;
        // SYN and FIN in the same segment count only once here.
        let control = u32::from(segment.flags.syn() || segment.flags.fin());
        let next = sequence.wrapping_add(segment.payload_length).wrapping_add(control);
        part.derived(1, &fields::NEXT_SEQUENCE, u64::from(next));
        let acknowledgment = if segment.flags.ack() {
            context.relative_acknowledgment
        } else {
            segment.acknowledgment_number
        };
        let value = Value::Unsigned(u64::from(acknowledgment));
        part.value(1, &fields::ACKNOWLEDGMENT, value, 8, 4);
    } else {
        part.number(1, &fields::SEQUENCE_RAW, 4, 4)?;
    }
    part.number(1, &fields::ACKNOWLEDGMENT_RAW, 8, 4)?;
    let header_length = part.number_at(12, 1)? >> 4 << 2;
    part.derived_bits(1, &fields::HEADER_LENGTH, header_length, 12, 0, 4);
    flags(part, segment)?;
    part.number(1, &fields::WINDOW, 14, 2)?;
    if let Some(context) = context {
        let window = context.window(segment);
        part.derived(1, &fields::WINDOW_SCALED, u64::from(window));
        if !segment.flags.syn() {
            let factor = match context.window_scale {
                WindowScale::Unknown => Value::Text("-1".into()),
                WindowScale::NotUsed => Value::Text("-2".into()),
                WindowScale::Shift(shift) => Value::Unsigned(1 << shift.min(14)),
            };
            part.tree.push_generated(1, &fields::WINDOW_FACTOR, factor);
        }
    }
    part.number(1, &fields::CHECKSUM, 16, 2)?;
    part.derived(1, &fields::CHECKSUM_STATUS, UNVERIFIED);
    part.number(1, &fields::URGENT_POINTER, 18, 2)?;
    options(part, segment, context);
    if let Some(context) = context {
        for (field, time) in [
            (&fields::TIME_RELATIVE, context.time_relative),
            (&fields::TIME_DELTA, context.time_delta),
        ] {
            if let Some(time) = time {
                part.tree.push_generated(1, field, Value::Time(time));
            }
        }
    }
    if let Some(found) = context.and_then(|context| context.analysis) {
        push_analysis(part.tree, segment, &found);
    }
    if !segment.payload.is_empty() {
        let value = part.tree.bytes_value(segment.payload);
        let (at, length) = (part.bytes.len(), segment.payload.len());
        part.value(1, &fields::PAYLOAD, value, at, length);
    }
    Some(())
}

fn summary(segment: &TcpSegment<'_>, context: Option<&TcpContext>) -> String {
    let (source, destination) = (segment.source.port, segment.destination.port);
    let mut note = format!("Src Port: {source}, Dst Port: {destination}");
    let mut write = |name, number: u32| {
        let written = write!(note, ", {name}: {number}");
        debug_assert!(written.is_ok());
    };
    write("Seq", context.map_or(segment.sequence_number, |context| context.relative_sequence));
    if segment.flags.ack() {
        let raw = segment.acknowledgment_number;
        write("Ack", context.map_or(raw, |context| context.relative_acknowledgment));
    }
    write("Len", segment.payload_length);
    note
}

fn flags(part: &mut Part<'_, '_>, segment: &TcpSegment<'_>) -> Option<()> {
    let node = part.tree.nodes.len();
    part.bits(1, &fields::FLAGS, 12, 4, 12)?;
    let mut names = String::from("(");
    write_flags(segment.flags, &mut names);
    names.push(')');
    part.note(node, Some(names));
    let reserved = u64::from(segment.flags.0 & 0xe00 != 0);
    part.derived_bits(2, &fields::FLAG_RESERVED, reserved, 12, 4, 3);
    part.bits(2, &fields::FLAG_ACCURATE_ECN, 12, 7, 1)?;
    for (skip, field) in [
        &fields::FLAG_CWR,
        &fields::FLAG_ECE,
        &fields::FLAG_URGENT,
        &fields::FLAG_ACKNOWLEDGMENT,
        &fields::FLAG_PUSH,
        &fields::FLAG_RESET,
        &fields::FLAG_SYN,
        &fields::FLAG_FIN,
    ]
    .into_iter()
    .enumerate()
    {
        part.bits(2, field, 13, skip as u8, 1)?;
    }
    let letters = "RRRACEUAPRSF"
        .chars()
        .enumerate()
        .map(|(place, letter)| if segment.flags.has(0x800 >> place) { letter } else { '·' });
    let letters: String = letters.collect();
    part.tree.push_generated(2, &fields::FLAGS_TEXT, Value::Text(letters.into()));
    Some(())
}

/// Writes the names of the flags that are set, joined by commas; `<None>` if there are none.
pub(super) fn write_flags(flags: TcpFlags, out: &mut String) {
    const NAMES: [(u16, &str); 9] = [
        (TcpFlags::FIN, "FIN"),
        (TcpFlags::SYN, "SYN"),
        (TcpFlags::RST, "RST"),
        (TcpFlags::PSH, "PSH"),
        (TcpFlags::ACK, "ACK"),
        (TcpFlags::URG, "URG"),
        (TcpFlags::ECE, "ECE"),
        (TcpFlags::CWR, "CWR"),
        (TcpFlags::AE, "AE"),
    ];
    let mut separator = "";
    for (_, name) in NAMES.iter().filter(|(flag, _)| flags.has(*flag)) {
        out.push_str(separator);
        out.push_str(name);
        separator = ", ";
    }
    if flags.0 & 0xe00 != 0 {
        out.push_str(separator);
        out.push_str("Reserved");
        separator = ", ";
    }
    if separator.is_empty() {
        out.push_str("<None>");
    }
}

/// Pushes the options; stops at one that does not fit.
fn options(part: &mut Part<'_, '_>, segment: &TcpSegment<'_>, context: Option<&TcpContext>) {
    let bytes = segment.options();
    if bytes.is_empty() || part.bytes(1, &fields::OPTIONS, 20, bytes.len()).is_none() {
        return;
    }
    let base = context.map_or(0, |context| context.acknowledgment_base(segment));
    for option in TcpOptions::new(bytes) {
        let _ = push_option(part, &option, base);
    }
}

fn push_option(part: &mut Part<'_, '_>, option: &TcpOption<'_>, base: u32) -> Option<()> {
    let at = 20 + option.offset;
    let length = option.bytes.len();
    let field = match (option.kind, length) {
        (TcpOption::END, _) => &fields::OPTION_END,
        (TcpOption::NOTHING, _) => &fields::OPTION_NOTHING,
        (TcpOption::MAXIMUM_SEGMENT_SIZE, 4) => &fields::OPTION_MSS,
        (TcpOption::WINDOW_SCALE, 3) => &fields::OPTION_SCALE,
        (TcpOption::SACK_PERMITTED, 2) => &fields::OPTION_SACK_PERMITTED,
        (TcpOption::SACK, 10..) => &fields::OPTION_SACK,
        (TcpOption::TIMESTAMPS, 10) => &fields::OPTION_TIMESTAMP,
        _ => &fields::OPTION_UNKNOWN,
    };
    part.bytes(2, field, at, length)?;
    part.number(3, &fields::OPTION_KIND, at, 1)?;
    if length > 1 {
        part.number(3, &fields::OPTION_LENGTH, at + 1, 1)?;
    }
    match (option.kind, length) {
        (TcpOption::MAXIMUM_SEGMENT_SIZE, 4) => {
            part.number(3, &fields::MSS_VALUE, at + 2, 2)?;
        }
        (TcpOption::WINDOW_SCALE, 3) => {
            let shift = part.number(3, &fields::SCALE_SHIFT, at + 2, 1)?;
            part.derived(3, &fields::SCALE_MULTIPLIER, 1 << shift.min(14));
        }
        (TcpOption::SACK, 10..) => {
            for (edges, place) in option.edges().zip((at + 2..).step_by(8)) {
                let [left, right] =
                    edges.map(|edge| Value::Unsigned(edge.wrapping_sub(base).into()));
                part.value(3, &fields::SACK_LEFT, left, place, 4);
                part.value(3, &fields::SACK_RIGHT, right, place + 4, 4);
            }
            part.derived(3, &fields::SACK_COUNT, option.edges().count() as u64);
        }
        (TcpOption::TIMESTAMPS, 10) => {
            part.number(3, &fields::TIMESTAMP_VALUE, at + 2, 4)?;
            part.number(3, &fields::TIMESTAMP_ECHO, at + 6, 4)?;
        }
        _ => {}
    }
    Some(())
}

// The nodes of a DDP segment and its RDMAP message.

/// Adds an FPDU: MPA, DDP and RDMAP layers, and the content of a completed Send. Returns where the bytes
/// after an RPC-over-RDMA header are.
pub(crate) fn push_segment(
    tree: &mut Tree,
    frame: FramePlace,
    item: &SegmentItem<'_>,
    context: &ItemContext<'_>,
) -> Option<Run> {
    let run = push_fpdu(tree, frame, item.fpdu);
    // The ULPDU is after the length field.
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
            let fields = [&ddp::STEERING_TAG, &ddp::TAGGED_OFFSET];
            part.figure(3, 0, &TaggedView::PLACES[1..], fields);
        }
        DdpHeader::Untagged(_) => {
            part.bytes(2, &ddp::RESERVED_ULP, 1, 5);
            part.value(2, &ddp::UNTAGGED, Value::None, 6, 12);
            let fields = [&ddp::QUEUE_NUMBER, &ddp::MESSAGE_SEQUENCE_NUMBER, &ddp::MESSAGE_OFFSET];
            part.figure(3, 0, &UntaggedView::PLACES[2..], fields);
        }
    }
    rdmap_header(&mut part, item, header);
    let payload = Payload {
        bytes: item.payload,
        source: run.source,
        start: run.start + length as u32,
        begins: match header {
            DdpHeader::Tagged(_) => item.before == 0,
            DdpHeader::Untagged(view) => view.message_offset() == 0,
        },
    };
    push_payload(tree, item, &payload);
    message(tree, item, &context.link);
    content(tree, item, &payload, context.ulp)
}

fn rdmap_header(part: &mut Part<'_, '_>, item: &SegmentItem<'_>, header: DdpHeader<'_>) {
    let control = RdmapControlView(header.rdmap_control());
    part.value(1, &rdmap::RDMAP, Value::None, 1, header.bytes().len() - 1);
    part.value(2, &rdmap::CONTROL, Value::None, 1, 1);
    part.bits(3, &rdmap::VERSION, 1, 0, 2);
    // Five opcode bits if a message of the drafts uses the fifth.
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

/// Adds what is known of the message as a whole.
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

/// Adds the message's content: RPC-over-RDMA, or plain data. The content of another protocol is shown
/// separately; returns where that is.
fn content(
    tree: &mut Tree,
    item: &SegmentItem<'_>,
    payload: &Payload<'_>,
    ulp: Option<Ulp>,
) -> Option<Run> {
    let other =
        ulp.is_some_and(|ulp| ulp != Ulp::RpcRdma) && item.message.is_some_and(Message::is_send);
    let carries =
        |done: &&Completed<'_>| other || done.transport.is_some() || done.unreadable.is_some();
    if let Some(completed) = item.completed.as_ref().filter(carries) {
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
        if other {
            return Some(run);
        }
        if let Some(malformed) = &completed.unreadable {
            let (source, start) = (run.source, run.start);
            let mut part = Part { tree, source, start, bytes: completed.bytes };
            push_unreadable(&mut part, malformed);
        }
        let transport = completed.transport.as_ref()?;
        return Some(push_transport(tree, run, completed.bytes, transport));
    }
    let carries = item
        .message
        .is_none_or(|message| message.is_send() || matches!(message.info().payload, Carries::Ulp));
    if carries && !payload.bytes.is_empty() {
        push_data(tree, Run { source: payload.source, start: payload.start }, payload.bytes);
    }
    None
}
