//! `conform coverage`: which requirements are judged.

use super::cases::{complain_of_broken, library, text};
use crate::cli::{CoverageArguments, ListFormat};
use crate::failure::{OutputError, complain};
use crate::terminal::standard_output;
use anyhow::{Result, anyhow, bail};
use std::io::Write as _;
use std::process::ExitCode;
use warpscope_conformance::coverage::text::Options;
use warpscope_conformance::coverage::{Waivers, builtin_waivers, coverage};
use warpscope_conformance::coverage::{json, markdown, text as in_words};
use warpscope_dissector::rules;
use warpscope_requirements::{Catalogue, Fault};

/// Prints the coverage; 1 where an id is unknown, a waiver matches nothing, or an active MUST has
/// neither case nor waiver.
///
/// # Errors
/// When the cases or the waivers cannot be read, there is no such document, or the output failed.
pub(super) fn run(arguments: &CoverageArguments) -> Result<ExitCode> {
    let catalogue = Catalogue::builtin()?;
    let library = library(&arguments.cases, &catalogue)?;
    complain_of_broken(&library);
    let cases: Vec<_> = library.cards.iter().map(|card| card.covering()).collect();
    let mut coverage = coverage(&cases, &catalogue, rules::all());
    let waivers = match &arguments.waivers {
        Some(file) => Waivers::read(&file.display().to_string(), &text(file)?, &catalogue),
        None => builtin_waivers(&catalogue),
    };
    let mut wrong: Vec<String> = Vec::new();
    wrong.extend(coverage.unknown.iter().map(ToString::to_string));
    let idle = coverage.waive(&waivers.map_err(in_lines)?);
    wrong.extend(idle.iter().map(ToString::to_string));
    wrong.extend(coverage.missing().map(|it| format!("{}: no case covers it", it.requirement.id)));
    if let Some(wanted) = &arguments.document {
        let ids: Vec<String> =
            coverage.documents.iter().map(|it| it.document.id.to_lowercase()).collect();
        if !ids.contains(&wanted.to_lowercase()) {
            bail!("--document {wanted}: there are {}", ids.join(", "));
        }
        coverage.documents.retain(|it| it.document.id.eq_ignore_ascii_case(wanted));
    }
    let (mut out, coloured) = standard_output();
    let printed = match arguments.format {
        ListFormat::Text => {
            in_words::write(&coverage, Options { coloured, all: arguments.all }, &mut *out)
        }
        ListFormat::Json => json::write(&coverage, &mut *out),
        ListFormat::Markdown => markdown::write(&coverage, arguments.all, &mut *out),
    };
    printed.and_then(|()| out.flush()).map_err(OutputError)?;
    wrong.iter().for_each(|it| complain(it));
    Ok(if wrong.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

fn in_lines(faults: Vec<Fault>) -> anyhow::Error {
    let lines: Vec<String> = faults.iter().map(ToString::to_string).collect();
    anyhow!("{}", lines.join("\n"))
}
