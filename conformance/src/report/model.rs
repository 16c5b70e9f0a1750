//! The result of a run.

use super::{Counts, Timestamp, Verdict};
use serde::{Deserialize, Serialize};

/// The result of a run: what was tested, how, and what came of each instance.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    /// The version of the program.
    pub version: String,
    /// What was tested.
    pub target: Target,
    /// The seed that every choice was drawn from.
    pub seed: u64,
    /// When it began.
    pub started: Timestamp,
    /// How long it took, in microseconds, by the clock on the wall.
    pub microseconds: u64,
    /// Why it was broken off before the last instance: the target went away, or the user asked for it.
    #[serde(default)]
    pub broken_off: Option<String>,
    /// The instances, in the order of the listing.
    pub instances: Vec<InstanceResult>,
}

/// What was tested.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Target {
    /// Its name for people: that of its profile, or its address.
    pub name: String,
    /// Its address and port, where it has one.
    #[serde(default)]
    pub address: Option<String>,
    /// The file of its profile.
    #[serde(default)]
    pub profile: Option<String>,
    /// How it was driven: `bare`, `agent`, `listen` or `proxy`.
    pub mode: String,
    /// What it can do, by the names that `needs` in a case has: probed or from its profile.
    #[serde(default)]
    pub capabilities: Vec<String>,
}

/// What came of one instance of a case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InstanceResult {
    /// The name of the instance for good: the case's, and what it was expanded with.
    pub id: String,
    /// The id of the case.
    pub case: String,
    /// The title of the case.
    pub title: String,
    /// The document that the case stands under: `RFC5040`.
    pub document: String,
    /// The section that the case stands under: `4.8`.
    pub section: String,
    /// What the section is about, in a word or two; empty where nothing is said.
    #[serde(default)]
    pub section_title: String,
    /// How strongly the document demands it: `MUST`, `SHOULD`, `MAY`.
    pub level: String,
    /// The requirements that the case covers.
    pub covers: Vec<Requirement>,
    /// What the run says of it.
    pub verdict: Verdict,
    /// Why: what differs from what is accepted, what is missing in the target, what the profile says.
    #[serde(default)]
    pub reason: Option<String>,
    /// Where an expected failure is written about.
    #[serde(default)]
    pub link: Option<String>,
    /// How long it took, in microseconds.
    pub microseconds: u64,
    /// How often it was tried. The verdict is that of the worst attempt: a retry hides nothing.
    pub attempts: u32,
    /// What was sent, decoded, a message a line.
    #[serde(default)]
    pub sent: Vec<String>,
    /// What is accepted at the place where the instance ended, an alternative a line.
    #[serde(default)]
    pub accepted: Vec<String>,
    /// What came, decoded, a message or event a line.
    #[serde(default)]
    pub came: Vec<String>,
    /// The conversation, drawn.
    #[serde(default)]
    pub ladder: Option<Ladder>,
    /// The command that runs this one instance again.
    pub rerun: String,
    /// The file with the capture, as seen from where the report is written.
    #[serde(default)]
    pub capture: Option<String>,
}

/// A requirement that a case covers, in the project's words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Requirement {
    /// Its id: `RFC5040-4.8-03`.
    pub id: String,
    /// The document that states it: `RFC5040`.
    pub document: String,
    /// The section that states it: `4.8`.
    pub section: String,
    /// How strongly: `MUST`, `MUST NOT`, `SHOULD`, `SHOULD NOT`, `MAY`.
    pub level: String,
    /// What it demands.
    pub text: String,
}

/// The conversation of an instance, drawn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ladder {
    /// As text, in lines.
    pub text: String,
    /// As a picture: SVG that stands alone.
    #[serde(default)]
    pub svg: Option<String>,
}

impl Run {
    /// The instances, counted by verdict.
    pub fn counts(&self) -> Counts {
        self.instances.iter().map(|instance| instance.verdict).collect()
    }

    /// The number of cases that the instances are of.
    pub fn cases(&self) -> usize {
        let cases: std::collections::BTreeSet<&str> =
            self.instances.iter().map(|instance| instance.case.as_str()).collect();
        cases.len()
    }
}

impl From<&warpscope_requirements::Requirement> for Requirement {
    fn from(requirement: &warpscope_requirements::Requirement) -> Self {
        Self {
            id: requirement.id.clone(),
            document: requirement.document.clone(),
            section: requirement.section.to_string(),
            level: requirement.level.word().to_owned(),
            text: requirement.text.clone(),
        }
    }
}
