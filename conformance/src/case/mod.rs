//! The case language: from YAML to instances whose steps a runner carries out.
//!
//! [`Cases::read`] reads a folder's files and says everything that is wrong with them, with places
//! ([`lint`]). A [`Case`] is what a file says in its head; its [`Instance`]s are its steps for
//! each role and each combination of its axes, in words of [`step`] without any YAML.
//! `WRITING-CASES.md` is the guide for those who write cases; [`schema`] helps their editors.

mod folder;
pub(crate) mod grammar;
mod judge;
mod model;
mod read;
mod record;
mod schema;
pub mod step;
#[cfg(test)]
mod tests;
mod value;

pub use folder::{Cases, lint};
pub(crate) use grammar::PROCEDURES;
pub use judge::{Values, evaluate_all};
pub use model::{Buffer, Case, Context, Instance, Role};
pub use record::{Argument, Record};
pub use schema::schema;
pub use value::{
    Aspect, Bytes, Operator, Pattern, Region, Side, StreamAspect, Unbound, Value, Variable,
};
