//! The statistics: what flows and counts say of the captures is what their plans, another analyzer
//! (tshark), and a reader with pencil and paper say.

mod counts;
mod flows;
mod plans;
mod tshark;

use crate::support::captures::{capture, run};
use std::path::Path;
use warpscope_dissector::statistics::{Flow, Flows, Statistics};

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
