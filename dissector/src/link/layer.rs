//! The layers of a packet up to the transport header, and where they stand.

/// The most layers of one packet; what lies deeper stays undecoded.
pub const MOST_LAYERS: usize = 16;

/// A layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Layer {
    /// Ethernet II or IEEE 802.3.
    Ethernet,
    /// IEEE 802.2 with SNAP.
    Llc,
    /// Linux "cooked" capture, version 1.
    LinuxSll,
    /// Linux "cooked" capture, version 2.
    LinuxSll2,
    /// BSD loopback, address family in host byte order.
    Null,
    /// OpenBSD loopback, address family in network byte order.
    Loop,
    /// Raw IP: a layer without bytes.
    RawIp,
    /// An IEEE 802.1Q tag.
    Vlan,
    /// A provider's IEEE 802.1ad tag.
    ProviderVlan,
    /// ARP (RFC 826).
    Arp,
    /// IPv4 (RFC 791).
    Ipv4,
    /// IPv6 (RFC 8200).
    Ipv6,
    /// IPv6 hop-by-hop options.
    Ipv6HopByHop,
    /// IPv6 routing header.
    Ipv6Routing,
    /// IPv6 destination options.
    Ipv6Destination,
    /// IPv6 fragment header.
    Ipv6Fragment,
    /// IP authentication header (RFC 4302).
    Authentication,
    /// TCP (RFC 9293).
    Tcp,
    /// UDP (RFC 768).
    Udp,
    /// ICMP (RFC 792).
    Icmp,
    /// ICMPv6 (RFC 4443).
    Icmpv6,
    /// IGMP.
    Igmp,
    /// SCTP.
    Sctp,
    /// Bytes of no protocol that is decoded here, or of one fragment.
    Data,
}

impl Layer {
    /// The name in messages and summaries.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ethernet => "Ethernet",
            Self::Llc => "LLC",
            Self::LinuxSll => "Linux cooked",
            Self::LinuxSll2 => "Linux cooked v2",
            Self::Null | Self::Loop => "loopback",
            Self::RawIp => "raw IP",
            Self::Vlan => "VLAN",
            Self::ProviderVlan => "802.1ad",
            Self::Arp => "ARP",
            Self::Ipv4 => "IPv4",
            Self::Ipv6 => "IPv6",
            Self::Ipv6HopByHop => "IPv6 hop-by-hop options",
            Self::Ipv6Routing => "IPv6 routing",
            Self::Ipv6Destination => "IPv6 destination options",
            Self::Ipv6Fragment => "IPv6 fragment",
            Self::Authentication => "AH",
            Self::Tcp => "TCP",
            Self::Udp => "UDP",
            Self::Icmp => "ICMP",
            Self::Icmpv6 => "ICMPv6",
            Self::Igmp => "IGMP",
            Self::Sctp => "SCTP",
            Self::Data => "data",
        }
    }
}

/// Where a layer stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LayerSpan {
    /// The layer.
    pub layer: Layer,
    /// True when the offset counts in the reassembled datagram instead of the frame.
    pub reassembled: bool,
    /// First byte.
    pub offset: u32,
    /// Bytes of its header; of the whole message for ARP, ICMP, ICMPv6, IGMP, SCTP and data.
    pub length: u32,
}
