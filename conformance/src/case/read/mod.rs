//! From trees to cases: every mistake is reported with its place. Keys are checked by the tables of the
//! grammar, from which the schema is made too. Reading cannot be left to serde: a `$variable` may replace any
//! part of the tree before it is read, and all mistakes of a file are reported, not the first.

mod expect;
mod header;
mod message;
mod scope;
mod step;
mod value;

pub(crate) use header::{case, fragment};
pub(super) use scope::{Limit, Read, Reader, Reported, Scope, State, means_nothing, value_of};
