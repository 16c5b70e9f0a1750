//! What does not need live capture, and what a build without it says.

use super::warpscope;
use predicates::prelude::*;

#[test]
#[cfg(not(feature = "live"))]
fn a_build_without_live_capture_says_how_to_get_it() {
    for (arguments, flag) in [
        (&["dissect", "-i", "lo"][..], "-i"),
        (&["dissect", "-D"], "-D"),
        (&["capture", "-i", "lo", "-w", "-"], "-i"),
    ] {
        let start = format!("warpscope: {flag}: this build of warpscope has no live capture: ");
        warpscope(arguments).assert().code(2).stdout("").stderr(
            predicate::str::starts_with(start)
                .and(predicate::str::contains("`live`; install libpcap's development files"))
                .and(predicate::str::contains("--no-default-features")),
        );
    }
}

#[test]
fn flags_that_do_not_go_together_are_refused_before_anything_is_opened() {
    for (arguments, words) in [
        (&["dissect", "-r", "x", "-f", "tcp"][..], "-f is for a live capture (-i); of a file, -Y"),
        (&["dissect", "-r", "x", "-a", "packets:1"], "-a is for a live capture (-i)"),
        (&["dissect", "-r", "x", "-i", "y"], "the argument '-r <FILE>' cannot be used with"),
        (&["dissect", "-i", "x", "-a", "size:1"], "invalid value 'size:1' for '-a <LIMIT:VALUE>'"),
        (&["dissect", "-i", "x", "-a", "files:1"], "-a files: it counts the files of -b"),
        (&["dissect", "-i", "x", "-a", "filesize:1"], "-a filesize: there is no file"),
        (&["dissect", "-i", "x", "-b", "packets:1"], "the following required arguments"),
        (
            &["capture", "-i", "x", "-w", "-", "-b", "packets:1"],
            "-b: several files cannot be written to standard output",
        ),
        (&["capture", "-w", "x"], "the following required arguments"),
        (&["replay", "x", "--loop", "2"], "the following required arguments"),
        (&["replay", "x", "z", "--onto", "y"], "replay: --onto takes one capture at a time"),
        (&["replay", "x", "--onto", "y", "--speed", "0"], "invalid value '0' for '--speed"),
        (&["replay", "x", "--onto", "y", "--loop", "0"], "invalid value '0' for '--loop"),
        (&["replay", "-", "--onto", "y", "--loop", "2"], "--loop: standard input can be read"),
        (&["replay", "x", "--onto", "y", "-Y", "tcp.sq"], "-Y: "),
    ] {
        let words = format!("warpscope: {words}");
        warpscope(arguments).assert().code(2).stderr(predicate::str::starts_with(words));
    }
}
