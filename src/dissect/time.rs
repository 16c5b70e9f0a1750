//! The time column.

use super::output::Shown;
use crate::cli::TimeFormat;
use chrono::{DateTime, Local, Utc};
use std::fmt::Write as _;

/// How the time column is printed.
#[derive(Debug, Clone, Copy)]
pub(super) struct TimeColumn {
    pub(super) format: TimeFormat,
}

impl TimeColumn {
    /// Appends a frame's time; nothing when the capture does not say it.
    pub(super) fn push(self, shown: &Shown<'_>, out: &mut String) {
        let Some(time) = shown.view.time else { return };
        let context = &shown.view.context;
        let since = |earlier: Option<i64>| time.saturating_sub(earlier.unwrap_or(time));
        let digits = shown.time_digits;
        match self.format {
            TimeFormat::R => seconds(since(context.first_time), digits, out),
            TimeFormat::D => seconds(since(context.previous_time), digits, out),
            TimeFormat::Dd => seconds(since(context.previous_displayed_time), digits, out),
            TimeFormat::E => seconds(time, digits, out),
            TimeFormat::A | TimeFormat::Ad | TimeFormat::U | TimeFormat::Ud => {
                self.clock(time, digits, out);
            }
        }
    }

    fn clock(self, time: i64, digits: u8, out: &mut String) {
        let utc = DateTime::<Utc>::from_timestamp_nanos(time);
        let pattern = match self.format {
            TimeFormat::Ad | TimeFormat::Ud => "%Y-%m-%d %H:%M:%S",
            _ => "%H:%M:%S",
        };
        let _ = match self.format {
            TimeFormat::U | TimeFormat::Ud => write!(out, "{}", utc.format(pattern)),
            _ => write!(out, "{}", utc.with_timezone(&Local).format(pattern)),
        };
        fraction(time.rem_euclid(1_000_000_000).unsigned_abs(), digits, out);
    }
}

/// The local date of a time, as the name of a tshark index has it.
pub(super) fn push_date(time: Option<i64>, out: &mut String) {
    let local = DateTime::<Utc>::from_timestamp_nanos(time.unwrap_or(0)).with_timezone(&Local);
    let _ = write!(out, "{}", local.format("%Y-%m-%d"));
}

fn seconds(nanoseconds: i64, digits: u8, out: &mut String) {
    let magnitude = nanoseconds.unsigned_abs();
    let sign = if nanoseconds < 0 { "-" } else { "" };
    let _ = write!(out, "{sign}{}", magnitude / 1_000_000_000);
    fraction(magnitude % 1_000_000_000, digits, out);
}

fn fraction(nanoseconds: u64, digits: u8, out: &mut String) {
    if digits > 0 {
        let digits = digits.min(9);
        let shown = nanoseconds / 10_u64.pow(u32::from(9 - digits));
        let _ = write!(out, ".{shown:0width$}", width = usize::from(digits));
    }
}

#[cfg(test)]
mod tests {
    use super::seconds;

    #[test]
    fn seconds_have_the_digits_of_the_capture() {
        let text = |nanoseconds, digits| {
            let mut out = String::new();
            seconds(nanoseconds, digits, &mut out);
            out
        };
        assert_eq!(text(1_234_567_891, 6), "1.234567");
        assert_eq!(text(-500_000, 9), "-0.000500000");
        assert_eq!(text(2_000_000_000, 0), "2");
    }
}
