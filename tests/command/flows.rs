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

// `warpscope stats`, over the small capture.

/// What `stats` prints of the small capture.
fn stats(arguments: &[&str]) -> String {
    let file = Capture::conversation().save();
    let mut command = warpscope(&["stats"]);
    command.args(arguments).arg(file.path());
    let output = command.assert().success().stderr("").get_output().stdout.clone();
    String::from_utf8(output).unwrap()
}

fn rows(text: &str) -> Vec<Vec<&str>> {
    text.lines().map(|line| line.split_whitespace().collect()).collect()
}

#[test]
fn every_section_has_its_heading() {
    let text = stats(&[]);
    for heading in [
        "Opcodes, 1 connection",
        "Sizes of messages in bytes",
        "Latencies of operations",
        "RPC procedures",
        // The request frame, with which the connection proves to be iWARP, comes at 3003 µs, the last
        // frame at 9009: 31 intervals of 200 µs.
        "Throughput in intervals of 200 µs",
        "Requests in flight when one was sent",
        "Credits",
    ] {
        assert!(text.lines().any(|line| line == heading), "{heading:?} in {text}");
    }
}

#[test]
fn sections_can_be_chosen() {
    let text = stats(&["--only", "sizes,opcodes"]);
    let expected = [
        // 47 bytes in three messages.
        vec!["Write", "initiator", "1", "1", "7", "33.3", "%", "14.9", "%"],
        vec!["Read", "Request", "responder", "1", "1", "28", "33.3", "%", "59.6", "%"],
        vec!["Send", "initiator", "1", "1", "12", "33.3", "%", "25.5", "%"],
        vec!["all", "3", "3", "47"],
    ];
    let rows = rows(&text);
    for row in expected {
        assert!(rows.contains(&row), "{row:?} in {text}");
    }
    let (opcodes, sizes) = (text.find("Opcodes").unwrap(), text.find("Sizes").unwrap());
    assert!(opcodes < sizes && !text.contains("Latencies"), "{text}");
    // 7 bytes lie in 4 to 7, and 12 in 8 to 15.
    assert!(rows.iter().any(|row| row.starts_with(&["4", "7", "1", "7"])), "{text}");
    assert!(rows.iter().any(|row| row.starts_with(&["8", "15", "1", "12"])), "{text}");
}

#[test]
fn throughput_counts_by_interval() {
    let text = stats(&["--only", "throughput", "--interval", "4ms", "--format", "json"]);
    let parsed: Value = serde_json::from_str(&text).unwrap();
    let intervals = parsed["files"][0]["throughput"].as_array().unwrap();
    let column = |name: &str| -> Vec<u64> {
        intervals.iter().map(|interval| interval[name].as_u64().unwrap()).collect()
    };
    assert_eq!(column("start"), [0, 4_000_000, 8_000_000]);
    assert_eq!(column("interval"), [4_000_000; 3]);
    // The frames 1 to 4, 5 to 8 (each 1.001 ms after the one before), and 10: the ninth is no TCP.
    assert_eq!(column("frames"), [4, 4, 1]);
    assert_eq!(column("messages"), [0, 3, 0]);
    assert_eq!(column("data_bytes"), [0, 19, 0]);
    assert!(parsed["files"][0].get("opcodes").is_none(), "{text}");
}

#[test]
fn csv_has_a_table_a_section() {
    let text = stats(&["--only", "depth,opcodes", "--format", "csv"]);
    let tables: Vec<&str> = text.split("\n\n").collect();
    assert_eq!(tables.len(), 2, "{text}");
    assert!(tables[0].starts_with("file,opcode,name,from,messages,segments,bytes\n"), "{text}");
    assert_eq!(tables[0].lines().count(), 4, "{text}");
    assert!(tables[1].starts_with("file,in_flight,initiator,responder\n"), "{text}");
    assert!(tables[1].trim_end().ends_with(",1,0,1"), "{text}");
}

#[test]
fn what_cannot_be_followed_is_told() {
    for (arguments, said) in [
        (&["--interval", "10"][..], "--interval 10: write a number and a unit"),
        (&["--interval", "0s"], "an interval has from 1 ns"),
        (&["--only", "speed"], "possible values: opcodes, sizes"),
        (&["-o", "nothing"], "a preference is set as NAME:VALUE"),
    ] {
        let mut command = warpscope(&["stats", "file"]);
        command.args(arguments).assert().code(2).stdout("").stderr(contains(said));
    }
    assert_eq!(
        stats(&["--flow", "5"]),
        "No iWARP was found; -d tcp.port==PORT,iwarp takes a port for iWARP.\n"
    );
}
