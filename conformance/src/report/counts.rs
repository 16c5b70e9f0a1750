//! Instances counted by verdict.

use super::Verdict;
use serde::{Deserialize, Serialize};

/// Instances counted by verdict.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Counts {
    /// Verdict `pass`.
    pub pass: u64,
    /// Verdict `fail`.
    pub fail: u64,
    /// Verdict `strict-only`.
    pub strict_only: u64,
    /// Verdict `unexpected-pass`.
    pub unexpected_pass: u64,
    /// Verdict `inconclusive`.
    pub inconclusive: u64,
    /// Verdict `expected-failure`.
    pub expected_failure: u64,
    /// Verdict `not-applicable`.
    pub not_applicable: u64,
}

impl Counts {
    /// The instances with a verdict.
    pub fn of(&self, verdict: Verdict) -> u64 {
        match verdict {
            Verdict::Pass => self.pass,
            Verdict::Fail => self.fail,
            Verdict::StrictOnly => self.strict_only,
            Verdict::NotApplicable => self.not_applicable,
            Verdict::ExpectedFailure => self.expected_failure,
            Verdict::UnexpectedPass => self.unexpected_pass,
            Verdict::Inconclusive => self.inconclusive,
        }
    }

    /// Counts an instance.
    pub fn take(&mut self, verdict: Verdict) {
        let count = match verdict {
            Verdict::Pass => &mut self.pass,
            Verdict::Fail => &mut self.fail,
            Verdict::StrictOnly => &mut self.strict_only,
            Verdict::NotApplicable => &mut self.not_applicable,
            Verdict::ExpectedFailure => &mut self.expected_failure,
            Verdict::UnexpectedPass => &mut self.unexpected_pass,
            Verdict::Inconclusive => &mut self.inconclusive,
        };
        *count += 1;
    }

    /// All instances.
    pub fn total(&self) -> u64 {
        Verdict::ALL.iter().map(|verdict| self.of(*verdict)).sum()
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
        verdicts.into_iter().for_each(|verdict| counts.take(verdict));
        counts
    }
}
