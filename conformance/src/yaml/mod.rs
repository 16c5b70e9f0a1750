//! YAML files as trees whose every part has its place, and what is wrong with them.

mod diagnostic;
#[cfg(test)]
mod tests;
mod tree;

pub(crate) use self::tree::parse;
pub(crate) use self::tree::{Data, Key, Node, number};
pub use diagnostic::{Diagnostic, Place, Source};
pub(crate) use diagnostic::{Diagnostics, nearest, unknown, unknown_of};
