//! What happened in each interval of time.

use super::calls::Range;
use std::collections::BTreeMap;

/// The most intervals that are kept when the user chose how long they are.
const MOST_CHOSEN: usize = 100_000;
/// The most when the intervals are to be chosen from what there is.
const MOST_AUTOMATIC: usize = 4096;
/// How many times longer intervals become when there are too many.
const WIDER: u64 = 10;
/// The shortest interval, where none was chosen.
const SHORTEST: u64 = 1_000;

/// What happened in an interval.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Interval {
    /// Frames of iWARP connections.
    pub frames: u64,
    /// Their bytes on the wire, link header included.
    pub wire: u64,
    /// Bytes of TCP payload in them.
    pub payload: u64,
    /// Bytes of TCP payload that the streams had already.
    pub repeated: u64,
    /// Messages that were complete.
    pub messages: u64,
    /// Bytes of the user's data in segments.
    pub data: u64,
    /// RPC calls.
    pub calls: u64,
    /// Credits that replies granted.
    pub granted: Option<Range>,
    /// The most calls of a connection in flight when one was sent.
    pub in_use: u32,
}

impl Interval {
    pub(super) fn add(&mut self, other: &Self) {
        self.frames += other.frames;
        self.wire += other.wire;
        self.payload += other.payload;
        self.repeated += other.repeated;
        self.messages += other.messages;
        self.data += other.data;
        self.calls += other.calls;
        if let Some(granted) = other.granted {
            Range::widen(&mut self.granted, granted.least);
            Range::widen(&mut self.granted, granted.most);
        }
        self.in_use = self.in_use.max(other.in_use);
    }
}

/// Intervals of one length, those with nothing in them left out.
#[derive(Debug, Clone)]
pub struct Timeline {
    interval: u64,
    most: usize,
    automatic: bool,
    origin: Option<i64>,
    now: i64,
    intervals: BTreeMap<i64, Interval>,
}

impl Timeline {
    /// Intervals of so many nanoseconds; `None` to choose later.
    pub fn new(interval: Option<u64>) -> Self {
        Self {
            interval: interval.unwrap_or(SHORTEST).max(1),
            most: if interval.is_some() { MOST_CHOSEN } else { MOST_AUTOMATIC },
            automatic: interval.is_none(),
            origin: None,
            now: 0,
            intervals: BTreeMap::new(),
        }
    }

    /// A frame was captured then: what follows belongs to its interval. The first one is where time
    /// begins.
    pub fn at(&mut self, time: Option<i64>) {
        let Some(time) = time else { return };
        let origin = *self.origin.get_or_insert(time);
        self.now = time.saturating_sub(origin);
    }

    /// Adds what happened.
    pub fn add(&mut self, what: &Interval) {
        // An interval is at most as long as a user can write, and that fits.
        let length = i64::try_from(self.interval).unwrap_or(i64::MAX);
        self.intervals.entry(self.now.div_euclid(length)).or_default().add(what);
        while self.intervals.len() > self.most {
            self.widen(WIDER);
        }
    }

    fn widen(&mut self, factor: u64) {
        self.intervals = merged(&self.intervals, factor);
        self.interval = self.interval.saturating_mul(factor);
    }

    /// Length of the intervals in nanoseconds, and each that something happened in by its start,
    /// in nanoseconds since the first frame. Where no length was chosen, it is 1, 2 or 5 with any
    /// number of zeros, so that there are at most so many.
    pub fn intervals(&self, at_most: u64) -> (u64, Vec<(i64, Interval)>) {
        let factor = if self.automatic { self.factor(at_most.max(1)) } else { 1 };
        let length = self.interval.saturating_mul(factor);
        let start = |index: i64| index.saturating_mul(i64::try_from(length).unwrap_or(i64::MAX));
        let merged = merged(&self.intervals, factor);
        (length, merged.into_iter().map(|(index, what)| (start(index), what)).collect())
    }

    /// How many of the intervals make one, so that there are at most so many from first to last.
    fn factor(&self, at_most: u64) -> u64 {
        let mut ends = self.intervals.keys();
        let Some(first) = ends.next() else { return 1 };
        let last = ends.next_back().unwrap_or(first);
        let mut steps = (0..19).flat_map(|zeros| [1, 2, 5].map(|digit| digit * 10_u64.pow(zeros)));
        let fits = |factor: &u64| {
            let factor = i64::try_from(*factor).unwrap_or(i64::MAX);
            (last.div_euclid(factor) - first.div_euclid(factor)).unsigned_abs() < at_most
        };
        steps.find(fits).unwrap_or(1)
    }
}

fn merged(intervals: &BTreeMap<i64, Interval>, factor: u64) -> BTreeMap<i64, Interval> {
    let factor = i64::try_from(factor).unwrap_or(i64::MAX);
    let mut merged: BTreeMap<i64, Interval> = BTreeMap::new();
    for (index, what) in intervals {
        merged.entry(index.div_euclid(factor)).or_default().add(what);
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: i64 = 1_000_000_000;

    fn frame(wire: u64) -> Interval {
        Interval { frames: 1, wire, ..Interval::default() }
    }

    #[test]
    fn time_begins_with_the_first_frame() {
        let mut timeline = Timeline::new(Some(SECOND as u64));
        for (time, wire) in [(10, 1), (SECOND + 9, 2), (SECOND + 10, 4), (5 * SECOND, 8), (9, 16)] {
            timeline.at(Some(time));
            timeline.add(&frame(wire));
        }
        // What has no time of its own goes where the last frame went.
        timeline.at(None);
        timeline.add(&frame(32));
        let (length, intervals) = timeline.intervals(1);
        assert_eq!(length, SECOND as u64);
        let seen: Vec<_> = intervals.iter().map(|(start, what)| (*start, what.wire)).collect();
        // 5 s is 10 ns before the end of the fifth interval; 9 ns is before the first frame.
        assert_eq!(seen, [(-SECOND, 48), (0, 3), (SECOND, 4), (4 * SECOND, 8)]);
    }

    #[test]
    fn lengths_are_chosen_to_have_few_intervals() {
        for (last, at_most, length) in [
            (0, 40, 1_000),
            (39_999, 40, 1_000),
            (40_000, 40, 2_000),
            (80_000, 40, 5_000),
            (3 * SECOND, 40, 100_000_000),
            (1_800 * SECOND, 40, 50_000_000_000),
        ] {
            let mut timeline = Timeline::new(None);
            for time in [0, last] {
                timeline.at(Some(time));
                timeline.add(&frame(1));
            }
            let (chosen, intervals) = timeline.intervals(at_most);
            assert_eq!(chosen, length, "{last}");
            assert_eq!(intervals.iter().map(|(_, what)| what.frames).sum::<u64>(), 2);
        }
    }

    #[test]
    fn intervals_grow_when_there_are_too_many() {
        let mut timeline = Timeline::new(Some(1));
        for time in 0..1_000_000 {
            timeline.at(Some(time));
            timeline.add(&frame(3));
            assert!(timeline.intervals.len() <= MOST_CHOSEN);
        }
        let (length, intervals) = timeline.intervals(1);
        assert_eq!((length, intervals.len()), (10, 100_000));
        assert!(intervals.iter().all(|(_, what)| what.wire == 30));
    }

    #[test]
    fn the_widest_times_do_no_harm() {
        let mut timeline = Timeline::new(None);
        for time in [i64::MIN, i64::MAX, 0] {
            timeline.at(Some(time));
            timeline.add(&frame(1));
        }
        let (_, intervals) = timeline.intervals(40);
        assert_eq!(intervals.iter().map(|(_, what)| what.frames).sum::<u64>(), 3);
    }
}
