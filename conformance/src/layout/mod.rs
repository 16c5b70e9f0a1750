//! Headers as data: the position of each field, in the words of the documents.
//!
//! The files in `layouts/` were written only from the documents' figures, by another author than the codec's.
//! [`Layouts::builtin`] has them: a [`Layout`] reads and writes one header, a [`Message`] consists of
//! several, and `TerminateCode` gives the meaning of a Terminate's numbers.

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
