//! Services: programs on top of streams. Each is a state machine without sockets.

mod exercise;
mod passive;
mod program;
mod rpc;

pub use exercise::{Exercise, ExerciseOptions};
pub use passive::Passive;
pub use program::Service;
pub use rpc::{Answered, Rpc};
