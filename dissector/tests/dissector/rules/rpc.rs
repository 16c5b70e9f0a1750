//! The rules of RPC-over-RDMA on a capture whose frames were lost, doubled or put out of order.

use crate::support::captures::traces;
use std::collections::BTreeSet;
use std::path::Path;
use warpscope_dissector::capture::{CaptureReader, Frame, LinkType};
use warpscope_dissector::pipeline::{Options, Pipeline};
use warpscope_dissector::rules::Judge;
use warpscope_traces::noise::Noise;

/// A frame of a capture, kept.
struct Kept {
    bytes: Vec<u8>,
    time: Option<i64>,
    link_type: LinkType,
    original_length: u32,
}

fn kept(path: &Path) -> Vec<Kept> {
    let mut reader = CaptureReader::open(path).unwrap();
    let mut frames = Vec::new();
    while let Some(frame) = reader.next_frame().unwrap() {
        let Frame { time, link_type, original_length, .. } = frame;
        frames.push(Kept { bytes: frame.bytes.to_vec(), time, link_type, original_length });
    }
    frames
}

fn broken_in(frames: &[&Kept]) -> BTreeSet<&'static str> {
    let (mut pipeline, mut judge) = (Pipeline::new(Options::default()), Judge::new());
    let mut broken = BTreeSet::new();
    for (index, kept) in frames.iter().enumerate() {
        let Kept { time, link_type, original_length, .. } = **kept;
        let (number, bytes) = (index as u64 + 1, kept.bytes.as_slice());
        let frame = Frame { number, interface: 0, time, link_type, bytes, original_length };
        pipeline.frame(&frame, &mut judge);
        broken.extend(judge.take().map(|finding| finding.rule.id));
    }
    pipeline.finish(&mut judge);
    broken.extend(judge.take().map(|finding| finding.rule.id));
    broken
}

/// What a capture loses, shows late or shows twice is nobody's fault: no further rule of
/// RPC-over-RDMA is tripped by it.
#[test]
fn what_the_capture_does_trips_no_rule() {
    let frames = kept(&traces().join("captures/g-nfs-v4.1-cut.pcap.zst"));
    for seed in 0..9 {
        let mut noise = Noise::new(seed);
        let mut below = |limit: usize| noise.below(limit as u64) as usize;
        let mut shown: Vec<&Kept> = frames.iter().collect();
        for _ in 0..shown.len() / 50 {
            let at = below(shown.len() - 8);
            match seed % 3 {
                0 => {
                    shown.remove(at);
                }
                1 => shown.swap(at, at + 1 + below(3)),
                _ => shown.insert(at + 1 + below(3), shown[at]),
            }
        }
        let mut broken = broken_in(&shown);
        broken.retain(|rule| rule.starts_with("rpc-") && *rule != "rpc-invalidate-unagreed");
        assert!(broken.is_empty(), "seed {seed}: {broken:?}");
    }
}
