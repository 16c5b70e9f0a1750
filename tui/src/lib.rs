//! The terminal UI: flows, messages, operations, calls, ladders, findings and statistics of a capture.
//!
//! Data flows in a circle. [`worker`] threads read the capture and hand up [`Event`](event::Event)s;
//! [`update`] takes these, keys and [`Action`](action::Action)s into the [`state`] and says with
//! [`Effect`](event::Effect)s what the workers shall do; [`render`] draws the state. State, actions
//! and reducers know no terminal, no clock and no thread: tests drive them as a user does.
//!
//! [`session`] ties state and workers; [`terminal`] adds a screen and a keyboard, [`snapshot`] prints a
//! screen as text.

pub mod action;
pub mod event;
pub mod format;
pub mod index;
pub mod layout;
pub mod look;
pub mod render;
pub mod session;
pub mod snapshot;
pub mod state;
pub mod terminal;
pub mod text;
pub mod update;
pub mod worker;
