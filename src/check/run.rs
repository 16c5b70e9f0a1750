//! Reads the captures, judges them, and hands what is found to the report.

use super::found::Found;
use super::report::Report;
use super::result::{FileResult, Summary};
use super::selection::Selection;
use super::waivers::Waivers;
use super::watch::Watch;
use super::{json, junit, sarif, text};
use crate::cli::{CheckArguments, ReportFormat};
use crate::decoding::Decoding;
use crate::failure::{OutputError, ReadError, complain};
use crate::input::open;
use crate::progress::Progress;
use crate::terminal::standard_output;
use anyhow::Result;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use warpscope_dissector::capture::CaptureError;
use warpscope_dissector::pipeline::{self, Pipeline};
use warpscope_dissector::rules;

/// Something was found, or a waiver was not used.
const FOUND: u8 = 1;
/// A file could not be read to its end.
const UNREADABLE: u8 = 2;

/// Judges the captures.
///
/// # Errors
/// When the command line or the file of waivers cannot be followed, or the output failed.
pub(crate) fn run(arguments: &CheckArguments) -> Result<ExitCode> {
    let all: Vec<_> = rules::all().collect();
    let selection = Selection::new(&all, &arguments.rules, &arguments.ignored)?;
    let decoding = Decoding::new(&arguments.decoding)?;
    let waivers = arguments.waivers.as_deref().map(|path| Waivers::read(path, &all));
    let waivers = waivers.transpose()?.unwrap_or_default();
    let (mut out, coloured) = standard_output();
    let report = report(arguments, &selection, coloured);
    let mut check = Check {
        selection,
        waivers,
        pipeline: decoding.pipeline,
        limit: arguments.limit,
        prompt: false,
        summary: Summary::default(),
        report,
    };
    check.report.begin(&mut *out).map_err(OutputError)?;
    for path in &arguments.files {
        check.prompt = arguments.format == ReportFormat::Ndjson && path.as_os_str() == "-";
        check.file(path, &mut *out)?;
    }
    let summary = check.end(&mut *out)?;
    out.flush().map_err(OutputError)?;
    for unused in &summary.unused_waivers {
        complain(unused);
    }
    Ok(status(&summary, arguments.strict))
}

fn status(summary: &Summary, strict: bool) -> ExitCode {
    if summary.unreadable > 0 {
        ExitCode::from(UNREADABLE)
    } else if summary.counts.failing(strict) > 0 || !summary.unused_waivers.is_empty() {
        ExitCode::from(FOUND)
    } else {
        ExitCode::SUCCESS
    }
}

/// The report that the command line asks for.
fn report(arguments: &CheckArguments, selection: &Selection, coloured: bool) -> Box<dyn Report> {
    let rules = selection.rules().to_vec();
    match arguments.format {
        ReportFormat::Text => Box::new(text::Text::new(coloured)),
        ReportFormat::Json => Box::new(json::Json::new(json::Shape::Object)),
        ReportFormat::Ndjson => Box::new(json::Json::new(json::Shape::Lines)),
        ReportFormat::Junit => Box::new(junit::Junit::new(rules, arguments.strict)),
        ReportFormat::Sarif => Box::new(sarif::Sarif::new(rules)),
    }
}

/// A check under way.
struct Check {
    selection: Selection,
    waivers: Waivers,
    pipeline: pipeline::Options,
    limit: usize,
    /// Whether findings are handed on at once: what is read may be captured just now.
    prompt: bool,
    summary: Summary,
    report: Box<dyn Report>,
}

impl Check {
    /// Judges a file. One that cannot be read is told, and the next is tried.
    fn file(&mut self, path: &Path, out: &mut dyn Write) -> Result<(), OutputError> {
        let mut result = FileResult::new(path.display().to_string(), self.limit);
        if let Err(error) = self.judge(path, &mut result, out)? {
            let error = ReadError::from(error).to_string();
            complain(&error);
            result.error = Some(error);
        }
        self.summary.take(&result);
        self.report.file(result, out)?;
        Ok(())
    }

    fn judge(
        &mut self,
        path: &Path,
        result: &mut FileResult,
        out: &mut dyn Write,
    ) -> Result<Result<(), CaptureError>, OutputError> {
        let (mut reader, bytes) = match open(path) {
            Ok(opened) => opened,
            Err(error) => return Ok(Err(error)),
        };
        let progress = Progress::of_silence(bytes);
        let mut pipeline = Pipeline::new(self.pipeline.clone());
        let mut watch = Watch::default();
        let read = loop {
            match reader.next_described() {
                Ok(Some(described)) => pipeline.frame(&described.frame, &mut watch),
                Ok(None) => break Ok(()),
                Err(error) => break Err(error),
            }
            self.take(&mut watch, result, out)?;
            result.frames += 1;
            progress.at(result.frames, || reader.bytes_read());
        };
        pipeline.finish(&mut watch);
        progress.clear();
        self.take(&mut watch, result, out)?;
        result.connections = watch.connections();
        Ok(read)
    }

    /// Takes what was found since the last call.
    fn take(
        &mut self,
        watch: &mut Watch,
        result: &mut FileResult,
        out: &mut dyn Write,
    ) -> Result<(), OutputError> {
        for (finding, initiator) in watch.take() {
            if self.selection.position(finding.rule).is_none() {
                continue;
            }
            let waived = self.waivers.reason(&result.name, &finding);
            let found = Found { finding, initiator, waived };
            self.report.finding(&result.name, &found, out)?;
            if self.prompt {
                out.flush()?;
            }
            result.take(found, |rule| self.selection.position(rule));
        }
        Ok(())
    }

    /// Ends the report. A waiver for what could not be read is not held against anyone.
    fn end(mut self, out: &mut dyn Write) -> Result<Summary, OutputError> {
        if self.summary.unreadable == 0 {
            self.summary.unused_waivers = self.waivers.unused(&self.selection);
        }
        self.report.end(&self.summary, out)?;
        Ok(self.summary)
    }
}
