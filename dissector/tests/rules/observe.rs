//! Runs the rules over a capture.

use std::path::Path;
use warpscope_dissector::capture::CaptureReader;
use warpscope_dissector::pipeline::{Options, Pipeline};
use warpscope_dissector::rules::{Finding, Judge};

/// The findings in a capture, in order.
pub fn findings(path: &Path) -> Vec<Finding> {
    let mut reader = CaptureReader::open(path).unwrap();
    let (mut pipeline, mut judge) = (Pipeline::new(Options::default()), Judge::new());
    let mut findings = Vec::new();
    while let Some(frame) = reader.next_frame().unwrap() {
        pipeline.frame(&frame, &mut judge);
        findings.extend(judge.take());
    }
    pipeline.finish(&mut judge);
    findings.extend(judge.take());
    findings
}
