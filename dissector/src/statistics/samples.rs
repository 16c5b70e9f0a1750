//! Percentiles of durations: exact for few values, otherwise from a histogram of bounded size.

use super::operations::{Opcode, Range};
use crate::message::SegmentItem;
use hdrhistogram::Histogram;
use std::collections::BTreeMap;
use warpscope_wire::rdmap::Message;

/// The longest duration that a sketch distinguishes, in nanoseconds: about 2.4 hours.
const LONGEST: u64 = 1 << 43;

/// How much memory samples may take, and thus how exact they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Precision {
    /// Number of values that are kept exactly; more go into a sketch.
    pub exact: usize,
    /// Significant decimal digits of the sketch, from 1 to 5; 0 for no sketch: then only count, sum and
    /// extremes are kept.
    pub digits: u8,
}

impl Precision {
    /// For samples of a whole capture: sketches of about 136 KiB, wrong by less than 0.1 %.
    pub const CAPTURE: Self = Self { exact: 4096, digits: 3 };
    /// For samples of one connection: sketches of about 18 KiB, wrong by less than 1 %.
    pub const FLOW: Self = Self { exact: 256, digits: 2 };
    /// For samples of one of very many connections: sketches of about 2.6 KiB, wrong by less than 10 %.
    pub const COARSE: Self = Self { exact: 64, digits: 1 };
    /// For when there is no memory left.
    pub const NONE: Self = Self { exact: 0, digits: 0 };
}

/// Durations in nanoseconds.
#[derive(Debug, Clone, Default)]
pub struct Samples {
    count: u64,
    sum: u128,
    minimum: u64,
    maximum: u64,
    maximum_frame: u64,
    kept: Kept,
}

#[derive(Debug, Clone)]
enum Kept {
    Values(Vec<u64>),
    Sketch(Box<Histogram<u32>>, u8),
    Nothing,
}

impl Default for Kept {
    fn default() -> Self {
        Self::Values(Vec::new())
    }
}

impl Samples {
    /// Records a duration that ended in `frame`; a negative one, because clocks were set back, counts as 0.
    pub fn record(&mut self, nanoseconds: i64, frame: u64, precision: Precision) {
        let value = u64::try_from(nanoseconds).unwrap_or(0);
        self.minimum = if self.count == 0 { value } else { self.minimum.min(value) };
        self.longest(value, frame);
        self.count += 1;
        self.sum += u128::from(value);
        match &mut self.kept {
            Kept::Values(values) if values.len() < precision.exact => values.push(value),
            Kept::Values(values) => {
                values.push(value);
                self.kept = sketch(values, precision.digits);
            }
            Kept::Sketch(histogram, _) => histogram.saturating_record(value),
            Kept::Nothing => {}
        }
    }

    /// Updates the longest duration; of several equal ones the first frame counts.
    fn longest(&mut self, value: u64, frame: u64) {
        let longer = value > self.maximum || (value == self.maximum && frame < self.maximum_frame);
        if self.count == 0 || longer {
            (self.maximum, self.maximum_frame) = (value, frame);
        }
    }

    /// Adds the durations of another set that was kept with the same precision.
    pub(super) fn join(&mut self, other: Self, precision: Precision) {
        if other.count == 0 {
            return;
        }
        self.minimum =
            if self.count == 0 { other.minimum } else { self.minimum.min(other.minimum) };
        self.longest(other.maximum, other.maximum_frame);
        self.count += other.count;
        self.sum += other.sum;
        self.kept = match (std::mem::take(&mut self.kept), other.kept) {
            (Kept::Values(mut values), Kept::Values(others)) => {
                values.extend(others);
                match values.len() <= precision.exact {
                    true => Kept::Values(values),
                    false => sketch(&values, precision.digits),
                }
            }
            (Kept::Values(values), Kept::Sketch(mut histogram, digits))
            | (Kept::Sketch(mut histogram, digits), Kept::Values(values)) => {
                values.into_iter().for_each(|value| histogram.saturating_record(value));
                Kept::Sketch(histogram, digits)
            }
            (Kept::Sketch(mut histogram, digits), Kept::Sketch(others, _)) => {
                // Both have the same bounds.
                let added = histogram.add(*others);
                if added.is_ok() { Kept::Sketch(histogram, digits) } else { Kept::Nothing }
            }
            (Kept::Nothing, _) | (_, Kept::Nothing) => Kept::Nothing,
        };
    }

    /// Returns the bytes of memory that follow this struct.
    pub fn buffered(&self) -> usize {
        match &self.kept {
            Kept::Values(values) => values.capacity() * size_of::<u64>(),
            Kept::Sketch(histogram, _) => histogram.distinct_values() * size_of::<u32>(),
            Kept::Nothing => 0,
        }
    }

    /// Returns the number of durations in each non-empty bucket, shortest first: four buckets per power of
    /// two. They are all in one bucket without bounds if there was no room to keep them.
    pub fn buckets(&self) -> Vec<LatencyBucket> {
        let mut buckets: BTreeMap<u64, LatencyBucket> = BTreeMap::new();
        let mut add = |value: u64, count: u64| {
            let (least, greatest) = quarter(value);
            let none = LatencyBucket { bounds: Some((least, greatest)), count: 0 };
            buckets.entry(least).or_insert(none).count += count;
        };
        match &self.kept {
            Kept::Values(values) => values.iter().for_each(|value| add(*value, 1)),
            Kept::Sketch(histogram, _) => histogram
                .iter_recorded()
                .for_each(|step| add(step.value_iterated_to(), step.count_since_last_iteration())),
            Kept::Nothing => return vec![LatencyBucket { bounds: None, count: self.count }],
        }
        buckets.into_values().collect()
    }

    /// Returns the percentiles; `None` if there are no durations.
    pub fn percentiles(&self) -> Option<Percentiles> {
        if self.count == 0 {
            return None;
        }
        let mean = u64::try_from(self.sum / u128::from(self.count)).unwrap_or(u64::MAX);
        let ranks: Option<[u64; 3]> = match &self.kept {
            Kept::Values(values) => {
                let mut sorted = values.clone();
                sorted.sort_unstable();
                Some([50, 90, 99].map(|percent| at(&sorted, percent)))
            }
            Kept::Sketch(histogram, _) => Some([0.5, 0.9, 0.99].map(|quantile| {
                histogram.value_at_quantile(quantile).clamp(self.minimum, self.maximum)
            })),
            Kept::Nothing => None,
        };
        let digits = match &self.kept {
            Kept::Sketch(_, digits) => Some(*digits),
            Kept::Values(_) | Kept::Nothing => None,
        };
        let Self { count, minimum, maximum, maximum_frame, .. } = *self;
        Some(Percentiles { count, minimum, mean, ranks, maximum, maximum_frame, digits })
    }
}

/// Creates a sketch of the values.
fn sketch(values: &[u64], digits: u8) -> Kept {
    if digits == 0 {
        return Kept::Nothing;
    }
    // These bounds are valid for every number of digits from 1 to 5.
    let Ok(mut histogram) = Histogram::new_with_bounds(1, LONGEST, digits) else {
        return Kept::Nothing;
    };
    for value in values {
        histogram.saturating_record(*value);
    }
    Kept::Sketch(Box::new(histogram), digits)
}

/// Returns the smallest value that at least `percent` percent of the values do not exceed.
fn at(sorted: &[u64], percent: usize) -> u64 {
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(rank - 1).copied().unwrap_or(0)
}

/// Returns the bucket of a duration: a quarter of the span from a power of two to the next. The sketches' own
/// bounds are finer, and line up with these.
fn quarter(value: u64) -> (u64, u64) {
    let shift = value.checked_ilog2().unwrap_or(0).saturating_sub(2);
    let least = value >> shift << shift;
    (least, least | ((1 << shift) - 1))
}

/// Durations of about the same length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LatencyBucket {
    /// The shortest and the longest duration in this bucket, in nanoseconds; `None` if there was no room to
    /// keep them apart.
    pub bounds: Option<(u64, u64)>,
    /// Number of durations.
    pub count: u64,
}

/// Percentiles of durations, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Percentiles {
    /// Number of durations.
    pub count: u64,
    /// The shortest duration.
    pub minimum: u64,
    /// The mean, rounded down.
    pub mean: u64,
    /// The smallest duration that at least 50, 90 and 99 % of them do not exceed; `None` if there was no room
    /// to keep them.
    pub ranks: Option<[u64; 3]>,
    /// The longest duration.
    pub maximum: u64,
    /// The frame that ended the longest duration; the first of several.
    pub maximum_frame: u64,
    /// Significant digits of the ranks; `None` if they are exact. Shortest, mean and longest always are.
    pub digits: Option<u8>,
}

// Message lengths, in powers of two.

/// Messages that carry the user's data, by purpose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SizeGroup {
    /// Sends of all kinds.
    Sends,
    /// Writes.
    Writes,
    /// Read Responses of both kinds.
    ReadResponses,
}

impl SizeGroup {
    /// Every group.
    pub const ALL: [Self; 3] = [Self::Sends, Self::Writes, Self::ReadResponses];

    fn of(opcode: Opcode) -> Option<Self> {
        let Opcode::Known(message) = opcode else { return None };
        match message {
            Message::Write => Some(Self::Writes),
            Message::ReadResponse | Message::ReadV2Response => Some(Self::ReadResponses),
            message if message.is_send() => Some(Self::Sends),
            _ => None,
        }
    }
}

/// Messages with lengths in one range.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SizeBucket {
    /// Number of messages, in the order of [`SizeGroup::ALL`].
    pub messages: [u64; 3],
    /// Bytes of payload in them.
    pub bytes: u64,
}

/// A histogram of lengths: one bucket for empty messages, then one for each power of two.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sizes {
    buckets: Vec<SizeBucket>,
    /// Messages that were not captured completely: they are in no bucket.
    pub incomplete: u64,
}

impl Sizes {
    /// Counts the message that a segment completes.
    pub fn count(&mut self, segment: &SegmentItem<'_>) {
        let Some(completed) = &segment.completed else { return };
        let Some(group) = SizeGroup::of(Opcode::of(segment)) else { return };
        if completed.whole {
            self.add(group, completed.length);
        } else {
            self.incomplete += 1;
        }
    }

    /// Adds the counts of another histogram.
    pub(super) fn join(&mut self, other: &Self) {
        self.incomplete += other.incomplete;
        self.buckets.resize(self.buckets.len().max(other.buckets.len()), SizeBucket::default());
        for (mine, theirs) in self.buckets.iter_mut().zip(&other.buckets) {
            mine.messages.iter_mut().zip(theirs.messages).for_each(|(sum, more)| *sum += more);
            mine.bytes = mine.bytes.saturating_add(theirs.bytes);
        }
    }

    fn add(&mut self, group: SizeGroup, length: u64) {
        // 0 has no bits, 1 has one, 2 and 3 have two, and so on.
        let index = (u64::BITS - length.leading_zeros()) as usize;
        if self.buckets.len() <= index {
            self.buckets.resize(index + 1, SizeBucket::default());
        }
        let Some(bucket) = self.buckets.get_mut(index) else { return };
        bucket.messages[group as usize] += 1;
        bucket.bytes = bucket.bytes.saturating_add(length);
    }

    /// Returns the buckets from the first to the last non-empty one, each with its least and greatest length.
    pub fn buckets(&self) -> impl Iterator<Item = (u64, u64, &SizeBucket)> {
        let empty = |bucket: &SizeBucket| bucket.messages.iter().sum::<u64>() == 0;
        let all = self.buckets.iter().enumerate().skip_while(move |(_, bucket)| empty(bucket));
        all.map(|(index, bucket)| {
            let least = if index == 0 { 0 } else { 1 << (index - 1) };
            let greatest = if index == 0 { 0 } else { least + (least - 1) };
            (least, greatest, bucket)
        })
    }
}

/// The maximum number of intervals if the user chose their length.
const MOST_CHOSEN: usize = 100_000;
/// The maximum number if the length is chosen automatically.
const MOST_AUTOMATIC: usize = 4096;
/// How many times longer the intervals become if there are too many.
const WIDER: u64 = 10;
/// The shortest interval, if none was chosen.
const SHORTEST: u64 = 1_000;

/// Counts for one interval.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Interval {
    /// Frames of iWARP connections.
    pub frames: u64,
    /// Their bytes on the wire, including the link header.
    pub wire: u64,
    /// Bytes of TCP payload in them.
    pub payload: u64,
    /// Bytes of TCP payload that the streams already had.
    pub repeated: u64,
    /// Complete messages.
    pub messages: u64,
    /// Bytes of the user's data in segments.
    pub data: u64,
    /// RPC calls.
    pub calls: u64,
    /// Credits that replies granted.
    pub granted: Option<Range>,
    /// The most calls of one connection in flight when a call was sent.
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
        Range::join(&mut self.granted, other.granted);
        self.in_use = self.in_use.max(other.in_use);
    }
}

/// Intervals of equal length, without the empty ones.
#[derive(Debug, Clone)]
pub struct Timeline {
    interval: u64,
    most: usize,
    automatic: bool,
    origin: Option<i64>,
    now: i64,
    intervals: BTreeMap<i64, Interval>,
}

impl Default for Timeline {
    fn default() -> Self {
        Self::new(None)
    }
}

impl Timeline {
    /// Creates intervals of this length in nanoseconds; `None` to choose it later.
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

    /// Notes when a frame was captured: what follows belongs to its interval. The first time is the origin.
    pub fn at(&mut self, time: Option<i64>) {
        let Some(time) = time else { return };
        let origin = *self.origin.get_or_insert(time);
        self.now = time.saturating_sub(origin);
    }

    /// Adds what happened when a frame before the current one was captured.
    pub(super) fn add_at(&mut self, time: Option<i64>, what: &Interval) {
        let now = self.now;
        self.at(time);
        self.add(what);
        self.now = now;
    }

    /// Adds what happened in the current interval.
    pub fn add(&mut self, what: &Interval) {
        // An interval is at most as long as a user can write, and that fits.
        let length = i64::try_from(self.interval).unwrap_or(i64::MAX);
        self.intervals.entry(self.now.div_euclid(length)).or_default().add(what);
        while self.intervals.len() > self.most {
            self.widen(WIDER);
        }
    }

    /// Adds what was counted elsewhere, from the same origin and with the same choice of intervals.
    pub(super) fn join(&mut self, mut other: Self) {
        while self.interval < other.interval {
            self.widen(WIDER);
        }
        while other.interval < self.interval {
            other.widen(WIDER);
        }
        for (index, what) in other.intervals {
            self.intervals.entry(index).or_default().add(&what);
        }
        while self.intervals.len() > self.most {
            self.widen(WIDER);
        }
    }

    fn widen(&mut self, factor: u64) {
        self.intervals = merged(&self.intervals, factor);
        self.interval = self.interval.saturating_mul(factor);
    }

    /// Returns the length of the intervals in nanoseconds, and each non-empty one by its start, in
    /// nanoseconds since the first frame. If no length was chosen, it is 1, 2 or 5 followed by zeros, such
    /// that there are no more than `at_most` intervals.
    pub fn intervals(&self, at_most: u64) -> (u64, Vec<(i64, Interval)>) {
        let factor = if self.automatic { self.factor(at_most.max(1)) } else { 1 };
        let length = self.interval.saturating_mul(factor);
        let start = |index: i64| index.saturating_mul(i64::try_from(length).unwrap_or(i64::MAX));
        let merged = merged(&self.intervals, factor);
        (length, merged.into_iter().map(|(index, what)| (start(index), what)).collect())
    }

    /// Returns how many intervals to merge into one, so that there are no more than `at_most` in all.
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

    fn of(values: impl Iterator<Item = i64>, precision: Precision) -> Samples {
        let mut samples = Samples::default();
        values.zip(1..).for_each(|(value, frame)| samples.record(value, frame, precision));
        samples
    }

    #[test]
    fn few_values_are_exact() {
        assert_eq!(Samples::default().percentiles(), None);
        let one = of([7].into_iter(), Precision::FLOW).percentiles().unwrap();
        assert_eq!((one.minimum, one.mean, one.ranks, one.maximum), (7, 7, Some([7; 3]), 7));
        assert_eq!(one.maximum_frame, 1);
        // 1 to 200 backwards: at least half of them are not above 100, 90 % not above 180.
        let many = of((1..=200).rev(), Precision::FLOW).percentiles().unwrap();
        assert_eq!(many.ranks, Some([100, 180, 198]));
        assert_eq!((many.count, many.minimum, many.mean, many.maximum), (200, 1, 100, 200));
        assert_eq!(many.digits, None);
    }

    #[test]
    fn the_longest_has_the_first_frame_of_those_that_are_equal() {
        let first = of([3, 9, 5, 9].into_iter(), Precision::FLOW);
        assert_eq!(first.percentiles().unwrap().maximum_frame, 2);
        let mut later = Samples::default();
        for (value, frame) in [(9, 7), (9, 1), (4, 6)] {
            later.record(value, frame, Precision::NONE);
        }
        for (one, other) in [(&first, &later), (&later, &first), (&Samples::default(), &later)] {
            let mut joined = one.clone();
            joined.join(other.clone(), Precision::FLOW);
            assert_eq!(joined.percentiles().unwrap().maximum_frame, 1);
        }
    }

    #[test]
    fn many_values_are_as_exact_as_stated() {
        for (precision, tolerance) in
            [(Precision::CAPTURE, 0.001), (Precision::FLOW, 0.01), (Precision::COARSE, 0.1)]
        {
            // 100,000 durations from 1 µs to 100 ms, shuffled.
            let values = (0..100_000_i64).map(|index| (index * 7919 % 100_000 + 1) * 1000);
            let samples = of(values, precision);
            let found = samples.percentiles().unwrap();
            assert_eq!(found.digits, Some(precision.digits));
            assert_eq!((found.minimum, found.maximum), (1000, 100_000_000));
            let exact = [50_000_000.0, 90_000_000.0, 99_000_000.0];
            for (found, exact) in found.ranks.unwrap().into_iter().zip(exact) {
                assert!((found as f64 / exact - 1.0).abs() < tolerance, "{found} for {exact}");
            }
        }
    }

    #[test]
    fn buckets_are_the_same_for_values_and_sketches() {
        let numbers = || (0..4000_i64).map(|index| index * index * 13);
        let exact = of(numbers(), Precision::CAPTURE).buckets();
        for precision in [Precision::FLOW, Precision::COARSE] {
            assert_eq!(of(numbers(), precision).buckets(), exact, "{precision:?}");
        }
        assert_eq!(exact.iter().map(|bucket| bucket.count).sum::<u64>(), 4000);
        // They follow one another, and none is longer than a quarter of what it begins with.
        assert!(exact.windows(2).all(|two| two[0].bounds.unwrap().1 < two[1].bounds.unwrap().0));
        for bucket in exact.iter().filter_map(|bucket| bucket.bounds) {
            assert!((bucket.1 - bucket.0) * 4 <= bucket.0, "{bucket:?}");
        }
        assert_eq!([0, 3, 4, 7, 8, 9, 1000].map(quarter).map(|it| it.0), [0, 3, 4, 7, 8, 8, 896]);
        let nothing = of(numbers(), Precision::NONE).buckets();
        assert_eq!(nothing, [LatencyBucket { bounds: None, count: 4000 }]);
    }

    #[test]
    fn memory_is_bounded() {
        for (precision, most) in [
            (Precision::CAPTURE, 140 << 10),
            (Precision::FLOW, 19 << 10),
            (Precision::COARSE, 2624),
            (Precision::NONE, 0),
        ] {
            let samples = of((0..20_000).map(|index| index * 1_000_003), precision);
            assert!(samples.buffered() <= most, "{precision:?}: {}", samples.buffered());
        }
        let none = of([5, 3].into_iter(), Precision::NONE).percentiles().unwrap();
        assert_eq!((none.ranks, none.minimum, none.mean, none.maximum), (None, 3, 4, 5));
    }

    #[test]
    fn what_lies_outside_is_kept_at_the_edge() {
        let values = [-5, i64::MAX].into_iter().cycle().take(400);
        let found = of(values, Precision::FLOW).percentiles().unwrap();
        assert_eq!((found.minimum, found.maximum), (0, i64::MAX as u64));
        assert!(found.ranks.unwrap()[1] >= LONGEST);
    }

    #[test]
    fn a_bucket_holds_a_power_of_two_and_what_follows_it() {
        let mut sizes = Sizes::default();
        for length in [0, 1, 2, 3, 4, 7, 8, 1023, 1024, 1 << 63, u64::MAX] {
            sizes.add(SizeGroup::Writes, length);
        }
        let seen: Vec<_> = sizes
            .buckets()
            .filter(|(_, _, bucket)| bucket.messages[1] > 0)
            .map(|(least, greatest, bucket)| (least, greatest, bucket.messages[1]))
            .collect();
        let expected = [
            (0, 0, 1),
            (1, 1, 1),
            (2, 3, 2),
            (4, 7, 2),
            (8, 15, 1),
            (512, 1023, 1),
            (1024, 2047, 1),
            (1 << 63, u64::MAX, 2),
        ];
        assert_eq!(seen, expected);
    }

    #[test]
    fn buckets_begin_with_the_first_that_holds_something() {
        let mut sizes = Sizes::default();
        assert_eq!(sizes.buckets().count(), 0);
        sizes.add(SizeGroup::Sends, 16);
        sizes.add(SizeGroup::ReadResponses, 100);
        let seen: Vec<_> =
            sizes.buckets().map(|(least, _, bucket)| (least, bucket.bytes)).collect();
        assert_eq!(seen, [(16, 16), (32, 0), (64, 100)]);
    }

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
