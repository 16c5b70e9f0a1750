//! Passive rules: requirements that a capture can show to be broken, judged on the items.

mod finding;
mod judge;
mod rule;

pub use finding::{Finding, Place};
pub use judge::Judge;
pub use rule::{Fault, Level, Rule, all, find};
