//! Fields of the link layers: Ethernet, VLAN tags, cooked captures, loopback.

use super::fields;

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

const FAMILIES: &[(u64, &str)] =
    &[(2, "IP"), (10, "IPv6 Linux"), (24, "IPv6 BSD"), (28, "IPv6 FreeBSD"), (30, "IPv6 Darwin")];

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
    ETHERNET_SOURCE_GROUP: Boolean, Plain, Wireshark, "eth.src.ig", "IG bit", "The sender's address is a group's, which cannot be";
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
    COOKED_UNUSED: Bytes, Plain, Wireshark, "sll.unused", "Unused", "Bytes behind the sender's address";
    COOKED_ETHER_TYPE: Unsigned(16), NamedHexadecimal(ETHER_TYPES), Wireshark, "sll.etype", "Protocol", "The EtherType of what follows";
    COOKED_LINUX_TYPE: Unsigned(16), Hexadecimal, Wireshark, "sll.ltype", "Protocol", "What follows, in numbers of Linux' own";
    LOOPBACK: Protocol, Plain, Wireshark, "null", "Null/Loopback", "BSD loopback";
    LOOPBACK_FAMILY: Unsigned(32), Named(FAMILIES), Wireshark, "null.family", "Family", "The address family of what follows";
    RAW: Protocol, Plain, Wireshark, "raw", "Raw packet data", "A packet without link header";
    DATA: Protocol, Plain, Wireshark, "data", "Data", "Bytes that are not decoded";
    DATA_BYTES: Bytes, Plain, Wireshark, "data.data", "Data", "The bytes that are not decoded";
    DATA_LENGTH: Unsigned(32), Plain, Wireshark, "data.len", "Length", "The number of bytes that are not decoded";
}
