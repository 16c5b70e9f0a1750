//! Reads the captures and prints their connections.

use super::{csv, details, json, text};
use crate::cli::{FlowsArguments, TableFormat};
use crate::decoding::Decoding;
use crate::decoding::{Scanned, Status, scan};
use crate::failure::OutputError;
use crate::table::Look;
use crate::terminal::{standard_output, width};
use anyhow::Result;
use std::io::{self, Write};
use std::process::ExitCode;
use warpscope_dissector::statistics::Flows;

/// Prints the connections of files.
pub(super) trait Print {
    /// Prints what stands before the first file.
    fn begin(&mut self, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
    /// Prints the connections of a file.
    fn file(&mut self, scanned: &Scanned, flows: &Flows, out: &mut dyn Write) -> io::Result<()>;
    /// Prints what stands behind the last file.
    fn end(&mut self, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
}

/// Prints the connections of the captures.
///
/// # Errors
/// When the command line cannot be followed, or the output failed.
pub(crate) fn run(arguments: &FlowsArguments) -> Result<ExitCode> {
    let decoding = Decoding::new(&arguments.decoding)?;
    let only = arguments.details.flatten().or(arguments.flow);
    let (mut out, coloured) = standard_output();
    let look = Look { coloured, width: width() };
    let headings = arguments.files.len() > 1;
    let mut printer: Box<dyn Print> = match arguments.format {
        TableFormat::Text if arguments.details.is_some() => {
            Box::new(details::Details { look, only, headings })
        }
        TableFormat::Text => Box::new(text::Overview { look, only, headings }),
        TableFormat::Json => Box::new(json::Json::default()),
        TableFormat::Csv => Box::new(csv::Csv),
    };
    printer.begin(&mut *out).map_err(OutputError)?;
    let mut status = Status::default();
    for path in &arguments.files {
        let mut flows = Flows::new(only);
        let scanned = scan(path, &decoding.pipeline, &mut flows);
        flows.finish();
        status.take(&scanned);
        printer.file(&scanned, &flows, &mut *out).map_err(OutputError)?;
    }
    printer.end(&mut *out).map_err(OutputError)?;
    out.flush().map_err(OutputError)?;
    Ok(status.code())
}
