//! Headers as data: where each field lies, by the words of the documents.
//!
//! The files in `layouts/` are written from the documents' figures alone, by another author than
//! the codec's. [`Layouts::builtin`] has them: a [`Layout`] reads and writes one header, a
//! [`Message`] is made of several, and `TerminateCode` says what a Terminate's numbers mean.

mod file;
mod header;
mod message;
#[cfg(test)]
mod tests;

pub use file::Layouts;
pub(crate) use header::{Field, Kind, TerminateCode};
pub use header::{FieldError, Fields, Given, Layout, ReadField, Short, UnknownField};
pub(crate) use message::Carrier;
pub use message::Message;
