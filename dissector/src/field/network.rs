/// Fields of the frame itself: what the capture says about it.
pub mod frame {
    use crate::field::fields;

    /// Wireshark's `frame.encap_type` numbers for the link types that are decoded here.
    const ENCAPSULATIONS: &[(u64, &str)] = &[
        (0, "Unknown"),
        (1, "Ethernet"),
        (7, "Raw IP"),
        (15, "NULL/Loopback"),
        (25, "Linux cooked-mode capture v1"),
        (129, "Raw IPv4"),
        (130, "Raw IPv6"),
        (174, "OpenBSD loopback"),
        (210, "Linux cooked-mode capture v2"),
    ];

    fields! {
        PROTOCOL: Protocol, Plain, Wireshark, "frame", "Frame", "What the capture says about the frame";
        SECTION_NUMBER: Unsigned(32), Plain, Wireshark, "frame.section_number", "Section number", "The pcapng section that the frame is in, from 1";
        INTERFACE_ID: Unsigned(32), Plain, Wireshark, "frame.interface_id", "Interface id", "The number of the interface within its pcapng section, from 0";
        INTERFACE_NAME: Text, Plain, Wireshark, "frame.interface_name", "Interface name", "The name of the interface that the frame was captured on";
        INTERFACE_DESCRIPTION: Text, Plain, Wireshark, "frame.interface_description", "Interface description", "The description of the interface that the frame was captured on";
        ENCAPSULATION: Unsigned(16), Named(ENCAPSULATIONS), Wireshark, "frame.encap_type", "Encapsulation type", "The type of the frame's first header, as Wireshark numbers it";
        TIME: AbsoluteTime, Plain, Wireshark, "frame.time", "Arrival Time", "When the frame was captured; printed in UTC";
        TIME_EPOCH: RelativeTime, Plain, Wireshark, "frame.time_epoch", "Epoch Time", "Seconds from 1970-01-01 UTC to the capture of the frame";
        TIME_DELTA: RelativeTime, Plain, Wireshark, "frame.time_delta", "Time delta from previous captured frame", "Seconds since the frame before";
        TIME_DELTA_DISPLAYED: RelativeTime, Plain, Wireshark, "frame.time_delta_displayed", "Time delta from previous displayed frame", "Seconds since the last frame before that passed the display filter";
        TIME_RELATIVE: RelativeTime, Plain, Wireshark, "frame.time_relative", "Time since first frame", "Seconds since the first frame of the capture";
        NUMBER: Unsigned(32), Plain, Wireshark, "frame.number", "Frame Number", "The frame's number in the capture, from 1";
        LENGTH: Unsigned(32), Plain, Wireshark, "frame.len", "Frame Length", "Bytes of the frame on the wire";
        CAPTURED_LENGTH: Unsigned(32), Plain, Wireshark, "frame.cap_len", "Capture Length", "Bytes of the frame that were captured";
        PROTOCOLS: Text, Plain, Wireshark, "frame.protocols", "Protocols in frame", "The names of the frame's protocols, outermost first, joined by colons";
    }
}

/// Fields of the link layers: Ethernet, VLAN tags, cooked captures, loopback.
pub mod link {
    use crate::field::fields;

    /// EtherTypes (IEEE 802 numbers).
    pub(crate) const ETHER_TYPES: &[(u64, &str)] = &[
        (0x0800, "IPv4"),
        (0x0806, "ARP"),
        (0x8035, "RARP"),
        (0x8100, "802.1Q Virtual LAN"),
        (0x86dd, "IPv6"),
        (0x8808, "Ethernet flow control"),
        (0x8847, "MPLS"),
        (0x8864, "PPPoE Session"),
        (0x88a8, "802.1ad Provider Bridge"),
        (0x88cc, "LLDP"),
        (0x8915, "RoCE"),
        (0x9100, "QinQ"),
    ];

    const PACKET_TYPES: &[(u64, &str)] = &[
        (0, "Unicast to us"),
        (1, "Broadcast"),
        (2, "Multicast"),
        (3, "Unicast to another host"),
        (4, "Sent by us"),
    ];

    const HARDWARE_TYPES: &[(u64, &str)] =
        &[(1, "Ethernet"), (512, "PPP"), (772, "Loopback"), (778, "GRE over IP"), (65534, "None")];

    const FAMILIES: &[(u64, &str)] = &[
        (2, "IP"),
        (10, "IPv6 Linux"),
        (24, "IPv6 BSD"),
        (28, "IPv6 FreeBSD"),
        (30, "IPv6 Darwin"),
    ];

    const PRIORITIES: &[(u64, &str)] = &[
        (0, "Best Effort (default)"),
        (1, "Background"),
        (2, "Excellent Effort"),
        (3, "Critical Applications"),
        (4, "Video"),
        (5, "Voice"),
        (6, "Internetwork Control"),
        (7, "Network Control"),
    ];

    fields! {
        ETHERNET: Protocol, Plain, Wireshark, "eth", "Ethernet", "Ethernet (IEEE 802.3)";
        ETHERNET_DESTINATION: Ethernet, Plain, Wireshark, "eth.dst", "Destination", "The address of the receiver";
        ETHERNET_DESTINATION_LOCAL: Boolean, Plain, Wireshark, "eth.dst.lg", "LG bit", "The receiver's address was administered locally";
        ETHERNET_DESTINATION_GROUP: Boolean, Plain, Wireshark, "eth.dst.ig", "IG bit", "The frame goes to a group";
        ETHERNET_SOURCE: Ethernet, Plain, Wireshark, "eth.src", "Source", "The address of the sender";
        ETHERNET_SOURCE_LOCAL: Boolean, Plain, Wireshark, "eth.src.lg", "LG bit", "The sender's address was administered locally";
        ETHERNET_SOURCE_GROUP: Boolean, Plain, Wireshark, "eth.src.ig", "IG bit", "The sender's address is a group's, which is not valid";
        ETHERNET_ADDRESS: Ethernet, Plain, Wireshark, "eth.addr", "Address", "The address of the receiver or the sender";
        ETHERNET_LOCAL: Boolean, Plain, Wireshark, "eth.lg", "LG bit", "One of the addresses was administered locally";
        ETHERNET_GROUP: Boolean, Plain, Wireshark, "eth.ig", "IG bit", "One of the addresses is a group's";
        ETHERNET_TYPE: Unsigned(16), NamedHexadecimal(ETHER_TYPES), Wireshark, "eth.type", "Type", "The EtherType of what follows";
        ETHERNET_LENGTH: Unsigned(16), Plain, Wireshark, "eth.len", "Length", "Bytes that follow, in place of a type (IEEE 802.3)";
        LLC: Protocol, Plain, Wireshark, "llc", "Logical-Link Control", "Logical link control (IEEE 802.2)";
        LLC_DESTINATION: Unsigned(8), Hexadecimal, Wireshark, "llc.dsap", "DSAP", "The service access point of the receiver";
        LLC_SOURCE: Unsigned(8), Hexadecimal, Wireshark, "llc.ssap", "SSAP", "The service access point of the sender";
        LLC_TYPE: Unsigned(16), NamedHexadecimal(ETHER_TYPES), Wireshark, "llc.type", "Type", "The EtherType of what follows (SNAP)";
        VLAN: Protocol, Plain, Wireshark, "vlan", "802.1Q Virtual LAN", "A VLAN tag (IEEE 802.1Q)";
        VLAN_PRIORITY: Unsigned(16), Named(PRIORITIES), Wireshark, "vlan.priority", "Priority", "The priority code point";
        VLAN_DROP_ELIGIBLE: Boolean, Plain, Wireshark, "vlan.dei", "DEI", "The frame may be dropped before others";
        VLAN_ID: Unsigned(16), Plain, Wireshark, "vlan.id", "ID", "The number of the VLAN";
        VLAN_TYPE: Unsigned(16), NamedHexadecimal(ETHER_TYPES), Wireshark, "vlan.etype", "Type", "The EtherType of what follows";
        PROVIDER: Protocol, Plain, Wireshark, "ieee8021ad", "IEEE 802.1ad", "A provider's VLAN tag (IEEE 802.1ad)";
        PROVIDER_PRIORITY: Unsigned(16), Plain, Wireshark, "ieee8021ad.priority", "Priority", "The priority code point";
        PROVIDER_DROP_ELIGIBLE: Unsigned(16), Plain, Wireshark, "ieee8021ad.dei", "DEI", "The frame may be dropped before others";
        PROVIDER_ID: Unsigned(16), Plain, Wireshark, "ieee8021ad.id", "ID", "The number of the service VLAN";
        COOKED: Protocol, Plain, Wireshark, "sll", "Linux cooked capture", "What Linux writes in place of a link header when it captures on any interface";
        COOKED_INTERFACE: Unsigned(32), Plain, Wireshark, "sll.ifindex", "Interface index", "The number of the interface on the capturing host (version 2)";
        COOKED_PACKET_TYPE: Unsigned(16), Named(PACKET_TYPES), Wireshark, "sll.pkttype", "Packet type", "To whom the packet went";
        COOKED_HARDWARE_TYPE: Unsigned(16), Named(HARDWARE_TYPES), Wireshark, "sll.hatype", "Link-layer address type", "The kind of the interface (ARPHRD)";
        COOKED_ADDRESS_LENGTH: Unsigned(16), Plain, Wireshark, "sll.halen", "Link-layer address length", "Bytes of the sender's address";
        COOKED_SOURCE: Ethernet, Plain, Wireshark, "sll.src.eth", "Source", "The address of the sender, when it has 6 bytes";
        COOKED_SOURCE_OTHER: Bytes, Plain, Wireshark, "sll.src.other", "Source", "The address of the sender, when it is not Ethernet's";
        COOKED_UNUSED: Bytes, Plain, Wireshark, "sll.unused", "Unused", "Bytes after the sender's address";
        COOKED_ETHER_TYPE: Unsigned(16), NamedHexadecimal(ETHER_TYPES), Wireshark, "sll.etype", "Protocol", "The EtherType of what follows";
        COOKED_LINUX_TYPE: Unsigned(16), Hexadecimal, Wireshark, "sll.ltype", "Protocol", "What follows, in numbers of Linux' own";
        LOOPBACK: Protocol, Plain, Wireshark, "null", "Null/Loopback", "BSD loopback";
        LOOPBACK_FAMILY: Unsigned(32), Named(FAMILIES), Wireshark, "null.family", "Family", "The address family of what follows";
        RAW: Protocol, Plain, Wireshark, "raw", "Raw packet data", "A packet without link header";
        DATA: Protocol, Plain, Wireshark, "data", "Data", "Bytes that are not decoded";
        DATA_BYTES: Bytes, Plain, Wireshark, "data.data", "Data", "The bytes that are not decoded";
        DATA_LENGTH: Unsigned(32), Plain, Wireshark, "data.len", "Length", "The number of bytes that are not decoded";
    }
}

/// Fields of IPv4, IPv6 with its extension headers, and AH.
pub mod ip {
    use crate::field::fields;

    /// Protocol numbers (IANA).
    pub(crate) const PROTOCOL_NUMBERS: &[(u64, &str)] = &[
        (0, "IPv6 Hop-by-Hop Option"),
        (1, "ICMP"),
        (2, "IGMP"),
        (4, "IPIP"),
        (6, "TCP"),
        (17, "UDP"),
        (41, "IPv6"),
        (43, "Routing Header for IPv6"),
        (44, "Fragment Header for IPv6"),
        (47, "Generic Routing Encapsulation"),
        (50, "Encap Security Payload"),
        (51, "Authentication Header"),
        (58, "ICMPv6"),
        (59, "No Next Header for IPv6"),
        (60, "Destination Options for IPv6"),
        (89, "OSPF IGP"),
        (112, "VRRP"),
        (132, "SCTP"),
    ];

    const DIFFERENTIATED_SERVICES: &[(u64, &str)] = &[
        (0, "Default"),
        (8, "Class Selector 1"),
        (10, "Assured Forwarding 11"),
        (12, "Assured Forwarding 12"),
        (14, "Assured Forwarding 13"),
        (16, "Class Selector 2"),
        (18, "Assured Forwarding 21"),
        (20, "Assured Forwarding 22"),
        (22, "Assured Forwarding 23"),
        (24, "Class Selector 3"),
        (26, "Assured Forwarding 31"),
        (28, "Assured Forwarding 32"),
        (30, "Assured Forwarding 33"),
        (32, "Class Selector 4"),
        (34, "Assured Forwarding 41"),
        (36, "Assured Forwarding 42"),
        (38, "Assured Forwarding 43"),
        (40, "Class Selector 5"),
        (46, "Expedited Forwarding"),
        (48, "Class Selector 6"),
        (56, "Class Selector 7"),
    ];

    const CONGESTION: &[(u64, &str)] = &[
        (0, "Not ECN-Capable Transport"),
        (1, "ECN-Capable Transport codepoint '01'"),
        (2, "ECN-Capable Transport codepoint '10'"),
        (3, "Congestion Experienced"),
    ];

    pub(crate) const CHECKSUM_STATES: &[(u64, &str)] =
        &[(0, "Bad"), (1, "Good"), (2, "Unverified"), (3, "Not present")];

    const ROUTING_TYPES: &[(u64, &str)] =
        &[(0, "Source Route"), (2, "Mobile IP"), (3, "RPL Source Route"), (4, "Segment Routing")];

    fields! {
        IPV4: Protocol, Plain, Wireshark, "ip", "Internet Protocol Version 4", "IPv4 (RFC 791)";
        VERSION: Unsigned(8), Plain, Wireshark, "ip.version", "Version", "4 (RFC 791 §3.1) or 6 (RFC 8200 §3)";
        HEADER_LENGTH: Unsigned(8), Plain, Wireshark, "ip.hdr_len", "Header Length", "Bytes of the header; the field counts in 4 (RFC 791 §3.1)";
        SERVICES: Unsigned(8), Hexadecimal, Wireshark, "ip.dsfield", "Differentiated Services Field", "DSCP and ECN (RFC 2474, RFC 3168)";
        SERVICES_CODEPOINT: Unsigned(8), Named(DIFFERENTIATED_SERVICES), Wireshark, "ip.dsfield.dscp", "Differentiated Services Codepoint", "How routers treat the packet (RFC 2474)";
        SERVICES_CONGESTION: Unsigned(8), Named(CONGESTION), Wireshark, "ip.dsfield.ecn", "Explicit Congestion Notification", "Whether routers may mark, or marked, congestion (RFC 3168)";
        TOTAL_LENGTH: Unsigned(16), Plain, Wireshark, "ip.len", "Total Length", "Bytes of header and payload; the frame's when it was left to the network card (RFC 791 §3.1)";
        IDENTIFICATION: Unsigned(16), Hexadecimal, Wireshark, "ip.id", "Identification", "Common to the fragments of a datagram (RFC 791 §3.1)";
        FLAGS: Unsigned(8), Hexadecimal, Wireshark, "ip.flags", "Flags", "The three bits about fragments (RFC 791 §3.1)";
        FLAG_RESERVED: Boolean, Plain, Wireshark, "ip.flags.rb", "Reserved bit", "0 (RFC 791 §3.1)";
        FLAG_DO_NOT_FRAGMENT: Boolean, Plain, Wireshark, "ip.flags.df", "Don't fragment", "No router may fragment the packet (RFC 791 §3.1)";
        FLAG_MORE_FRAGMENTS: Boolean, Plain, Wireshark, "ip.flags.mf", "More fragments", "The datagram continues in another fragment (RFC 791 §3.1)";
        FRAGMENT_OFFSET: Unsigned(16), Plain, Wireshark, "ip.frag_offset", "Fragment Offset", "Where the fragment is in its datagram, in units of 8 bytes (RFC 791 §3.1)";
        TIME_TO_LIVE: Unsigned(8), Plain, Wireshark, "ip.ttl", "Time to Live", "Routers that the packet may still pass (RFC 791 §3.1)";
        PROTOCOL: Unsigned(8), Named(PROTOCOL_NUMBERS), Wireshark, "ip.proto", "Protocol", "What the payload is (RFC 791 §3.1)";
        CHECKSUM: Unsigned(16), Hexadecimal, Wireshark, "ip.checksum", "Header Checksum", "Of the header; not verified (RFC 791 §3.1)";
        CHECKSUM_STATUS: Unsigned(8), Named(CHECKSUM_STATES), Wireshark, "ip.checksum.status", "Header checksum status", "Whether the checksum was verified";
        SOURCE: Ipv4, Plain, Wireshark, "ip.src", "Source Address", "The sender (RFC 791 §3.1)";
        DESTINATION: Ipv4, Plain, Wireshark, "ip.dst", "Destination Address", "The receiver (RFC 791 §3.1)";
        ADDRESS: Ipv4, Plain, Wireshark, "ip.addr", "Source or Destination Address", "The sender or the receiver";
        OPTION_TYPE: Unsigned(8), Plain, Wireshark, "ip.opt.type", "Type", "The type of an option (RFC 791 §3.1)";
        OPTION_LENGTH: Unsigned(8), Plain, Wireshark, "ip.opt.len", "Length", "Bytes of an option (RFC 791 §3.1)";
        FRAGMENTS: Bytes, Plain, Wireshark, "ip.fragments", "IPv4 Fragments", "The datagram put together from fragments";
        FRAGMENT: FrameNumber, Plain, Wireshark, "ip.fragment", "Frame", "A frame that a fragment of the datagram came in";
        FRAGMENT_COUNT: Unsigned(32), Plain, Wireshark, "ip.fragment.count", "Fragment count", "The number of fragments";
        REASSEMBLED_LENGTH: Unsigned(32), Plain, Wireshark, "ip.reassembled.length", "Reassembled IPv4 length", "Bytes of the datagram";
        IPV6: Protocol, Plain, Wireshark, "ipv6", "Internet Protocol Version 6", "IPv6 (RFC 8200)";
        IPV6_VERSION: Unsigned(8), Plain, Wireshark, "ipv6.version", "Version", "6 (RFC 8200 §3)";
        TRAFFIC_CLASS: Unsigned(32), Hexadecimal, Wireshark, "ipv6.tclass", "Traffic Class", "DSCP and ECN (RFC 8200 §7)";
        TRAFFIC_CODEPOINT: Unsigned(32), Named(DIFFERENTIATED_SERVICES), Wireshark, "ipv6.tclass.dscp", "Differentiated Services Codepoint", "How routers treat the packet (RFC 2474)";
        TRAFFIC_CONGESTION: Unsigned(32), Named(CONGESTION), Wireshark, "ipv6.tclass.ecn", "Explicit Congestion Notification", "Whether routers may mark, or marked, congestion (RFC 3168)";
        FLOW_LABEL: Unsigned(24), Hexadecimal, Wireshark, "ipv6.flow", "Flow Label", "Common to the packets of a flow (RFC 6437)";
        PAYLOAD_LENGTH: Unsigned(16), Plain, Wireshark, "ipv6.plen", "Payload Length", "Bytes after the header (RFC 8200 §3)";
        NEXT_HEADER: Unsigned(8), Named(PROTOCOL_NUMBERS), Wireshark, "ipv6.nxt", "Next Header", "What follows (RFC 8200 §3)";
        HOP_LIMIT: Unsigned(8), Plain, Wireshark, "ipv6.hlim", "Hop Limit", "Routers that the packet may still pass (RFC 8200 §3)";
        IPV6_SOURCE: Ipv6, Plain, Wireshark, "ipv6.src", "Source Address", "The sender (RFC 8200 §3)";
        IPV6_DESTINATION: Ipv6, Plain, Wireshark, "ipv6.dst", "Destination Address", "The receiver (RFC 8200 §3)";
        IPV6_ADDRESS: Ipv6, Plain, Wireshark, "ipv6.addr", "Source or Destination Address", "The sender or the receiver";
        HOP_BY_HOP: Protocol, Plain, Wireshark, "ipv6.hopopts", "IPv6 Hop-by-Hop Option", "Options for every router on the way (RFC 8200 §4.3)";
        HOP_BY_HOP_NEXT: Unsigned(8), Named(PROTOCOL_NUMBERS), Wireshark, "ipv6.hopopts.nxt", "Next Header", "What follows (RFC 8200 §4.3)";
        HOP_BY_HOP_LENGTH: Unsigned(8), Plain, Wireshark, "ipv6.hopopts.len", "Length", "In units of 8 bytes, without the first (RFC 8200 §4.3)";
        HOP_BY_HOP_BYTES: Unsigned(16), Plain, Wireshark, "ipv6.hopopts.len_oct", "Length", "Bytes of the header";
        DESTINATION_OPTIONS: Protocol, Plain, Wireshark, "ipv6.dstopts", "Destination Options for IPv6", "Options for the receiver (RFC 8200 §4.6)";
        DESTINATION_OPTIONS_NEXT: Unsigned(8), Named(PROTOCOL_NUMBERS), Wireshark, "ipv6.dstopts.nxt", "Next Header", "What follows (RFC 8200 §4.6)";
        DESTINATION_OPTIONS_LENGTH: Unsigned(8), Plain, Wireshark, "ipv6.dstopts.len", "Length", "In units of 8 bytes, without the first (RFC 8200 §4.6)";
        DESTINATION_OPTIONS_BYTES: Unsigned(16), Plain, Wireshark, "ipv6.dstopts.len_oct", "Length", "Bytes of the header";
        ROUTING: Protocol, Plain, Wireshark, "ipv6.routing", "Routing Header for IPv6", "Stations on the way (RFC 8200 §4.4)";
        ROUTING_NEXT: Unsigned(8), Named(PROTOCOL_NUMBERS), Wireshark, "ipv6.routing.nxt", "Next Header", "What follows (RFC 8200 §4.4)";
        ROUTING_LENGTH: Unsigned(8), Plain, Wireshark, "ipv6.routing.len", "Length", "In units of 8 bytes, without the first (RFC 8200 §4.4)";
        ROUTING_BYTES: Unsigned(16), Plain, Wireshark, "ipv6.routing.len_oct", "Length", "Bytes of the header";
        ROUTING_TYPE: Unsigned(8), Named(ROUTING_TYPES), Wireshark, "ipv6.routing.type", "Type", "The kind of routing header (RFC 8200 §4.4)";
        ROUTING_SEGMENTS_LEFT: Unsigned(8), Plain, Wireshark, "ipv6.routing.segleft", "Segments Left", "Stations still to be visited (RFC 8200 §4.4)";
        FRAGMENT_HEADER: Protocol, Plain, Wireshark, "ipv6.fraghdr", "Fragment Header for IPv6", "Where a fragment is in its datagram (RFC 8200 §4.5)";
        FRAGMENT_HEADER_NEXT: Unsigned(8), Named(PROTOCOL_NUMBERS), Wireshark, "ipv6.fraghdr.nxt", "Next header", "What was fragmented (RFC 8200 §4.5)";
        FRAGMENT_HEADER_RESERVED: Unsigned(8), Hexadecimal, Wireshark, "ipv6.fraghdr.reserved_octet", "Reserved byte", "0 (RFC 8200 §4.5)";
        FRAGMENT_HEADER_OFFSET: Unsigned(16), Plain, Wireshark, "ipv6.fraghdr.offset", "Offset", "Where the fragment is, in units of 8 bytes (RFC 8200 §4.5)";
        FRAGMENT_HEADER_RESERVED_BITS: Unsigned(16), Plain, Wireshark, "ipv6.fraghdr.reserved_bits", "Reserved bits", "0 (RFC 8200 §4.5)";
        FRAGMENT_HEADER_MORE: Boolean, Plain, Wireshark, "ipv6.fraghdr.more", "More Fragments", "The datagram continues in another fragment (RFC 8200 §4.5)";
        FRAGMENT_HEADER_IDENTIFICATION: Unsigned(32), Hexadecimal, Wireshark, "ipv6.fraghdr.ident", "Identification", "Common to the fragments of a datagram (RFC 8200 §4.5)";
        IPV6_FRAGMENTS: Heading, Plain, Wireshark, "ipv6.fragments", "IPv6 Fragments", "The fragments that the datagram was put together from";
        IPV6_FRAGMENT: FrameNumber, Plain, Wireshark, "ipv6.fragment", "Frame", "A frame that a fragment of the datagram came in";
        IPV6_FRAGMENT_COUNT: Unsigned(32), Plain, Wireshark, "ipv6.fragment.count", "Fragment count", "The number of fragments";
        IPV6_REASSEMBLED_LENGTH: Unsigned(32), Plain, Wireshark, "ipv6.reassembled.length", "Reassembled IPv6 length", "Bytes of the datagram";
        AUTHENTICATION: Protocol, Plain, Wireshark, "ah", "Authentication Header", "IP authentication header (RFC 4302)";
        AUTHENTICATION_NEXT: Unsigned(8), Named(PROTOCOL_NUMBERS), Wireshark, "ah.next_header", "Next header", "What follows (RFC 4302 §2.1)";
        AUTHENTICATION_LENGTH: Unsigned(8), Plain, Wireshark, "ah.length", "Length", "In units of 4 bytes, without the first two (RFC 4302 §2.2)";
        AUTHENTICATION_INDEX: Unsigned(32), Hexadecimal, Wireshark, "ah.spi", "AH SPI", "The security association (RFC 4302 §2.4)";
        AUTHENTICATION_SEQUENCE: Unsigned(32), Plain, Wireshark, "ah.sequence", "AH Sequence", "Counts the packets of the association (RFC 4302 §2.5)";
        AUTHENTICATION_CHECK: Bytes, Plain, Wireshark, "ah.icv", "AH ICV", "The integrity check value (RFC 4302 §2.6)";
    }
}

/// Fields of ARP, UDP, ICMP and ICMPv6: just enough for orientation.
pub mod small {
    use crate::field::fields;
    use crate::field::ip::CHECKSUM_STATES;
    use crate::field::link::ETHER_TYPES;

    const HARDWARE: &[(u64, &str)] = &[(1, "Ethernet"), (6, "IEEE 802"), (32, "InfiniBand")];

    /// ARP operations (RFC 826, RFC 903).
    pub(crate) const OPERATIONS: &[(u64, &str)] =
        &[(1, "request"), (2, "reply"), (3, "reverse request"), (4, "reverse reply")];

    /// ICMP types (RFC 792 and the IANA registry).
    pub(crate) const ICMP_TYPES: &[(u64, &str)] = &[
        (0, "Echo (ping) reply"),
        (3, "Destination unreachable"),
        (4, "Source quench (flow control)"),
        (5, "Redirect"),
        (8, "Echo (ping) request"),
        (9, "Router advertisement"),
        (10, "Router solicitation"),
        (11, "Time-to-live exceeded"),
        (12, "Parameter problem"),
        (13, "Timestamp request"),
        (14, "Timestamp reply"),
        (17, "Address mask request"),
        (18, "Address mask reply"),
    ];

    /// ICMPv6 types (RFC 4443, RFC 4861, RFC 3810).
    pub(crate) const ICMPV6_TYPES: &[(u64, &str)] = &[
        (1, "Destination Unreachable"),
        (2, "Packet Too Big"),
        (3, "Time Exceeded"),
        (4, "Parameter Problem"),
        (128, "Echo (ping) request"),
        (129, "Echo (ping) reply"),
        (130, "Multicast Listener Query"),
        (131, "Multicast Listener Report"),
        (132, "Multicast Listener Done"),
        (133, "Router Solicitation"),
        (134, "Router Advertisement"),
        (135, "Neighbor Solicitation"),
        (136, "Neighbor Advertisement"),
        (137, "Redirect"),
        (143, "Multicast Listener Report Message v2"),
    ];

    fields! {
        ARP: Protocol, Plain, Wireshark, "arp", "Address Resolution Protocol", "ARP (RFC 826)";
        ARP_HARDWARE: Unsigned(16), Named(HARDWARE), Wireshark, "arp.hw.type", "Hardware type", "The kind of the hardware addresses (RFC 826)";
        ARP_PROTOCOL: Unsigned(16), NamedHexadecimal(ETHER_TYPES), Wireshark, "arp.proto.type", "Protocol type", "The EtherType of the protocol addresses (RFC 826)";
        ARP_HARDWARE_SIZE: Unsigned(8), Plain, Wireshark, "arp.hw.size", "Hardware size", "Bytes of a hardware address (RFC 826)";
        ARP_PROTOCOL_SIZE: Unsigned(8), Plain, Wireshark, "arp.proto.size", "Protocol size", "Bytes of a protocol address (RFC 826)";
        ARP_OPERATION: Unsigned(16), Named(OPERATIONS), Wireshark, "arp.opcode", "Opcode", "Question or answer (RFC 826)";
        ARP_SENDER_HARDWARE: Ethernet, Plain, Wireshark, "arp.src.hw_mac", "Sender MAC address", "The sender's Ethernet address (RFC 826)";
        ARP_SENDER_PROTOCOL: Ipv4, Plain, Wireshark, "arp.src.proto_ipv4", "Sender IP address", "The sender's IPv4 address (RFC 826)";
        ARP_TARGET_HARDWARE: Ethernet, Plain, Wireshark, "arp.dst.hw_mac", "Target MAC address", "The target's Ethernet address (RFC 826)";
        ARP_TARGET_PROTOCOL: Ipv4, Plain, Wireshark, "arp.dst.proto_ipv4", "Target IP address", "The target's IPv4 address (RFC 826)";
        UDP: Protocol, Plain, Wireshark, "udp", "User Datagram Protocol", "UDP (RFC 768)";
        UDP_SOURCE: Unsigned(16), Plain, Wireshark, "udp.srcport", "Source Port", "The sender's port (RFC 768)";
        UDP_DESTINATION: Unsigned(16), Plain, Wireshark, "udp.dstport", "Destination Port", "The receiver's port (RFC 768)";
        UDP_PORT: Unsigned(16), Plain, Wireshark, "udp.port", "Source or Destination Port", "The sender's or the receiver's port";
        UDP_LENGTH: Unsigned(16), Plain, Wireshark, "udp.length", "Length", "Bytes of header and payload (RFC 768)";
        UDP_CHECKSUM: Unsigned(16), Hexadecimal, Wireshark, "udp.checksum", "Checksum", "Not verified (RFC 768)";
        UDP_CHECKSUM_STATUS: Unsigned(8), Named(CHECKSUM_STATES), Wireshark, "udp.checksum.status", "Checksum Status", "Whether the checksum was verified";
        ICMP: Protocol, Plain, Wireshark, "icmp", "Internet Control Message Protocol", "ICMP (RFC 792)";
        ICMP_TYPE: Unsigned(8), Named(ICMP_TYPES), Wireshark, "icmp.type", "Type", "The kind of the message (RFC 792)";
        ICMP_CODE: Unsigned(8), Plain, Wireshark, "icmp.code", "Code", "The variant of its kind (RFC 792)";
        ICMP_CHECKSUM: Unsigned(16), Hexadecimal, Wireshark, "icmp.checksum", "Checksum", "Not verified (RFC 792)";
        ICMP_IDENTIFIER: Unsigned(16), Plain, Wireshark, "icmp.ident", "Identifier (BE)", "Matches replies with requests (RFC 792)";
        ICMP_SEQUENCE: Unsigned(16), Plain, Wireshark, "icmp.seq", "Sequence Number (BE)", "Matches replies with requests (RFC 792)";
        ICMPV6: Protocol, Plain, Wireshark, "icmpv6", "Internet Control Message Protocol v6", "ICMPv6 (RFC 4443)";
        ICMPV6_TYPE: Unsigned(8), Named(ICMPV6_TYPES), Wireshark, "icmpv6.type", "Type", "The kind of the message (RFC 4443 §2.1)";
        ICMPV6_CODE: Unsigned(8), Plain, Wireshark, "icmpv6.code", "Code", "The variant of its kind (RFC 4443 §2.1)";
        ICMPV6_CHECKSUM: Unsigned(16), Hexadecimal, Wireshark, "icmpv6.checksum", "Checksum", "Not verified (RFC 4443 §2.1)";
        ICMPV6_IDENTIFIER: Unsigned(16), Hexadecimal, Wireshark, "icmpv6.echo.identifier", "Identifier", "Matches replies with requests (RFC 4443 §4)";
        ICMPV6_SEQUENCE: Unsigned(16), Plain, Wireshark, "icmpv6.echo.sequence_number", "Sequence", "Matches replies with requests (RFC 4443 §4)";
        ICMPV6_SOLICITED: Ipv6, Plain, Wireshark, "icmpv6.nd.ns.target_address", "Target Address", "The address that is asked for (RFC 4861 §4.3)";
        ICMPV6_ADVERTISED: Ipv6, Plain, Wireshark, "icmpv6.nd.na.target_address", "Target Address", "The address that is answered for (RFC 4861 §4.4)";
        IGMP: Protocol, Plain, Wireshark, "igmp", "Internet Group Management Protocol", "IGMP (RFC 3376); not decoded further";
        SCTP: Protocol, Plain, Wireshark, "sctp", "Stream Control Transmission Protocol", "SCTP (RFC 9260); not decoded further";
    }
}

/// Fields of the TCP header.
pub mod tcp {
    use crate::field::fields;
    use crate::field::ip::CHECKSUM_STATES;

    /// TCP option kinds (IANA).
    pub(crate) const OPTION_KINDS: &[(u64, &str)] = &[
        (0, "End of Option List"),
        (1, "No-Operation"),
        (2, "Maximum Segment Size"),
        (3, "Window Scale"),
        (4, "SACK Permitted"),
        (5, "SACK"),
        (8, "Time Stamp Option"),
        (19, "MD5 Signature Option"),
        (28, "User Timeout Option"),
        (29, "TCP Authentication Option"),
        (30, "Multipath TCP"),
        (34, "TCP Fast Open Cookie"),
        (253, "RFC3692-style Experiment 1"),
        (254, "RFC3692-style Experiment 2"),
    ];

    fields! {
        TCP: Protocol, Plain, Wireshark, "tcp", "Transmission Control Protocol", "TCP (RFC 9293)";
        SOURCE_PORT: Unsigned(16), Plain, Wireshark, "tcp.srcport", "Source Port", "The sender's port (RFC 9293 §3.1)";
        DESTINATION_PORT: Unsigned(16), Plain, Wireshark, "tcp.dstport", "Destination Port", "The receiver's port (RFC 9293 §3.1)";
        PORT: Unsigned(16), Plain, Wireshark, "tcp.port", "Source or Destination Port", "The sender's or the receiver's port";
        STREAM: Unsigned(32), Plain, Wireshark, "tcp.stream", "Stream index", "The number of the connection in the capture, from 0";
        LENGTH: Unsigned(32), Plain, Wireshark, "tcp.len", "TCP Segment Len", "Bytes of the payload on the wire";
        SEQUENCE: Unsigned(32), Plain, Wireshark, "tcp.seq", "Sequence Number", "Where the payload is in the stream, counted from the SYN, or from the first segment seen";
        SEQUENCE_RAW: Unsigned(32), Plain, Wireshark, "tcp.seq_raw", "Sequence Number (raw)", "The sequence number as it is in the header (RFC 9293 §3.1)";
        NEXT_SEQUENCE: Unsigned(32), Plain, Wireshark, "tcp.nxtseq", "Next Sequence Number", "After the payload, counted as the sequence number";
        ACKNOWLEDGMENT: Unsigned(32), Plain, Wireshark, "tcp.ack", "Acknowledgment Number", "The next byte expected from the other side, counted as the sequence number";
        ACKNOWLEDGMENT_RAW: Unsigned(32), Plain, Wireshark, "tcp.ack_raw", "Acknowledgment number (raw)", "The acknowledgment number as it is in the header (RFC 9293 §3.1)";
        HEADER_LENGTH: Unsigned(8), Plain, Wireshark, "tcp.hdr_len", "Header Length", "Bytes of the header with its options; the field counts in 4 (RFC 9293 §3.1)";
        FLAGS: Unsigned(16), Hexadecimal, Wireshark, "tcp.flags", "Flags", "The control bits, reserved ones included (RFC 9293 §3.1)";
        FLAG_RESERVED: Boolean, Plain, Wireshark, "tcp.flags.res", "Reserved", "One of the three reserved bits is set (RFC 9293 §3.1)";
        FLAG_ACCURATE_ECN: Boolean, Plain, Wireshark, "tcp.flags.ae", "Accurate ECN", "Accurate ECN; once NS (RFC 9768)";
        FLAG_CWR: Boolean, Plain, Wireshark, "tcp.flags.cwr", "Congestion Window Reduced", "The sender slowed down (RFC 3168 §6.1)";
        FLAG_ECE: Boolean, Plain, Wireshark, "tcp.flags.ece", "ECN-Echo", "The other side should slow down (RFC 3168 §6.1)";
        FLAG_URGENT: Boolean, Plain, Wireshark, "tcp.flags.urg", "Urgent", "The urgent pointer is valid (RFC 9293 §3.1)";
        FLAG_ACKNOWLEDGMENT: Boolean, Plain, Wireshark, "tcp.flags.ack", "Acknowledgment", "The acknowledgment number is valid (RFC 9293 §3.1)";
        FLAG_PUSH: Boolean, Plain, Wireshark, "tcp.flags.push", "Push", "The receiver should deliver at once (RFC 9293 §3.1)";
        FLAG_RESET: Boolean, Plain, Wireshark, "tcp.flags.reset", "Reset", "The connection is torn down (RFC 9293 §3.1)";
        FLAG_SYN: Boolean, Plain, Wireshark, "tcp.flags.syn", "Syn", "The connection is being opened (RFC 9293 §3.1)";
        FLAG_FIN: Boolean, Plain, Wireshark, "tcp.flags.fin", "Fin", "The sender has no more data (RFC 9293 §3.1)";
        FLAGS_TEXT: Text, Plain, Wireshark, "tcp.flags.str", "TCP Flags", "A letter for each flag that is set";
        WINDOW: Unsigned(16), Plain, Wireshark, "tcp.window_size_value", "Window", "The window field as it is in the header (RFC 9293 §3.1)";
        WINDOW_SCALED: Unsigned(32), Plain, Wireshark, "tcp.window_size", "Calculated window size", "Bytes that the sender is ready to take (RFC 7323 §2)";
        WINDOW_FACTOR: Unsigned(32), Plain, Wireshark, "tcp.window_size_scalefactor", "Window size scaling factor", "What the window field is multiplied by; -1 when the handshake was not seen, -2 when it set no scale";
        CHECKSUM: Unsigned(16), Hexadecimal, Wireshark, "tcp.checksum", "Checksum", "Not verified (RFC 9293 §3.1)";
        CHECKSUM_STATUS: Unsigned(8), Named(CHECKSUM_STATES), Wireshark, "tcp.checksum.status", "Checksum Status", "Whether the checksum was verified";
        URGENT_POINTER: Unsigned(16), Plain, Wireshark, "tcp.urgent_pointer", "Urgent Pointer", "Where urgent data ends, counted from the sequence number (RFC 9293 §3.1)";
        OPTIONS: Bytes, Plain, Wireshark, "tcp.options", "Options", "The options with their padding (RFC 9293 §3.2)";
        OPTION_KIND: Unsigned(8), Named(OPTION_KINDS), Wireshark, "tcp.option_kind", "Kind", "The kind of an option (RFC 9293 §3.2)";
        OPTION_LENGTH: Unsigned(8), Plain, Wireshark, "tcp.option_len", "Length", "Bytes of an option (RFC 9293 §3.2)";
        OPTION_END: Bytes, Plain, Wireshark, "tcp.options.eol", "TCP Option - End of Option List (EOL)", "The options end (RFC 9293 §3.2)";
        OPTION_NOTHING: Bytes, Plain, Wireshark, "tcp.options.nop", "TCP Option - No-Operation (NOP)", "Padding between options (RFC 9293 §3.2)";
        OPTION_MSS: Bytes, Plain, Wireshark, "tcp.options.mss", "TCP Option - Maximum segment size", "The largest segment that the sender can take (RFC 9293 §3.7.1)";
        MSS_VALUE: Unsigned(16), Plain, Wireshark, "tcp.options.mss_val", "MSS Value", "Bytes of the largest segment (RFC 9293 §3.7.1)";
        OPTION_SCALE: Bytes, Plain, Wireshark, "tcp.options.wscale", "TCP Option - Window scale", "How windows are scaled (RFC 7323 §2)";
        SCALE_SHIFT: Unsigned(8), Plain, Wireshark, "tcp.options.wscale.shift", "Shift count", "Bits that windows are shifted by (RFC 7323 §2)";
        SCALE_MULTIPLIER: Unsigned(16), Plain, Wireshark, "tcp.options.wscale.multiplier", "Multiplier", "What windows are multiplied by";
        OPTION_SACK_PERMITTED: Bytes, Plain, Wireshark, "tcp.options.sack_perm", "TCP Option - SACK permitted", "The sender understands selective acknowledgments (RFC 2018 §2)";
        OPTION_SACK: Bytes, Plain, Wireshark, "tcp.options.sack", "TCP Option - SACK", "Bytes that arrived after a gap (RFC 2018 §3)";
        SACK_LEFT: Unsigned(32), Plain, Wireshark, "tcp.options.sack_le", "TCP SACK Left Edge", "The first byte of a run that arrived, counted as the acknowledgment number (RFC 2018 §3)";
        SACK_RIGHT: Unsigned(32), Plain, Wireshark, "tcp.options.sack_re", "TCP SACK Right Edge", "After the last byte of the run (RFC 2018 §3)";
        SACK_COUNT: Unsigned(8), Plain, Wireshark, "tcp.options.sack.count", "TCP SACK Count", "The number of runs";
        OPTION_TIMESTAMP: Bytes, Plain, Wireshark, "tcp.options.timestamp", "TCP Option - Timestamps", "Time stamps for measuring round trips (RFC 7323 §3)";
        TIMESTAMP_VALUE: Unsigned(32), Plain, Wireshark, "tcp.options.timestamp.tsval", "Timestamp value", "The sender's clock (RFC 7323 §3.2)";
        TIMESTAMP_ECHO: Unsigned(32), Plain, Wireshark, "tcp.options.timestamp.tsecr", "Timestamp echo reply", "The other side's time stamp, sent back (RFC 7323 §3.2)";
        OPTION_UNKNOWN: Bytes, Plain, Wireshark, "tcp.options.unknown", "TCP Option - Unknown", "An option that is not decoded";
        TIME_RELATIVE: RelativeTime, Plain, Wireshark, "tcp.time_relative", "Time since first frame in this TCP stream", "Seconds since the connection's first frame";
        TIME_DELTA: RelativeTime, Plain, Wireshark, "tcp.time_delta", "Time since previous frame in this TCP stream", "Seconds since the connection's frame before";
        PAYLOAD: Bytes, Plain, Wireshark, "tcp.payload", "TCP payload", "The bytes of the payload that were captured";
    }
}
