//! Connections against each other, and against bytes built by hand.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "these are tests")]

mod atomic;
mod bugs;
mod commit;
mod durability;
mod endings;
mod frames;
mod hostile;
mod judge;
mod judged;
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
mod schedule_ends;
mod segments;
mod serial;
mod violations;
