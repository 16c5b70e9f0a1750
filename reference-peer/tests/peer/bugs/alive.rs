//! The test itself: every bug, in every scenario until one shows it.

use super::play::Seeded;
use super::{openings, operations, streams};
use crate::prelude::*;
use crate::raw::Trace;
use crate::segments::GROUPS;
use proptest::prelude::*;
use warpscope_peer::bug::{Bug, BugRow, SeededBug, TABLE};
use warpscope_peer::switch::{Layer, Switch as _, SwitchSide};

pub(super) type Scenario = (&'static str, fn(&Seeded) -> Trace);

/// The scenarios besides the segments, those first that are quick.
fn scenarios() -> Vec<Scenario> {
    [streams::SCENARIOS, operations::SCENARIOS, openings::SCENARIOS].concat()
}

/// How many scenarios there are; the groups of segments come first.
fn count() -> usize {
    GROUPS.len() + scenarios().len()
}

fn play(at: usize, seeded: &Seeded) -> Trace {
    match GROUPS.get(at) {
        Some((_, rows)) => rows().iter().map(|row| row.play(seeded.role(), seeded.bugs)).collect(),
        None => scenarios()[at - GROUPS.len()].1(seeded),
    }
}

fn all(side: usize, bugs: Bugs) -> Vec<Trace> {
    (0..count()).map(|at| play(at, &Seeded { side, bugs })).collect()
}

fn sides(side: SwitchSide) -> &'static [usize] {
    match side {
        SwitchSide::Initiator => &[INITIATOR],
        SwitchSide::Responder => &[RESPONDER],
        SwitchSide::Both => &[INITIATOR, RESPONDER],
    }
}

/// The name of a bug that shows nothing on a side.
fn dead(row: &BugRow, clean: &[Vec<Trace>; 2]) -> Option<String> {
    let mut turns: Vec<usize> = (0..count()).collect();
    if row.layer == Layer::Setup {
        turns.reverse();
    }
    sides(row.side).iter().find_map(|side| {
        let seeded = Seeded { side: *side, bugs: row.bug.into() };
        let shows = |at: &usize| play(*at, &seeded).differs(&clean[*side][*at]);
        (!turns.iter().any(shows)).then(|| format!("{} on side {side}", row.name))
    })
}

/// What shows only after 256 messages, 4 GiB or 64 KiB, too long for these scenarios, or with what no right
/// sender sends; the conformance cases go there (`conform mutants`).
const WIDE: [Bug; 11] = [
    Bug::SequenceNumberSentIn8Bits,
    Bug::SequenceNumberIn8Bits,
    Bug::SequenceNumberSentIn16Bits,
    Bug::SequenceNumberIn16Bits,
    Bug::MessageOffsetIn16Bits,
    Bug::TaggedOffsetIn32Bits,
    Bug::ReadResponseIn16Bits,
    Bug::ReceivedLengthIn16Bits,
    Bug::FlushFirstPage,
    Bug::VerifyFirstBytes,
    Bug::SwapMaskHeeded,
];

/// Services have tests of their own.
#[test]
fn every_bug_is_alive_on_every_side_that_shows_it() {
    let clean = [INITIATOR, RESPONDER].map(|side| all(side, Bugs::NONE));
    let rows = TABLE.iter().filter(|row| row.layer != Layer::Rpc && row.condition.is_none());
    let rows = rows.filter(|row| !WIDE.contains(&row.bug));
    let dead: Vec<String> = rows.filter_map(|row| dead(row, &clean)).collect();
    assert!(dead.is_empty(), "{} show nothing: {dead:#?}", dead.len());
}

/// What is done otherwise with a bug on is right where the bug has no occasion.
#[test]
fn a_bug_changes_nothing_but_what_it_is_about() {
    for side in [INITIATOR, RESPONDER] {
        let (strict, seeded) = (all(side, Bugs::NONE), all(side, Bug::VerifyRightUnchecked.into()));
        for (at, (strict, seeded)) in strict.iter().zip(&seeded).enumerate() {
            let about =
                GROUPS.get(at).is_some_and(|(name, _)| *name == "requests of newer documents");
            assert_eq!(seeded.differs(strict), about, "scenario {at}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]
    /// Bugs that meet do wrong things, but never panic or go on for ever.
    #[test]
    fn bugs_together_do_no_harm(
        side in 0_usize..2,
        chosen in proptest::collection::vec(0..TABLE.len(), 1..8),
    ) {
        let bugs = chosen.into_iter().filter_map(|at| SeededBug::all().nth(at)).collect();
        for (at, trace) in all(side, bugs).iter().enumerate() {
            prop_assert!(!trace.observed.iter().any(|line| line == "no rest"), "scenario {at}");
        }
    }
}
