//! The case language: from YAML to instances whose steps a runner carries out.
//!
//! [`Cases::read`] reads a folder's files and reports everything that is wrong with them, with places.
//! A [`Case`] is what a file says in its head; its [`Instance`]s are its steps for each role and each
//! combination of its axes, without any YAML. `WRITING-CASES.md` is the guide for those who write cases;
//! [`schema`] helps their editors.

mod folder;
pub(crate) mod grammar;
mod model;
mod read;
mod record;
mod schema;
pub(crate) mod step;
#[cfg(test)]
mod tests;
mod value;

pub use folder::Cases;
pub(crate) use grammar::PROCEDURES;
pub(crate) use model::{Buffer, Role};
pub use model::{Case, Context, Instance};
pub(crate) use record::{Argument, Record};
pub use schema::schema;
pub(crate) use value::{Aspect, Bytes, Region, Side, StreamAspect, Value, Variable};
