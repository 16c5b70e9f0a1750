//! The conformance suite: what a case says, what headers look like, and what is sent and judged.
//!
//! * [`layout`]: every header as data, written from the documents' figures: the second reader,
//!   beside the codec, and the names by which cases override fields.
//! * [`case`]: the case language, from YAML to steps that a runner carries out.

pub mod case;
pub mod layout;
