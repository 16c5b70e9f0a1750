//! From what was seen of a connection to what is reported of it.

use super::{InstanceResult, Requirement};
use crate::proxy::Observed;
use warpscope_dissector::rules::Level;
use warpscope_requirements::Catalogue;

/// The case that every connection of a proxy is an instance of.
const CASE: &str = "proxy";
const TITLE: &str = "What two stacks say to each other keeps the passive rules";
/// What stands for a document and a section.
const DOCUMENT: &str = "Proxy";
const SECTION_TITLE: &str = "connections";

impl InstanceResult {
    /// What is reported of a connection. The ladder is left to the caller; `rerun` is the command that
    /// relays a connection in the same way again.
    pub fn of_connection(observed: &Observed, catalogue: &Catalogue, rerun: String) -> Self {
        let (verdict, reason) = observed.verdict();
        let must = observed.notes.iter().any(|note| note.rule.level == Level::Must);
        let level = if must || observed.notes.is_empty() { "MUST" } else { "SHOULD" };
        let mut broken: Vec<&str> = observed
            .notes
            .iter()
            .filter_map(|note| note.rule.requirements.first().copied())
            .collect();
        broken.sort_unstable();
        broken.dedup();
        let covers = broken.into_iter().filter_map(|id| catalogue.find(id).ok());
        Self {
            id: observed.id(),
            case: CASE.to_owned(),
            title: TITLE.to_owned(),
            document: DOCUMENT.to_owned(),
            section: String::new(),
            section_title: SECTION_TITLE.to_owned(),
            level: level.to_owned(),
            covers: covers.map(Requirement::from).collect(),
            verdict,
            reason,
            link: None,
            microseconds: u64::try_from(observed.took.as_micros()).unwrap_or(u64::MAX),
            attempts: 1,
            sent: observed.relayed(),
            accepted: Vec::new(),
            came: observed.came(),
            ladder: None,
            rerun,
            capture: observed.capture.as_ref().map(|path| path.display().to_string()),
        }
    }
}
