//! Cuts at every byte, and bytes at random.

use super::trees::tree;
use crate::prelude::*;

/// The link types that are decoded, and one that is not.
const LINK_TYPES: [u32; 11] = [0, 1, 12, 14, 101, 108, 113, 228, 229, 276, 147];

/// Decodes and shows a frame; what must hold for every one is checked.
fn check(decoder: &mut PacketDecoder, frame: &Frame<'_>) {
    let packet = decoder.decode(frame);
    if let Some(segment) = packet.tcp {
        assert!(segment.payload.len() <= segment.payload_length as usize);
        assert!(segment.header.len() >= 20);
        if let Some(offset) = segment.payload_offset
            && !segment.payload.is_empty()
        {
            let offset = offset as usize;
            assert_eq!(&frame.bytes[offset..offset + segment.payload.len()], segment.payload);
        }
    }
    for span in packet.layers.iter().filter(|span| !span.reassembled) {
        assert!((span.offset + span.length) as usize <= frame.bytes.len());
    }
    tree(frame, Some(&TcpContext::default()));
}

#[test]
fn frames_cut_at_every_byte() {
    let mut decoder = PacketDecoder::default();
    for (link_type, bytes) in frames::zoo() {
        for length in 0..=bytes.len() {
            // By the snap length, and as if the wire had carried no more.
            check(&mut decoder, &cut(&bytes, link_type, length));
            check(&mut decoder, &frame(1, link_type, &bytes[..length]));
        }
    }
    for bytes in frames::fragments().concat() {
        for length in 0..=bytes.len() {
            check(&mut decoder, &cut(&bytes, ETHERNET, length));
            check(&mut decoder, &frame(1, ETHERNET, &bytes[..length]));
        }
    }
}

#[test]
fn an_original_length_below_the_captured_one_does_no_harm() {
    for (link_type, bytes) in frames::zoo() {
        let odd = Frame { original_length: 3, ..frame(1, link_type, &bytes) };
        check(&mut PacketDecoder::default(), &odd);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn random_bytes(
        link_type in prop::sample::select(&LINK_TYPES[..]),
        bytes in proptest::collection::vec(any::<u8>(), 0..200),
        original_length in any::<u32>(),
    ) {
        let frame = Frame { original_length, ..frame(1, link_type, &bytes) };
        check(&mut PacketDecoder::default(), &frame);
    }

    #[test]
    fn frames_with_random_changes(
        changes in proptest::collection::vec(
            (any::<prop::sample::Index>(), any::<prop::sample::Index>(), any::<u8>()), 1..20),
    ) {
        let mut zoo = frames::zoo();
        zoo.extend(frames::fragments().concat().into_iter().map(|bytes| (ETHERNET, bytes)));
        for (which, place, byte) in changes {
            let which = which.index(zoo.len());
            let (_, bytes) = &mut zoo[which];
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        let mut decoder = PacketDecoder::default();
        for (number, (link_type, bytes)) in zoo.iter().enumerate() {
            check(&mut decoder, &frame(number as u64, *link_type, bytes));
        }
    }

    /// Another decoder finds the same segment in an Ethernet frame.
    #[test]
    fn another_decoder_agrees(
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        end in any::<prop::sample::Index>(),
    ) {
        for (_, bytes) in frames::zoo().iter().filter(|(link_type, _)| *link_type == ETHERNET) {
            let mut bytes = bytes.clone();
            for (place, byte) in &changes {
                // Addresses, ports, numbers: what does not change the layers.
                let place = place.index(bytes.len());
                if !(12..54).contains(&place) {
                    bytes[place] = *byte;
                }
            }
            let length = bytes.len() - end.index(bytes.len().min(8));
            let frame = cut(&bytes, ETHERNET, length);
            let mut decoder = PacketDecoder::default();
            let packet = decoder.decode(&frame);
            let Ok(theirs) = etherparse::LaxSlicedPacket::from_ethernet(frame.bytes) else {
                continue;
            };
            let (Some(etherparse::TransportSlice::Tcp(theirs)), Some(ours)) =
                (theirs.transport, packet.tcp)
            else {
                continue;
            };
            // It stops at the fourth tag and at an IP packet within another.
            let tags = packet.layers.iter().filter(|span| span.layer == Layer::Vlan).count();
            let ips = [Layer::Ipv4, Layer::Ipv6];
            let nested = packet.layers.iter().filter(|span| ips.contains(&span.layer)).count() > 1;
            if tags > 3 || nested || packet.note.is_some() {
                continue;
            }
            prop_assert_eq!(theirs.source_port(), ours.source.port);
            prop_assert_eq!(theirs.destination_port(), ours.destination.port);
            prop_assert_eq!(theirs.sequence_number(), ours.sequence_number);
            prop_assert_eq!(theirs.window_size(), ours.window);
            prop_assert_eq!(theirs.options(), ours.options());
            prop_assert_eq!(theirs.payload(), ours.payload);
        }
    }

    /// Fragments at random: every datagram that becomes whole has the bytes of its fragments.
    #[test]
    fn random_fragments(
        pieces in proptest::collection::vec((0..12_u16, 1..5_usize, any::<bool>()), 1..40),
    ) {
        let segment = frames::tcp(0x018, &[], &[0x5a; 108]);
        let mut decoder = PacketDecoder::default();
        for (number, (at, length, last)) in pieces.into_iter().enumerate() {
            let start = usize::from(at) * 8;
            let end = if last { segment.len() } else { (start + length * 8).min(segment.len()) };
            let fragmentation = u16::from(end < segment.len()) << 13 | at;
            let packet = frames::ipv4_with(6, 1, fragmentation, &[], &segment[start..end]);
            let bytes = frames::ethernet(0x0800, &packet);
            let packet = decoder.decode(&frame(number as u64, ETHERNET, &bytes));
            if let Some(whole) = packet.reassembly {
                prop_assert_eq!(whole.bytes, &segment);
            }
        }
    }
}
