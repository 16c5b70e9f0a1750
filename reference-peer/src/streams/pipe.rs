//! Two sides in one program, and the TCP connections between them.

use super::{StreamEvent, Streams, Wish};
use crate::connection::{Config, Transmit};
use crate::service::Service;
use std::time::Duration;

/// Two sides whose TCP connections lose and delay nothing. Each side's [`Wish::Connect`] is
/// accepted by the other, whatever the address.
#[derive(Debug)]
pub struct Pipe {
    /// The sides.
    pub sides: [Streams; 2],
    /// What each side accepts with.
    pub accepting: [Config; 2],
    /// The longest piece in which bytes arrive.
    pub piece: usize,
    /// The numbers of the streams at both sides.
    pairs: Vec<[u64; 2]>,
}

impl Pipe {
    /// Sides without streams, that accept with these configurations.
    pub fn new(sides: [Streams; 2], accepting: [Config; 2]) -> Self {
        Self { sides, accepting, piece: usize::MAX, pairs: Vec::new() }
    }

    /// Carries everything that is to be carried, and lets both services work, until nothing moves
    /// any more.
    pub fn run(&mut self, services: &mut [&mut dyn Service; 2]) {
        let mut moved = true;
        while moved {
            moved = self.carry();
            for (side, service) in services.iter_mut().enumerate() {
                while let Some((number, event)) = self.poll(side) {
                    service.handle(&mut self.sides[side & 1], number, event);
                    moved = true;
                }
            }
        }
    }

    /// What happened next at a side.
    pub fn poll(&mut self, side: usize) -> Option<(u64, StreamEvent)> {
        self.sides[side & 1].poll()
    }

    /// Lets time pass on both sides.
    pub fn set_now(&mut self, now: Duration) {
        for side in &mut self.sides {
            side.set_now(now);
        }
    }

    /// Carries what both sides have to send; says whether there was anything.
    pub fn carry(&mut self) -> bool {
        let mut moved = false;
        for side in [0, 1] {
            while let Some(wish) = self.sides[side].poll_wish() {
                let Wish::Connect(number, _) = wish;
                let there = self.sides[1 - side].accepted(self.accepting[1 - side].clone(), None);
                self.sides[side].opened(number, None);
                let mut pair = [there; 2];
                pair[side] = number;
                self.pairs.push(pair);
                moved = true;
            }
            while let Some(number) = self.sides[side].poll_sending() {
                moved |= self.carry_stream(side, number);
            }
        }
        let [left, right] = &mut self.sides;
        self.pairs.retain(|[here, there]| {
            let over = left.is_over(*here) && right.is_over(*there);
            if over {
                left.remove(*here);
                right.remove(*there);
            }
            !over
        });
        moved
    }

    fn carry_stream(&mut self, side: usize, number: u64) -> bool {
        let Some(pair) = self.pairs.iter().find(|pair| pair[side] == number) else { return false };
        let other = pair[1 - side];
        let mut moved = false;
        while let Some(transmit) = self.sides[side].poll_transmit(number) {
            let there = &mut self.sides[1 - side];
            match transmit {
                Transmit::Bytes(bytes) => {
                    for piece in bytes.chunks(self.piece.max(1)) {
                        there.received(other, piece);
                    }
                }
                Transmit::Finish => there.finished(other),
                Transmit::Reset => there.lost(other),
            }
            moved = true;
        }
        moved
    }
}
