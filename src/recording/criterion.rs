//! What `-a` and `-b` say: when to stop, when to begin a new file.

use std::time::Duration;

/// A limit with its value, as in `filesize:1000`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Criterion {
    /// Time since the start.
    Duration(Duration),
    /// The size of a file in bytes.
    FileSize(u64),
    /// Packets.
    Packets(u64),
    /// Files.
    Files(u64),
}

impl Criterion {
    /// Reads `LIMIT:VALUE`.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let Some((name, value)) = text.split_once(':') else {
            return Err(format!("write LIMIT:VALUE; {KNOWN}"));
        };
        if name == "duration" {
            let seconds = value.parse().ok().filter(|seconds: &f64| *seconds > 0.0);
            return seconds
                .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
                .map(Self::Duration)
                .ok_or_else(|| format!("{value} is no number of seconds above 0"));
        }
        let limit: fn(u64) -> Self = match name {
            "filesize" => |kilobytes| Self::FileSize(kilobytes.saturating_mul(1000)),
            "packets" => Self::Packets,
            "files" => Self::Files,
            _ => return Err(format!("{name} is no limit; {KNOWN}")),
        };
        let number = value.parse().ok().filter(|number| *number > 0);
        number.map(limit).ok_or_else(|| format!("{value} is no whole number above 0"))
    }
}

const KNOWN: &str = "there are duration:SECONDS, filesize:KB, packets:N and files:N";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_have_dumpcaps_units() {
        assert_eq!(Criterion::parse("filesize:3"), Ok(Criterion::FileSize(3_000)));
        assert_eq!(
            Criterion::parse("duration:1.5"),
            Ok(Criterion::Duration(Duration::from_millis(1_500)))
        );
        assert_eq!(Criterion::parse("packets:7"), Ok(Criterion::Packets(7)));
        assert_eq!(Criterion::parse("files:2"), Ok(Criterion::Files(2)));
    }

    #[test]
    fn what_is_no_limit_is_refused_with_a_reason() {
        for (text, words) in [
            ("filesize", "write LIMIT:VALUE; there are duration:SECONDS"),
            ("size:3", "size is no limit; there are duration:SECONDS"),
            ("filesize:0", "0 is no whole number above 0"),
            ("packets:-1", "-1 is no whole number above 0"),
            ("files:x", "x is no whole number above 0"),
            ("duration:0", "0 is no number of seconds above 0"),
            ("duration:NaN", "NaN is no number of seconds above 0"),
            ("duration:1e300", "1e300 is no number of seconds above 0"),
        ] {
            let refused = Criterion::parse(text).unwrap_err();
            assert!(refused.starts_with(words), "{text}: {refused}");
        }
    }
}
