//! What changes the state: keys, actions, and what workers report.
//!
//! Each entry returns what workers and terminal shall do. [`crate::state::State::demand`] adds what the
//! screen then lacks.

mod act;
mod event;
mod input;
mod show;

pub use input::Mouse;
