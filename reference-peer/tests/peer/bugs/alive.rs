//! The test itself: every bug, in every scenario until one shows it.

use super::play::{Seeded, Trace};
use super::{commit, openings, operations, segments, streams};
use crate::judged::judged;
use crate::prelude::*;
use proptest::prelude::*;
use std::collections::BTreeSet;
use warpscope_peer::bug::{Bug, BugRow, BugSide, Layer, TABLE};

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

/// The sides that a bug shows on.
fn sides(side: BugSide) -> &'static [usize] {
    match side {
        BugSide::Initiator => &[INITIATOR],
        BugSide::Responder => &[RESPONDER],
        BugSide::Both => &[INITIATOR, RESPONDER],
    }
}

/// What each scenario leaves behind.
fn play(side: usize, bugs: Bugs) -> Vec<Trace> {
    scenarios().iter().map(|(_, scenario)| scenario(&Seeded { side, bugs })).collect()
}

/// The rows that this test is for: services have their own.
fn rows() -> impl Iterator<Item = &'static BugRow> {
    TABLE.iter().filter(|row| row.layer != Layer::Rpc)
}

/// The places of the scenarios, those first that are likely to show a bug of this layer, and among
/// them the quick ones.
fn likely_first(layer: Layer) -> Vec<usize> {
    let openings = 0..openings::SCENARIOS.len();
    let operations = openings.end..openings.end + operations::SCENARIOS.len();
    let rest = operations.end..scenarios().len();
    if layer == Layer::Setup {
        openings.chain(rest).chain(operations).collect()
    } else {
        rest.chain(operations).chain(openings).collect()
    }
}

/// The name of a bug that shows nothing on a side.
fn dead(row: &BugRow, clean: &[Vec<Trace>; 2]) -> Option<String> {
    let (scenarios, turns) = (scenarios(), likely_first(row.layer));
    sides(row.side).iter().find_map(|side| {
        let seeded = Seeded { side: *side, bugs: row.bug.into() };
        let shows = |at: &usize| scenarios[*at].1(&seeded).differs(&clean[*side][*at]);
        (!turns.iter().any(shows)).then(|| format!("{} on side {side}", row.name))
    })
}

#[test]
fn every_bug_is_alive_on_every_side_that_shows_it() {
    let clean = [INITIATOR, RESPONDER].map(|side| play(side, Bugs::NONE));
    let dead: Vec<String> = rows().filter_map(|row| dead(row, &clean)).collect();
    assert!(dead.is_empty(), "{} show nothing: {dead:#?}", dead.len());
}

/// What is done otherwise with a bug on is right where the bug has no occasion.
#[test]
fn a_bug_changes_nothing_but_what_it_is_about() {
    for side in [INITIATOR, RESPONDER] {
        let (strict, seeded) =
            (play(side, Bugs::NONE), play(side, Bug::VerifyRightUnchecked.into()));
        for ((name, _), (strict, seeded)) in scenarios().iter().zip(strict.iter().zip(&seeded)) {
            assert_eq!(seeded.differs(strict), *name == "requests of rdma-commit", "{name}");
        }
    }
}

fn findings(trace: &Trace) -> BTreeSet<&'static str> {
    trace.pairs.iter().flat_map(|pair| judged(pair, "a bug").1.found).collect()
}

/// How many bugs a capture shows, and how many of them the passive rules find.
#[test]
#[ignore = "it asserts nothing and takes a minute: run it with --nocapture for the figures"]
fn figures() {
    let clean = [INITIATOR, RESPONDER].map(|side| play(side, Bugs::NONE));
    let expected = clean.each_ref().map(|clean| clean.iter().map(findings).collect::<Vec<_>>());
    let (mut found, mut missed, mut hidden) = (Vec::new(), Vec::new(), Vec::new());
    for row in rows() {
        let (mut on_the_wire, mut is_found) = (false, false);
        for side in sides(row.side) {
            for (at, trace) in play(*side, row.bug.into()).iter().enumerate() {
                if trace.wire != clean[*side][at].wire {
                    on_the_wire = true;
                    is_found |= !findings(trace).is_subset(&expected[*side][at]);
                }
            }
        }
        match (is_found, on_the_wire) {
            (true, _) => found.push(row.name),
            (false, true) => missed.push(row.name),
            (false, false) => hidden.push(row.name),
        }
    }
    println!("{} bugs; the rules find {}: {found:?}", rows().count(), found.len());
    println!("{} are on the wire, and no rule finds them: {missed:?}", missed.len());
    println!("{} are not on the wire: {hidden:?}", hidden.len());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]
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
