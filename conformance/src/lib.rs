//! The conformance suite: what a case says, what headers look like, and what is sent and judged.
//!
//! * [`layout`]: every header as data, written from the documents' figures: the second reader,
//!   beside the codec, and the names by which cases override fields.
//! * [`case`]: the case language, from YAML to steps that a runner carries out.
//! * [`engine`]: a raw iWARP stream, what is expected of it, and the verdict; no socket, no clock.
//! * [`run`]: sockets, clock and threads: it runs instances against a target.

pub mod case;
pub mod engine;
pub mod layout;
pub mod run;
pub mod yaml;
