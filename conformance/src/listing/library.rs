//! All cases of a folder, or those that are built in.

use super::Card;
use super::words::in_words;
use crate::builtin::CASE_FILES;
use crate::case::{Cases, Context};
use crate::yaml::{Diagnostic, Node, Source, parse};
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

    /// The fragments that are built in, where the library has none of that name.
    fn lent(&self) -> Vec<Source> {
        let own: Vec<&str> = self.files.iter().filter_map(|file| named(&file.text)).collect();
        let lent =
            CASE_FILES.iter().filter(|(_, text)| named(text).is_some_and(|it| !own.contains(&it)));
        lent.map(|(path, text)| Source::new(&format!("{path} (built in)"), text)).collect()
    }

    /// The cases with their instances. Fragments that are built in may be used, where the library has
    /// none of that name.
    ///
    /// # Errors
    /// Everything that is wrong with the files.
    pub fn cases(&self, context: Context<'_>) -> Result<Cases, Vec<Diagnostic>> {
        Cases::read_with(&self.sources(), &self.lent(), context)
    }

    /// The cases with their instances: of the files that nothing is wrong with.
    pub fn expanded(&self, context: Context<'_>) -> Cases {
        let (mut sources, lent) = (self.sources(), self.lent());
        // A file that is left out may be a fragment that others need.
        while !sources.is_empty() {
            match Cases::read_with(&sources, &lent, context) {
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

    /// Everything that is wrong with the files; nothing where they can be run.
    pub fn mistakes(&self, context: Context<'_>) -> Vec<Diagnostic> {
        self.cases(context).err().unwrap_or_default()
    }

    /// What a fragment does, by its name: its title, and its steps in words. Where the library has none
    /// of that name, the one that is built in.
    pub fn fragment(&self, name: &str) -> Option<(String, Vec<String>)> {
        let own = self.files.iter().map(|file| (file.path.as_str(), file.text.as_str()));
        let all = own.chain(CASE_FILES.iter().copied());
        let (path, text) = all.into_iter().find(|(_, text)| named(text) == Some(name))?;
        let root = parse(&Source::new(path, text)).ok()?;
        let title = root.of("title").and_then(Node::text).unwrap_or_default();
        Some((title.to_owned(), root.of("steps").map(in_words).unwrap_or_default()))
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
