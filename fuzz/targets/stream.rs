//! TCP streams: the same bytes, cut, reordered and repeated, come out as they went in; where some are
//! lost, what comes out is the same with a gap in its place.
#![no_main]

use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;
use warpscope_dissector::stream::{Chunk, DataSegment, GapReason, Reassembler};

#[derive(Debug, Arbitrary)]
struct Input {
    first: u32,
    bytes: Vec<u8>,
    /// Where a segment begins and how long it is; how many bytes of it are captured less.
    segments: Vec<(u16, u8, u8)>,
    acknowledged: Vec<(u8, u16)>,
}

fuzz_target!(|input: Input| {
    let whole = &input.bytes[..input.bytes.len().min(0xffff)];
    let mut reassembler = Reassembler::default();
    reassembler.begin(input.first);
    let (mut out, mut next): (Vec<Option<u8>>, u64) = (Vec::new(), 0);
    let mut there = vec![false; whole.len()];
    let mut take = |chunk: Chunk<'_>| {
        let (offset, length) = match chunk {
            Chunk::Data { offset, bytes, .. } => {
                out.extend(bytes.iter().copied().map(Some));
                (offset, bytes.len() as u64)
            }
            Chunk::Gap { offset, length, .. } => {
                assert!(length <= 1 << 20, "a gap of {length} bytes where there are {}", whole.len());
                out.extend((0..length).map(|_| None));
                (offset, length)
            }
        };
        assert_eq!(offset, next, "each byte once, and in order");
        next += length;
    };
    for (at, &(begin, length, cut)) in input.segments.iter().enumerate() {
        let begin = usize::from(begin).min(whole.len());
        let end = (begin + usize::from(length)).min(whole.len());
        let kept = end - usize::from(cut & 3).min(end - begin) * usize::from(cut > 250);
        there[begin..kept].fill(true);
        let segment = DataSegment {
            sequence_number: input.first.wrapping_add(begin as u32),
            frame: at as u64 + 1,
            payload: &whole[begin..kept],
            wire_length: (end - begin) as u32,
            ..DataSegment::default()
        };
        reassembler.segment(&segment, None, &mut take);
        for &(_, to) in input.acknowledged.iter().filter(|(when, _)| usize::from(*when) == at) {
            let to = u32::from(to).min(whole.len() as u32);
            if reassembler.acknowledged(input.first.wrapping_add(to)) {
                reassembler.give_up_lost(None, &mut take);
            }
        }
    }
    reassembler.finish(GapReason::NotCaptured, &mut take);
    assert!(out.len() <= whole.len());
    for (at, byte) in out.iter().enumerate() {
        if let Some(byte) = byte {
            assert!(there[at] && *byte == whole[at], "byte {at}");
        }
    }
    // Nothing is given up where everything came and nobody acknowledged what had not come.
    if input.acknowledged.is_empty() && there.iter().all(|it| *it) {
        assert!(input.segments.iter().any(|it| it.2 > 250) || out.iter().all(Option::is_some));
        assert_eq!(out.len(), whole.len());
    }
});
