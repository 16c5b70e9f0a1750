//! What goes wrong around the program, and what is made to break it: docs/robustness.md has the tables.

#![cfg(target_os = "linux")]
#![allow(unreachable_pub, missing_docs, reason = "modules of a test binary")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]
#![allow(dead_code, reason = "other tests use the rest of what they share")]

mod bombs;
#[path = "../command/capture.rs"]
mod capture;
mod document;
mod endless;
#[path = "../support/listener.rs"]
mod listener;
mod network;
mod place;
#[path = "../support/program.rs"]
mod program;
#[path = "../support/require.rs"]
mod require;
#[path = "../support/running.rs"]
mod running;
mod table;

use std::process::Command;

/// A command that a hang-up ends, also where the tests run under `nohup`.
fn warpscope(line: &str) -> Command {
    let mut command = Command::new("env");
    command.arg("--default-signal=HUP").arg(assert_cmd::cargo::cargo_bin!("warpscope"));
    command.args(shell_words::split(line).unwrap());
    command
}

/// The most memory that a process has taken, in KiB.
fn memory(of: u32) -> u64 {
    // In the moment before a process has its program it shows the memory of who started it.
    let name = std::fs::read_to_string(format!("/proc/{of}/comm")).unwrap_or_default();
    if name == "warpscope\n" { status(of, "VmHWM").unwrap_or(0) } else { 0 }
}

/// A number that the system has of a process: `Uid`, `VmHWM`.
fn status(of: u32, name: &str) -> Option<u64> {
    let text = std::fs::read_to_string(format!("/proc/{of}/status")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    line.split_whitespace().next()?.parse().ok()
}
