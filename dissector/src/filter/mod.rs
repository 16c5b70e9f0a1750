//! Display filters: Wireshark's filter language, evaluated against a [`Tree`](crate::tree::Tree).
//!
//! One thing is our own: a span of time may have a unit, as in `frame.time_delta > 1.5ms` (ns, us,
//! ms, s).

mod arithmetic;
mod compile;
mod complete;
mod complete_state;
mod error;
mod evaluate;
mod expression;
mod functions;
mod lexer;
mod literal;
mod names;
mod operand;
mod parser;
mod program;
mod ranges;
mod syntax;
mod time;
mod traits;
mod values;

#[cfg(test)]
mod tests;

pub use complete::{Candidate, Completion, Role, complete};
pub use error::FilterError;
pub use expression::Filter;
