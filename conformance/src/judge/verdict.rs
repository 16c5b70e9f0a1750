//! The verdict on an instance.

use super::Difference;
use serde::ser::{Serialize, SerializeMap as _, Serializer};
use std::fmt;
use std::ops::Range;

/// What a run says of an instance. The reason, where there is one, is beside it. What must be read first
/// comes first.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The target did something else than is demanded.
    Fail,
    /// The target's profile says that it fails, and it passes: the profile is out of date.
    UnexpectedPass,
    /// The run could not tell: a time that ran out on our side, a connection that did not come about.
    Inconclusive,
    /// The target did the right thing by the wrong name: it tore the stream down, and gave another
    /// code than the document has. Or what passed through a proxy breaks no requirement, and a
    /// recommendation. It counts as a failure where the user asks for strictness.
    StrictOnly,
    /// The target did something else, and its profile says so, with a reason.
    ExpectedFailure,
    /// The target did what is demanded.
    Pass,
    /// The target cannot do what the instance needs.
    NotApplicable,
}

/// How a verdict is written.
struct Words {
    name: &'static str,
    /// A word, as in JSON: `strict-only`.
    word: &'static str,
    /// The head of a column of counts.
    short: &'static str,
    sign: char,
    meaning: &'static str,
}

impl Verdict {
    /// Every verdict, in the order in which they are counted.
    pub const ALL: [Self; 7] = [
        Self::Pass,
        Self::Fail,
        Self::StrictOnly,
        Self::UnexpectedPass,
        Self::Inconclusive,
        Self::ExpectedFailure,
        Self::NotApplicable,
    ];

    fn words(self) -> Words {
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
        Words { name, word, short, sign, meaning }
    }

    /// The verdict in words: `strict only`.
    pub fn describe(self) -> &'static str {
        self.words().name
    }

    /// The word that JSON has and that a page's classes are made of: `strict-only`.
    pub(crate) fn word(self) -> &'static str {
        self.words().word
    }

    /// The head of a column of counts, in a few letters.
    pub(crate) fn short(self) -> &'static str {
        self.words().short
    }

    /// A sign that distinguishes it from the others without colour.
    pub(crate) fn sign(self) -> char {
        self.words().sign
    }

    /// One sentence for a legend.
    pub(crate) fn meaning(self) -> &'static str {
        self.words().meaning
    }

    /// Whether it makes the run fail.
    pub fn fails(self, strict: bool) -> bool {
        matches!(self, Self::Fail | Self::UnexpectedPass) || (strict && self == Self::StrictOnly)
    }

    /// Whether a report must show all of the instance.
    pub(crate) fn needs_attention(self) -> bool {
        self <= Self::StrictOnly
    }

    /// The verdict and the reason where the profile expects a failure for a reason, or either outcome.
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
    /// What is accepted; alternatives are parted by ", or ".
    pub accepted: String,
    /// What came, or what is wrong with it.
    pub came: String,
    /// Where in the target's bytes that is, if it is there.
    pub(crate) place: Option<PlaceInStream>,
    /// What came beside what is accepted, where that can be compared.
    pub difference: Option<Difference>,
}

/// Bytes of the target's direction of a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PlaceInStream {
    /// The runner's port.
    pub(crate) port: u16,
    /// Counted from the first of the direction.
    pub(crate) bytes: Range<u64>,
}

impl Check {
    /// What is accepted, in short: of several alternatives the first, without what it has to echo.
    pub(crate) fn wanted(&self) -> &str {
        let ends = [", or ", ", with", ", that ", "; "];
        let end = ends.iter().filter_map(|end| self.accepted.find(end)).min();
        self.accepted.get(..end.unwrap_or(self.accepted.len())).unwrap_or_default()
    }
}

/// The check that decides: the first of the worst.
pub(crate) fn deciding(checks: &[Check]) -> Option<&Check> {
    checks.iter().min_by_key(|check| check.verdict).filter(|it| it.verdict != Verdict::Pass)
}

/// Instances counted by verdict.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts([u64; Verdict::ALL.len()]);

impl Counts {
    /// The instances with a verdict.
    pub fn of(&self, verdict: Verdict) -> u64 {
        self.0.get(verdict as usize).copied().unwrap_or(0)
    }

    pub(crate) fn total(&self) -> u64 {
        self.0.iter().sum()
    }

    /// The instances that make the run fail.
    pub fn failing(&self, strict: bool) -> u64 {
        let failing = Verdict::ALL.iter().filter(|verdict| verdict.fails(strict));
        failing.map(|verdict| self.of(*verdict)).sum()
    }

    /// The counts that are not zero, in words: `3 pass, 1 fail`; `no instances` for none.
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
    /// An object with the word of every verdict.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for verdict in Verdict::ALL {
            map.serialize_entry(verdict.word(), &self.of(verdict))?;
        }
        map.end()
    }
}
