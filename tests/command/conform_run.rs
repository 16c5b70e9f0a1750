//! `warpscope conform run` and `conform mutants`.

use super::peer::Listener;
use super::warpscope;
use serde_json::Value;
use std::net::TcpListener;
use std::path::Path;
use std::process::Output;
use std::time::{Duration, Instant};
use tempfile::TempDir;

const PASSES: &str = "mpa-request-key";
const CATCHES: &str = "mpa-crc-wrong[markers=off,after=1]";

fn conform(arguments: &[&str]) -> Output {
    warpscope(&["conform"]).args(arguments).output().unwrap()
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn told(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn the_strict_peer_passes_and_reports_and_captures_are_written() {
    let folder = TempDir::new().unwrap();
    let file = |name: &str| folder.path().join(name);
    let reports = format!(
        "junit={},json={},html={}",
        path(&file("r.xml")),
        path(&file("r.json")),
        path(&file("r.html"))
    );
    let captures = file("captures");
    let run = ["run", "--self", CATCHES, "--report", &reports, "--pcap", path(&captures)];
    let output = conform(&run);
    assert_eq!(output.status.code(), Some(0), "{}", told(&output));
    assert!(out(&output).trim_end().lines().last().unwrap().contains("seed 0: 1 pass in "));

    let junit = std::fs::read_to_string(file("r.xml")).unwrap();
    assert!(junit.contains(r#"tests="1""#) && junit.contains(r#"failures="0""#), "{junit}");
    let json: Value = serde_json::from_slice(&std::fs::read(file("r.json")).unwrap()).unwrap();
    assert_eq!((&json["exit_code"], &json["counts"]["pass"]), (&Value::from(0), &Value::from(1)));
    let instance = &json["instances"][0];
    assert_eq!(instance["id"], CATCHES);
    assert_eq!(instance["verdict"], "pass");
    let html = std::fs::read_to_string(file("r.html")).unwrap();
    assert!(html.starts_with("<!DOCTYPE html>") && html.contains(CATCHES));
    assert!(!html.contains("src=\"http") && !html.contains("href=\"http"), "one file is all");

    // The FPDU with the wrong CRC is ours.
    let capture = captures.join("mpa-crc-wrong_markers=off,after=1_.pcapng");
    let fields = ["-T", "fields", "-e", "frame.number", "-Y", "iwarp_mpa.crc.status == \"Bad\""];
    let read = warpscope(&["dissect", "-r", path(&capture)]).args(fields).output().unwrap();
    assert_eq!((read.status.code(), out(&read).lines().count()), (Some(0), 1));
}

#[test]
fn a_failure_says_what_was_demanded_sent_wanted_and_seen_and_how_to_see_it_again() {
    let output = conform(&["run", "--self", CATCHES, "--bug", "crc-unchecked"]);
    assert_eq!(output.status.code(), Some(1));
    let text = out(&output);
    for words in [
        "With CRCs on, an FPDU with a wrong CRC is refused",
        "RFC5044-8-02",
        "Sent ",
        "[bad CRC]",
        "Accepted ",
        "a Terminate 2/0/0x02",
        "Came ",
        "MPA Reply",
        "nothing came within",
        "Again     warpscope conform run --self --bug crc-unchecked -v 'mpa-crc-wrong[markers=off,after=1]'",
        "! mpa-crc: ",
    ] {
        assert!(text.contains(words), "{words} is not in\n{text}");
    }
}

#[test]
fn a_profile_expects_failures_leaves_out_and_says_what_it_did_not_expect() {
    let folder = TempDir::new().unwrap();
    let profile = folder.path().join("p.yaml");
    let listener = Listener::start(&["-s", "test-ulp"]);
    let run = |text: &str, of: &str| {
        let address = &listener.address;
        std::fs::write(&profile, format!("address: '{address}'\n{text}")).unwrap();
        conform(&["run", "--profile", path(&profile), of])
    };
    let output = run("left-out: [{id: mpa-request-*, reason: it falls over}]\n", PASSES);
    assert_eq!(output.status.code(), Some(0), "{}", told(&output));
    assert!(out(&output).contains("16 not applicable"), "{}", out(&output));

    let output = run("expected-failures: [{id: mpa-request-key, reason: known}]\n", PASSES);
    assert_eq!(output.status.code(), Some(1));
    assert!(out(&output).contains("16 unexpected pass"), "{}", out(&output));

    let output = run("expected-failures: [{id: mpa-request-kee, reason: known}]\n", PASSES);
    assert_eq!(output.status.code(), Some(2));
    assert!(told(&output).contains("did you mean mpa-request-key?"), "{}", told(&output));
}

#[test]
fn profiles_of_what_was_tried_speak_of_cases_that_there_are() {
    let folder = TempDir::new().unwrap();
    let shipped = concat!(env!("CARGO_MANIFEST_DIR"), "/conformance/findings/siw-linux-6.1.yaml");
    let text = std::fs::read_to_string(shipped).unwrap();
    // A port that nobody has, so that all that is read is read, and no target is found.
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let profile = folder.path().join("siw.yaml");
    let run = |text: String| {
        std::fs::write(&profile, text.replace("127.0.0.1:17174", &address.to_string())).unwrap();
        let output = conform(&["run", "--profile", path(&profile)]);
        assert_eq!(output.status.code(), Some(2));
        told(&output)
    };
    let known = run(text.clone());
    assert!(known.contains("see that it is there"), "{known}");
    let renamed = run(text.replace("mpa-garbage", "mpa-garbags"));
    assert!(renamed.contains("mpa-garbags") && renamed.contains("did you mean mpa-garbage?"));
}

#[test]
fn a_run_that_cannot_be_made_says_why() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    for (arguments, words) in [
        (&["--target", &free, PASSES][..], "see that it is there and listens"),
        (&["--self", "mpa-request-kee"], "did you mean mpa-request-key?"),
        (&["--self", PASSES, "--bug", "crc-uncheckt"], "did you mean crc-unchecked?"),
        (&["--profile", "/nowhere/p.yaml"], "cannot read the profile /nowhere/p.yaml"),
        (&["--self", PASSES, "--report", "xml=a"], "xml=a"),
        (&[PASSES], "--target"),
    ] {
        let output = conform(&[&["run"], arguments].concat());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(told(&output).contains(words), "{arguments:?}: {}", told(&output));
    }
}

#[test]
fn mutants_prints_which_case_kills_a_bug() {
    let output = conform(&["mutants", "crc-flag-missing"]);
    assert_eq!(output.status.code(), Some(0), "{}{}", out(&output), told(&output));
    let text = out(&output);
    let line = |name: &str| text.lines().find(|line| line.starts_with(name)).unwrap().to_owned();
    assert!(line("crc-flag-missing").contains("killed"), "{text}");
    assert!(line("crc-flag-missing").contains("mpa-crc-default"), "{text}");
    assert!(text.contains("1 seeded bugs: 1 killed"), "{text}");
    let output = conform(&["mutants", "crc-uncheckt"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(told(&output).contains("crc-unchecked"), "{}", told(&output));
}

/// A requester that ends without a word to the runner: what it said stands in every report, and nobody
/// waits for half a minute.
#[test]
fn a_requester_that_does_not_connect_is_told_with_what_it_said() {
    let folder = TempDir::new().unwrap();
    let file = |name: &str| folder.path().join(name);
    let listener = Listener::start(&["-s", "test-ulp"]);
    let profile = format!(
        "address: '{}'\nrpc:\n  address: 127.0.0.1:9\n  tasks: {{ping: 'echo no such export >&2; exit 3'}}\n",
        listener.address
    );
    std::fs::write(file("p.yaml"), profile).unwrap();
    let reports = format!(
        "junit={},json={},html={}",
        path(&file("r.xml")),
        path(&file("r.json")),
        path(&file("r.html"))
    );
    let id = "rpc-requester-works[task=ping,size=none]";
    let begun = Instant::now();
    let output = conform(&["run", "--profile", path(&file("p.yaml")), id, "--report", &reports]);
    assert!(begun.elapsed() < Duration::from_secs(100), "{:?}", begun.elapsed());
    // Nothing can be said of the target.
    assert_eq!(output.status.code(), Some(2), "{}", told(&output));
    let told = "its command ended with exit status 3, and said: no such export";
    let text = out(&output);
    let line = text.lines().find(|line| line.starts_with("? inconclusive") && line.contains(id));
    assert!(line.is_some_and(|line| line.contains(told)), "{text}");
    assert!(text.contains("  Why       no connection came from the requester within "), "{text}");
    let json: Value = serde_json::from_slice(&std::fs::read(file("r.json")).unwrap()).unwrap();
    let reason = json["instances"][0]["reason"].as_str().unwrap();
    assert!(reason.ends_with(told), "{reason}");
    for name in ["r.xml", "r.html"] {
        let report = std::fs::read_to_string(file(name)).unwrap();
        assert!(report.contains(told), "{name} says nothing of it");
    }
}

/// A build beside a run replaces the program's file; peers are still started from what began the run.
#[test]
#[cfg(target_os = "linux")]
fn a_run_does_not_need_the_programs_file_any_more() {
    let folder = TempDir::new().unwrap();
    let copy = folder.path().join("warpscope");
    std::fs::copy(env!("CARGO_BIN_EXE_warpscope"), &copy).unwrap();
    let instances = ["rpc-requester-works[task=ping,size=none]", CATCHES];
    let run = std::process::Command::new(&copy)
        .args(["conform", "run", "--self"])
        .args(instances)
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    std::fs::write(folder.path().join("other"), "#!/bin/sh\nexit 1\n").unwrap();
    std::fs::rename(folder.path().join("other"), &copy).unwrap();
    let output = run.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}{}", out(&output), told(&output));
    assert!(out(&output).contains("seed 0: 2 pass in "), "{}", out(&output));
}
