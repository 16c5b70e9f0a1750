//! Readers: any file is read to its end or to an error that says where.
#![no_main]

use libfuzzer_sys::fuzz_target;
use warpscope_fuzz::Everything;

fuzz_target!(|bytes: &[u8]| {
    let mut everything = Everything::default();
    everything.capture(bytes.to_vec());
    everything.finish();
});
