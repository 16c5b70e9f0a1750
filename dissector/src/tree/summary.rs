//! The one-line summary of a frame that carries no iWARP.

use super::link::ethernet_text;
use super::tcp_header::{TcpContext, write_flags};
use crate::capture::Frame;
use crate::field::ip::PROTOCOL_NUMBERS;
use crate::field::small as fields;
use crate::link::{Layer, LayerSpan, Packet, PacketProblem, TcpOption, TcpOptions, TcpSegment};
use std::fmt::{self, Write as _};
use std::net::{Ipv4Addr, Ipv6Addr};

/// The name of the innermost protocol, as a list of packets shows it.
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

/// Writes the summary of a frame: ports, flags and numbers of TCP; a few words for others.
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
        && let Some(&[high, low]) = segment.header.get(18..20)
    {
        write!(out, " Urg={}", u16::from_be_bytes([high, low]))?;
    }
    write!(out, " Len={}", segment.payload_length)?;
    let base = match context {
        Some(_) if segment.flags.ack() => {
            segment.acknowledgment_number.wrapping_sub(acknowledgment)
        }
        _ => 0,
    };
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
        (TcpOption::SACK, bytes) => {
            for edges in bytes.get(2..).unwrap_or(&[]).chunks_exact(8) {
                if let &[a, b, c, d, e, f, g, h] = edges {
                    let left = u32::from_be_bytes([a, b, c, d]).wrapping_sub(base);
                    let right = u32::from_be_bytes([e, f, g, h]).wrapping_sub(base);
                    write!(out, " SLE={left} SRE={right}")?;
                }
            }
            Ok(())
        }
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
            None => write!(out, "{} bytes", frame.bytes.len()),
        };
    };
    let bytes = match packet.reassembly {
        Some(whole) if span.reassembled => whole.bytes,
        _ => frame.bytes,
    };
    let bytes = bytes.get(span.offset as usize..).unwrap_or(&[]);
    let payload = bytes.len().saturating_sub(span.length as usize);
    match span.layer {
        Layer::Udp => match bytes {
            [a, b, c, d, e, f, ..] => write!(
                out,
                "{} → {} Len={}",
                u16::from_be_bytes([*a, *b]),
                u16::from_be_bytes([*c, *d]),
                u16::from_be_bytes([*e, *f]).saturating_sub(8)
            ),
            _ => Ok(()),
        },
        Layer::Arp => write_arp(bytes, out),
        Layer::Icmp => {
            let name = kind_name(bytes, &fields::ICMP_TYPE);
            write!(out, "{name}")?;
            match bytes {
                [0 | 8, _, _, _, a, b, c, d, ..] => write!(
                    out,
                    "  id=0x{:04x}, seq={}",
                    u16::from_be_bytes([*a, *b]),
                    u16::from_be_bytes([*c, *d])
                ),
                _ => Ok(()),
            }
        }
        Layer::Icmpv6 => write_icmpv6(bytes, out),
        Layer::Ipv4 | Layer::Ipv6 | Layer::Ipv6Fragment => write_ip(bytes, span, packet, out),
        layer => match packet.note {
            Some(problem) => write!(out, "{problem}"),
            None => write!(out, "{}, {payload} bytes", layer.name()),
        },
    }
}

fn write_arp(bytes: &[u8], out: &mut String) -> fmt::Result {
    let &[
        _,
        _,
        8,
        0,
        6,
        4,
        _,
        operation,
        a,
        b,
        c,
        d,
        e,
        f,
        s0,
        s1,
        s2,
        s3,
        _,
        _,
        _,
        _,
        _,
        _,
        t0,
        t1,
        t2,
        t3,
        ..,
    ] = bytes
    else {
        return write!(out, "ARP");
    };
    let (sender, target) = (Ipv4Addr::new(s0, s1, s2, s3), Ipv4Addr::new(t0, t1, t2, t3));
    match operation {
        1 => write!(out, "Who has {target}? Tell {sender}"),
        2 => write!(out, "{sender} is at {}", ethernet_text([a, b, c, d, e, f])),
        _ => write!(out, "{}", fields::ARP_OPERATION.value_name(operation.into()).unwrap_or("ARP")),
    }
}

fn write_icmpv6(bytes: &[u8], out: &mut String) -> fmt::Result {
    let name = kind_name(bytes, &fields::ICMPV6_TYPE);
    write!(out, "{name}")?;
    match bytes {
        [128 | 129, _, _, _, a, b, c, d, ..] => write!(
            out,
            " id=0x{:04x}, seq={}",
            u16::from_be_bytes([*a, *b]),
            u16::from_be_bytes([*c, *d])
        ),
        [135 | 136, ..] => match bytes.get(8..).and_then(<[u8]>::first_chunk::<16>) {
            Some(target) => write!(out, " for {}", Ipv6Addr::from(*target)),
            None => Ok(()),
        },
        _ => Ok(()),
    }
}

fn kind_name(bytes: &[u8], field: &'static crate::field::Field) -> &'static str {
    bytes.first().and_then(|kind| field.value_name(u64::from(*kind))).unwrap_or("unknown type")
}

/// A packet whose innermost known layer is IP: a fragment, or a protocol that is not decoded.
fn write_ip(bytes: &[u8], span: &LayerSpan, packet: &Packet<'_>, out: &mut String) -> fmt::Result {
    let protocol_name = |protocol: u8| {
        let mut names = PROTOCOL_NUMBERS.iter();
        names.find(|(number, _)| *number == u64::from(protocol)).map_or("unknown", |(_, name)| name)
    };
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
