//! `conform new`: begins a case.

use super::cases::library;
use super::run::quoted;
use super::unknown::requirement;
use crate::cli::NewArguments;
use crate::failure::OutputError;
use crate::terminal::standard_output;
use anyhow::{Context as _, Result, bail};
use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use warpscope_conformance::listing::Scaffold;
use warpscope_requirements::Catalogue;

/// Writes the file, and says where it is.
///
/// # Errors
/// When the id cannot be taken, a requirement does not exist, or the file cannot be written or is
/// there already.
pub(super) fn run(arguments: &NewArguments) -> Result<ExitCode> {
    let catalogue = Catalogue::builtin()?;
    let library = library(&arguments.cases, &catalogue)?;
    let covers = arguments.covers.iter().map(|id| requirement(id, &catalogue));
    let scaffold = Scaffold::new(&arguments.id, covers.collect::<Result<_, _>>()?, &library)?;
    let text = scaffold.text();
    let (mut out, _) = standard_output();
    let name = format!("{}.yaml", arguments.id);
    let path = match (&arguments.output, &arguments.cases.cases) {
        (Some(output), _) if output == Path::new("-") => {
            out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(OutputError)?;
            return Ok(ExitCode::SUCCESS);
        }
        (Some(output), _) => output.clone(),
        (None, Some(file)) if file.is_file() => {
            bail!(
                "--cases {}: a new case goes into a folder; name one, or the file with -o",
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
    writeln!(
        out,
        "wrote {}\nWhen its steps are in, check it and run it:\n  warpscope conform lint {shown}\n  \
         warpscope conform run --self --cases {cases} -v {}",
        path.display(),
        arguments.id
    )
    .and_then(|()| out.flush())
    .map_err(OutputError)?;
    Ok(ExitCode::SUCCESS)
}

/// Writes a new file, in folders that are made where they are not there.
fn save(path: &Path, text: &str) -> Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)
            .with_context(|| format!("cannot make the folder {}", folder.display()))?;
    }
    let opened = OpenOptions::new().write(true).create_new(true).open(path);
    let mut file = opened.map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => {
            anyhow::anyhow!("{} is there already: choose another name with -o", path.display())
        }
        _ => anyhow::anyhow!("cannot write {}: {error}; check the folder", path.display()),
    })?;
    file.write_all(text.as_bytes()).with_context(|| format!("cannot write {}", path.display()))
}
