//! Operations between two peers, in both directions.

use super::alive::Scenario;
use super::play::{Play, Seeded, Trace};
use crate::prelude::*;

pub(super) const SCENARIOS: &[Scenario] = &[
    ("RFC 5040", |seeded| everything(seeded, Profile::RFC5040, plain)),
    ("RFC 7306", |seeded| everything(seeded, Profile::RFC7306, plain)),
    ("ext-v2", |seeded| everything(seeded, Profile::EXT_V2, plain)),
    ("rdma-commit", |seeded| everything(seeded, Profile::COMMIT, plain)),
    ("all documents", |seeded| everything(seeded, Profile::ALL, plain)),
    ("short segments", |seeded| everything(seeded, Profile::RFC5040, short)),
    ("long segments", |seeded| everything(seeded, Profile::RFC5040, long)),
    ("unaligned", |seeded| everything(seeded, Profile::RFC5040, unaligned)),
    ("order", order),
    ("refused", refused),
];

fn plain(_: &mut Config) {}

fn short(config: &mut Config) {
    config.emss = 200;
}

fn long(config: &mut Config) {
    config.emss = 9000;
    config.setup.crc = false;
}

fn unaligned(config: &mut Config) {
    config.packing = Packing::Unaligned;
    config.longest_ulpdu = Some(301);
}

/// Every operation of a profile, from each side.
fn everything(seeded: &Seeded, profile: Profile, change: fn(&mut Config)) -> Trace {
    let mut both = configs();
    for config in &mut both {
        config.profile = profile;
        config.setup.markers = true;
        change(config);
    }
    let mut play = Play::opened(seeded, both);
    for side in [INITIATOR, RESPONDER] {
        let other = 1 - side;
        let region = play.region(other, pattern(6000), Rights::ALL);
        let spare = play.region(other, vec![0; 8], Rights::WRITE);
        let sink = play.region(side, vec![0; 6000], Rights::NONE);
        for name in 0..8 {
            play.receive(other, name, 3004);
        }
        let mut name = 0;
        let mut post = |play: &mut Play, operation| {
            name += 1;
            play.post(side, name, operation);
        };
        let send = |invalidate, solicited, immediate| Operation::Send {
            source: pattern(2000)[..].into(),
            invalidate,
            solicited,
            immediate,
        };
        let whole = Source::Region(local(sink, 0), 3001);
        post(&mut play, Operation::Write { source: whole, remote: remote(region, 8) });
        post(&mut play, Operation::send(&pattern(3000)));
        post(&mut play, send(Some(spare), true, None));
        post(&mut play, send(None, true, None));
        for (at, length) in [(0, 3003), (9, 0), (17, 8), (4000, 10)] {
            let (sink, remote) = (local(sink, at), remote(region, at + 1));
            post(&mut play, Operation::Read { sink, length, remote });
        }
        if profile.extensions {
            let cmp_swap = AtomicOperation::CmpSwap {
                swap_data: 0xa5a5,
                swap_mask: 0x0ff0,
                compare_data: 0xfe,
                compare_mask: 0xff,
            };
            let mismatch = AtomicOperation::CmpSwap {
                swap_data: 0x5a5a,
                swap_mask: 0x0ff0,
                compare_data: 0x11,
                compare_mask: 0xff,
            };
            let add = AtomicOperation::FetchAdd { add_data: 0xffff_ffff, add_mask: 0x8080 };
            for operation in [add, add, cmp_swap, mismatch] {
                post(&mut play, Operation::Atomic { operation, remote: remote(region, 16) });
            }
            post(&mut play, Operation::Immediate { data: 5, solicited: false });
            post(&mut play, Operation::Immediate { data: 6, solicited: true });
        }
        if profile.ext_v2 {
            let (sink, remote) = (local(sink, 0), remote(region, 0));
            post(&mut play, Operation::ReadV2 { sink, length: 3000, remote });
            post(&mut play, send(None, false, Some(7)));
        }
        if profile.commit {
            let (remote, length) = (remote(region, 0), 3000);
            let (persistence, global_visibility) = (true, false);
            post(&mut play, Operation::Flush { remote, length, persistence, global_visibility });
            post(&mut play, Operation::Verify { remote, length, expected: None });
            post(&mut play, Operation::AtomicWrite { remote, data: 3 });
        }
        play.run();
    }
    play.close();
    play.seen()
}

/// Reads ahead of their responses, a fence, and what may not overtake.
fn order(seeded: &Seeded) -> Trace {
    let mut trace = Trace::default();
    for side in [INITIATOR, RESPONDER] {
        let mut both = configs();
        for config in &mut both {
            (config.setup.ord, config.setup.ird) = (3, 3);
            config.longest_ulpdu = Some(214);
        }
        let mut play = Play::opened(seeded, both);
        let other = 1 - side;
        play.post(INITIATOR, 99, Operation::Write { source: b""[..].into(), remote: remote(0, 0) });
        play.run();
        let region = play.region(other, pattern(3000), Rights::ALL);
        let sink = play.region(side, vec![0; 3000], Rights::NONE);
        for name in 0..2 {
            play.receive(other, name, 1000);
        }
        for at in 0..5 {
            let (sink, remote) = (local(sink, at * 500), remote(region, at * 500));
            play.post(side, at, Operation::Read { sink, length: 500, remote });
        }
        let write = |data| Operation::Write {
            source: vec![data; 500][..].into(),
            remote: remote(region, 0),
        };
        let fenced = WorkRequest { identifier: 6, fence: true, operation: write(1) };
        play.send_all(side);
        play.send_all(other);
        play.post_request(side, fenced);
        play.post(side, 7, Operation::send(&pattern(600)));
        play.post(side, 8, write(2));
        play.pair.ends[side].connection.finish();
        play.post(side, 9, Operation::send(b"late"));
        play.send_all(side);
        play.send_all(other);
        play.run();
        play.close();
        trace = trace.then(play.seen());
    }
    // More requests than the responder can hold, each before any is answered.
    let mut play = Play::opened(seeded, configs());
    let region = play.region(1 - seeded.side, pattern(64), Rights::READ);
    let sink = play.region(seeded.side, vec![0; 64], Rights::NONE);
    play.post(INITIATOR, 99, Operation::Write { source: b""[..].into(), remote: remote(0, 0) });
    play.run();
    for at in 0..40 {
        let (sink, remote) = (local(sink, at), remote(region, at));
        play.post(seeded.side, at, Operation::Read { sink, length: 1, remote });
    }
    play.send_all(seeded.side);
    play.run();
    trace.then(play.seen())
}

/// What the other side refuses: the Terminate comes from each side, and to each side.
fn refused(seeded: &Seeded) -> Trace {
    let mut trace = Trace::default();
    type Made = fn(u32, u32) -> Operation;
    let cases: [Made; 4] = [
        |sink, tag| Operation::Read { sink: local(sink, 0), length: 9, remote: remote(tag, 0) },
        |_, tag| Operation::Write { source: b"123456789"[..].into(), remote: remote(tag, 0) },
        |_, _| Operation::send(b"no buffer"),
        |_, tag| Operation::Send {
            source: b"x"[..].into(),
            invalidate: Some(tag ^ 1),
            solicited: false,
            immediate: None,
        },
    ];
    for side in [INITIATOR, RESPONDER] {
        for made in cases {
            let mut both = configs();
            both[1 - side].longest_ulpdu = Some(214);
            let mut play = Play::opened(seeded, both);
            let empty = || Operation::Write { source: b""[..].into(), remote: remote(0, 0) };
            play.post(INITIATOR, 98, empty());
            play.run();
            let tag = play.region(1 - side, vec![7; 8], Rights::ALL);
            let sink = play.region(side, vec![0; 16], Rights::NONE);
            let wide = Registration::stream(STREAM.stream, Rights::WRITE);
            let wide = play.register(side, vec![0; 3000], wide);
            play.post(side, 1, made(sink, tag));
            play.post(side, 2, empty());
            // The side that refuses is within a message.
            let long = pattern(1500)[..].into();
            play.post(1 - side, 3, Operation::Write { source: long, remote: remote(wide, 0) });
            play.pair.transmit(1 - side);
            play.run();
            trace = trace.then(play.seen());
        }
    }
    trace
}
