//! Setups: between two peers, and against frames built by hand.

use super::alive::Scenario;
use super::play::{Play, Seeded};
use crate::frames;
use crate::prelude::*;
use crate::raw::Trace;

pub(super) const SCENARIOS: &[Scenario] = &[
    ("flags of one side", one_sided),
    ("enhanced setup", enhanced),
    ("frames by hand", |seeded| frames::play(&seeded.config())),
    ("nobody answers", |seeded| Raw::new(seeded.config()).seen()),
];

/// Both sides send some, with this setup on each.
fn exchange(seeded: &Seeded, setups: [&SetupConfig; 2]) -> Trace {
    let mut both = configs();
    for (config, setup) in both.iter_mut().zip(setups) {
        config.setup = setup.clone();
    }
    let mut play = Play::new(seeded, both);
    let regions = [INITIATOR, RESPONDER].map(|side| play.region(side, pattern(1300), Rights::ALL));
    for side in [INITIATOR, RESPONDER] {
        play.receive(side, 1, 2000);
        play.post(side, 2, Operation::send(&pattern(1501)));
        for at in 0..20 {
            let remote = remote(regions[1 - side], 1000);
            play.post(side, 3 + at, read_op(local(regions[side], at * 8), 8, remote));
        }
    }
    play.run();
    play.closed()
}

fn one_sided(seeded: &Seeded) -> Trace {
    let none = &SetupConfig { crc: false, ..SetupConfig::default() };
    let markers = &SetupConfig { markers: true, ..none.clone() };
    let crc = &SetupConfig { crc: true, ..none.clone() };
    [[markers, none], [none, markers], [crc, none], [none, crc]]
        .into_iter()
        .map(|setups| exchange(seeded, setups))
        .collect()
}

fn enhanced(seeded: &Seeded) -> Trace {
    let client = &SetupConfig { private_data: pattern(5), ..SetupConfig::enhanced() };
    let peer = &SetupConfig { peer_to_peer: true, ..client.clone() };
    [[client, client], [peer, client]].into_iter().map(|it| exchange(seeded, it)).collect()
}
