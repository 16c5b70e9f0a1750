//! Services: programs on top of streams. Each is a state machine without sockets.

mod program;

pub use program::Service;
