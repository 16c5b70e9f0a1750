//! The agent, in a pipe: what it does for a runner, as `agents/README.md` has it.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "these are tests"
)]

mod calls;
mod memory;
mod runner;
mod streams;
mod work;
