//! The nodes of ARP, UDP, ICMP and ICMPv6.

use super::ip::UNVERIFIED;
use super::part::Part;
use crate::field::Field;
use crate::field::small as fields;

pub(super) fn arp(part: &mut Part<'_, '_>) -> Option<()> {
    let operation = part.number_at(6, 2)?;
    let name = fields::ARP_OPERATION.value_name(operation).unwrap_or("unknown");
    part.layer(0, &fields::ARP, Some(name.to_owned()));
    part.number(1, &fields::ARP_HARDWARE, 0, 2)?;
    let protocol = part.number(1, &fields::ARP_PROTOCOL, 2, 2)?;
    let hardware_size = part.number(1, &fields::ARP_HARDWARE_SIZE, 4, 1)?;
    let protocol_size = part.number(1, &fields::ARP_PROTOCOL_SIZE, 5, 1)?;
    part.number(1, &fields::ARP_OPERATION, 6, 2)?;
    if (protocol, hardware_size, protocol_size) == (0x0800, 6, 4) {
        part.ethernet(1, &fields::ARP_SENDER_HARDWARE, 8)?;
        part.ipv4(1, &fields::ARP_SENDER_PROTOCOL, 14)?;
        part.ethernet(1, &fields::ARP_TARGET_HARDWARE, 18)?;
        part.ipv4(1, &fields::ARP_TARGET_PROTOCOL, 24)?;
    }
    Some(())
}

pub(super) fn udp(part: &mut Part<'_, '_>) -> Option<()> {
    let (source, destination) = (part.number_at(0, 2)?, part.number_at(2, 2)?);
    let note = format!("Src Port: {source}, Dst Port: {destination}");
    part.layer(0, &fields::UDP, Some(note));
    part.number(1, &fields::UDP_SOURCE, 0, 2)?;
    part.number(1, &fields::UDP_DESTINATION, 2, 2)?;
    part.number(1, &fields::UDP_PORT, 0, 2)?;
    part.number(1, &fields::UDP_PORT, 2, 2)?;
    part.number(1, &fields::UDP_LENGTH, 4, 2)?;
    let checksum = part.number(1, &fields::UDP_CHECKSUM, 6, 2)?;
    // 0 says that the sender computed none (RFC 768).
    part.derived(1, &fields::UDP_CHECKSUM_STATUS, if checksum == 0 { 3 } else { UNVERIFIED });
    Some(())
}

pub(super) fn icmp(part: &mut Part<'_, '_>) -> Option<()> {
    let kind = part.number_at(0, 1)?;
    part.layer(0, &fields::ICMP, fields::ICMP_TYPE.value_name(kind).map(str::to_owned));
    part.number(1, &fields::ICMP_TYPE, 0, 1)?;
    part.number(1, &fields::ICMP_CODE, 1, 1)?;
    part.number(1, &fields::ICMP_CHECKSUM, 2, 2)?;
    if matches!(kind, 0 | 8) {
        part.number(1, &fields::ICMP_IDENTIFIER, 4, 2)?;
        part.number(1, &fields::ICMP_SEQUENCE, 6, 2)?;
    }
    Some(())
}

pub(super) fn icmpv6(part: &mut Part<'_, '_>) -> Option<()> {
    let kind = part.number_at(0, 1)?;
    part.layer(0, &fields::ICMPV6, fields::ICMPV6_TYPE.value_name(kind).map(str::to_owned));
    part.number(1, &fields::ICMPV6_TYPE, 0, 1)?;
    part.number(1, &fields::ICMPV6_CODE, 1, 1)?;
    part.number(1, &fields::ICMPV6_CHECKSUM, 2, 2)?;
    match kind {
        128 | 129 => {
            part.number(1, &fields::ICMPV6_IDENTIFIER, 4, 2)?;
            part.number(1, &fields::ICMPV6_SEQUENCE, 6, 2)?;
        }
        135 => part.ipv6(1, &fields::ICMPV6_SOLICITED, 8)?,
        136 => part.ipv6(1, &fields::ICMPV6_ADVERTISED, 8)?,
        _ => {}
    }
    Some(())
}

/// A protocol that is only named.
pub(super) fn rest(part: &mut Part<'_, '_>, protocol: &'static Field) -> Option<()> {
    part.layer(0, protocol, None);
    Some(())
}
