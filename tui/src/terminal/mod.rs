//! The screen and the keyboard.

mod clipboard;
mod guard;
mod run;

pub use run::{Saver, TerminalError, ready, run};
