//! Connections against each other, and against bytes built by hand.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "these are tests")]

mod bugs;
mod durability;
mod endings;
mod frames;
mod judge;
mod loopback;
mod model;
mod mutations;
mod opening;
mod operations;
mod pair;
mod prelude;
mod profiles;
mod raw;
mod replayed;
mod schedule;
mod segments;
mod serial;
mod violations;
