//! YAML files as trees whose every part has its place, and what is wrong with them.

mod diagnostic;
#[cfg(test)]
mod tests;
mod tree;

pub(crate) use self::tree::{Data, Key, Node, number, parse};
pub use diagnostic::{Diagnostic, Place, Source};
pub(crate) use diagnostic::{Diagnostics, unknown, unknown_of};
