//! What is refused, with which words, and the exit status.

use super::capture::{Capture, HEADERS};
use super::warpscope;
use predicates::prelude::*;
use serde_json::Value;
use std::io::{Read as _, Write as _};

/// The words that `dissect` refuses these arguments with.
fn refused(arguments: &[&str]) -> String {
    let file = Capture::conversation().save();
    let mut command = warpscope(&["dissect", "-r"]);
    let assert = command.arg(file.path()).args(arguments).assert().code(2).stdout("");
    let words = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
    assert!(words.starts_with("warpscope: ") && words.ends_with('\n'), "{words}");
    words["warpscope: ".len()..].to_owned()
}

#[test]
fn command_lines_that_cannot_be_followed() {
    for (arguments, words) in [
        (&["-T", "fields", "-e", "tcp.sq"][..], "-e tcp.sq: no such field; did you mean tcp.seq?"),
        (&["-T", "fields", "-e", "zzz"], "-e zzz: no such field; `warpscope fields` lists all"),
        (&["-T", "fields", "-e", "_ws.col.Foo"], "-e _ws.col.Foo: no such column; there are"),
        (&["-T", "fields"], "-T fields and -T csv need fields: name some with -e"),
        (&["-T", "csv"], "-T fields and -T csv need fields: name some with -e"),
        (&["-e", "tcp.seq"], "-e needs an output of fields: add -T fields"),
        (&["-T", "pdml"], "invalid value 'pdml' for '-T <FORMAT>'"),
        (&["-t", "x"], "invalid value 'x' for '-t <FORMAT>'"),
        (&["-c", "many"], "invalid value 'many' for '-c <COUNT>'"),
        (&["-T", "ndjson", "-x"], "-x goes with -T text, and with -T json without -e"),
        (&["-T", "fields", "-e", "tcp.seq", "-x"], "-x goes with -T text"),
        (&["-E", "header=y"], "-E header=y: -E is for -T fields and -T csv"),
        (&["-z", "conv,tcp"], "-z conv,tcp: no such statistics; there is io,phs[,FILTER]"),
        (&["-z", "io,phsx"], "-z io,phsx: no such statistics; there is io,phs[,FILTER]"),
        (
            &["-o", "tcp.analysis:TRUE"],
            "-o tcp.analysis:TRUE: no such preference; there are iwarp.profile and",
        ),
        (&["-o", "iwarp.profile"], "-o iwarp.profile: a preference is set as NAME:VALUE"),
        (
            &["-o", "iwarp.profile:x"],
            "-o iwarp.profile:x: iwarp.profile is one of rfc5040, rfc7306, ext-v2, commit, all",
        ),
        (
            &["-o", "tcp.relative_sequence_numbers:1"],
            "-o tcp.relative_sequence_numbers:1: tcp.relative_sequence_numbers is TRUE or FALSE",
        ),
        (
            &["-d", "udp.port==1,iwarp"],
            "-d udp.port==1,iwarp: udp.port is no layer type that can be chosen by; there is tcp.port",
        ),
        (
            &["-d", "tcp.port==1,http"],
            "-d tcp.port==1,http: http is no protocol for tcp.port; there are iwarp",
        ),
        (&["-d", "tcp.port==1"], "-d tcp.port==1: the protocol is missing"),
        (
            &["-d", "tcp.port=1,iwarp"],
            "-d tcp.port=1,iwarp: a rule is written tcp.port==PORT,PROTOCOL",
        ),
        (&["-d", "tcp.port==70000,iwarp"], "-d tcp.port==70000,iwarp: 70000 is no port"),
        (&["-d", "tcp.port==9-3,iwarp"], "-d tcp.port==9-3,iwarp: 9-3 is no port"),
        (&["-d", "tcp.port==65535:2,iwarp"], "-d tcp.port==65535:2,iwarp: 65535:2 is no port"),
        (&["--bogus"], "unexpected argument '--bogus' found"),
    ] {
        let refused = refused(arguments);
        assert!(refused.starts_with(words), "{arguments:?}: {refused}");
    }
}

#[test]
fn layouts_that_cannot_be_followed() {
    for (option, words) in [
        ("header=x", "header is y or n"),
        ("quote=x", "quote is d (double), s (single) or n (none)"),
        ("occurrence=x", "occurrence is f (first), l (last) or a (all)"),
        ("separator=ab", "give one character, /t for a tab or /s for a space"),
        ("aggregator=", "give one character, /t for a tab or /s for a space"),
        ("colour=y", "no such option; there are header=y|n"),
    ] {
        let refused = refused(&["-T", "fields", "-e", "tcp.seq", "-E", option]);
        assert!(refused.starts_with(&format!("-E {option}: {words}")), "{refused}");
    }
    for option in ["separator=;", "quote=d"] {
        let refused = refused(&["-T", "csv", "-e", "tcp.seq", "-E", option]);
        assert!(refused.starts_with(&format!("-E {option}: -T csv has commas")), "{refused}");
    }
}

#[test]
fn filters_that_cannot_be_followed() {
    let words = refused(&["-Y", "tcp.sq == 1"]);
    assert!(
        words.starts_with("-Y: ") && words.contains("\n    tcp.sq == 1\n    ^~~~~~\n"),
        "{words}"
    );
    let words = refused(&["-q", "-z", "io,phs,tcp.sq == 1"]);
    assert!(words.starts_with("-z io,phs: ") && words.contains("\n    ^~~~~~\n"), "{words}");
}

#[test]
fn files_that_cannot_be_read() {
    let directory = tempfile::tempdir().unwrap();
    let read = |name: &std::path::Path| {
        let mut command = warpscope(&["dissect", "-r"]);
        command.arg(name).assert().code(2).stdout("")
    };
    let starts = predicate::str::starts_with("warpscope: ");
    read(&directory.path().join("missing"))
        .stderr(starts.clone().and(predicate::str::contains("; check the name, or give - for")));
    read(directory.path()).stderr(predicate::str::contains("; name a file in it"));
    let file = directory.path().join("file");
    std::fs::write(&file, "").unwrap();
    read(&file).stderr(predicate::str::contains("; capture again, or check what wrote"));
    std::fs::write(&file, "no capture at all").unwrap();
    read(&file).stderr(predicate::str::contains("not a pcap or pcapng file"));
    std::fs::write(&file, &Capture::conversation().bytes[..20]).unwrap();
    read(&file).stderr(starts.and(predicate::str::contains("no frame could be read")));
}

#[test]
fn a_capture_that_is_cut_off_is_shown_up_to_there() {
    let whole = Capture::conversation().bytes;
    let cut = &whole[..HEADERS.0 + 2 * (HEADERS.1 + 54) + 20];
    let fields = ["-T", "fields", "-e", "frame.number"];
    let mut command = warpscope(&["dissect", "-r", "-"]);
    command
        .args(fields)
        .write_stdin(cut)
        .assert()
        .code(1)
        .stdout("1\n2\n")
        .stderr(predicate::str::starts_with("warpscope: standard input: the capture is cut off"))
        .stderr(predicate::str::contains("; the 2 frames before it were read\n"));
    let mut command = warpscope(&["dissect", "-r", "-", "-T", "json"]);
    let assert = command.write_stdin(cut).assert().code(1);
    let frames: serde_json::Value = serde_json::from_slice(&assert.get_output().stdout).unwrap();
    assert_eq!(frames.as_array().unwrap().len(), 2);
    let mut command = warpscope(&["dissect", "-r", "-", "-c", "2"]);
    command.write_stdin(cut).assert().success().stderr("");
}

#[test]
fn help_goes_to_standard_output() {
    for (arguments, words) in [
        (&["--help"][..], "warpscope dissect -r capture.pcapng"),
        (&["dissect", "--help"], "Exit status:"),
        (&["dissect", "-h"], "-T <FORMAT>"),
        (&["fields", "--help"], "warpscope fields tcp.flags"),
        (&["help", "dissect"], "Names are never resolved."),
        (&["--version"], "warpscope 0.1.0"),
    ] {
        warpscope(arguments).assert().success().stdout(predicate::str::contains(words)).stderr("");
    }
    warpscope(&[]).assert().code(2).stderr(predicate::str::contains("Usage: warpscope <COMMAND>"));
    warpscope(&["dissect"])
        .assert()
        .code(2)
        .stderr(predicate::str::starts_with("warpscope: the following required arguments"));
    warpscope(&["disect"])
        .assert()
        .code(2)
        .stderr(predicate::str::contains("similar subcommand exists: 'dissect'"));
}

/// A reader that has seen enough closes the pipe: that is no error.
#[test]
fn a_closed_pipe_ends_quietly() {
    let mut capture = Capture::new();
    for _ in 0..20_000 {
        capture.segment(0, 16, b"bytes");
    }
    let mut file = capture.save();
    file.flush().unwrap();
    for format in [&["-V"][..], &["-T", "json"], &["-T", "csv", "-e", "frame.protocols"]] {
        let mut child = std::process::Command::new(assert_cmd::cargo::cargo_bin!("warpscope"))
            .args(["dissect", "-r"])
            .arg(file.path())
            .args(format)
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let mut start = [0; 64];
        child.stdout.take().unwrap().read_exact(&mut start).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(String::from_utf8(output.stderr).unwrap(), "", "{format:?}");
        assert_eq!(output.status.code(), Some(0), "{format:?}");
    }
}

// What does not need live capture, and what a build without it says.

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

// `warpscope rules`.

#[test]
fn a_requirement_is_explained_even_without_a_rule() {
    warpscope(&["rules", "show", "RFC5041-3-01"])
        .assert()
        .success()
        .stdout(predicate::str::contains("RFC5041-3-01\n  Demanded   "))
        .stdout(predicate::str::contains("\n  Level      MUST, RFC 5041 section 3\n"));
}

#[test]
fn what_is_not_known_is_refused_with_the_nearest() {
    warpscope(&["rules", "show", "RFC5041-3-99"])
        .assert()
        .code(2)
        .stderr(predicate::str::contains("; did you mean RFC5041-3-"));
    warpscope(&["rules", "show", "zzz"]).assert().code(2).stderr(
        "warpscope: no rule or requirement is called zzz; `warpscope rules` lists the rules\n",
    );
    warpscope(&["rules", "--layer", "zzz"])
        .assert()
        .code(2)
        .stderr(predicate::str::starts_with("warpscope: --layer zzz: no rule is of that layer; "));
}

#[test]
fn the_list_as_json() {
    let command = warpscope(&["rules", "--format", "json"]).assert().success();
    let rules: Vec<Value> = serde_json::from_slice(&command.get_output().stdout).unwrap();
    for rule in &rules {
        assert!(rule["id"].as_str().unwrap().starts_with(rule["layer"].as_str().unwrap()));
        assert!(!rule["requirements"].as_array().unwrap().is_empty());
    }
}

#[test]
fn the_list_as_text_and_markdown() {
    warpscope(&["rules", "--layer", "rpc"])
        .assert()
        .success()
        .stdout(predicate::str::starts_with("RPC\n  rpc-"))
        .stdout(predicate::str::contains("  MUST    RFC 8797 section 4.1  "))
        .stdout(predicate::str::contains("mpa-").not());
    warpscope(&["rules", "--format", "markdown", "--layer", "MPA"])
        .assert()
        .success()
        .stdout(predicate::str::starts_with("## MPA\n\n| Rule | Level | Section |"))
        .stdout(predicate::str::contains("\n| `mpa-crc` | MUST | RFC 5044 section 4.4 | "));
}

#[test]
fn a_rule_is_explained_with_its_requirements() {
    warpscope(&["rules", "show", "mpa-crc"])
        .assert()
        .success()
        .stdout(predicate::str::starts_with("mpa-crc\n  Demanded   "))
        .stdout(predicate::str::contains("\n  At fault   either side"))
        .stdout(predicate::str::contains(
            "\n  Terminate  layer LLP (MPA) (2), type MPA error (0), ",
        ))
        .stdout(predicate::str::contains("\n\nRFC5044-4.4-12\n  Demanded   "));
    warpscope(&["rules", "show", "rfc5044-4.4-12"])
        .assert()
        .success()
        .stdout(predicate::str::starts_with("mpa-crc\n"))
        .stdout(predicate::str::contains("\nRFC5044-4.4-12\n"));
}
