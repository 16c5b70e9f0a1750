//! Builds the tree of a frame up to its transport header, in one pass over its layers.

use super::node::{Location, Part, Run, SourceId, Tree, Value, write_digits};
use super::rpc::{arp, icmp, icmpv6, rest, udp};
use super::tcp_header::tcp;
use crate::capture::Frame;
use crate::field::{Display, FieldRef, ip, link, small};
use crate::flow::TcpContext;
use crate::link::{Layer, LayerSpan, Packet, Reassembly, loopback_family};
use std::net::{Ipv4Addr, Ipv6Addr};
use warpscope_text::counted;

/// The sources that contain a frame's layers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LayerSources {
    /// The frame.
    pub frame: SourceId,
    /// The datagram reassembled from fragments, if this frame completed one.
    pub reassembled: Option<SourceId>,
}

/// Adds the frame's bytes to the tree, as [`push_layers`] requires.
pub fn add_sources(tree: &mut Tree, frame: &Frame<'_>, packet: &Packet<'_>) -> LayerSources {
    let source = tree.add_source("Frame", frame.bytes);
    let reassembled =
        packet.reassembly.map(|whole| tree.add_source("Reassembled IPv4", whole.bytes));
    LayerSources { frame: source, reassembled }
}

/// Adds the nodes of every layer up to the transport header.
///
/// `context` is what is known of the TCP connection; without it there are no relative numbers.
pub fn push_layers(
    tree: &mut Tree,
    frame: &Frame<'_>,
    packet: &Packet<'_>,
    sources: LayerSources,
    context: Option<&TcpContext>,
) {
    let mut ip = None;
    let mut reassembly_shown = false;
    for span in &packet.layers {
        if span.reassembled && !reassembly_shown {
            reassembly_shown = true;
            if let (Some(layer), Some(whole)) = (ip, packet.reassembly) {
                reassembly(tree, layer, &whole);
            }
        }
        if matches!(span.layer, Layer::Ipv4 | Layer::Ipv6) {
            ip = Some(span.layer);
        }
        let (source, bytes, on_wire) =
            match (span.reassembled, sources.reassembled, packet.reassembly) {
                (true, Some(source), Some(whole)) => {
                    (source, whole.bytes, whole.bytes.len() as u32)
                }
                (true, ..) => continue,
                (false, ..) => {
                    let captured = frame.bytes.len() as u32;
                    (sources.frame, frame.bytes, frame.original_length.max(captured))
                }
            };
        let start = span.offset as usize;
        let bytes = bytes.get(start..start + span.length as usize).unwrap_or(&[]);
        let mut part = Part { tree, source, start: span.offset, bytes };
        push_layer(&mut part, span, packet, context, on_wire.saturating_sub(span.offset));
    }
}

fn push_layer(
    part: &mut Part<'_, '_>,
    span: &LayerSpan,
    packet: &Packet<'_>,
    context: Option<&TcpContext>,
    on_wire: u32,
) {
    // A truncated header has the nodes that fit; the rest is left out.
    let _ = match span.layer {
        Layer::Ethernet => ethernet(part),
        Layer::Llc => llc(part),
        Layer::LinuxSll => cooked(part),
        Layer::LinuxSll2 => cooked2(part),
        Layer::Null | Layer::Loop => loopback(part),
        Layer::RawIp => rest(part, &link::RAW),
        Layer::Vlan => vlan(part),
        Layer::ProviderVlan => provider(part),
        Layer::Arp => arp(part),
        Layer::Ipv4 => ipv4(part, on_wire),
        Layer::Ipv6 => ipv6(part),
        Layer::Ipv6HopByHop
        | Layer::Ipv6Routing
        | Layer::Ipv6Destination
        | Layer::Ipv6Fragment
        | Layer::Authentication => ipv6_extension(part, span.layer),
        Layer::Tcp => packet.tcp.as_ref().and_then(|segment| tcp(part, segment, context)),
        Layer::Udp => udp(part),
        Layer::Icmp => icmp(part),
        Layer::Icmpv6 => icmpv6(part),
        Layer::Igmp => rest(part, &small::IGMP),
        Layer::Sctp => rest(part, &small::SCTP),
        Layer::Data => data(part),
    };
}

/// Writes the protocols of the layers as in `frame.protocols`: outermost first, joined by colons.
pub(crate) fn write_protocols(packet: &Packet<'_>, bytes: &[u8], out: &mut String) {
    for (index, span) in packet.layers.iter().enumerate() {
        if !out.is_empty() {
            out.push(':');
        }
        out.push_str(span.layer.protocol());
        let typed = match span.layer {
            Layer::Ethernet => match bytes.get(12..14) {
                Some(&[high, low]) => u16::from_be_bytes([high, low]) > 1500,
                _ => true,
            },
            Layer::LinuxSll | Layer::LinuxSll2 => {
                let next = packet.layers.get(index + 1);
                next.is_none_or(|next| next.layer != Layer::Data)
            }
            layer => matches!(layer, Layer::Vlan | Layer::ProviderVlan),
        };
        if typed {
            out.push_str(":ethertype");
        }
    }
}

// The nodes of the link layers.

pub(super) fn ethernet(part: &mut Part<'_, '_>) -> Option<()> {
    let note = match part.bytes {
        [a, b, c, d, e, f, g, h, i, j, k, l, ..] => Some(format!(
            "Src: {}, Dst: {}",
            ethernet_text([*g, *h, *i, *j, *k, *l]),
            ethernet_text([*a, *b, *c, *d, *e, *f])
        )),
        _ => None,
    };
    part.layer(0, &link::ETHERNET, note);
    address(
        part,
        0,
        &link::ETHERNET_DESTINATION,
        &link::ETHERNET_DESTINATION_LOCAL,
        &link::ETHERNET_DESTINATION_GROUP,
    )?;
    address(
        part,
        6,
        &link::ETHERNET_SOURCE,
        &link::ETHERNET_SOURCE_LOCAL,
        &link::ETHERNET_SOURCE_GROUP,
    )?;
    let kind = part.number_at(12, 2)?;
    let field = if kind <= 1500 { &link::ETHERNET_LENGTH } else { &link::ETHERNET_TYPE };
    part.number(1, field, 12, 2)?;
    Some(())
}

fn address(
    part: &mut Part<'_, '_>,
    at: usize,
    field: FieldRef,
    local: FieldRef,
    group: FieldRef,
) -> Option<()> {
    part.ethernet(1, field, at)?;
    part.ethernet(2, &link::ETHERNET_ADDRESS, at)?;
    part.bits(2, local, at, 6, 1)?;
    part.bits(2, &link::ETHERNET_LOCAL, at, 6, 1)?;
    part.bits(2, group, at, 7, 1)?;
    part.bits(2, &link::ETHERNET_GROUP, at, 7, 1)?;
    Some(())
}

/// Formats an Ethernet address as two digits per byte, joined by colons.
pub(super) fn ethernet_text(bytes: [u8; 6]) -> String {
    let mut text = String::with_capacity(17);
    write_digits(&bytes, Display::Colons, &mut text);
    text
}

pub(super) fn llc(part: &mut Part<'_, '_>) -> Option<()> {
    part.layer(0, &link::LLC, None);
    part.number(1, &link::LLC_DESTINATION, 0, 1)?;
    part.number(1, &link::LLC_SOURCE, 1, 1)?;
    part.number(1, &link::LLC_TYPE, 6, 2)?;
    Some(())
}

pub(super) fn vlan(part: &mut Part<'_, '_>) -> Option<()> {
    let tag = part.number_at(0, 2)?;
    let note = format!("PRI: {}, DEI: {}, ID: {}", tag >> 13, tag >> 12 & 1, tag & 0xfff);
    part.layer(0, &link::VLAN, Some(note));
    part.bits(1, &link::VLAN_PRIORITY, 0, 0, 3)?;
    part.bits(1, &link::VLAN_DROP_ELIGIBLE, 0, 3, 1)?;
    part.bits(1, &link::VLAN_ID, 0, 4, 12)?;
    part.number(1, &link::VLAN_TYPE, 2, 2)?;
    Some(())
}

pub(super) fn provider(part: &mut Part<'_, '_>) -> Option<()> {
    let tag = part.number_at(0, 2)?;
    part.layer(0, &link::PROVIDER, Some(format!("ID: {}", tag & 0xfff)));
    part.bits(1, &link::PROVIDER_PRIORITY, 0, 0, 3)?;
    part.bits(1, &link::PROVIDER_DROP_ELIGIBLE, 0, 3, 1)?;
    part.bits(1, &link::PROVIDER_ID, 0, 4, 12)?;
    Some(())
}

pub(super) fn cooked(part: &mut Part<'_, '_>) -> Option<()> {
    part.layer(0, &link::COOKED, Some("version 1".to_owned()));
    part.number(1, &link::COOKED_PACKET_TYPE, 0, 2)?;
    part.number(1, &link::COOKED_HARDWARE_TYPE, 2, 2)?;
    let length = part.number(1, &link::COOKED_ADDRESS_LENGTH, 4, 2)?;
    cooked_source(part, 6, length)?;
    cooked_type(part, 14)
}

pub(super) fn cooked2(part: &mut Part<'_, '_>) -> Option<()> {
    part.layer(0, &link::COOKED, Some("version 2".to_owned()));
    cooked_type(part, 0)?;
    part.number(1, &link::COOKED_INTERFACE, 4, 4)?;
    part.number(1, &link::COOKED_HARDWARE_TYPE, 8, 2)?;
    part.number(1, &link::COOKED_PACKET_TYPE, 10, 1)?;
    let length = part.number(1, &link::COOKED_ADDRESS_LENGTH, 11, 1)?;
    cooked_source(part, 12, length)
}

/// Adds the sender's address: 8 bytes, of which the first `length` count.
fn cooked_source(part: &mut Part<'_, '_>, at: usize, length: u64) -> Option<()> {
    let length = usize::try_from(length).map_or(8, |length| length.min(8));
    match length {
        0 => {}
        6 => part.ethernet(1, &link::COOKED_SOURCE, at)?,
        _ => {
            part.bytes(1, &link::COOKED_SOURCE_OTHER, at, length)?;
        }
    }
    if length < 8 {
        part.bytes(1, &link::COOKED_UNUSED, at + length, 8 - length)?;
    }
    Some(())
}

fn cooked_type(part: &mut Part<'_, '_>, at: usize) -> Option<()> {
    let kind = part.number_at(at, 2)?;
    let field = if kind <= 1500 { &link::COOKED_LINUX_TYPE } else { &link::COOKED_ETHER_TYPE };
    part.number(1, field, at, 2)?;
    Some(())
}

pub(super) fn loopback(part: &mut Part<'_, '_>) -> Option<()> {
    let family = loopback_family(*part.bytes.first_chunk()?);
    part.layer(0, &link::LOOPBACK, None);
    part.value(1, &link::LOOPBACK_FAMILY, Value::Unsigned(u64::from(family)), 0, 4);
    Some(())
}

/// Adds bytes that are not decoded.
pub(crate) fn push_data(tree: &mut Tree, run: Run, bytes: &[u8]) {
    data(&mut Part { tree, source: run.source, start: run.start, bytes });
}

pub(super) fn data(part: &mut Part<'_, '_>) -> Option<()> {
    let length = part.bytes.len();
    part.layer(0, &link::DATA, Some(counted(length as u64, "byte")));
    part.bytes(1, &link::DATA_BYTES, 0, length)?;
    part.derived(1, &link::DATA_LENGTH, length as u64);
    Some(())
}

// The nodes of IPv4, IPv6 and its extension headers, and of reassembled datagrams.

/// The state of a checksum that was not verified.
pub(super) const UNVERIFIED: u64 = 2;

/// Adds an IPv4 header; `on_wire` is the number of bytes from its start to the frame's end.
pub(super) fn ipv4(part: &mut Part<'_, '_>, on_wire: u32) -> Option<()> {
    let source: [u8; 4] = *part.bytes.get(12..)?.first_chunk()?;
    let destination: [u8; 4] = *part.bytes.get(16..)?.first_chunk()?;
    let note = format!("Src: {}, Dst: {}", Ipv4Addr::from(source), Ipv4Addr::from(destination));
    part.layer(0, &ip::IPV4, Some(note));
    part.bits(1, &ip::VERSION, 0, 0, 4)?;
    part.derived_bits(1, &ip::HEADER_LENGTH, part.bytes.len() as u64, 0, 4, 4);
    part.number(1, &ip::SERVICES, 1, 1)?;
    part.bits(2, &ip::SERVICES_CODEPOINT, 1, 0, 6)?;
    part.bits(2, &ip::SERVICES_CONGESTION, 1, 6, 2)?;
    if part.number_at(2, 2)? == 0 {
        let value = Value::Unsigned(u64::from(on_wire));
        let index = part.value(1, &ip::TOTAL_LENGTH, value, 2, 2);
        let note = "0 in the header: left to the network card; the frame's length is used";
        part.note(index, Some(note.to_owned()));
    } else {
        part.number(1, &ip::TOTAL_LENGTH, 2, 2)?;
    }
    part.number(1, &ip::IDENTIFICATION, 4, 2)?;
    part.bits(1, &ip::FLAGS, 6, 0, 3)?;
    part.bits(2, &ip::FLAG_RESERVED, 6, 0, 1)?;
    part.bits(2, &ip::FLAG_DO_NOT_FRAGMENT, 6, 1, 1)?;
    part.bits(2, &ip::FLAG_MORE_FRAGMENTS, 6, 2, 1)?;
    part.bits(1, &ip::FRAGMENT_OFFSET, 6, 3, 13)?;
    part.number(1, &ip::TIME_TO_LIVE, 8, 1)?;
    part.number(1, &ip::PROTOCOL, 9, 1)?;
    part.number(1, &ip::CHECKSUM, 10, 2)?;
    part.derived(1, &ip::CHECKSUM_STATUS, UNVERIFIED);
    part.ipv4(1, &ip::SOURCE, 12)?;
    part.ipv4(1, &ip::ADDRESS, 12)?;
    part.ipv4(1, &ip::DESTINATION, 16)?;
    part.ipv4(1, &ip::ADDRESS, 16)?;
    ipv4_options(part)
}

fn ipv4_options(part: &mut Part<'_, '_>) -> Option<()> {
    let mut at = 20;
    while let Some(kind) = part.bytes.get(at).copied() {
        part.number(1, &ip::OPTION_TYPE, at, 1)?;
        let length = match kind {
            0 => break,
            1 => 1,
            _ => {
                let length = part.number(2, &ip::OPTION_LENGTH, at + 1, 1)?;
                usize::try_from(length).ok().filter(|length| *length >= 2)?
            }
        };
        at += length;
    }
    Some(())
}

pub(super) fn ipv6(part: &mut Part<'_, '_>) -> Option<()> {
    let source: [u8; 16] = *part.bytes.get(8..)?.first_chunk()?;
    let destination: [u8; 16] = *part.bytes.get(24..)?.first_chunk()?;
    let note = format!("Src: {}, Dst: {}", Ipv6Addr::from(source), Ipv6Addr::from(destination));
    part.layer(0, &ip::IPV6, Some(note));
    part.bits(1, &ip::IPV6_VERSION, 0, 0, 4)?;
    // So that a filter for `ip.version == 6` matches.
    part.bits(2, &ip::VERSION, 0, 0, 4)?;
    part.bits(1, &ip::TRAFFIC_CLASS, 0, 4, 8)?;
    part.bits(2, &ip::TRAFFIC_CODEPOINT, 0, 4, 6)?;
    part.bits(2, &ip::TRAFFIC_CONGESTION, 0, 10, 2)?;
    part.bits(1, &ip::FLOW_LABEL, 0, 12, 20)?;
    part.number(1, &ip::PAYLOAD_LENGTH, 4, 2)?;
    part.number(1, &ip::NEXT_HEADER, 6, 1)?;
    part.number(1, &ip::HOP_LIMIT, 7, 1)?;
    part.ipv6(1, &ip::IPV6_SOURCE, 8)?;
    part.ipv6(1, &ip::IPV6_ADDRESS, 8)?;
    part.ipv6(1, &ip::IPV6_DESTINATION, 24)?;
    part.ipv6(1, &ip::IPV6_ADDRESS, 24)
}

pub(super) fn ipv6_extension(part: &mut Part<'_, '_>, layer: Layer) -> Option<()> {
    match layer {
        Layer::Ipv6HopByHop => extension(
            part,
            &ip::HOP_BY_HOP,
            &ip::HOP_BY_HOP_NEXT,
            &ip::HOP_BY_HOP_LENGTH,
            &ip::HOP_BY_HOP_BYTES,
        ),
        Layer::Ipv6Destination => extension(
            part,
            &ip::DESTINATION_OPTIONS,
            &ip::DESTINATION_OPTIONS_NEXT,
            &ip::DESTINATION_OPTIONS_LENGTH,
            &ip::DESTINATION_OPTIONS_BYTES,
        ),
        Layer::Ipv6Routing => {
            extension(
                part,
                &ip::ROUTING,
                &ip::ROUTING_NEXT,
                &ip::ROUTING_LENGTH,
                &ip::ROUTING_BYTES,
            )?;
            part.number(2, &ip::ROUTING_TYPE, 2, 1)?;
            part.number(2, &ip::ROUTING_SEGMENTS_LEFT, 3, 1)?;
            Some(())
        }
        Layer::Ipv6Fragment => fragment_header(part),
        _ => authentication(part),
    }
}

fn extension(
    part: &mut Part<'_, '_>,
    header: FieldRef,
    next: FieldRef,
    length: FieldRef,
    bytes: FieldRef,
) -> Option<()> {
    part.layer(1, header, None);
    part.number(2, next, 0, 1)?;
    let units = part.number(2, length, 1, 1)?;
    part.derived(2, bytes, (units + 1) * 8);
    Some(())
}

fn fragment_header(part: &mut Part<'_, '_>) -> Option<()> {
    part.layer(1, &ip::FRAGMENT_HEADER, None);
    part.number(2, &ip::FRAGMENT_HEADER_NEXT, 0, 1)?;
    part.number(2, &ip::FRAGMENT_HEADER_RESERVED, 1, 1)?;
    part.bits(2, &ip::FRAGMENT_HEADER_OFFSET, 2, 0, 13)?;
    part.bits(2, &ip::FRAGMENT_HEADER_RESERVED_BITS, 2, 13, 2)?;
    part.bits(2, &ip::FRAGMENT_HEADER_MORE, 2, 15, 1)?;
    part.number(2, &ip::FRAGMENT_HEADER_IDENTIFICATION, 4, 4)?;
    Some(())
}

fn authentication(part: &mut Part<'_, '_>) -> Option<()> {
    part.layer(0, &ip::AUTHENTICATION, None);
    part.number(1, &ip::AUTHENTICATION_NEXT, 0, 1)?;
    part.number(1, &ip::AUTHENTICATION_LENGTH, 1, 1)?;
    part.number(1, &ip::AUTHENTICATION_INDEX, 4, 4)?;
    part.number(1, &ip::AUTHENTICATION_SEQUENCE, 8, 4)?;
    let rest = part.bytes.len().checked_sub(12)?;
    part.bytes(1, &ip::AUTHENTICATION_CHECK, 12, rest)?;
    Some(())
}

/// Adds the fragments that a datagram was reassembled from.
pub(super) fn reassembly(tree: &mut Tree, ip: Layer, whole: &Reassembly<'_>) {
    let (heading, fragment, count, length) = match ip {
        Layer::Ipv4 => {
            (&ip::FRAGMENTS, &ip::FRAGMENT, &ip::FRAGMENT_COUNT, &ip::REASSEMBLED_LENGTH)
        }
        _ => (
            &ip::IPV6_FRAGMENTS,
            &ip::IPV6_FRAGMENT,
            &ip::IPV6_FRAGMENT_COUNT,
            &ip::IPV6_REASSEMBLED_LENGTH,
        ),
    };
    let value = match ip {
        Layer::Ipv4 => tree.bytes_value(whole.bytes),
        _ => Value::None,
    };
    let index = tree.push_generated(1, heading, value);
    let fragments = whole.fragments.len() as u64;
    if let Some(node) = tree.nodes.get_mut(index) {
        node.note = Some(format!("{fragments} fragments, {} bytes", whole.bytes.len()).into());
    }
    for place in whole.fragments {
        let index = tree.push(2, fragment, Value::Unsigned(place.frame), Location::default());
        if let Some(node) = tree.nodes.get_mut(index) {
            node.generated = true;
            let last = place.offset + place.length.saturating_sub(1);
            node.note = Some(format!("bytes {}-{last}", place.offset).into());
        }
    }
    tree.push_generated(2, count, Value::Unsigned(fragments));
    tree.push_generated(2, length, Value::Unsigned(whole.bytes.len() as u64));
}
