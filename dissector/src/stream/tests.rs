//! Reassembly: order, overlap, wrap, holes, snapshot lengths.

use super::{Chunk, DataSegment, GapReason, Reassembler, SegmentDisposition, Sent};

#[derive(Default)]
struct Stream {
    reassembler: Reassembler,
    /// What was delivered: the bytes, and for a gap its length and reason in brackets.
    out: Vec<u8>,
    frame: u64,
    /// The TCP timestamp of the next segment.
    timestamp: Option<u32>,
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
        let segment = DataSegment {
            sequence_number: sequence,
            frame: self.frame,
            payload: bytes,
            wire_length: wire,
            ..DataSegment::default()
        };
        self.reassembler.segment(&segment, None, &mut |chunk| Self::take(out, chunk))
    }

    /// Takes a segment; how many bytes of it came before, and for how many it waits.
    fn segment(&mut self, sequence: u32, bytes: &[u8]) -> (u32, u64) {
        let SegmentDisposition { repeated, waiting_for, .. } =
            self.cut_segment(sequence, bytes, bytes.len() as u32);
        (repeated, waiting_for)
    }

    /// Takes a segment that was sent at some time.
    fn timed(&mut self, time: i64, sequence_number: u32, payload: &[u8]) -> SegmentDisposition {
        let sent = Sent { time: Some(time), acknowledgment: None };
        let wire_length = payload.len() as u32;
        let segment = DataSegment {
            sequence_number,
            sent,
            payload,
            wire_length,
            frame: 1,
            timestamp: self.timestamp,
        };
        self.reassembler.segment(&segment, None, &mut |_| {})
    }

    fn acknowledge(&mut self, number: u32) {
        let out = &mut self.out;
        if self.reassembler.acknowledged(number) {
            self.reassembler.give_up_lost(None, &mut |chunk| Self::take(out, chunk));
        }
    }

    #[track_caller]
    fn has_delivered(&self, expected: &str) {
        assert_eq!(String::from_utf8_lossy(&self.out), expected);
    }
}

#[test]
fn a_hole_is_what_is_missing_before_the_first_that_waits() {
    let mut stream = Stream::beginning_at(0);
    let mut hole = |time, sequence, bytes| {
        stream.timed(time, sequence, bytes);
        stream.reassembler.hole()
    };
    assert_eq!(hole(1, 0, b"ab"), None);
    assert_eq!(hole(2, 9, b"jk"), Some((7, 2)));
    assert_eq!(hole(3, 4, b"ef"), Some((2, 2)));
    // The first hole is filled, and the second is still there.
    assert_eq!(hole(4, 2, b"cd"), Some((3, 4)));
    assert_eq!(hole(5, 6, b"gh"), Some((1, 4)));
    assert_eq!(hole(6, 8, b"i"), None);
}

#[test]
fn what_came_late_says_how_long_later_bytes_waited() {
    let mut stream = Stream::beginning_at(0);
    let mut stalled =
        |time: i64, sequence, bytes: &[u8]| stream.timed(time, sequence, bytes).stalled;
    assert_eq!(stalled(10, 0, b"ab"), 0);
    assert_eq!(stalled(20, 8, b"ij"), 0);
    assert_eq!(stalled(30, 4, b"ef"), 0);
    // Bytes that came before end no wait; what is missing ends it, and the next begins where another hole is left.
    assert_eq!(stalled(40, 0, b"ab"), 0);
    assert_eq!(stalled(70, 2, b"cd"), 50);
    assert_eq!(stalled(90, 6, b"gh"), 20);
    // What comes in two pieces is one wait.
    assert_eq!(stalled(95, 14, b"op"), 0);
    assert_eq!(stalled(96, 10, b"kl"), 0);
    assert_eq!(stalled(99, 12, b"mn"), 4);
}

#[test]
fn what_was_sent_before_what_waited_was_overtaken() {
    // The timestamps of what waits and of what it waits for; the sender's clock wraps.
    for (waiting, late, overtaken) in [
        (Some(7), Some(7), true),
        (Some(7), Some(6), true),
        (Some(2), Some(u32::MAX), true),
        (Some(7), Some(8), false),
        (Some(u32::MAX), Some(1), false),
        (None, Some(1), false),
        (Some(1), None, false),
    ] {
        let mut stream = Stream::beginning_at(0);
        stream.timestamp = waiting;
        assert!(!stream.timed(10, 2, b"cd").overtaken);
        stream.timestamp = late;
        let disposition = stream.timed(30, 0, b"ab");
        assert_eq!((disposition.stalled, disposition.overtaken), (20, overtaken), "{late:?}");
    }
}

/// Sequence number and bytes of a segment, how many came before, and for how many it waits.
type Row = (u32, &'static str, (u32, u64));

#[test]
fn segments_come_in_any_order_again_and_over_the_wrap() {
    const LAST: u32 = u32::MAX - 1;
    let cases: [(Option<u32>, &[Row], &str); 6] = [
        (Some(LAST), &[(LAST, "abc", (0, 0)), (1, "def", (0, 0))], "abcdef"),
        (Some(LAST), &[(1, "def", (0, 3)), (LAST, "abc", (0, 0))], "abcdef"),
        // Sent again, and overlapping.
        (
            None,
            &[(10, "abcd", (0, 0)), (10, "abcd", (4, 0)), (12, "cdef", (2, 0)), (9, "_", (1, 0))],
            "abcdef",
        ),
        // What waits and comes again has come before.
        (
            Some(0),
            &[(4, "ef", (0, 4)), (4, "ef", (2, 4)), (4, "efgh", (2, 4)), (0, "abcd", (0, 0))],
            "abcdefgh",
        ),
        // What waits overlaps, and what comes then is not all there.
        (
            Some(0),
            &[(6, "ghij", (0, 6)), (4, "efgh", (2, 4)), (7, "hijk", (3, 7)), (0, "abcd", (0, 0))],
            "abcdefghijk",
        ),
        // A jump of more than a window.
        (None, &[(0, "a", (0, 0)), (3_000_000_000, "b", (0, 0))], "a[2999999999 NotCaptured]b"),
    ];
    for (begin, segments, expected) in cases {
        let mut stream = begin.map_or_else(Stream::default, Stream::beginning_at);
        for (sequence, bytes, due) in segments {
            assert_eq!(stream.segment(*sequence, bytes.as_bytes()), *due, "{expected}: {bytes}");
        }
        stream.has_delivered(expected);
        assert_eq!(stream.reassembler.pending_bytes(), 0);
        let length = if expected.contains('[') { 3_000_000_001 } else { expected.len() as u64 };
        assert_eq!(stream.reassembler.next_offset(), length);
    }
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

/// A segment waits for what its sender had received of the other direction.
#[test]
fn a_segment_follows_what_it_acknowledges() {
    let mut out = Vec::new();
    let mut reassembler = Reassembler::default();
    let sent = Sent { time: None, acknowledgment: Some(1010) };
    let segment = DataSegment {
        sequence_number: 1,
        frame: 5,
        sent,
        payload: b"abc",
        wire_length: 3,
        timestamp: None,
    };
    reassembler.segment(&segment, Some(1000), &mut |chunk| Stream::take(&mut out, chunk));
    assert_eq!(reassembler.held(), Some((5, 1010)));
    reassembler.drain(Some(1005), &mut |chunk| Stream::take(&mut out, chunk));
    assert!(out.is_empty());
    reassembler.drain(Some(1010), &mut |chunk| Stream::take(&mut out, chunk));
    assert_eq!(out, b"abc");
    // What is missing and was acknowledged is given up as far as it was.
    reassembler.give_up_to(8, &mut |chunk| Stream::take(&mut out, chunk));
    assert_eq!(out, b"abc[4 NotCaptured]");
    assert_eq!(reassembler.next_sequence(), Some(8));
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
