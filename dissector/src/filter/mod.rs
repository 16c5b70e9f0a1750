//! Display filters: Wireshark's filter language, evaluated against a [`Tree`](crate::tree::Tree).

mod arithmetic;
mod compile;
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

pub use error::FilterError;
pub use expression::Filter;
