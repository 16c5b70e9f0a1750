//! The verdict on an instance.

use super::Difference;
use serde::ser::{Serialize, SerializeMap as _, Serializer};
use std::fmt;
use std::ops::Range;

/// The verdict of a run on an instance. The reason, if there is one, is stored beside it. Verdicts are
/// ordered by importance, the most important first.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The target did something other than what is required.
    Fail,
    /// The target's profile says that it fails, but it passes: the profile is outdated.
    UnexpectedPass,
    /// The run could not decide: a timeout on our side, or a connection that was not established.
    Inconclusive,
    /// The target did the right thing under the wrong name: it tore down the stream, but with a code other
    /// than the document's. Or what passed through a proxy breaks a recommendation but no requirement. This
    /// counts as a failure if the user asks for strictness.
    StrictOnly,
    /// The target did something else, and its profile says so, with a reason.
    ExpectedFailure,
    /// The target did what is required.
    Pass,
    /// The target cannot do what the instance needs.
    NotApplicable,
}

/// The words for a verdict.
struct Labels {
    name: &'static str,
    /// A word, as in JSON: `strict-only`.
    word: &'static str,
    /// The heading of a column of counts.
    short: &'static str,
    sign: char,
    meaning: &'static str,
}

impl Verdict {
    /// All verdicts, in the order in which they are counted.
    pub const ALL: [Self; 7] = [
        Self::Pass,
        Self::Fail,
        Self::StrictOnly,
        Self::UnexpectedPass,
        Self::Inconclusive,
        Self::ExpectedFailure,
        Self::NotApplicable,
    ];

    fn labels(self) -> Labels {
        let (name, word, short, sign, meaning) = match self {
            Self::Pass => ("pass", "pass", "pass", '\u{2713}', "The target did what is required."),
            Self::Fail => ("fail", "fail", "fail", '\u{2717}', "The target did something else."),
            Self::StrictOnly => (
                "strict only",
                "strict-only",
                "strict",
                '\u{2248}',
                "The target refused as it should, but with another code; or a recommendation is not followed.",
            ),
            Self::NotApplicable => (
                "not applicable",
                "not-applicable",
                "n/a",
                '\u{2013}',
                "The target cannot do what the instance needs.",
            ),
            Self::ExpectedFailure => (
                "expected failure",
                "expected-failure",
                "xfail",
                'x',
                "It failed, and the target's profile says why.",
            ),
            Self::UnexpectedPass => (
                "unexpected pass",
                "unexpected-pass",
                "xpass",
                '!',
                "The target's profile says that it fails, but it passed.",
            ),
            Self::Inconclusive => {
                ("inconclusive", "inconclusive", "unsure", '?', "The run could not decide.")
            }
        };
        Labels { name, word, short, sign, meaning }
    }

    /// Returns the verdict in words: `strict only`.
    pub fn describe(self) -> &'static str {
        self.labels().name
    }

    /// Returns the word used in JSON and in the classes of a page: `strict-only`.
    pub(crate) fn word(self) -> &'static str {
        self.labels().word
    }

    /// Returns the heading of a column of counts, in a few letters.
    pub(crate) fn short(self) -> &'static str {
        self.labels().short
    }

    /// Returns a sign that distinguishes it from the others without colour.
    pub(crate) fn sign(self) -> char {
        self.labels().sign
    }

    /// Returns one sentence for a legend.
    pub(crate) fn meaning(self) -> &'static str {
        self.labels().meaning
    }

    /// Whether it makes the run fail.
    pub fn fails(self, strict: bool) -> bool {
        matches!(self, Self::Fail | Self::UnexpectedPass) || (strict && self == Self::StrictOnly)
    }

    /// Whether a report must show the instance in full.
    pub(crate) fn needs_attention(self) -> bool {
        self <= Self::StrictOnly
    }

    /// Returns the verdict and the reason if the profile expects a failure for a reason, or either outcome.
    pub(crate) fn expecting_failure(
        self,
        why: Option<String>,
        expected: &str,
        either: bool,
    ) -> (Self, Option<String>) {
        match self {
            Self::Fail | Self::StrictOnly => {
                let why = format!("{expected} ({})", why.unwrap_or_default());
                (Self::ExpectedFailure, Some(why))
            }
            Self::Pass if !either => (Self::UnexpectedPass, Some(expected.to_owned())),
            other => (other, why),
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.describe())
    }
}

/// A check that a run made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// `Pass`, `StrictOnly` or `Fail`.
    pub verdict: Verdict,
    /// What is accepted; alternatives are separated by ", ".
    pub accepted: String,
    /// What came, or what is wrong with it.
    pub came: String,
    /// Where it is in the target's bytes, if it is there.
    pub(crate) place: Option<PlaceInStream>,
    /// What came compared with what is accepted, if that can be compared.
    pub difference: Option<Difference>,
}

/// A range of bytes in the target's direction of a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PlaceInStream {
    /// The runner's port.
    pub(crate) port: u16,
    /// The range, counted from the first byte of the direction.
    pub(crate) bytes: Range<u64>,
}

impl Check {
    /// Returns briefly what is accepted: the first of several alternatives, without what it must echo.
    pub(crate) fn wanted(&self) -> &str {
        let ends = [", or ", ", with", ", that ", "; "];
        let end = ends.iter().filter_map(|end| self.accepted.find(end)).min();
        self.accepted.get(..end.unwrap_or(self.accepted.len())).unwrap_or_default()
    }
}

/// Returns the check that decides: the first of the worst.
pub(crate) fn deciding(checks: &[Check]) -> Option<&Check> {
    checks.iter().min_by_key(|check| check.verdict).filter(|it| it.verdict != Verdict::Pass)
}

/// The number of instances by verdict.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts([u64; Verdict::ALL.len()]);

impl Counts {
    /// Returns the number of instances with a verdict.
    pub fn of(&self, verdict: Verdict) -> u64 {
        self.0.get(verdict as usize).copied().unwrap_or(0)
    }

    pub(crate) fn total(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Returns the number of instances that make the run fail.
    pub fn failing(&self, strict: bool) -> u64 {
        let failing = Verdict::ALL.iter().filter(|verdict| verdict.fails(strict));
        failing.map(|verdict| self.of(*verdict)).sum()
    }

    /// Describes the counts that are not zero: `3 pass, 1 fail`, or `no instances` if there are none.
    pub fn describe(&self) -> String {
        let some = Verdict::ALL.iter().filter(|verdict| self.of(**verdict) > 0);
        let words: Vec<String> =
            some.map(|verdict| format!("{} {verdict}", self.of(*verdict))).collect();
        if words.is_empty() { "no instances".to_owned() } else { words.join(", ") }
    }
}

impl FromIterator<Verdict> for Counts {
    fn from_iter<T: IntoIterator<Item = Verdict>>(verdicts: T) -> Self {
        let mut counts = Self::default();
        for verdict in verdicts {
            if let Some(count) = counts.0.get_mut(verdict as usize) {
                *count += 1;
            }
        }
        counts
    }
}

impl Serialize for Counts {
    /// Serializes an object with the word of every verdict.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for verdict in Verdict::ALL {
            map.serialize_entry(verdict.word(), &self.of(verdict))?;
        }
        map.end()
    }
}
