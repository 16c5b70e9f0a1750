//! Which cases and rules judge each requirement.

use crate::listing::Card;
use serde::{Deserialize, Serialize};
use serde_saphyr::Spanned;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use warpscope_dissector::rules::Rule;
use warpscope_requirements::{Catalogue, Document, Fault, Judged, Level, Requirement};

/// Which cases and rules judge each requirement of the catalogue.
#[derive(Debug, Clone)]
pub struct Coverage {
    /// The documents, in the order of the catalogue.
    pub documents: Vec<DocumentCoverage>,
    /// Ids that cases and rules name but no requirement has.
    pub unknown: Vec<UnknownRequirement>,
}

/// Which cases and rules judge the requirements of a document.
#[derive(Debug, Clone)]
pub struct DocumentCoverage {
    /// The document.
    pub document: Document,
    /// Its sections that have requirements, in the order of the text.
    pub sections: Vec<SectionCoverage>,
}

/// Which cases and rules judge the requirements of a section.
#[derive(Debug, Clone)]
pub struct SectionCoverage {
    /// The section's number: `4.8`.
    pub number: String,
    /// Its requirements, in the order of the text.
    pub requirements: Vec<RequirementCoverage>,
}

/// Which cases and rules judge a requirement.
#[derive(Debug, Clone)]
pub struct RequirementCoverage {
    /// The requirement.
    pub requirement: Requirement,
    /// The ids of the cases that cover it, in the order of the cases.
    pub cases: Vec<String>,
    /// The ids of requirements that say the same and that a case covers: a hint at a case that could cover
    /// this one. They do not count, because one message does not show what must hold for all messages.
    pub same: Vec<String>,
    /// The names of the passive rules that judge it.
    pub rules: Vec<&'static str>,
    /// The reason why it is accepted that nothing judges it.
    pub waived: Option<String>,
}

/// Whether a requirement is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CoverageStatus {
    /// A case covers it; or a rule judges it, and a capture is sufficient.
    Covered,
    /// Nothing judges it, and a waiver says why.
    Waived,
    /// Nothing judges it.
    Uncovered,
    /// Nothing outside the implementation can judge it.
    Unobservable,
}

/// An id that no requirement has, and what names it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{by}: {error}")]
pub struct UnknownRequirement {
    /// The case or rule.
    pub by: String,
    /// The id, and the one that may have been meant.
    #[source]
    pub error: warpscope_requirements::UnknownId,
}

impl RequirementCoverage {
    /// Returns whether it is judged. A requirement that needs a peer is covered by cases only; one that a
    /// capture shows is covered by rules too.
    pub(crate) fn status(&self) -> CoverageStatus {
        match self.requirement.judged {
            _ if !self.cases.is_empty() => CoverageStatus::Covered,
            Judged::Passive if !self.rules.is_empty() => CoverageStatus::Covered,
            Judged::Unobservable => CoverageStatus::Unobservable,
            Judged::Active | Judged::Passive if self.waived.is_some() => CoverageStatus::Waived,
            Judged::Active | Judged::Passive => CoverageStatus::Uncovered,
        }
    }

    /// Whether it is a MUST or MUST NOT that only a peer can judge.
    pub(crate) fn is_active_must(&self) -> bool {
        self.requirement.judged == Judged::Active
            && matches!(self.requirement.level, Level::Must | Level::MustNot)
    }
}

impl Coverage {
    /// Returns all requirements, in the order of the catalogue.
    pub(crate) fn requirements(&self) -> impl Iterator<Item = &RequirementCoverage> {
        let sections = self.documents.iter().flat_map(|document| &document.sections);
        sections.flat_map(|section| &section.requirements)
    }

    /// Returns the active MUSTs that no case covers and no waiver names.
    pub fn missing(&self) -> impl Iterator<Item = &RequirementCoverage> {
        let active = self.requirements().filter(|it| it.is_active_must());
        active.filter(|it| it.status() == CoverageStatus::Uncovered)
    }

    /// Returns the counts of the whole catalogue.
    pub(crate) fn tally(&self) -> Tally {
        self.requirements().collect()
    }
}

impl DocumentCoverage {
    pub(crate) fn tally(&self) -> Tally {
        self.sections.iter().flat_map(|section| &section.requirements).collect()
    }
}

impl SectionCoverage {
    pub(crate) fn tally(&self) -> Tally {
        self.requirements.iter().collect()
    }
}

/// A number of requirements, and how many of them are judged.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Share {
    pub(crate) total: u64,
    /// The number of covered requirements.
    pub covered: u64,
    /// The number of waived requirements.
    pub waived: u64,
}

impl Share {
    /// Returns the number of requirements that nothing judges and no waiver names.
    pub fn open(&self) -> u64 {
        self.total.saturating_sub(self.covered).saturating_sub(self.waived)
    }

    fn take(&mut self, status: CoverageStatus) {
        self.total += 1;
        match status {
            CoverageStatus::Covered => self.covered += 1,
            CoverageStatus::Waived => self.waived += 1,
            CoverageStatus::Uncovered | CoverageStatus::Unobservable => {}
        }
    }
}

impl fmt::Display for Share {
    /// Formats as `12/14`, or `-` if there is none.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.total {
            0 => f.pad("-"),
            total => f.pad(&format!("{}/{total}", self.covered)),
        }
    }
}

/// The requirements of a part of the catalogue, counted by level and by how they can be judged.
/// MUST and MUST NOT are counted together, and so are SHOULD and SHOULD NOT.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// MUSTs that need a peer.
    pub(crate) active_must: Share,
    /// MUSTs that a capture shows.
    pub(crate) passive_must: Share,
    /// SHOULDs that a peer or a capture can judge.
    pub should: Share,
    /// MAYs that a peer or a capture can judge.
    pub may: Share,
    /// Requirements that nothing outside the implementation shows.
    pub(crate) unobservable: u64,
}

impl<'a> FromIterator<&'a RequirementCoverage> for Tally {
    fn from_iter<T: IntoIterator<Item = &'a RequirementCoverage>>(requirements: T) -> Self {
        let mut tally = Self::default();
        for it in requirements {
            let status = it.status();
            let share = match (it.requirement.level, it.requirement.judged) {
                (_, Judged::Unobservable) => {
                    tally.unobservable += 1;
                    continue;
                }
                (Level::Must | Level::MustNot, Judged::Active) => &mut tally.active_must,
                (Level::Must | Level::MustNot, Judged::Passive) => &mut tally.passive_must,
                (Level::Should | Level::ShouldNot, _) => &mut tally.should,
                (Level::May, _) => &mut tally.may,
            };
            share.take(status);
        }
        tally
    }
}

/// Returns which cases and rules judge each requirement of the catalogue. Ids that are not in the catalogue
/// go to [`Coverage::unknown`].
pub fn coverage(
    cases: &[Card],
    catalogue: &Catalogue,
    rules: impl IntoIterator<Item = &'static Rule>,
) -> Coverage {
    let mut unknown = Vec::new();
    let mut by_case: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for case in cases {
        for id in &case.covers {
            match catalogue.find(id) {
                Ok(requirement) => by_case.entry(&requirement.id).or_default().push(&case.id),
                Err(error) => {
                    unknown.push(UnknownRequirement { by: format!("case {}", case.id), error });
                }
            }
        }
    }
    let mut by_rule: BTreeMap<&str, Vec<&'static str>> = BTreeMap::new();
    for rule in rules {
        for id in rule.requirements {
            match catalogue.find(id) {
                Ok(requirement) => by_rule.entry(&requirement.id).or_default().push(rule.id),
                Err(error) => {
                    unknown.push(UnknownRequirement { by: format!("rule {}", rule.id), error });
                }
            }
        }
    }
    let same = same(catalogue);
    let judged = |requirement: &Requirement| {
        let id = requirement.id.as_str();
        let equals = same.get(id).cloned().unwrap_or_default();
        let cases = by_case.get(id).cloned().unwrap_or_default();
        RequirementCoverage {
            requirement: requirement.clone(),
            cases: cases.into_iter().map(str::to_owned).collect(),
            same: equals
                .into_iter()
                .filter(|equal| by_case.contains_key(equal))
                .map(str::to_owned)
                .collect(),
            rules: by_rule.get(id).cloned().unwrap_or_default(),
            waived: None,
        }
    };
    let documents = catalogue.documents().iter().map(|document| {
        let mut sections: Vec<SectionCoverage> = Vec::new();
        for requirement in catalogue.in_document(&document.id) {
            let number = requirement.section.to_string();
            let judged = judged(requirement);
            match sections.last_mut() {
                Some(section) if section.number == number => section.requirements.push(judged),
                _ => sections.push(SectionCoverage { number, requirements: vec![judged] }),
            }
        }
        DocumentCoverage { document: document.clone(), sections }
    });
    Coverage { documents: documents.collect(), unknown }
}

/// Returns, for each requirement, those that say the same according to either of them.
fn same(catalogue: &Catalogue) -> BTreeMap<&str, BTreeSet<&str>> {
    let mut same: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for requirement in catalogue.all() {
        for id in &requirement.same_as {
            let Ok(other) = catalogue.find(id) else { continue };
            same.entry(&requirement.id).or_default().insert(&other.id);
            same.entry(&other.id).or_default().insert(&requirement.id);
        }
    }
    same
}

/// The text of the built-in file.
const BUILTIN: &str = include_str!("../../coverage-waivers.yaml");
const NAME: &str = "coverage-waivers.yaml";

/// The reason why a requirement is accepted without a case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Waiver {
    /// The id of the requirement.
    pub id: String,
    /// Why no case tests it.
    pub reason: String,
    /// The line of the file, from 1.
    pub line: u64,
}

/// The waivers of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waivers {
    file: String,
    waivers: Vec<Waiver>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    waivers: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    id: Spanned<String>,
    reason: String,
}

/// Returns the built-in waivers.
///
/// # Errors
/// Returns what is wrong with the file. A test checks that nothing is.
pub fn builtin_waivers(catalogue: &Catalogue) -> Result<Waivers, Vec<Fault>> {
    Waivers::read(NAME, BUILTIN, catalogue)
}

impl Waivers {
    /// Reads a file, given its name for messages and its text. `waivers` are entries with `id` and `reason`.
    ///
    /// # Errors
    /// Returns each fault with its line: text of another form, unknown or duplicate ids, and empty reasons.
    pub fn read(file: &str, text: &str, catalogue: &Catalogue) -> Result<Self, Vec<Fault>> {
        let fault = |line: u64, what: String| Fault { file: file.to_owned(), line, what };
        let read: File = serde_saphyr::from_str(text).map_err(|error| {
            let line = error.location().map_or(1, |location| location.line());
            vec![fault(line, error.without_snippet().to_string())]
        })?;
        let (mut waivers, mut faults): (Vec<Waiver>, Vec<Fault>) = (Vec::new(), Vec::new());
        for Entry { id, reason } in read.waivers {
            let line = id.referenced.line();
            match catalogue.find(&id.value) {
                Err(error) => faults.push(fault(line, error.to_string())),
                Ok(requirement) if waivers.iter().any(|it| it.id == requirement.id) => {
                    faults.push(fault(line, format!("{} is already waived", requirement.id)));
                }
                Ok(requirement) if reason.trim().is_empty() => {
                    faults.push(fault(line, format!("say why {} needs no case", requirement.id)));
                }
                Ok(requirement) => {
                    waivers.push(Waiver { id: requirement.id.clone(), reason, line });
                }
            }
        }
        if faults.is_empty() { Ok(Self { file: file.to_owned(), waivers }) } else { Err(faults) }
    }
}

impl Coverage {
    /// Marks what is waived. Returns the waivers that match nothing: those of requirements that a case
    /// covers, and those of requirements that need none because they are not active MUSTs.
    pub fn waive(&mut self, waivers: &Waivers) -> Vec<Fault> {
        let mut unused = Vec::new();
        for waiver in &waivers.waivers {
            let requirements = self
                .documents
                .iter_mut()
                .flat_map(|document| &mut document.sections)
                .flat_map(|section| &mut section.requirements);
            let id = &waiver.id;
            let what = match requirements.into_iter().find(|it| it.requirement.id == *id) {
                None => format!("the catalogue has no {id}: remove the waiver"),
                Some(it) if !it.is_active_must() => {
                    format!("{id} is not a MUST that needs a peer: remove the waiver")
                }
                Some(it) if it.status() == CoverageStatus::Covered => {
                    let by = it.cases.join(", ");
                    format!("{id} is covered by {by}: remove the waiver")
                }
                Some(it) => {
                    it.waived = Some(waiver.reason.clone());
                    continue;
                }
            };
            unused.push(Fault { file: waivers.file.clone(), line: waiver.line, what });
        }
        unused
    }
}
