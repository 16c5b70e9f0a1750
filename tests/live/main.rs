//! Live capture and replay, on links in network namespaces that these tests make: nothing leaves
//! them. Where the system permits no namespaces the tests say so and are skipped,
//! or fail when `WARPSCOPE_REQUIRE` names `netns`.

#![cfg(target_os = "linux")]
#![allow(unreachable_pub, missing_docs, reason = "modules of a test binary")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod captured;
mod link;
mod looked_at;
mod refused;
mod replayed;
#[path = "../support/require.rs"]
mod require;
mod ring;
mod running;
#[path = "../terminal/terminal.rs"]
#[allow(dead_code, reason = "another test uses all of it")]
mod terminal;

use link::Link;
use running::{Running, until};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A shipped capture: 308 frames, none of more than 1514 bytes.
fn shipped() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("traces/captures/e1-terminate-stock.pcap")
}

/// Puts the shipped capture onto the link's left end.
fn replay(link: &Link) {
    let mut command = link.warpscope(["replay", "--onto", "left", "--full-speed"]);
    let ended = Running::start(command.arg(shipped())).success();
    let start = "308 frames (47556 bytes) put onto left in ";
    assert!(ended.stderr.starts_with(start), "{}", ended.stderr);
}

/// How many frames [`shipped`] has.
const SHIPPED_FRAMES: usize = 308;

/// What `dissect -r` prints of a file.
fn dissected(file: &Path, arguments: &[&str]) -> String {
    let output = Command::new(assert_cmd::cargo::cargo_bin!("warpscope"))
        .args(["dissect", "-r"])
        .arg(file)
        .args(arguments)
        .output()
        .unwrap();
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && complaint.is_empty(), "{}: {complaint}", file.display());
    String::from_utf8(output.stdout).unwrap()
}

/// How many frames a file has so far; 0 as long as it cannot be read.
fn frames(file: &Path) -> usize {
    let output = Command::new(assert_cmd::cargo::cargo_bin!("warpscope"))
        .args(["dissect", "-T", "fields", "-e", "frame.number", "-r"])
        .arg(file)
        .output()
        .unwrap();
    String::from_utf8_lossy(&output.stdout).lines().count()
}
