//! Test fields and a tree of them.

#![allow(unreachable_pub, reason = "the macro declares public statics")]

use crate::field::{Field, fields};
use crate::filter::syntax::Names;
use crate::filter::{Filter, FilterError};
use crate::tree::{Location, SourceId, Tree, Value};

const OPCODES: &[(u64, &str)] = &[(0, "Write"), (1, "Read Request"), (3, "Send")];
const PRESENCE: &[(u64, &str)] = &[(0, "Absent"), (1, "Attached")];

fields! {
    FRAME: Protocol, Plain, Wireshark, "frame", "Frame", "A frame.";
    NUMBER: FrameNumber, Plain, Wireshark, "frame.number", "Number", "Its number.";
    TIME: AbsoluteTime, Plain, Wireshark, "frame.time", "Time", "Its time.";
    DELTA: RelativeTime, Plain, Wireshark, "frame.time_delta", "Delta", "Since the last one.";
    PROTOCOLS: Text, Plain, Wireshark, "frame.protocols", "Protocols", "Its protocols.";
    ETH: Protocol, Plain, Wireshark, "eth", "Ethernet", "Ethernet.";
    ETH_SRC: Ethernet, Plain, Wireshark, "eth.src", "Source", "Source address.";
    IP: Protocol, Plain, Wireshark, "ip", "IPv4", "IPv4.";
    IP_SRC: Ipv4, Plain, Wireshark, "ip.src", "Source", "Source address.";
    IP_DST: Ipv4, Plain, Wireshark, "ip.dst", "Destination", "Destination address.";
    IP_ADDR: Ipv4, Plain, Wireshark, "ip.addr", "Address", "Either address.";
    IPV6: Protocol, Plain, Wireshark, "ipv6", "IPv6", "IPv6.";
    IPV6_SRC: Ipv6, Plain, Wireshark, "ipv6.src", "Source", "Source address.";
    UDP: Protocol, Plain, Wireshark, "udp", "UDP", "UDP.";
    UDP_PORT: Unsigned(16), Plain, Wireshark, "udp.port", "Port", "A port.";
    TCP: Protocol, Plain, Wireshark, "tcp", "TCP", "TCP.";
    SRC_PORT: Unsigned(16), Plain, Wireshark, "tcp.srcport", "Source port", "Source port.";
    DST_PORT: Unsigned(16), Plain, Wireshark, "tcp.dstport", "Destination port", "Destination port.";
    PORT: Unsigned(16), Plain, Wireshark, "tcp.port", "Port", "Either port.";
    SEQ_RAW: Unsigned(32), Plain, Wireshark, "tcp.seq_raw", "Sequence", "Sequence number.";
    FLAGS: Unsigned(12), Hexadecimal, Wireshark, "tcp.flags", "Flags", "Flags.";
    SYN: Boolean, Plain, Wireshark, "tcp.flags.syn", "SYN", "SYN.";
    ACK: Boolean, Named(PRESENCE), Wireshark, "tcp.flags.ack", "ACK", "ACK.";
    PAYLOAD: Bytes, Plain, Wireshark, "tcp.payload", "Payload", "Payload.";
    ANALYSIS: Heading, Plain, Wireshark, "tcp.analysis", "Analysis", "A heading.";
    DDP: Protocol, Plain, Wireshark, "iwarp_ddp", "DDP", "DDP.";
    OFFSET: Unsigned(64), Hexadecimal, Wireshark, "iwarp_ddp.tagged_offset", "Offset", "Offset.";
    MSN: Unsigned(32), Plain, Wireshark, "iwarp_ddp.msn", "MSN", "Message number.";
    OPCODE: Unsigned(4), NamedHexadecimal(OPCODES), Wireshark, "iwarp_rdma.opcode", "Opcode", "Opcode.";
    LATENCY: RelativeTime, Plain, Own, "warpscope.op.latency", "Latency", "A span of our own.";
    MINUS: Protocol, Plain, Own, "mac-lte", "Name with a hyphen", "A protocol with a hyphen.";
}

fn find(name: &str) -> Option<&'static Field> {
    FIELDS.iter().copied().find(|field| field.name == name)
}

fn nearest(name: &str) -> Option<&'static str> {
    warpscope_text::suggest(name, FIELDS.iter().map(|field| field.name))
}

/// Compiles over the test fields.
pub(super) fn parse(text: &str) -> Result<Filter, FilterError> {
    Filter::parse_with(text, Names { find: &find, nearest: &nearest })
}

/// Compiles and evaluates over the test tree.
pub(super) fn passes(text: &str) -> bool {
    match parse(text) {
        Ok(filter) => filter.matches(&tree()),
        Err(error) => panic!("{}", error.render()),
    }
}

fn at(offset: u32, length: u32) -> Location {
    Location { source: SourceId::FRAME, offset, length, ..Location::default() }
}

/// A frame from 10.66.0.1 port 7174 to 10.66.0.2 port 37801 with two DDP segments.
pub(super) fn tree() -> Tree {
    let mut tree = Tree::default();
    // 14 bytes of Ethernet, 20 of IPv4, 32 of TCP, then the payload.
    let mut bytes = vec![0; 66];
    bytes[34..38].copy_from_slice(&[0x1c, 0x06, 0x93, 0xa9]);
    bytes.extend_from_slice(b"MPA ID Rep Frame");
    tree.add_source("Frame", &bytes);
    tree.push(0, &FRAME, Value::None, at(0, 82));
    tree.push_generated(1, &NUMBER, Value::Unsigned(7));
    // 2026-01-01 00:00:00.5 UTC.
    tree.push_generated(1, &TIME, Value::Time(1_767_225_600_500_000_000));
    tree.push_generated(1, &DELTA, Value::Time(2_500_000));
    tree.push_generated(1, &PROTOCOLS, Value::Text("eth:ethertype:ip:tcp".into()));
    tree.push(0, &ETH, Value::None, at(0, 14));
    tree.push(1, &ETH_SRC, Value::Ethernet([2, 0, 0x5e, 0x10, 0, 1]), at(6, 6));
    tree.push(0, &IP, Value::None, at(14, 20));
    for field in [&IP_SRC, &IP_ADDR] {
        tree.push(1, field, Value::Ipv4([10, 66, 0, 1]), at(26, 4));
    }
    for field in [&IP_DST, &IP_ADDR] {
        tree.push(1, field, Value::Ipv4([10, 66, 0, 2]), at(30, 4));
    }
    tree.push(0, &TCP, Value::None, at(34, 32));
    for field in [&SRC_PORT, &PORT] {
        tree.push(1, field, Value::Unsigned(7174), at(34, 2));
    }
    for field in [&DST_PORT, &PORT] {
        tree.push(1, field, Value::Unsigned(37801), at(36, 2));
    }
    tree.push(1, &SEQ_RAW, Value::Unsigned(3_000_000_000), at(38, 4));
    tree.push(1, &FLAGS, Value::Unsigned(0x012), at(46, 2));
    tree.push(2, &SYN, Value::Unsigned(1), at(47, 1));
    tree.push(2, &ACK, Value::Unsigned(0), at(47, 1));
    tree.push(1, &ANALYSIS, Value::None, at(34, 0));
    let payload = tree.bytes_value(b"MPA ID Rep Frame");
    tree.push(1, &PAYLOAD, payload, at(66, 16));
    for (msn, opcode) in [(1, 3), (2, 0)] {
        tree.push(0, &DDP, Value::None, at(66, 8));
        tree.push(1, &OFFSET, Value::Unsigned(0x1_0000_0000 + msn), at(66, 8));
        tree.push(1, &MSN, Value::Unsigned(msn), at(66, 4));
        tree.push(1, &OPCODE, Value::Unsigned(opcode), at(66, 1));
        tree.push_generated(1, &LATENCY, Value::Time(i64::from(msn as u32) * 750_000));
    }
    tree
}
