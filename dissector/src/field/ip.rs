//! Fields of IPv4, IPv6 with its extension headers, and AH.

use super::fields;

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

/// The states that a checksum can have.
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
    FLAG_MORE_FRAGMENTS: Boolean, Plain, Wireshark, "ip.flags.mf", "More fragments", "The datagram goes on in another fragment (RFC 791 §3.1)";
    FRAGMENT_OFFSET: Unsigned(16), Plain, Wireshark, "ip.frag_offset", "Fragment Offset", "Where the fragment stands in its datagram, in units of 8 bytes (RFC 791 §3.1)";
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
    PAYLOAD_LENGTH: Unsigned(16), Plain, Wireshark, "ipv6.plen", "Payload Length", "Bytes behind the header (RFC 8200 §3)";
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
    FRAGMENT_HEADER: Protocol, Plain, Wireshark, "ipv6.fraghdr", "Fragment Header for IPv6", "Where a fragment stands in its datagram (RFC 8200 §4.5)";
    FRAGMENT_HEADER_NEXT: Unsigned(8), Named(PROTOCOL_NUMBERS), Wireshark, "ipv6.fraghdr.nxt", "Next header", "What was fragmented (RFC 8200 §4.5)";
    FRAGMENT_HEADER_RESERVED: Unsigned(8), Hexadecimal, Wireshark, "ipv6.fraghdr.reserved_octet", "Reserved byte", "0 (RFC 8200 §4.5)";
    FRAGMENT_HEADER_OFFSET: Unsigned(16), Plain, Wireshark, "ipv6.fraghdr.offset", "Offset", "Where the fragment stands, in units of 8 bytes (RFC 8200 §4.5)";
    FRAGMENT_HEADER_RESERVED_BITS: Unsigned(16), Plain, Wireshark, "ipv6.fraghdr.reserved_bits", "Reserved bits", "0 (RFC 8200 §4.5)";
    FRAGMENT_HEADER_MORE: Boolean, Plain, Wireshark, "ipv6.fraghdr.more", "More Fragments", "The datagram goes on in another fragment (RFC 8200 §4.5)";
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
