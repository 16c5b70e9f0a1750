//! `warpscope flows`, over the small capture.

use super::capture::{Capture, HEADERS};
use super::warpscope;
use predicates::str::contains;
use serde_json::Value;

/// What `flows` prints of the small capture.
fn flows(arguments: &[&str]) -> String {
    let file = Capture::conversation().save();
    let mut command = warpscope(&["flows"]);
    command.args(arguments).arg(file.path());
    let output = command.assert().success().stderr("").get_output().stdout.clone();
    String::from_utf8(output).unwrap()
}

#[test]
fn a_line_a_connection() {
    let text = flows(&[]);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 2, "{text}");
    let words: Vec<&str> = lines[1].split_whitespace().collect();
    // A Send of 12 bytes and a Write of 7, with a bad CRC; the Read Request's 28 are no data.
    let expected = ["0", "10.0.0.2:40000", "10.0.0.1:7174", "0.000000", "9.01", "ms", "1", "CRC"];
    assert_eq!(words[..8], expected, "{text}");
    assert_eq!(words[8..10], ["3", "19"], "{text}");
    assert!(lines[1].contains("half closed initiator"), "{text}");
    let header: Vec<&str> = lines[0].split_whitespace().collect();
    assert!(header.contains(&"CRC") && header.contains(&"findings"), "{text}");
}

#[test]
fn details_tell_all_of_it() {
    let text = flows(&["--details"]);
    for expected in [
        "Flow 0: 10.0.0.2:40000 (initiator) → 10.0.0.1:7174 (responder)\n",
        "frames 1 to 10: 9 frames, 642 bytes; 9.01 ms long, from 0 to 9.01 ms of the capture\n",
        "initiator: revision 1, wants CRC, no markers\n",
        "CRC in use, no markers from initiator, no markers from responder\n",
        "frame 10: FIN of initiator\n",
        "1 FPDU with a bad CRC",
        "responder: at most 1 request at once, limit not known\n",
    ] {
        assert!(text.contains(expected), "{expected:?} in {text}");
    }
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
    for row in [
        vec!["Write", "initiator", "1", "1", "7"],
        vec!["Read", "Request", "responder", "1", "1", "28"],
        vec!["Send", "initiator", "1", "1", "12"],
    ] {
        assert!(rows.contains(&row), "{row:?} in {text}");
    }
}

#[test]
fn one_flow_can_be_named() {
    assert_eq!(flows(&["--flow", "0"]), flows(&[]));
    assert_eq!(flows(&["--details=0"]), flows(&["--details", "--flow", "0"]));
    let text = flows(&["--details=7"]);
    assert_eq!(text, "There is no iWARP in a flow 7; `warpscope flows FILE` lists the flows.\n");
}

#[test]
fn what_is_no_iwarp_is_counted() {
    let text = flows(&["-d", "tcp.port==7174,data"]);
    let advice = "-d tcp.port==PORT,iwarp takes a port for iWARP";
    assert_eq!(text, format!("No iWARP was found in 1 TCP connection; {advice}.\n"));
}

#[test]
fn json_has_numbers_as_they_are() {
    let parsed: Value = serde_json::from_str(&flows(&["--format", "json"])).unwrap();
    let file = &parsed["files"][0];
    assert_eq!((&file["frames"], &file["error"]), (&Value::from(10), &Value::Null));
    let flow = &file["flows"][0];
    for (key, value) in [
        ("duration", Value::from(9_009_000)),
        ("start", 1_700_000_000_000_000_000_i64.into()),
        ("crc", true.into()),
        ("end", "half-closed".into()),
        ("end_by", "initiator".into()),
    ] {
        assert_eq!(flow[key], value, "{key}");
    }
    assert_eq!(flow["setup_frames"][0]["role"], "request");
    assert_eq!(flow["setup_frames"][1]["revision"], 1);
    assert_eq!(flow["sides"][0]["bad_crcs"], 1);
    assert_eq!(flow["sides"][1]["requests_in_flight"], 1);
    assert_eq!(flow["operations"].as_array().unwrap().len(), 3);
    assert_eq!(
        (&flow["opcodes"][0]["name"], &flow["opcodes"][0]["bytes"]),
        (&"Write".into(), &7.into())
    );
}

#[test]
fn csv_has_a_row_a_connection() {
    let text = flows(&["--format", "csv"]);
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(rows.len(), 2);
    assert_eq!(rows[0].len(), rows[1].len());
    let value = |name: &str| rows[1][rows[0].iter().position(|each| *each == name).unwrap()];
    assert_eq!(value("initiator"), "10.0.0.2:40000");
    assert_eq!((value("messages"), value("data_bytes"), value("bad_crcs")), ("3", "19", "1"));
    assert_eq!(
        (value("end"), value("end_by"), value("setup_only")),
        ("half-closed", "initiator", "false")
    );
}

#[test]
fn several_files_have_headings_and_a_bad_one_is_told() {
    let file = Capture::conversation().save();
    let mut command = warpscope(&["flows", "no such file"]);
    command.arg(file.path());
    let name = file.path().display().to_string();
    command
        .assert()
        .code(1)
        .stderr(contains("no such file"))
        .stdout(contains(format!("{name}: 10 frames\n")))
        .stdout(contains("10.0.0.2:40000"));
    warpscope(&["flows", "no such file"]).assert().code(2).stdout("");
}

#[test]
fn a_cut_file_shows_what_came_before() {
    let mut capture = Capture::conversation();
    // Through the eighth frame, and half of a record's header.
    let cut = capture.bytes.len() - (HEADERS.1 + 54) - HEADERS.1 / 2 - 42;
    capture.bytes.truncate(cut);
    let file = capture.save();
    let mut command = warpscope(&["flows"]);
    command.arg(file.path()).assert().code(1).stdout(contains(" open"));
}
