//! The catalogue of requirements: what the iWARP documents demand, one entry a statement, each with
//! an id that rules, cases and findings are hung on.
//!
//! The entries are in the YAML files beside this source, one a document. `builtin` lists the files
//! that are built in, `read` turns one into [`Requirement`]s and checks it by itself, and
//! [`Catalogue`] checks them together and finds entries. An entry that breaks the order of the
//! catalogue is a [`Fault`] with its file and line.

mod builtin;
mod catalogue;
mod fault;
mod read;
mod requirement;
mod section;
#[cfg(test)]
mod tests;

pub use catalogue::{Catalogue, UnknownId};
pub use fault::{Fault, Faults};
pub use requirement::{Document, Judged, Level, Party, Requirement, Stated, document_name};
pub use section::{NoSection, Section};
