//! All cases of a folder, or the built-in ones.

use super::Card;
use super::card::in_words;
use crate::case::{Cases, Context};
use crate::yaml::{Diagnostic, Node, Source, parse};
use std::str::FromStr as _;
use warpscope_requirements::{Catalogue, Requirement, Section};
use warpscope_text::wrap;

/// Every file of `cases/`: its path there (`rfc5044/7.1-setup/key.yaml`) and its text, in the order of the
/// paths.
pub const CASE_FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/cases.rs"));

/// What the trial of the cases with seeded bugs accepts: the text of `mutants-accepted.yaml`.
pub const MUTANTS_ACCEPTED: &str = include_str!("../../mutants-accepted.yaml");

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
    /// The files: cases and fragments.
    pub files: Vec<CaseFile>,
    /// The cases that can be listed.
    pub cards: Vec<Card>,
    /// The files that cannot be listed, and why.
    pub broken: Vec<Diagnostic>,
}

impl Library {
    /// Returns the built-in cases.
    pub fn builtin(catalogue: &Catalogue) -> Self {
        let files = CASE_FILES
            .iter()
            .map(|(path, text)| CaseFile { path: (*path).to_owned(), text: (*text).to_owned() });
        Self::new(files.collect(), catalogue)
    }

    /// Returns the cases of these files.
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

    /// Returns the files as sources for the reader of cases.
    pub fn sources(&self) -> Vec<Source> {
        self.files.iter().map(|file| Source::new(&file.path, &file.text)).collect()
    }

    /// Returns the built-in fragments, except those that the library has itself.
    fn lent(&self) -> Vec<Source> {
        let own: Vec<&str> = self.files.iter().filter_map(|file| named(&file.text)).collect();
        let lent =
            CASE_FILES.iter().filter(|(_, text)| named(text).is_some_and(|it| !own.contains(&it)));
        lent.map(|(path, text)| Source::new(&format!("{path} (built in)"), text)).collect()
    }

    /// Returns the cases with their instances. They may use built-in fragments that the library does not
    /// have.
    ///
    /// # Errors
    /// Returns everything that is wrong with the files.
    pub fn cases(&self, context: Context<'_>) -> Result<Cases, Vec<Diagnostic>> {
        Cases::read_with(&self.sources(), &self.lent(), context)
    }

    /// Returns the cases with their instances from the files without mistakes.
    pub fn expanded(&self, context: Context<'_>) -> Cases {
        let (mut sources, lent) = (self.sources(), self.lent());
        // Other files may need a fragment that is left out.
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

    /// Returns everything that is wrong with the files; empty if they can be run.
    pub fn mistakes(&self, context: Context<'_>) -> Vec<Diagnostic> {
        self.cases(context).err().unwrap_or_default()
    }

    /// Returns what the fragment of that name does: its title, and its steps in words. If the library does
    /// not have it, this is the built-in one.
    pub fn fragment(&self, name: &str) -> Option<(String, Vec<String>)> {
        let own = self.files.iter().map(|file| (file.path.as_str(), file.text.as_str()));
        let all = own.chain(CASE_FILES.iter().copied());
        let (path, text) = all.into_iter().find(|(_, text)| named(text) == Some(name))?;
        let root = parse(&Source::new(path, text)).ok()?;
        let title = root.of("title").and_then(Node::text).unwrap_or_default();
        Some((title.to_owned(), root.of("steps").map(in_words).unwrap_or_default()))
    }

    /// Returns the case with an id, in capitals or not.
    pub fn find(&self, id: &str) -> Option<&Card> {
        self.cards.iter().find(|card| card.id.eq_ignore_ascii_case(id))
    }
}

/// Returns the name of the fragment in a file; `None` for a case.
fn named(text: &str) -> Option<&str> {
    text.lines().find_map(|line| line.strip_prefix("fragment:")).map(str::trim)
}

/// The text of a new case; `{...}` are replaced.
const TEMPLATE: &str = include_str!("scaffold.yaml");
/// The maximum line length of a comment, in characters.
const COLUMNS: usize = 96;

/// The data for a new case.
#[derive(Debug, Clone)]
pub struct Scaffold<'a> {
    /// Its id.
    pub id: &'a str,
    /// The requirements to cover.
    pub covers: Vec<&'a Requirement>,
}

/// Why a text cannot be the id of a new case.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoCaseId {
    /// It contains characters that are not allowed in ids.
    #[error(
        "`{0}` cannot be the id of a case: use lowercase letters, digits and hyphens, as in \
             rdmap-read-unknown-stag"
    )]
    Characters(String),
    /// There is already a case with this id.
    #[error("the case `{0}` already exists in {1}")]
    Taken(String, String),
}

impl<'a> Scaffold<'a> {
    /// Returns a new case with this id, which no case of the library has.
    ///
    /// # Errors
    /// Fails if the id is invalid or already used.
    pub fn new(
        id: &'a str,
        covers: Vec<&'a Requirement>,
        library: &Library,
    ) -> Result<Self, NoCaseId> {
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        let ends = |character: char| character == '-';
        if id.is_empty() || !id.bytes().all(plain) || id.starts_with(ends) || id.ends_with(ends) {
            return Err(NoCaseId::Characters(id.to_owned()));
        }
        match library.find(id) {
            Some(card) => Err(NoCaseId::Taken(id.to_owned(), card.file.clone())),
            None => Ok(Self { id, covers }),
        }
    }

    /// Returns the text of the file.
    pub fn text(&self) -> String {
        let covers: Vec<&str> = self.covers.iter().map(|it| it.id.as_str()).collect();
        let covers =
            if covers.is_empty() { "RFC5040-4.8-03".to_owned() } else { covers.join(", ") };
        let mut demanded = String::new();
        for requirement in &self.covers {
            let text = format!(
                "{} ({}): {} How it is judged: {}",
                requirement.id, requirement.level, requirement.text, requirement.how
            );
            for line in wrap(&text, COLUMNS) {
                demanded.push_str(&format!("# {line}\n"));
            }
        }
        TEMPLATE
            .replace("{id}", self.id)
            .replace("{covers}", &covers)
            .replace("{demanded}", &demanded)
    }

    /// Returns the folders for the file, below that of all cases: `rfc5040/4.8`. An existing folder of the
    /// library for the section is preferred: `rfc5040/4.8-terminate`. `None` without a requirement.
    pub fn folder(&self, library: &Library) -> Option<String> {
        let first = self.covers.first()?;
        let section = first.section.to_string();
        let known = library
            .cards
            .iter()
            .find(|card| card.document == first.document && card.section == section)
            .and_then(|card| card.file.rsplit_once('/'))
            .map(|(folder, _)| folder.to_owned());
        Some(known.unwrap_or_else(|| format!("{}/{section}", first.document.to_lowercase())))
    }
}
