//! The nodes of the link layers.

use super::node::Value;
use super::part::Part;
use crate::field::Field;
use crate::field::link as fields;
use crate::link::loopback_family;
use std::fmt::Write as _;

pub(super) fn ethernet(part: &mut Part<'_, '_>) -> Option<()> {
    let note = match part.bytes {
        [a, b, c, d, e, f, g, h, i, j, k, l, ..] => Some(format!(
            "Src: {}, Dst: {}",
            ethernet_text([*g, *h, *i, *j, *k, *l]),
            ethernet_text([*a, *b, *c, *d, *e, *f])
        )),
        _ => None,
    };
    part.layer(0, &fields::ETHERNET, note);
    address(
        part,
        0,
        &fields::ETHERNET_DESTINATION,
        &fields::ETHERNET_DESTINATION_LOCAL,
        &fields::ETHERNET_DESTINATION_GROUP,
    )?;
    address(
        part,
        6,
        &fields::ETHERNET_SOURCE,
        &fields::ETHERNET_SOURCE_LOCAL,
        &fields::ETHERNET_SOURCE_GROUP,
    )?;
    let kind = part.number_at(12, 2)?;
    let field = if kind <= 1500 { &fields::ETHERNET_LENGTH } else { &fields::ETHERNET_TYPE };
    part.number(1, field, 12, 2)?;
    Some(())
}

fn address(
    part: &mut Part<'_, '_>,
    at: usize,
    field: &'static Field,
    local: &'static Field,
    group: &'static Field,
) -> Option<()> {
    part.ethernet(1, field, at)?;
    part.ethernet(2, &fields::ETHERNET_ADDRESS, at)?;
    part.bits(2, local, at, 6, 1)?;
    part.bits(2, &fields::ETHERNET_LOCAL, at, 6, 1)?;
    part.bits(2, group, at, 7, 1)?;
    part.bits(2, &fields::ETHERNET_GROUP, at, 7, 1)?;
    Some(())
}

/// An Ethernet address as two digits a byte, joined by colons.
pub(super) fn ethernet_text(bytes: [u8; 6]) -> String {
    let mut text = String::with_capacity(17);
    for (index, byte) in bytes.iter().enumerate() {
        let separator = if index > 0 { ":" } else { "" };
        let written = write!(text, "{separator}{byte:02x}");
        debug_assert!(written.is_ok());
    }
    text
}

pub(super) fn llc(part: &mut Part<'_, '_>) -> Option<()> {
    part.layer(0, &fields::LLC, None);
    part.number(1, &fields::LLC_DESTINATION, 0, 1)?;
    part.number(1, &fields::LLC_SOURCE, 1, 1)?;
    part.number(1, &fields::LLC_TYPE, 6, 2)?;
    Some(())
}

pub(super) fn vlan(part: &mut Part<'_, '_>) -> Option<()> {
    let tag = part.number_at(0, 2)?;
    let note = format!("PRI: {}, DEI: {}, ID: {}", tag >> 13, tag >> 12 & 1, tag & 0xfff);
    part.layer(0, &fields::VLAN, Some(note));
    part.bits(1, &fields::VLAN_PRIORITY, 0, 0, 3)?;
    part.bits(1, &fields::VLAN_DROP_ELIGIBLE, 0, 3, 1)?;
    part.bits(1, &fields::VLAN_ID, 0, 4, 12)?;
    part.number(1, &fields::VLAN_TYPE, 2, 2)?;
    Some(())
}

pub(super) fn provider(part: &mut Part<'_, '_>) -> Option<()> {
    let tag = part.number_at(0, 2)?;
    part.layer(0, &fields::PROVIDER, Some(format!("ID: {}", tag & 0xfff)));
    part.bits(1, &fields::PROVIDER_PRIORITY, 0, 0, 3)?;
    part.bits(1, &fields::PROVIDER_DROP_ELIGIBLE, 0, 3, 1)?;
    part.bits(1, &fields::PROVIDER_ID, 0, 4, 12)?;
    Some(())
}

pub(super) fn cooked(part: &mut Part<'_, '_>) -> Option<()> {
    part.layer(0, &fields::COOKED, Some("version 1".to_owned()));
    part.number(1, &fields::COOKED_PACKET_TYPE, 0, 2)?;
    part.number(1, &fields::COOKED_HARDWARE_TYPE, 2, 2)?;
    let length = part.number(1, &fields::COOKED_ADDRESS_LENGTH, 4, 2)?;
    cooked_source(part, 6, length)?;
    cooked_type(part, 14)
}

pub(super) fn cooked2(part: &mut Part<'_, '_>) -> Option<()> {
    part.layer(0, &fields::COOKED, Some("version 2".to_owned()));
    cooked_type(part, 0)?;
    part.number(1, &fields::COOKED_INTERFACE, 4, 4)?;
    part.number(1, &fields::COOKED_HARDWARE_TYPE, 8, 2)?;
    part.number(1, &fields::COOKED_PACKET_TYPE, 10, 1)?;
    let length = part.number(1, &fields::COOKED_ADDRESS_LENGTH, 11, 1)?;
    cooked_source(part, 12, length)
}

/// The sender's address: 8 bytes, of which the first `length` count.
fn cooked_source(part: &mut Part<'_, '_>, at: usize, length: u64) -> Option<()> {
    let length = usize::try_from(length).map_or(8, |length| length.min(8));
    match length {
        0 => {}
        6 => part.ethernet(1, &fields::COOKED_SOURCE, at)?,
        _ => {
            part.bytes(1, &fields::COOKED_SOURCE_OTHER, at, length)?;
        }
    }
    if length < 8 {
        part.bytes(1, &fields::COOKED_UNUSED, at + length, 8 - length)?;
    }
    Some(())
}

fn cooked_type(part: &mut Part<'_, '_>, at: usize) -> Option<()> {
    let kind = part.number_at(at, 2)?;
    let field = if kind <= 1500 { &fields::COOKED_LINUX_TYPE } else { &fields::COOKED_ETHER_TYPE };
    part.number(1, field, at, 2)?;
    Some(())
}

pub(super) fn loopback(part: &mut Part<'_, '_>) -> Option<()> {
    let family = loopback_family(*part.bytes.first_chunk()?);
    part.layer(0, &fields::LOOPBACK, None);
    part.value(1, &fields::LOOPBACK_FAMILY, Value::Unsigned(u64::from(family)), 0, 4);
    Some(())
}

pub(super) fn raw(part: &mut Part<'_, '_>) -> Option<()> {
    part.layer(0, &fields::RAW, None);
    Some(())
}

pub(super) fn data(part: &mut Part<'_, '_>) -> Option<()> {
    let length = part.bytes.len();
    part.layer(0, &fields::DATA, Some(format!("{length} bytes")));
    part.bytes(1, &fields::DATA_BYTES, 0, length)?;
    part.derived(1, &fields::DATA_LENGTH, length as u64);
    Some(())
}
