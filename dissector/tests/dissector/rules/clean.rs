//! Traces that break no rule trip none, whole or not.

use super::deviations::TABLE;
use super::observe::{Loss, findings, findings_with};
use crate::support::captures::captures;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Bytes of a file that make a capture long.
const LONG: u64 = 100_000;

/// The clean traces: the synthetic and the real ones.
fn clean() -> Vec<PathBuf> {
    let found = captures(&["synthetic", "captures"]);
    assert!(found.len() >= 50, "{} traces", found.len());
    found
}

fn name(path: &Path) -> String {
    let file = path.file_name().unwrap().to_string_lossy().into_owned();
    file.split('.').next().unwrap().to_owned()
}

/// The rules that a trace may trip.
fn allowed(path: &Path) -> BTreeMap<&'static str, usize> {
    let name = name(path);
    let rows = TABLE.iter().filter(|row| row.trace == name);
    rows.map(|row| (row.rule, row.findings)).collect()
}

#[test]
fn clean_traces_trip_only_what_the_table_says() {
    let mut wrong = Vec::new();
    let mut used = BTreeSet::new();
    for path in clean() {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for finding in findings(&path) {
            *counts.entry(finding.rule.id).or_default() += 1;
        }
        used.extend(counts.keys().map(|rule| (name(&path), *rule)));
        if counts != allowed(&path) {
            wrong.push(format!("{}: {counts:?}", path.display()));
        }
    }
    for row in TABLE {
        assert!(!row.reason.is_empty());
        if !used.contains(&(row.trace.to_owned(), row.rule)) {
            wrong.push(format!("not used: {} {}", row.trace, row.rule));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What a capture lacks is nobody's fault: no rule is tripped that the whole capture does not trip.
#[test]
fn what_is_not_captured_trips_no_rule() {
    let mut wrong = Vec::new();
    for path in clean() {
        let allowed = allowed(&path);
        // Long captures have many places to lose something at once.
        let long = std::fs::metadata(&path).unwrap().len() > LONG;
        for loss in Loss::all().step_by(if long { 5 } else { 1 }) {
            for finding in findings_with(&path, loss) {
                if !allowed.contains_key(finding.rule.id) {
                    let (frame, rule) = (finding.place.frame, finding.rule.id);
                    let what = &finding.explanation;
                    wrong.push(format!("{} {loss:?}: frame {frame}: {rule}: {what}", name(&path)));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
