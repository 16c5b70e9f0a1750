//! The result of a run, and its writers.
//!
//! A runner fills in a [`Run`], an [`InstanceResult`] an instance. [`Text`] prints it for people, as it comes
//! and at the end; [`junit`], [`json`] and [`html`] write it whole. [`exit_code`] says how the process
//! ends. Nothing here reads a clock: times are what the runner hands in.

mod connection;
mod details;
mod escape;
mod exit;
pub mod html;
pub mod json;
pub mod junit;
mod model;
mod outcome;
mod outline;
mod text;
mod time;

#[cfg(test)]
mod tests;

pub use crate::judge::{Counts, Verdict};
pub(crate) use escape::wrap;
pub use exit::{COULD_NOT_BE_MADE, FAILED, PASSED, exit_code};
pub use model::{InstanceResult, Ladder, Requirement, Run, Target};
pub use outline::document_name;
pub use outline::{CaseResults, DocumentResults, SectionResults, outline};
pub use text::Text;
pub use time::Timestamp;
