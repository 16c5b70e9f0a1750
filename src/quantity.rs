//! Shares and lengths of time as people read them.

/// A part of a whole in percent.
pub(crate) fn share(part: u64, whole: u64) -> String {
    if whole == 0 {
        return "-".to_owned();
    }
    let percent = part as f64 * 100.0 / whole as f64;
    match percent {
        _ if part == 0 => "0 %".to_owned(),
        ..0.05 => "<0.1 %".to_owned(),
        ..99.95 => format!("{percent:.1} %"),
        _ if part < whole => ">99.9 %".to_owned(),
        _ => format!("{percent:.0} %"),
    }
}

/// A length of time that was chosen, with the largest unit that gives a whole number: `50 ms`.
pub(crate) fn length(nanoseconds: u64) -> String {
    const UNITS: [(u64, &str); 4] =
        [(1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "µs"), (1, "ns")];
    let unit = UNITS.iter().find(|(unit, _)| nanoseconds.is_multiple_of(*unit));
    let (unit, name) = unit.unwrap_or(&(1, "ns"));
    format!("{} {name}", nanoseconds / unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_whole() {
        let all = [1, 1_500, 2_000, 50_000_000, 1_500_000_000, 60_000_000_000].map(length);
        assert_eq!(all, ["1 ns", "1500 ns", "2 µs", "50 ms", "1500 ms", "60 s"]);
    }

    #[test]
    fn shares_do_not_round_to_what_they_are_not() {
        for (part, whole, text) in [
            (0, 0, "-"),
            (0, 7, "0 %"),
            (1, 100_000, "<0.1 %"),
            (1, 3, "33.3 %"),
            (99_999, 100_000, ">99.9 %"),
            (5, 5, "100 %"),
        ] {
            assert_eq!(share(part, whole), text);
        }
    }
}
