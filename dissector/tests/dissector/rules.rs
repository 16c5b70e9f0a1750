//! The passive rules: each is tripped where its trace breaks it, and no clean trace trips any.

mod clean;
mod deviations;
mod hostile;
mod observe;
mod rpc;
mod table;

use crate::support::captures::traces;
use observe::findings;
use std::collections::BTreeSet;
use warpscope_dissector::rules;
use warpscope_traces::scenario::{self, PlannedBreach};

/// Every violation trace trips the rules that its plan breaks, at the frames, in the connections
/// and on the sides that the plan says, and no other.
#[test]
fn every_breach_is_found_where_it_was_planned() {
    let mut wrong = Vec::new();
    for scenario in scenario::with_breaches() {
        let planned: BTreeSet<_> = scenario.make().unwrap().breaches.into_iter().collect();
        assert!(!planned.is_empty(), "{} breaks nothing", scenario.name);
        let found = findings(&traces().join("violations").join(scenario.file_name()));
        let seen: Vec<_> = found
            .iter()
            .map(|finding| PlannedBreach {
                connection: finding.place.connection.number,
                frame: finding.place.frame,
                rule: finding.rule.id,
                side: finding.place.side.0,
            })
            .collect();
        let name = scenario.name;
        let unseen = planned.iter().filter(|breach| !seen.contains(breach));
        wrong.extend(unseen.map(|breach| format!("{name}: not found: {breach:?}")));
        for (breach, finding) in seen.iter().zip(&found) {
            if !planned.contains(breach) {
                wrong.push(format!("{name}: not planned: {breach:?}: {}", finding.explanation));
            }
        }
        if seen.len() != planned.len() {
            wrong.push(format!("{name}: {} findings of {}", seen.len(), planned.len()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A rule that no trace breaks would never be known to work.
#[test]
fn every_rule_has_a_trace_that_breaks_it() {
    let mut broken = BTreeSet::new();
    for scenario in scenario::with_breaches() {
        broken.extend(scenario.make().unwrap().breaches.iter().map(|breach| breach.rule));
    }
    let known: BTreeSet<_> = rules::all().map(|rule| rule.id).collect();
    assert_eq!(broken, known);
}
