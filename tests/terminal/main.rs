//! The terminal UI in a terminal: a pseudo-terminal whose screen a second implementation draws.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod files;
mod screen;
mod signals;
mod terminal;

/// A shared capture.
fn shared(name: &str) -> String {
    format!("{}/traces/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// The capture that most tests look at: 308 frames, 22 connections.
fn terminates() -> String {
    shared("captures/e1-terminate-stock.pcap")
}
