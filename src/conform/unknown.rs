//! Ids that nothing has: which may be meant, and the command that lists those that there are.

use anyhow::{Result, anyhow};
use warpscope_conformance::listing::Library;
use warpscope_dissector::text::suggest;
use warpscope_requirements::{Catalogue, Requirement};

/// The requirement of this id.
///
/// # Errors
/// When there is none.
pub(super) fn requirement<'a>(id: &str, catalogue: &'a Catalogue) -> Result<&'a Requirement> {
    catalogue.find(id).map_err(|unknown| {
        let mark = if unknown.nearest.is_some() { "" } else { ";" };
        let (command, requirements) = coverage(id, catalogue);
        anyhow!("{unknown}{mark} {command} lists {requirements}")
    })
}

/// That neither a case nor a requirement has this id.
pub(super) fn neither(id: &str, library: &Library, catalogue: &Catalogue) -> anyhow::Error {
    let (command, requirements) = coverage(id, catalogue);
    let case = near_case(id, library);
    let requirement = catalogue.nearest(id).map(|it| it.id.as_str());
    // What begins with a document is meant for a requirement.
    let near = if requirements == ALL { case.or(requirement) } else { requirement.or(case) };
    let near = near.map_or_else(|| ";".to_owned(), |near| format!("; did you mean {near}?"));
    let cases = cases(id, library);
    anyhow!(
        "no case or requirement is called {id}{near} {cases}, and {command} lists {requirements}"
    )
}

/// That no case fits these patterns.
pub(super) fn no_case<'a>(
    patterns: impl Iterator<Item = &'a str> + Clone,
    library: &Library,
) -> anyhow::Error {
    let near = patterns.clone().find_map(|pattern| near_case(pattern, library));
    let near = near.map_or_else(|| ";".to_owned(), |near| format!("; did you mean {near}?"));
    let cases = patterns.map(|pattern| cases(pattern, library)).next();
    anyhow!("no case fits{near} {}", cases.unwrap_or_else(|| CASES.to_owned()))
}

/// What [`coverage`] lists where no document is known.
const ALL: &str = "the requirements";
/// What lists the cases.
const CASES: &str = "`warpscope conform list` lists the cases";

fn near_case<'a>(id: &str, library: &'a Library) -> Option<&'a str> {
    suggest(id, library.cards.iter().map(|card| card.id.as_str()))
}

/// What lists cases: those with these characters in their ids, if there are any.
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

/// What lists requirements, and which: those of the document that an id begins with, if there is one.
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
