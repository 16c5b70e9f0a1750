//! How fast it went.

use crate::service::words::counted;
use std::time::Duration;

/// Messages over a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Rate {
    /// How many.
    pub(super) messages: u64,
    /// Their bytes.
    pub(super) bytes: u64,
    /// The time that they took, summed over streams.
    pub(super) taken: Duration,
}

impl Rate {
    pub(super) fn add(&mut self, messages: u64, size: u32, taken: Duration) {
        self.messages = self.messages.saturating_add(messages);
        self.bytes = self.bytes.saturating_add(messages.saturating_mul(size.into()));
        self.taken = self.taken.saturating_add(taken);
    }
}

impl std::fmt::Display for Rate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { messages, bytes, taken } = self;
        let seconds = taken.as_secs_f64();
        let (messages, bytes) = (counted(*messages, "message"), counted(*bytes, "byte"));
        write!(f, "{messages}, {bytes} in {seconds:.3} s")?;
        if seconds > 0.0 {
            let rate = self.bytes as f64 / seconds / 1e6;
            write!(f, ": {rate:.1} MB/s, {:.0} messages/s", self.messages as f64 / seconds)?;
        }
        Ok(())
    }
}
