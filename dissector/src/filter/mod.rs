//! Display filters: Wireshark's filter language, evaluated against a [`Tree`](crate::tree::Tree).
//!
//! There is one extension: a time span may have a unit, as in `frame.time_delta > 1.5ms` (ns, us, ms, s).

mod compile;
mod complete;
mod evaluate;
mod kinds;
mod literal;
mod parser;
mod syntax;
#[cfg(test)]
mod tests;
mod values;

pub use complete::{Candidate, Completion, Role, complete};
pub use syntax::{Filter, FilterError};
