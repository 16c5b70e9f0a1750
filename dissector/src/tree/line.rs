//! The text for iWARP in a frame's line: operation, destination, size, and what is wrong.

use super::layers::ethernet_text;
use super::rdmap::explanation;
use super::tcp_header::write_flags;
use crate::capture::Frame;
use crate::field::FieldRef;
use crate::field::ip::PROTOCOL_NUMBERS;
use crate::field::small as fields;
use crate::flow::TcpContext;
use crate::item::ItemContext;
use crate::link::{Layer, LayerSpan, Packet, PacketProblem, TcpOption, TcpOptions, TcpSegment};
use crate::message::{SegmentItem, Transport};
use crate::mpa::{CrcVerdict, SetupItem, SkippedItem};
use crate::nfs::write_line as write_program;
use crate::operation::{Echo, Event, OperationItem, Reading};
use crate::ulp::rpc::{RpcItem, RpcKind};
use crate::ulp::write_answer;
use std::fmt::{self, Write as _};
use std::net::{Ipv4Addr, Ipv6Addr};
use warpscope_text::counted;
use warpscope_wire::ddp::HeaderView;
use warpscope_wire::mpa::{MAX_PRIVATE_DATA, RdmaPrivateDataView, Role};
use warpscope_wire::name_of;
use warpscope_wire::rdmap::{
    AtomicRequestView, AtomicResponseView, AtomicWriteRequestView, FlushRequestView, ImmediateView,
    Message, RdmapControlView, ReadRequestView, ReadV2RequestView, TerminateView,
    VerifyRequestView, atomic_operation_name,
};
use warpscope_wire::rpc::{ReplyBody, RpcView, accept_status_name};
use warpscope_wire::rpcrdma::{Body, TransportError, procedure_name};

/// Whether the text reports that something is wrong.
type Alarm = bool;

/// Writes the text for a setup frame.
pub fn write_setup(item: &SetupItem<'_>, out: &mut String) -> Alarm {
    let mut alarm = false;
    let _ = setup(item, out, &mut alarm);
    alarm
}

fn setup(item: &SetupItem<'_>, out: &mut String, alarm: &mut Alarm) -> fmt::Result {
    let header = item.view.header;
    out.push_str(match (header.role(), header.rejected()) {
        (Some(Role::Reply), false) => "MPA Reply",
        (Some(Role::Reply), true) => "MPA Reply: connection rejected",
        _ => "MPA Request",
    });
    *alarm |= header.rejected();
    write!(out, " Rev={}", header.revision())?;
    for (set, name) in [(header.markers(), " markers"), (header.crc(), " CRC")] {
        out.push_str(if set { name } else { "" });
    }
    if let Some(enhanced) = item.view.enhanced() {
        write!(out, " IRD={} ORD={}", enhanced.ird(), enhanced.ord())?;
        if enhanced.control_a() {
            out.push_str(" peer-to-peer, RTR:");
            let kinds = [
                (enhanced.control_b(), " Send"),
                (enhanced.control_c(), " Write"),
                (enhanced.control_d(), " Read"),
            ];
            for (set, name) in kinds {
                out.push_str(if set { name } else { "" });
            }
        }
    }
    let private_data = item.view.ulp_private_data();
    match RdmaPrivateDataView::parse(private_data) {
        Ok((view, _)) if view.recognised() => {
            write!(
                out,
                " RPC-over-RDMA: inline send {} receive {}",
                view.send_size(),
                view.receive_size()
            )?;
        }
        _ if !private_data.is_empty() => write!(out, " Private={}", private_data.len())?,
        _ => {}
    }
    if usize::from(header.private_data_length()) > MAX_PRIVATE_DATA {
        *alarm = true;
        out.push_str(" [over 512 bytes of private data]");
    }
    Ok(())
}

/// Writes the text for skipped bytes.
pub fn write_skipped(item: &SkippedItem<'_>, out: &mut String) {
    let _ = write!(out, "[{} {}]", counted(item.length, "byte"), item.reason.describe());
}

/// Writes the text for what happened to an operation that its messages do not say themselves.
pub(crate) fn write_operation(
    context: &ItemContext<'_>,
    item: &OperationItem<'_>,
    out: &mut String,
) -> Alarm {
    let operation = item.operation;
    let _ = match item.event {
        Event::Requested if operation.depth > 1 => {
            write!(out, " ({} in flight)", operation.depth)
        }
        Event::Completed if operation.kind.answered() => {
            let written = write_answer(operation.request.last_frame, operation.latency(), out);
            match operation.overtook {
                0 => written,
                overtook => {
                    write!(out, " [before {}]", counted(overtook.into(), "earlier request"))
                }
            }
        }
        Event::Terminated(..) => match explanation(context, item, Echo::Reported) {
            Some(words) => write!(out, " | {words}"),
            None => Ok(()),
        },
        _ => Ok(()),
    };
    operation.overtook > 0 || matches!(item.event, Event::Terminated(..) | Event::Refused(_))
}

/// Writes the text for a segment and what it completes: that of the innermost layer first.
pub fn write_segment(item: &SegmentItem<'_>, frame: u64, out: &mut String) -> Alarm {
    let mut alarm = false;
    let _ = segment(item, frame, out, &mut alarm);
    alarm
}

fn segment(item: &SegmentItem<'_>, frame: u64, out: &mut String, alarm: &mut Alarm) -> fmt::Result {
    match item.header {
        Err(malformed) => {
            *alarm = true;
            write!(out, "[{malformed}]")?;
        }
        Ok(header) => ddp(item, header, out, alarm)?,
    }
    match item.fpdu.crc {
        CrcVerdict::Bad => {
            *alarm = true;
            out.push_str(" [bad CRC]");
        }
        CrcVerdict::Unchecked => {
            *alarm = true;
            let missing = item.fpdu.stream_length.saturating_sub(item.fpdu.raw.len());
            write!(out, " [{missing} of {} bytes not captured]", item.fpdu.stream_length)?;
        }
        CrcVerdict::Good | CrcVerdict::NotInUse | CrcVerdict::Unknown => {}
    }
    if item.fpdu.marker_mismatch {
        *alarm = true;
        out.push_str(" [marker mismatch]");
    }
    if let Some(span) = item.fpdu.spans.first()
        && span.frame != frame
    {
        let last = item.fpdu.spans.last().map_or(span.frame, |span| span.frame);
        if last == span.frame {
            write!(out, " (from frame {last})")?;
        } else {
            write!(out, " (from frames {}-{last})", span.frame)?;
        }
    }
    Ok(())
}

fn ddp(
    item: &SegmentItem<'_>,
    header: HeaderView<'_>,
    out: &mut String,
    alarm: &mut Alarm,
) -> fmt::Result {
    let control = header.control();
    let completed = item.completed.as_ref();
    if let Some(transport) = completed.and_then(|completed| completed.transport.as_ref()) {
        write_transport(transport, out)?;
        out.push_str(" | ");
    }
    match item.message {
        Some(message) => out.push_str(message.info().name),
        None => {
            *alarm = true;
            let opcode = RdmapControlView(header.rdmap_control()).opcode();
            write!(out, "unknown opcode {opcode:#04x}")?;
        }
    }
    match header {
        HeaderView::Tagged(view) => {
            write!(out, " STag={:#010x} TO={:#x}", view.steering_tag(), view.tagged_offset())?;
        }
        HeaderView::Untagged(view) => {
            write!(out, " QN={} MSN={}", view.queue_number(), view.message_sequence_number())?;
            if view.message_offset() > 0 {
                write!(out, " MO={}", view.message_offset())?;
            }
            if item.message.is_some_and(|message| message.info().invalidates) {
                write!(out, " Inval={:#010x}", view.rsvd_ulp_word())?;
            }
        }
    }
    write!(out, " Len={}", item.payload_length)?;
    if let Some(message) = item.message {
        payload(message, item, out, alarm)?;
    }
    match completed {
        Some(completed) if completed.segments > 1 || item.before > 0 => {
            write!(out, " last, message {} in {}", completed.length, completed.segments)?;
        }
        None => out.push_str(" more"),
        Some(_) => {}
    }
    if !control.legal() {
        *alarm = true;
        write!(out, " [DDP control {:#04x}]", control.0)?;
    }
    if completed.is_some_and(|completed| !completed.whole) {
        *alarm = true;
        out.push_str(" [incomplete]");
    }
    if let Some(malformed) = completed.and_then(|completed| completed.unreadable.as_ref()) {
        *alarm = true;
        write!(out, " | [{malformed}]")?;
    }
    Ok(())
}

/// Writes what the message's own header says.
fn payload(
    message: Message,
    item: &SegmentItem<'_>,
    out: &mut String,
    alarm: &mut Alarm,
) -> fmt::Result {
    *alarm |= message == Message::Terminate;
    match header(message, item.payload, out) {
        Some(written) => written,
        // Not the sender's fault: the capture has no more of it.
        None if !item.fpdu.complete => Ok(()),
        None => {
            *alarm = true;
            out.write_str(" [too short for its header]")
        }
    }
}

fn header(message: Message, bytes: &[u8], out: &mut String) -> Option<fmt::Result> {
    Some(match message {
        Message::ReadRequest => {
            let (view, _) = ReadRequestView::parse(bytes).ok()?;
            write!(
                out,
                " Size={} Src={:#010x}/{:#x} Sink={:#010x}/{:#x}",
                view.read_message_size(),
                view.source_steering_tag(),
                view.source_tagged_offset(),
                view.sink_steering_tag(),
                view.sink_tagged_offset()
            )
        }
        Message::ReadV2Request => {
            let (view, _) = ReadV2RequestView::parse(bytes).ok()?;
            let (tag, offset) = (view.source_steering_tag(), view.source_tagged_offset());
            write!(out, " Size={} Src={tag:#010x}/{offset:#x}", view.read_message_size())
        }
        Message::Terminate => {
            let swapped = Reading::of(&TerminateView::parse(bytes).ok()?).swapped;
            out.push_str(if swapped { " [nibbles swapped]" } else { "" });
            Ok(())
        }
        Message::AtomicRequest => {
            let (view, _) = AtomicRequestView::parse(bytes).ok()?;
            let name = atomic_operation_name(view.atomic_opcode()).unwrap_or("unknown operation");
            let (tag, offset) = (view.remote_steering_tag(), view.remote_tagged_offset());
            write!(out, " {name} Id={} at {tag:#010x}/{offset:#x}", view.request_identifier())
        }
        Message::AtomicResponse => {
            let (view, _) = AtomicResponseView::parse(bytes).ok()?;
            let (id, value) =
                (view.original_request_identifier(), view.original_remote_data_value());
            write!(out, " Id={id} Original={value:#x}")
        }
        Message::FlushRequest => {
            let (view, _) = FlushRequestView::parse(bytes).ok()?;
            let (tag, offset) = (view.data_sink_steering_tag(), view.data_sink_tagged_offset());
            let persistence = if view.persistence() { " persistence" } else { "" };
            let visibility = if view.global_visibility() { " global visibility" } else { "" };
            let length = view.data_sink_length();
            write!(out, " {length} bytes at {tag:#010x}/{offset:#x}{persistence}{visibility}")
        }
        Message::VerifyRequest => {
            let view = VerifyRequestView::parse(bytes).ok()?;
            let range = view.range;
            let (tag, offset) = (range.data_sink_steering_tag(), range.data_sink_tagged_offset());
            let against = match view.hash_value.len() {
                0 => String::new(),
                length => format!(" against {length} bytes of hash"),
            };
            write!(out, " {} bytes at {tag:#010x}/{offset:#x}{against}", range.data_sink_length())
        }
        Message::AtomicWriteRequest => {
            let (view, _) = AtomicWriteRequestView::parse(bytes).ok()?;
            let (tag, offset) = (view.data_sink_steering_tag(), view.data_sink_tagged_offset());
            write!(out, " {:#018x} at {tag:#010x}/{offset:#x}", view.data())
        }
        Message::Immediate | Message::ImmediateSolicited => {
            let (view, _) = ImmediateView::parse(bytes).ok()?;
            write!(out, " {:#018x}", view.immediate_data())
        }
        _ => Ok(()),
    })
}

fn write_transport(transport: &Transport<'_>, out: &mut String) -> fmt::Result {
    let header = &transport.header;
    match procedure_name(header.procedure()) {
        Some(name) => out.push_str(name),
        None => write!(out, "procedure {}", header.procedure())?,
    }
    write!(out, " XID={:#010x} Credits={}", header.xid(), header.credits())?;
    if !transport.supported() {
        write!(out, " version {} (not supported)", header.version())?;
    }
    if let Some(chunks) = header.body.chunks() {
        for (count, name) in [
            (chunks.reads.len(), "read"),
            (chunks.writes.len(), "write"),
            (usize::from(chunks.reply.is_some()), "reply"),
        ] {
            if count > 0 {
                write!(out, " {count} {name}")?;
            }
        }
    }
    match &header.body {
        Body::Error(TransportError::Version { low, high }) => {
            write!(out, " ERR_VERS {low}..{high}")?;
        }
        Body::Error(TransportError::Chunk) => out.push_str(" ERR_CHUNK"),
        _ => {}
    }
    Ok(())
}

/// Writes the text for an RPC message: what the transport header does not say. It begins with a blank if it
/// is only about that header.
pub fn write_rpc(item: &RpcItem<'_>, out: &mut String) -> Alarm {
    let mut alarm = item.kind == RpcKind::Error;
    let _ = rpc(item, out, &mut alarm);
    alarm
}

fn rpc(item: &RpcItem<'_>, out: &mut String, alarm: &mut Alarm) -> fmt::Result {
    let summary = item.summary();
    match &item.header {
        Some(Ok(_)) if summary.is_some() => {
            summary.iter().for_each(|summary| write_program(summary, out));
        }
        Some(Ok(RpcView::Call(call))) => write!(
            out,
            "Call program {} v{} procedure {}",
            call.program, call.program_version, call.procedure
        )?,
        Some(Ok(RpcView::Reply(reply))) => match reply.body {
            ReplyBody::Accepted { accept_status, .. } => {
                let name = accept_status_name(accept_status).unwrap_or("unknown status");
                write!(out, "Reply {name}")?;
            }
            ReplyBody::RpcMismatch { .. } => out.push_str("Reply RPC_MISMATCH"),
            ReplyBody::AuthError { .. } => out.push_str("Reply AUTH_ERROR"),
        },
        Some(Err(malformed)) if item.whole => {
            *alarm = true;
            write!(out, " [{malformed}]")?;
        }
        _ => {}
    }
    if !item.in_send && (item.kind == RpcKind::Call || item.chunks.is_empty()) {
        write!(out, " | XID={:#010x}", item.xid)?;
    }
    if item.backward {
        out.push_str(" [backward]");
    }
    if item.kind != RpcKind::Call
        && let Some(call) = item.call
    {
        write_answer(call.sent.0, item.latency(), out)?;
    }
    if !item.whole {
        out.push_str(" [incomplete]");
    }
    Ok(())
}

// The one-line summary of a frame that carries no iWARP.

/// Returns the name of the innermost protocol, as a list of packets shows it.
pub fn protocol_name(packet: &Packet<'_>) -> &'static str {
    let spans = packet.layers.iter().rev();
    let mut known = spans.filter(|span| span.layer != Layer::Data).map(|span| span.layer);
    match known.next() {
        None => "Unknown",
        Some(
            Layer::Ipv6HopByHop | Layer::Ipv6Routing | Layer::Ipv6Destination | Layer::Ipv6Fragment,
        ) => "IPv6",
        Some(layer) => layer.name(),
    }
}

/// Writes the summary of a frame: ports, flags and numbers of TCP; a few words for other protocols.
pub fn write_summary(
    frame: &Frame<'_>,
    packet: &Packet<'_>,
    context: Option<&TcpContext>,
    out: &mut String,
) {
    let written = match (&packet.tcp, packet.layers.last()) {
        (Some(segment), _) => write_tcp(segment, context, out),
        (None, _) => write_other(frame, packet, out),
    };
    debug_assert!(written.is_ok());
}

fn write_tcp(
    segment: &TcpSegment<'_>,
    context: Option<&TcpContext>,
    out: &mut String,
) -> fmt::Result {
    write!(out, "{} → {} [", segment.source.port, segment.destination.port)?;
    write_flags(segment.flags, out);
    let sequence = context.map_or(segment.sequence_number, |context| context.relative_sequence);
    write!(out, "] Seq={sequence}")?;
    let acknowledgment =
        context.map_or(segment.acknowledgment_number, |context| context.relative_acknowledgment);
    if segment.flags.ack() {
        write!(out, " Ack={acknowledgment}")?;
    }
    let window = context.map_or(u32::from(segment.window), |context| context.window(segment));
    write!(out, " Win={window}")?;
    if segment.flags.has(crate::link::TcpFlags::URG)
        && let Some(urgent) = word(segment.header, 18)
    {
        write!(out, " Urg={urgent}")?;
    }
    write!(out, " Len={}", segment.payload_length)?;
    let base = context.map_or(0, |context| context.acknowledgment_base(segment));
    for option in TcpOptions::new(segment.options()) {
        write_option(&option, base, out)?;
    }
    Ok(())
}

fn write_option(option: &TcpOption<'_>, base: u32, out: &mut String) -> fmt::Result {
    match (option.kind, option.bytes) {
        (TcpOption::MAXIMUM_SEGMENT_SIZE, [_, _, high, low]) => {
            write!(out, " MSS={}", u16::from_be_bytes([*high, *low]))
        }
        (TcpOption::WINDOW_SCALE, [_, _, shift]) => {
            write!(out, " WS={}", 1_u32 << (*shift).min(14))
        }
        (TcpOption::SACK_PERMITTED, _) => write!(out, " SACK_PERM"),
        (TcpOption::SACK, _) => option.edges().try_for_each(|edges| {
            let [left, right] = edges.map(|edge| edge.wrapping_sub(base));
            write!(out, " SLE={left} SRE={right}")
        }),
        (TcpOption::TIMESTAMPS, _) => match (option.number32(2), option.number32(6)) {
            (Some(value), Some(echo)) => write!(out, " TSval={value} TSecr={echo}"),
            _ => Ok(()),
        },
        _ => Ok(()),
    }
}

fn write_other(frame: &Frame<'_>, packet: &Packet<'_>, out: &mut String) -> fmt::Result {
    let innermost = packet.layers.iter().rev().find(|span| span.layer != Layer::Data);
    let Some(span) = innermost else {
        return match packet.note {
            Some(problem) => write!(out, "{problem}"),
            None => out.write_str(&counted(frame.bytes.len() as u64, "byte")),
        };
    };
    let bytes = match packet.reassembly {
        Some(whole) if span.reassembled => whole.bytes,
        _ => frame.bytes,
    };
    let bytes = bytes.get(span.offset as usize..).unwrap_or(&[]);
    let payload = bytes.len().saturating_sub(span.length as usize);
    match span.layer {
        Layer::Udp => match (word(bytes, 0), word(bytes, 2), word(bytes, 4)) {
            (Some(source), Some(destination), Some(length)) => {
                write!(out, "{source} → {destination} Len={}", length.saturating_sub(8))
            }
            _ => Ok(()),
        },
        Layer::Arp => write_arp(bytes, out),
        Layer::Icmp => {
            write!(out, "{}", kind_name(bytes, &fields::ICMP_TYPE))?;
            match (bytes.first(), word(bytes, 4), word(bytes, 6)) {
                (Some(0 | 8), Some(id), Some(number)) => {
                    write!(out, "  id=0x{id:04x}, seq={number}")
                }
                _ => Ok(()),
            }
        }
        Layer::Icmpv6 => write_icmpv6(bytes, out),
        Layer::Ipv4 | Layer::Ipv6 | Layer::Ipv6Fragment => write_ip(bytes, span, packet, out),
        layer => match packet.note {
            Some(problem) => write!(out, "{problem}"),
            None => write!(out, "{}, {}", layer.name(), counted(payload as u64, "byte")),
        },
    }
}

/// Returns `N` bytes at an offset, if they exist.
fn at<const N: usize>(bytes: &[u8], place: usize) -> Option<[u8; N]> {
    bytes.get(place..)?.first_chunk().copied()
}

/// Returns the 16-bit number at an offset, if it exists.
fn word(bytes: &[u8], place: usize) -> Option<u16> {
    at(bytes, place).map(u16::from_be_bytes)
}

fn write_arp(bytes: &[u8], out: &mut String) -> fmt::Result {
    let (Some([_, _, 8, 0, 6, 4, _, operation]), Some(hardware), Some(sender), Some(target)) =
        (at::<8>(bytes, 0), at(bytes, 8), at::<4>(bytes, 14), at::<4>(bytes, 24))
    else {
        return write!(out, "ARP");
    };
    let (sender, target) = (Ipv4Addr::from(sender), Ipv4Addr::from(target));
    match operation {
        1 => write!(out, "Who has {target}? Tell {sender}"),
        2 => write!(out, "{sender} is at {}", ethernet_text(hardware)),
        _ => write!(out, "{}", fields::ARP_OPERATION.value_name(operation.into()).unwrap_or("ARP")),
    }
}

fn write_icmpv6(bytes: &[u8], out: &mut String) -> fmt::Result {
    write!(out, "{}", kind_name(bytes, &fields::ICMPV6_TYPE))?;
    match (bytes.first(), word(bytes, 4), word(bytes, 6), at::<16>(bytes, 8)) {
        (Some(128 | 129), Some(id), Some(number), _) => {
            write!(out, " id=0x{id:04x}, seq={number}")
        }
        (Some(135 | 136), .., Some(target)) => write!(out, " for {}", Ipv6Addr::from(target)),
        _ => Ok(()),
    }
}

fn kind_name(bytes: &[u8], field: FieldRef) -> &'static str {
    bytes.first().and_then(|kind| field.value_name(u64::from(*kind))).unwrap_or("unknown type")
}

/// Writes a packet whose innermost known layer is IP: a fragment, or a protocol that is not decoded.
fn write_ip(bytes: &[u8], span: &LayerSpan, packet: &Packet<'_>, out: &mut String) -> fmt::Result {
    let protocol_name = |protocol: u8| name_of(PROTOCOL_NUMBERS, protocol).unwrap_or("unknown");
    match (span.layer, bytes) {
        (Layer::Ipv6Fragment, [next, _, high, low, a, b, c, d, ..]) => {
            let placed = u16::from_be_bytes([*high, *low]);
            let more = if placed & 1 != 0 { 'y' } else { 'n' };
            let identification = u32::from_be_bytes([*a, *b, *c, *d]);
            write!(
                out,
                "IPv6 fragment (off={} more={more} ident=0x{identification:08x} nxt={next})",
                placed & !7
            )
        }
        (Layer::Ipv4, [_, _, _, _, i0, i1, f0, f1, _, protocol, ..]) => {
            let placed = u16::from_be_bytes([*f0, *f1]);
            let identification = u16::from_be_bytes([*i0, *i1]);
            let name = protocol_name(*protocol);
            match (placed & 0x3fff, packet.note) {
                (0, Some(problem)) => write!(out, "{problem}"),
                (0, None) => write!(out, "{name} ({protocol})"),
                (placed, problem) => {
                    let offset = (placed & 0x1fff) * 8;
                    write!(
                        out,
                        "Fragmented IP protocol (proto={name} {protocol}, off={offset}, \
                         ID={identification:04x})"
                    )?;
                    match problem {
                        Some(PacketProblem::FragmentCut) => write!(out, " [cut]"),
                        _ => Ok(()),
                    }
                }
            }
        }
        (_, bytes) => match (packet.note, bytes.get(6)) {
            (Some(problem), _) => write!(out, "{problem}"),
            (None, Some(next)) => write!(out, "{} ({next})", protocol_name(*next)),
            (None, None) => Ok(()),
        },
    }
}
