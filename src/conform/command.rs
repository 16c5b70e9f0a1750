//! Dispatches an action; checks files, prints the schema, and creates new cases.

use super::cases::{Known, bytes, files, library, requirement};
use super::target::quoted;
use super::{list, mutants, proxy, report, variants};
use crate::cli::{CasesArguments, ConformAction, ConformArguments, LintArguments, NewArguments};
use crate::table;
use crate::terminal::print;
use anyhow::{Context as _, Result, bail};
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use warpscope_conformance::case::schema;
use warpscope_conformance::listing::{CaseFile, Library, Scaffold};
use warpscope_conformance::yaml::{Diagnostic, Source};
use warpscope_requirements::Catalogue;
use warpscope_text::counted;

pub(crate) fn run(arguments: &ConformArguments) -> Result<ExitCode> {
    match &arguments.action {
        ConformAction::Run(arguments) => super::run::run(arguments),
        ConformAction::Proxy(arguments) => proxy::run(arguments),
        ConformAction::Mutants(arguments) => mutants::run(arguments),
        ConformAction::Variants(arguments) => variants::run(arguments),
        ConformAction::Report(arguments) => report::report(arguments),
        ConformAction::Trend(arguments) => report::trend(arguments),
        ConformAction::List(arguments) => list::list(arguments),
        ConformAction::Explain(arguments) => list::explain(arguments),
        ConformAction::Lint(arguments) => lint(arguments),
        ConformAction::Schema => print_schema(),
        ConformAction::AgentSchema => print(|out, _| table::json(&warpscope_agent::schema(), out)),
        ConformAction::Coverage(arguments) => list::print_coverage(arguments),
        ConformAction::New(arguments) => begin_case(arguments),
    }
}

/// Checks the files, and prints their mistakes.
fn lint(arguments: &LintArguments) -> Result<ExitCode> {
    let known = Known::builtin()?;
    let mut wrong: Vec<Diagnostic> = Vec::new();
    let mut read = Vec::new();
    let asked: Vec<&PathBuf> = arguments.paths.iter().chain(&arguments.cases).collect();
    for path in &asked {
        let paths = if path.is_dir() { files(path)? } else { vec![path.to_path_buf()] };
        if paths.is_empty() {
            bail!("{}: no file there ends in .yaml", path.display());
        }
        for path in paths {
            let name = path.display().to_string();
            // A file that is not text is reported like other mistakes, and the other files are checked.
            match Source::of_bytes(&name, bytes(&path)?) {
                Ok(source) => read.push(CaseFile { path: name, text: source.text().to_owned() }),
                Err(diagnostic) => wrong.push(diagnostic),
            }
        }
    }
    let unread = wrong.len();
    let library = match asked.as_slice() {
        [] => super::cases::library(&CasesArguments { cases: None }, &known.catalogue)?,
        _ => Library::new(read, &known.catalogue),
    };
    wrong.extend(library.mistakes(known.context()));
    print(|out, _| {
        wrong.iter().try_for_each(|it| writeln!(out, "{it}"))?;
        let checked = counted((library.files.len() + unread) as u64, "file");
        match wrong.len() as u64 {
            0 => writeln!(out, "{checked}: no mistakes found"),
            count => writeln!(out, "{checked}: {}", counted(count, "mistake")),
        }
    })?;
    Ok(if wrong.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

fn print_schema() -> Result<ExitCode> {
    let schema = schema(&Known::builtin()?.layouts);
    print(|out, _| table::json(&schema, out))
}

fn begin_case(arguments: &NewArguments) -> Result<ExitCode> {
    let catalogue = Catalogue::builtin()?;
    let library = library(&arguments.cases, &catalogue)?;
    let covers = arguments.covers.iter().map(|id| requirement(id, &catalogue));
    let scaffold = Scaffold::new(&arguments.id, covers.collect::<Result<_, _>>()?, &library)?;
    let text = scaffold.text();
    let name = format!("{}.yaml", arguments.id);
    let path = match (&arguments.output, &arguments.cases.cases) {
        (Some(output), _) if output == Path::new("-") => {
            return print(|out, _| out.write_all(text.as_bytes()));
        }
        (Some(output), _) => output.clone(),
        (None, Some(file)) if file.is_file() => {
            bail!(
                "--cases {}: a new case needs a folder; name one here, or name the file with -o",
                file.display()
            )
        }
        (None, Some(folder)) => {
            folder.join(scaffold.folder(&library).unwrap_or_default()).join(name)
        }
        (None, None) => PathBuf::from(name),
    };
    save(&path, &text)?;
    let shown = quoted(&path.display().to_string());
    let cases = arguments.cases.cases.as_ref().filter(|_| arguments.output.is_none());
    let cases = cases.map_or_else(|| shown.clone(), |it| quoted(&it.display().to_string()));
    let (path, id) = (path.display(), &arguments.id);
    print(|out, _| {
        writeln!(
            out,
            "wrote {path}\nOnce you have written its steps, check and run it:\n  warpscope \
             conform lint {shown}\n  warpscope conform run --self --cases {cases} -v {id}"
        )
    })
}

/// Writes a new file, and creates missing folders.
fn save(path: &Path, text: &str) -> Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)
            .with_context(|| format!("cannot create the folder {}", folder.display()))?;
    }
    let opened = OpenOptions::new().write(true).create_new(true).open(path);
    let mut file = opened.map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => {
            anyhow::anyhow!("{} already exists: choose another name with -o", path.display())
        }
        _ => anyhow::anyhow!("cannot write {}: {error}; check the folder", path.display()),
    })?;
    file.write_all(text.as_bytes()).with_context(|| format!("cannot write {}", path.display()))
}
