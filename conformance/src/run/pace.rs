//! How long to wait: by what the target's sanity conversation took, and never too short.

use std::time::Duration;

/// No expectation is given up before this.
const FLOOR: Duration = Duration::from_secs(2);
/// A silence is kept for this long at least.
const QUIET: Duration = Duration::from_millis(30);
/// How long something may take that must happen: an answer on the control stream, a connection.
const PATIENCE: Duration = Duration::from_secs(30);

/// How long to wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    /// What a conversation of one order and one answer took.
    pub round_trip: Duration,
    /// All times are this many times as long.
    pub factor: u32,
}

impl Default for Pace {
    fn default() -> Self {
        Self { round_trip: Duration::from_millis(1), factor: 1 }
    }
}

impl Pace {
    /// How long to wait for something that should come within `nominal`.
    pub fn within(&self, nominal: Duration) -> Duration {
        (nominal.max(FLOOR) + self.round_trip * 50) * self.factor.max(1)
    }

    /// How long to watch that nothing comes, for a nominal time.
    pub fn quiet(&self, nominal: Duration) -> Duration {
        (nominal.max(QUIET) + self.round_trip * 4) * self.factor.max(1)
    }

    /// How long something may take without which the run cannot go on.
    pub fn patience(&self) -> Duration {
        (PATIENCE + self.round_trip * 100) * self.factor.max(1)
    }
}
