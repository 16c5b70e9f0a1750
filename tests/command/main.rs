//! The command as a user runs it, over a small capture that is built here.

#![allow(unreachable_pub, missing_docs, reason = "modules of a test binary")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod annotate;
mod capture;
mod check;
mod conform;
mod conform_proxy;
mod conform_run;
mod dissect;
mod errors;
mod export;
mod flows;
mod follow;
mod nfs;
mod peer;
mod replay;
#[path = "../support/require.rs"]
mod require;
mod writing;

use assert_cmd::Command;
use capture::Capture;

/// The command with these arguments, without colours and in UTC.
fn warpscope(arguments: &[&str]) -> Command {
    let mut command = assert_cmd::cargo::cargo_bin_cmd!("warpscope");
    command.args(arguments).env("TZ", "UTC").env("NO_COLOR", "1");
    command
}

/// What `dissect` prints of the small capture.
fn dissected(arguments: &[&str]) -> String {
    let file = Capture::conversation().save();
    let mut command = warpscope(&["dissect", "-r"]);
    command.arg(file.path()).args(arguments);
    let output = command.assert().success().stderr("").get_output().stdout.clone();
    String::from_utf8(output).unwrap()
}
