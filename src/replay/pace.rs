//! When a frame is due.

use std::time::{Duration, Instant};

/// Turns a capture's times into times to send at.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pace {
    /// How many times the recorded speed; none for no pauses.
    factor: Option<f64>,
    /// When the first frame with a time was sent, and that time in nanoseconds.
    start: Option<(Instant, i64)>,
}

impl Pace {
    /// A pace that has not begun.
    pub(super) fn new(factor: Option<f64>) -> Self {
        Self { factor, start: None }
    }

    /// When a frame of this time is due; none for at once. Frames before the first are due at once.
    pub(super) fn due(&mut self, time: Option<i64>, now: Instant) -> Option<Instant> {
        let (factor, time) = (self.factor?, time?);
        let (start, first) = *self.start.get_or_insert((now, time));
        let nanoseconds = u64::try_from(time.saturating_sub(first)).ok()?;
        let pause = Duration::from_nanos(nanoseconds).as_secs_f64() / factor;
        // A pause beyond all time ends with the program.
        let pause = Duration::try_from_secs_f64(pause).unwrap_or(Duration::MAX);
        Some(
            start
                .checked_add(pause)
                .unwrap_or_else(|| start + Duration::from_secs(u32::MAX.into())),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_are_those_of_the_capture_divided_by_the_speed() {
        let start = Instant::now();
        let later = start + Duration::from_secs(9);
        let mut pace = Pace::new(Some(2.0));
        assert_eq!(pace.due(Some(5_000_000_000), start), Some(start));
        let due = |pace: &mut Pace, time| pace.due(Some(time), later).unwrap() - start;
        assert_eq!(due(&mut pace, 6_000_000_000), Duration::from_millis(500));
        assert_eq!(due(&mut pace, 5_500_000_000), Duration::from_millis(250));
        assert_eq!(pace.due(Some(4_000_000_000), later), None, "before the first");
        assert_eq!(pace.due(None, later), None, "a frame without a time");
    }

    #[test]
    fn full_speed_makes_no_pauses() {
        let mut pace = Pace::new(None);
        assert_eq!(pace.due(Some(1), Instant::now()), None);
        assert_eq!(pace.due(Some(i64::MAX), Instant::now()), None);
    }
}
