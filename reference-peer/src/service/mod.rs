//! Services: programs on top of streams. Each is a state machine without sockets.

mod exercise;
mod passive;
mod program;

pub use exercise::{Exercise, ExerciseOptions};
pub use passive::Passive;
pub use program::Service;
