//! The nodes of IPv4, IPv6 and its extension headers, and of datagrams put together.

use super::node::{Location, Tree, Value};
use super::part::Part;
use crate::field::Field;
use crate::field::ip as fields;
use crate::link::{Layer, Reassembly};
use std::net::{Ipv4Addr, Ipv6Addr};

/// The state of a checksum that was not verified.
pub(super) const UNVERIFIED: u64 = 2;

/// An IPv4 header; `on_wire` bytes from its start to the frame's end.
pub(super) fn ipv4(part: &mut Part<'_, '_>, on_wire: u32) -> Option<()> {
    let source: [u8; 4] = *part.bytes.get(12..)?.first_chunk()?;
    let destination: [u8; 4] = *part.bytes.get(16..)?.first_chunk()?;
    let note = format!("Src: {}, Dst: {}", Ipv4Addr::from(source), Ipv4Addr::from(destination));
    part.layer(0, &fields::IPV4, Some(note));
    part.bits(1, &fields::VERSION, 0, 0, 4)?;
    part.derived_bits(1, &fields::HEADER_LENGTH, part.bytes.len() as u64, 0, 4, 4);
    part.number(1, &fields::SERVICES, 1, 1)?;
    part.bits(2, &fields::SERVICES_CODEPOINT, 1, 0, 6)?;
    part.bits(2, &fields::SERVICES_CONGESTION, 1, 6, 2)?;
    if part.number_at(2, 2)? == 0 {
        let value = Value::Unsigned(u64::from(on_wire));
        let index = part.value(1, &fields::TOTAL_LENGTH, value, 2, 2);
        let note = "0 in the header: left to the network card; the frame's length counts";
        part.note(index, Some(note.to_owned()));
    } else {
        part.number(1, &fields::TOTAL_LENGTH, 2, 2)?;
    }
    part.number(1, &fields::IDENTIFICATION, 4, 2)?;
    part.bits(1, &fields::FLAGS, 6, 0, 3)?;
    part.bits(2, &fields::FLAG_RESERVED, 6, 0, 1)?;
    part.bits(2, &fields::FLAG_DO_NOT_FRAGMENT, 6, 1, 1)?;
    part.bits(2, &fields::FLAG_MORE_FRAGMENTS, 6, 2, 1)?;
    part.bits(1, &fields::FRAGMENT_OFFSET, 6, 3, 13)?;
    part.number(1, &fields::TIME_TO_LIVE, 8, 1)?;
    part.number(1, &fields::PROTOCOL, 9, 1)?;
    part.number(1, &fields::CHECKSUM, 10, 2)?;
    part.derived(1, &fields::CHECKSUM_STATUS, UNVERIFIED);
    part.ipv4(1, &fields::SOURCE, 12)?;
    part.ipv4(1, &fields::ADDRESS, 12)?;
    part.ipv4(1, &fields::DESTINATION, 16)?;
    part.ipv4(1, &fields::ADDRESS, 16)?;
    ipv4_options(part)
}

fn ipv4_options(part: &mut Part<'_, '_>) -> Option<()> {
    let mut at = 20;
    while let Some(kind) = part.bytes.get(at).copied() {
        part.number(1, &fields::OPTION_TYPE, at, 1)?;
        let length = match kind {
            0 => break,
            1 => 1,
            _ => {
                let length = part.number(2, &fields::OPTION_LENGTH, at + 1, 1)?;
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
    part.layer(0, &fields::IPV6, Some(note));
    part.bits(1, &fields::IPV6_VERSION, 0, 0, 4)?;
    // So that a filter for `ip.version == 6` matches.
    part.bits(2, &fields::VERSION, 0, 0, 4)?;
    part.bits(1, &fields::TRAFFIC_CLASS, 0, 4, 8)?;
    part.bits(2, &fields::TRAFFIC_CODEPOINT, 0, 4, 6)?;
    part.bits(2, &fields::TRAFFIC_CONGESTION, 0, 10, 2)?;
    part.bits(1, &fields::FLOW_LABEL, 0, 12, 20)?;
    part.number(1, &fields::PAYLOAD_LENGTH, 4, 2)?;
    part.number(1, &fields::NEXT_HEADER, 6, 1)?;
    part.number(1, &fields::HOP_LIMIT, 7, 1)?;
    part.ipv6(1, &fields::IPV6_SOURCE, 8)?;
    part.ipv6(1, &fields::IPV6_ADDRESS, 8)?;
    part.ipv6(1, &fields::IPV6_DESTINATION, 24)?;
    part.ipv6(1, &fields::IPV6_ADDRESS, 24)
}

pub(super) fn ipv6_extension(part: &mut Part<'_, '_>, layer: Layer) -> Option<()> {
    match layer {
        Layer::Ipv6HopByHop => extension(
            part,
            &fields::HOP_BY_HOP,
            &fields::HOP_BY_HOP_NEXT,
            &fields::HOP_BY_HOP_LENGTH,
            &fields::HOP_BY_HOP_BYTES,
        ),
        Layer::Ipv6Destination => extension(
            part,
            &fields::DESTINATION_OPTIONS,
            &fields::DESTINATION_OPTIONS_NEXT,
            &fields::DESTINATION_OPTIONS_LENGTH,
            &fields::DESTINATION_OPTIONS_BYTES,
        ),
        Layer::Ipv6Routing => {
            extension(
                part,
                &fields::ROUTING,
                &fields::ROUTING_NEXT,
                &fields::ROUTING_LENGTH,
                &fields::ROUTING_BYTES,
            )?;
            part.number(2, &fields::ROUTING_TYPE, 2, 1)?;
            part.number(2, &fields::ROUTING_SEGMENTS_LEFT, 3, 1)?;
            Some(())
        }
        Layer::Ipv6Fragment => fragment_header(part),
        _ => authentication(part),
    }
}

fn extension(
    part: &mut Part<'_, '_>,
    header: &'static Field,
    next: &'static Field,
    length: &'static Field,
    bytes: &'static Field,
) -> Option<()> {
    part.layer(1, header, None);
    part.number(2, next, 0, 1)?;
    let units = part.number(2, length, 1, 1)?;
    part.derived(2, bytes, (units + 1) * 8);
    Some(())
}

fn fragment_header(part: &mut Part<'_, '_>) -> Option<()> {
    part.layer(1, &fields::FRAGMENT_HEADER, None);
    part.number(2, &fields::FRAGMENT_HEADER_NEXT, 0, 1)?;
    part.number(2, &fields::FRAGMENT_HEADER_RESERVED, 1, 1)?;
    part.bits(2, &fields::FRAGMENT_HEADER_OFFSET, 2, 0, 13)?;
    part.bits(2, &fields::FRAGMENT_HEADER_RESERVED_BITS, 2, 13, 2)?;
    part.bits(2, &fields::FRAGMENT_HEADER_MORE, 2, 15, 1)?;
    part.number(2, &fields::FRAGMENT_HEADER_IDENTIFICATION, 4, 4)?;
    Some(())
}

fn authentication(part: &mut Part<'_, '_>) -> Option<()> {
    part.layer(0, &fields::AUTHENTICATION, None);
    part.number(1, &fields::AUTHENTICATION_NEXT, 0, 1)?;
    part.number(1, &fields::AUTHENTICATION_LENGTH, 1, 1)?;
    part.number(1, &fields::AUTHENTICATION_INDEX, 4, 4)?;
    part.number(1, &fields::AUTHENTICATION_SEQUENCE, 8, 4)?;
    let rest = part.bytes.len().checked_sub(12)?;
    part.bytes(1, &fields::AUTHENTICATION_CHECK, 12, rest)?;
    Some(())
}

/// The fragments that a datagram was put together from.
pub(super) fn reassembly(tree: &mut Tree, ip: Layer, whole: &Reassembly<'_>) {
    let (heading, fragment, count, length) = match ip {
        Layer::Ipv4 => (
            &fields::FRAGMENTS,
            &fields::FRAGMENT,
            &fields::FRAGMENT_COUNT,
            &fields::REASSEMBLED_LENGTH,
        ),
        _ => (
            &fields::IPV6_FRAGMENTS,
            &fields::IPV6_FRAGMENT,
            &fields::IPV6_FRAGMENT_COUNT,
            &fields::IPV6_REASSEMBLED_LENGTH,
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
