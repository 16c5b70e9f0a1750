//! Reducers of the state: keys, actions, and events of workers.
//!
//! Each leaves the effects for workers and terminal in the state. [`crate::state::State::demand`] adds requests for
//! missing parts of the screen.

mod act;
mod event;
mod input;
mod show;

pub use input::Mouse;
