//! The catalogue: all requirements of all documents.

use super::read::{ReadFile, read};
use super::{Document, Requirement};
use crate::Level;
use std::collections::BTreeMap;

/// The maximum edit distance of a suggestion from the id that was asked for: single insertions, deletions,
/// substitutions or swaps of a letter.
const NEAR: usize = 4;

/// All requirements of all documents, in the order of the documents and their text.
#[derive(Clone, Debug)]
pub struct Catalogue {
    documents: Vec<Document>,
    requirements: Vec<Requirement>,
    /// The index of each requirement, by its id in capitals.
    places: BTreeMap<String, usize>,
}

/// An id that no requirement has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no requirement has the id {id}{}", did_you_mean(.nearest.as_deref()))]
pub struct UnknownId {
    /// The id that was asked for.
    pub id: String,
    /// The most similar id, if there is one.
    pub nearest: Option<String>,
}

/// Returns the end of the message about an unknown id.
fn did_you_mean(nearest: Option<&str>) -> String {
    nearest.map_or_else(String::new, |nearest| format!("; did you mean {nearest}?"))
}

impl Catalogue {
    /// Returns the built-in catalogue.
    ///
    /// # Errors
    ///
    /// Returns what is wrong with its files. A test checks that nothing is.
    pub fn builtin() -> Result<Self, Faults> {
        Self::read(FILES)
    }

    /// Reads a catalogue from files, each a name and its YAML text.
    ///
    /// # Errors
    ///
    /// Returns everything that is wrong with the files, with file and line: text of another form, ids that do
    /// not match their place or occur twice, numbers out of order, texts that are missing or too long, and
    /// references to requirements that do not exist.
    pub fn read(files: &[(&str, &str)]) -> Result<Self, Faults> {
        let mut faults = Vec::new();
        let mut read_files: Vec<(&str, ReadFile)> = Vec::with_capacity(files.len());
        for (name, text) in files {
            match read(name, text) {
                Ok(mut file) => {
                    faults.append(&mut file.faults);
                    if let Some((other, _)) =
                        read_files.iter().find(|(_, it)| it.document.id == file.document.id)
                    {
                        let what = format!("{} is the document of {other} too", file.document.id);
                        faults.push(Fault { file: (*name).to_owned(), line: file.line, what });
                    }
                    read_files.push((name, file));
                }
                Err(fault) => faults.push(fault),
            }
        }
        let places = places(&read_files, &mut faults);
        check_references(&read_files, &places, &mut faults);
        if !faults.is_empty() {
            let order = |name: &str| files.iter().position(|(it, _)| *it == name);
            faults.sort_by_key(|fault| (order(&fault.file), fault.line));
            return Err(Faults(faults));
        }
        let mut catalogue = Self { documents: Vec::new(), requirements: Vec::new(), places };
        for (_, file) in read_files {
            catalogue.documents.push(file.document);
            catalogue.requirements.extend(file.requirements.into_iter().map(|(it, _)| it));
        }
        Ok(catalogue)
    }

    /// Returns the documents.
    pub fn documents(&self) -> &[Document] {
        &self.documents
    }

    /// Returns all requirements.
    pub fn all(&self) -> &[Requirement] {
        &self.requirements
    }

    /// Returns the strongest level of these requirements, or `None` if none of them is known.
    pub fn strongest(&self, ids: &[String]) -> Option<Level> {
        ids.iter().filter_map(|id| self.find(id).ok()).map(|it| it.level).min()
    }

    /// Returns the requirement with an id, in capitals or not.
    ///
    /// # Errors
    ///
    /// Fails if there is none. The error names the most similar id.
    pub fn find(&self, id: &str) -> Result<&Requirement, UnknownId> {
        let place = self.places.get(&id.to_ascii_uppercase());
        place.and_then(|place| self.requirements.get(*place)).ok_or_else(|| UnknownId {
            id: id.to_owned(),
            nearest: self.nearest(id).map(|it| it.id.clone()),
        })
    }

    /// Returns the requirements of a document, by the document's id (`RFC5040`), in capitals or not. There
    /// are none if the catalogue does not have the document.
    pub fn in_document<'a>(&'a self, document: &'a str) -> impl Iterator<Item = &'a Requirement> {
        self.requirements.iter().filter(move |it| it.document.eq_ignore_ascii_case(document))
    }

    /// Returns the requirement whose id is most similar to `id`, if one is similar; the first of several. Ids
    /// of the same section come first. If `id` names a known document, ids of other documents do not count.
    pub fn nearest(&self, id: &str) -> Option<&Requirement> {
        let id = id.to_ascii_uppercase();
        let (document, section) = place_of(&id);
        let known = self.documents.iter().any(|it| it.id.eq_ignore_ascii_case(document));
        let within = |it: &&Requirement| !known || it.document.eq_ignore_ascii_case(document);
        let unlike = |it: &Requirement| {
            let elsewhere = place_of(&it.id.to_ascii_uppercase()).1 != section;
            (elsewhere, strsim::damerau_levenshtein(&id, &it.id))
        };
        // Within a document, ids of other sections differ in a few characters only, so all of them are
        // similar.
        let behind = id.len() - document.len();
        let alike = |(elsewhere, distance): (bool, usize)| {
            distance <= if known && elsewhere { NEAR.min(behind / 3) } else { NEAR }
        };
        let near = self.requirements.iter().filter(within).map(|it| (unlike(it), it));
        near.filter(|(unlike, _)| alike(*unlike))
            .min_by_key(|(unlike, _)| *unlike)
            .map(|(_, requirement)| requirement)
    }
}

/// Returns the document of an id, and the document with the section.
fn place_of(id: &str) -> (&str, &str) {
    let document = id.split_once('-').map_or(id, |(document, _)| document);
    let section = id.rsplit_once('-').map_or(id, |(section, _)| section);
    (document, section)
}

/// Returns the index that each requirement will have, by its id. A duplicate id is a fault.
fn places(files: &[(&str, ReadFile)], faults: &mut Vec<Fault>) -> BTreeMap<String, usize> {
    let mut seen: BTreeMap<String, (&str, u64)> = BTreeMap::new();
    let mut places = BTreeMap::new();
    for (name, file) in files {
        for (requirement, line) in &file.requirements {
            let id = requirement.id.to_ascii_uppercase();
            match seen.get(&id) {
                Some((other, before)) => {
                    let what = format!("{id} is there already, at {other}:{before}");
                    faults.push(Fault { file: (*name).to_owned(), line: *line, what });
                }
                None => {
                    places.insert(id.clone(), seen.len());
                    seen.insert(id, (name, *line));
                }
            }
        }
    }
    places
}

/// Checks that every reference names a requirement. References to a document whose file does not exist yet
/// are accepted.
fn check_references(
    files: &[(&str, ReadFile)],
    places: &BTreeMap<String, usize>,
    faults: &mut Vec<Fault>,
) {
    let is_here = |document: &str| files.iter().any(|(_, file)| file.document.id == document);
    for (name, file) in files {
        for (id, line) in &file.references {
            let document = id.split('-').next().unwrap_or(id);
            let to_come = !is_here(document) && DOCUMENTS.contains(&document);
            if !to_come && !places.contains_key(id) {
                let what = format!("same_as names {id}, which no requirement is called");
                faults.push(Fault { file: (*name).to_owned(), line: *line, what });
            }
        }
    }
}

// The built-in files.

/// Every file of the catalogue: its name and its text, in the order in which documents are listed.
pub(crate) const FILES: &[(&str, &str)] = &[
    ("rfc5040.yaml", include_str!("../rfc5040.yaml")),
    ("rfc5041.yaml", include_str!("../rfc5041.yaml")),
    ("rfc5044.yaml", include_str!("../rfc5044.yaml")),
    ("rfc6581.yaml", include_str!("../rfc6581.yaml")),
    ("rfc7306.yaml", include_str!("../rfc7306.yaml")),
    ("ext04.yaml", include_str!("../ext04.yaml")),
    ("extv2.yaml", include_str!("../extv2.yaml")),
    ("commit.yaml", include_str!("../commit.yaml")),
    ("bis04.yaml", include_str!("../bis04.yaml")),
    ("rfc8166.yaml", include_str!("../rfc8166.yaml")),
    ("rfc8167.yaml", include_str!("../rfc8167.yaml")),
    ("rfc8267.yaml", include_str!("../rfc8267.yaml")),
    ("rfc8797.yaml", include_str!("../rfc8797.yaml")),
    ("smbd.yaml", include_str!("../smbd.yaml")),
    ("rfc7143.yaml", include_str!("../rfc7143.yaml")),
    ("rfc7145.yaml", include_str!("../rfc7145.yaml")),
    ("nvme.yaml", include_str!("../nvme.yaml")),
];

/// The documents that the catalogue covers. An entry may refer to a document of this list as the same before
/// that document's file exists.
pub(crate) const DOCUMENTS: &[&str] = &[
    "RFC5040", "RFC5041", "RFC5044", "RFC6581", "RFC7306", "EXT04", "EXTV2", "COMMIT", "BIS04",
    "RFC8166", "RFC8167", "RFC8267", "RFC8797", "SMBD", "RFC7143", "RFC7145", "NVME",
];

// What is wrong with a file of the catalogue.

/// A single fault in a file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}: {what}")]
pub struct Fault {
    /// The file's name, without a directory.
    pub file: String,
    /// The line, counted from 1.
    pub line: u64,
    /// What is wrong, and what it should be.
    pub what: String,
}

/// Everything that is wrong with the files of a catalogue: at least one fault. A file that cannot
/// be read as YAML shows its first fault only.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", lines(.0))]
pub struct Faults(pub(crate) Vec<Fault>);

fn lines(faults: &[Fault]) -> String {
    faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}
