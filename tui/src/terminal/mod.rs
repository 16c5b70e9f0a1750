//! The screen and the keyboard.

mod clipboard;
mod guard;
mod run;
mod signals;

pub use run::{Left, Saver, TerminalError, Wishes, ready, run};
pub use signals::end_by;
