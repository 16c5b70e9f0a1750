//! What two sides say to each other when neither is wrong.

use super::side::{Side, Terms};
use crate::prelude::*;
use warpscope_peer::mpa::{Receiver, Transmitter};

/// What a side says: its setup frame, and its ULPDUs.
#[derive(Debug, Clone, Default)]
pub(super) struct Said {
    pub(super) setup: Vec<u8>,
    pub(super) ulpdus: Vec<Vec<u8>>,
}

/// What both sides say on these terms.
pub(super) struct Talk {
    pub(super) terms: Terms,
    pub(super) said: [Said; 2],
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
        let mut sides = [0, 1].map(|side| Side::new(side, terms));
        let mut said = [Said::default(), Said::default()];
        let receiver = || Receiver::new(terms.markers, terms.crc);
        let mut receivers = [receiver(), receiver()];
        let mut busy = true;
        while busy {
            busy = false;
            for side in [0, 1] {
                let Some(Transmit::Bytes(bytes)) = sides[side].transmit() else { continue };
                busy = true;
                sides[1 - side].feed(&bytes);
                let said = &mut said[side];
                if said.setup.is_empty() {
                    said.setup = bytes;
                    continue;
                }
                let mut rest = &bytes[..];
                while let Some(ulpdu) = receivers[side].ulpdu(&mut rest).expect("a right FPDU") {
                    said.ulpdus.push(ulpdu.to_vec());
                }
            }
        }
        Self { terms, said }
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
