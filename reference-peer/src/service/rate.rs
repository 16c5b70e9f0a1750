//! Transfer rates.

use std::fmt;
use std::time::Duration;
use warpscope_text::counted;

/// Messages over a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Rate {
    pub(super) messages: u64,
    pub(super) bytes: u64,
    /// The time that they took; for several streams of a source, the sum.
    pub(super) taken: Duration,
}

impl Rate {
    pub(super) fn new(messages: u64, size: u32, taken: Duration) -> Self {
        Self { messages, bytes: messages.saturating_mul(size.into()), taken }
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
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
