//! The command as a user runs it, over a small capture that is built here.

#![allow(unreachable_pub, missing_docs, reason = "modules of a test binary")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod annotate;
mod bounds;
mod capture;
mod check;
mod conform;
mod conform_proxy;
mod conform_run;
mod dataset;
mod dissect;
mod errors;
mod export;
mod flows;
mod follow;
#[path = "../support/listener.rs"]
mod listener;
mod mended;
mod nfs;
mod parallel;
mod peer;
#[path = "../support/program.rs"]
mod program;
mod replay;
#[path = "../support/require.rs"]
mod require;
#[path = "../support/running.rs"]
#[allow(dead_code, reason = "another test uses all of it")]
mod running;
mod tshark;
mod writing;

use capture::Capture;

/// What `dissect` prints of the small capture.
fn dissected(arguments: &str) -> String {
    let ended =
        program::run_on(&Capture::conversation().bytes, format!("dissect -r - {arguments}"));
    let ended = ended.with(0);
    assert_eq!(ended.err, "");
    ended.out
}
