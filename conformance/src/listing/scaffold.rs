//! The beginning of a new case.

use super::Library;
use warpscope_requirements::Requirement;

/// The text of a new case; `{...}` are filled in.
const TEMPLATE: &str = include_str!("scaffold.yaml");
/// The most characters of a line of a comment.
const COLUMNS: usize = 96;

/// What a new case is made from.
#[derive(Debug, Clone)]
pub struct Scaffold<'a> {
    /// Its id.
    pub id: &'a str,
    /// The requirements that it is to cover.
    pub covers: Vec<&'a Requirement>,
}

/// A text that cannot be the id of a new case.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoCaseId {
    /// It has other characters than ids have.
    #[error(
        "`{0}` cannot be the id of a case: write it with small letters, digits and hyphens, as \
             rdmap-read-unknown-stag"
    )]
    Characters(String),
    /// There is such a case.
    #[error("the case `{0}` is there already, in {1}")]
    Taken(String, String),
}

impl<'a> Scaffold<'a> {
    /// A new case with this id, which none of the library has.
    ///
    /// # Errors
    /// When the id is none, or taken.
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

    /// The text of the file.
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
            for line in crate::report::wrap(&text, COLUMNS) {
                demanded.push_str(&format!("# {line}\n"));
            }
        }
        TEMPLATE
            .replace("{id}", self.id)
            .replace("{covers}", &covers)
            .replace("{demanded}", &demanded)
    }

    /// The folders that it belongs into, below that of all cases: `rfc5040/4.8`. A folder of the library
    /// that is of the section goes before: `rfc5040/4.8-terminate`. `None` without a requirement.
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
