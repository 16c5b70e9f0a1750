//! Times for people.

use std::fmt::Write as _;

/// Seconds since the first packet of the connection, with six digits behind the point.
pub(super) fn since(time: Option<i64>, first: Option<i64>) -> Option<String> {
    let span = time?.checked_sub(first?)?;
    let sign = if span < 0 { "-" } else { "" };
    let micros = span.unsigned_abs() / 1000;
    let mut out = String::new();
    let _ = write!(out, "{sign}{}.{:06}", micros / 1_000_000, micros % 1_000_000);
    Some(out)
}

/// Frames, the first and the last.
pub(super) fn frames((first, last): (u64, u64)) -> String {
    if first == last { last.to_string() } else { format!("{first}\u{2013}{last}") }
}

#[cfg(test)]
mod tests {
    #[test]
    fn seconds_with_six_digits() {
        assert_eq!(super::since(Some(1_500_000_999), Some(0)).as_deref(), Some("1.500000"));
        assert_eq!(super::since(Some(0), Some(2_000)).as_deref(), Some("-0.000002"));
        assert_eq!(super::since(None, Some(2_000)), None);
    }
}
