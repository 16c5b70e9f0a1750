//! The statistics: what flows and counts say of the captures is what their plans, another analyzer
//! (tshark), and a reader with pencil and paper say.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "these are tests")]
#![allow(unreachable_pub, missing_docs, reason = "modules of a test binary")]

mod counts;
mod flows;
mod plans;
#[path = "../support/require.rs"]
mod require;
mod tshark;

use std::path::{Path, PathBuf};
use warpscope_dissector::capture::CaptureReader;
use warpscope_dissector::pipeline::{Pipeline, Sink};
use warpscope_dissector::statistics::{Flow, Flows, Statistics};

/// A capture of `traces/`, by its name without what follows the first point.
pub fn capture(name: &str) -> PathBuf {
    let traces = Path::new(env!("CARGO_MANIFEST_DIR")).join("../traces");
    let places = ["captures", "synthetic"].iter().flat_map(|folder| {
        ["pcap", "pcap.zst", "pcapng"].map(|end| traces.join(folder).join(format!("{name}.{end}")))
    });
    let found = places.into_iter().find(|path| path.exists());
    found.unwrap_or_else(|| panic!("there is no capture {name}"))
}

fn run(path: &Path, sink: &mut dyn Sink) {
    let mut reader = CaptureReader::open(path).unwrap();
    let mut pipeline = Pipeline::default();
    while let Some(frame) = reader.next_frame().unwrap() {
        pipeline.frame(&frame, sink);
    }
    pipeline.finish(sink);
}

/// The flows of a capture.
pub fn flows(path: &Path) -> Vec<Flow> {
    let mut flows = Flows::new(None);
    run(path, &mut flows);
    flows.finish();
    flows.flows().cloned().collect()
}

/// What is counted in a capture.
pub fn statistics(path: &Path, only: Option<u32>, interval: Option<u64>) -> Statistics {
    let mut statistics = Statistics::new(only, interval);
    run(path, &mut statistics);
    statistics
}
