//! The conformance suite: what a case says, what headers look like, what is sent and judged.
//!
//! * [`layout`]: every header as data, written from the documents' figures: the second reader,
//!   beside the codec, and the names by which cases override fields.
//! * [`case`]: the case language, from YAML to steps that a runner carries out.
//! * [`engine`]: a raw iWARP stream, what is expected of it, and the verdict; no socket, no clock.
//! * [`play`]: from steps to what the runner does.
//! * [`run`]: sockets, clock and threads: it runs instances against a target.
//! * [`proxy`]: what passes between two stacks: impaired as TCP allows, and judged; no socket, no
//!   clock.
//! * [`builtin`]: the cases that are built in.
//! * [`listing`]: the cases as a reader sees them: contents, a case in words, a new one.
//! * [`coverage`]: which requirements the cases and the passive rules judge, and which none does.
//! * [`report`]: the result of a run, and its writers: text, JUnit, JSON and a page for a browser.
//! * [`yaml`]: YAML with places.

pub mod builtin;
pub mod case;
pub mod coverage;
pub mod engine;
pub mod layout;
pub mod listing;
mod made;
pub mod play;
pub mod proxy;
pub mod report;
pub mod run;
pub mod yaml;
