//! `--interval`: a length of time with its unit.

use anyhow::{Result, bail};

const UNITS: [(&str, f64); 7] =
    [("ns", 1.0), ("us", 1e3), ("µs", 1e3), ("ms", 1e6), ("s", 1e9), ("m", 60e9), ("h", 3600e9)];
/// The longest interval, in nanoseconds: a hundred years.
const LONGEST: f64 = 3.15e18;

/// Nanoseconds of a length of time such as `100ms`.
///
/// # Errors
/// When it is no number with a unit, or no length that there can be.
pub(super) fn parse(text: &str) -> Result<u64> {
    let advice = "write a number and a unit (ns, us, ms, s, m, h), as 100ms";
    let split = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let Ok(number) = number.parse::<f64>() else { bail!("--interval {text}: {advice}") };
    let Some((_, factor)) = UNITS.iter().find(|(name, _)| *name == unit.trim()) else {
        bail!("--interval {text}: {advice}");
    };
    let nanoseconds = (number * factor).round();
    if !(1.0..=LONGEST).contains(&nanoseconds) {
        bail!("--interval {text}: an interval has from 1 ns to a hundred years");
    }
    Ok(nanoseconds as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_have_units() {
        for (text, nanoseconds) in [
            ("1s", 1_000_000_000),
            ("100ms", 100_000_000),
            ("0.5 ms", 500_000),
            ("7us", 7_000),
            ("7µs", 7_000),
            ("3ns", 3),
            ("2m", 120_000_000_000),
            ("1h", 3_600_000_000_000),
        ] {
            assert_eq!(parse(text).unwrap(), nanoseconds, "{text}");
        }
        for text in ["", "1", "s", "1.2.3s", "-1s", "0s", "0.1ns", "1 day", "99999999999h"] {
            let refused = parse(text).unwrap_err().to_string();
            assert!(refused.starts_with(&format!("--interval {text}: ")), "{refused}");
        }
    }
}
