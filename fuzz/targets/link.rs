//! From link to TCP: frames of any type; fragments and tunnels with them.
#![no_main]

use libfuzzer_sys::fuzz_target;
use warpscope_dissector::capture::LinkType;
use warpscope_fuzz::{Everything, parts};

const TYPES: [u32; 11] = [1, 0, 12, 14, 101, 108, 113, 228, 229, 276, 147];

fuzz_target!(|bytes: &[u8]| {
    let mut everything = Everything::default();
    for (kind, frame) in parts(bytes) {
        everything.bytes(frame, LinkType(TYPES[usize::from(kind) % TYPES.len()]));
    }
    everything.finish();
});
