//! What two sides say to each other when neither is wrong.

use super::side::{Side, Tags, Terms, converse};
use crate::prelude::*;
use warpscope_peer::mpa::{Receiver, Transmitter};

/// What a side says: its setup frame, and its ULPDUs.
#[derive(Debug, Clone, Default)]
pub(super) struct Sent {
    pub(super) setup: Vec<u8>,
    pub(super) ulpdus: Vec<Vec<u8>>,
}

/// What both sides say on these terms.
pub(super) struct Talk {
    pub(super) terms: Terms,
    pub(super) sent: [Sent; 2],
}

/// A talk on every kind of terms.
pub(super) fn talks() -> Vec<Talk> {
    let mut talks = Vec::new();
    for (_, profile) in Profile::NAMES {
        for [crc, markers] in [[true, false], [false, false], [true, true], [false, true]] {
            talks.push(Talk::record(Terms { profile: *profile, crc, markers }));
        }
    }
    talks
}

impl Talk {
    fn record(terms: Terms) -> Self {
        let mut sides = [0, 1].map(|side| Side::new(side, terms, Bugs::NONE));
        let mut sent = [Sent::default(), Sent::default()];
        let mut receivers = [(); 2].map(|()| Receiver::new(terms.markers, terms.crc));
        let rest = converse(&mut sides, |side, mut bytes| {
            let sent = &mut sent[side];
            if sent.setup.is_empty() {
                sent.setup = bytes.to_vec();
                return;
            }
            while let Some(ulpdu) = receivers[side].ulpdu(&mut bytes).expect("a right FPDU") {
                sent.ulpdus.push(ulpdu.to_vec());
            }
        });
        assert!(rest, "{terms:?}");
        Self { terms, sent }
    }

    /// FPDUs of these ULPDUs, as the other side wants them.
    pub(super) fn framed(&self, ulpdus: &[Vec<u8>]) -> Vec<Vec<u8>> {
        let mut transmitter = Transmitter::new(self.terms.markers, self.terms.crc);
        let framed = ulpdus.iter().map(|ulpdu| {
            let mut bytes = Vec::new();
            transmitter.frame(&[ulpdu], &mut bytes).expect("a ULPDU of legal length");
            bytes
        });
        framed.collect()
    }
}

/// Values that lie at some edge.
const EDGES: [u64; 12] =
    [0, 1, 7, 300, 700, 1023, 1024, 1025, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, u64::MAX];

/// Changes one ULPDU, or their order. DDP and RDMAP see it: length, markers and CRC are right.
pub(super) fn ulpdus(random: &mut Random, sent: &mut Sent, tags: &Tags) {
    let which = random.under(sent.ulpdus.len());
    let other = random.under(sent.ulpdus.len());
    match random.under(12) {
        0 => {
            let again = sent.ulpdus[which].clone();
            sent.ulpdus.insert(other, again);
        }
        1 => {
            sent.ulpdus.remove(which);
        }
        2 => sent.ulpdus.swap(which, other),
        _ => ulpdu(random, &mut sent.ulpdus[which], tags),
    }
    if sent.ulpdus.is_empty() {
        sent.ulpdus.push(Vec::new());
    }
}

fn ulpdu(random: &mut Random, ulpdu: &mut Vec<u8>, tags: &Tags) {
    // Headers are where most is decided.
    let reach = if random.once_in(4) { ulpdu.len() } else { ulpdu.len().min(70) };
    let at = random.under(reach);
    match random.under(8) {
        0 => ulpdu.truncate(at),
        1 => {
            let more = random.of(&[1, 4, 100, 800, 4000]);
            let more = random.under(more) + 1;
            ulpdu.extend((0..more).map(|it| it as u8));
        }
        2 | 3 => flip(random, ulpdu, reach),
        4 => put(ulpdu, random.under(3), &[random.number() as u8]),
        5 => {
            // A Steering Tag of this side where tagged headers and requests have one.
            let tag = random.of(&tags.all()) ^ u32::from(random.once_in(4));
            put(ulpdu, random.of(&[2, 18, 34]), &tag.to_be_bytes());
        }
        6 => {
            // QN, MSN, MO, or half of a Tagged Offset.
            let edge = random.of(&EDGES) as u32;
            put(ulpdu, random.of(&[6, 10, 14, 22, 26, 30, 38, 42]), &edge.to_be_bytes());
        }
        _ => {
            let edge = random.of(&EDGES).wrapping_sub(random.under(2) as u64);
            put(ulpdu, random.of(&[6, 22, 26, 38]), &edge.to_be_bytes());
        }
    }
}

/// Changes bytes as they are: what is wrong may be wrong anywhere.
pub(super) fn bytes(random: &mut Random, bytes: &mut Vec<u8>) {
    let at = random.under(bytes.len());
    match random.under(7) {
        0 => bytes.truncate(at),
        1 => {
            let end = (at + random.under(40)).min(bytes.len());
            bytes.drain(at..end);
        }
        2 => {
            let new = (0..random.under(40)).map(|_| random.number() as u8).collect::<Vec<u8>>();
            bytes.splice(at..at, new);
        }
        // The length in front of an FPDU.
        3 => put(bytes, 0, &(random.number() as u16).to_be_bytes()),
        4 => put(bytes, 0, &(random.of(&EDGES) as u16).to_be_bytes()),
        _ => flip(random, bytes, usize::MAX),
    }
}

/// Changes a setup frame: flags, revision, length of private data, depths, or anything.
pub(super) fn setup(random: &mut Random, frame: &mut Vec<u8>) {
    match random.under(6) {
        0 => bytes(random, frame),
        1 => put(frame, 18, &(random.of(&EDGES) as u16).to_be_bytes()),
        2 => put(frame, 20, &(random.number() as u32).to_be_bytes()),
        _ => put(frame, 16 + random.under(8), &[random.number() as u8]),
    }
}

fn flip(random: &mut Random, bytes: &mut [u8], reach: usize) {
    let reach = reach.min(bytes.len());
    for _ in 0..=random.under(4) {
        if let Some(byte) = bytes.get_mut(random.under(reach)) {
            *byte ^= 1 << random.under(8);
        }
    }
}

fn put(bytes: &mut [u8], at: usize, new: &[u8]) {
    for (byte, new) in bytes.iter_mut().skip(at).zip(new) {
        *byte = *new;
    }
}

/// SplitMix64.
pub(super) struct Random(u64);

impl Random {
    /// The numbers of a case.
    pub(super) fn new(case: u64) -> Self {
        Self(case.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    pub(super) fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// A number under `end`; 0 when `end` is.
    pub(super) fn under(&mut self, end: usize) -> usize {
        (self.number() % end.max(1) as u64) as usize
    }

    pub(super) fn once_in(&mut self, times: usize) -> bool {
        self.under(times) == 0
    }

    pub(super) fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.under(choices.len())]
    }
}
