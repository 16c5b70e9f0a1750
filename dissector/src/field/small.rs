//! Fields of ARP, UDP, ICMP and ICMPv6: as much as finding one's way needs.

use super::fields;
use super::ip::CHECKSUM_STATES;
use super::link::ETHER_TYPES;

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
