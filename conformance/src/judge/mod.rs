//! Judging: what is expected of a target, whether what came is that, and the verdict.

mod difference;
mod expectation;
mod message;
mod target_report;
mod terminate;
mod verdict;

#[cfg(test)]
mod tests;

pub(crate) use difference::place_of;
pub use difference::{Difference, FieldDifference};
#[cfg(test)]
pub(crate) use expectation::MatchResult;
pub(crate) use expectation::{Expectation, Met, Pattern, Progress, SetupPattern};
pub(crate) use message::{KnownFaults, Protocol, payload_differs};
pub(crate) use target_report::{
    Fact, ReportPattern, describe_report, ending, failure, known, outcome,
};
pub(crate) use terminate::{Echo, TerminateCode, TerminatePattern};
pub use verdict::{Check, Counts, Verdict};
pub(crate) use verdict::{PlaceInStream, deciding};
