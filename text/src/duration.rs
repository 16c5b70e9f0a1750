//! Durations in a readable form.

use std::fmt;

/// Nanoseconds, shown with about three digits and a unit: `850 ns`, `12.3 µs`, `4.56 ms`, `1.20 s`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Duration(pub i64);

impl fmt::Display for Duration {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let (magnitude, unit) = match self.0.unsigned_abs() {
            whole @ 0..1_000 => return write!(out, "{sign}{whole} ns"),
            whole @ 1_000..1_000_000 => (whole as f64 / 1e3, "µs"),
            whole @ 1_000_000..1_000_000_000 => (whole as f64 / 1e6, "ms"),
            whole => (whole as f64 / 1e9, "s"),
        };
        let digits = match magnitude {
            small if small < 10.0 => 2,
            middle if middle < 100.0 => 1,
            _ => 0,
        };
        write!(out, "{sign}{magnitude:.digits$} {unit}")
    }
}

#[cfg(test)]
mod tests {
    use super::Duration;

    #[test]
    fn three_digits_and_a_unit() {
        let shown = [0, 999, 1_000, 12_345, 999_400, 4_560_000, 1_200_000_000, -1_500]
            .map(|span| Duration(span).to_string());
        let expected =
            ["0 ns", "999 ns", "1.00 µs", "12.3 µs", "999 µs", "4.56 ms", "1.20 s", "-1.50 µs"];
        assert_eq!(shown, expected);
    }
}
