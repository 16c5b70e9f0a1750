//! The tree of a frame up to its transport header, in one pass over its layers.

use super::ip::{ipv4, ipv6, ipv6_extension, reassembly};
use super::link::{cooked, cooked2, data, ethernet, llc, loopback, provider, raw, vlan};
use super::node::{SourceId, Tree};
use super::part::Part;
use super::small::{arp, icmp, icmpv6, rest, udp};
use super::tcp_header::{TcpContext, tcp};
use crate::capture::Frame;
use crate::field::small as small_fields;
use crate::link::{Layer, LayerSpan, Packet};

/// Which sources a frame's layers count in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LayerSources {
    /// The frame.
    pub frame: SourceId,
    /// The datagram put together from fragments, when this frame completed one.
    pub reassembled: Option<SourceId>,
}

/// Adds the frame's bytes to the tree; [`push_layers`] needs them.
pub fn add_sources(tree: &mut Tree, frame: &Frame<'_>, packet: &Packet<'_>) -> LayerSources {
    let source = tree.add_source("Frame", frame.bytes);
    let reassembled =
        packet.reassembly.map(|whole| tree.add_source("Reassembled IP datagram", whole.bytes));
    LayerSources { frame: source, reassembled }
}

/// Adds the nodes of every layer up to the transport header.
///
/// `context` is what is known of the TCP connection; without it the relative numbers are missing.
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
    // A header that was cut short has the nodes that fit; the rest is left out.
    let _ = match span.layer {
        Layer::Ethernet => ethernet(part),
        Layer::Llc => llc(part),
        Layer::LinuxSll => cooked(part),
        Layer::LinuxSll2 => cooked2(part),
        Layer::Null | Layer::Loop => loopback(part),
        Layer::RawIp => raw(part),
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
        Layer::Igmp => rest(part, &small_fields::IGMP),
        Layer::Sctp => rest(part, &small_fields::SCTP),
        Layer::Data => data(part),
    };
}

/// The protocols of the layers as `frame.protocols` names them, outermost first, joined by colons.
pub fn write_protocols(packet: &Packet<'_>, bytes: &[u8], out: &mut String) {
    for (index, span) in packet.layers.iter().enumerate() {
        let names: &[&str] = match span.layer {
            Layer::Ethernet => match bytes.get(12..14) {
                Some(&[high, low]) if u16::from_be_bytes([high, low]) <= 1500 => &["eth"],
                _ => &["eth", "ethertype"],
            },
            Layer::Llc => &["llc"],
            Layer::LinuxSll | Layer::LinuxSll2 => match packet.layers.get(index + 1) {
                Some(LayerSpan { layer: Layer::Data, .. }) => &["sll"],
                _ => &["sll", "ethertype"],
            },
            Layer::Null | Layer::Loop => &["null"],
            Layer::RawIp => &["raw"],
            Layer::Vlan => &["vlan", "ethertype"],
            Layer::ProviderVlan => &["ieee8021ad", "ethertype"],
            Layer::Arp => &["arp"],
            Layer::Ipv4 => &["ip"],
            Layer::Ipv6 => &["ipv6"],
            Layer::Ipv6HopByHop => &["ipv6.hopopts"],
            Layer::Ipv6Routing => &["ipv6.routing"],
            Layer::Ipv6Destination => &["ipv6.dstopts"],
            Layer::Ipv6Fragment => &["ipv6.fraghdr"],
            Layer::Authentication => &["ah"],
            Layer::Tcp => &["tcp"],
            Layer::Udp => &["udp"],
            Layer::Icmp => &["icmp"],
            Layer::Icmpv6 => &["icmpv6"],
            Layer::Igmp => &["igmp"],
            Layer::Sctp => &["sctp"],
            Layer::Data => &["data"],
        };
        for name in names {
            if !out.is_empty() {
                out.push(':');
            }
            out.push_str(name);
        }
    }
}
