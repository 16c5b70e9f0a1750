//! The terminal UI: flows, messages, operations, calls, ladders, findings and statistics of a capture.
//!
//! Data flows in a circle. [`worker`] threads read the capture and send [`Event`](event::Event)s;
//! [`update`] applies these, keys and [`Action`](action::Action)s to the [`state`], and leaves requests
//! to the others in it as [`Effect`](event::Effect)s; [`render`] draws the state. State, actions
//! and reducers use no terminal, no clock and no thread: tests drive them as a user does.
//!
//! [`session`] connects state and workers; [`terminal`] adds a screen and a keyboard, [`snapshot`] prints a
//! screen as text:
//!
//! ```
//! use warpscope_dissector::pipeline::Options;
//! use warpscope_tui::action::Key;
//! use warpscope_tui::look::{Look, Theme};
//! use warpscope_tui::{session::Session, snapshot, worker::Source};
//!
//! let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../traces/captures/e1-terminate-stock.pcap");
//! let look = Look { theme: Theme::Plain, ..Look::default() };
//! let mut session = Session::open(Source::File(file.into()), Options::default(), (80, 24), look)?;
//! assert!(snapshot::of(&mut session).contains("Terminate by responder"));
//!
//! session.state.key(Key::parse("Enter").unwrap());
//! session.run();
//! assert!(snapshot::of(&mut session).contains("Write STag="));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod action;
pub mod event;
pub mod format;
pub mod index;
pub mod layout;
pub mod look;
pub mod render;
pub mod rules;
pub mod session;
pub mod settings;
pub mod snapshot;
pub mod state;
pub mod terminal;
pub mod text;
pub mod update;
pub mod worker;
