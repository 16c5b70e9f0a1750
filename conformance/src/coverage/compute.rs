//! Holds the catalogue against cases and rules.

use super::model::{
    Coverage, DocumentCoverage, RequirementCoverage, SectionCoverage, UnknownRequirement,
};
use std::collections::{BTreeMap, BTreeSet};
use warpscope_dissector::rules::Rule;
use warpscope_requirements::{Catalogue, Requirement};

/// What coverage needs of a case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CoveringCase {
    /// The id of the case.
    pub id: String,
    /// The ids of the requirements that it covers.
    pub covers: Vec<String>,
}

/// What judges each requirement of the catalogue. An id that is not in it is kept in
/// [`Coverage::unknown`].
pub fn coverage(
    cases: &[CoveringCase],
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

/// For each requirement those that say the same, by either one's word.
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
