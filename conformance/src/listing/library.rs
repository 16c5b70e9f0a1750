//! All cases of a folder, or those that are built in.

use super::Card;
use crate::builtin::CASE_FILES;
use crate::case::{Cases, Context};
use crate::yaml::{Diagnostic, Source};
use std::str::FromStr as _;
use warpscope_requirements::{Catalogue, Section};

/// A file of cases: its path below the folder, with slashes, and its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaseFile {
    /// The path below the folder.
    pub path: String,
    /// The text.
    pub text: String,
}

/// All cases, in the order of the documents and their sections.
#[derive(Debug, Clone)]
pub struct Library {
    /// The files, cases and fragments.
    pub files: Vec<CaseFile>,
    /// The cases that can be listed.
    pub cards: Vec<Card>,
    /// What cannot be listed, and why.
    pub broken: Vec<Diagnostic>,
}

impl Library {
    /// The cases that are built in.
    pub fn builtin(catalogue: &Catalogue) -> Self {
        let files = CASE_FILES
            .iter()
            .map(|(path, text)| CaseFile { path: (*path).to_owned(), text: (*text).to_owned() });
        Self::new(files.collect(), catalogue)
    }

    /// The cases of these files.
    pub fn new(files: Vec<CaseFile>, catalogue: &Catalogue) -> Self {
        let (mut cards, mut broken) = (Vec::new(), Vec::new());
        for file in &files {
            match Card::read(&file.path, &file.text) {
                Ok(card) => cards.extend(card),
                Err(diagnostic) => broken.push(diagnostic),
            }
        }
        let documents = catalogue.documents();
        cards.sort_by_cached_key(|card: &Card| {
            let document = documents.iter().position(|it| it.id == card.document);
            let section = Section::from_str(&card.section).ok();
            let unknown = (document.is_none(), section.is_none());
            (unknown, document, section, card.file.clone(), card.id.clone())
        });
        Self { files, cards, broken }
    }

    /// The files as the reader of cases takes them.
    pub fn sources(&self) -> Vec<Source> {
        self.files.iter().map(|file| Source::new(&file.path, &file.text)).collect()
    }

    /// The cases with their instances: of the files that nothing is wrong with.
    pub fn expanded(&self, context: Context<'_>) -> Cases {
        let mut sources = self.sources();
        // A file that is left out may be a fragment that others need.
        while !sources.is_empty() {
            match Cases::read(&sources, context) {
                Ok(cases) => return cases,
                Err(wrong) => {
                    let before = sources.len();
                    sources.retain(|it| wrong.iter().all(|wrong| wrong.file != it.name()));
                    if sources.len() == before {
                        break;
                    }
                }
            }
        }
        Cases::default()
    }

    /// Everything that is wrong with the files. Fragments that are built in may be used, where the
    /// library has none of that name.
    pub fn mistakes(&self, context: Context<'_>) -> Vec<Diagnostic> {
        let mut sources = self.sources();
        let own: Vec<String> = sources.iter().map(|source| source.name().to_owned()).collect();
        for (path, text) in CASE_FILES {
            let Some(name) = named(text) else { continue };
            if !self.files.iter().any(|file| named(&file.text) == Some(name)) {
                sources.push(Source::new(&format!("{path} (built in)"), text));
            }
        }
        let mut wrong = Cases::read(&sources, context).err().unwrap_or_default();
        wrong.retain(|diagnostic| own.contains(&diagnostic.file));
        wrong
    }

    /// The case with an id, in capitals or not.
    pub fn find(&self, id: &str) -> Option<&Card> {
        self.cards.iter().find(|card| card.id.eq_ignore_ascii_case(id))
    }
}

/// The name of the fragment that a file is; `None` for a case.
fn named(text: &str) -> Option<&str> {
    text.lines().find_map(|line| line.strip_prefix("fragment:")).map(str::trim)
}
