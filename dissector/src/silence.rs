//! Silences of a connection: times in which nothing of it was captured, and what ended them.

use crate::mpa::Side;

/// From so many nanoseconds between two frames on there is a silence. Shorter waits of later bytes are
/// reordering, not loss: tshark draws the same line.
pub const SILENCE: i64 = 3_000_000;

/// Times that something was waited for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Waits {
    /// How often.
    pub times: u64,
    /// How long together, in nanoseconds.
    pub total: i64,
    /// The longest, in nanoseconds, and the frame that ended it; the first of several.
    pub longest: Option<(i64, u64)>,
}

impl Waits {
    /// Counts one that a frame ended.
    pub(crate) fn add(&mut self, length: i64, frame: u64) {
        self.times += 1;
        self.total += length;
        if self.longest.is_none_or(|(longest, _)| longest < length) {
            self.longest = Some((length, frame));
        }
    }
}

/// What a silence waited for, as far as the frame that ended it and what was under way show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum Awaited {
    /// Bytes of a side that were missing before later ones: lost or late.
    #[strum(serialize = "missing-bytes")]
    Missing,
    /// A side, which then sent again what it had sent: its bytes were lost after the capture point, or
    /// their acknowledgment was.
    Repetition,
    /// A side's acknowledgment, or room in its window, while the other had more to send.
    Acknowledgment,
    /// A side that was amid a message, or had a request to answer.
    Data,
    /// Nothing: no message and no request was under way. The side ended it.
    Nothing,
}

impl Awaited {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Missing, Self::Repetition, Self::Acknowledgment, Self::Data, Self::Nothing];
}

/// The silences of a connection, by what they waited for and of which side.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Silences([[Waits; 2]; 5]);

impl Silences {
    /// What they waited for and of which side, what took longest first.
    pub fn by_time(&self) -> Vec<(Awaited, Side, Waits)> {
        let all = Awaited::ALL.into_iter().flat_map(|it| Side::BOTH.map(|side| (it, side)));
        let waits = all.map(|(awaited, side)| (awaited, side, self.of(awaited, side)));
        let mut waits: Vec<_> = waits.filter(|(_, _, waits)| waits.times > 0).collect();
        waits.sort_by_key(|(_, _, waits)| std::cmp::Reverse(waits.total));
        waits
    }

    /// Those that waited for this.
    pub fn of(&self, awaited: Awaited, side: Side) -> Waits {
        self.0[awaited as usize][side.index()]
    }

    /// How often it was silent, and how long together, in nanoseconds.
    pub fn all(&self) -> (u64, i64) {
        let all = self.0.iter().flatten();
        all.fold((0, 0), |(times, total), it| (times + it.times, total + it.total))
    }

    pub(crate) fn add(&mut self, (awaited, side): (Awaited, Side), length: i64, frame: u64) {
        self.0[awaited as usize][side.index()].add(length, frame);
    }
}
