//! From trees to cases: every mistake is told, with its place.

mod expect;
mod header;
mod message;
mod scope;
mod step;
mod value;

pub(crate) use header::{case, fragment};
pub(super) use scope::{Limit, Read, Reader, Scope, State, Told};
