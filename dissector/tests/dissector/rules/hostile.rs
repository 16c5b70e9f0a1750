//! Damaged captures do not stop the rules.

use crate::support::captures::captures;
use warpscope_dissector::capture::{CaptureReader, Frame};
use warpscope_dissector::pipeline::Pipeline;
use warpscope_dissector::rules::Judge;
use warpscope_traces::noise::Noise;

/// Bytes of a frame before TCP's payload, most often.
const HEADERS: usize = 54;
const VARIANTS: u64 = 20;

/// What is after the TCP header is damaged: everything reaches the rules.
#[test]
fn damaged_payloads_do_not_stop_the_rules() {
    let mut made = 0;
    for path in captures(&["synthetic", "violations"]) {
        for seed in 0..VARIANTS {
            let mut noise = Noise::new(seed);
            let mut reader = CaptureReader::open(&path).unwrap();
            let (mut pipeline, mut judge) = (Pipeline::default(), Judge::new());
            while let Some(frame) = reader.next_frame().unwrap() {
                let mut bytes = frame.bytes.to_vec();
                if bytes.len() > HEADERS && noise.below(3) == 0 {
                    // Headers are most often near the front.
                    let reach = if seed % 2 == 0 { 60 } else { bytes.len() };
                    let room = (bytes.len() - HEADERS).min(reach);
                    let at = HEADERS + noise.below(room as u64) as usize;
                    bytes[at] = noise.next_u64() as u8;
                }
                pipeline.frame(&Frame { bytes: &bytes, ..frame }, &mut judge);
                for finding in judge.take() {
                    assert!(!finding.explanation.is_empty());
                    made += 1;
                }
            }
            pipeline.finish(&mut judge);
            made += judge.take().count();
        }
    }
    // Damage is noticed: by the CRC above all.
    assert!(made > 1000, "{made} findings");
}
