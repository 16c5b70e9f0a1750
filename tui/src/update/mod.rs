//! What changes the state: keys, actions, and what workers tell.
//!
//! Each entry returns what workers and terminal shall do. [`crate::state::State::demand`] adds what the
//! screen then lacks.

mod act;
mod columns;
mod event;
mod input;
mod jump;
mod messages;
mod narrow;
mod seek;
mod show;
mod value;

pub use input::Mouse;
