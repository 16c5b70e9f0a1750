//! All cases of a folder, or those that are built in.

use super::Card;
use crate::builtin::CASE_FILES;
use crate::yaml::Diagnostic;
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

    /// The case with an id, in capitals or not.
    pub fn find(&self, id: &str) -> Option<&Card> {
        self.cards.iter().find(|card| card.id.eq_ignore_ascii_case(id))
    }
}
