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

/// The small capture: its Write, frame 7, has a bad CRC.
const FAULTY: &str = "mpa-crc";

/// What `check` prints, when it ends with this status.
fn checked(arguments: &[&str], files: &[&NamedTempFile], status: i32) -> (String, String) {
    let mut command = warpscope(&["check"]);
    command.args(arguments).args(files.iter().map(|file| file.path()));
    let assert = command.assert().code(status);
    let output = assert.get_output();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
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
    let whole = Capture::conversation().bytes;
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
        (&["--rule", "mpa-crcs"], "--rule mpa-crcs: no such rule; did you mean mpa-crc? "),
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

#[test]
fn a_broken_must_is_told_and_fails() {
    let capture = Capture::conversation().save();
    let (out, err) = checked(&["--rule", FAULTY], &[&capture], 1);
    let name = capture.path().display();
    let start = format!(
        "{name}: 10 frames, 1 iWARP connection: 1 finding (1 MUST)\n  MUST    mpa-crc  RFC 5044 \
         section 4.4 (RFC5044-4.4-12)\n          "
    );
    assert!(out.starts_with(&start), "{out}");
    assert!(out.contains("\n    frame 7  connection 0  byte "), "{out}");
    assert!(out.ends_with("\n\n1 file: 1 finding (1 MUST)\n"), "{out}");
    assert_eq!(err, "");
    let (out, _) = checked(&["--ignore", FAULTY, "--rule", FAULTY], &[&capture], 0);
    assert!(out.ends_with("1 file: nothing found\n"), "{out}");
    let (out, _) = checked(&["--rule", "ddp-msn-sequence"], &[&capture], 0);
    assert!(out.ends_with("1 file: nothing found\n"), "{out}");
}

/// One connection of this capture has FPDUs that begin within TCP segments (RFC 5044 section 5.1).
#[test]
fn a_broken_should_fails_when_strict() {
    let synthetic = concat!(env!("CARGO_MANIFEST_DIR"), "/traces/violations/violations-fpdu.pcap");
    let rule = ["--rule", "mpa-fpdu-alignment"];
    let run = |more: &[&str], status| {
        let mut command = warpscope(&["check", synthetic]);
        let assert = command.args(rule).args(more).assert().code(status);
        String::from_utf8(assert.get_output().stdout.clone()).unwrap()
    };
    assert!(run(&[], 0).ends_with("1 file: 1 finding (1 SHOULD)\n"));
    run(&["--strict"], 1);
    assert!(!run(&["--format", "junit"], 0).contains("<failure"));
    assert!(run(&["--format", "junit", "--strict"], 1).contains("<failure"));
}

#[test]
fn the_limit_counts_what_it_leaves_out() {
    let one = Capture::conversation().save();
    let (out, _) = checked(&["--rule", FAULTY, "--limit", "0"], &[&one], 1);
    assert!(out.contains("\n    and 1 more\n"), "{out}");
    let (out, _) = checked(&["--rule", FAULTY, "--limit", "0", "--format", "ndjson"], &[&one], 1);
    assert_eq!(out.lines().filter(|line| line.contains("\"finding\"")).count(), 1, "{out}");
}

#[test]
fn every_format_is_well_formed_with_several_files() {
    let (faulty, empty) = (Capture::conversation().save(), Capture::new().save());
    let files = [&faulty, &empty];
    let (out, _) = checked(&["--rule", FAULTY, "--format", "json"], &files, 1);
    let report: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(report["findings"].as_array().unwrap().len(), 1);
    assert_eq!(report["files"].as_array().unwrap().len(), 2);
    assert_eq!(report["findings"][0]["frame"], 7);
    assert_eq!(report["findings"][0]["sender"]["address"], "10.0.0.2:40000");
    assert_eq!(report["findings"][0]["sender"]["role"], "initiator");
    assert_eq!(report["summary"]["counts"]["must"], 1);
    let (out, _) = checked(&["--rule", FAULTY, "--format", "ndjson"], &files, 1);
    let kinds: Vec<String> = out
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["type"].to_string())
        .collect();
    assert_eq!(kinds.join(" "), r#""finding" "file" "file" "summary""#);
    let (out, _) = checked(&["--rule", FAULTY, "--format", "junit"], &files, 1);
    let mut reader = quick_xml::Reader::from_str(&out);
    let mut failures = 0;
    loop {
        match reader.read_event().unwrap() {
            quick_xml::events::Event::Start(it) if it.name().as_ref() == b"failure" => {
                failures += 1;
            }
            quick_xml::events::Event::Eof => break,
            _ => {}
        }
    }
    assert_eq!(failures, 1, "{out}");
    let (out, _) = checked(&["--format", "sarif"], &files, 1);
    let log: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    assert_eq!(run["artifacts"].as_array().unwrap().len(), 2);
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    let listed = |id: &Value| rules.iter().any(|rule| rule["id"] == *id);
    let results = run["results"].as_array().unwrap();
    assert!(!results.is_empty() && results.iter().all(|result| listed(&result["ruleId"])));
}

#[test]
fn waived_findings_pass_and_unused_waivers_fail() {
    let capture = Capture::conversation().save();
    let waivers = file("# the cable\n- rule: mpa-crc\n  frame: 7\n  reason: a bad cable\n");
    let name = waivers.path().display().to_string();
    let (out, err) = checked(&["--rule", FAULTY, "--waivers", &name], &[&capture], 0);
    assert!(out.contains(" [waived: a bad cable]\n"), "{out}");
    assert!(out.ends_with("\n1 file: nothing found, 1 waived\n"), "{out}");
    assert_eq!(err, "");
    let clean = Capture::new().save();
    let (out, err) = checked(&["--waivers", &name], &[&clean], 1);
    let unused = "the waiver of mpa-crc in frame 7 was not used; remove it";
    assert_eq!(err, format!("warpscope: {name}:2: {unused}\n"));
    assert!(out.ends_with("1 file: nothing found, 1 waiver not used\n"), "{out}");
    // Where the rule is not judged by, nobody can tell whether the waiver is needed.
    checked(&["--waivers", &name, "--ignore", FAULTY], &[&clean], 0);
}

/// What comes through a pipe may be captured just now: a finding is told before the capture ends.
#[test]
fn findings_in_a_pipe_are_told_at_once() {
    use std::io::{BufRead as _, BufReader};
    use std::process::{Command, Stdio};
    let mut child = Command::new(assert_cmd::cargo::cargo_bin!("warpscope"))
        .args(["check", "--rule", FAULTY, "--format", "ndjson", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut pipe = child.stdin.take().unwrap();
    pipe.write_all(&Capture::conversation().bytes).unwrap();
    pipe.flush().unwrap();
    let mut line = String::new();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    output.read_line(&mut line).unwrap();
    assert!(line.contains("\"rule\":\"mpa-crc\""), "{line}");
    drop(pipe);
    assert_eq!(output.lines().count(), 2, "the file and the summary follow");
    assert_eq!(child.wait().unwrap().code(), Some(1));
}
