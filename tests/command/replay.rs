//! `warpscope replay FOLDER`.

use super::capture::Capture;
use super::warpscope;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A folder with the small capture under some names.
fn folder(names: &[&str]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in names {
        std::fs::write(folder.path().join(name), &Capture::conversation().bytes).unwrap();
    }
    folder
}

/// Exit status, standard output and standard error.
fn replay(arguments: &[&str], path: &Path) -> (i32, String, String) {
    let output = warpscope(&["replay"]).arg(path).args(arguments).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

/// Blesses a folder; the expectations of one capture.
fn blessed(folder: &TempDir, name: &str) -> (PathBuf, String) {
    let (status, _, errors) = replay(&["--bless"], folder.path());
    assert_eq!((status, errors.as_str()), (0, ""));
    let file = folder.path().join(format!("{name}.expect.yaml"));
    let text = std::fs::read_to_string(&file).unwrap();
    (file, text)
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
    let (status, shown, _) = replay(&["--bless"], folder.path());
    assert_eq!(status, 0, "{shown}");
    let file = folder.path().join("a.expect.yaml");
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.ends_with(&format!("capture: a.pcap\n{COUNTS}")), "{text}");
    for line in text.lines() {
        assert!(shown.contains(&format!("  + {line}")), "{line} in {shown}");
    }
    let (status, shown, _) = replay(&["--bless"], folder.path());
    assert_eq!(status, 0);
    assert!(shown.contains("unchanged") && !shown.contains("  + "), "{shown}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
    let (status, shown, errors) = replay(&[], folder.path());
    assert_eq!((status, errors.as_str()), (0, ""));
    assert!(shown.ends_with("\n1 capture: 1 as expected\n"), "{shown}");
}

#[test]
fn a_difference_is_shown_and_fails() {
    let folder = folder(&["a.pcap", "b.pcap", "c.pcap", "d.pcap"]);
    blessed(&folder, "a");
    let path = |name: &str| folder.path().join(format!("{name}.expect.yaml"));
    let text = std::fs::read_to_string(path("b")).unwrap();
    std::fs::write(path("b"), text.replacen("Send: 1", "Send: 4", 1)).unwrap();
    std::fs::remove_file(path("c")).unwrap();
    let text = std::fs::read_to_string(path("d")).unwrap();
    std::fs::write(path("d"), text.replace("  fpdus:", "  fdpus:")).unwrap();
    let report = folder.path().join("report.xml");

    let (status, shown, _) = replay(&["--junit", report.to_str().unwrap()], folder.path());
    assert_eq!(status, 1);
    let squeezed: Vec<String> =
        shown.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    let line = |start: &str| {
        let found = squeezed.iter().find(|line| line.starts_with(start));
        found.unwrap_or_else(|| panic!("{start} in {shown}")).clone()
    };
    assert_eq!(line("a.pcap 10"), "a.pcap 10 1 3 3 1 0 1 as expected");
    assert_eq!(line("b.pcap 10"), "b.pcap 10 1 3 3 1 0 1 1 difference");
    assert_eq!(line("c.pcap 10"), "c.pcap 10 1 3 3 1 0 1 no expectations");
    assert_eq!(line("d.pcap -"), "d.pcap - - - - - - - broken");
    assert_eq!(line("counts.segments.Send"), "counts.segments.Send line 16 expected 4 found 1");
    assert!(shown.contains("warpscope replay --bless"), "{shown}");
    let wrong = format!("{}:9:3: `fdpus` means nothing here", path("d").display());
    assert!(shown.contains(&wrong) && shown.contains("did you mean `fpdus`?"), "{shown}");
    assert!(
        shown.ends_with(
            "\n4 captures: 1 as expected, 1 different, 1 without expectations, 1 broken\n"
        )
    );

    let xml = std::fs::read_to_string(&report).unwrap();
    let parsed = quick_junit::Report::deserialize_from_str(&xml).unwrap();
    assert_eq!((parsed.tests, parsed.failures, parsed.errors), (4, 2, 1));
    let cases: Vec<&str> =
        parsed.test_suites[0].test_cases.iter().map(|case| case.name.as_str()).collect();
    assert_eq!(cases, ["a.pcap", "b.pcap", "c.pcap", "d.pcap"]);
    assert!(xml.contains("counts.segments.Send"), "{xml}");
}

#[test]
fn blessing_keeps_comments_and_handwritten_fields() {
    let folder = folder(&["a.pcap"]);
    let (file, text) = blessed(&folder, "a");
    let handwritten = "\
fields:
  4:
    iwarp_mpa.rev: 0        # what the request says
  6: {iwarp_rdma.opcode: \"Send\", tcp.port: [40000, 7174], tcp.flags.syn: false}
  7: {iwarp_rdma.opcode: 0x00, iwarp_rdma.inval_stag: []}
";
    let old = text.replace("  frames: 10\n", "  # As the sender counted.\n  frames: 99\n");
    std::fs::write(&file, format!("{old}{handwritten}")).unwrap();
    let (status, shown, _) = replay(&["--bless"], folder.path());
    // The revision is wrong, and no business of --bless.
    assert_eq!(status, 1, "{shown}");
    for expected in ["  -   frames: 99\n", "  +   frames: 10\n", "fields.4.iwarp_mpa.rev"] {
        assert!(shown.contains(expected), "{expected} in {shown}");
    }
    let new = std::fs::read_to_string(&file).unwrap();
    assert_eq!(new, format!("{old}{handwritten}").replace("frames: 99", "frames: 10"));
    let corrected = new.replace("iwarp_mpa.rev: 0 ", "iwarp_mpa.rev: 1 ");
    std::fs::write(&file, corrected).unwrap();
    let (status, shown, _) = replay(&[], folder.path());
    assert_eq!(status, 0, "{shown}");
}

#[test]
fn options_decide_how_a_capture_is_read() {
    let folder = folder(&["a.pcap"]);
    let (file, text) = blessed(&folder, "a");
    let ports = "options:\n  profile: rfc5040\n  ports: {7174: data}\n";
    std::fs::write(&file, format!("{ports}{text}")).unwrap();
    let (status, shown, _) = replay(&[], folder.path());
    assert_eq!(status, 1);
    assert!(shown.contains("counts.fpdus"), "{shown}");
    for (old, new, place, message) in [
        ("rfc5040", "rfc504", ":2:12: ", "did you mean `rfc5040`?"),
        ("7174", "seven", ":3:11: ", "no port"),
        ("data}", "dta}", ":3:17: ", "did you mean `data`?"),
        ("options:", "option:", ":1:1: ", "did you mean `options`?"),
        ("findings:\n  mpa-crc: 1", "fields: {0: {tcp.port: 1}}", ":27:10: ", "no frame"),
        (
            "findings:\n  mpa-crc: 1",
            "fields: {1: {tcp.prt: 1}}",
            ":27:14: ",
            "did you mean `tcp.port`?",
        ),
        ("findings:\n  mpa-crc: 1", "fields: {1: {tcp.payload: 12}}", ":27:14: ", "quotes"),
        ("    good: 2", "    god: 2", ":14:5: ", "did you mean `good`?"),
        ("    good: 2", "    good: two", ":14:11: ", ""),
        ("  frames: 10", "  frames: 10\n  frames: 10", ":10:3: ", "a second time"),
    ] {
        let wrong = format!("{ports}{text}").replacen(old, new, 1);
        std::fs::write(&file, &wrong).unwrap();
        for arguments in [&[][..], &["--bless"]] {
            let (status, shown, _) = replay(arguments, folder.path());
            assert_eq!(status, 1, "{new}: {shown}");
            assert!(shown.contains(&format!("a.expect.yaml{place}")), "{new}: {shown}");
            assert!(shown.contains(message), "{new}: {shown}");
            assert_eq!(std::fs::read_to_string(&file).unwrap(), wrong, "{new}");
        }
    }
}

#[test]
fn files_are_told_by_their_names() {
    let folder = folder(&["a.pcap", "b.pcapng", "b.pcap.tar", "notes.txt"]);
    blessed(&folder, "b");
    assert!(!folder.path().join("notes.expect.yaml").exists());
    let one = folder.path().join("a.pcap");
    let (status, shown, _) = replay(&[], &one);
    assert_eq!(status, 0, "{shown}");
    assert!(shown.ends_with("1 capture: 1 as expected\n"), "{shown}");
    let (status, shown, _) = replay(&[], &folder.path().join("b.expect.yaml"));
    assert_eq!(status, 0, "{shown}");
    assert!(shown.contains("b.pcapng") && !shown.contains("a.pcap"), "{shown}");

    std::fs::copy(&one, folder.path().join("b.pcap")).unwrap();
    std::fs::remove_file(&one).unwrap();
    std::fs::write(folder.path().join("e.pcap"), b"no capture").unwrap();
    let (status, shown, _) = replay(&[], folder.path());
    assert_eq!(status, 1);
    assert!(shown.contains("b.pcap and b.pcapng would share b.expect.yaml"), "{shown}");
    assert!(shown.contains("a.expect.yaml is beside no capture"), "{shown}");
    assert!(shown.ends_with("3 captures: 3 broken\n"), "{shown}");
}

#[test]
fn nothing_to_compare_is_an_error() {
    let empty = tempfile::tempdir().unwrap();
    let (status, shown, errors) = replay(&[], empty.path());
    assert_eq!((status, shown.as_str()), (2, ""));
    assert!(errors.contains("there is no capture in it"), "{errors}");
    let (status, _, errors) = replay(&[], &empty.path().join("missing"));
    assert_eq!(status, 2);
    assert!(errors.contains("check the name"), "{errors}");
}

#[test]
fn the_shipped_captures_are_as_expected() {
    let traces = Path::new(env!("CARGO_MANIFEST_DIR")).join("traces/captures");
    let (status, shown, _) = replay(&[], &traces);
    assert_eq!(status, 0, "{shown}");
    assert!(shown.ends_with("20 captures: 20 as expected\n"), "{shown}");
}

/// The sample in the documentation holds no key and no value that means nothing.
#[test]
fn the_documented_expectations_can_be_read() {
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/ci.md");
    let guide = std::fs::read_to_string(guide).unwrap();
    let sample = guide.split("```yaml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let folder = folder(&["trace.pcapng"]);
    std::fs::write(folder.path().join("trace.expect.yaml"), sample).unwrap();
    let (status, shown, _) = replay(&[], folder.path());
    assert_eq!(status, 1);
    assert!(
        shown.contains("1 different") && shown.contains("waived.mpa-setup-reserved"),
        "{shown}"
    );
}
