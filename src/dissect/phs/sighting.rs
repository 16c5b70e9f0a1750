//! What was seen in one frame, as far as statistics count it.

use std::collections::HashSet;
use warpscope_dissector::link::Layer;
use warpscope_dissector::message::SegmentItem;
use warpscope_dissector::mpa::{CrcVerdict, SkipReason};
use warpscope_dissector::pipeline::{Item, ItemContext, PacketItem};
use warpscope_dissector::rpc::RpcItem;
use warpscope_wire::rdmap::{Message, Payload};

/// The protocols above TCP that a frame completed something of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Above(u8);

impl Above {
    pub(super) const MPA: Self = Self(1);
    pub(super) const DDP: Self = Self(2);
    /// Bytes of the ULP in a DDP segment.
    pub(super) const DATA: Self = Self(4);
    /// RPC-over-RDMA.
    pub(super) const TRANSPORT: Self = Self(8);
    /// Bytes of a TCP connection that is not known to carry iWARP or RPC.
    pub(super) const TCP_DATA: Self = Self(16);

    pub(super) fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    fn add(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

/// What an RPC message came by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Carrier {
    /// TCP itself.
    Tcp,
    /// The Read Response that brought the last bytes of a call.
    Ddp,
    /// The Send with its RPC-over-RDMA header.
    Transport,
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
    pub(super) bytes: u32,
    pub(super) above: Above,
    /// What RPC messages came by, and the protocols in them, outermost first; nothing twice.
    pub(super) rpc: Vec<(Carrier, &'static [&'static str])>,
    /// What the last DDP segment is, as long as an RPC message may still claim it.
    last: Above,
    /// What happened, each with the number of the connection.
    pub(super) events: Vec<(u32, Event)>,
    /// The TCP connection of its payload, when it has one.
    payload_of: Option<u32>,
    /// The connections that anything of iWARP or RPC was seen on.
    known: HashSet<u32>,
}

impl Sighting {
    /// Takes the next frame.
    pub(crate) fn packet(&mut self, item: &PacketItem<'_>) {
        self.events.clear();
        self.rpc.clear();
        (self.above, self.last) = (Above::default(), Above::default());
        self.bytes = item.frame.original_length;
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
            self.known.insert(connection);
        }
        let event = match item {
            Item::Setup(_) => {
                self.above.add(Above::MPA);
                Event::Setup
            }
            Item::Segment(segment) => self.segment(segment),
            Item::Skipped(skipped) => Event::Skipped(skipped.reason, skipped.length),
            Item::Rpc(rpc) => {
                let carrier = if self.last.has(Above::DATA) {
                    // The bytes are the call's.
                    self.last = Above::default();
                    Carrier::Ddp
                } else {
                    Carrier::Transport
                };
                self.rpc(carrier, rpc);
                return;
            }
            Item::PlainRpc(rpc) => {
                self.rpc(Carrier::Tcp, rpc);
                return;
            }
            Item::Operation(_) => return,
        };
        self.events.push((connection, event));
    }

    fn rpc(&mut self, carrier: Carrier, rpc: &RpcItem<'_>) {
        let place = (carrier, rpc.protocols());
        if !self.rpc.contains(&place) {
            self.rpc.push(place);
        }
    }

    fn segment(&mut self, segment: &SegmentItem<'_>) -> Event {
        self.above.add(Above::MPA);
        self.above.add(std::mem::take(&mut self.last));
        let crc = segment.fpdu.crc;
        let Ok(header) = &segment.header else { return Event::Fpdu(crc, Completed::NoHeader) };
        self.above.add(Above::DDP);
        if segment.completed.as_ref().is_some_and(|done| done.transport.is_some()) {
            self.above.add(Above::TRANSPORT);
        } else if segment.payload_length > 0 && segment.message.is_none_or(carries_data) {
            self.last = Above::DATA;
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
        self.above.add(std::mem::take(&mut self.last));
        if let Some(connection) = self.payload_of
            && self.events.is_empty()
            && !self.known.contains(&connection)
        {
            self.above.add(Above::TCP_DATA);
        }
    }
}

/// Whether a message carries bytes of the ULP.
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
