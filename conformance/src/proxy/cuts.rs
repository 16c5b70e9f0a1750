//! What is done to a unit.

use super::draw::{Draw, Origin};
use super::impairment::{Impairment, Impairments};
use super::unit::{Kind, Unit};
use std::ops::Range;
use std::time::Duration;

/// The longest pause, in milliseconds.
const LONGEST_PAUSE: usize = 30;
/// A unit in so many has a pause.
const PAUSES: u64 = 8;
/// A cut in so many has a short rest behind it, so that the other side reads what there is: pieces that
/// follow each other closely are often read as one.
const RESTS: u64 = 4;
const REST: Duration = Duration::from_millis(1);
/// Where bytes by themselves are one impairment of several: a unit in so many, and its first bytes.
const ONE_BYTE: u64 = 4;
const FRONT: usize = 256;
/// Cuts anywhere in a unit.
const ANYWHERE: usize = 3;
/// The most units that are joined.
const JOINED: usize = 8;
/// How long joined units may wait for the next, in milliseconds.
const HOLD: Range<usize> = 2..20;

/// What is done to a unit, all of it drawn before its first byte goes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Plan {
    /// Where it is cut: bytes before the cut, with why and the pause that follows; in order.
    pub(super) cuts: Vec<Cut>,
    /// So many of its first bytes go one by one.
    pub(super) one_by_one: usize,
    /// What passes before it begins.
    pub(super) pause: Duration,
    /// How many units are joined, if a group begins with this one; and how long they may wait.
    pub(super) group: usize,
    pub(super) hold: Duration,
}

/// A cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cut {
    /// Bytes of the unit before it.
    pub(super) at: usize,
    pub(super) why: Impairment,
    pub(super) rest: Duration,
}

impl Plan {
    /// Draws what is done to the unit of this number.
    pub(super) fn draw(wanted: Impairments, origin: Origin, number: u64, unit: &Unit) -> Self {
        let mut draw = Draw::of(origin, number);
        let mut plan = Self::default();
        plan.draw_cuts(wanted, unit, &mut draw);
        let alone = Impairments::from_iter([Impairment::OneByte]) == wanted;
        if wanted.has(Impairment::OneByte) && (alone || draw.one_in(ONE_BYTE)) {
            plan.one_by_one = if alone { unit.length } else { unit.length.min(FRONT) };
        }
        if wanted.has(Impairment::Delays) && draw.one_in(PAUSES) {
            plan.pause = Duration::from_millis(draw.between(1, LONGEST_PAUSE) as u64);
        }
        if wanted.has(Impairment::Coalesce) {
            // The setup frames go by themselves: nothing may follow them before an answer.
            let joins = unit.kind != Kind::Setup;
            plan.group = if joins { draw.between(2, JOINED) } else { 1 };
            let hold = draw.between(HOLD.start, HOLD.end);
            plan.hold = Duration::from_millis(hold as u64);
        }
        plan
    }

    fn draw_cuts(&mut self, wanted: Impairments, unit: &Unit, draw: &mut Draw) {
        let kinds: Vec<Impairment> =
            Impairment::CUTS.into_iter().filter(|it| wanted.has(*it)).collect();
        for kind in &kinds {
            // One of several comes every other time; alone it always comes.
            if kinds.len() > 1 && !draw.one_in(2) {
                continue;
            }
            let within = match kind {
                Impairment::CutLength => unit.length_word(),
                Impairment::CutHeader => unit.header(),
                Impairment::CutCrc => unit.crc(),
                Impairment::CutMarker => {
                    let all: Vec<_> = unit.markers().collect();
                    let last = all.len().saturating_sub(1);
                    all.get(draw.between(0, last)).cloned()
                }
                _ => Some(0..unit.length),
            };
            let Some(within) = within.filter(|within| within.len() > 1) else { continue };
            let many = if *kind == Impairment::CutAnywhere { ANYWHERE } else { 1 };
            for _ in 0..draw.between(1, many) {
                let at = draw.between(within.start + 1, within.end - 1);
                let rest = if draw.one_in(RESTS) { REST } else { Duration::ZERO };
                self.cuts.push(Cut { at, why: *kind, rest });
            }
        }
        self.cuts.sort_by_key(|cut| cut.at);
        self.cuts.dedup_by_key(|cut| cut.at);
    }
}
