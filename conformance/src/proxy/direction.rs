//! One direction: bytes go in as they come, and pieces come out.

use super::cuts::Plan;
use super::draw::Origin;
use super::impairment::{Impairment, Impairments};
use super::told::Told;
use super::unit::{Unit, Units};
use std::collections::VecDeque;
use std::time::Duration;

/// How long the front of a unit may wait for the bytes that say how long it is.
const FRONT_WAIT: Duration = Duration::from_millis(20);
/// The most bytes that wait to be joined: more go.
const HELD: usize = 64 * 1024;
/// No more is taken in while so many bytes, or so many pieces, wait.
const ENOUGH: usize = 256 * 1024;
const ENOUGH_PIECES: usize = 4096;

/// Bytes that go out together.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Piece {
    bytes: Vec<u8>,
    /// What passes between the piece before and this one.
    pause: Duration,
}

/// The unit at hand.
#[derive(Debug)]
struct Open {
    unit: Unit,
    plan: Plan,
    /// The next of its cuts.
    next: usize,
    /// Bytes of it that are behind.
    offset: usize,
}

/// A direction.
#[derive(Debug)]
pub(super) struct Direction {
    wanted: Impairments,
    origin: Origin,
    pub(super) units: Units,
    open: Option<Open>,
    number: u64,
    /// Bytes of a unit whose length is not known yet, and how many of them have gone on.
    front: Vec<u8>,
    gone: usize,
    /// Bytes of the piece that is being made.
    held: Vec<u8>,
    /// Units that have ended in it.
    joined: usize,
    /// How many units are to be joined, the one at hand counted, and how long they wait; 0 outside of a
    /// group.
    group: usize,
    hold: Duration,
    /// What passes before the next piece.
    pause: Duration,
    deadline: Option<Duration>,
    queue: VecDeque<Piece>,
    queued: usize,
    /// Bytes of the first piece that went.
    written: usize,
    /// When the last piece went.
    last: Duration,
    finished: bool,
    /// Nothing waits any more: the connection is being reset.
    hurried: bool,
    pub(super) told: Told,
}

impl Direction {
    pub(super) fn new(wanted: Impairments, origin: Origin) -> Self {
        Self {
            wanted,
            origin,
            units: Units::default(),
            open: None,
            number: 0,
            front: Vec::new(),
            gone: 0,
            held: Vec::new(),
            joined: 0,
            group: 0,
            hold: Duration::ZERO,
            pause: Duration::ZERO,
            deadline: None,
            queue: VecDeque::new(),
            queued: 0,
            written: 0,
            last: Duration::ZERO,
            finished: false,
            hurried: false,
            told: Told::default(),
        }
    }

    /// Whether there is room for more.
    pub(super) fn has_room(&self) -> bool {
        self.queued + self.held.len() < ENOUGH && self.queue.len() < ENOUGH_PIECES
    }

    /// Takes bytes; `markers` is whether the peer of their sender wants markers.
    pub(super) fn take(&mut self, now: Duration, bytes: &[u8], markers: bool) {
        self.told.bytes += bytes.len() as u64;
        if self.wanted.is_none() {
            self.held.extend_from_slice(bytes);
            self.end_piece();
            return;
        }
        let mut rest = bytes;
        while let Some((first, behind)) = rest.split_first() {
            if let Some(open) = &self.open {
                let left = open.unit.length.saturating_sub(open.offset).min(rest.len());
                let (part, behind) = rest.split_at(left);
                rest = behind;
                self.pass(part);
            } else {
                self.front.push(*first);
                rest = behind;
                if let Some(unit) = self.units.next(&self.front, markers) {
                    self.begin(unit);
                }
            }
        }
        if self.group == 0 {
            self.end_piece();
        }
        let waits = !self.held.is_empty() || self.gone < self.front.len();
        let wait = if self.group == 0 { FRONT_WAIT } else { self.hold };
        self.deadline = waits.then(|| self.deadline.unwrap_or(now + wait));
    }

    /// A unit is known: what is done to it is drawn, and its first bytes go.
    fn begin(&mut self, unit: Unit) {
        let plan = Plan::draw(self.wanted, self.origin, self.number, &unit);
        self.number += 1;
        if self.group == 0 && plan.group > 1 {
            (self.group, self.hold) = (plan.group, plan.hold);
        }
        if !plan.pause.is_zero() {
            self.end_piece();
            self.pause += plan.pause;
            self.told.count(Impairment::Delays);
            self.told.paused += plan.pause;
        }
        if plan.one_by_one > 0 {
            self.end_piece();
            self.told.count(Impairment::OneByte);
        }
        let offset = std::mem::take(&mut self.gone);
        self.open = Some(Open { unit, plan, next: 0, offset });
        let front = std::mem::take(&mut self.front);
        self.pass(front.get(offset..).unwrap_or_default());
    }

    /// Bytes of the unit at hand: cut where it is to be cut.
    fn pass(&mut self, bytes: &[u8]) {
        let Some(mut open) = self.open.take() else { return };
        let mut rest = bytes;
        loop {
            // Cuts that a unit's front went past while its length was not known are of no use any more.
            while open.plan.cuts.get(open.next).is_some_and(|cut| cut.at <= open.offset) {
                open.next += 1;
            }
            let cut = open.plan.cuts.get(open.next);
            let mut until = cut.map_or(open.unit.length, |cut| cut.at);
            let single = open.offset < open.plan.one_by_one;
            if single {
                until = open.offset + 1;
            }
            let (part, behind) = rest.split_at((until - open.offset).min(rest.len()));
            self.held.extend_from_slice(part);
            open.offset += part.len();
            rest = behind;
            if open.offset < until {
                break;
            }
            if open.offset >= open.unit.length {
                self.end_unit(single);
                return;
            }
            if let Some(cut) = cut.filter(|cut| cut.at == until) {
                self.told.count(cut.why);
                self.end_piece();
                self.pause += cut.rest;
            } else {
                self.end_piece();
            }
            if rest.is_empty() {
                break;
            }
        }
        self.open = Some(open);
    }

    fn end_unit(&mut self, single: bool) {
        self.joined += 1;
        self.group = self.group.saturating_sub(1);
        if self.group == 0 || single || self.held.len() > HELD {
            self.group = 0;
            self.end_piece();
        }
    }

    /// What is held goes, as a piece.
    fn end_piece(&mut self) {
        if self.joined > 1 {
            self.told.count(Impairment::Coalesce);
        }
        self.joined = 0;
        if self.held.is_empty() {
            return;
        }
        self.told.pieces += 1;
        let (bytes, pause) = (std::mem::take(&mut self.held), std::mem::take(&mut self.pause));
        self.queued += bytes.len();
        self.queue.push_back(Piece { bytes, pause });
    }

    /// Everything that waits for more goes.
    fn let_go(&mut self) {
        if let Some(more) = self.front.get(self.gone..) {
            self.held.extend_from_slice(more);
            self.gone = self.front.len();
        }
        self.group = 0;
        self.end_piece();
        self.deadline = None;
    }

    /// The sender closed its direction.
    pub(super) fn finish(&mut self) {
        self.let_go();
        self.finished = true;
    }

    /// The connection is being reset: what waits goes without pauses.
    pub(super) fn hurry(&mut self) {
        self.let_go();
        self.hurried = true;
    }

    /// Time has passed.
    pub(super) fn tick(&mut self, now: Duration) {
        if self.deadline.is_some_and(|deadline| deadline <= now) {
            self.let_go();
        }
    }

    /// When something is due; none when nothing is before more comes.
    pub(super) fn due(&self) -> Option<Duration> {
        let next = self.queue.front().map(|piece| self.due_of(piece));
        [next, self.deadline].into_iter().flatten().min()
    }

    fn due_of(&self, piece: &Piece) -> Duration {
        let waits = !self.hurried && self.written == 0;
        if waits { self.last + piece.pause } else { self.last }
    }

    /// The bytes that are to go now, at once and by themselves.
    pub(super) fn piece(&self, now: Duration) -> Option<&[u8]> {
        let piece = self.queue.front().filter(|piece| self.due_of(piece) <= now)?;
        piece.bytes.get(self.written..)
    }

    /// So many bytes of the piece went.
    pub(super) fn went(&mut self, now: Duration, bytes: usize) {
        self.written += bytes;
        self.queued = self.queued.saturating_sub(bytes);
        self.last = now;
        if self.queue.front().is_some_and(|piece| self.written >= piece.bytes.len()) {
            self.queue.pop_front();
            self.written = 0;
        }
    }

    /// Whether nothing waits.
    pub(super) fn is_empty(&self) -> bool {
        self.queue.is_empty() && self.held.is_empty() && self.gone >= self.front.len()
    }

    /// Whether the sender closed, and everything before went.
    pub(super) fn is_over(&self) -> bool {
        self.finished && self.is_empty()
    }
}
