//! From trees to cases: every mistake is reported with its place.

mod expect;
mod header;
mod message;
mod scope;
mod step;
mod value;

pub(crate) use header::{case, fragment};
pub(super) use scope::{Limit, Read, Reader, Reported, Scope, State, means_nothing, value_of};
