//! What comes of an instance.

use std::fmt;

/// What comes of one check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    /// It is as it should be.
    Pass,
    /// Torn down as it should be, but with another Terminate, or none.
    StrictOnly,
    /// It is not possible to tell.
    Inconclusive,
    /// It is not as it should be.
    Fail,
}

/// A check that a run made, or an action that it took.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// The number of the action in the instance, from 0.
    pub action: usize,
    /// What came of it.
    pub standing: Standing,
    /// What is accepted.
    pub accepted: String,
    /// What came.
    pub came: String,
}

/// What comes of an instance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Everything is as it should be.
    Pass,
    /// Something is not; the first thing that is not.
    Fail(String),
    /// The stream was torn down as it should, but not with the Terminate that is due.
    StrictOnly(String),
    /// The target cannot do what it takes, or the run was told not to; why.
    NotApplicable(String),
    /// It failed, and the profile expects that; why it failed, and the profile's reason.
    ExpectedFailure(String, String),
    /// It passed, and the profile expects a failure; the profile's reason.
    UnexpectedPass(String),
    /// It is not possible to tell; why.
    Inconclusive(String),
}

impl Verdict {
    /// Its name, as reports have it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail(_) => "fail",
            Self::StrictOnly(_) => "strict-only",
            Self::NotApplicable(_) => "not applicable",
            Self::ExpectedFailure(..) => "expected failure",
            Self::UnexpectedPass(_) => "unexpected pass",
            Self::Inconclusive(_) => "inconclusive",
        }
    }

    /// Why.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Self::Pass => None,
            Self::Fail(why)
            | Self::StrictOnly(why)
            | Self::NotApplicable(why)
            | Self::ExpectedFailure(why, _)
            | Self::UnexpectedPass(why)
            | Self::Inconclusive(why) => Some(why),
        }
    }

    /// Whether a run with it is not in order: a failure, or a pass that the profile does not expect.
    pub fn breaks(&self) -> bool {
        matches!(self, Self::Fail(_) | Self::UnexpectedPass(_))
    }

    /// The verdict of these checks: the worst standing, and the first check with it.
    pub fn of(checks: &[Check]) -> Self {
        let worst = checks.iter().map(|check| check.standing).max().unwrap_or(Standing::Pass);
        let first = checks.iter().find(|check| check.standing == worst);
        let why = first.map_or_else(String::new, |check| {
            format!("expected {}; {}", check.accepted, check.came)
        });
        match worst {
            Standing::Pass => Self::Pass,
            Standing::StrictOnly => Self::StrictOnly(why),
            Standing::Inconclusive => Self::Inconclusive(why),
            Standing::Fail => Self::Fail(why),
        }
    }

    /// The verdict where a profile expects a failure for this reason.
    #[must_use]
    pub fn expecting_failure(self, reason: &str) -> Self {
        match self {
            Self::Fail(why) | Self::StrictOnly(why) => {
                Self::ExpectedFailure(why, reason.to_owned())
            }
            Self::Pass => Self::UnexpectedPass(reason.to_owned()),
            other => other,
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        match self.reason() {
            Some(why) => write!(f, ": {why}"),
            None => Ok(()),
        }
    }
}
