//! The rules of RPC-over-RDMA: each is tripped by what breaks it, and by nothing else.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "these are tests")]

use std::collections::BTreeSet;
use std::io::{Cursor, Read};
use std::path::Path;
use warpscope_dissector::capture::CaptureReader;
use warpscope_dissector::pipeline::{Options, Pipeline};
use warpscope_dissector::rules::{self, Finding, Judge};
use warpscope_traces::scenario::rpc_violations;

/// The findings in a capture, in order.
fn findings(capture: impl Read + Send + 'static) -> Vec<Finding> {
    let mut reader = CaptureReader::from_reader(capture, "capture").unwrap();
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

/// The rules of RPC-over-RDMA that were broken.
fn broken(findings: &[Finding]) -> BTreeSet<&'static str> {
    findings.iter().map(|finding| finding.rule.id).filter(|id| id.starts_with("rpc-")).collect()
}

#[test]
fn every_violation_trips_its_rule_and_no_other() {
    let mut wrong = Vec::new();
    for violation in rpc_violations() {
        let findings = findings(Cursor::new(violation.file_octets().unwrap()));
        let rules: BTreeSet<_> = findings.iter().map(|finding| finding.rule.id).collect();
        if rules != violation.rule.into_iter().collect() {
            let said: Vec<_> =
                findings.iter().map(|it| format!("{}: {}", it.rule.id, it.explanation)).collect();
            wrong.push(format!("{:?}, {}: {said:#?}", violation.rule, violation.what));
        }
        if violation.rule.is_some() && findings.len() != 1 {
            wrong.push(format!("{}: {} findings", violation.what, findings.len()));
        }
        wrong.extend(
            findings
                .iter()
                .filter(|it| it.place.frame == 0 || it.at_fault.is_none())
                .map(|it| format!("{}: {:?} has no place or fault", violation.what, it.rule.id)),
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_rule_has_a_violation() {
    let ours: BTreeSet<_> =
        rules::all().map(|rule| rule.id).filter(|id| id.starts_with("rpc-")).collect();
    let tripped: BTreeSet<_> = rpc_violations().filter_map(|violation| violation.rule).collect();
    assert_eq!(tripped, ours);
}

/// Linux's NFS server leaves R clear in its private data and sends replies with Invalidate all the
/// same (frames 6 and 12 of g-nfs-v4.1): RFC 8797 section 4.1 forbids it. Nothing else is wrong.
#[test]
fn real_captures_break_one_rule() {
    let captures = concat!(env!("CARGO_MANIFEST_DIR"), "/../traces/captures");
    for entry in std::fs::read_dir(captures).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let findings = findings(std::fs::File::open(Path::new(&path)).unwrap());
        let expected: &[&str] =
            if name.starts_with("g-nfs") { &["rpc-invalidate-unagreed"] } else { &[] };
        assert!(broken(&findings).iter().eq(expected), "{name}: {:?}", broken(&findings));
    }
}
