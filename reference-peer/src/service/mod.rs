//! Services: programs on top of streams. Each is a state machine without sockets.

mod passive;
pub mod pingpong;
mod program;
pub mod throughput;
mod trouble;

pub use passive::Passive;
pub use pingpong::{PingPong, PingPongOptions};
pub use program::Service;
pub use throughput::{Sink, Source, ThroughputOptions};
