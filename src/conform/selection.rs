//! Which cases are meant.

use super::unknown::{no_case, requirement};
use crate::cli::SelectionArguments;
use anyhow::{Context as _, Result, bail};
use glob::Pattern;
use std::str::FromStr as _;
use warpscope_conformance::listing::{Card, Library};
use warpscope_requirements::{Catalogue, Section};

/// What a case must be to be meant. Where several are given of a kind, one of them is enough.
#[derive(Debug)]
pub(crate) struct Selection {
    ids: Vec<Pattern>,
    sections: Vec<(String, Option<Section>)>,
    covers: Vec<String>,
    tags: Vec<String>,
    levels: Vec<String>,
}

impl Selection {
    /// Reads the arguments.
    ///
    /// # Errors
    /// What does not exist: a document, a requirement, a level; with what may be meant.
    pub(crate) fn new(arguments: &SelectionArguments, catalogue: &Catalogue) -> Result<Self> {
        let pattern = |id: &String| {
            let case = id.split('[').next().unwrap_or(id).to_lowercase();
            Pattern::new(&case).with_context(|| format!("{id} is no id: * stands for anything"))
        };
        let section = |text: &String| section(text, catalogue);
        let covered = |id: &String| Ok(requirement(id, catalogue)?.id.clone());
        let level = |level: &String| {
            let known = ["MUST", "SHOULD", "MAY"];
            let level = level.to_uppercase();
            if !known.contains(&level.as_str()) {
                bail!("--level {level}: there are must, should, may");
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

    /// Whether a case is meant.
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

    /// The cases that are meant.
    ///
    /// # Errors
    /// When there is none; with the id that may be meant, and what lists them.
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

/// A document, or a section of one: `rfc5040`, `rfc5040-4.8`, `RFC5040/4.8`.
fn section(text: &str, catalogue: &Catalogue) -> Result<(String, Option<Section>)> {
    let (document, section) = match text.split_once(['-', '/', ':']) {
        Some((document, section)) => (document, Some(section)),
        None => (text, None),
    };
    let known = || catalogue.documents().iter().map(|it| it.id.as_str());
    if !known().any(|id| id.eq_ignore_ascii_case(document)) {
        let all = known().map(str::to_lowercase).collect::<Vec<_>>().join(", ");
        bail!("--section {text}: the catalogue has no such document; there are {all}");
    }
    let section = section.map(|section| {
        Section::from_str(&section.to_uppercase()).with_context(|| format!("--section {text}"))
    });
    Ok((document.to_uppercase(), section.transpose()?))
}
