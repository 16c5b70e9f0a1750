//! Reads the library of cases.

use crate::cli::{CasesArguments, SelectionArguments};
use crate::failure::complain;
use anyhow::{Context as _, Result, anyhow, bail};
use glob::Pattern;
use std::path::{Path, PathBuf};
use std::str::FromStr as _;
use warpscope_conformance::case::{Cases, Context};
use warpscope_conformance::layout::Layouts;
use warpscope_conformance::listing::{Card, CaseFile, Library};
use warpscope_conformance::yaml::Source;
use warpscope_peer::bug::SeededBug;
use warpscope_peer::switch::Switch as _;
use warpscope_requirements::{Catalogue, Requirement, Section};
use warpscope_text::nearest;

/// The maximum depth of folders that are searched.
const DEEPEST: usize = 16;

/// Reads the requested library: that of a folder or a file, or the built-in one.
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

pub(super) fn read(library: &Library, known: &Known) -> Result<Cases> {
    library.cases(known.context()).map_err(|wrong| {
        let lines: Vec<String> = wrong.iter().map(ToString::to_string).collect();
        anyhow!("{}\nfix this before running the cases", lines.join("\n"))
    })
}

/// The tables that cases are checked against.
pub(crate) struct Known {
    pub(crate) catalogue: Catalogue,
    pub(crate) layouts: Layouts,
    bugs: Vec<&'static str>,
}

impl Known {
    pub(crate) fn builtin() -> Result<Self> {
        let bugs = SeededBug::all().map(SeededBug::name).collect();
        Ok(Self { catalogue: Catalogue::builtin()?, layouts: Layouts::builtin()?, bugs })
    }

    /// Returns the tables in the form that the reader of cases needs.
    pub(crate) fn context(&self) -> Context<'_> {
        let (layouts, catalogue) = (&self.layouts, &self.catalogue);
        Context { layouts, catalogue, bugs: Some(&self.bugs) }
    }
}

/// Reports files that cannot be listed, and refers to `lint` for details.
pub(super) fn complain_of_broken(library: &Library) {
    for diagnostic in &library.broken {
        complain(&diagnostic.to_string());
    }
}

pub(super) fn text(path: &Path) -> Result<String> {
    let source = Source::of_bytes(&path.display().to_string(), bytes(path)?)?;
    Ok(source.text().to_owned())
}

pub(super) fn bytes(path: &Path) -> Result<Vec<u8>> {
    crate::input::read(path).with_context(|| {
        format!("cannot read {}: check the name and its permissions", path.display())
    })
}

/// Returns the path below the folder, with slashes; for a file given instead of a folder, its name.
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

/// Returns the YAML files of a folder and its subfolders, in the order of their names.
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

/// The criteria that select cases. If several of one kind are given, one of them must match.
#[derive(Debug)]
pub(crate) struct Selection {
    ids: Vec<Pattern>,
    sections: Vec<(String, Option<Section>)>,
    covers: Vec<String>,
    tags: Vec<String>,
    levels: Vec<String>,
}

impl Selection {
    pub(crate) fn new(arguments: &SelectionArguments, catalogue: &Catalogue) -> Result<Self> {
        let pattern = |id: &String| {
            let case = id.split('[').next().unwrap_or(id).to_lowercase();
            Pattern::new(&case)
                .with_context(|| format!("{id} is not an id; * matches any characters"))
        };
        let section = |text: &String| section(text, catalogue);
        let covered = |id: &String| Ok(requirement(id, catalogue)?.id.clone());
        let level = |level: &String| {
            let known = ["MUST", "SHOULD", "MAY"];
            let level = level.to_uppercase();
            if !known.contains(&level.as_str()) {
                bail!("--level {level}: expected must, should or may");
            }
            Ok(level)
        };
        Ok(Self {
            ids: arguments.ids.iter().map(pattern).collect::<Result<_>>()?,
            sections: arguments.sections.iter().map(section).collect::<Result<_>>()?,
            covers: arguments.covers.iter().map(covered).collect::<Result<_>>()?,
            tags: arguments.tags.clone(),
            levels: arguments.levels.iter().map(level).collect::<Result<_>>()?,
        })
    }

    /// Whether a case is selected.
    pub(crate) fn has(&self, card: &Card, catalogue: &Catalogue) -> bool {
        let any = |given: bool, fits: bool| !given || fits;
        let within = |(document, section): &(String, Option<Section>)| {
            let own = Section::from_str(&card.section).ok();
            card.document.eq_ignore_ascii_case(document)
                && section.as_ref().is_none_or(|outer| own.is_some_and(|it| it.is_within(outer)))
        };
        let id = card.id.to_lowercase();
        any(!self.ids.is_empty(), self.ids.iter().any(|pattern| pattern.matches(&id)))
            && any(!self.sections.is_empty(), self.sections.iter().any(within))
            && any(!self.covers.is_empty(), self.covers.iter().any(|id| card.covers.contains(id)))
            && any(!self.tags.is_empty(), self.tags.iter().any(|tag| card.tags.contains(tag)))
            && any(!self.levels.is_empty(), self.levels.contains(&card.level(catalogue)))
    }

    pub(crate) fn cards<'a>(
        &self,
        library: &'a Library,
        catalogue: &Catalogue,
    ) -> Result<Vec<&'a Card>> {
        let cards: Vec<&Card> =
            library.cards.iter().filter(|card| self.has(card, catalogue)).collect();
        if !cards.is_empty() {
            return Ok(cards);
        }
        Err(no_case(self.ids.iter().map(Pattern::as_str), library))
    }
}

/// Parses a document, or a section of one: `rfc5040`, `rfc5040-4.8`, `RFC5040/4.8`.
fn section(text: &str, catalogue: &Catalogue) -> Result<(String, Option<Section>)> {
    let (document, section) = match text.split_once(['-', '/', ':']) {
        Some((document, section)) => (document, Some(section)),
        None => (text, None),
    };
    let known = || catalogue.documents().iter().map(|it| it.id.as_str());
    if !known().any(|id| id.eq_ignore_ascii_case(document)) {
        let all = known().map(str::to_lowercase).collect::<Vec<_>>().join(", ");
        bail!("--section {text}: the catalogue has no such document; expected one of {all}");
    }
    let section = section.map(|section| {
        Section::from_str(&section.to_uppercase()).with_context(|| format!("--section {text}"))
    });
    Ok((document.to_uppercase(), section.transpose()?))
}

pub(super) fn requirement<'a>(id: &str, catalogue: &'a Catalogue) -> Result<&'a Requirement> {
    catalogue.find(id).map_err(|unknown| {
        let mark = if unknown.nearest.is_some() { "" } else { ";" };
        let (command, requirements) = coverage(id, catalogue);
        anyhow!("{unknown}{mark} {command} lists {requirements}")
    })
}

/// Returns the error that neither a case nor a requirement has this id.
pub(super) fn neither(id: &str, library: &Library, catalogue: &Catalogue) -> anyhow::Error {
    let (command, requirements) = coverage(id, catalogue);
    let case = near_case(id, library);
    let requirement = catalogue.nearest(id).map(|it| it.id.as_str());
    // An id that begins with a document is probably meant as a requirement.
    let near = if requirements == ALL { case.or(requirement) } else { requirement.or(case) };
    let near = near.map_or_else(|| ";".to_owned(), |near| format!("; did you mean {near}?"));
    let cases = cases(id, library);
    anyhow!(
        "no case or requirement is called {id}{near} {cases}, and {command} lists {requirements}"
    )
}

/// Returns the error that no case matches these patterns.
pub(super) fn no_case<'a>(
    patterns: impl Iterator<Item = &'a str> + Clone,
    library: &Library,
) -> anyhow::Error {
    let near = patterns.clone().find_map(|pattern| near_case(pattern, library));
    let near = near.map_or_else(|| ";".to_owned(), |near| format!("; did you mean {near}?"));
    let cases = patterns.map(|pattern| cases(pattern, library)).next();
    anyhow!("no case matches{near} {}", cases.unwrap_or_else(|| CASES.to_owned()))
}

/// What [`coverage`] lists if no document is known.
const ALL: &str = "the requirements";
const CASES: &str = "`warpscope conform list` lists the cases";

fn near_case<'a>(id: &str, library: &'a Library) -> Option<&'a str> {
    nearest(id, library.cards.iter().map(|card| card.id.as_str()))
}

/// Returns the command that lists cases: those with these characters in their ids, if there are any.
fn cases(part: &str, library: &Library) -> String {
    let part = part.to_lowercase();
    let plain = |it: char| it.is_ascii_alphanumeric() || it == '-';
    let count = library.cards.iter().filter(|card| card.id.contains(&part)).count();
    match count {
        1.. if !part.is_empty() && part.chars().all(plain) => {
            format!("`warpscope conform list '*{part}*'` lists the cases with {part} in their ids")
        }
        _ => CASES.to_owned(),
    }
}

/// Returns the command that lists requirements, and which: those of the document that an id begins with.
fn coverage(id: &str, catalogue: &Catalogue) -> (String, String) {
    let document = id.split(['-', '/', ':']).next().unwrap_or_default();
    let known = catalogue.documents().iter().find(|it| it.id.eq_ignore_ascii_case(document));
    match known {
        Some(known) => {
            let (name, flag) = (&known.id, known.id.to_lowercase());
            let command = format!("`warpscope conform coverage --all --document {flag}`");
            (command, format!("the requirements of {name}"))
        }
        None => ("`warpscope conform coverage --all`".to_owned(), ALL.to_owned()),
    }
}
