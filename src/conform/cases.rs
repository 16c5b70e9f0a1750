//! Reads the library of cases.

use crate::cli::CasesArguments;
use crate::failure::complain;
use anyhow::{Context as _, Result, anyhow, bail};
use std::path::{Path, PathBuf};
use warpscope_conformance::case::{Cases, Context};
use warpscope_conformance::layout::Layouts;
use warpscope_conformance::listing::{CaseFile, Library};
use warpscope_conformance::yaml::Source;
use warpscope_requirements::Catalogue;

/// The deepest folder that is looked into.
const DEEPEST: usize = 16;

/// The library that is asked for: that of a folder or of a file, or the one that is built in.
///
/// # Errors
/// When the folder or a file in it cannot be read, or has no case.
pub(super) fn library(arguments: &CasesArguments, catalogue: &Catalogue) -> Result<Library> {
    let Some(folder) = &arguments.cases else { return Ok(Library::builtin(catalogue)) };
    let paths = if folder.is_file() { vec![folder.clone()] } else { files(folder)? };
    if paths.is_empty() {
        bail!("--cases {}: no file there ends in .yaml", folder.display());
    }
    let mut files = Vec::with_capacity(paths.len());
    for path in paths {
        files.push(CaseFile { text: text(&path)?, path: name(folder, &path) });
    }
    Ok(Library::new(files, catalogue))
}

/// The cases with their instances.
///
/// # Errors
/// Everything that is wrong with the files: a run with cases left out would say too much.
pub(super) fn read(library: &Library, known: &Known) -> Result<Cases> {
    library.cases(known.context()).map_err(|wrong| {
        let lines: Vec<String> = wrong.iter().map(ToString::to_string).collect();
        anyhow!("{}\nthe cases cannot be run before this is right", lines.join("\n"))
    })
}

/// What cases are read against.
pub(crate) struct Known {
    /// The requirements.
    pub(crate) catalogue: Catalogue,
    /// The headers and messages.
    pub(crate) layouts: Layouts,
    /// The seeded bugs of the reference peer.
    bugs: Vec<&'static str>,
}

impl Known {
    /// What is built in.
    ///
    /// # Errors
    /// What is wrong with it; tests see to it that nothing is.
    pub(crate) fn builtin() -> Result<Self> {
        let layouts = Layouts::builtin().map_err(|wrong| {
            let lines: Vec<String> = wrong.iter().map(ToString::to_string).collect();
            anyhow!("{}", lines.join("\n"))
        })?;
        let bugs = warpscope_peer::bug::TABLE.iter().map(|row| row.name).collect();
        Ok(Self { catalogue: Catalogue::builtin()?, layouts, bugs })
    }

    /// As the reader of cases takes it.
    pub(crate) fn context(&self) -> Context<'_> {
        let (layouts, catalogue) = (&self.layouts, &self.catalogue);
        Context { layouts, catalogue, bugs: Some(&self.bugs) }
    }
}

/// Tells what cannot be listed, and that `lint` says more.
pub(super) fn complain_of_broken(library: &Library) {
    for diagnostic in &library.broken {
        complain(&diagnostic.to_string());
    }
}

/// A file's text.
///
/// # Errors
/// When it cannot be read, or is not UTF-8.
pub(super) fn text(path: &Path) -> Result<String> {
    let source = Source::of_bytes(&path.display().to_string(), bytes(path)?)?;
    Ok(source.text().to_owned())
}

/// A file's bytes.
///
/// # Errors
/// When it cannot be read.
pub(super) fn bytes(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).with_context(|| {
        format!("cannot read {}: check the name and its permissions", path.display())
    })
}

/// The path below the folder, with slashes; of a file that stands for a folder, its name.
fn name(folder: &Path, path: &Path) -> String {
    let below = match path.strip_prefix(folder) {
        Ok(below) if below.as_os_str().is_empty() => path.file_name().map_or(path, Path::new),
        Ok(below) => below,
        Err(_) => path,
    };
    let parts: Vec<String> =
        below.components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
    parts.join("/")
}

/// The YAML files of a folder and of those in it, in the order of their names.
///
/// # Errors
/// When a folder cannot be read.
pub(super) fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    walk(folder, DEEPEST, &mut found)?;
    found.sort();
    Ok(found)
}

fn walk(folder: &Path, deeper: usize, found: &mut Vec<PathBuf>) -> Result<()> {
    let entries = std::fs::read_dir(folder).with_context(|| {
        format!("cannot read the folder {}: check the name and its permissions", folder.display())
    })?;
    for entry in entries {
        let path = entry.with_context(|| format!("cannot read {}", folder.display()))?.path();
        if path.is_dir() {
            if deeper > 0 {
                walk(&path, deeper - 1, found)?;
            }
        } else if path.extension().is_some_and(|it| it == "yaml" || it == "yml") {
            found.push(path);
        }
    }
    Ok(())
}
