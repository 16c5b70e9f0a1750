//! Bytes built by hand: FPDUs with faults, markers with faults, streams that end.

use super::alive::Scenario;
use super::play::{Alone, BASE, OWN, Seeded, Step, Trace, role};
use super::segments::{opened, operating};
use crate::prelude::*;
use warpscope_wire::mpa::append_fpdu;

pub(super) const SCENARIOS: &[Scenario] = &[
    ("FPDUs", fpdus),
    ("markers", markers),
    ("ends", ends),
    ("a read that fails midway", failing_read),
    ("who speaks first", first),
];

const WRITE: [u8; 2] = [0xc1, 0x40];

fn after(mut alone: Alone, pieces: &[Vec<u8>]) -> Trace {
    for piece in pieces {
        alone.step(Step::Hear(piece.clone()));
    }
    alone.seen()
}

/// The CRC field of FPDUs without markers again.
fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    let end = bytes.len() - 4;
    let crc = warpscope_wire::crc::crc32c(&bytes[..end]);
    bytes[end..].copy_from_slice(&warpscope_wire::crc::field_bytes(crc));
    bytes
}

fn fpdus(seeded: &Seeded) -> Trace {
    let mut trace = Trace::default();
    for crc in [true, false] {
        let make = || {
            let mut config = Config::new(role(seeded.side), STREAM);
            config.setup.crc = crc;
            opened(seeded, config, if crc { 0x40 } else { 0 })
        };
        let own = make().tags[OWN];
        let good = fpdu(&tagged(WRITE, own, BASE, b"abc"));
        let mut wrong = good.clone();
        wrong[17] ^= 1;
        let mut padded = good.clone();
        let pad = padded.len() - 5;
        padded[pad] = 1;
        let padded = sealed(padded);
        let long = fpdu(&untagged([0x41, 0x43], [0, 0, 1, 0], &pattern(2000)));
        let (front, back) = good.split_at(1);
        let unsealed = good[..good.len() - 2].to_vec();
        let wrong_tag = |other| fpdu(&tagged(WRITE, own ^ other, BASE, b"abc"));
        let two_faults = [wrong_tag(1), wrong_tag(2)].concat();
        let cases = [
            vec![good.clone()],
            vec![wrong, good.clone()],
            vec![padded],
            vec![long],
            vec![front.to_vec(), back.to_vec()],
            vec![unsealed],
            vec![two_faults],
        ];
        for pieces in cases {
            let mut alone = make();
            alone.step(Step::Receive(4000));
            trace = trace.then(after(alone, &pieces));
        }
    }
    trace
}

/// A side that requires markers receives a right one, and others.
fn markers(seeded: &Seeded) -> Trace {
    let mut trace = Trace::default();
    for (at, value) in [(2, 0), (0, 1), (3, 3), (3, 4)] {
        let mut config = Config::new(role(seeded.side), STREAM);
        (config.setup.markers, config.setup.crc) = (true, false);
        let alone = opened(seeded, config, 0x80);
        let mut bytes = Vec::new();
        append_fpdu(&mut bytes, Some(0), &[&tagged(WRITE, alone.tags[OWN], BASE, b"abc")], false)
            .unwrap();
        bytes[at] = value;
        trace = trace.then(after(alone, &[bytes]));
    }
    trace
}

/// The peer closes: between FPDUs, within one, within a message; after a Terminate.
fn ends(seeded: &Seeded) -> Trace {
    let more = fpdu(&untagged([0x01, 0x43], [0, 0, 1, 0], b"more"));
    let terminate = fpdu(&untagged([0x41, 0x47], [0, 2, 1, 0], &[0x20, 2, 0, 0]));
    let mut trace = Trace::default();
    for bytes in [vec![], more[..7].to_vec(), more, terminate] {
        let mut alone = operating(seeded, Profile::RFC5040);
        alone.step(Step::Hear(bytes));
        let sink = local(alone.tags[OWN], BASE);
        alone.step(Step::Post(Operation::Read { sink, length: 4, remote: remote(1, 0) }));
        alone.step(Step::Finish);
        alone.step(Step::Post(Operation::send(b"still")));
        trace = trace.then(alone.seen());
    }
    // This side is to close while a response is awaited.
    let mut alone = operating(seeded, Profile::RFC5040);
    let sink = local(alone.tags[OWN], BASE);
    alone.step(Step::Post(Operation::Read { sink, length: 4, remote: remote(1, 0) }));
    alone.step(Step::Close);
    trace.then(alone.seen())
}

/// RFC 5040 section 4.8: the region goes between two segments of the response.
fn failing_read(seeded: &Seeded) -> Trace {
    let mut config = Config::new(role(seeded.side), STREAM);
    config.longest_ulpdu = Some(14 + 8);
    let mut alone = opened(seeded, config, 0x40);
    let own = alone.tags[OWN];
    alone.step(Step::Ulpdu(untagged([0x41, 0x41], [0, 1, 1, 0], &read(32, own, BASE + 16))));
    alone.step(Step::TransmitOne);
    alone.step(Step::Invalidate(OWN));
    alone.seen()
}

/// A side with work to do, after its setup; and indications of every kind.
fn first(seeded: &Seeded) -> Trace {
    if role(seeded.side) == Role::Initiator {
        return Trace::default();
    }
    let mut alone = Alone::new(seeded, Config::new(Role::Responder, STREAM));
    alone.step(Step::Post(Operation::send(b"first")));
    alone.step(Step::Hear(request(0x40, 1, b"")));
    let mut trace = alone.seen();
    let indications = [
        tagged(WRITE, 0, 0, b""),
        untagged([0x41, 0x43], [0, 0, 1, 0], b""),
        untagged([0x41, 0x41], [0, 1, 1, 0], &read(0, 0, 0)),
        untagged([0x41, 0x43], [0, 0, 1, 0], b"x"),
    ];
    for indication in indications {
        let mut config = Config::new(Role::Responder, STREAM);
        config.setup = SetupConfig::enhanced();
        let mut alone = Alone::new(seeded, config);
        // The initiator has a Write alone.
        alone.step(Step::Hear(request(0x50, 2, &[0x80, 1, 0x80, 1])));
        alone.step(Step::Transmit);
        alone.step(Step::Receive(8));
        alone.step(Step::Ulpdu(indication));
        trace = trace.then(alone.seen());
    }
    trace
}
