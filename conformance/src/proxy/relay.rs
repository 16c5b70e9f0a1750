//! Both directions of a connection, and its end.

use super::cuts::{Plan, Unit, Units};
use super::impairment::{Impairment, Impairments, Origin};
use std::collections::VecDeque;
use std::time::Duration;
use warpscope_text::counted;

/// The next action towards a side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step<'a> {
    /// Send these bytes as a separate TCP segment.
    Bytes(&'a [u8]),
    /// Close the direction normally.
    Finish,
    Reset,
    Nothing,
}

/// Relays a connection. Times count from any moment, and never go back.
#[derive(Debug)]
pub(crate) struct Relay {
    /// Indexed by the sending side.
    directions: [Direction; 2],
    /// Sides whose direction has already been closed towards the other side.
    closed: [bool; 2],
    lost: Option<u8>,
    /// Whether the other side has been reset.
    reset: bool,
}

impl Relay {
    pub(crate) fn new(wanted: Impairments, seed: u64, connection: u64) -> Self {
        let direction = |side| Direction::new(wanted, Origin { seed, connection, side });
        Self {
            directions: [direction(0), direction(1)],
            closed: [false; 2],
            lost: None,
            reset: false,
        }
    }

    fn direction(&mut self, from: u8) -> &mut Direction {
        let [first, second] = &mut self.directions;
        if from == 0 { first } else { second }
    }

    /// Whether bytes of a side may be read. The bytes that wait are bounded.
    pub(crate) fn has_room(&self, from: u8) -> bool {
        let [first, second] = &self.directions;
        let direction = if from == 0 { first } else { second };
        self.lost.is_none() && direction.has_room()
    }

    /// Takes bytes that came from a side.
    pub(crate) fn received(&mut self, now: Duration, from: u8, bytes: &[u8]) {
        let markers = self.direction(1 - from).units.wants_markers;
        self.direction(from).take(now, bytes, markers);
    }

    /// Records that a side closed its direction.
    pub(crate) fn finished(&mut self, from: u8) {
        self.direction(from).finish();
    }

    /// Records that a side reset the connection, or was lost. What it sent before is sent at once, then the
    /// other side is reset. If both are lost, nothing is left to do.
    pub(crate) fn lost(&mut self, from: u8) {
        match self.lost {
            None => {
                self.lost = Some(from);
                self.direction(from).hurry();
            }
            Some(first) => self.reset |= first != from,
        }
    }

    /// Whether a side has been lost.
    pub(crate) fn is_lost(&self) -> bool {
        self.lost.is_some()
    }

    /// Returns the next action towards the side opposite to this one.
    pub(crate) fn step(&mut self, now: Duration, from: u8) -> Step<'_> {
        let (lost, closed, reset) = (self.lost, self.is_closed(from), self.reset);
        let direction = self.direction(from);
        direction.tick(now);
        match lost {
            // Nothing is sent to a lost side.
            Some(side) if side != from => return Step::Nothing,
            Some(_) if reset => return Step::Nothing,
            Some(_) if direction.is_empty() => return Step::Reset,
            _ => {}
        }
        if direction.is_over() {
            return if closed || lost.is_some() { Step::Nothing } else { Step::Finish };
        }
        direction.piece(now).map_or(Step::Nothing, Step::Bytes)
    }

    fn is_closed(&self, from: u8) -> bool {
        let [first, second] = self.closed;
        if from == 0 { first } else { second }
    }

    pub(crate) fn went(&mut self, now: Duration, from: u8, bytes: usize) {
        self.direction(from).went(now, bytes);
    }

    /// Records that a side's direction was closed towards the other side.
    pub(crate) fn has_finished(&mut self, from: u8) {
        let [first, second] = &mut self.closed;
        *(if from == 0 { first } else { second }) = true;
    }

    /// Records that the other side was reset.
    pub(crate) fn has_reset(&mut self) {
        self.reset = true;
    }

    /// Returns when something is due in each direction; `None` if nothing is until more comes.
    pub(crate) fn due(&self) -> [Option<Duration>; 2] {
        self.directions.each_ref().map(Direction::due)
    }

    /// Whether nothing is left to do.
    pub(crate) fn is_over(&self) -> bool {
        self.reset || self.closed == [true, true]
    }

    /// Returns what was done to both directions, indexed by the sending side.
    pub(crate) fn counts(&self) -> [RelayCounts; 2] {
        let [first, second] = &self.directions;
        [first.counts.clone(), second.counts.clone()]
    }
}

/// How long the beginning of a unit may wait for the bytes that contain its length.
const FRONT_WAIT: Duration = Duration::from_millis(20);
/// The maximum number of bytes that wait to be joined. More are sent.
const HELD: usize = 64 * 1024;
/// Nothing more is taken while this number of bytes or pieces waits.
const ENOUGH: usize = 256 * 1024;
const ENOUGH_PIECES: usize = 4096;

/// Bytes that are sent together.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Piece {
    bytes: Vec<u8>,
    /// The pause between the previous piece and this one.
    pause: Duration,
}

/// The current unit.
#[derive(Debug)]
struct Open {
    unit: Unit,
    plan: Plan,
    next: usize,
    /// The number of its bytes that have been passed on.
    offset: usize,
}

#[derive(Debug)]
pub(super) struct Direction {
    wanted: Impairments,
    origin: Origin,
    pub(super) units: Units,
    open: Option<Open>,
    number: u64,
    /// Bytes of a unit whose length is not known yet, and how many of them have been passed on.
    front: Vec<u8>,
    gone: usize,
    /// The bytes of the current piece.
    held: Vec<u8>,
    /// The number of units that have ended in it.
    joined: usize,
    /// The number of units to join, including the current one, and how long they wait; 0 outside of a group.
    group: usize,
    hold: Duration,
    /// The pause before the next piece.
    pause: Duration,
    deadline: Option<Duration>,
    queue: VecDeque<Piece>,
    queued: usize,
    /// The number of bytes of the first piece that have been written.
    written: usize,
    /// When the last piece was sent.
    last: Duration,
    finished: bool,
    /// Nothing waits any longer, because the connection is being reset.
    hurried: bool,
    pub(super) counts: RelayCounts,
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
            counts: RelayCounts::default(),
        }
    }

    /// Whether there is room for more.
    pub(super) fn has_room(&self) -> bool {
        self.queued + self.held.len() < ENOUGH && self.queue.len() < ENOUGH_PIECES
    }

    /// Takes bytes. `markers` is whether the peer of their sender wants markers.
    pub(super) fn take(&mut self, now: Duration, bytes: &[u8], markers: bool) {
        self.counts.bytes += bytes.len() as u64;
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

    /// Begins a unit: draws what is done to it, and passes on its first bytes.
    fn begin(&mut self, unit: Unit) {
        let plan = Plan::draw(self.wanted, self.origin, self.number, &unit);
        self.number += 1;
        if self.group == 0 && plan.group > 1 {
            (self.group, self.hold) = (plan.group, plan.hold);
        }
        if !plan.pause.is_zero() {
            self.end_piece();
            self.pause += plan.pause;
            self.counts.count(Impairment::Delays);
            self.counts.paused += plan.pause;
        }
        if plan.one_by_one > 0 {
            self.end_piece();
            self.counts.count(Impairment::OneByte);
        }
        let offset = std::mem::take(&mut self.gone);
        self.open = Some(Open { unit, plan, next: 0, offset });
        let front = std::mem::take(&mut self.front);
        self.pass(front.get(offset..).unwrap_or_default());
    }

    /// Passes on bytes of the current unit, with its cuts.
    fn pass(&mut self, bytes: &[u8]) {
        let Some(mut open) = self.open.take() else { return };
        let mut rest = bytes;
        loop {
            // Cuts that were passed while the length was not known can no longer be made.
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
                self.counts.count(cut.why);
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

    /// Queues the held bytes as a piece.
    fn end_piece(&mut self) {
        if self.joined > 1 {
            self.counts.count(Impairment::Coalesce);
        }
        self.joined = 0;
        if self.held.is_empty() {
            return;
        }
        self.counts.pieces += 1;
        let (bytes, pause) = (std::mem::take(&mut self.held), std::mem::take(&mut self.pause));
        self.queued += bytes.len();
        self.queue.push_back(Piece { bytes, pause });
    }

    /// Queues everything that waits for more.
    fn let_go(&mut self) {
        if let Some(more) = self.front.get(self.gone..) {
            self.held.extend_from_slice(more);
            self.gone = self.front.len();
        }
        self.group = 0;
        self.end_piece();
        self.deadline = None;
    }

    /// Records that the sender closed its direction.
    pub(super) fn finish(&mut self) {
        self.let_go();
        self.finished = true;
    }

    /// Sends what waits without pauses, because the connection is being reset.
    pub(super) fn hurry(&mut self) {
        self.let_go();
        self.hurried = true;
    }

    /// Updates the current time.
    pub(super) fn tick(&mut self, now: Duration) {
        if self.deadline.is_some_and(|deadline| deadline <= now) {
            self.let_go();
        }
    }

    /// Returns when something is due; `None` if nothing is until more comes.
    pub(super) fn due(&self) -> Option<Duration> {
        let next = self.queue.front().map(|piece| self.due_of(piece));
        [next, self.deadline].into_iter().flatten().min()
    }

    fn due_of(&self, piece: &Piece) -> Duration {
        let waits = !self.hurried && self.written == 0;
        if waits { self.last + piece.pause } else { self.last }
    }

    /// Returns the bytes to send now, in one write of their own.
    pub(super) fn piece(&self, now: Duration) -> Option<&[u8]> {
        let piece = self.queue.front().filter(|piece| self.due_of(piece) <= now)?;
        piece.bytes.get(self.written..)
    }

    pub(super) fn went(&mut self, now: Duration, bytes: usize) {
        self.written += bytes;
        self.queued = self.queued.saturating_sub(bytes);
        self.last = now;
        if self.queue.front().is_some_and(|piece| self.written >= piece.bytes.len()) {
            self.queue.pop_front();
            self.written = 0;
        }
    }

    /// Whether nothing is waiting.
    pub(super) fn is_empty(&self) -> bool {
        self.queue.is_empty() && self.held.is_empty() && self.gone >= self.front.len()
    }

    /// Whether the sender has closed and everything before has been sent.
    pub(super) fn is_over(&self) -> bool {
        self.finished && self.is_empty()
    }
}

/// What was done to a direction.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct RelayCounts {
    /// The number of bytes that were taken.
    pub bytes: u64,
    /// The number of pieces that they were sent in.
    pub pieces: u64,
    /// How often each impairment was used, by its index in [`Impairment::ALL`].
    pub used: [u64; Impairment::ALL.len()],
    /// The total of the pauses, excluding rests after cuts.
    pub(crate) paused: Duration,
}

impl RelayCounts {
    pub(super) fn count(&mut self, impairment: Impairment) {
        let place = Impairment::ALL.iter().position(|it| *it == impairment);
        if let Some(count) = place.and_then(|place| self.used.get_mut(place)) {
            *count += 1;
        }
    }

    /// Returns how often this impairment was used.
    pub(crate) fn used(&self, impairment: Impairment) -> u64 {
        let place = Impairment::ALL.iter().position(|it| *it == impairment);
        place.and_then(|place| self.used.get(place)).copied().unwrap_or(0)
    }

    /// Describes what was done: `4096 bytes in 31 pieces; 9 cuts within a header`.
    pub(crate) fn describe(&self) -> String {
        let mut words =
            format!("{} in {}", counted(self.bytes, "byte"), counted(self.pieces, "piece"));
        for impairment in Impairment::ALL {
            let times = self.used(impairment);
            if times == 0 {
                continue;
            }
            let more = match impairment {
                Impairment::Delays => {
                    format!("{} of {:?} in all", counted(times, "pause"), self.paused)
                }
                Impairment::Coalesce => format!("{} of joined units", counted(times, "piece")),
                Impairment::OneByte => format!("{} byte by byte", counted(times, "unit")),
                cut => format!("{} {}", counted(times, "cut"), cut.describe()),
            };
            words.push_str(if words.contains(';') { ", " } else { "; " });
            words.push_str(&more);
        }
        words
    }
}
