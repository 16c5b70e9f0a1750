//! Two processes that talk: what they print, record and return.

use super::listener::{Ended, Listener};
use crate::require::wireshark;
use crate::warpscope;
use std::path::Path;

/// What `connect` prints when it ends with this status: standard output, standard error.
fn connect(listener: &Listener, arguments: &[&str], status: i32) -> (String, String) {
    let mut command = warpscope(&["peer", "connect", &listener.address]);
    let assert = command.args(arguments).assert().code(status);
    let output = assert.get_output();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (text(&output.stdout), text(&output.stderr))
}

fn assert_well(ended: &Ended) {
    assert_eq!(ended.status.code(), Some(0), "{}{}", ended.stdout, ended.stderr);
}

/// What `check` says of a file, when it ends with this status.
fn checked(file: &Path, status: i32) -> String {
    let mut command = warpscope(&["check", "-o", "iwarp.profile:all"]);
    let assert = command.arg(file).assert().code(status);
    String::from_utf8(assert.get_output().stdout.clone()).unwrap()
}

/// No frame of a capture is malformed to tshark, and it sees iWARP.
fn tshark_takes(file: &Path) {
    // What looks like RPC-over-RDMA by chance is none.
    let mut fields = vec!["--disable-protocol", "rpcordma", "-T", "fields", "-e"];
    fields.extend(["frame.protocols", "-e", "_ws.malformed", "-r"]);
    let Some(told) = wireshark("tshark", &fields, file) else { return };
    assert!(told.contains("iwarp_mpa"), "{told}");
    for line in told.lines() {
        assert!(!line.to_lowercase().contains("malformed"), "{line}");
    }
}

/// Exercises a profile on three streams; returns what the initiator prints. The listener records.
fn exercised(profile: &str, file: &Path) -> (String, String) {
    let name = file.display().to_string();
    let exercise = ["-s", "exercise", "--profile", profile];
    let recorded = ["--end-after", "3", "--write-pcap", &name, "--no-capture"];
    let listener = Listener::start(&[&exercise[..], &recorded].concat());
    let told = connect(&listener, &[&exercise[..], &["--streams", "3"]].concat(), 0);
    let ended = listener.end();
    assert_well(&ended);
    assert!(ended.stdout.starts_with("3 streams established, 0 failed; "), "{}", ended.stdout);
    let judged = checked(file, 0);
    assert!(judged.contains(", 3 iWARP connections"), "{judged}");
    assert!(judged.ends_with("\n1 file: nothing found\n"), "{judged}");
    told
}

#[test]
fn every_operation_is_exercised_recorded_and_judged_clean() {
    let folder = tempfile::tempdir().unwrap();
    let (out, err) = exercised("all", &folder.path().join("all.pcapng"));
    assert!(out.starts_with("3 streams established, 0 failed; "), "{out}");
    for kind in ["RDMA Writes: ", "RDMA Reads V2: ", "atomic operations: ", "Flushes: "] {
        assert!(out.contains(&format!("  {kind}")), "{kind}: {out}");
    }
    assert!(out.contains(" steps on 3 streams, 0 failures\n"), "{out}");
    assert!(err.contains("stream 1: established: revision 2, CRC, no markers, IRD 16"), "{err}");
    assert!(err.contains("stream 3: closed by both sides"), "{err}");
}

/// Wireshark knows no message of the drafts.
#[test]
fn tshark_takes_the_messages_of_both_rfcs() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("rfc7306.pcapng");
    exercised("rfc7306", &file);
    tshark_takes(&file);
}

#[test]
fn a_rejected_stream_is_told_at_both_sides() {
    let listener = Listener::start(&["--reject", "--private-data", "no", "--end-after", "1"]);
    let (out, err) = connect(&listener, &[], 1);
    assert!(out.starts_with("0 streams established, 1 failed; "), "{out}");
    assert!(err.contains("stream 1: rejected, 2 bytes of private data\n"), "{err}");
    let ended = listener.end();
    assert!(ended.stderr.contains("stream 1: rejected, "), "{}", ended.stderr);
}

#[test]
fn the_log_is_made_of_decoded_lines() {
    let arguments = ["-s", "pingpong", "--end-after", "1", "--log"];
    let listener = Listener::start(&arguments);
    connect(&listener, &["-s", "pingpong", "-o", "count=2", "--quiet"], 0);
    let ended = listener.end();
    assert_well(&ended);
    for words in [" MPA Request ", " Read Request ", " Write STag", " Send QN=0 "] {
        let found = ended.stdout.lines().any(|line| line.contains(words));
        assert!(found, "{words}: {}", ended.stdout);
    }
}

#[test]
fn a_seeded_bug_is_found_in_the_record() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("bug.pcapng");
    let name = file.display().to_string();
    let recorded = ["--end-after", "1", "--write-pcap", &name, "--no-capture"];
    let listener = Listener::start(&recorded);
    let wrong = ["--bug", "crc-big-endian", "-s", "source", "-o", "mode=send", "--quiet"];
    let (_, err) = connect(&listener, &wrong, 1);
    let ended = listener.end();
    assert_eq!(ended.status.code(), Some(1), "{}", ended.stdout);
    let line = "  the peer broke a rule: an FPDU's CRC does not match (RFC 5044 section 8): 1\n";
    assert!(ended.stdout.contains(line), "{}{err}", ended.stdout);
    assert!(checked(&file, 1).contains("  MUST    mpa-crc  "));
}

#[test]
fn nobody_there_is_told() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    drop(taken);
    let assert = warpscope(&["peer", "connect", &address, "-s", "pingpong"]).assert().code(1);
    let err = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
    assert!(
        err.contains("stream 1: setup failed: TCP could not connect, or was closed\n"),
        "{err}"
    );
}
