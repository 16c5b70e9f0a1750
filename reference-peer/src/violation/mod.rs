//! What an incoming message can break, and the Terminate that each deserves: one table.

mod kind;
mod report;
mod table;
#[cfg(test)]
mod tests;

pub use kind::Violation;
pub(crate) use report::told;
pub use report::{Refused, terminate};
pub use table::{Echo, TABLE, TerminateRow};
