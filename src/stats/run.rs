//! Reads the captures and prints what was counted.

use super::names::SECTIONS;
use super::{csv, interval, json, text};
use crate::cli::{Section, StatsArguments, TableFormat};
use crate::decoding::Decoding;
use crate::failure::OutputError;
use crate::scan::{Scanned, Status, scan};
use crate::table::Look;
use crate::terminal::{standard_output, width};
use anyhow::Result;
use std::io::{self, Write};
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
    let interval = arguments.interval.as_deref().map(interval::parse).transpose()?;
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
