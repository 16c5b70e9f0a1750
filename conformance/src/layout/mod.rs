//! Headers as data: where each field lies, by the words of the documents.
//!
//! The files in `layouts/` are written from the documents' figures alone, by another author than
//! the codec's. [`Layouts::builtin`] has them: a [`Layout`] reads and writes one header, a
//! [`Message`] is made of several, and [`TerminateCode`] says what a Terminate's numbers mean.

mod codes;
mod compose;
mod field;
mod file;
mod header;
mod message;
mod set;
#[cfg(test)]
mod tests;

pub use codes::TerminateCode;
pub use field::{Field, Given, Kind, UnknownField};
pub use header::{FieldError, Fields, Layout, ReadField, Short};
pub use message::{Carrier, Message, Payload};
pub use set::Layouts;
