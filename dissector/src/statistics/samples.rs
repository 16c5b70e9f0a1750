//! Percentiles of durations: exact while there are few, else from a histogram of bounded size.

use hdrhistogram::Histogram;

/// The longest duration that a sketch tells apart, in nanoseconds: about 2.4 hours.
const LONGEST: u64 = 1 << 43;

/// How much memory samples may take, and so how exact they stay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Precision {
    /// Values that are kept as they are; more go into a sketch.
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
    /// For samples of one connection of very many: sketches of about 2.6 KiB, wrong by less than 10 %.
    pub const COARSE: Self = Self { exact: 64, digits: 1 };
    /// When there is no room left.
    pub const NONE: Self = Self { exact: 0, digits: 0 };
}

/// Durations in nanoseconds.
#[derive(Debug, Clone, Default)]
pub struct Samples {
    count: u64,
    sum: u128,
    minimum: u64,
    maximum: u64,
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
    /// Takes a duration; one that is negative, because clocks were set back, counts as 0.
    pub fn record(&mut self, nanoseconds: i64, precision: Precision) {
        let value = u64::try_from(nanoseconds).unwrap_or(0);
        self.minimum = if self.count == 0 { value } else { self.minimum.min(value) };
        self.maximum = self.maximum.max(value);
        self.count += 1;
        self.sum += u128::from(value);
        match &mut self.kept {
            Kept::Values(values) if values.len() < precision.exact => values.push(value),
            Kept::Values(values) => self.kept = sketch(values, value, precision.digits),
            Kept::Sketch(histogram, _) => histogram.saturating_record(value),
            Kept::Nothing => {}
        }
    }

    /// Bytes of memory behind this.
    pub fn buffered(&self) -> usize {
        match &self.kept {
            Kept::Values(values) => values.capacity() * size_of::<u64>(),
            Kept::Sketch(histogram, _) => histogram.distinct_values() * size_of::<u32>(),
            Kept::Nothing => 0,
        }
    }

    /// How many there are.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// What they come to; `None` when there is none.
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
        let (count, minimum, maximum) = (self.count, self.minimum, self.maximum);
        Some(Percentiles { count, minimum, mean, ranks, maximum, digits })
    }
}

/// A sketch of the values and one more.
fn sketch(values: &[u64], value: u64, digits: u8) -> Kept {
    if digits == 0 {
        return Kept::Nothing;
    }
    // These bounds are right for every number of digits from 1 to 5.
    let Ok(mut histogram) = Histogram::new_with_bounds(1, LONGEST, digits) else {
        return Kept::Nothing;
    };
    for value in values.iter().chain([&value]) {
        histogram.saturating_record(*value);
    }
    Kept::Sketch(Box::new(histogram), digits)
}

/// The smallest value that at least so many percent are not above.
fn at(sorted: &[u64], percent: usize) -> u64 {
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(rank - 1).copied().unwrap_or(0)
}

/// What durations come to, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Percentiles {
    /// How many durations.
    pub count: u64,
    /// The shortest.
    pub minimum: u64,
    /// Their mean, rounded down.
    pub mean: u64,
    /// The smallest duration that at least 50, 90 and 99 % of them do not exceed; `None` when there was
    /// no room to keep them.
    pub ranks: Option<[u64; 3]>,
    /// The longest.
    pub maximum: u64,
    /// Significant digits of the ranks; `None` when they are exact. Shortest, mean and longest always are.
    pub digits: Option<u8>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: impl Iterator<Item = i64>, precision: Precision) -> Samples {
        let mut samples = Samples::default();
        values.for_each(|value| samples.record(value, precision));
        samples
    }

    #[test]
    fn few_values_are_exact() {
        assert_eq!(Samples::default().percentiles(), None);
        let one = of([7].into_iter(), Precision::FLOW).percentiles().unwrap();
        assert_eq!((one.minimum, one.mean, one.ranks, one.maximum), (7, 7, Some([7; 3]), 7));
        // 1 to 200 backwards: at least half of them are not above 100, 90 % not above 180.
        let many = of((1..=200).rev(), Precision::FLOW).percentiles().unwrap();
        assert_eq!(many.ranks, Some([100, 180, 198]));
        assert_eq!((many.count, many.minimum, many.mean, many.maximum), (200, 1, 100, 200));
        assert_eq!(many.digits, None);
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
    fn memory_is_bounded() {
        for (precision, most) in [
            (Precision::CAPTURE, 140 << 10),
            (Precision::FLOW, 19 << 10),
            (Precision::COARSE, 2624),
            (Precision::NONE, 0),
        ] {
            let samples = of((0..20_000).map(|index| index * 1_000_003), precision);
            assert!(samples.buffered() <= most, "{precision:?}: {}", samples.buffered());
            assert_eq!(samples.count(), 20_000);
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
}
