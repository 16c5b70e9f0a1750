//! Setups: between two peers, and against frames built by hand.

use super::alive::Scenario;
use super::play::{Alone, Play, Seeded, Step, Trace, role};
use crate::prelude::*;

pub(super) const SCENARIOS: &[Scenario] = &[
    ("plain setup", plain),
    ("flags of one side", one_sided),
    ("enhanced setup", enhanced),
    ("depths", depths),
    ("indications", indications),
    ("revisions", revisions),
    ("rejected", rejected),
    ("frames by hand", frames),
    ("nobody answers", nobody),
];

/// Both sides send some, with this setup on each.
fn exchange(seeded: &Seeded, setups: [SetupConfig; 2]) -> Trace {
    let mut both = configs();
    for (config, setup) in both.iter_mut().zip(setups) {
        config.setup = setup;
    }
    let mut play = Play::new(seeded, both);
    let regions = [INITIATOR, RESPONDER].map(|side| play.region(side, pattern(1300), Rights::ALL));
    for side in [INITIATOR, RESPONDER] {
        play.receive(side, 1, 2000);
        play.post(side, 2, Operation::send(&pattern(1101)));
        for at in 0..20 {
            let (sink, length) = (local(regions[side], at * 8), 8);
            let remote = remote(regions[1 - side], 1000);
            play.post(side, 3 + at, Operation::Read { sink, length, remote });
        }
    }
    play.run();
    // Requests ahead of their responses, as many as the depths allow.
    for side in [INITIATOR, RESPONDER] {
        for at in 0..6 {
            let (sink, remote) = (local(regions[side], at * 8), remote(regions[1 - side], 900));
            play.post(side, 30 + at, Operation::Read { sink, length: 4, remote });
        }
        play.send_all(side);
        play.run();
    }
    play.close();
    play.seen()
}

fn with_data(setup: SetupConfig, length: usize) -> SetupConfig {
    SetupConfig { private_data: pattern(length), ..setup }
}

fn plain(seeded: &Seeded) -> Trace {
    let one = with_data(SetupConfig::default(), 300);
    let off = SetupConfig { crc: false, ..with_data(SetupConfig::default(), 7) };
    let both = SetupConfig { markers: true, ..one.clone() };
    exchange(seeded, [one.clone(), one])
        .then(exchange(seeded, [off.clone(), off]))
        .then(exchange(seeded, [both.clone(), both]))
}

fn one_sided(seeded: &Seeded) -> Trace {
    let none = SetupConfig { crc: false, ..SetupConfig::default() };
    let markers = SetupConfig { markers: true, ..none.clone() };
    let crc = SetupConfig { crc: true, ..none.clone() };
    exchange(seeded, [markers.clone(), none.clone()])
        .then(exchange(seeded, [none.clone(), markers]))
        .then(exchange(seeded, [crc.clone(), none.clone()]))
        .then(exchange(seeded, [none, crc]))
}

fn enhanced(seeded: &Seeded) -> Trace {
    let client = with_data(SetupConfig::enhanced(), 5);
    let peer = SetupConfig { peer_to_peer: true, ..client.clone() };
    exchange(seeded, [client.clone(), client.clone()]).then(exchange(seeded, [peer, client]))
}

fn depths(seeded: &Seeded) -> Trace {
    let of = |ird, ord| SetupConfig { ird, ord, ..SetupConfig::enhanced() };
    let open = SetupConfig { negotiate_depths: false, ..of(3, 5) };
    exchange(seeded, [of(4, 12), of(2, 16)])
        .then(exchange(seeded, [of(16, 2), of(9, 4)]))
        .then(exchange(seeded, [open.clone(), of(2, 16)]))
        .then(exchange(seeded, [of(3, 5), open]))
}

fn indications(seeded: &Seeded) -> Trace {
    let only = |send, write, read| SetupConfig {
        peer_to_peer: true,
        ready_to_receive: ReadyToReceive::new(send, write, read),
        ..SetupConfig::enhanced()
    };
    exchange(seeded, [only(true, false, false), only(true, true, true)])
        .then(exchange(seeded, [only(true, true, true), only(false, false, true)]))
        .then(exchange(seeded, [only(true, true, false), only(true, false, true)]))
        .then(exchange(seeded, [only(false, true, false), only(true, false, true)]))
}

fn revisions(seeded: &Seeded) -> Trace {
    let of = |revision| SetupConfig { revision, ..SetupConfig::default() };
    let (one, two) = (of(SetupRevision::One), of(SetupRevision::Two));
    exchange(seeded, [one.clone(), two.clone()])
        .then(exchange(seeded, [two.clone(), two]))
        .then(exchange(seeded, [SetupConfig::enhanced(), one]))
}

fn rejected(seeded: &Seeded) -> Trace {
    let mut both = configs();
    both[RESPONDER].accepts = false;
    let mut play = Play::opened(seeded, both);
    play.pair.ends[RESPONDER].connection.reject(b"no");
    play.run();
    play.post(INITIATOR, 1, Operation::send(b"all the same"));
    play.run();
    play.seen()
}

fn nobody(seeded: &Seeded) -> Trace {
    Alone::new(seeded, Config::new(role(seeded.side), STREAM)).seen()
}

/// Frames that a side receives, each on a connection of its own; then a Write of no bytes.
fn frames(seeded: &Seeded) -> Trace {
    let reply = |flags, revision, private_data: &[u8]| {
        let mut bytes = request(flags, revision, private_data);
        bytes[7..10].copy_from_slice(b"Rep");
        bytes
    };
    let made = |flags, revision, data: &[u8]| match role(seeded.side) {
        Role::Responder => request(flags, revision, data),
        Role::Initiator => reply(flags, revision, data),
    };
    let long = |length: u16| {
        let mut bytes = made(0x40, 1, &[]);
        bytes[18..20].copy_from_slice(&length.to_be_bytes());
        bytes.extend_from_slice(&pattern(length.into()));
        bytes
    };
    let mut other_key = made(0x40, 1, b"");
    other_key[..3].copy_from_slice(b"mpa");
    let followed = [made(0x40, 1, b""), vec![0; 8]].concat();
    let plain = [
        other_key,
        followed,
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
    let enhanced = [
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
    let client = [made(0x50, 2, &[0x40, 4, 0xc0, 4]), made(0x50, 2, &[0, 1, 0, 4])];
    let mut trace = Trace::default();
    let setups = [
        SetupConfig::default(),
        SetupConfig { peer_to_peer: true, ..SetupConfig::enhanced() },
        SetupConfig { required_ord: 2, ..SetupConfig::enhanced() },
    ];
    let lists = [plain.to_vec(), enhanced.to_vec(), client.to_vec()];
    for (setup, frames) in setups.into_iter().zip(lists) {
        for frame in frames {
            let mut config = Config::new(role(seeded.side), STREAM);
            config.setup = setup.clone();
            let mut alone = Alone::new(seeded, config);
            alone.step(Step::Transmit);
            alone.step(Step::Hear(frame));
            alone.step(Step::Transmit);
            alone.step(Step::Ulpdu(crate::raw::tagged([0xc1, 0x40], 0, 0, b"")));
            trace = trace.then(alone.seen());
        }
    }
    // In pieces; and cut off.
    let whole = made(0x40, 1, b"some");
    let (front, back) = whole.split_at(22);
    for step in [Step::Hear(back.to_vec()), Step::Finish] {
        let mut alone = Alone::new(seeded, Config::new(role(seeded.side), STREAM));
        alone.step(Step::Transmit);
        alone.step(Step::Hear(front.to_vec()));
        alone.step(step);
        trace = trace.then(alone.seen());
    }
    for step in [Step::Reject, Step::Accept] {
        let config = Config { accepts: false, ..Config::new(role(seeded.side), STREAM) };
        let mut alone = Alone::new(seeded, config);
        alone.step(Step::Transmit);
        alone.step(Step::Hear(made(0x60, 1, b"")));
        alone.step(step);
        trace = trace.then(alone.seen());
    }
    trace
}
