//! The synthetic captures: what the dissector finds in them is what their plans say.

mod expected;
mod observed;

use crate::prelude::*;
use observed::{ConnectionSeen, Seen, observe};
use warpscope_traces::scenario::Scenario;

/// Runs a check on every scenario, and fails with everything that was wrong.
fn on_every_scenario(mut check: impl FnMut(&Scenario, &Seen) -> Vec<String>) {
    let mut wrong = Vec::new();
    for scenario in scenario::all() {
        let seen = observe(&traces().join("synthetic").join(scenario.file_name()));
        wrong
            .extend(check(scenario, &seen).iter().map(|what| format!("{}: {what}", scenario.name)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_scenario_shows_what_its_plan_says() {
    on_every_scenario(|scenario, seen| {
        let row = expected::TABLE.iter().find(|(name, ..)| *name == scenario.name);
        let Some((_, counts, words)) = row else { return vec!["nothing is expected".to_owned()] };
        let expected: BTreeSet<String> = words.split_whitespace().map(str::to_owned).collect();
        let found = seen.words(words.contains("markers="));
        let found_counts = [seen.connections.len(), seen.setup_frames, seen.fpdus];
        let mut wrong = Vec::new();
        if (*counts, &expected) != (found_counts, &found) {
            wrong
                .push(format!("expected {counts:?} {expected:?}, seen {found_counts:?} {found:?}"));
        }
        wrong
    });
    for (name, ..) in expected::TABLE {
        assert!(scenario::by_name(name).is_some(), "there is no scenario {name}");
    }
}

/// Each side's items follow one another without a hole, and end where its stream does.
#[test]
fn every_byte_of_a_stream_is_in_one_item() {
    on_every_scenario(|_, seen| {
        let mut wrong = seen.disagreeing_totals.clone();
        for (number, connection) in &seen.connections {
            for (side, stream) in connection.sides.iter().enumerate() {
                let mut end = 0;
                for (offset, length) in &stream.extents {
                    if *offset != end {
                        wrong
                            .push(format!("connection {number} side {side}: {end}, then {offset}"));
                    }
                    end = offset + length;
                }
            }
        }
        wrong
    });
}

/// Every byte of every iWARP stream of the shipped real captures is in exactly one item, what is skipped
/// with a reason. The networks that these were captured on damaged nothing.
#[test]
fn no_byte_of_a_real_stream_is_unaccounted_for() {
    let captures = captures(&["captures"]);
    assert!(captures.len() >= 20, "{} captures", captures.len());
    for path in captures {
        let (name, seen) = (path.display(), observe(&path));
        assert_eq!(seen.disagreeing_totals, [""; 0], "{name}");
        assert!(!seen.connections.is_empty(), "{name}: nothing iWARP was found");
        assert!(seen.skipped.keys().all(|reason| !reason.describe().is_empty()), "{name}");
        assert!(!seen.verdicts.contains_key(&CrcVerdict::Bad), "{name}");
    }
}

/// Where nothing was lost, the items of each side make up the stream that was put in.
#[test]
fn items_are_as_long_as_the_streams_that_were_put_in() {
    each_connection(|scenario, planned, seen, wrong| {
        let whole = !expected::BEGIN_LATE.contains(&scenario.name);
        for (side, (planned, seen)) in planned.iter().zip(&seen.sides).enumerate() {
            let length: u64 = seen.extents.iter().map(|(_, length)| length).sum();
            if whole && length != planned.length {
                wrong.push(format!("side {side}: {length} bytes of {}", planned.length));
            }
        }
    });
}

/// Complete FPDUs hold the ULPDUs that were put in, in their order; where none is missing, all.
#[test]
fn ulpdus_come_out_as_they_were_put_in() {
    each_connection(|_, planned, seen, wrong| {
        for (side, (planned, seen)) in planned.iter().zip(&seen.sides).enumerate() {
            let mut left = planned.fpdus.iter();
            for ulpdu in &seen.complete_ulpdus {
                if !left.any(|planned| planned.ulpdu == *ulpdu) {
                    wrong.push(format!("side {side}: a ULPDU of {} bytes", ulpdu.len()));
                }
            }
        }
    });
}

/// Whole messages hold the bytes that were put in, in their order.
#[test]
fn payloads_come_out_as_they_were_put_in() {
    each_connection(|_, planned, seen, wrong| {
        for (side, (planned, seen)) in planned.iter().zip(&seen.sides).enumerate() {
            let mut left = planned.messages.iter();
            for (message, payload) in &seen.whole_messages {
                let same =
                    left.any(|planned| planned.message == *message && planned.payload == *payload);
                if !same {
                    let length = payload.len();
                    wrong.push(format!("side {side}: a whole {message:?} of {length} bytes"));
                }
            }
            if seen.lost_nothing && seen.whole_messages.len() != planned.messages.len() {
                let (found, put) = (seen.whole_messages.len(), planned.messages.len());
                wrong.push(format!("side {side}: {found} whole messages of {put}"));
            }
        }
    });
}

/// Runs a check on every connection with an iWARP item and what was planned for it.
fn each_connection(
    mut check: impl FnMut(&Scenario, &[PlannedStream; 2], &ConnectionSeen, &mut Vec<String>),
) {
    on_every_scenario(|scenario, seen| {
        let planned = scenario.make().unwrap().connections;
        let mut wrong = Vec::new();
        // Nothing else is in a capture with iWARP: the connections are those planned, in order.
        let seen: BTreeMap<_, _> = seen.connections.iter().collect();
        if seen.len() != planned.len() {
            wrong.push(format!("{} iWARP connections of {}", seen.len(), planned.len()));
        }
        for (planned, (number, seen)) in planned.iter().zip(seen) {
            let mut of_this = Vec::new();
            check(scenario, planned, seen, &mut of_this);
            wrong.extend(of_this.iter().map(|what| format!("connection {number} {what}")));
        }
        wrong
    });
}
