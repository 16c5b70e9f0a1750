//! `conform lint`: what is wrong with case files, and where.

use super::cases::{Known, bytes, files};
use crate::cli::{CasesArguments, LintArguments};
use crate::failure::OutputError;
use crate::terminal::standard_output;
use anyhow::{Result, bail};
use std::process::ExitCode;
use warpscope_conformance::listing::{CaseFile, Library};
use warpscope_conformance::yaml::{Diagnostic, Source};
use warpscope_dissector::format::counted;

/// Checks the files, and prints what is wrong.
///
/// # Errors
/// When there is no such file or it may not be read, or the output failed.
pub(super) fn run(arguments: &LintArguments) -> Result<ExitCode> {
    let known = Known::builtin()?;
    let mut wrong: Vec<Diagnostic> = Vec::new();
    let mut read = Vec::new();
    for path in &arguments.paths {
        let paths = if path.is_dir() { files(path)? } else { vec![path.clone()] };
        if paths.is_empty() {
            bail!("{}: no file there ends in .yaml", path.display());
        }
        for path in paths {
            let name = path.display().to_string();
            // What is no text is told as other mistakes are, and the other files are checked.
            match Source::of_bytes(&name, bytes(&path)?) {
                Ok(source) => read.push(CaseFile { path: name, text: source.text().to_owned() }),
                Err(diagnostic) => wrong.push(diagnostic),
            }
        }
    }
    let unread = wrong.len();
    let library = match arguments.paths.as_slice() {
        [] => super::cases::library(&CasesArguments { cases: None }, &known.catalogue)?,
        _ => Library::new(read, &known.catalogue),
    };
    wrong.extend(library.mistakes(known.context()));
    let (mut out, _) = standard_output();
    let print = |out: &mut dyn std::io::Write| {
        wrong.iter().try_for_each(|it| writeln!(out, "{it}"))?;
        let checked = counted((library.files.len() + unread) as u64, "file");
        match wrong.len() as u64 {
            0 => writeln!(out, "{checked}: nothing is wrong")?,
            count => writeln!(out, "{checked}: {}", counted(count, "mistake"))?,
        }
        out.flush()
    };
    print(&mut *out).map_err(OutputError)?;
    Ok(if wrong.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}
