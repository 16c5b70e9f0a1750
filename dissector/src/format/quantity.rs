//! Durations and numbers as people read them.

/// Nanoseconds in three or four digits, with the unit that suits.
pub fn duration(nanoseconds: u64) -> String {
    let value = nanoseconds as f64;
    match nanoseconds {
        0 => "0".to_owned(),
        1..1_000 => format!("{nanoseconds} ns"),
        1_000..999_500 => format!("{} µs", digits(value / 1e3)),
        999_500..999_500_000 => format!("{} ms", digits(value / 1e6)),
        999_500_000..100_000_000_000 => format!("{} s", digits(value / 1e9)),
        _ => {
            let seconds = nanoseconds / 1_000_000_000;
            let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
            match hours {
                0 => format!("{minutes} m {seconds:02} s"),
                _ => format!("{hours} h {minutes:02} m"),
            }
        }
    }
}

/// The same of a span that may not be known, or be negative.
pub fn span(nanoseconds: Option<i64>) -> String {
    match nanoseconds {
        None => "-".to_owned(),
        Some(negative @ ..0) => format!("-{}", duration(negative.unsigned_abs())),
        Some(span) => duration(span.unsigned_abs()),
    }
}

/// Three digits that count.
pub fn digits(value: f64) -> String {
    match value {
        ..9.995 => format!("{value:.2}"),
        ..99.95 => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    }
}

/// `1 frame`, `2 frames`.
pub fn counted(count: u64, what: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {what}{plural}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_the_unit_that_suits() {
        for (nanoseconds, text) in [
            (0, "0"),
            (999, "999 ns"),
            (1_000, "1.00 µs"),
            (12_345, "12.3 µs"),
            (999_499, "999 µs"),
            (999_500, "1.00 ms"),
            (123_456_789, "123 ms"),
            (999_500_000, "1.00 s"),
            (99_990_000_000, "100 s"),
            (100_000_000_000, "1 m 40 s"),
            (3_725_000_000_000, "1 h 02 m"),
        ] {
            assert_eq!(duration(nanoseconds), text);
        }
        assert_eq!((span(None), span(Some(-1_500))), ("-".to_owned(), "-1.50 µs".to_owned()));
    }

    #[test]
    fn one_is_no_plural() {
        let all = [0, 1, 2].map(|count| counted(count, "frame"));
        assert_eq!(all, ["0 frames", "1 frame", "2 frames"]);
    }
}
