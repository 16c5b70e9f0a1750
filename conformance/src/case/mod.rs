//! The case language: from YAML to instances whose steps a runner executes.
//!
//! [`Cases::read`] reads a folder's files and reports everything that is wrong with them, with places. A
//! [`Case`] is the head of a file; its [`Instance`]s are its steps for each role and each combination of axis
//! values, without any YAML. `WRITING-CASES.md` is the guide for authors of cases; [`schema`] helps their
//! editors.

pub(crate) mod abilities;
mod files;
pub(crate) mod grammar;
mod read;
mod schema;
pub(crate) mod step;
#[cfg(test)]
mod tests;
mod value;

pub(crate) use self::files::{Buffer, Role};
pub use self::files::{Case, Cases, Context, Instance};
pub(crate) use self::step::{Argument, Record};
pub(crate) use grammar::PROCEDURES;
pub use schema::schema;
pub(crate) use value::{Aspect, Bytes, Region, Side, StreamAspect, Value, Variable};
