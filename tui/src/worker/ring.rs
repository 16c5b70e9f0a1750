//! How much is kept of what never ends.

use super::collect::Taken;
use std::collections::VecDeque;

/// Parts that a ring is cut into: the oldest of them goes when it is full.
const PARTS: u64 = 8;
/// What a frame counts beside its bytes: it is in the index as well.
const FRAME: u64 = 64;
/// The smallest part.
const SMALLEST: u64 = 64 << 10;

/// The parts of a ring.
#[derive(Debug)]
pub(super) struct Ring {
    part: u64,
    filled: u64,
    /// Where each part begins: its first frame, and what had been taken of operations and the like.
    parts: VecDeque<(u32, Taken)>,
}

impl Ring {
    /// A ring of about so many bytes.
    pub(super) fn new(bytes: u64) -> Self {
        let part = (bytes / PARTS).max(SMALLEST);
        Self { part, filled: 0, parts: VecDeque::from([(1, Taken::default())]) }
    }

    /// Counts a frame; true when it is the last of its part.
    pub(super) fn add(&mut self, bytes: u64) -> bool {
        self.filled += bytes + FRAME;
        self.filled >= self.part
    }

    /// Begins another part with this frame. When a part has to go: the first frame that stays, and what had been
    /// taken before it.
    pub(super) fn turn(&mut self, frame: u32, taken: Taken) -> Option<(u32, Taken)> {
        self.filled = 0;
        self.parts.push_back((frame, taken));
        if self.parts.len() as u64 <= PARTS {
            return None;
        }
        self.parts.pop_front();
        self.parts.front().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_part_goes_when_the_ring_is_full() {
        let mut ring = Ring::new(8 << 20);
        let mut frame = 1;
        let mut turns = Vec::new();
        for _ in 0..10 {
            let mut bytes = 0;
            while !ring.add(1000) {
                bytes += 1000 + FRAME;
                frame += 1;
            }
            assert!(bytes < 1 << 20);
            frame += 1;
            turns.push(ring.turn(frame, Taken::default()).map(|(first, _)| first));
        }
        let per_part = (frame - 1) / 10;
        assert!(turns[..7].iter().all(Option::is_none), "{turns:?}");
        assert_eq!(turns[7..], [1, 2, 3].map(|part| Some(part * per_part + 1)));
    }
}
