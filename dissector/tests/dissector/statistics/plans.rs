//! Synthetic captures: flows and counts are what their generator put in.

use super::{capture, flows, statistics};
use std::collections::BTreeMap;
use warpscope_dissector::mpa::Side;
use warpscope_dissector::statistics::Opcode;
use warpscope_traces::scenario;
use warpscope_traces::session::PlannedStream;
use warpscope_wire::rdmap::Message;

/// Scenarios of which something is missing on purpose, or that are no iWARP.
const INCOMPLETE: &[&str] = &[
    "first-fpdu-missing",
    "first-fpdu-missing-plain",
    "mid-connection-markers",
    "mid-connection-plain",
    "lost-segment-markers",
    "lost-segment-plain",
    "not-iwarp",
];

/// Messages and bytes by message and direction.
type Sums = BTreeMap<(Message, usize), (u64, u64)>;

fn planned(streams: &[PlannedStream; 2], sums: &mut Sums) {
    for (side, stream) in streams.iter().enumerate() {
        for planned in &stream.messages {
            let sum = sums.entry((planned.message, side)).or_default();
            sum.0 += 1;
            sum.1 += planned.payload.len() as u64;
        }
    }
}

#[test]
fn messages_and_bytes_are_those_that_were_put_in() {
    let mut compared = 0;
    for scenario in scenario::all().filter(|each| !INCOMPLETE.contains(&each.name)) {
        let plans = scenario.make().unwrap().connections;
        let path = capture(scenario.name);
        let flows = flows(&path);
        assert_eq!(flows.len(), plans.len(), "{}", scenario.name);
        let mut all = Sums::new();
        for (plan, flow) in plans.iter().zip(&flows) {
            let mut expected = Sums::new();
            planned(plan, &mut expected);
            let mut found = Sums::new();
            for (opcode, sides) in flow.opcodes.rows() {
                let Opcode::Known(message) = opcode else { panic!("{opcode:?}") };
                for side in Side::BOTH {
                    let sent = sides[side.index()];
                    let column = usize::from(side != flow.first_side());
                    if sent.segments > 0 {
                        found.insert((message, column), (sent.messages, sent.bytes));
                    }
                }
            }
            assert_eq!(found, expected, "{} flow {}", scenario.name, flow.info.number);
            planned(plan, &mut all);
            compared += 1;
        }
        let statistics = statistics(&path, None, None);
        let counts = statistics.counts();
        assert_eq!(counts.connections, plans.len() as u64, "{}", scenario.name);
        let messages: u64 = all.values().map(|sum| sum.0).sum();
        let bytes: u64 = all.values().map(|sum| sum.1).sum();
        let total = counts.opcodes.total();
        assert_eq!((total.messages, total.bytes), (messages, bytes), "{}", scenario.name);
    }
    assert!(compared > 100, "{compared} connections");
}
