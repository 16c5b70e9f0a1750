//! The suite's engine against the peer of this program, over sockets.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "so tests fail")]

mod cases;
#[path = "../support/listener.rs"]
#[allow(dead_code, unreachable_pub, reason = "another test uses all of it")]
mod listener;
mod peer;
#[path = "../support/program.rs"]
#[allow(dead_code, unreachable_pub, reason = "another test uses all of it")]
mod program;
mod runs;
