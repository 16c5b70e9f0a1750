//! Layers and segments.

use crate::prelude::*;
use crate::support::frames::tag;
use std::net::IpAddr;
use warpscope_dissector::link::Packet;

fn decode<R>(link_type: u32, bytes: &[u8], check: impl FnOnce(&Packet<'_>) -> R) -> R {
    check(&PacketDecoder::default().decode(&frame(1, link_type, bytes)))
}

/// A layer, its offset and its length.
type Place = (Layer, u32, u32);

/// The layers, and where the payload starts.
fn places(link_type: u32, bytes: &[u8]) -> (Vec<Place>, Option<u32>) {
    decode(link_type, bytes, |packet| {
        let spans = packet.layers.iter().map(|span| (span.layer, span.offset, span.length));
        assert!(packet.note.is_none(), "{:?}", packet.note);
        (spans.collect(), packet.tcp.and_then(|segment| segment.payload_offset))
    })
}

#[test]
fn a_segment_has_the_header_s_numbers() {
    let bytes = ethernet(0x0800, &ipv4(6, &tcp(0x118, &[1, 1, 1, 0], b"payload")));
    decode(ETHERNET, &bytes, |packet| {
        let segment = packet.tcp.unwrap();
        assert_eq!(segment.source.to_string(), "10.0.0.1:1000");
        assert_eq!(segment.destination.to_string(), "10.0.0.2:2000");
        assert_eq!((segment.sequence_number, segment.acknowledgment_number), (5, 9));
        assert_eq!((segment.flags.0, segment.window), (0x118, 100));
        assert!(segment.flags.ack() && !segment.flags.syn() && !segment.flags.fin());
        assert_eq!((segment.header.len(), segment.options()), (24, &[1, 1, 1, 0][..]));
        assert_eq!((segment.payload, segment.payload_length), (&b"payload"[..], 7));
        assert_eq!(segment.payload_offset, Some(58));
        assert!(packet.reassembly.is_none());
    });
}

#[test]
fn every_link_type_leads_to_the_payload() {
    for (link_type, bytes) in frames::zoo() {
        let (layers, payload) = places(link_type, &bytes);
        let mut at = 0;
        for (layer, offset, length) in &layers {
            assert_eq!(*offset, at, "{layer:?} in {layers:?}");
            at += length;
        }
        if layers.last().is_some_and(|(layer, ..)| *layer == Layer::Tcp) {
            assert_eq!(payload, Some(at));
            let rest = &bytes[at as usize..];
            assert!([&b""[..], b"payload", b"abc", b"payload\0\0\0\0\0\0"].contains(&rest));
        }
    }
}

#[test]
fn link_layers_stand_where_their_formats_say() {
    let ip = ipv4(6, &tcp(0x10, &[], b""));
    let tail = |at: u32| [(Layer::Ipv4, at, 20), (Layer::Tcp, at + 20, 20)];
    let mut tags = ip.clone();
    for next in [0x0800, 0x8100, 0x8100, 0x8100, 0x8100] {
        tags = tag(5, next, &tags);
    }
    let mut tagged = vec![(Layer::Ethernet, 0, 14)];
    tagged.extend((0..5).map(|index| (Layer::Vlan, 14 + 4 * index, 4)));
    let cases: [(u32, Vec<u8>, Vec<Place>); 8] = [
        (1, ethernet(0x0800, &ip), vec![(Layer::Ethernet, 0, 14)]),
        (1, ethernet(0x8100, &tags), tagged),
        (113, frames::cooked(0x0800, &ip), vec![(Layer::LinuxSll, 0, 16)]),
        (276, frames::cooked2(0x0800, &ip), vec![(Layer::LinuxSll2, 0, 20)]),
        (0, [&[2, 0, 0, 0][..], &ip].concat(), vec![(Layer::Null, 0, 4)]),
        (108, [&[0, 0, 0, 2][..], &ip].concat(), vec![(Layer::Loop, 0, 4)]),
        (101, ip.clone(), vec![(Layer::RawIp, 0, 0)]),
        (228, ip.clone(), vec![]),
    ];
    for (link_type, bytes, mut expected) in cases {
        let at = (bytes.len() - ip.len()) as u32;
        expected.extend(tail(at));
        assert_eq!(places(link_type, &bytes).0, expected, "link type {link_type}");
    }
}

#[test]
fn ipv6_extension_headers_are_passed() {
    let segment = tcp(0x10, &[], b"x");
    // Hop-by-hop (8 bytes), destination options (16), AH (12 + 4), fragment (whole), TCP.
    let headers = [
        &[60, 0, 1, 4, 0, 0, 0, 0][..],
        &[51, 1, 1, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        &[44, 2, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2, 9, 9, 9, 9],
        &[6, 0, 0, 0, 0, 0, 0, 1],
        &segment,
    ]
    .concat();
    assert_eq!(
        places(229, &ipv6(0, &headers)),
        (
            vec![
                (Layer::Ipv6, 0, 40),
                (Layer::Ipv6HopByHop, 40, 8),
                (Layer::Ipv6Destination, 48, 16),
                (Layer::Authentication, 64, 16),
                (Layer::Ipv6Fragment, 80, 8),
                (Layer::Tcp, 88, 20),
            ],
            Some(108)
        )
    );
}

/// A packet that is still on its way belongs to the connection with its last station.
#[test]
fn a_routing_header_names_the_destination() {
    let station = |last: u8| [0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, last];
    for (kind, segments_left, expected) in [
        (0, 2, "2001:db8::8"),
        (4, 2, "2001:db8::7"),
        (4, 0, "2001:db8::2"),
        (77, 2, "2001:db8::2"),
    ] {
        let header = [
            &[6, 4, kind, segments_left, 0, 0, 0, 0][..],
            &station(7),
            &station(8),
            &tcp(0x10, &[], b""),
        ]
        .concat();
        decode(229, &ipv6(43, &header), |packet| {
            let destination = packet.tcp.unwrap().destination.address;
            assert_eq!(destination, expected.parse::<IpAddr>().unwrap());
        });
    }
}

#[test]
fn bytes_behind_the_ip_packet_are_no_payload() {
    for ip in [ipv4(6, &tcp(0x10, &[], b"abc")), ipv6(6, &tcp(0x10, &[], b"abc"))] {
        let ether_type = if ip[0] >> 4 == 4 { 0x0800 } else { 0x86dd };
        let bytes = [ethernet(ether_type, &ip), vec![0; 17]].concat();
        decode(ETHERNET, &bytes, |packet| {
            let segment = packet.tcp.unwrap();
            assert_eq!((segment.payload, segment.payload_length), (&b"abc"[..], 3));
        });
    }
}

#[test]
fn a_length_of_0_is_left_to_the_network_card() {
    let payload = vec![7; 70_000];
    let mut four = ipv4(6, &tcp(0x10, &[], b""));
    four[2..4].fill(0);
    let mut six = ipv6(6, &tcp(0x10, &[], b""));
    six[4..6].fill(0);
    for (ether_type, ip) in [(0x0800, four), (0x86dd, six)] {
        let bytes = [ethernet(ether_type, &ip), payload.clone()].concat();
        decode(ETHERNET, &bytes, |packet| {
            let segment = packet.tcp.unwrap();
            assert_eq!((segment.payload.len(), segment.payload_length), (70_000, 70_000));
        });
        let packet_cut = cut(&bytes, ETHERNET, bytes.len() - 60_000);
        let mut decoder = PacketDecoder::default();
        let segment = decoder.decode(&packet_cut).tcp.unwrap();
        assert_eq!((segment.payload.len(), segment.payload_length), (10_000, 70_000));
    }
}

#[test]
fn headers_that_cannot_be_are_named() {
    let segment = tcp(0x10, &[], b"abc");
    let ip = ipv4(6, &segment);
    let changed = |at: usize, byte: u8| {
        let mut ip = ip.clone();
        ip[at] = byte;
        ethernet(0x0800, &ip)
    };
    let version = PacketProblem::Version { layer: Layer::Ipv4, version: 6 };
    let header = |layer, bytes| PacketProblem::HeaderLength { layer, bytes };
    let short = |layer, needed, available| PacketProblem::Short { layer, needed, available };
    for (bytes, problem, has_segment) in [
        (changed(0, 0x65), version, false),
        (changed(0, 0x44), header(Layer::Ipv4, 16), false),
        (changed(3, 19), PacketProblem::TotalLength { total: 19, header: 20 }, false),
        (changed(3, 50), PacketProblem::BeyondFrame { layer: Layer::Ipv4, bytes: 7 }, true),
        (changed(3, 39), short(Layer::Tcp, 20, 19), false),
        (changed(32, 0x40), header(Layer::Tcp, 16), false),
        (changed(32, 0xf0), short(Layer::Tcp, 60, 23), false),
        (b"short".to_vec(), short(Layer::Ethernet, 14, 5), false),
    ] {
        decode(ETHERNET, &bytes, |packet| {
            assert_eq!(packet.note, Some(problem));
            assert_eq!(packet.tcp.is_some(), has_segment);
            assert!(!problem.to_string().is_empty());
        });
    }
}

#[test]
fn too_many_layers_are_left_undecoded() {
    let mut bytes = ipv4(6, &tcp(0x10, &[], b""));
    bytes = tag(1, 0x0800, &bytes);
    for _ in 0..20 {
        bytes = tag(1, 0x8100, &bytes);
    }
    decode(ETHERNET, &ethernet(0x8100, &bytes), |packet| {
        assert_eq!(packet.note, Some(PacketProblem::TooManyLayers));
        assert_eq!(packet.layers.len(), 16);
    });
}

#[test]
fn a_snap_length_in_the_payload_leaves_its_length() {
    let bytes = ethernet(0x0800, &ipv4(6, &tcp(0x10, &[1; 12], &[7; 100])));
    let start = bytes.len() - 100;
    for length in 54..bytes.len() {
        let mut decoder = PacketDecoder::default();
        let packet = decoder.decode(&cut(&bytes, ETHERNET, length));
        let segment = packet.tcp.unwrap();
        assert_eq!(segment.payload_length, 100, "cut at {length}");
        assert_eq!(segment.payload.len(), length.saturating_sub(start));
        assert_eq!(segment.payload_offset, Some(start as u32));
        // Options may be cut, too.
        assert_eq!(segment.header.len(), 32.min(length - 34));
        let expected = (length < start).then_some(PacketProblem::Cut {
            layer: Layer::Tcp,
            needed: 32,
            available: length as u32 - 34,
        });
        assert_eq!(packet.note, expected);
    }
}
