//! Bytes built by hand: FPDUs with faults, markers with faults, streams that end.

use super::alive::Scenario;
use super::play::Seeded;
use crate::prelude::*;
use crate::raw::Trace;
use crate::segments::{AS_IT_IS, WRITE, atomic};
use warpscope_wire::mpa::append_fpdu;

pub(super) const SCENARIOS: &[Scenario] = &[
    ("FPDUs", fpdus),
    ("markers", markers),
    ("short FPDUs", short_fpdus),
    ("ends", ends),
    ("a read that fails midway", failing_read),
    ("who speaks first", first),
    ("a tag of one's own", own_tag),
    ("Atomics of two streams", two_streams),
];

/// A connection in Full Operation that has heard this.
fn heard(config: Config, flags: u8, pieces: &[Vec<u8>]) -> Raw {
    let mut raw = Raw::opened(config, flags);
    raw.receive(3, 4000);
    for piece in pieces {
        raw.feed(piece);
    }
    raw
}

fn fpdus(seeded: &Seeded) -> Trace {
    let own = Raw::new(seeded.config()).tags.own;
    let good = fpdu(&tagged(WRITE, own, BASE, b"abc"));
    let mut wrong = good.clone();
    wrong[17] ^= 1;
    let mut padded = good.clone();
    let pad = padded.len() - 5;
    padded[pad] = 1;
    seal(&mut padded);
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
    let of = |crc: bool, pieces: &[Vec<u8>]| {
        let mut config = seeded.config();
        config.setup.crc = crc;
        heard(config, if crc { 0x40 } else { 0 }, pieces).seen()
    };
    [true, false].iter().flat_map(|crc| cases.iter().map(|it| of(*crc, it))).collect()
}

/// A side that requires markers receives a right one, and others.
fn markers(seeded: &Seeded) -> Trace {
    let own = Raw::new(seeded.config()).tags.own;
    let of = |(at, value): (usize, u8)| {
        let mut config = seeded.config();
        (config.setup.markers, config.setup.crc) = (true, false);
        let mut bytes = Vec::new();
        append_fpdu(&mut bytes, Some(0), &[&tagged(WRITE, own, BASE, b"abc")], false).unwrap();
        bytes[at] = value;
        heard(config, 0x80, &[bytes]).seen()
    };
    [(2, 0), (0, 1), (3, 3), (3, 4)].into_iter().map(of).collect()
}

/// So many short FPDUs that a marker falls between two of them.
fn short_fpdus(seeded: &Seeded) -> Trace {
    let mut raw = Raw::opened(seeded.config(), 0xc0);
    (0..200).for_each(|_| raw.ask(write_op(b"", remote(0, 0))));
    raw.seen()
}

/// The peer closes: between FPDUs, within one, within a message; after a Terminate. Then this side,
/// while a response is awaited. Then the connection is lost.
fn ends(seeded: &Seeded) -> Trace {
    let more = fpdu(&untagged([0x01, 0x43], [0, 0, 1, 0], b"more"));
    let terminate = fpdu(&untagged([0x41, 0x47], [0, 2, 1, 0], &[0x20, 2, 0, 0]));
    let of = |(bytes, peer_closes): (Vec<u8>, bool)| {
        let mut raw = heard(seeded.config(), 0x40, &[bytes]);
        raw.ask(read_op(local(raw.tags.own, BASE), 4, remote(1, 0)));
        if peer_closes {
            raw.connection.handle_finish(Duration::ZERO);
            raw.ask(Operation::send(b"still"));
        } else {
            raw.connection.finish();
        }
        raw.seen()
    };
    let lost = || {
        let mut raw = heard(seeded.config(), 0x40, &[]);
        raw.connection.handle_reset();
        raw.seen()
    };
    let cut = more[..7].to_vec();
    let cases = [(vec![], true), (cut, true), (more, true), (terminate, true), (vec![], false)];
    cases.into_iter().map(of).chain([lost()]).collect()
}

/// FetchAdds of one stream and of another on a word that both reach.
fn two_streams(seeded: &Seeded) -> Trace {
    let mut config = Config { profile: Profile::RFC7306, ..seeded.config() };
    let mut one = Raw::opened(config.clone(), 0x40);
    config.accessor.stream += 1;
    let mut other = Raw::opened(config, 0x40);
    one.feed_ulpdu(&atomic(0, one.tags.shared, BASE, AS_IT_IS));
    one.transmit();
    std::mem::swap(&mut one.memory, &mut other.memory);
    other.feed_ulpdu(&atomic(0, other.tags.shared, BASE, AS_IT_IS));
    other.seen()
}

/// RFC 5040 section 4.8: the region goes between two segments of the response.
fn failing_read(seeded: &Seeded) -> Trace {
    let mut raw = Raw::opened(Config { longest_ulpdu: Some(14 + 8), ..seeded.config() }, 0x40);
    let own = raw.tags.own;
    raw.feed_ulpdu(&untagged([0x41, 0x41], [0, 1, 1, 0], &read(32, own, BASE + 16)));
    raw.transmit_one();
    raw.memory.invalidate(own).unwrap();
    raw.seen()
}

/// A tag that this side has invalidated, and revalidated, is used.
fn own_tag(seeded: &Seeded) -> Trace {
    let of = |again: bool| {
        let mut raw = Raw::opened(seeded.config(), 0x40);
        let own = raw.tags.own;
        raw.memory.invalidate(own).unwrap();
        if again {
            raw.memory.revalidate(own, Rights::ALL).unwrap();
        }
        raw.feed_ulpdu(&tagged(WRITE, own, BASE, &[9; 4]));
        raw.seen()
    };
    [false, true].into_iter().map(of).collect()
}

/// A side with work to do, after its setup; and indications of every kind where a Write was offered.
fn first(seeded: &Seeded) -> Trace {
    if seeded.side == INITIATOR {
        return Trace::default();
    }
    let mut raw = Raw::new(seeded.config());
    raw.ask(Operation::send(b"first"));
    raw.feed(&request(0x40, 1, b""));
    let of = |indication: Vec<u8>| {
        let mut raw = Raw::new(Config { setup: SetupConfig::enhanced(), ..seeded.config() });
        raw.feed(&request(0x50, 2, &[0x80, 1, 0x80, 1]));
        raw.transmit();
        raw.receive(1, 8);
        raw.feed_ulpdu(&indication);
        raw.seen()
    };
    let indications = [
        tagged(WRITE, 0, 0, b""),
        untagged([0x41, 0x43], [0, 0, 1, 0], b""),
        untagged([0x41, 0x41], [0, 1, 1, 0], &read(0, 0, 0)),
        untagged([0x41, 0x43], [0, 0, 1, 0], b"x"),
    ];
    [raw.seen()].into_iter().chain(indications.map(of)).collect()
}
