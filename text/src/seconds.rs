//! Seconds as decimal numbers.

use std::fmt::Write as _;

/// Returns nanoseconds as seconds with this many decimal digits, at most nine; further ones are cut off.
pub fn decimal_seconds(nanoseconds: i64, digits: u8) -> String {
    let mut text = String::new();
    push_seconds(nanoseconds, digits, &mut text);
    text
}

/// Writes nanoseconds as [`decimal_seconds`] does.
pub fn push_seconds(nanoseconds: i64, digits: u8, out: &mut String) {
    let magnitude = nanoseconds.unsigned_abs();
    let sign = if nanoseconds < 0 { "-" } else { "" };
    let _ = write!(out, "{sign}{}", magnitude / 1_000_000_000);
    push_fraction(magnitude % 1_000_000_000, digits, out);
}

/// Writes a point and the first decimal digits of a fraction of a second.
pub fn push_fraction(nanoseconds: u64, digits: u8, out: &mut String) {
    if digits > 0 {
        let digits = digits.min(9);
        let shown = nanoseconds / 10_u64.pow(u32::from(9 - digits));
        let _ = write!(out, ".{shown:0width$}", width = usize::from(digits));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_have_the_digits_that_are_asked_for() {
        for (nanoseconds, digits, text) in [
            (1_500_000_999, 0, "1"),
            (1_500_000_999, 9, "1.500000999"),
            (-5_000_000, 9, "-0.005000000"),
            (-1_500_000_000, 1, "-1.5"),
            (i64::MIN, 6, "-9223372036.854775"),
        ] {
            assert_eq!(decimal_seconds(nanoseconds, digits), text);
        }
    }
}
