//! The case language: from YAML to instances whose steps a runner carries out.
//!
//! [`Cases::read`] reads a folder's files and reports everything that is wrong with them, with places.
//! A [`Case`] is what a file says in its head; its [`Instance`]s are its steps for each role and each
//! combination of its axes, without any YAML. `WRITING-CASES.md` is the guide for those who write cases;
//! [`schema`] helps their editors.

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
