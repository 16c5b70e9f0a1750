//! `conform report` and `conform trend`: runs stored as JSON.

use super::run::ReportFile;
use crate::cli::{RunReportArguments, TrendArguments};
use crate::failure::printed;
use crate::input::read_report;
use crate::output::write_file;
use crate::terminal::print;
use anyhow::{Context as _, Result};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use warpscope_conformance::report::{NamedRun, Run, Text, exit_code, read_json, write_trend_html};

/// Prints a run, and writes its reports; returns the run's exit status.
pub(super) fn report(arguments: &RunReportArguments) -> Result<ExitCode> {
    let inputs: Vec<&Path> =
        std::iter::once(&arguments.run).chain(&arguments.compare).map(PathBuf::as_path).collect();
    let reports = ReportFile::open_all(&arguments.reports, arguments.existing, &inputs)?;
    let run = read(&arguments.run)?;
    let older = arguments.compare.as_deref().map(read_older).transpose()?;
    let (all, strict) = (arguments.verbose, arguments.strict);
    ReportFile::write_all(reports, &run, older.as_ref(), strict)?;
    print_summary(&run, older.as_ref(), all, strict)
}

/// Prints the summary of a run; returns the run's exit status.
pub(super) fn print_summary(
    run: &Run,
    older: Option<&NamedRun>,
    all: bool,
    strict: bool,
) -> Result<ExitCode> {
    let shown = print(|out, look| {
        let text = Text { coloured: look.coloured, all, strict };
        text.end(run, out)?;
        older.iter().try_for_each(|older| text.changes(&older.name, &older.run, run, out))
    });
    printed(shown, exit_code(run, strict))
}

/// Prints several runs as a list, and writes them as a page.
pub(super) fn trend(arguments: &TrendArguments) -> Result<ExitCode> {
    let runs: Vec<NamedRun> =
        arguments.runs.iter().map(|path| read_older(path)).collect::<Result<_>>()?;
    if let Some(path) = &arguments.html {
        write_file(path, &arguments.runs, arguments.existing.force, |out| {
            write_trend_html(&runs, out)
        })?;
    }
    print(|out, look| Text { coloured: look.coloured, all: true, strict: false }.trend(&runs, out))
}

/// Reads an older run, with its file's name.
pub(super) fn read_older(path: &Path) -> Result<NamedRun> {
    Ok(NamedRun { name: path.display().to_string(), run: read(path)? })
}

/// Reads a run stored as JSON; the paths of its captures become relative to the current folder.
///
/// # Errors
/// If the file cannot be read, or is not the report of a run.
fn read(path: &Path) -> Result<Run> {
    let shown = path.display();
    let text = read_report(path).with_context(|| format!("cannot read {shown}"))?;
    let mut run = read_json(&text).with_context(|| shown.to_string())?;
    let folder = path.parent().unwrap_or(Path::new(""));
    for capture in run.instances.iter_mut().filter_map(|it| it.capture.as_mut()) {
        *capture = folder.join(&*capture).display().to_string();
    }
    Ok(run)
}
