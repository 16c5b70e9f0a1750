//! YAML files as trees whose every part has its place, and what is wrong with them.

mod diagnostic;
mod hint;
mod node;
mod parse;
#[cfg(test)]
mod tests;

pub use diagnostic::{Diagnostic, Place, Source};
pub(crate) use diagnostic::{Diagnostics, nearest, unknown, unknown_of};
pub(crate) use node::{Data, Key, Node, number};
pub(crate) use parse::parse;
