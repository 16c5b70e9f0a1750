//! `warpscope replay FOLDER`.

use super::capture::Capture;
use super::program::{Ended, Folder, has, run, shipped};

/// A folder with the small capture under some names.
fn folder(names: &[&str]) -> Folder {
    let folder = Folder::new();
    for name in names {
        folder.write(name, Capture::conversation().bytes);
    }
    folder
}

/// Replays a path with these arguments; what is printed when that ends with this status.
#[track_caller]
fn replay(path: &str, arguments: &str, status: i32) -> String {
    run(format!("replay {path} {arguments}")).with(status).out
}

/// Blesses a folder; the expectations of one capture.
fn blessed(folder: &Folder, name: &str) -> String {
    let Ended { err, .. } = run(format!("replay --bless {folder}")).with(0);
    assert_eq!(err, "");
    folder.read(&format!("{name}.expect.yaml"))
}

/// What the small capture holds, counted by hand: see `Capture::conversation`.
const COUNTS: &str = "\
counts:
  frames: 10
  connections: 1
  setup_frames: 2
  fpdus: 3
  crc:
    good: 2
    bad: 1
  segments:
    Write: 1
    Read Request: 1
    Send: 1
  messages:
    Write: 1
    Read Request: 1
    Send: 1
  rpc_over_rdma: {}
  rpc: {}
  skipped_bytes: {}
findings:
  mpa-crc: 1
";

#[test]
fn blessing_writes_what_was_found_shows_it_first_and_is_idempotent() {
    let folder = folder(&["a.pcap"]);
    let shown = replay(&folder.at(""), "--bless", 0);
    let text = folder.read("a.expect.yaml");
    assert!(text.ends_with(&format!("capture: a.pcap\n{COUNTS}")), "{text}");
    for line in text.lines() {
        has(&shown, &[&format!("  + {line}")]);
    }
    let shown = replay(&folder.at(""), "--bless", 0);
    assert!(shown.contains("unchanged") && !shown.contains("  + "), "{shown}");
    assert_eq!(folder.read("a.expect.yaml"), text);
    let Ended { out, err, .. } = run(format!("replay {folder}")).with(0);
    assert_eq!(err, "");
    assert!(out.ends_with("\n1 capture: 1 as expected\n"), "{out}");
}

#[test]
fn a_difference_is_shown_and_fails() {
    let folder = folder(&["a.pcap", "b.pcap", "c.pcap", "d.pcap"]);
    let text = blessed(&folder, "b");
    folder.write("b.expect.yaml", text.replacen("Send: 1", "Send: 4", 1));
    std::fs::remove_file(folder.at("c.expect.yaml")).unwrap();
    let text = folder.read("d.expect.yaml");
    folder.write("d.expect.yaml", text.replace("  fpdus:", "  fdpus:"));

    let required = format!("--require-expectations --junit {folder}/report.xml");
    let shown = replay(&folder.at(""), &required, 1);
    let squeezed: Vec<String> =
        shown.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    for line in [
        "a.pcap 10 1 3 3 1 0 1 as expected",
        "b.pcap 10 1 3 3 1 0 1 1 difference",
        "c.pcap 10 1 3 3 1 0 1 no expectations",
        "d.pcap - - - - - - - broken",
        "counts.segments.Send line 16 expected 4 found 1",
    ] {
        assert!(squeezed.iter().any(|it| it == line), "{line} in {shown}");
    }
    let wrong = format!("{}:9:3: `fdpus` is not valid here", folder.at("d.expect.yaml"));
    has(&shown, &["warpscope replay --bless", &wrong, "did you mean `fpdus`?"]);
    let counts = "4 captures: 1 as expected, 1 different, 1 without expectations, 1 broken";
    assert!(shown.ends_with(&format!("\n{counts}\n")), "{shown}");

    let xml = folder.read("report.xml");
    let parsed = quick_junit::Report::deserialize_from_str(&xml).unwrap();
    assert_eq!((parsed.tests, parsed.failures, parsed.errors), (4, 2, 1));
    let cases: Vec<&str> =
        parsed.test_suites[0].test_cases.iter().map(|case| case.name.as_str()).collect();
    assert_eq!(cases, ["a.pcap", "b.pcap", "c.pcap", "d.pcap"]);
    has(&xml, &["counts.segments.Send"]);
}

/// `a.*` of a shell names a capture and its expectations.
#[test]
fn a_capture_that_is_named_twice_is_one() {
    let folder = folder(&["a.pcap"]);
    blessed(&folder, "a");
    let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin!("warpscope"));
    command.current_dir(folder.to_string()).args(["replay", "a.expect.yaml", "a.pcap"]);
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}

#[test]
fn blessing_keeps_comments_and_handwritten_fields() {
    let folder = folder(&["a.pcap"]);
    let text = blessed(&folder, "a");
    let handwritten = "\
fields:
  4:
    iwarp_mpa.rev: 0        # what the request says
  6: {iwarp_rdma.opcode: \"Send\", tcp.port: [40000, 7174], tcp.flags.syn: false}
  7: {iwarp_rdma.opcode: 0x00, iwarp_rdma.inval_stag: []}
  11: {tcp.port: []}
";
    let old = text.replace("  frames: 10\n", "  # As the sender counted.\n  frames: 99\n");
    folder.write("a.expect.yaml", format!("{old}{handwritten}"));
    // The revision is wrong, and no business of --bless.
    let shown = replay(&folder.at(""), "--bless", 1);
    has(&shown, &["  -   frames: 99\n", "  +   frames: 10\n", "fields.4.iwarp_mpa.rev"]);
    has(&shown, &["fields.11.tcp.port", "no such frame"]);
    let new = folder.read("a.expect.yaml");
    assert_eq!(new, format!("{old}{handwritten}").replace("frames: 99", "frames: 10"));
    let right =
        new.replace("iwarp_mpa.rev: 0 ", "iwarp_mpa.rev: 1 ").replace("  11: {tcp.port: []}\n", "");
    folder.write("a.expect.yaml", right);
    replay(&folder.at(""), "", 0);
}

#[test]
fn blessing_removes_no_handwritten_section_however_its_key_is_written() {
    let folder = folder(&["a.pcap"]);
    let text = blessed(&folder, "a");
    let old = text.replace("  frames: 10\n", "  'frames': 99  # as counted\n");
    for waived in ["'waived':\n  mpa-crc: known\n", "\"waived\":\n  mpa-crc: known\n"] {
        folder.write("a.expect.yaml", format!("{old}{waived}"));
        replay(&folder.at(""), "--bless", 0);
        let counted = text.replace("  frames: 10\n", "  frames: 10  # as counted\n");
        assert_eq!(folder.read("a.expect.yaml"), format!("{counted}{waived}"));
    }
    // What is not seen to be a section of its own is not lost with the one before it.
    let wrong = format!("{old}? waived\n: {{mpa-crc: known}}\n");
    folder.write("a.expect.yaml", &wrong);
    has(&replay(&folder.at(""), "--bless", 1), &["cannot be replaced in this form"]);
    assert_eq!(folder.read("a.expect.yaml"), wrong);
}

#[test]
fn options_decide_how_a_capture_is_read() {
    let folder = folder(&["a.pcap"]);
    let text = blessed(&folder, "a");
    let ports = "options:\n  profile: rfc5040\n  ports: {7174: data}\n";
    folder.write("a.expect.yaml", format!("{ports}{text}"));
    has(&replay(&folder.at(""), "", 1), &["counts.fpdus"]);
    let findings = "findings:\n  mpa-crc: 1";
    for (old, new, place, message) in [
        ("rfc5040", "rfc504", ":2:12: ", "did you mean `rfc5040`?"),
        ("7174", "seven", ":3:11: ", "not a port"),
        ("data}", "dta}", ":3:17: ", "did you mean `data`?"),
        ("options:", "option:", ":1:1: ", "did you mean `options`?"),
        (findings, "fields: {0: {tcp.port: 1}}", ":27:10: ", "not a frame"),
        (findings, "fields: {1: {tcp.prt: 1}}", ":27:14: ", "did you mean `tcp.port`?"),
        (findings, "fields: {1: {tcp.payload: 12}}", ":27:14: ", "quotes"),
        ("    good: 2", "    god: 2", ":14:5: ", "did you mean `good`?"),
        ("    good: 2", "    good: two", ":14:11: ", ""),
        ("  frames: 10", "  frames: 10\n  frames: 10", ":10:3: ", "duplicate key"),
    ] {
        let wrong = format!("{ports}{text}").replacen(old, new, 1);
        folder.write("a.expect.yaml", &wrong);
        for arguments in ["", "--bless"] {
            let shown = replay(&folder.at(""), arguments, 1);
            has(&shown, &[&format!("a.expect.yaml{place}"), message]);
            assert_eq!(folder.read("a.expect.yaml"), wrong, "{new}");
        }
    }
}

/// What is decoded only at the end of the capture is added to its frame, which has one number all the same.
#[test]
fn a_frame_has_its_addresses_once() {
    let folder = Folder::new();
    let all = folder.write("all", Capture::conversation().bytes);
    // The Send is lost, and nothing follows the Write: the gap and the Write are decoded at the end.
    run(format!("dissect -r {all} -c 7 -Y 'frame.number != 6' -w {folder}/a.pcapng")).with(0);
    let expected = "\
fields:
  6:
    frame.number: 6
    ip.src: \"10.0.0.2\"
    tcp.stream: 0
    tcp.port: [40000, 7174]
    iwarp_mpa: [iwarp_mpa, iwarp_mpa]
";
    folder.write("a.expect.yaml", expected);
    replay(&folder.at("a.pcapng"), "", 0);
}

#[test]
fn files_are_told_by_their_names() {
    let folder = folder(&["a.pcap", "b.pcapng", "b.pcap.tar", "notes.txt"]);
    blessed(&folder, "b");
    assert!(!std::path::Path::new(&folder.at("notes.expect.yaml")).exists());
    let shown = replay(&folder.at("a.pcap"), "", 0);
    assert!(shown.ends_with("1 capture: 1 as expected\n"), "{shown}");
    let shown = replay(&folder.at("b.expect.yaml"), "", 0);
    assert!(shown.contains("b.pcapng") && !shown.contains("a.pcap"), "{shown}");

    std::fs::rename(folder.at("a.pcap"), folder.at("b.pcap")).unwrap();
    folder.write("e.pcap", b"no capture");
    let shown = replay(&folder.at(""), "", 1);
    let shared = "b.pcap and b.pcapng would share b.expect.yaml";
    has(&shown, &[shared, "a.expect.yaml has no capture of its name"]);
    assert!(shown.ends_with("3 captures: 3 broken\n"), "{shown}");
}

#[test]
fn nothing_to_compare_is_an_error() {
    let empty = Folder::new();
    let Ended { out, err, .. } = run(format!("replay {empty}")).with(2);
    assert_eq!(out, "");
    has(&err, &["the folder and its subfolders have no capture"]);
    has(&run(format!("replay {empty}/missing")).with(2).err, &["check the name"]);
}

#[test]
fn the_shipped_captures_are_as_expected() {
    let shown = replay(&shipped("captures"), "", 0);
    assert!(shown.ends_with("41 captures: 41 as expected\n"), "{shown}");
}

/// The sample in the documentation holds no key and no value that means nothing.
#[test]
fn the_documented_expectations_can_be_read() {
    let guide = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/ci.md");
    let guide = std::fs::read_to_string(guide).unwrap();
    let sample = guide.split("```yaml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let folder = folder(&["trace.pcapng"]);
    folder.write("trace.expect.yaml", sample);
    has(&replay(&folder.at(""), "", 1), &["1 different", "waived.mpa-setup-reserved"]);
}
