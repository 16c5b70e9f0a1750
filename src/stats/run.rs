//! Reads the captures and prints what was counted.

use super::text::SECTIONS;
use super::{csv, json, text};
use crate::cli::{Section, StatsArguments, TableFormat};
use crate::decoding::Decoding;
use crate::decoding::{Scanned, Status, scan};
use crate::failure::OutputError;
use crate::table::Look;
use crate::terminal::{standard_output, width};
use anyhow::{Result, bail};
use std::io;
use std::io::Write;
use std::process::ExitCode;
use warpscope_dissector::statistics::{Counts, Statistics};

/// The most intervals, where none was chosen.
pub(super) const INTERVALS: u64 = 40;

/// Prints what was counted in files.
pub(super) trait Print {
    /// Prints what stands before the first file.
    fn begin(&mut self, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
    /// Prints the sections of a file.
    fn file(&mut self, scanned: &Scanned, counts: &Counts, out: &mut dyn Write) -> io::Result<()>;
    /// Prints what stands behind the last file.
    fn end(&mut self, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
}

/// Prints what is in the captures.
///
/// # Errors
/// When the command line cannot be followed, or the output failed.
pub(crate) fn run(arguments: &StatsArguments) -> Result<ExitCode> {
    let decoding = Decoding::new(&arguments.decoding)?;
    let interval = arguments.interval.as_deref().map(parse).transpose()?;
    let wanted = |section: &Section| arguments.only.is_empty() || arguments.only.contains(section);
    let sections: Vec<Section> = SECTIONS.into_iter().filter(wanted).collect();
    let (mut out, coloured) = standard_output();
    let look = Look { coloured, width: width() };
    let headings = arguments.files.len() > 1;
    let mut printer: Box<dyn Print> = match arguments.format {
        TableFormat::Text => Box::new(text::Text { look, sections, headings, interval }),
        TableFormat::Json => Box::new(json::Json::new(sections)),
        TableFormat::Csv => Box::new(csv::Csv::new(&sections)),
    };
    printer.begin(&mut *out).map_err(OutputError)?;
    let mut status = Status::default();
    for path in &arguments.files {
        let mut statistics = Statistics::new(arguments.flow, interval);
        let scanned = scan(path, &decoding.pipeline, &mut statistics);
        status.take(&scanned);
        printer.file(&scanned, statistics.counts(), &mut *out).map_err(OutputError)?;
    }
    printer.end(&mut *out).map_err(OutputError)?;
    out.flush().map_err(OutputError)?;
    Ok(status.code())
}

// `--interval`: a length of time with its unit.

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
