//! What was seen in one frame, as far as statistics count it.

use std::collections::HashSet;
use warpscope_dissector::link::Layer;
use warpscope_dissector::message::SegmentItem;
use warpscope_dissector::mpa::{CrcVerdict, SkipReason};
use warpscope_dissector::pipeline::{Item, ItemContext, PacketItem};
use warpscope_wire::rdmap::{Message, Payload};

/// The protocols above TCP that a frame completed something of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Above(u8);

impl Above {
    pub(super) const MPA: Self = Self(1);
    pub(super) const DDP: Self = Self(2);
    /// Octets of the ULP in a DDP segment.
    pub(super) const DATA: Self = Self(4);
    /// RPC-over-RDMA.
    pub(super) const TRANSPORT: Self = Self(8);
    pub(super) const RPC: Self = Self(16);
    /// Octets of a TCP connection that is not known to be iWARP.
    pub(super) const TCP_DATA: Self = Self(32);

    pub(super) fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    fn add(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

/// What an FPDU completed.
#[derive(Debug, Clone, Copy)]
pub(super) enum Completed {
    /// No message.
    Nothing,
    Message(Message),
    /// A message of an opcode that the profile does not know.
    Unknown(u8),
    /// The FPDU has no whole DDP header.
    NoHeader,
}

/// Something of a connection.
#[derive(Debug, Clone, Copy)]
pub(super) enum Event {
    Setup,
    Fpdu(CrcVerdict, Completed),
    Skipped(SkipReason, u64),
}

/// What was seen in a frame; reused from frame to frame.
#[derive(Debug, Default)]
pub(crate) struct Sighting {
    /// The names of its layers up to the transport, outermost first.
    pub(super) layers: Vec<&'static str>,
    /// Its length on the wire.
    pub(super) octets: u32,
    pub(super) above: Above,
    /// What happened, each with the number of the connection.
    pub(super) events: Vec<(u32, Event)>,
    /// The TCP connection of its payload, when it has one.
    payload_of: Option<u32>,
    /// The connections that anything of iWARP was seen on.
    iwarp: HashSet<u32>,
}

impl Sighting {
    /// Takes the next frame.
    pub(crate) fn packet(&mut self, item: &PacketItem<'_>) {
        self.events.clear();
        self.above = Above::default();
        self.octets = item.frame.original_length;
        self.layers.clear();
        self.layers.extend(item.packet.layers.iter().filter_map(|span| name(span.layer)));
        self.payload_of = match (&item.packet.tcp, &item.tcp) {
            (Some(segment), Some(context)) if segment.payload_length > 0 => Some(context.stream),
            _ => None,
        };
    }

    /// Forgets the last frame, for items that belong to earlier ones.
    pub(crate) fn capture_ended(&mut self) {
        self.events.clear();
    }

    /// Takes an item.
    pub(crate) fn item(&mut self, context: &ItemContext<'_>, item: &Item<'_>) {
        let connection = context.connection.number;
        if self.events.is_empty() {
            self.iwarp.insert(connection);
        }
        let event = match item {
            Item::Setup(_) => {
                self.above.add(Above::MPA);
                Event::Setup
            }
            Item::Segment(segment) => self.segment(segment),
            Item::Skipped(skipped) => Event::Skipped(skipped.reason, skipped.length),
            Item::Operation(_) | Item::Rpc(_) | Item::PlainRpc(_) => return,
        };
        self.events.push((connection, event));
    }

    fn segment(&mut self, segment: &SegmentItem<'_>) -> Event {
        self.above.add(Above::MPA);
        let crc = segment.fpdu.crc;
        let Ok(header) = &segment.header else { return Event::Fpdu(crc, Completed::NoHeader) };
        self.above.add(Above::DDP);
        let transport = segment.completed.as_ref().and_then(|done| done.transport.as_ref());
        if let Some(transport) = transport {
            self.above.add(Above::TRANSPORT);
            if !transport.rest.is_empty() {
                self.above.add(Above::RPC);
            }
        } else if segment.payload_length > 0 && segment.message.is_none_or(carries_data) {
            self.above.add(Above::DATA);
        }
        let completed = match (&segment.completed, segment.message) {
            (None, _) => Completed::Nothing,
            (Some(_), Some(message)) => Completed::Message(message),
            (Some(_), None) => Completed::Unknown(
                warpscope_wire::rdmap::RdmapControlView(header.rdmap_control()).opcode(),
            ),
        };
        Event::Fpdu(crc, completed)
    }

    /// The frame is complete.
    pub(crate) fn settle(&mut self) {
        if let Some(connection) = self.payload_of
            && self.events.is_empty()
            && !self.iwarp.contains(&connection)
        {
            self.above.add(Above::TCP_DATA);
        }
    }
}

/// Whether a message carries octets of the ULP.
fn carries_data(message: Message) -> bool {
    matches!(message.info().payload, Payload::Ulp | Payload::UlpThenImmediate)
}

/// The name of a layer in the hierarchy; none for one that its IP header counts for.
fn name(layer: Layer) -> Option<&'static str> {
    let name = match layer {
        Layer::Ethernet => "eth",
        Layer::Llc => "llc",
        Layer::LinuxSll | Layer::LinuxSll2 => "sll",
        Layer::Null | Layer::Loop => "null",
        Layer::RawIp => "raw",
        Layer::Vlan => "vlan",
        Layer::ProviderVlan => "ieee8021ad",
        Layer::Arp => "arp",
        Layer::Ipv4 => "ip",
        Layer::Ipv6 => "ipv6",
        Layer::Authentication => "ah",
        Layer::Tcp => "tcp",
        Layer::Udp => "udp",
        Layer::Icmp => "icmp",
        Layer::Icmpv6 => "icmpv6",
        Layer::Igmp => "igmp",
        Layer::Sctp => "sctp",
        Layer::Data => "data",
        _ => return None,
    };
    Some(name)
}
