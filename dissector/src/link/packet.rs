//! A decoded packet, and the decoder.

use super::fragments::{FragmentPool, Outcome, Reassembly};
use super::network::TcpSegment;
use super::walk::Walk;
use crate::capture::Frame;
use arrayvec::ArrayVec;
use std::net::IpAddr;

/// A decoded packet.
#[derive(Debug, Clone, Default)]
pub struct Packet<'a> {
    /// The layers, outermost first.
    pub layers: ArrayVec<LayerSpan, MOST_LAYERS>,
    /// Source and destination address of the innermost IP header.
    pub addresses: Option<(IpAddr, IpAddr)>,
    /// The TCP segment, if there is one and its first 20 bytes were captured.
    pub tcp: Option<TcpSegment<'a>>,
    /// True if it is a fragment of a datagram.
    pub fragment: bool,
    /// The datagram, if this packet's fragment was the last one missing.
    pub reassembly: Option<Reassembly<'a>>,
    /// Why decoding stopped early, or what is unusual.
    pub note: Option<PacketProblem>,
}

impl Packet<'_> {
    /// Returns the first layer of this kind.
    pub fn layer(&self, layer: Layer) -> Option<&LayerSpan> {
        self.layers.iter().find(|span| span.layer == layer)
    }
}

/// Why a packet could not be decoded to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PacketProblem {
    /// The capture holds fewer bytes than the packet had.
    #[error("the capture cut off the {} header: {needed} bytes needed, {available} captured", layer.name())]
    Cut {
        /// The layer.
        layer: Layer,
        /// Length of its header in bytes.
        needed: u32,
        /// Captured bytes of it.
        available: u32,
    },
    /// The packet ends within a header.
    #[error("the packet ends in the {} header: {needed} bytes needed, {available} there", layer.name())]
    Short {
        /// The layer.
        layer: Layer,
        /// Length of its header in bytes.
        needed: u32,
        /// Bytes of it in the packet.
        available: u32,
    },
    /// An IP header has a different version from the one the previous layer announced.
    #[error("{} header with version {version}", layer.name())]
    Version {
        /// The layer.
        layer: Layer,
        /// The version found.
        version: u8,
    },
    /// A header claims to be shorter than the minimum.
    #[error("{} header says that it has {bytes} bytes, fewer than it can have", layer.name())]
    HeaderLength {
        /// The layer.
        layer: Layer,
        /// The length found.
        bytes: u32,
    },
    /// An IPv4 header's total length is less than the header.
    #[error("IPv4 total length {total} is less than the header's {header}")]
    TotalLength {
        /// The total length found.
        total: u32,
        /// The header's length.
        header: u32,
    },
    /// An IP length extends beyond the frame.
    #[error("{} length reaches {bytes} bytes beyond the frame", layer.name())]
    BeyondFrame {
        /// The layer.
        layer: Layer,
        /// Number of excess bytes.
        bytes: u32,
    },
    /// A fragment is truncated, so its datagram cannot be reassembled.
    #[error("a fragment that the capture cut off: its datagram cannot be put together")]
    FragmentCut,
    /// A fragment is invalid: it extends beyond 65,535 bytes or its datagram's end, or its length is not a
    /// multiple of 8 bytes.
    #[error("a fragment that does not fit into its datagram")]
    FragmentMisfit,
    /// There are more layers than the decoder supports.
    #[error("more than 16 layers")]
    TooManyLayers,
}

/// The protocol number of TCP.
const TCP: u8 = 6;

/// Decodes consecutive frames; keeps the fragments of IP datagrams that are not yet complete.
#[derive(Clone, Default)]
pub struct PacketDecoder {
    fragments: FragmentPool,
}

impl std::fmt::Debug for PacketDecoder {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("PacketDecoder")
            .field("datagrams_waiting", &self.fragments.waiting())
            .finish()
    }
}

impl PacketDecoder {
    /// Returns the TCP segment of a frame with the most common headers, the same as [`Self::decode`] finds;
    /// `None` for any other frame, whatever it contains. `packet`, which is empty, gives it room.
    pub(crate) fn peek<'p, 'a>(
        frame: &Frame<'a>,
        packet: &'p mut Packet<'a>,
    ) -> Option<&'p TcpSegment<'a>> {
        Walk::at_tcp(frame, packet)?.protocol(TCP);
        packet.tcp.as_ref()
    }

    /// Decodes a frame. Checksums are not verified.
    ///
    /// The packet of the last missing fragment carries the complete datagram; the others end at IP.
    pub fn decode<'a>(&'a mut self, frame: &Frame<'a>) -> Packet<'a> {
        let mut packet = Packet::default();
        let mut walk = Walk::new(frame, &mut packet);
        walk.link(frame.link_type);
        if let Some(fragment) = walk.fragment.take() {
            walk.packet.fragment = true;
            match self.fragments.add(frame.number, frame.time, &fragment) {
                Outcome::Waiting => {}
                Outcome::Complete(protocol) => {
                    let reassembly = self.fragments.complete();
                    walk.packet.reassembly = Some(reassembly);
                    walk.continue_in(reassembly.bytes, protocol);
                }
                Outcome::Misfit => walk.note(PacketProblem::FragmentMisfit),
            }
        }
        packet
    }
}

/// The most layers of a packet; deeper ones are not decoded.
pub const MOST_LAYERS: usize = 16;

/// Declares the layers: for each, its protocol in `frame.protocols`, and its name in summaries.
macro_rules! layers {
    ($($(#[$doc:meta])* $layer:ident $protocol:literal $name:literal;)*) => {
        /// A layer.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Layer {
            $($(#[$doc])* $layer,)*
        }

        impl Layer {
            /// Returns its protocol, by Wireshark's name: `ipv6.hopopts`.
            pub fn protocol(self) -> &'static str {
                match self {
                    $(Self::$layer => $protocol,)*
                }
            }

            /// Returns its name in messages and summaries.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$layer => $name,)*
                }
            }
        }
    };
}

layers! {
    /// Ethernet II or IEEE 802.3.
    Ethernet "eth" "Ethernet";
    /// IEEE 802.2 with SNAP.
    Llc "llc" "LLC";
    /// Linux "cooked" capture, version 1.
    LinuxSll "sll" "Linux cooked";
    /// Linux "cooked" capture, version 2.
    LinuxSll2 "sll" "Linux cooked v2";
    /// BSD loopback, address family in host byte order.
    Null "null" "loopback";
    /// OpenBSD loopback, address family in network byte order.
    Loop "null" "loopback";
    /// Raw IP: a layer without bytes.
    RawIp "raw" "raw IP";
    /// An IEEE 802.1Q tag.
    Vlan "vlan" "VLAN";
    /// A provider's IEEE 802.1ad tag.
    ProviderVlan "ieee8021ad" "802.1ad";
    /// ARP (RFC 826).
    Arp "arp" "ARP";
    /// IPv4 (RFC 791).
    Ipv4 "ip" "IPv4";
    /// IPv6 (RFC 8200).
    Ipv6 "ipv6" "IPv6";
    /// IPv6 hop-by-hop options.
    Ipv6HopByHop "ipv6.hopopts" "IPv6 hop-by-hop options";
    /// IPv6 routing header.
    Ipv6Routing "ipv6.routing" "IPv6 routing";
    /// IPv6 destination options.
    Ipv6Destination "ipv6.dstopts" "IPv6 destination options";
    /// IPv6 fragment header.
    Ipv6Fragment "ipv6.fraghdr" "IPv6 fragment";
    /// IP authentication header (RFC 4302).
    Authentication "ah" "AH";
    /// TCP (RFC 9293).
    Tcp "tcp" "TCP";
    /// UDP (RFC 768).
    Udp "udp" "UDP";
    /// ICMP (RFC 792).
    Icmp "icmp" "ICMP";
    /// ICMPv6 (RFC 4443).
    Icmpv6 "icmpv6" "ICMPv6";
    /// IGMP.
    Igmp "igmp" "IGMP";
    /// SCTP.
    Sctp "sctp" "SCTP";
    /// Bytes of a protocol that is not decoded, or of a single fragment.
    Data "data" "data";
}

/// The position of a layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LayerSpan {
    /// The layer.
    pub layer: Layer,
    /// True if the offset is in the reassembled datagram instead of the frame.
    pub reassembled: bool,
    /// Offset of its first byte.
    pub offset: u32,
    /// Length of its header in bytes; of the whole message for ARP, ICMP, ICMPv6, IGMP, SCTP and data.
    pub length: u32,
}
