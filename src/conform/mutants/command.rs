//! `conform mutants`: tries the cases with the seeded bugs.

use super::accepted::Accepted;
use super::matrix::Matrix;
use super::print;
use super::trial::Trial;
use crate::cli::{ListFormat, MutantsArguments};
use crate::conform::cases::{Known, library, read};
use crate::failure::OutputError;
use crate::table::Look;
use crate::terminal::{standard_output, width};
use anyhow::{Result, bail};
use indicatif::{ProgressBar, ProgressStyle};
use rand::SeedableRng as _;
use rand::rngs::StdRng;
use rand::seq::SliceRandom as _;
use std::io::{IsTerminal as _, Write as _};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use warpscope_conformance::case::{Case, Cases};
use warpscope_conformance::layout::Layouts;
use warpscope_dissector::text::suggest;
use warpscope_peer::bug::{Bug, TABLE};

/// Tries the bugs, and prints the matrix; 1 where something is not as it should be.
///
/// # Errors
/// When there is no such bug, the cases are wrong, or the output failed.
pub(crate) fn run(arguments: &MutantsArguments) -> Result<ExitCode> {
    let known = Known::builtin()?;
    let library = library(&arguments.cases, &known.catalogue)?;
    let cases = read(&library, &known)?;
    let ids: Vec<&str> = cases.all().iter().map(|case| case.id.as_str()).collect();
    let accepted = Accepted::take(arguments.accepted.as_deref(), &ids)?;
    let bugs = bugs(arguments)?;
    let whole = bugs.len() == TABLE.len();
    let trials = trials(&bugs, &cases, &known.layouts, arguments);
    let all: Vec<&Case> = cases.all().iter().collect();
    let matrix = Matrix::new(trials, &all, &accepted, &known.catalogue, whole);
    let (mut out, coloured) = standard_output();
    let look = Look { coloured, width: width() };
    match arguments.format {
        ListFormat::Text => print::text(&matrix, look, &mut *out),
        ListFormat::Json => print::as_json(&matrix, &mut *out),
        ListFormat::Markdown => print::markdown(&matrix, &mut *out),
    }
    .and_then(|()| out.flush())
    .map_err(OutputError)?;
    Ok(if matrix.in_order() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// The bugs that are asked for, in the order of their table.
fn bugs(arguments: &MutantsArguments) -> Result<Vec<Bug>> {
    let names = || TABLE.iter().map(|row| row.name);
    for name in &arguments.bugs {
        if !names().any(|known| known == name) {
            let near = suggest(name, names()).map(|near| format!("; did you mean {near}?"));
            bail!("no seeded bug is called {name}{}", near.unwrap_or_default());
        }
    }
    let asked =
        |name: &str| arguments.bugs.is_empty() || arguments.bugs.iter().any(|it| it == name);
    let mut bugs: Vec<Bug> =
        TABLE.iter().filter(|row| asked(row.name)).map(|row| row.bug).collect();
    if let Some(sample) = arguments.sample {
        bugs.shuffle(&mut StdRng::seed_from_u64(arguments.seed));
        bugs.truncate(sample);
        bugs.sort_unstable();
    }
    Ok(bugs)
}

/// Tries bugs, some at a time.
fn trials(
    bugs: &[Bug],
    cases: &Cases,
    layouts: &Layouts,
    arguments: &MutantsArguments,
) -> Vec<Trial> {
    let bar = bar(bugs.len());
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::with_capacity(bugs.len())));
    std::thread::scope(|scope| {
        for _ in 0..arguments.jobs {
            scope.spawn(|| {
                while let Some(bug) = bugs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let name = bug.row().name;
                    let names = |case: &&Case| case.kills.iter().any(|it| it == name);
                    let meant: Vec<&Case> =
                        cases.all().iter().filter(|case| arguments.all || names(case)).collect();
                    let trial = Trial::make(*bug, &meant, layouts);
                    done.lock().unwrap_or_else(PoisonError::into_inner).push(trial);
                    bar.inc(1);
                }
            });
        }
    });
    bar.finish_and_clear();
    let mut trials = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    trials.sort_by_key(|trial| trial.bug);
    trials
}

/// The progress, for someone who waits at a terminal.
fn bar(bugs: usize) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(bugs as u64);
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} bugs  {elapsed}") {
        bar.set_style(style);
    }
    bar
}
