//! Reassembly: order, overlap, wrap, holes, snapshot lengths.

use super::{Chunk, GapReason, Reassembler, SegmentDisposition};

/// Delivered chunks, flattened: bytes, or a gap as (length, reason).
#[derive(Debug, PartialEq)]
enum Part {
    Bytes(Vec<u8>),
    Gap(u64, GapReason),
}

#[derive(Default)]
struct Stream {
    reassembler: Reassembler,
    parts: Vec<Part>,
    frame: u64,
}

impl Stream {
    fn take(parts: &mut Vec<Part>, chunk: Chunk<'_>) {
        match (chunk, parts.last_mut()) {
            (Chunk::Data { bytes, .. }, Some(Part::Bytes(last))) => {
                last.extend_from_slice(bytes);
            }
            (Chunk::Data { bytes, .. }, _) => parts.push(Part::Bytes(bytes.to_vec())),
            (Chunk::Gap { length, reason, .. }, _) => parts.push(Part::Gap(length, reason)),
        }
    }

    fn cut_segment(&mut self, sequence: u32, bytes: &[u8], wire: u32) -> SegmentDisposition {
        self.frame += 1;
        let parts = &mut self.parts;
        self.reassembler
            .segment(sequence, self.frame, bytes, wire, &mut |chunk| Self::take(parts, chunk))
    }

    fn segment(&mut self, sequence: u32, bytes: &[u8]) -> SegmentDisposition {
        self.cut_segment(sequence, bytes, bytes.len() as u32)
    }

    fn acknowledge(&mut self, number: u32) {
        let parts = &mut self.parts;
        self.reassembler.acknowledged(number, &mut |chunk| Self::take(parts, chunk));
    }
}

#[test]
fn in_order_over_the_wrap() {
    let mut stream = Stream::default();
    stream.reassembler.begin(u32::MAX - 1);
    stream.segment(u32::MAX - 1, b"abc");
    stream.segment(1, b"def");
    assert_eq!(stream.parts, [Part::Bytes(b"abcdef".to_vec())]);
    assert_eq!(stream.reassembler.next_offset(), 6);
}

#[test]
fn out_of_order_over_the_wrap() {
    let mut stream = Stream::default();
    stream.reassembler.begin(u32::MAX - 1);
    assert_eq!(stream.segment(1, b"def"), SegmentDisposition { repeated: 0, waiting_for: 3 });
    assert_eq!(stream.parts, []);
    stream.segment(u32::MAX - 1, b"abc");
    assert_eq!(stream.parts, [Part::Bytes(b"abcdef".to_vec())]);
    assert_eq!(stream.reassembler.pending_bytes(), 0);
}

#[test]
fn retransmission_and_overlap() {
    let mut stream = Stream::default();
    stream.segment(10, b"abcd");
    assert_eq!(stream.segment(10, b"abcd"), SegmentDisposition { repeated: 4, waiting_for: 0 });
    assert_eq!(stream.segment(12, b"cdef"), SegmentDisposition { repeated: 2, waiting_for: 0 });
    assert_eq!(stream.segment(9, b"_"), SegmentDisposition { repeated: 1, waiting_for: 0 });
    assert_eq!(stream.parts, [Part::Bytes(b"abcdef".to_vec())]);
}

#[test]
fn a_waiting_segment_repeated_counts_as_repeated() {
    let mut stream = Stream::default();
    stream.reassembler.begin(0);
    stream.segment(4, b"ef");
    assert_eq!(stream.segment(4, b"ef").repeated, 2);
    assert_eq!(stream.segment(4, b"efgh").repeated, 2);
    stream.segment(0, b"abcd");
    assert_eq!(stream.parts, [Part::Bytes(b"abcdefgh".to_vec())]);
}

#[test]
fn an_acknowledged_hole_is_the_captures_loss() {
    let mut stream = Stream::default();
    stream.segment(0, b"ab");
    stream.segment(5, b"fg");
    for _ in 0..100 {
        stream.acknowledge(2);
    }
    assert_eq!(stream.parts, [Part::Bytes(b"ab".to_vec())], "not acknowledged: can still come");
    for _ in 0..=super::PATIENCE {
        stream.acknowledge(7);
    }
    assert_eq!(
        stream.parts,
        [
            Part::Bytes(b"ab".to_vec()),
            Part::Gap(3, GapReason::NotCaptured),
            Part::Bytes(b"fg".to_vec())
        ]
    );
}

#[test]
fn a_late_retransmission_fills_the_hole() {
    let mut stream = Stream::default();
    stream.segment(0, b"ab");
    stream.segment(5, b"fg");
    stream.acknowledge(7);
    stream.segment(2, b"cde");
    assert_eq!(stream.parts, [Part::Bytes(b"abcdefg".to_vec())]);
}

#[test]
fn the_snapshot_length_leaves_gaps() {
    let mut stream = Stream::default();
    stream.cut_segment(0, b"ab", 5);
    stream.segment(5, b"f");
    assert_eq!(
        stream.parts,
        [
            Part::Bytes(b"ab".to_vec()),
            Part::Gap(3, GapReason::SnapLength),
            Part::Bytes(b"f".to_vec())
        ]
    );
}

#[test]
fn the_end_gives_up_every_hole() {
    let mut stream = Stream::default();
    stream.reassembler.begin(0);
    stream.segment(2, b"c");
    stream.segment(9, b"j");
    let parts = &mut stream.parts;
    stream.reassembler.finish(GapReason::NotCaptured, &mut |chunk| Stream::take(parts, chunk));
    let gap = |length| Part::Gap(length, GapReason::NotCaptured);
    assert_eq!(
        stream.parts,
        [gap(2), Part::Bytes(b"c".to_vec()), gap(6), Part::Bytes(b"j".to_vec())]
    );
}

#[test]
fn a_jump_of_more_than_a_window_is_a_gap() {
    let mut stream = Stream::default();
    stream.segment(0, b"a");
    stream.segment(3_000_000_000, b"b");
    assert_eq!(stream.parts[1], Part::Gap(2_999_999_999, GapReason::NotCaptured));
    assert_eq!(stream.parts[2], Part::Bytes(b"b".to_vec()));
}

proptest::proptest! {
    /// Whatever the order and the overlaps, the stream comes out once and in order.
    #[test]
    fn any_order_gives_the_same_stream(
        start: u32,
        cuts in proptest::collection::vec((0usize..200, 1usize..60), 1..80),
    ) {
        let bytes: Vec<u8> = (0..256u16).map(|index| index as u8).collect();
        let mut stream = Stream::default();
        stream.reassembler.begin(start);
        for (from, length) in &cuts {
            let to = (from + length).min(bytes.len());
            stream.segment(start.wrapping_add(*from as u32), &bytes[*from..to]);
        }
        stream.segment(start, &bytes);
        proptest::prop_assert_eq!(stream.parts, vec![Part::Bytes(bytes)]);
        proptest::prop_assert_eq!(stream.reassembler.pending_bytes(), 0);
    }
}
