//! `warpscope check`: exit statuses, formats, waivers.

use super::capture::{Capture, HEADERS};
use super::warpscope;
use predicates::prelude::*;
use serde_json::Value;
use std::io::Write as _;
use tempfile::NamedTempFile;

fn file(text: &str) -> NamedTempFile {
    let mut file = NamedTempFile::new().unwrap();
    file.write_all(text.as_bytes()).unwrap();
    file
}

/// What `check` prints, when it ends with this status.
fn checked(arguments: &[&str], files: &[&NamedTempFile], status: i32) -> (String, String) {
    let mut command = warpscope(&["check"]);
    command.args(arguments).args(files.iter().map(|file| file.path()));
    let assert = command.assert().code(status);
    let output = assert.get_output();
    let text = |octets: &[u8]| String::from_utf8(octets.to_vec()).unwrap();
    (text(&output.stdout), text(&output.stderr))
}

#[test]
fn a_capture_without_iwarp_is_told_and_passes() {
    let mut capture = Capture::new();
    capture.segment(0, 24, b"nothing that looks like it");
    let (out, err) = checked(&[], &[&capture.save()], 0);
    assert!(out.contains(": 1 frame, no iWARP connection\n"), "{out}");
    assert!(out.ends_with("\n1 file: nothing found\n"), "{out}");
    assert_eq!(err, "");
}

#[test]
fn a_file_that_cannot_be_read_fails_and_the_others_are_judged() {
    let none = Capture::new().save();
    let bad = file("no capture at all");
    let (out, err) = checked(&[], &[&bad, &none], 2);
    assert!(err.starts_with("warpscope: ") && err.contains("not a pcap or pcapng file"), "{err}");
    assert!(out.contains(": 0 frames, no iWARP connection (not read to its end)\n"), "{out}");
    assert!(out.ends_with("\n2 files, 1 not read to the end: nothing found\n"), "{out}");
    let whole = Capture::conversation().octets;
    let cut = &whole[..HEADERS.0 + 2 * (HEADERS.1 + 54) + 20];
    let mut command = warpscope(&["check", "-"]);
    command
        .write_stdin(cut)
        .assert()
        .code(2)
        .stdout(predicate::str::contains("-: 2 frames, no iWARP connection (not read to its end)"))
        .stderr(predicate::str::contains("; the 2 frames before it were read\n"));
    let (out, _) = checked(&["--format", "json"], &[&bad], 2);
    let report: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(report["summary"]["unreadable"], 1);
    assert!(report["files"][0]["error"].is_string());
    let (out, _) = checked(&["--format", "sarif"], &[&bad], 2);
    let log: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(log["runs"][0]["invocations"][0]["executionSuccessful"], false);
    let (out, _) = checked(&["--format", "junit"], &[&bad], 2);
    assert!(out.contains("<error "), "{out}");
}

#[test]
fn command_lines_that_cannot_be_followed() {
    let capture = Capture::conversation().save();
    for (arguments, words) in [
        (&["--rule", "zzz"][..], "--rule zzz: no such rule; `warpscope rules` lists all"),
        (&["--ignore", "zzz"], "--ignore zzz: no such rule; "),
        (&["--format", "xml"], "invalid value 'xml' for '--format <FORMAT>'"),
        (&["-o", "iwarp.profile:x"], "-o iwarp.profile:x: iwarp.profile is one of rfc5040"),
        (&["-d", "tcp.port==1"], "-d tcp.port==1: the protocol is missing"),
        (&["--waivers", "/nowhere/w.yaml"], "--waivers /nowhere/w.yaml: cannot read the file; "),
    ] {
        let (out, err) = checked(arguments, &[&capture], 2);
        assert!(err.starts_with(&format!("warpscope: {words}")), "{arguments:?}: {err}");
        assert_eq!(out, "");
    }
    warpscope(&["check"]).assert().code(2);
}

#[test]
fn waivers_that_cannot_be_followed_are_refused_with_their_place() {
    let capture = Capture::conversation().save();
    let waivers = file("- rule: zzz\n  reason: none\n");
    let name = waivers.path().display().to_string();
    let (out, err) = checked(&["--waivers", &name], &[&capture], 2);
    assert_eq!(
        err,
        format!("warpscope: {name}:1:9: zzz: no such rule; `warpscope rules` lists all\n")
    );
    assert_eq!(out, "");
}
