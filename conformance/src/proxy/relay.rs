//! Both directions of a connection, and how it ends.

use super::direction::Direction;
use super::draw::Origin;
use super::impairment::Impairments;
use super::told::Told;
use std::time::Duration;

/// What is to be done towards a side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step<'a> {
    /// These bytes go, as a TCP segment of their own.
    Bytes(&'a [u8]),
    /// The direction is closed in good order.
    Finish,
    /// The connection is reset.
    Reset,
    /// Nothing for now.
    Nothing,
}

/// Relays a connection. Times count from any moment, and do not go back.
#[derive(Debug)]
pub struct Relay {
    /// By the side that sends.
    directions: [Direction; 2],
    /// Sides whose direction was closed towards the other, which was told.
    closed: [bool; 2],
    /// The side that is lost.
    lost: Option<u8>,
    /// Whether the other side was told.
    reset: bool,
}

impl Relay {
    /// Relays the connection of this number with these impairments.
    pub fn new(wanted: Impairments, seed: u64, connection: u64) -> Self {
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

    /// Whether bytes of a side may be read: what waits of them is bounded.
    pub fn has_room(&self, from: u8) -> bool {
        let [first, second] = &self.directions;
        let direction = if from == 0 { first } else { second };
        self.lost.is_none() && direction.has_room()
    }

    /// Bytes came from a side.
    pub fn received(&mut self, now: Duration, from: u8, bytes: &[u8]) {
        let markers = self.direction(1 - from).units.wants_markers;
        self.direction(from).take(now, bytes, markers);
    }

    /// A side closed its direction.
    pub fn finished(&mut self, from: u8) {
        self.direction(from).finish();
    }

    /// A side reset the connection, or was lost: what it sent before goes at once, and then the other
    /// side is reset. Once both are lost nothing is left to be done.
    pub fn lost(&mut self, from: u8) {
        match self.lost {
            None => {
                self.lost = Some(from);
                self.direction(from).hurry();
            }
            Some(first) => self.reset |= first != from,
        }
    }

    /// Whether a side is lost.
    pub fn is_lost(&self) -> bool {
        self.lost.is_some()
    }

    /// What is to be done towards the side opposite to this one.
    pub fn step(&mut self, now: Duration, from: u8) -> Step<'_> {
        let (lost, closed, reset) = (self.lost, self.is_closed(from), self.reset);
        let direction = self.direction(from);
        direction.tick(now);
        match lost {
            // Towards a side that is lost nothing goes.
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

    /// So many bytes of the step went.
    pub fn went(&mut self, now: Duration, from: u8, bytes: usize) {
        self.direction(from).went(now, bytes);
    }

    /// A side's direction was closed towards the other.
    pub fn has_finished(&mut self, from: u8) {
        let [first, second] = &mut self.closed;
        *(if from == 0 { first } else { second }) = true;
    }

    /// The other side was reset.
    pub fn has_reset(&mut self) {
        self.reset = true;
    }

    /// When something is due; none when nothing is before more comes.
    pub fn due(&self) -> Option<Duration> {
        self.directions.iter().filter_map(Direction::due).min()
    }

    /// Whether nothing is left to be done.
    pub fn is_over(&self) -> bool {
        self.reset || self.closed == [true, true]
    }

    /// What was done to both directions, by the side that sends.
    pub fn told(&self) -> [Told; 2] {
        let [first, second] = &self.directions;
        [first.told.clone(), second.told.clone()]
    }
}
