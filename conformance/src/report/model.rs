//! The result of a run.

use super::{Counts, Verdict};
use crate::judge::{Difference, deciding};
use crate::listing::Card;
use crate::proxy::Observed;
use crate::run::Outcome;
use chrono::{DateTime, FixedOffset, SecondsFormat, Utc};
use serde::de::{Deserializer, Error as _};
use serde::{Deserialize, Serialize, Serializer};
use std::fmt;
use std::time::{Duration, SystemTime};
use warpscope_dissector::rules::Level;
use warpscope_requirements::Catalogue;
use warpscope_text::counted;

/// The result of a run: what was tested, how, and the result of each instance.
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
    /// How long it took, in microseconds of wall-clock time.
    pub microseconds: u64,
    /// Why it ended before the last instance: the target went away, or the user asked for it.
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
    /// Its address and port, if it has one.
    #[serde(default)]
    pub address: Option<String>,
    /// The file of its profile.
    #[serde(default)]
    pub profile: Option<String>,
    /// How it was driven: `bare`, `agent`, `listen` or `proxy`.
    pub mode: String,
    /// What it can do, by the names used in `needs` of a case: probed or from its profile.
    #[serde(default)]
    pub capabilities: Vec<String>,
    /// What the run allowed for because the profile asks for it: pauses, and rules that are excused.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allowances: Vec<String>,
}

/// The result of one instance of a case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InstanceResult {
    /// The permanent id of the instance: that of the case, and what it was expanded with.
    pub id: String,
    /// The id of the case.
    pub case: String,
    /// The title of the case.
    pub title: String,
    /// The document that the case is under: `RFC5040`.
    pub document: String,
    /// The section that the case is under: `4.8`.
    pub section: String,
    /// The topic of the section, in a word or two; may be empty.
    #[serde(default)]
    pub section_title: String,
    /// How strongly the document requires it: `MUST`, `SHOULD`, `MAY`.
    pub level: String,
    /// The requirements that the case covers.
    pub covers: Vec<Requirement>,
    /// The verdict of the run.
    pub verdict: Verdict,
    /// Why: what differs from what is accepted, what the target lacks, or what the profile says.
    #[serde(default)]
    pub reason: Option<String>,
    /// The names of what is wrong, which are the same in all instances with the same fault.
    #[serde(default)]
    pub causes: Vec<String>,
    /// What came beside what was expected, field by field, and the bytes; or the bytes of what is wrong.
    #[serde(default)]
    pub difference: Option<Difference>,
    /// A link to a description of the expected failure.
    #[serde(default)]
    pub link: Option<String>,
    /// How long it took, in microseconds.
    pub microseconds: u64,
    /// The number of attempts. The verdict is that of the worst attempt: a retry hides nothing.
    pub attempts: u32,
    /// What was sent, decoded, one message per line.
    #[serde(default)]
    pub sent: Vec<String>,
    /// What is accepted at the point where the instance ended, one alternative per line.
    #[serde(default)]
    pub accepted: Vec<String>,
    /// What came, decoded, one message or event per line.
    #[serde(default)]
    pub came: Vec<String>,
    /// The ladder diagram of the conversation.
    #[serde(default)]
    pub ladder: Option<Ladder>,
    /// The command that runs this one instance again.
    pub rerun: String,
    /// The file with the capture, relative to where the report is written.
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
    /// What it requires.
    pub text: String,
}

/// The ladder diagram of an instance's conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ladder {
    /// The diagram as lines of text.
    pub text: String,
}

impl Run {
    /// Returns the number of instances by verdict.
    pub fn counts(&self) -> Counts {
        self.instances.iter().map(|instance| instance.verdict).collect()
    }

    /// Returns why the run as a whole does not count; `None` if it was completed.
    pub(super) fn incomplete(&self) -> Option<String> {
        match &self.broken_off {
            Some(why) => Some(format!("broken off: {why}")),
            None if self.instances.is_empty() => Some("nothing was run".to_owned()),
            None => None,
        }
    }

    /// Returns in one line why the run does not end with exit status 0; `None` if it does.
    pub fn conclusion(&self, strict: bool) -> Option<String> {
        let counts = self.counts();
        let phrase = |count: u64, what: &str| {
            (count > 0).then(|| format!("{} {what}", counted(count, "instance")))
        };
        let mut unsure = phrase(counts.of(Verdict::Inconclusive), "could not be judged");
        let mut first = self.instances.iter().filter(|it| it.verdict == Verdict::Inconclusive);
        if let (Some(words), Some(why)) = (&mut unsure, first.find_map(|it| it.reason.as_ref())) {
            words.push_str(&format!(", first because {why}"));
        }
        let words = [self.incomplete(), phrase(counts.failing(strict), "failed"), unsure];
        let words: Vec<String> = words.into_iter().flatten().collect();
        (!words.is_empty()).then(|| words.join("; "))
    }

    /// Returns the number of cases that the instances belong to.
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

impl InstanceResult {
    /// Returns the result of an instance of a case. The caller adds the ladder and the link, and it counts as
    /// tried once. `rerun` is the command that runs it again.
    pub fn new(outcome: &Outcome, card: &Card, catalogue: &Catalogue, rerun: String) -> Self {
        let (mut sent, mut came) = (Vec::new(), Vec::new());
        for line in outcome.evidence.transcript() {
            if line.bytes == 0 && !line.ends {
                continue;
            }
            let side = if line.sent { &mut sent } else { &mut came };
            side.push(format!("frame {}: {}", line.frame, line.words));
        }
        came.extend(outcome.reports.iter().map(|report| format!("report: {report}")));
        came.extend(outcome.notes.iter().cloned());
        came.extend(outcome.findings.iter().map(|finding| {
            let (rule, frame) = (finding.rule.id, finding.place.frame);
            format!("rule {rule}, frame {frame}: {}", finding.explanation)
        }));
        let decided = deciding(&outcome.checks);
        let known = card.covers.iter().filter_map(|id| catalogue.find(id).ok());
        Self {
            id: outcome.id.clone(),
            case: card.id.clone(),
            title: card.title.clone(),
            document: card.document.clone(),
            section: card.section.clone(),
            section_title: card.section_title.clone(),
            level: card.level(catalogue),
            covers: known.map(Requirement::from).collect(),
            verdict: outcome.verdict,
            reason: outcome.reason.clone(),
            causes: outcome.causes.clone(),
            difference: outcome.difference.clone(),
            link: None,
            microseconds: u64::try_from(outcome.took.as_micros()).unwrap_or(u64::MAX),
            attempts: 1,
            sent,
            accepted: decided.map(|check| check.accepted.clone()).into_iter().collect(),
            came,
            ladder: None,
            rerun,
            capture: outcome.capture.as_ref().map(|path| path.display().to_string()),
        }
    }
}

impl InstanceResult {
    /// Returns the result of a connection. The caller adds the ladder. `rerun` is the command that relays a
    /// connection in the same way again.
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
            case: "proxy".to_owned(),
            title: "What two stacks say to each other keeps the passive rules".to_owned(),
            document: "Proxy".to_owned(),
            section: String::new(),
            section_title: "connections".to_owned(),
            level: level.to_owned(),
            covers: covers.map(Requirement::from).collect(),
            verdict,
            reason,
            causes: observed.causes(),
            difference: None,
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

/// A moment, to the millisecond, shown in UTC: `2026-11-21T11:49:12.000Z`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Timestamp(DateTime<Utc>);

impl Timestamp {
    /// Returns the time this many milliseconds after the beginning of 1970 in UTC. A time outside of the
    /// calendar becomes the beginning of 1970.
    pub(crate) fn from_milliseconds(milliseconds: i64) -> Self {
        Self(DateTime::from_timestamp_millis(milliseconds).unwrap_or_default())
    }

    /// Returns the time in the form that JUnit expects.
    pub(super) fn with_offset(self) -> DateTime<FixedOffset> {
        self.0.fixed_offset()
    }
}

impl From<SystemTime> for Timestamp {
    fn from(time: SystemTime) -> Self {
        let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        Self::from_milliseconds(i64::try_from(since.as_millis()).unwrap_or_default())
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0.to_rfc3339_opts(SecondsFormat::Millis, true))
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let time = DateTime::parse_from_rfc3339(&text).map_err(D::Error::custom)?;
        Ok(Self::from_milliseconds(time.timestamp_millis()))
    }
}

/// Formats a duration for people: `950 µs`, `12.3 ms`, `4.20 s`, `3 min 5 s`.
pub(super) fn spent(microseconds: u64) -> String {
    let duration = Duration::from_micros(microseconds);
    let seconds = duration.as_secs();
    match microseconds {
        0..1_000 => format!("{microseconds} µs"),
        1_000..1_000_000 => format!("{}.{} ms", microseconds / 1000, microseconds % 1000 / 100),
        1_000_000..60_000_000 => format!("{seconds}.{:02} s", duration.subsec_millis() / 10),
        _ => format!("{} min {} s", seconds / 60, seconds % 60),
    }
}

/// Nothing failed.
pub(crate) const PASSED: u8 = 0;
/// An instance failed, or it passed although the target's profile says that it fails.
pub(crate) const FAILED: u8 = 1;
/// The run could not be made, or says nothing about the target.
pub(crate) const COULD_NOT_BE_MADE: u8 = 2;

/// Returns the exit status of a run; `strict` makes `strict-only` a failure.
///
/// * 2 if the run ended early or has no instances;
/// * else 1 if an instance has a verdict that fails ([`super::Verdict::fails`]);
/// * else 2 if an instance is `inconclusive`: the run does not show that the target is correct;
/// * else 0.
pub fn exit_code(run: &Run, strict: bool) -> u8 {
    let counts = run.counts();
    if run.incomplete().is_some() {
        COULD_NOT_BE_MADE
    } else if counts.failing(strict) > 0 {
        FAILED
    } else if counts.of(Verdict::Inconclusive) > 0 {
        COULD_NOT_BE_MADE
    } else {
        PASSED
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::{Check, Verdict};
    use crate::run::Evidence;
    use std::time::Duration;

    #[test]
    fn what_is_accepted_is_that_of_the_check_that_decided() {
        let catalogue = Catalogue::builtin().unwrap();
        let text = "id: a\ntitle: t\ncovers: [RFC5041-3-01]\n";
        let card = Card::read("rfc5041/3-x/a.yaml", text).unwrap().unwrap();
        let check = |verdict, accepted: &str, came: &str| Check {
            verdict,
            accepted: accepted.to_owned(),
            came: came.to_owned(),
            place: None,
            difference: None,
        };
        let checks = vec![
            check(Verdict::Pass, "a reply", "a reply came"),
            check(Verdict::Fail, "a Terminate", "nothing came"),
        ];
        let verdict = deciding(&checks).unwrap().verdict;
        let reason = Some("nothing came; expected a Terminate".to_owned());
        let mut outcome = Outcome {
            id: "a[crc=on]".to_owned(),
            case: "a".to_owned(),
            verdict,
            reason,
            causes: Vec::new(),
            difference: None,
            checks,
            findings: Vec::new(),
            reports: vec!["an arrival of 32 bytes".to_owned()],
            notes: vec!["refused at first".to_owned()],
            evidence: Evidence::default(),
            capture: Some("caps/a.pcapng".into()),
            unanswered: false,
            took: Duration::from_millis(3),
        };
        let result =
            |outcome: &Outcome| InstanceResult::new(outcome, &card, &catalogue, "again".to_owned());
        let failed = result(&outcome);
        assert_eq!(failed.verdict, Verdict::Fail);
        assert_eq!(failed.reason.as_deref(), Some("nothing came; expected a Terminate"));
        assert_eq!(failed.accepted, ["a Terminate"]);
        assert_eq!(failed.came, ["report: an arrival of 32 bytes", "refused at first"]);
        assert_eq!((failed.document.as_str(), failed.section.as_str()), ("RFC5041", "3"));
        assert_eq!((failed.covers.len(), failed.microseconds), (1, 3000));
        assert_eq!(failed.capture.as_deref(), Some("caps/a.pcapng"));
        (outcome.verdict, outcome.reason) =
            outcome.verdict.expecting_failure(outcome.reason.take(), "bug 17", false);
        let expected = result(&outcome);
        assert_eq!(expected.verdict, Verdict::ExpectedFailure);
        assert_eq!(expected.reason.as_deref(), Some("bug 17 (nothing came; expected a Terminate)"));
    }
}
