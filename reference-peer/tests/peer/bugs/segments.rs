//! Segments built by hand, right ones and wrong ones, each on a connection of its own.

use super::alive::Scenario;
use super::play::{
    Alone, BASE, LASTING, ODD_WINDOW, OTHER_DOMAIN, OTHER_STREAM, OWN, READ_ONLY, SHARED, Seeded,
    Step, Trace, WINDOW, WRITE_ONLY, role,
};
use crate::prelude::*;

pub(super) const SCENARIOS: &[Scenario] = &[
    ("tagged segments", tagged_segments),
    ("untagged segments", untagged_segments),
    ("requests", requests),
    ("atomic requests", atomic_requests),
    ("requests of rdma-commit", commit_requests),
    ("responses", responses),
    ("invalidation", invalidation),
];

const WRITE: [u8; 2] = [0xc1, 0x40];

/// A connection in Full Operation that has spoken and heard, with two receives of eight bytes.
pub(super) fn operating(seeded: &Seeded, profile: Profile) -> Alone {
    let mut config = Config { profile, ..Config::new(role(seeded.side), STREAM) };
    config.setup.ird = 2;
    opened(seeded, config, 0x40)
}

/// The same with a configuration of one's own; the peer's frame has these flags.
pub(super) fn opened(seeded: &Seeded, config: Config, flags: u8) -> Alone {
    let version = if config.profile.ext_v2 { 0x80 } else { 0x40 };
    let mut alone = Alone::new(seeded, config);
    alone.step(Step::Transmit);
    let mut frame = request(flags, 1, &[]);
    if role(seeded.side) == Role::Initiator {
        frame[7..10].copy_from_slice(b"Rep");
    }
    alone.step(Step::Hear(frame));
    alone.step(Step::Post(Operation::Write { source: b""[..].into(), remote: remote(0, 0) }));
    alone.step(Step::Transmit);
    if flags & 0x80 == 0 {
        alone.step(Step::Ulpdu(tagged([0xc1, version], 0, 0, b"")));
    }
    alone.step(Step::Transmit);
    alone.step(Step::Receive(8));
    alone.step(Step::Receive(8));
    alone
}

/// Plays each list of segments on a connection of its own.
fn each(seeded: &Seeded, profile: Profile, cases: impl Fn(&[u32]) -> Vec<Vec<Vec<u8>>>) -> Trace {
    let mut trace = Trace::default();
    let count = cases(&operating(seeded, profile).tags).len();
    for at in 0..count {
        let mut alone = operating(seeded, profile);
        // The tags of a strict peer are made alike, and those of a bug need not be.
        let ulpdus = cases(&alone.tags).swap_remove(at);
        for ulpdu in ulpdus {
            alone.step(Step::Ulpdu(ulpdu));
        }
        trace = trace.then(alone.seen());
    }
    trace
}

fn tagged_segments(seeded: &Seeded) -> Trace {
    each(seeded, Profile::RFC5040, |tags| {
        let own = tags[OWN];
        let one = |segment| vec![segment];
        let tail = tagged(WRITE, own, BASE + 40, b"behind");
        vec![
            one(tagged(WRITE, own, BASE, &[9; 64])),
            one(tagged(WRITE, own, BASE + 60, b"12345")),
            one(tagged(WRITE, own, BASE + 60, &[9; 30])),
            one(tagged(WRITE, own, BASE - 8, &[9; 4])),
            one(tagged(WRITE, own, 8, &[9; 4])),
            one(tagged(WRITE, own, u64::MAX, &[9; 4])),
            one(tagged(WRITE, own, u64::MAX - 3, &[9; 64])),
            one(tagged(WRITE, own ^ 0x80, BASE, &[9; 4])),
            vec![tagged(WRITE, own ^ 0x8000, BASE, &[9; 4]), tail.clone()],
            one(tagged(WRITE, tags[READ_ONLY], BASE, &[9; 4])),
            one(tagged(WRITE, tags[WRITE_ONLY], BASE, &[9; 4])),
            one(tagged(WRITE, tags[OTHER_STREAM], BASE, &[9; 4])),
            one(tagged(WRITE, tags[OTHER_DOMAIN], BASE, &[9; 4])),
            one(tagged(WRITE, tags[SHARED], BASE, &[9; 4])),
            one(tagged(WRITE, tags[WINDOW], BASE, &[9; 24])),
            one(tagged(WRITE, tags[WINDOW], BASE + 20, &[9; 5])),
            one(tagged([0xc0, 0x40], own, BASE, &[9; 4])),
            one(tagged([0xc5, 0x40], own, BASE, &[9; 4])),
            one(tagged([0xc1, 0x70], own, BASE, &[9; 4])),
            one(tagged([0xc1, 0x43], own, BASE, b"")),
            vec![tagged([0xc1, 0x42], own, BASE, &[9; 4]), tail],
        ]
    })
}

fn untagged_segments(seeded: &Seeded) -> Trace {
    let send = |control: [u8; 2], words, payload: &[u8]| untagged(control, words, payload);
    let base = each(seeded, Profile::RFC5040, |_| {
        let (last, more) = ([0x41, 0x43], [0x01, 0x43]);
        let good = |number| send(last, [0, 0, number, 0], b"x");
        vec![
            vec![good(1), good(2), good(3)],
            vec![good(1), good(1)],
            vec![good(2), good(3)],
            vec![good(0)],
            vec![send(last, [0, 4, 1, 0], b"x")],
            vec![send(last, [0, 3, 1, 0], b"x")],
            vec![send(last, [0, 0, 1, 1], b"x")],
            vec![send(more, [0, 0, 1, 0], b"1234"), send(last, [0, 0, 1, 2], b"56"), good(2)],
            vec![send(more, [0, 0, 1, 0], b"1234"), send(last, [0, 0, 1, 4], b"56789")],
            vec![send(last, [0, 0, 1, 0], b"123456789")],
            vec![send(last, [0, 0, 1, 0], b"1234567890")],
            vec![send(last, [0, 0, 1, 0], b"123"), send(last, [0, 0, 2, 0], b"")],
            vec![send([0x42, 0x43], [0, 0, 1, 0], b"x")],
            vec![send([0x7d, 0x73], [0, 0, 1, 0], b"x")],
            vec![send([0x41, 0x03], [0, 0, 1, 0], b"x")],
            vec![send([0x41, 0x83], [0, 0, 1, 0], b"x")],
            vec![send([0x41, 0x4f], [0, 0, 1, 0], b"x")],
            vec![send([0x41, 0x48], [0, 0, 1, 0], b"12345678")],
            vec![send([0x41, 0x43], [0, 1, 1, 0], b"x")],
            vec![send([0x41, 0x41], [0, 0, 1, 0], b"x")],
            vec![send([0x41, 0x45], [0, 0, 1, 0], b"x")],
            vec![send([0x41, 0x47], [0, 2, 1, 0], &[0; 4]), good(1)],
            vec![send([0x41, 0x47], [0, 2, 1, 0], &[0; 3])],
            vec![send([0x41, 0x47], [0, 2, 1, 0], &[0, 5, 0, 0])],
            vec![send([0x41, 0x47], [0, 2, 1, 0], &[0, 0, 0, 1])],
            vec![send([0x41, 0x43], [0, 0, 1, 0], b"x")[..9].to_vec()],
        ]
    });
    let immediate = each(seeded, Profile::RFC7306, |_| {
        let of = |number, payload: &[u8]| send([0x41, 0x48], [0, 0, number, 0], payload);
        vec![
            vec![of(1, b"12345678"), of(2, b"12345678")],
            vec![of(1, b"123456789")],
            vec![of(1, b"1")],
            vec![send([0x41, 0x4b], [0, 3, 1, 0], &[0; 12])],
        ]
    });
    let mixed = each(seeded, Profile::EXT_V2, |_| {
        vec![
            vec![send([0x41, 0x93], [0, 0, 1, 0], b"12345678")],
            vec![send([0x41, 0x93], [0, 0, 1, 0], b"1234567890")],
            vec![send([0x41, 0x43], [0, 0, 1, 0], b"x")],
            vec![
                send([0x01, 0x93], [0, 0, 1, 0], b"12345678"),
                send([0x41, 0x93], [0, 0, 1, 8], b"12345678"),
            ],
        ]
    });
    base.then(immediate).then(mixed)
}

fn requests(seeded: &Seeded) -> Trace {
    let of = |number, payload: &[u8]| untagged([0x41, 0x41], [0, 1, number, 0], payload);
    let ask = |size, tag, offset| vec![of(1, &read(size, tag, offset))];
    each(seeded, Profile::RFC5040, |tags| {
        let own = tags[OWN];
        vec![
            ask(64, own, BASE),
            ask(65, own, BASE),
            ask(90, own, BASE),
            ask(4, own, BASE - 2),
            ask(4, own, 4),
            ask(64, own, u64::MAX - 3),
            ask(4, own ^ 1, BASE),
            ask(0, own ^ 1, BASE),
            ask(4, tags[READ_ONLY], BASE),
            ask(4, tags[WRITE_ONLY], BASE),
            ask(4, tags[OTHER_STREAM], BASE),
            ask(4, tags[OTHER_DOMAIN], BASE),
            ask(24, tags[WINDOW], BASE),
            vec![of(1, &[0; 27])],
            (1..4).map(|number| of(number, &read(4, own, BASE + u64::from(number)))).collect(),
        ]
    })
}

fn atomic_requests(seeded: &Seeded) -> Trace {
    each(seeded, Profile::RFC7306, |tags| {
        let with = |code: u8, tag: u32, offset: u64, set: usize| {
            let mut bytes = vec![0, 0, 0, code, 0, 0, 0, 7];
            bytes.extend_from_slice(&tag.to_be_bytes());
            bytes.extend_from_slice(&offset.to_be_bytes());
            for word in [0x0101_u64, 0x8080, 0, 0xff] {
                bytes.extend_from_slice(&word.to_be_bytes());
            }
            bytes[set] |= 1;
            vec![untagged([0x41, 0x4a], [0, 1, 1, 0], &bytes)]
        };
        // The lowest bit of the identifier is set as it is.
        let ask = |code, tag, offset| with(code, tag, offset, 7);
        let own = tags[OWN];
        vec![
            ask(0, own, BASE),
            ask(2, own, BASE),
            ask(3, own, BASE),
            ask(0, own, BASE + 4),
            ask(0, own, BASE + 60),
            ask(0, tags[WINDOW], BASE + 8),
            ask(0, tags[WINDOW], BASE + 4),
            ask(0, tags[ODD_WINDOW], 0),
            ask(0, tags[ODD_WINDOW], 4),
            ask(0, tags[READ_ONLY], BASE),
            ask(2, tags[WRITE_ONLY], BASE),
            // A reserved bit; Compare Data.
            with(0, own, BASE, 0),
            with(0, own, BASE, 40),
        ]
    })
}

fn commit_requests(seeded: &Seeded) -> Trace {
    each(seeded, Profile::COMMIT, |tags| {
        let ask = |opcode: u8, invalidate, tag: u32, length: u32, offset: u64, rest: &[u8]| {
            let mut bytes = tag.to_be_bytes().to_vec();
            bytes.extend_from_slice(&length.to_be_bytes());
            bytes.extend_from_slice(&offset.to_be_bytes());
            bytes.extend_from_slice(rest);
            vec![untagged([0x41, 0x40 | opcode], [invalidate, 1, 1, 0], &bytes)]
        };
        let mut cases = Vec::new();
        for tag in [tags[OWN], tags[READ_ONLY], tags[WRITE_ONLY]] {
            cases.push(ask(0x0c, 0, tag, 8, BASE, &[0, 0, 0, 3]));
            cases.push(ask(0x0e, 0, tag, 9, BASE, b""));
            cases.push(ask(0x10, 0, tag, 8, BASE, &[1; 8]));
        }
        let own = tags[OWN];
        cases.push(ask(0x0c, own, own, 8, BASE, &[0, 0, 0, 1]));
        cases.push(ask(0x0e, 0, own, 9, BASE, &[1; 4]));
        cases.push(ask(0x0e, 0, own, 9, BASE, &[0x0b]));
        cases.push(ask(0x10, 0, own, 8, BASE + 4, &[1; 8]));
        cases.push(ask(0x10, 0, own, 4, BASE, &[1; 8]));
        cases.push(ask(0x0c, 0, own, 8, BASE, &[0, 0, 0, 1, 0]));
        cases.push(ask(0x0c, 0, own, 0, BASE, &[0, 0, 0, 1]));
        cases.push(ask(0x0c, 0, tags[LASTING], 8, BASE, &[0, 0, 0, 1]));
        cases
    })
}

/// What answers a request that was sent.
fn responses(seeded: &Seeded) -> Trace {
    type Ask = fn(u32) -> Operation;
    let read: Ask =
        |tag| Operation::Read { sink: local(tag, BASE), length: 8, remote: remote(1, 0) };
    let read_v2: Ask =
        |tag| Operation::ReadV2 { sink: local(tag, BASE), length: 8, remote: remote(1, 0) };
    let atomic: Ask = |_| {
        let operation = AtomicOperation::FetchAdd { add_data: 1, add_mask: 0 };
        Operation::Atomic { operation, remote: remote(1, 0) }
    };
    let verify: Ask = |_| Operation::Verify { remote: remote(1, 0), length: 8, expected: None };
    let tag = |alone: &Alone| alone.tags[OWN];
    let answer = |control, payload: &[u8]| untagged([0x41, control], [0, 3, 1, 0], payload);
    type Made<'a> = Box<dyn Fn(u32) -> Vec<u8> + 'a>;
    let cases: Vec<(Profile, Ask, Made<'_>)> = vec![
        (Profile::RFC5040, read, Box::new(|tag| tagged([0xc1, 0x42], tag, BASE, &[9; 8]))),
        (Profile::RFC5040, read, Box::new(|tag| tagged([0xc1, 0x42], tag, BASE, &[9; 7]))),
        (Profile::RFC5040, read, Box::new(|tag| tagged([0xc1, 0x42], tag, BASE, &[9; 9]))),
        (Profile::RFC5040, read, Box::new(|tag| tagged([0xc1, 0x42], tag, BASE + 1, &[9; 8]))),
        (Profile::RFC5040, read, Box::new(|_| tagged([0xc1, 0x42], 0, 0, b""))),
        (Profile::RFC7306, atomic, Box::new(|_| answer(0x4b, &[0; 12]))),
        (Profile::RFC7306, atomic, Box::new(|_| answer(0x4b, &[1; 12]))),
        (Profile::RFC7306, atomic, Box::new(|_| answer(0x4b, &[0; 11]))),
        (Profile::ALL, atomic, Box::new(|_| answer(0x4d, b""))),
        (Profile::ALL, atomic, Box::new(|_| answer(0x4f, b"12345678"))),
        (Profile::COMMIT, verify, Box::new(|_| answer(0x4f, &[9; 64]))),
        (Profile::EXT_V2, read_v2, Box::new(|_| answer(0x92, &[9; 8]))),
        (Profile::EXT_V2, read_v2, Box::new(|_| answer(0x92, &[9; 7]))),
    ];
    let mut trace = Trace::default();
    for (profile, ask, made) in cases {
        let mut alone = operating(seeded, profile);
        let own = tag(&alone);
        alone.step(Step::Post(ask(own)));
        alone.step(Step::Transmit);
        alone.step(Step::Ulpdu(made(own)));
        trace = trace.then(alone.seen());
    }
    // Two Atomics, of which the first is answered.
    let mut alone = operating(seeded, Profile::RFC7306);
    for _ in 0..2 {
        alone.step(Step::Post(atomic(0)));
    }
    alone.step(Step::Transmit);
    alone.step(Step::Ulpdu(answer(0x4b, &[0; 12])));
    trace.then(alone.seen())
}

fn invalidation(seeded: &Seeded) -> Trace {
    let mut trace = Trace::default();
    for at in [OWN, READ_ONLY, OTHER_STREAM, OTHER_DOMAIN, SHARED] {
        let mut alone = operating(seeded, Profile::RFC5040);
        let tag = alone.tags[at];
        alone.step(Step::Ulpdu(untagged([0x41, 0x44], [tag, 0, 1, 0], b"x")));
        alone.step(Step::Ulpdu(tagged(WRITE, tag, BASE, &[9; 4])));
        trace = trace.then(alone.seen());
    }
    // A Send that invalidates nothing, and names an STag.
    let mut alone = operating(seeded, Profile::RFC5040);
    let tag = alone.tags[OWN];
    alone.step(Step::Ulpdu(untagged([0x41, 0x43], [tag, 0, 1, 0], b"x")));
    trace = trace.then(alone.seen());
    for step in [Step::Invalidate(OWN), Step::Revalidate(OWN)] {
        let mut alone = operating(seeded, Profile::RFC5040);
        let tag = alone.tags[OWN];
        alone.step(Step::Invalidate(OWN));
        if matches!(step, Step::Revalidate(_)) {
            alone.step(step);
        }
        alone.step(Step::Ulpdu(tagged(WRITE, tag, BASE, &[9; 4])));
        trace = trace.then(alone.seen());
    }
    trace
}
