//! The service `test-ulp`, driven by a runner over a pipe.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "so tests fail")]

mod greeting;
mod hostile;
mod limits;
mod operations;
mod regions;
mod runner;
mod setups;
mod terminates;
