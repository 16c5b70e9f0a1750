//! The suite's engine against the peer of this program, over sockets.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "so tests fail")]

mod cases;
mod peer;
mod runs;
