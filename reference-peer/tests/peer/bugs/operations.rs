//! Operations between two peers, in both directions.

use super::alive::Scenario;
use super::play::{Play, Seeded};
use crate::mutations::side::{Side, Terms, converse};
use crate::prelude::*;
use crate::raw::{Remembering, Trace};

pub(super) const SCENARIOS: &[Scenario] = &[
    ("a store that works", |seeded| stored(seeded, false)),
    ("a store that fails", |seeded| stored(seeded, true)),
    ("talks", talks),
    ("order", order),
    ("refused", refused),
];

/// Every operation there is, from each side: one FPDU with a CRC in a TCP segment, then many with markers.
fn talks(seeded: &Seeded) -> Trace {
    let talk = |[crc, markers]: [bool; 2]| {
        let terms = Terms { profile: Profile::ALL, crc, markers };
        let bugs = |side| if side == seeded.side { seeded.bugs } else { Bugs::NONE };
        let mut sides = [INITIATOR, RESPONDER].map(|side| Side::new(side, terms, bugs(side)));
        let mut trace = Trace::default();
        let rest =
            converse(&mut sides, |side, sent| trace.wire.push(format!("{side} {sent:02x?}")));
        trace.observed.extend((!rest).then(|| "no rest".to_owned()));
        sides.iter_mut().for_each(|side| side.record(&mut trace));
        trace
    };
    [[true, false], [false, true], [true, true]].into_iter().map(talk).collect()
}

/// Reads ahead of their responses, a fence, and what may not overtake.
fn order(seeded: &Seeded) -> Trace {
    let mut traces = Vec::new();
    for side in [INITIATOR, RESPONDER] {
        let both = configs_with(|config| {
            (config.setup.ord, config.setup.ird) = (3, 3);
            config.longest_ulpdu = Some(214);
        });
        let mut play = Play::opened(seeded, both);
        let other = 1 - side;
        let region = play.region(other, pattern(3000), Rights::ALL);
        let sink = play.region(side, vec![0; 3000], Rights::NONE);
        for name in 0..2 {
            play.receive(other, name, 1000);
        }
        for at in 0..5 {
            play.post(side, at, read_op(local(sink, at * 500), 500, remote(region, at * 500)));
        }
        let write = |data| write_op(&vec![data; 500], remote(region, 0));
        play.send_all(side);
        play.send_all(other);
        play.post_request(side, WorkRequest { identifier: 6, fence: true, operation: write(1) });
        play.post(side, 7, Operation::send(&pattern(600)));
        play.post(side, 8, write(2));
        play.pair.ends[side].connection.finish();
        play.post(side, 9, Operation::send(b"late"));
        play.send_all(side);
        play.send_all(other);
        play.run();
        traces.push(play.closed());
    }
    // More requests than the responder can hold, each before any is answered.
    let mut play = Play::opened(seeded, configs());
    let region = play.region(1 - seeded.side, pattern(64), Rights::READ);
    let sink = play.region(seeded.side, vec![0; 64], Rights::NONE);
    for at in 0..40 {
        play.post(seeded.side, at, read_op(local(sink, at), 1, remote(region, at)));
    }
    play.send_all(seeded.side);
    traces.push(play.seen());
    traces.into_iter().collect()
}

/// What the other side refuses: the Terminate comes from each side, and to each side.
fn refused(seeded: &Seeded) -> Trace {
    type Made = fn(u32, u32) -> Operation;
    let cases: [Made; 4] = [
        |sink, tag| read_op(local(sink, 0), 9, remote(tag, 0)),
        |_, tag| write_op(b"123456789", remote(tag, 0)),
        |_, _| Operation::send(b"no buffer"),
        |_, tag| send_op(b"x", Some(tag ^ 1), false, None),
    ];
    let mut traces = Vec::new();
    for side in [INITIATOR, RESPONDER] {
        for made in cases {
            let mut both = configs();
            both[1 - side].longest_ulpdu = Some(214);
            let mut play = Play::opened(seeded, both);
            let tag = play.region(1 - side, vec![7; 8], Rights::ALL);
            let sink = play.region(side, vec![0; 16], Rights::NONE);
            let wide = play.region(side, vec![0; 3000], Rights::WRITE);
            play.post(side, 1, made(sink, tag));
            play.post(side, 2, write_op(b"", remote(0, 0)));
            // The side that refuses is within a message.
            play.post(1 - side, 3, write_op(&pattern(1500), remote(wide, 0)));
            play.pair.transmit(1 - side);
            traces.push(play.seen());
        }
    }
    traces.into_iter().collect()
}

/// Flush, Verify and Atomic Write over a region with a store behind it.
fn stored(seeded: &Seeded, fails: bool) -> Trace {
    let mut traces = Vec::new();
    let hash = HashAlgorithm::Sha256.hash(&pattern(16));
    for asker in [INITIATOR, RESPONDER] {
        for (disposition, expected) in [
            ([true, false], None),
            ([false, true], Some(hash.clone())),
            ([true, true], Some(hash[..31].to_vec())),
            ([false, false], Some(vec![1; 32])),
        ] {
            let store = Remembering { fails, ..Remembering::default() };
            let both = configs_with(|config| config.profile = Profile::COMMIT);
            let mut play = Play::opened(seeded, both);
            let tag = store.region(&mut play.pair.ends[1 - asker].memory, 64);
            play.watch(1 - asker, tag);
            let (remote, length, word) = (remote(tag, 8), 16, remote(tag, 0));
            play.post(asker, 1, write_op(&pattern(16), remote));
            play.post(asker, 2, Operation::AtomicWrite { remote: word, data: 1 });
            play.post(asker, 3, flush_op(remote, length, disposition));
            play.post(asker, 4, Operation::AtomicWrite { remote: word, data: 2 });
            play.send_all(asker);
            play.run();
            play.post(asker, 5, Operation::Verify { remote, length, expected });
            let mut seen = play.seen();
            seen.record("flushed", store.flushed.lock().unwrap());
            traces.push(seen);
        }
    }
    traces.into_iter().collect()
}
