//! The result of a run, and its writers.
//!
//! A runner fills in a [`Run`], with an [`InstanceResult`] for each instance. [`Text`] prints it for people,
//! during the run and at the end; [`write_junit`], [`write_json`] and [`write_html`] write the complete
//! report. [`exit_code`] returns the exit status of the process. [`causes`] groups failures, in the same way
//! for all of them. Nothing here reads a clock: the runner passes the times.

mod cause;
mod change;
mod data;
mod embedded;
mod html;
mod model;
mod outline;
mod text;
mod trend;

#[cfg(test)]
pub(crate) mod tests;

pub use crate::judge::{Counts, Difference, FieldDifference, Verdict};
pub use cause::{Cause, causes};
pub use change::{Change, Changed, changes};
pub use data::{NoReport, read_json, write_json, write_junit};
pub use html::write_html;
pub use model::{InstanceResult, Ladder, Requirement, Run, Target, Timestamp, exit_code};
pub use outline::{CaseResults, DocumentResults, SectionResults, outline};
pub use text::Text;
pub use trend::{NamedRun, write_trend_html};
