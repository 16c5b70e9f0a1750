//! Frames put together byte by byte from the figures of the formats.

pub const ETHERNET: u32 = 1;

/// A TCP header with a sequence number of 5, from port 1000 to 2000, and its payload.
pub fn tcp(flags: u16, options: &[u8], payload: &[u8]) -> Vec<u8> {
    assert!(options.len().is_multiple_of(4));
    let offset = (20 + options.len()) as u16 / 4;
    let mut segment = vec![0x03, 0xe8, 0x07, 0xd0, 0, 0, 0, 5, 0, 0, 0, 9];
    segment.extend((offset << 12 | flags).to_be_bytes());
    segment.extend([0, 100, 0xab, 0xcd, 0, 0]);
    segment.extend(options);
    segment.extend(payload);
    segment
}

pub fn udp(payload: &[u8]) -> Vec<u8> {
    let length = 8 + payload.len() as u16;
    let mut datagram = vec![0, 5, 0, 6];
    datagram.extend(length.to_be_bytes());
    datagram.extend([0x11, 0x11]);
    datagram.extend(payload);
    datagram
}

/// An IPv4 packet from 10.0.0.1 to 10.0.0.2.
pub fn ipv4(protocol: u8, payload: &[u8]) -> Vec<u8> {
    ipv4_with(protocol, 7, 0x4000, &[], payload)
}

/// With an identification, the field of flags and fragment offset, and options.
pub fn ipv4_with(
    protocol: u8,
    identification: u16,
    fragmentation: u16,
    options: &[u8],
    payload: &[u8],
) -> Vec<u8> {
    assert!(options.len().is_multiple_of(4));
    let header = 20 + options.len();
    let mut packet = vec![0x40 | (header / 4) as u8, 0x2e];
    packet.extend(((header + payload.len()) as u16).to_be_bytes());
    packet.extend(identification.to_be_bytes());
    packet.extend(fragmentation.to_be_bytes());
    packet.extend([64, protocol, 0x12, 0x34, 10, 0, 0, 1, 10, 0, 0, 2]);
    packet.extend(options);
    packet.extend(payload);
    packet
}

/// An IPv6 packet from 2001:db8::1 to 2001:db8::2.
pub fn ipv6(next_header: u8, payload: &[u8]) -> Vec<u8> {
    let mut packet = vec![0x6a, 0xb1, 0x23, 0x45];
    packet.extend((payload.len() as u16).to_be_bytes());
    packet.extend([next_header, 63]);
    for last in [1, 2] {
        packet.extend([0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, last]);
    }
    packet.extend(payload);
    packet
}

/// An IPv6 fragment header (RFC 8200 §4.5); the offset counts bytes.
pub fn fragment_header(next_header: u8, offset: u16, more: bool, identification: u32) -> Vec<u8> {
    let mut header = vec![next_header, 0];
    header.extend((offset | u16::from(more)).to_be_bytes());
    header.extend(identification.to_be_bytes());
    header
}

pub fn ethernet(ether_type: u16, payload: &[u8]) -> Vec<u8> {
    let mut frame = vec![2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2];
    frame.extend(ether_type.to_be_bytes());
    frame.extend(payload);
    frame
}

/// A VLAN tag after an Ethernet header whose type says so: priority, DEI and ID, then the type.
pub fn tag(control: u16, ether_type: u16, payload: &[u8]) -> Vec<u8> {
    [&control.to_be_bytes()[..], &ether_type.to_be_bytes(), payload].concat()
}

/// A Linux cooked header, version 1.
pub fn cooked(ether_type: u16, payload: &[u8]) -> Vec<u8> {
    let mut frame = vec![0, 4, 0, 1, 0, 6, 2, 0, 0, 0, 0, 1, 0, 0];
    frame.extend(ether_type.to_be_bytes());
    frame.extend(payload);
    frame
}

/// A Linux cooked header, version 2.
pub fn cooked2(ether_type: u16, payload: &[u8]) -> Vec<u8> {
    let mut frame = ether_type.to_be_bytes().to_vec();
    frame.extend([0, 0, 0, 0, 0, 3, 0, 1, 4, 6, 2, 0, 0, 0, 0, 1, 0, 0]);
    frame.extend(payload);
    frame
}

/// One frame of each kind, with its link type.
pub fn zoo() -> Vec<(u32, Vec<u8>)> {
    let syn = tcp(0x002, &[], &[]);
    let data = tcp(0x018, &[], b"payload");
    let all_options = [
        &[2, 4, 0x05, 0xb4, 3, 3, 7][..],
        &[8, 10, 0, 0, 0, 1, 0, 0, 0, 2],
        &[5, 10, 0, 0, 0, 20, 0, 0, 0, 30],
        &[1, 4, 2, 200, 6, 0xde, 0xad, 0xbe, 0xef],
    ]
    .concat();
    let all_options = [&all_options[..], &vec![0; (4 - all_options.len() % 4) % 4]].concat();
    let hop_by_hop = |next: u8| [next, 0, 5, 2, 0, 0, 0, 0];
    let routing = [
        &[6, 2, 4, 1, 0, 0, 0, 0][..],
        &[0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9],
    ]
    .concat();
    let echo6 = [128, 0, 0x12, 0x34, 0, 1, 0, 2];
    let solicitation = [
        &[135, 0, 0x12, 0x34, 0, 0, 0, 0][..],
        &[0xfe, 0x80, 0, 0, 0, 0, 0, 0],
        &[0, 0, 0, 0, 0, 0, 0, 1],
    ]
    .concat();
    let authentication =
        [&[6, 4, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2][..], &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]]
            .concat();
    let arp = |operation: u8| {
        [
            &[0, 1, 8, 0, 6, 4, 0, operation][..],
            &[2, 0, 0, 0, 0, 2, 10, 0, 0, 1, 0, 0, 0, 0, 0, 0, 10, 0, 0, 2],
        ]
        .concat()
    };
    let ip = |segment: &[u8]| ipv4(6, segment);
    let tags = tag(2, 0x8100, &tag(3, 0x86dd, &ipv6(6, &data)));
    let snap = [&[0xaa, 0xaa, 3, 0, 0, 0, 8, 0][..], &ip(&data)].concat();
    let mut no_length = ip(&data);
    no_length[2..4].fill(0);
    let ether = |ether_type: u16, payload: &[u8]| (ETHERNET, ethernet(ether_type, payload));
    vec![
        ether(0x0800, &ip(&syn)),
        ether(0x0800, &[&ip(&data)[..], &[0; 6]].concat()),
        ether(0x0800, &ip(&tcp(0x010, &all_options, b"abc"))),
        ether(0x0800, &ip(&tcp(0xfff, &[], &[]))),
        ether(0x0800, &ip(&tcp(0x000, &[], &[]))),
        ether(0x0800, &no_length),
        ether(0x0800, &ipv4_with(6, 7, 0x4000, &[0x94, 4, 0, 0], &data)),
        ether(0x86dd, &ipv6(6, &data)),
        ether(0x8100, &tag(0x6005, 0x0800, &ip(&data))),
        ether(0x88a8, &tag(0x6005, 0x8100, &tag(0x7fff, 0x0800, &ip(&data)))),
        ether(0x8100, &tag(0x6005, 0x8100, &tag(0x7001, 0x8100, &tags))),
        ether(0x0806, &arp(1)),
        ether(0x0806, &arp(2)),
        ether(0x0800, &ipv4(17, &udp(b"abcd"))),
        ether(0x0800, &ipv4(1, &[8, 0, 0x12, 0x34, 0, 1, 0, 2])),
        ether(0x86dd, &ipv6(58, &echo6)),
        ether(0x86dd, &ipv6(58, &solicitation)),
        ether(
            0x86dd,
            &ipv6(0, &[&hop_by_hop(60)[..], &[43, 0, 1, 4, 0, 0, 0, 0], &routing, &data].concat()),
        ),
        ether(0x86dd, &ipv6(44, &[&fragment_header(6, 0, false, 0x99)[..], &data].concat())),
        ether(0x86dd, &ipv6(51, &[&authentication[..], &data].concat())),
        ether(0x0800, &ipv4(51, &[&authentication[..], &data].concat())),
        ether(0x0800, &ipv4(4, &ip(&data))),
        ether(0x0800, &ipv4(41, &ipv6(6, &data))),
        ether(0x0800, &ipv4(200, b"hello")),
        ether(0x1234, b"hello"),
        ether(snap.len() as u16, &snap),
        (113, cooked(0x0800, &ip(&data))),
        (113, cooked(0x86dd, &ipv6(6, &data))),
        (113, cooked(0x8100, &tag(5, 0x0800, &ip(&data)))),
        (276, cooked2(0x0800, &ip(&data))),
        (276, cooked2(0x86dd, &ipv6(6, &data))),
        (0, [&2_u32.to_le_bytes()[..], &ip(&data)].concat()),
        (0, [&2_u32.to_be_bytes()[..], &ip(&data)].concat()),
        (0, [&30_u32.to_le_bytes()[..], &ipv6(6, &data)].concat()),
        (108, [&2_u32.to_be_bytes()[..], &ip(&data)].concat()),
        (108, [&24_u32.to_be_bytes()[..], &ipv6(6, &data)].concat()),
        (12, ip(&data)),
        (14, ip(&data)),
        (101, ip(&data)),
        (101, ipv6(6, &data)),
        (228, ip(&data)),
        (229, ipv6(6, &data)),
    ]
}

/// The fragments of one TCP segment over IPv4 and over IPv6, in Ethernet frames.
pub fn fragments() -> [Vec<Vec<u8>>; 2] {
    let segment = tcp(0x018, &[], b"fragmented payload");
    let cuts = [(0, 8), (8, 24), (24, segment.len())];
    let piece = |(from, to): (usize, usize)| (&segment[from..to], to < segment.len(), from as u16);
    let four = cuts.map(piece).map(|(bytes, more, offset)| {
        ethernet(0x0800, &ipv4_with(6, 0x63, (u16::from(more) << 13) | (offset / 8), &[], bytes))
    });
    let six = cuts.map(piece).map(|(bytes, more, offset)| {
        let payload = [&fragment_header(6, offset, more, 0x77)[..], bytes].concat();
        ethernet(0x86dd, &ipv6(44, &payload))
    });
    [four.to_vec(), six.to_vec()]
}

/// A frame that is captured whole, for [`pcap`].
pub fn whole(frame: Vec<u8>) -> (Vec<u8>, u32) {
    let length = frame.len() as u32;
    (frame, length)
}

/// A pcap file (little-endian, microseconds): each frame with its length on the wire.
pub fn pcap(link_type: u32, frames: &[(Vec<u8>, u32)]) -> Vec<u8> {
    let mut file = vec![0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    file.extend(262_144_u32.to_le_bytes());
    file.extend(link_type.to_le_bytes());
    for (index, (frame, original_length)) in frames.iter().enumerate() {
        let index = index as u32;
        for number in [1_000_000 + index, index * 7, frame.len() as u32, *original_length] {
            file.extend(number.to_le_bytes());
        }
        file.extend(frame);
    }
    file
}
