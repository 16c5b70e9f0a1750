//! Live capture and replay, on links in network namespaces that these tests make: nothing leaves
//! them. Where the system permits no namespaces the tests say so and are skipped,
//! or fail when `WARPSCOPE_REQUIRE` names `netns`.

#![cfg(target_os = "linux")]
#![allow(unreachable_pub, missing_docs, reason = "modules of a test binary")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod captured;
mod link;
mod looked_at;
#[path = "../support/program.rs"]
#[allow(dead_code, reason = "another test uses all of it")]
mod program;
mod refused;
mod replayed;
#[path = "../support/require.rs"]
mod require;
mod ring;
#[path = "../support/running.rs"]
mod running;
#[path = "../terminal/terminal.rs"]
#[allow(dead_code, reason = "another test uses all of it")]
mod terminal;
mod watched;

use link::Link;
use program::{Folder, dissected, has, run};
use running::until;

/// A shipped capture: 308 frames, none of more than 1514 bytes.
fn shipped() -> String {
    program::shipped("captures/e1-terminate-stock.pcap")
}

/// Puts the shipped capture onto the link's left end.
fn replay(link: &Link) {
    let ended = link.start(format!("replay --onto left --full-speed {}", shipped())).success();
    let start = "308 frames (47556 bytes) sent onto left in ";
    assert!(ended.err.starts_with(start), "{}", ended.err);
}

/// How many frames [`shipped`] has.
const SHIPPED_FRAMES: usize = 308;

/// How many frames a file has so far; 0 as long as it cannot be read.
fn frames(file: &str) -> usize {
    run(format!("dissect -T fields -e frame.number -r {file}")).out.lines().count()
}

fn has_lines(text: &str, lines: &[&str]) {
    for line in lines {
        assert!(text.lines().any(|it| it == *line), "{line:?} in {text}");
    }
}
