//! Reassembly: order, overlap, wrap, holes, snapshot lengths.

use super::{Chunk, GapReason, Reassembler, SegmentDisposition};

#[derive(Default)]
struct Stream {
    reassembler: Reassembler,
    /// What was delivered: the bytes, and for a gap its length and reason in brackets.
    out: Vec<u8>,
    frame: u64,
}

impl Stream {
    fn beginning_at(sequence: u32) -> Self {
        let mut stream = Self::default();
        stream.reassembler.begin(sequence);
        stream
    }

    fn take(out: &mut Vec<u8>, chunk: Chunk<'_>) {
        match chunk {
            Chunk::Data { bytes, .. } => out.extend(bytes),
            Chunk::Gap { length, reason, .. } => {
                out.extend(format!("[{length} {reason:?}]").bytes())
            }
        }
    }

    fn cut_segment(&mut self, sequence: u32, bytes: &[u8], wire: u32) -> SegmentDisposition {
        self.frame += 1;
        let out = &mut self.out;
        self.reassembler
            .segment(sequence, self.frame, bytes, wire, &mut |chunk| Self::take(out, chunk))
    }

    /// Takes a segment; how many bytes of it came before, and for how many it waits.
    fn segment(&mut self, sequence: u32, bytes: &[u8]) -> (u32, u64) {
        let SegmentDisposition { repeated, waiting_for } =
            self.cut_segment(sequence, bytes, bytes.len() as u32);
        (repeated, waiting_for)
    }

    fn acknowledge(&mut self, number: u32) {
        let out = &mut self.out;
        self.reassembler.acknowledged(number, &mut |chunk| Self::take(out, chunk));
    }

    #[track_caller]
    fn has_delivered(&self, expected: &str) {
        assert_eq!(String::from_utf8_lossy(&self.out), expected);
    }
}

#[test]
fn over_the_wrap() {
    let mut stream = Stream::beginning_at(u32::MAX - 1);
    stream.segment(u32::MAX - 1, b"abc");
    stream.segment(1, b"def");
    stream.has_delivered("abcdef");
    assert_eq!(stream.reassembler.next_offset(), 6);
    // Out of order too.
    let mut stream = Stream::beginning_at(u32::MAX - 1);
    assert_eq!(stream.segment(1, b"def"), (0, 3));
    stream.has_delivered("");
    stream.segment(u32::MAX - 1, b"abc");
    stream.has_delivered("abcdef");
    assert_eq!(stream.reassembler.pending_bytes(), 0);
}

#[test]
fn retransmission_and_overlap() {
    let mut stream = Stream::default();
    stream.segment(10, b"abcd");
    assert_eq!(stream.segment(10, b"abcd"), (4, 0));
    assert_eq!(stream.segment(12, b"cdef"), (2, 0));
    assert_eq!(stream.segment(9, b"_"), (1, 0));
    stream.has_delivered("abcdef");
}

#[test]
fn a_waiting_segment_repeated_counts_as_repeated() {
    let mut stream = Stream::beginning_at(0);
    stream.segment(4, b"ef");
    assert_eq!(stream.segment(4, b"ef").0, 2);
    assert_eq!(stream.segment(4, b"efgh").0, 2);
    stream.segment(0, b"abcd");
    stream.has_delivered("abcdefgh");
}

#[test]
fn an_acknowledged_hole_is_the_captures_loss() {
    let mut stream = Stream::default();
    stream.segment(0, b"ab");
    stream.segment(5, b"fg");
    for _ in 0..100 {
        stream.acknowledge(2);
    }
    // Not acknowledged: it can still come.
    stream.has_delivered("ab");
    for _ in 0..=super::PATIENCE {
        stream.acknowledge(7);
    }
    stream.has_delivered("ab[3 NotCaptured]fg");
}

#[test]
fn a_late_retransmission_fills_the_hole() {
    let mut stream = Stream::default();
    stream.segment(0, b"ab");
    stream.segment(5, b"fg");
    stream.acknowledge(7);
    stream.segment(2, b"cde");
    stream.has_delivered("abcdefg");
}

#[test]
fn the_snapshot_length_leaves_gaps() {
    let mut stream = Stream::default();
    stream.cut_segment(0, b"ab", 5);
    stream.segment(5, b"f");
    stream.has_delivered("ab[3 SnapLength]f");
}

#[test]
fn the_end_gives_up_every_hole() {
    let mut stream = Stream::beginning_at(0);
    stream.segment(2, b"c");
    stream.segment(9, b"j");
    let out = &mut stream.out;
    stream.reassembler.finish(GapReason::NotCaptured, &mut |chunk| Stream::take(out, chunk));
    stream.has_delivered("[2 NotCaptured]c[6 NotCaptured]j");
}

#[test]
fn a_jump_of_more_than_a_window_is_a_gap() {
    let mut stream = Stream::default();
    stream.segment(0, b"a");
    stream.segment(3_000_000_000, b"b");
    stream.has_delivered("a[2999999999 NotCaptured]b");
}

proptest::proptest! {
    /// Whatever the order and the overlaps, the stream comes out once and in order.
    #[test]
    fn any_order_gives_the_same_stream(
        start: u32,
        cuts in proptest::collection::vec((0usize..200, 1usize..60), 1..80),
    ) {
        let bytes: Vec<u8> = (0..256u16).map(|index| index as u8).collect();
        let mut stream = Stream::beginning_at(start);
        for (from, length) in &cuts {
            let to = (from + length).min(bytes.len());
            stream.segment(start.wrapping_add(*from as u32), &bytes[*from..to]);
        }
        stream.segment(start, &bytes);
        proptest::prop_assert_eq!(stream.out, bytes);
        proptest::prop_assert_eq!(stream.reassembler.pending_bytes(), 0);
    }
}
