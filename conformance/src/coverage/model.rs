//! What judges each requirement.

use super::count::Tally;
use warpscope_requirements::{Document, Judged, Level, Requirement};

/// What judges each requirement of the catalogue.
#[derive(Debug, Clone)]
pub struct Coverage {
    /// The documents, in the order of the catalogue.
    pub documents: Vec<DocumentCoverage>,
    /// Ids that cases and rules name and no requirement has.
    pub unknown: Vec<UnknownRequirement>,
}

/// What judges the requirements of a document.
#[derive(Debug, Clone)]
pub struct DocumentCoverage {
    /// The document.
    pub document: Document,
    /// Its sections that make requirements, in the order of the text.
    pub sections: Vec<SectionCoverage>,
}

/// What judges the requirements of a section.
#[derive(Debug, Clone)]
pub struct SectionCoverage {
    /// The section's number: `4.8`.
    pub number: String,
    /// Its requirements, in the order of the text.
    pub requirements: Vec<RequirementCoverage>,
}

/// What judges a requirement.
#[derive(Debug, Clone)]
pub struct RequirementCoverage {
    /// The requirement.
    pub requirement: Requirement,
    /// The ids of the cases that cover it, in the order of the cases.
    pub cases: Vec<String>,
    /// The ids of requirements that say the same and that a case covers: a hint at a case that could
    /// cover this one. It does not count, for what says the same of all messages is not shown of one.
    pub same: Vec<String>,
    /// The names of the passive rules that judge it.
    pub rules: Vec<&'static str>,
    /// Why it is accepted that nothing judges it.
    pub waived: Option<String>,
}

/// Whether a requirement is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// A case covers it; or a rule judges it, and a capture is enough.
    Covered,
    /// Nothing judges it, and a waiver says why.
    Waived,
    /// Nothing judges it.
    Uncovered,
    /// Nothing outside the implementation could.
    Unobservable,
}

/// An id that no requirement has, and who names it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{by}: {error}")]
pub struct UnknownRequirement {
    /// The case or rule.
    pub by: String,
    /// The id, and the one that may be meant.
    #[source]
    pub error: warpscope_requirements::UnknownId,
}

impl RequirementCoverage {
    /// Whether it is judged. A requirement that needs a peer is covered by cases alone; one that a
    /// capture shows is covered by rules too.
    pub fn standing(&self) -> Standing {
        match self.requirement.judged {
            _ if !self.cases.is_empty() => Standing::Covered,
            Judged::Passive if !self.rules.is_empty() => Standing::Covered,
            Judged::Unobservable => Standing::Unobservable,
            Judged::Active | Judged::Passive if self.waived.is_some() => Standing::Waived,
            Judged::Active | Judged::Passive => Standing::Uncovered,
        }
    }

    /// Whether it is an absolute demand or prohibition that only a peer can judge.
    pub fn is_active_must(&self) -> bool {
        self.requirement.judged == Judged::Active
            && matches!(self.requirement.level, Level::Must | Level::MustNot)
    }
}

impl Coverage {
    /// All requirements, in the order of the catalogue.
    pub fn requirements(&self) -> impl Iterator<Item = &RequirementCoverage> {
        let sections = self.documents.iter().flat_map(|document| &document.sections);
        sections.flat_map(|section| &section.requirements)
    }

    /// The active MUSTs that no case covers and no waiver names.
    pub fn missing(&self) -> impl Iterator<Item = &RequirementCoverage> {
        let active = self.requirements().filter(|it| it.is_active_must());
        active.filter(|it| it.standing() == Standing::Uncovered)
    }

    /// The counts of the whole catalogue.
    pub fn tally(&self) -> Tally {
        self.requirements().collect()
    }
}

impl DocumentCoverage {
    /// The counts of the document.
    pub fn tally(&self) -> Tally {
        self.sections.iter().flat_map(|section| &section.requirements).collect()
    }
}

impl SectionCoverage {
    /// The counts of the section.
    pub fn tally(&self) -> Tally {
        self.requirements.iter().collect()
    }
}
