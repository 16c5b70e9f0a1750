//! The test itself: every bug, in every scenario until one shows it.

use super::play::{Seeded, Trace};
use super::{commit, openings, operations, segments, streams};
use crate::judged::judged;
use crate::pair::{INITIATOR, RESPONDER};
use proptest::prelude::*;
use std::collections::BTreeSet;
use warpscope_peer::bug::{Bugs, Layer, Shows, TABLE};

/// A scenario, by name.
pub(super) type Scenario = (&'static str, fn(&Seeded) -> Trace);

fn scenarios() -> Vec<Scenario> {
    [
        openings::SCENARIOS,
        operations::SCENARIOS,
        segments::SCENARIOS,
        streams::SCENARIOS,
        commit::SCENARIOS,
    ]
    .concat()
}

fn findings(trace: &Trace) -> BTreeSet<String> {
    let Some(pair) = &trace.pair else { return BTreeSet::new() };
    let (findings, _) = judged(&pair.0, "a bug");
    findings.into_iter().collect()
}

/// What a bug changes on one side.
#[derive(Default)]
struct Shown {
    by: Option<&'static str>,
    on_the_wire: bool,
    found: bool,
}

#[test]
fn every_bug_is_alive_on_every_side_that_shows_it() {
    let scenarios = scenarios();
    let play = |side, bugs| -> Vec<Trace> {
        scenarios.iter().map(|(_, scenario)| scenario(&Seeded { side, bugs })).collect()
    };
    let clean = [INITIATOR, RESPONDER].map(|side| play(side, Bugs::NONE));
    let clean_findings: Vec<_> = clean[INITIATOR].iter().map(findings).collect();
    let (mut dead, mut unseen, mut found) = (Vec::new(), Vec::new(), 0);
    for row in TABLE.iter().filter(|row| row.layer != Layer::Rpc) {
        let sides: &[usize] = match row.shows {
            Shows::Initiator => &[INITIATOR],
            Shows::Responder => &[RESPONDER],
            Shows::Both => &[INITIATOR, RESPONDER],
        };
        let mut either = Shown::default();
        for side in sides {
            let mut shown = Shown::default();
            let traces = play(*side, row.bug.into());
            for (at, trace) in traces.iter().enumerate() {
                let strict = &clean[*side][at];
                if trace == strict {
                    continue;
                }
                shown.by.get_or_insert(scenarios[at].0);
                if trace.wire != strict.wire {
                    shown.on_the_wire = true;
                    let found = findings(trace);
                    shown.found |= found.difference(&clean_findings[at]).next().is_some();
                }
            }
            if shown.by.is_none() {
                dead.push(format!("{} on side {side}", row.name));
            }
            either.on_the_wire |= shown.on_the_wire;
            either.found |= shown.found;
        }
        found += usize::from(either.found);
        if !either.on_the_wire {
            unseen.push(row.name);
        }
    }
    println!("the rules find {found} of {}", TABLE.len());
    println!("{} are not on the wire: {unseen:?}", unseen.len());
    assert!(dead.is_empty(), "{} show nothing: {dead:#?}", dead.len());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    /// Bugs that meet do wrong things, but never panic or go on for ever.
    #[test]
    fn bugs_together_do_no_harm(
        side in 0_usize..2,
        chosen in proptest::collection::vec(0..TABLE.len(), 1..8),
    ) {
        let bugs = chosen.into_iter().map(|at| TABLE[at].bug).collect();
        for (name, scenario) in scenarios() {
            let trace = scenario(&Seeded { side, bugs });
            prop_assert!(!trace.told.iter().any(|told| told == "no rest"), "{name}");
        }
    }
}
