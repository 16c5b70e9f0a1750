//! The conformance suite: cases, layouts of headers, and what is sent and judged.
//!
//! A case goes through these modules in order:
//!
//! * [`case`]: the contents of a file, read from YAML ([`yaml`]) into instances with their steps.
//! * [`plan`]: what an instance needs, and what a target can do.
//! * [`run`]: sockets, clock and threads: executes the steps, on raw iWARP streams (`stream`).
//! * [`judge`]: whether what came is what is expected; the verdict.
//! * [`report`]: the result of a run, and its writers: text, JUnit, JSON and a page for a browser.
//!
//! Also: [`frames`], made up around bytes of TCP; [`layout`], every header as data, written from the
//! documents' figures as a second reader beside the codec of `wire`; [`listing`], the cases as a reader sees
//! them; [`coverage`], which requirements the cases and the passive rules judge; [`proxy`], which relays and
//! judges what two stacks say to each other.
//!
//! Layouts compose a message and read it back, with fields in the words of the documents:
//!
//! ```
//! use warpscope_conformance::layout::{Given, Layouts};
//!
//! let layouts = Layouts::builtin().unwrap();
//! let send = layouts.message("send").unwrap();
//! let ulpdu = send.compose(&[("msn".to_owned(), Given::Number(7))], b"hello")?;
//! assert_eq!(ulpdu[..2], [0x41, 0x43]); // L and DV 1, then RV 1 and the opcode of a Send
//! assert_eq!(send.read(&ulpdu)?.number("message_sequence_number"), Some(7));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod case;
pub mod coverage;
mod format;
pub mod frames;
pub mod judge;
pub mod layout;
pub mod listing;
pub mod plan;
pub mod proxy;
pub mod report;
pub mod run;
mod stream;
pub mod yaml;
