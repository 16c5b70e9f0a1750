use super::*;
use crate::bug::Bug;
use crate::violation::Violation;
use proptest::prelude::*;

/// RFC 5044 section 4.5: its formulas, computed by hand for an EMSS of 1460, 1448 and 8960.
#[test]
fn the_longest_ulpdu_follows_the_segment() {
    assert_eq!(mulpdu(1460, false), 1454);
    assert_eq!(mulpdu(1460, true), 1442);
    assert_eq!(mulpdu(1447, false), 1438);
    assert_eq!(mulpdu(8960, true), 8882);
    assert_eq!(mulpdu(65535, false), 64768);
    assert_eq!(mulpdu(100, true), 128);
}

#[test]
fn the_longest_ulpdu_fits_wherever_markers_fall() {
    for emss in [536, 1024, 1448, 1460, 4000, 8960] {
        for position in (0..1024).step_by(4) {
            let length =
                warpscope_wire::mpa::fpdu_length_with_markers(position, mulpdu(emss, true));
            assert!(length <= emss, "{length} bytes at {position} for {emss}");
        }
    }
}

/// An FPDU with 9998 bytes of ULPDU has 10004; with markers at the start of the stream, and every 512 bytes, 10084.
#[test]
fn a_read_ends_where_the_next_fpdus_should() {
    for (markers, length) in [(false, 10_004), (true, 10_084)] {
        let stream = framed(&[vec![7; 9998], vec![7; 9998]], markers, true);
        assert_eq!(stream.len(), 2 * length, "their markers are as many");
        let mut receiver = Receiver::new(markers, true);
        assert_eq!(receiver.read_length(25_000), 25_000, "no FPDU has come");
        assert!(receiver.ulpdu(&mut &stream[..length]).unwrap().is_some());
        assert_eq!(receiver.read_length(9000), 9000, "no FPDU fits");
        assert_eq!(receiver.read_length(length), length);
        assert_eq!(receiver.read_length(19_999), length);
        assert!(receiver.ulpdu(&mut &stream[length..length + 3]).unwrap().is_none());
        assert_eq!(receiver.read_length(9000), 9000);
        assert_eq!(receiver.read_length(length - 3), length - 3);
        assert_eq!(receiver.read_length(19_999), length - 3);
        assert!(receiver.ulpdu(&mut &stream[length + 3..]).unwrap().is_some());
        assert_eq!(receiver.read_length(19_999), length);
    }
    let mut receiver = Receiver::new(false, true);
    assert!(receiver.ulpdu(&mut &*framed(&[vec![7; 1438]], false, true)).unwrap().is_some());
    assert_eq!(receiver.read_length(25_000), 25_000, "it is short");
}

fn framed(ulpdus: &[Vec<u8>], markers: bool, crc: bool) -> Vec<u8> {
    let mut transmitter = Transmitter::new(markers, crc);
    let mut stream = Vec::new();
    for ulpdu in ulpdus {
        let due = stream.len() + transmitter.stream_length(ulpdu.len() as u16);
        transmitter.frame(&[ulpdu], &mut stream).unwrap();
        assert_eq!(stream.len(), due);
    }
    stream
}

proptest! {
    #[test]
    fn any_cut_of_the_stream_gives_the_same_ulpdus(
        ulpdus in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..1200), 1..6),
        markers: bool,
        crc: bool,
        cut in 1_usize..700,
    ) {
        let stream = framed(&ulpdus, markers, crc);
        let mut receiver = Receiver::new(markers, crc);
        let mut found = Vec::new();
        for piece in stream.chunks(cut) {
            let mut rest = piece;
            while let Some(ulpdu) = receiver.ulpdu(&mut rest).unwrap() {
                found.push(ulpdu.to_vec());
            }
            prop_assert!(rest.is_empty());
        }
        prop_assert!(receiver.between_fpdus());
        prop_assert_eq!(found, ulpdus);
    }

    /// The way of framing that bugs take is the strict one, but for them.
    #[test]
    fn a_bug_of_another_layer_frames_as_none(
        ulpdus in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..1200), 1..6),
        markers: bool,
        crc: bool,
    ) {
        let bugs = Bug::TerminateNotSent.into();
        let mut transmitter = Transmitter::new(markers, crc).with_bugs(bugs);
        let mut stream = Vec::new();
        for ulpdu in &ulpdus {
            transmitter.frame(&[ulpdu], &mut stream).unwrap();
        }
        prop_assert_eq!(stream, framed(&ulpdus, markers, crc));
    }

    /// RFC 5044 section 4.4: every byte but the CRC field itself is covered.
    #[test]
    fn a_changed_byte_is_noticed(markers: bool, at in 2_usize..600, bit in 0_u32..8) {
        let mut stream = framed(&[vec![7; 580]], markers, true);
        // The length field decides where the FPDU ends, and is left alone.
        let at = if markers { at + 4 } else { at };
        let at = at.min(stream.len() - 1);
        stream[at] ^= 1 << bit;
        let mut receiver = Receiver::new(markers, true);
        prop_assert_eq!(receiver.ulpdu(&mut &stream[..]), Err(Violation::Crc));
    }
}

/// RFC 5044 section 8 code 3: found only where the CRC is right.
#[test]
fn a_marker_that_points_elsewhere_is_noticed() {
    let mut stream = framed(&[vec![7; 600]], true, true);
    stream[515] ^= 4;
    let covered = stream.len() - 4;
    let crc = warpscope_wire::crc::crc32c(&stream[..covered]);
    stream[covered..].copy_from_slice(&warpscope_wire::crc::field_bytes(crc));
    let mut receiver = Receiver::new(true, true);
    assert_eq!(receiver.ulpdu(&mut &stream[..]), Err(Violation::MarkerPosition));
}

/// RFC 5044 section 7.1.1: without CRCs the field is valid whatever it holds.
#[test]
fn a_crc_that_is_not_in_use_is_not_checked() {
    let mut stream = framed(&[vec![7; 20]], false, true);
    *stream.last_mut().unwrap() ^= 0xff;
    let mut receiver = Receiver::new(false, false);
    assert_eq!(receiver.ulpdu(&mut &stream[..]), Ok(Some(&[7; 20][..])));
}
