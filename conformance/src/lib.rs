//! The conformance suite: what a case says, what headers look like, and what is sent and judged.
//!
//! * [`layout`]: every header as data, written from the documents' figures: the second reader,
//!   beside the codec, and the names by which cases override fields.
//! * [`case`]: the case language, from YAML to steps that a runner carries out.

pub mod case;
pub mod layout;
//! * [`builtin`]: the cases that are built in.
//! * [`coverage`]: which requirements the cases and the passive rules judge, and which none does.
//! * [`listing`]: the cases as a reader sees them: contents, a case in words, a new one.
//! * [`report`]: the result of a run, and its writers: text, JUnit, JSON and a page for a browser.
pub mod builtin;
pub mod coverage;
pub mod listing;
pub mod report;
pub mod yaml;
