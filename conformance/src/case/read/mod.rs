//! From trees to cases. Every mistake is reported with its place. Keys are checked against the tables of the
//! grammar, which the schema is made from too. Serde cannot do the reading: a `$variable` may replace any
//! part of the tree before it is read, and all mistakes of a file are reported, not only the first.

mod expect;
mod header;
mod message;
mod scope;
mod step;
mod value;

pub(crate) use header::{case, fragment};
pub(super) use scope::{Limit, Read, Reader, Reported, Scope, State, means_nothing, value_of};
