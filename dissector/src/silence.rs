//! Silences of a connection: times in which nothing of it was captured, and what ended them.

use crate::mpa::Side;

/// The shortest silence: nanoseconds between two frames. Shorter waits of later bytes are reordering, not
/// loss: tshark draws the same line.
pub const SILENCE: i64 = 3_000_000;

/// Statistics of the waits for something.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Waits {
    /// Number of waits.
    pub times: u64,
    /// Total time, in nanoseconds.
    pub total: i64,
    /// The longest wait, in nanoseconds, and the frame that ended it; the first if several are equal.
    pub longest: Option<(i64, u64)>,
}

impl Waits {
    /// Adds a wait that a frame ended.
    pub(crate) fn add(&mut self, length: i64, frame: u64) {
        self.times += 1;
        self.total += length;
        if self.longest.is_none_or(|(longest, _)| longest < length) {
            self.longest = Some((length, frame));
        }
    }
}

/// What was awaited in a silence, judging by the frame that ended it and by what was in progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum Awaited {
    /// Bytes of a side that were missing before later ones: lost or late.
    #[strum(serialize = "missing-bytes")]
    Missing,
    /// A side, which then sent the same bytes again: they, or their acknowledgment, were lost after the
    /// capture point.
    Repetition,
    /// A side's acknowledgment, or room in its window, while the other had more to send.
    Acknowledgment,
    /// A side that was in the middle of a message, or had a request to answer.
    Data,
    /// Nothing: no message and no request was in progress. The side ended it.
    Nothing,
}

impl Awaited {
    /// All variants.
    pub const ALL: [Self; 5] =
        [Self::Missing, Self::Repetition, Self::Acknowledgment, Self::Data, Self::Nothing];
}

/// The silences of a connection, by what was awaited and from which side.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Silences([[Waits; 2]; 5]);

impl Silences {
    /// Returns the silences by what was awaited and from which side, the longest total first.
    pub fn by_time(&self) -> Vec<(Awaited, Side, Waits)> {
        let all = Awaited::ALL.into_iter().flat_map(|it| Side::BOTH.map(|side| (it, side)));
        let waits = all.map(|(awaited, side)| (awaited, side, self.of(awaited, side)));
        let mut waits: Vec<_> = waits.filter(|(_, _, waits)| waits.times > 0).collect();
        waits.sort_by_key(|(_, _, waits)| std::cmp::Reverse(waits.total));
        waits
    }

    /// Returns the silences in which this was awaited.
    pub fn of(&self, awaited: Awaited, side: Side) -> Waits {
        self.0[awaited as usize][side.index()]
    }

    /// Returns the number of silences, and their total time in nanoseconds.
    pub fn all(&self) -> (u64, i64) {
        let all = self.0.iter().flatten();
        all.fold((0, 0), |(times, total), it| (times + it.times, total + it.total))
    }

    pub(crate) fn add(&mut self, (awaited, side): (Awaited, Side), length: i64, frame: u64) {
        self.0[awaited as usize][side.index()].add(length, frame);
    }
}
