//! Fragments.

use crate::prelude::*;
use crate::support::frames::{fragment_header, ipv4_with};

/// Every order of three things.
const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

#[test]
fn fragments_are_put_together_in_every_order() {
    let segment = tcp(0x018, &[], b"fragmented payload");
    for fragments in frames::fragments() {
        for order in ORDERS {
            let mut decoder = PacketDecoder::default();
            for (number, index) in order.iter().enumerate() {
                let bytes = &fragments[*index];
                let packet = decoder.decode(&frame(number as u64 + 1, ETHERNET, bytes));
                assert!(packet.note.is_none());
                if number < 2 {
                    assert!(packet.tcp.is_none() && packet.reassembly.is_none());
                    assert_eq!(packet.layers.last().unwrap().layer, Layer::Data);
                    continue;
                }
                let whole = packet.reassembly.unwrap();
                assert_eq!(whole.bytes, segment);
                let places: Vec<_> =
                    whole.fragments.iter().map(|one| (one.offset, one.length)).collect();
                assert_eq!(places, [(0, 8), (8, 16), (24, segment.len() as u32 - 24)]);
                let numbers = whole.fragments.iter().map(|one| one.frame as usize - 1);
                assert!(numbers.enumerate().all(|(index, number)| order[number] == index));
                let tcp = packet.tcp.unwrap();
                assert_eq!(tcp.payload, b"fragmented payload");
                assert_eq!((tcp.payload_length, tcp.payload_offset), (18, None));
                let span = packet.layer(Layer::Tcp).unwrap();
                assert!(span.reassembled && span.offset == 0 && span.length == 20);
            }
        }
    }
}

fn four(identification: u16, offset: u16, more: bool, payload: &[u8]) -> Vec<u8> {
    let fragmentation = (u16::from(more) << 13) | (offset / 8);
    ethernet(0x0800, &ipv4_with(6, identification, fragmentation, &[], payload))
}

#[test]
fn where_fragments_overlap_the_first_stay() {
    let mut decoder = PacketDecoder::default();
    let header = tcp(0x018, &[], b"");
    let steps = [
        four(1, 24, true, &[b'b'; 16]),
        four(1, 16, true, &[&header[16..], &[b'c'; 28]].concat()),
        four(1, 24, true, &[b'd'; 16]),
        four(1, 48, false, b"end"),
    ];
    for (number, bytes) in steps.iter().enumerate() {
        assert!(decoder.decode(&frame(number as u64, ETHERNET, bytes)).tcp.is_none());
    }
    let last = four(1, 0, true, &header[..16]);
    let packet = decoder.decode(&frame(9, ETHERNET, &last));
    let expected = [&[b'c'; 4][..], &[b'b'; 16], &[b'c'; 8], b"end"].concat();
    assert_eq!(packet.tcp.unwrap().payload, expected);
}

#[test]
fn fragments_that_cannot_be_are_left_out() {
    let mut decoder = PacketDecoder::default();
    for (number, (bytes, fits)) in [
        (four(1, 64, false, b"end"), true),
        // After the end, another end, not a multiple of 8, nothing, beyond 65,535 bytes.
        (four(1, 72, true, &[0; 8]), false),
        (four(1, 56, false, &[0; 8]), false),
        (four(1, 0, true, &[0; 9]), false),
        (four(1, 0, true, b""), false),
        (four(2, 0xfff8, false, &[0; 100]), false),
    ]
    .iter()
    .enumerate()
    {
        let packet = decoder.decode(&frame(number as u64, ETHERNET, bytes));
        let expected = (!fits).then_some(PacketProblem::FragmentMisfit);
        assert_eq!(packet.note, expected, "{number}");
    }
}

#[test]
fn a_fragment_that_was_cut_is_named() {
    let bytes = four(1, 0, true, &[7; 64]);
    let short = super::cut(&bytes, ETHERNET, 60);
    let mut decoder = PacketDecoder::default();
    assert_eq!(decoder.decode(&short).note, Some(PacketProblem::FragmentCut));
}

/// Datagrams that never become whole give way, and an identification may come again.
#[test]
fn fragments_cost_bounded_memory() {
    let mut decoder = PacketDecoder::default();
    let segment = tcp(0x018, &[], &[7; 76]);
    for number in 0..10_000_u16 {
        decoder.decode(&frame(number.into(), ETHERNET, &four(number, 8, true, &[0; 1024])));
    }
    assert_eq!(format!("{decoder:?}"), "PacketDecoder { datagrams_waiting: 128 }");
    // The first fragment of an old datagram with the same identification is forgotten.
    decoder.decode(&frame(10_001, ETHERNET, &four(60_000, 0, true, &[9; 48])));
    let later = 10_001 + 20_001;
    decoder.decode(&frame(later, ETHERNET, &four(60_000, 48, false, &segment[48..])));
    let first = four(60_000, 0, true, &segment[..48]);
    let packet = decoder.decode(&frame(later + 1, ETHERNET, &first));
    assert_eq!(packet.tcp.unwrap().payload, &[7; 76]);
}

#[test]
fn the_same_identification_between_others_is_another_datagram() {
    let segment = tcp(0x018, &[], b"abc");
    let mut decoder = PacketDecoder::default();
    let piece = |identification, offset: usize, more: bool| {
        let bytes = if more { &segment[..16] } else { &segment[16..] };
        let header = fragment_header(6, offset as u16, more, identification);
        ethernet(0x86dd, &ipv6(44, &[&header[..], bytes].concat()))
    };
    assert!(decoder.decode(&frame(1, ETHERNET, &piece(1, 0, true))).tcp.is_none());
    assert!(decoder.decode(&frame(2, ETHERNET, &piece(2, 16, false))).tcp.is_none());
    assert!(decoder.decode(&frame(3, ETHERNET, &piece(1, 16, false))).tcp.is_some());
    assert!(decoder.decode(&frame(4, ETHERNET, &piece(2, 0, true))).tcp.is_some());
}
