//! What a run says of an instance.

use serde::{Deserialize, Serialize};
use std::fmt;

/// What a run says of an instance. The reason, where there is one, stands beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The target did what is demanded.
    Pass,
    /// The target did something else.
    Fail,
    /// The target did the right thing by the wrong name: it tore the stream down, and gave another
    /// code than the document has. Or what passed through a proxy breaks no requirement, and a
    /// recommendation. It counts as a failure where the user asks for strictness.
    StrictOnly,
    /// The target cannot do what the instance needs.
    NotApplicable,
    /// The target did something else, and its profile says so, with a reason.
    ExpectedFailure,
    /// The target's profile says that it fails, and it passes: the profile is out of date.
    UnexpectedPass,
    /// The run could not tell: a time that ran out on our side, a connection that did not come about.
    Inconclusive,
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

    /// The words for it.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::StrictOnly => "strict only",
            Self::NotApplicable => "not applicable",
            Self::ExpectedFailure => "expected failure",
            Self::UnexpectedPass => "unexpected pass",
            Self::Inconclusive => "inconclusive",
        }
    }

    /// The word that JSON has and that a page's classes are made of: `strict-only`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::StrictOnly => "strict-only",
            Self::NotApplicable => "not-applicable",
            Self::ExpectedFailure => "expected-failure",
            Self::UnexpectedPass => "unexpected-pass",
            Self::Inconclusive => "inconclusive",
        }
    }

    /// The head of a column of counts, in a few letters.
    pub fn short(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::StrictOnly => "strict",
            Self::NotApplicable => "n/a",
            Self::ExpectedFailure => "xfail",
            Self::UnexpectedPass => "xpass",
            Self::Inconclusive => "unsure",
        }
    }

    /// A sign that tells it from the others without colour.
    pub fn sign(self) -> char {
        match self {
            Self::Pass => '\u{2713}',
            Self::Fail => '\u{2717}',
            Self::StrictOnly => '\u{2248}',
            Self::NotApplicable => '\u{2013}',
            Self::ExpectedFailure => 'x',
            Self::UnexpectedPass => '!',
            Self::Inconclusive => '?',
        }
    }

    /// One sentence for a legend.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Pass => "The target did what is demanded.",
            Self::Fail => "The target did something else.",
            Self::StrictOnly => {
                "The target refused as it should, and gave another code; or a recommendation is not followed."
            }
            Self::NotApplicable => "The target cannot do what the instance needs.",
            Self::ExpectedFailure => "It failed, and the target's profile says why.",
            Self::UnexpectedPass => "The target's profile says that it fails, and it passed.",
            Self::Inconclusive => "The run could not tell.",
        }
    }

    /// How much a reader wants to see it: 0 is what must be read first.
    pub fn rank(self) -> usize {
        match self {
            Self::Fail => 0,
            Self::UnexpectedPass => 1,
            Self::Inconclusive => 2,
            Self::StrictOnly => 3,
            Self::ExpectedFailure => 4,
            Self::Pass => 5,
            Self::NotApplicable => 6,
        }
    }

    /// Whether it makes the run fail.
    pub fn fails(self, strict: bool) -> bool {
        match self {
            Self::Fail | Self::UnexpectedPass => true,
            Self::StrictOnly => strict,
            Self::Pass | Self::NotApplicable | Self::ExpectedFailure | Self::Inconclusive => false,
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.describe())
    }
}
