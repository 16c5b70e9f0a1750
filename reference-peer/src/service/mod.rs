//! Services: programs on top of streams. Each is a state machine without sockets.

pub mod agent;
mod exercise;
pub mod perftest;
pub mod pingpong;
mod program;
mod rate;
pub mod throughput;

pub use crate::streams::Service;
pub use exercise::{Exercise, ExerciseOptions};
pub use perftest::{
    Perftest, PerftestClient, PerftestClientOptions, PerftestKind, PerftestOptions,
};
pub use pingpong::{PingPong, PingPongOptions};
pub use program::Passive;
pub use throughput::{Throughput, ThroughputOptions};
