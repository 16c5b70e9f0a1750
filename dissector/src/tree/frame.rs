//! The node of the frame itself.

use super::layers::write_protocols;
use super::node::{Location, SourceId, Tree, Value};
use crate::capture::{Frame, Interface, LinkType};
use crate::field::Field;
use crate::field::frame as fields;
use crate::link::Packet;

/// What a frame's node says beyond the frame.
#[derive(Debug, Clone, Copy, Default)]
pub struct FrameContext<'a> {
    /// When the first frame of the capture was captured, in nanoseconds.
    pub first_time: Option<i64>,
    /// When the frame before was captured; none for the first.
    pub previous_time: Option<i64>,
    /// When the last frame before that passed the display filter was captured.
    pub previous_displayed_time: Option<i64>,
    /// The interface, when the format of the capture tells interfaces apart.
    pub interface: Option<&'a Interface>,
}

/// Adds the frame's node and its fields; returns the index of the `frame.protocols` node, to which
/// the stages above TCP append.
pub fn push_frame(
    tree: &mut Tree,
    frame: &Frame<'_>,
    packet: &Packet<'_>,
    source: SourceId,
    context: &FrameContext<'_>,
) -> usize {
    let captured = frame.bytes.len();
    let location = Location { source, length: captured as u32, ..Location::default() };
    let index = tree.push(0, &fields::PROTOCOL, Value::None, location);
    if let Some(node) = tree.nodes.get_mut(index) {
        node.note = Some(
            format!(
                "{}: {} bytes on the wire, {captured} captured",
                frame.number, frame.original_length
            )
            .into(),
        );
    }
    let mut push =
        |field: &'static Field, value: Value| tree.push(1, field, value, Location::default());
    if let Some(interface) = context.interface {
        push(&fields::SECTION_NUMBER, Value::Unsigned(u64::from(interface.section) + 1));
        push(&fields::INTERFACE_ID, Value::Unsigned(u64::from(interface.number)));
        let name = interface.name.clone().map_or("unknown".into(), Into::into);
        push(&fields::INTERFACE_NAME, Value::Text(name));
        if let Some(description) = &interface.description {
            push(&fields::INTERFACE_DESCRIPTION, Value::Text(description.clone().into()));
        }
    }
    push(&fields::ENCAPSULATION, Value::Unsigned(encapsulation(frame.link_type)));
    if let Some(time) = frame.time {
        let since =
            |earlier: Option<i64>| Value::Time(time.saturating_sub(earlier.unwrap_or(time)));
        push(&fields::TIME, Value::Time(time));
        push(&fields::TIME_EPOCH, Value::Time(time));
        push(&fields::TIME_DELTA, since(context.previous_time));
        push(&fields::TIME_DELTA_DISPLAYED, since(context.previous_displayed_time));
        push(&fields::TIME_RELATIVE, since(context.first_time));
    }
    push(&fields::NUMBER, Value::Unsigned(frame.number));
    push(&fields::LENGTH, Value::Unsigned(u64::from(frame.original_length)));
    push(&fields::CAPTURED_LENGTH, Value::Unsigned(captured as u64));
    let mut protocols = String::new();
    write_protocols(packet, frame.bytes, &mut protocols);
    tree.push_generated(1, &fields::PROTOCOLS, Value::Text(protocols.into()))
}

/// Wireshark's number of a link type; 0 for others than those decoded here.
fn encapsulation(link_type: LinkType) -> u64 {
    match link_type {
        LinkType::ETHERNET => 1,
        LinkType::RAW | LinkType::RAW_BSD | LinkType::RAW_OPENBSD => 7,
        LinkType::NULL => 15,
        LinkType::LINUX_SLL => 25,
        LinkType::IPV4 => 129,
        LinkType::IPV6 => 130,
        LinkType::LOOP => 174,
        LinkType::LINUX_SLL2 => 210,
        _ => 0,
    }
}
