//! `warpscope stats`, over the small capture.

use super::capture::Capture;
use super::warpscope;
use predicates::str::contains;
use serde_json::Value;

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
