//! `warpscope check`: exit statuses, formats, waivers.

use super::capture::{Capture, HEADERS};
use super::program::{Folder, has, json, json_has, json_lines, refused, run, run_on, shipped};
use serde_json::json;
use std::io::Write as _;

/// A folder with the small capture, whose Write (frame 7) has a bad CRC, one without frames, and a file that is none.
fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("faulty", Capture::conversation().bytes);
    folder.write("empty", Capture::new().bytes);
    folder.write("bad", "no capture at all");
    folder
}

/// What `check` prints of files of the folder, when it ends with this status.
#[track_caller]
fn checked(folder: &Folder, files: &[&str], arguments: &str, status: i32) -> (String, String) {
    let files: String = files.iter().map(|name| format!(" {folder}/{name}")).collect();
    let ended = run(format!("check {arguments}{files}")).with(status);
    (ended.out, ended.err)
}

#[test]
fn a_capture_without_iwarp_is_told_and_passes() {
    let mut capture = Capture::new();
    capture.segment(0, 24, b"nothing that looks like it");
    let folder = Folder::new();
    folder.write("plain", &capture.bytes);
    let (out, err) = checked(&folder, &["plain"], "", 0);
    has(&out, &[": 1 frame, no iWARP connection\n"]);
    assert!(out.ends_with("\n1 file: nothing found\n"), "{out}");
    assert_eq!(err, "");
}

#[test]
fn a_file_that_cannot_be_read_fails_and_the_others_are_judged() {
    let folder = folder();
    let (out, err) = checked(&folder, &["bad", "empty"], "", 2);
    assert!(err.starts_with("warpscope: ") && err.contains("not a pcap or pcapng file"), "{err}");
    has(&out, &[": 0 frames, no iWARP connection (not read to its end)\n"]);
    assert!(out.ends_with("\n2 files, 1 not read to the end: nothing found\n"), "{out}");
    let cut = HEADERS.0 + 2 * (HEADERS.1 + 54) + 20;
    let ended = run_on(&Capture::conversation().bytes[..cut], "check -").with(2);
    has(&ended.out, &["-: 2 frames, no iWARP connection (not read to its end)"]);
    has(&ended.err, &["; the 2 frames before it were read\n"]);
    let of = |format: &str| checked(&folder, &["bad"], &format!("--format {format}"), 2).0;
    let report = json(of("json"));
    assert_eq!(report["summary"]["unreadable"], 1);
    assert!(report["files"][0]["error"].is_string());
    json_has(&json(of("sarif")), json!({"/runs/0/invocations/0/executionSuccessful": false}));
    has(&of("junit"), &["<error "]);
}

#[test]
fn command_lines_that_cannot_be_followed() {
    let folder = folder();
    for (arguments, words) in [
        ("--rule zzz", "--rule zzz: no such rule; `warpscope rules` lists all"),
        (
            "--rule mpa-crcs",
            "--rule mpa-crcs: no such rule; did you mean mpa-crc? `warpscope rules` lists all",
        ),
        ("--ignore zzz", "--ignore zzz: no such rule; `warpscope rules` lists all"),
        ("--format xml", "invalid value 'xml' for '--format <FORMAT>'"),
        ("-o iwarp.profile:x", "-o iwarp.profile:x: iwarp.profile is one of rfc5040"),
        ("-d tcp.port==1", "-d tcp.port==1: the protocol is missing"),
        ("--waivers /nowhere/w.yaml", "--waivers /nowhere/w.yaml: cannot read the file; "),
    ] {
        let message = refused(format!("check {arguments} {folder}/faulty"));
        assert!(message.starts_with(words), "{arguments}: {message}");
    }
    refused("check");
    let waivers = folder.write("w.yaml", "- rule: zzz\n  reason: none\n");
    let expected = format!("{waivers}:1:9: zzz: no such rule; `warpscope rules` lists all\n");
    assert_eq!(refused(format!("check --waivers {waivers} {folder}/faulty")), expected);
}

#[test]
fn a_broken_must_is_told_and_fails() {
    let folder = folder();
    let (out, err) = checked(&folder, &["faulty"], "--rule mpa-crc", 1);
    let start = format!(
        "{folder}/faulty: 10 frames, 1 iWARP connection: 1 finding (1 MUST)\n  MUST    mpa-crc  RFC \
         5044 section 4.4 (RFC5044-4.4-12)\n          "
    );
    assert!(out.starts_with(&start), "{out}");
    has(&out, &["\n    frame 7  connection 0  byte "]);
    assert!(out.ends_with("\n\n1 file: 1 finding (1 MUST)\n"), "{out}");
    assert_eq!(err, "");
    for others in ["--ignore mpa-crc --rule mpa-crc", "--rule ddp-msn-sequence"] {
        let (out, _) = checked(&folder, &["faulty"], others, 0);
        assert!(out.ends_with("1 file: nothing found\n"), "{out}");
    }
}

/// One connection of this capture has FPDUs that begin within TCP segments (RFC 5044 section 5.1).
#[test]
fn a_broken_should_fails_when_strict() {
    let line =
        format!("check {} --rule mpa-fpdu-alignment", shipped("violations/violations-fpdu.pcap"));
    let run = |more: &str, status| run(format!("{line} {more}")).with(status).out;
    assert!(run("", 0).ends_with("1 file: 1 finding (1 SHOULD)\n"));
    run("--strict", 1);
    assert!(!run("--format junit", 0).contains("<failure"));
    assert!(run("--format junit --strict", 1).contains("<failure"));
}

#[test]
fn the_limit_counts_what_it_leaves_out() {
    let folder = folder();
    let (out, _) = checked(&folder, &["faulty"], "--rule mpa-crc --limit 0", 1);
    has(&out, &["\n    and 1 more\n"]);
    let (out, _) = checked(&folder, &["faulty"], "--rule mpa-crc --limit 0 --format ndjson", 1);
    assert_eq!(out.lines().filter(|line| line.contains("\"finding\"")).count(), 1, "{out}");
}

/// What a format has is tested with the reports, in src/check/tests/reports.rs.
#[test]
fn every_format_is_well_formed_with_several_files() {
    let folder = folder();
    let of = |format: &str| {
        checked(&folder, &["faulty", "empty"], &format!("--rule mpa-crc --format {format}"), 1).0
    };
    json_has(
        &json(of("json")),
        json!({
            "/findings/0/frame": 7,
            "/findings/0/sender/address": "10.0.0.2:40000",
            "/findings/0/sender/role": "initiator",
            "/summary/counts/must": 1,
            "/summary/files": 2,
        }),
    );
    assert_eq!(json_lines(&of("ndjson")).len(), 4);
    assert_eq!(quick_junit::Report::deserialize_from_str(&of("junit")).unwrap().failures, 1);
    json_has(&json(of("sarif")), json!({"/runs/0/results/0/ruleId": "mpa-crc"}));
}

#[test]
fn waived_findings_pass_and_unused_waivers_fail() {
    let folder = folder();
    let waivers =
        folder.write("w.yaml", "# the cable\n- rule: mpa-crc\n  frame: 7\n  reason: a bad cable\n");
    let waived = format!("--waivers {waivers}");
    let (out, err) = checked(&folder, &["faulty"], &format!("--rule mpa-crc {waived}"), 0);
    has(&out, &[" [waived: a bad cable]\n"]);
    assert!(out.ends_with("\n1 file: nothing found, 1 waived\n"), "{out}");
    assert_eq!(err, "");
    let (out, err) = checked(&folder, &["empty"], &waived, 1);
    let unused = "the waiver of mpa-crc in frame 7 was not used; remove it";
    assert_eq!(err, format!("warpscope: {waivers}:2: {unused}\n"));
    assert!(out.ends_with("1 file: nothing found, 1 waiver not used\n"), "{out}");
    // Where the rule is not judged by, nobody can tell whether the waiver is needed.
    checked(&folder, &["empty"], &format!("{waived} --ignore mpa-crc"), 0);
}

/// What comes through a pipe may be captured just now: a finding is reported before the capture ends.
#[test]
fn findings_in_a_pipe_are_told_at_once() {
    use std::io::{BufRead as _, BufReader};
    use std::process::{Command, Stdio};
    let mut child = Command::new(assert_cmd::cargo::cargo_bin!("warpscope"))
        .args(["check", "--rule", "mpa-crc", "--format", "ndjson", "-"])
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
    has(&line, &["\"rule\":\"mpa-crc\""]);
    drop(pipe);
    assert_eq!(output.lines().count(), 2, "the file and the summary follow");
    assert_eq!(child.wait().unwrap().code(), Some(1));
}
