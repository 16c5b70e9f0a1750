//! Setups: between two peers, and against frames built by hand.

use super::alive::Scenario;
use super::play::{Play, Seeded};
use crate::prelude::*;
use crate::raw::{Trace, frame_for};

pub(super) const SCENARIOS: &[Scenario] = &[
    ("flags of one side", one_sided),
    ("enhanced setup", enhanced),
    ("frames by hand", frames),
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
        play.post(side, 2, Operation::send(&pattern(1101)));
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

/// Frames that a side receives, each on a connection of its own; then a Write of no bytes.
fn frames(seeded: &Seeded) -> Trace {
    let made = |flags, revision, data: &[u8]| frame_for(seeded.role(), flags, revision, data);
    let long = |length: u16| {
        let mut bytes = made(0x40, 1, &[]);
        bytes[18..20].copy_from_slice(&length.to_be_bytes());
        bytes.extend_from_slice(&pattern(length.into()));
        bytes
    };
    let mut other_key = made(0x40, 1, b"");
    other_key[..3].copy_from_slice(b"mpa");
    let plain = vec![
        other_key,
        [made(0x40, 1, b""), vec![0; 8]].concat(),
        long(256),
        long(512),
        long(513),
        made(0x40, 2, b""),
        made(0x40, 3, b""),
        made(0x40, 0, b""),
        made(0xc0, 1, b""),
        made(0x20, 1, b""),
        made(0x41, 1, b""),
        made(0x40, 1, &[0, 0, 0, 16, 0, 0, 0, 16]),
    ];
    let enhanced = vec![
        made(0x50, 2, &[0xc0, 4, 0xc0, 4]),
        made(0x50, 2, &[0xc0, 4, 0xc0, 17]),
        made(0x50, 2, &[0x80, 4, 0x40, 4]),
        made(0x50, 2, &[0x00, 4, 0x00, 4]),
        made(0x50, 2, &[0x40, 4, 0x80, 4]),
        made(0x50, 2, &[0xff, 0xff, 0xff, 0xff]),
        made(0x70, 2, &[0xc0, 4, 0xc0, 4]),
        made(0x50, 2, b""),
    ];
    // Without A; and less IRD than a responder needs.
    let client = vec![made(0x50, 2, &[0x40, 4, 0xc0, 4]), made(0x50, 2, &[0, 1, 0, 4])];
    let enhanced_setup = SetupConfig::enhanced();
    let lists = [
        (SetupConfig::default(), plain),
        (SetupConfig { peer_to_peer: true, ..enhanced_setup.clone() }, enhanced),
        (SetupConfig { required_ord: 2, ..enhanced_setup }, client),
    ];
    let mut traces = Vec::new();
    for (setup, frames) in lists {
        for frame in frames {
            let mut raw = Raw::new(Config { setup: setup.clone(), ..seeded.config() });
            raw.transmit();
            raw.feed(&frame);
            raw.transmit();
            raw.feed_ulpdu(&tagged([0xc1, 0x40], 0, 0, b""));
            traces.push(raw.seen());
        }
    }
    // In pieces; and cut off; rejected, and accepted late.
    let whole = made(0x40, 1, b"some");
    let steps: [(bool, &[u8], &dyn Fn(&mut Raw)); 4] = [
        (true, &whole[..22], &|raw| raw.feed(&whole[22..])),
        (true, &whole[..22], &|raw| raw.connection.handle_finish(Duration::ZERO)),
        (false, &made(0x60, 1, b""), &|raw| raw.connection.reject(b"no")),
        (false, &made(0x60, 1, b""), &|raw| raw.connection.accept(b"yes")),
    ];
    for (accepts, frame, then) in steps {
        let mut raw = Raw::new(Config { accepts, ..seeded.config() });
        raw.transmit();
        raw.feed(frame);
        then(&mut raw);
        traces.push(raw.seen());
    }
    traces.into_iter().collect()
}
