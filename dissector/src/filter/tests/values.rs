//! Literals, sets, slices, functions and layers.

use super::precedence::check;

#[test]
fn numbers_and_names() {
    check(&[
        ("tcp.srcport == 0x1c06", true),
        ("tcp.srcport == 0X1C06", true),
        ("tcp.srcport == 016006", true),
        ("tcp.srcport == 0b1110000000110", true),
        ("frame.number == '\\x07'", true),
        ("frame.number == '\\a'", true),
        ("tcp.srcport >= 7174", true),
        ("tcp.srcport gt 7174", false),
        ("tcp.srcport le 7174", true),
        ("tcp.srcport lt 7175", true),
        ("tcp.srcport==7174&&ip", true),
        ("frame.number == tcp.srcport", false),
        ("frame.number < tcp.srcport", true),
        ("iwarp_ddp.tagged_offset == 0x100000001", true),
        ("iwarp_ddp.tagged_offset > tcp.srcport", true),
        ("tcp.srcport > iwarp_ddp.tagged_offset", false),
        ("iwarp_ddp.tagged_offset == -1", false),
        ("iwarp_rdma.opcode == 3", true),
        ("iwarp_rdma.opcode == \"Send\"", true),
        ("iwarp_rdma.opcode == \"send\"", true),
        ("iwarp_rdma.opcode == Send", true),
        ("iwarp_rdma.opcode == \"Read Request\"", false),
        ("iwarp_rdma.opcode > \"Read Request\"", true),
        ("iwarp_rdma.opcode in {\"Send\", 9}", true),
        ("iwarp_rdma.opcode === \"Send\"", false),
    ]);
}

#[test]
fn booleans() {
    check(&[
        ("tcp.flags.syn == 1", true),
        ("tcp.flags.syn == 2", true),
        ("tcp.flags.syn == 0", false),
        ("tcp.flags.syn == True", true),
        ("tcp.flags.syn == true", true),
        ("tcp.flags.syn == TRUE", true),
        ("tcp.flags.syn == false", false),
        ("tcp.flags.syn != FALSE", true),
        ("tcp.flags.syn == \"True\"", true),
        ("tcp.flags.syn == \"Set\"", true),
        ("tcp.flags.syn == \"not set\"", false),
        ("tcp.flags.ack == \"Absent\"", true),
        ("tcp.flags.ack == Attached", false),
        ("tcp.flags.syn == 'a'", true),
        ("tcp.flags.syn > 0", true),
        ("tcp.flags.syn == tcp.flags.ack", false),
        ("tcp.flags.syn in {0..1}", true),
    ]);
}

#[test]
fn addresses() {
    check(&[
        ("ip.src == 10.66.0.1", true),
        ("ip.src == 10.0.0.0/8", true),
        ("ip.src == 10.66.0.9/24", true),
        ("ip.src == 10.67.0.0/16", false),
        ("ip.src == 0.0.0.0/0", true),
        ("ip.src != 10.0.0.0/8", false),
        ("ip.src > 10.66.0.0/24", false),
        ("ip.src >= 10.66.0.0/24", true),
        ("ip.src < 10.66.0.2", true),
        ("ip.addr == 10.66.0.2", true),
        ("ip.src == ip.dst", false),
        ("ip.src == ip.addr", true),
        ("ip.src in {10.66.0.0/24}", true),
        ("ip.src in {10.66.0.0 .. 10.66.0.5}", true),
        ("ip.src in {10.66.0.0..10.66.0.5}", true),
        ("ip.src in {1.2.3.4, 10.66.0.2}", false),
        ("ipv6.src == ::1", false),
        ("ipv6.src == fe80::/10", false),
        ("ipv6.src == ::ffff:10.0.0.1", false),
        ("eth.src == 02:00:5e:10:00:01", true),
        ("eth.src == 02-00-5E-10-00-01", true),
        ("eth.src == 02.00.5e.10.00.01", true),
        ("eth.src == 0200.5e10.0001", true),
        ("eth.src < ff:ff:ff:ff:ff:ff", true),
        ("eth.src contains 5e:10", true),
        ("eth.src contains 5e", true),
        ("eth.src[0:3] == 02:00:5e", true),
        ("eth.src in {02:00:00:00:00:00 .. 02:ff:ff:ff:ff:ff}", true),
    ]);
}

#[test]
fn text_and_bytes() {
    check(&[
        ("frame.protocols == \"eth:ethertype:ip:tcp\"", true),
        ("frame.protocols == \"ETH:ethertype:ip:tcp\"", false),
        ("frame.protocols == abc", false),
        ("frame.protocols < \"f\"", true),
        ("frame.protocols > \"eth\"", true),
        ("frame.protocols == 'e'", false),
        ("frame.protocols contains 'e'", true),
        ("frame.protocols contains \"ether\"", true),
        ("frame.protocols contains ethertype", true),
        ("frame.protocols contains \"\"", false),
        ("frame.protocols contains \"\\x65\\164h\"", true),
        ("frame.protocols contains \"\\u0065th\"", true),
        ("frame.protocols contains r\"eth\"", true),
        ("frame.protocols contains R\"e\\x74\"", false),
        ("frame.protocols matches \"^ETH.*tcp$\"", true),
        ("frame.protocols ~ \"ip:t\"", true),
        ("frame.protocols matches \"(?-i)ETH\"", false),
        ("frame.protocols matches \"\"", true),
        ("frame.protocols matches \"\\\\d\"", false),
        ("frame.protocols matches r\"^eth\\:\"", true),
        ("frame.protocols in {\"eth\" .. \"f\"}", true),
        ("frame.protocols in {\"a\", \"b\"}", false),
        ("tcp.payload contains \"ID\"", true),
        ("tcp.payload contains 'M'", true),
        ("tcp.payload contains 4d:50", true),
        ("tcp.payload contains 4d-50", true),
        ("tcp.payload contains 4d.50", true),
        ("tcp.payload contains 0x4d", true),
        ("tcp.payload contains 01:02", false),
        ("tcp.payload contains eth.src", false),
        ("tcp.payload matches \"mpa id re[pq]\"", true),
        ("tcp.payload matches \"\\xff\"", false),
        ("tcp.payload == \"MPA ID Rep Frame\"", true),
        // A longer string of bytes is greater than a shorter one.
        ("tcp.payload > ff", true),
        ("frame contains \"MPA ID\"", true),
        ("tcp contains 1c:06", true),
        ("tcp contains 01:02", false),
        ("tcp matches \"\\x1c\\x06\"", true),
        ("tcp == tcp", true),
        ("frame contains tcp", true),
        // A protocol reaches to the end of the packet: its payload counts.
        ("tcp contains \"MPA\"", true),
    ]);
}

#[test]
fn slices() {
    check(&[
        ("tcp[0:2] == 1c:06", true),
        ("tcp[0:2] == 1c06", true),
        ("tcp[0:2] == :1c:06", true),
        ("tcp[0] == 1c", true),
        ("tcp[0] == 0x1c", true),
        ("tcp[0] == 28", false),
        ("tcp[0-1] == 1c:06", true),
        ("tcp[:2] == 1c:06", true),
        ("tcp[0,1] == 1c:06", true),
        ("tcp[ 0 : 2 ] == \"\\x1c\\x06\"", true),
        ("tcp[0x0:0x2] == 1c:06", true),
        ("tcp[0:2][1] == 06", true),
        ("tcp[0:2] > 1b", true),
        ("tcp[0:2] < 1d", false),
        ("tcp[0:2] & 04:00", true),
        ("tcp[1:] contains 93", true),
        ("tcp[5000] == 00", false),
        ("tcp[5000] != 00", true),
        ("tcp[5000]", false),
        ("tcp[3]", true),
        ("tcp[18:5000] contains 00", false),
        ("tcp[0,5000] == 1c", true),
        ("tcp[5000,0] == 1c", false),
        ("tcp.payload[-5:] == \"Frame\"", true),
        ("tcp.payload[-5:2] == \"Fr\"", true),
        ("tcp.payload[-2] == 'm'", true),
        ("tcp.payload[-5--3] == \"Fra\"", true),
        ("tcp.payload[500] == \"\"", true),
        ("ip.src[0] == 0a", true),
        ("ip.src[2]", true),
        ("ip.src[0:4] == ip.src", true),
        ("ip.src == ip.src[0:4]", true),
        ("frame.protocols[0:3] == \"eth\"", true),
        ("frame.protocols[1:2] == 74:68", true),
        ("frame.protocols[0:3] matches \"ETH\"", true),
        ("tcp.payload[0] in {4c..4e}", true),
        ("upper(frame.protocols)[0:3] == \"ETH\"", true),
    ]);
}

#[test]
fn sets() {
    check(&[
        ("tcp.srcport in {1, 7174}", true),
        ("tcp.srcport in {7000..8000}", true),
        ("tcp.srcport in {7000 .. 7100}", false),
        ("tcp.srcport in {8000..7000}", false),
        ("tcp.srcport in {tcp.dstport, 7174}", true),
        ("tcp.srcport in {1..tcp.srcport}", true),
        ("tcp.srcport not in {7174}", false),
        ("tcp.srcport !in {1}", true),
        ("udp.port not in {1}", true),
        ("tcp.srcport + 1 in {7175}", true),
        ("len(tcp.payload) in {15, 16}", true),
        ("frame.time_delta in {-0.5 .. 0.01}", true),
    ]);
}

#[test]
fn functions() {
    check(&[
        ("len(tcp.payload) == 16", true),
        ("len(tcp.payload) + 1 > 16", true),
        ("len(frame.protocols) == 20", true),
        ("len(ip.src) == 4", true),
        ("len(tcp.srcport) == 2", true),
        ("len(tcp.flags) == 2", true),
        ("len(iwarp_ddp.tagged_offset) == 8", true),
        ("len(tcp) == 48", true),
        ("len(tcp.flags.syn) == 0", true),
        ("count(tcp.port) == 2", true),
        ("count(ip.addr#1) == 2", true),
        ("count(udp.port) == 0", false),
        ("upper(frame.protocols) contains \"ETH\"", true),
        ("lower(frame.protocols) == frame.protocols", true),
        ("string(tcp.srcport) == \"7174\"", true),
        ("string(tcp.srcport) matches \"^71\"", true),
        ("string(ip.src) contains \"66.0\"", true),
        ("string(eth.src) == \"02:00:5e:10:00:01\"", true),
        ("string(tcp.flags) == \"0x012\"", true),
        ("max(tcp.port) == 37801", true),
        ("min(tcp.port) == 7174", true),
        ("max(tcp.srcport, 5) == 7174", true),
        ("min(tcp.srcport, udp.port) == 7174", true),
        ("max(udp.port) == 0", false),
        ("max(ip.src, ip.dst) == 10.66.0.2", true),
        ("max(frame.time_delta, 1) >= 1.0", true),
        ("tcp.srcport > max(1, 2)", true),
        ("abs(tcp.srcport - 8000) == 826", true),
        ("abs(-tcp.srcport) == 7174", true),
        ("max(len(tcp.payload), 1) == 16", true),
    ]);
}

#[test]
fn layers() {
    check(&[
        ("ip#1", true),
        ("ip#2", false),
        ("iwarp_ddp#2", true),
        ("iwarp_ddp#3", false),
        ("ip.addr#1 == 10.66.0.2", true),
        ("ip.addr #2 == 10.66.0.2", false),
        ("iwarp_ddp.msn#1 == 1", true),
        ("iwarp_ddp.msn#1 == 2", false),
        ("iwarp_ddp.msn#2 == 2", true),
        ("iwarp_ddp.msn#[-1] == 2", true),
        ("iwarp_ddp.msn#[-2] == 2", false),
        ("iwarp_ddp.msn#[1-2] == 2", true),
        ("iwarp_ddp.msn#[1,2] == 2", true),
        ("iwarp_ddp.msn#[2:] == 1", false),
        ("iwarp_ddp.msn#[1:1] == 2", false),
        ("iwarp_ddp.msn#0 == 1", false),
        ("tcp#1[0:2] == 1c:06", true),
    ]);
}
