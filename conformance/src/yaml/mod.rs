//! YAML files as trees with a place for every part, and diagnostics about them.

mod diagnostic;
#[cfg(test)]
mod tests;
mod tree;

pub(crate) use self::tree::{Data, Key, Node, number, parse};
pub use diagnostic::{Diagnostic, Place, Source};
pub(crate) use diagnostic::{Diagnostics, unknown, unknown_of};
