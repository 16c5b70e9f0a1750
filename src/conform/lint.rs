//! `conform lint`: what is wrong with case files, and where.

use super::cases::{files, text};
use crate::cli::{CasesArguments, LintArguments};
use crate::failure::OutputError;
use crate::terminal::{counted, standard_output};
use anyhow::{Result, bail};
use std::collections::BTreeMap;
use std::process::ExitCode;
use warpscope_conformance::listing::{CaseFile, Library};
use warpscope_peer::bug::Bug;
use warpscope_requirements::Catalogue;

/// Checks the files, and prints what is wrong.
///
/// # Errors
/// When a file cannot be read, or the output failed.
pub(super) fn run(arguments: &LintArguments) -> Result<ExitCode> {
    let catalogue = Catalogue::builtin()?;
    let library = if arguments.paths.is_empty() {
        super::cases::library(&CasesArguments { cases: None }, &catalogue)?
    } else {
        let mut read = Vec::new();
        for path in &arguments.paths {
            let paths = if path.is_dir() { files(path)? } else { vec![path.clone()] };
            if paths.is_empty() {
                bail!("{}: no file there ends in .yaml", path.display());
            }
            for path in paths {
                read.push(CaseFile { text: text(&path)?, path: path.display().to_string() });
            }
        }
        Library::new(read, &catalogue)
    };
    let mut wrong: Vec<String> = library.broken.iter().map(ToString::to_string).collect();
    wrong.extend(of_the_whole(&library));
    let (mut out, _) = standard_output();
    let print = |out: &mut dyn std::io::Write| {
        wrong.iter().try_for_each(|it| writeln!(out, "{it}"))?;
        let checked = counted(library.files.len() as u64, "file");
        match wrong.len() as u64 {
            0 => writeln!(out, "{checked}: nothing is wrong")?,
            count => writeln!(out, "{checked}: {}", counted(count, "mistake"))?,
        }
        out.flush()
    };
    print(&mut *out).map_err(OutputError)?;
    Ok(if wrong.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// What is wrong with cases taken together, or with what they name outside the suite: ids that are
/// there twice, bugs that the reference peer does not have.
fn of_the_whole(library: &Library) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut seen: BTreeMap<&str, &str> = BTreeMap::new();
    for card in &library.cards {
        if let Some(other) = seen.insert(&card.id, &card.file) {
            wrong.push(format!("{}: the case `{}` is in {other} too", card.file, card.id));
        }
        for name in card.kills.iter().filter(|name| Bug::by_name(name).is_none()) {
            let known = warpscope_peer::bug::TABLE.iter().map(|row| row.name);
            let near = crate::check::nearest(name, known);
            let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
            wrong.push(format!("{}: the reference peer has no bug `{name}`{near}", card.file));
        }
    }
    wrong
}
