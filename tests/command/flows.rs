//! `warpscope flows` and `warpscope stats`, over the small capture.

use super::capture::{Capture, HEADERS};
use super::program::{Folder, has, json, json_has, printed, refused, run, shipped};
use serde_json::json;
use std::cmp::Reverse;
use std::collections::HashMap;

/// A folder with the small capture as `in`.
fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("in", Capture::conversation().bytes);
    folder
}

/// What `flows` or `stats` prints of the small capture.
fn of(line: &str) -> String {
    let folder = folder();
    printed(format!("{line} {folder}/in"))
}

fn rows(text: &str) -> Vec<Vec<&str>> {
    text.lines().map(|line| line.split_whitespace().collect()).collect()
}

/// Each of these lines is there, blanks apart, with what else may follow in it.
#[track_caller]
fn has_rows(text: &str, expected: &[&str]) {
    for row in expected {
        let words: Vec<&str> = row.split(' ').collect();
        assert!(rows(text).iter().any(|it| it.starts_with(&words)), "{row} is not in\n{text}");
    }
}

#[test]
fn a_line_a_connection() {
    let text = of("flows");
    let rows = rows(&text);
    assert_eq!(rows.len(), 2, "{text}");
    // A Send of 12 bytes and a Write of 7, with a bad CRC; the Read Request's 28 are no data.
    has_rows(&text, &["0 10.0.0.2:40000 10.0.0.1:7174 0.000000 9.01 ms 1 CRC 3 19"]);
    has(&text, &["half closed initiator"]);
    assert!(rows[0].contains(&"CRC") && rows[0].contains(&"findings"), "{text}");
}

#[test]
fn details_tell_all_of_it() {
    let text = of("flows --details");
    has(
        &text,
        &[
            "Flow 0: 10.0.0.2:40000 (initiator) → 10.0.0.1:7174 (responder)\n",
            "frames 1 to 10: 9 frames, 642 bytes; 9.01 ms long, from 0 to 9.01 ms of the capture\n",
            "initiator: revision 1, wants CRC, no markers\n",
            "CRC in use, no markers from initiator, no markers from responder\n",
            "frame 10: FIN of initiator\n",
            "1 FPDU with a bad CRC",
            "responder: at most 1 request at once, limit not known\n",
        ],
    );
    let rows = rows(&text);
    for row in ["Write initiator 1 1 7", "Read Request responder 1 1 28", "Send initiator 1 1 12"] {
        assert!(rows.iter().any(|it| it.join(" ") == row), "{row} in {text}");
    }
}

#[test]
fn one_flow_can_be_named() {
    assert_eq!(of("flows --flow 0"), of("flows"));
    assert_eq!(of("flows --details=0"), of("flows --details --flow 0"));
    let none = "No iWARP was found in flow 7; `warpscope flows FILE` lists the flows.\n";
    assert_eq!(of("flows --details=7"), none);
    let two = run("flows --details=7 --flow 0 nowhere.pcap").with(2).err;
    has(&two, &["--details=7 and --flow 0 name different flows"]);
    let none = "No iWARP was found; use -d tcp.port==PORT,iwarp to decode a port as iWARP.\n";
    assert_eq!(of("stats --flow 5"), none);
}

#[test]
fn what_is_no_iwarp_is_counted() {
    let advice = "use -d tcp.port==PORT,iwarp to decode a port as iWARP";
    let expected = format!("No iWARP was found in 1 TCP connection; {advice}.\n");
    assert_eq!(of("flows -d tcp.port==7174,data"), expected);
}

#[test]
fn json_has_numbers_as_they_are() {
    let parsed = json(of("flows --format json"));
    let file = &parsed["files"][0];
    json_has(
        file,
        json!({
            "/frames": 10,
            "/error": null,
            "/flows/0/duration": 9_009_000,
            "/flows/0/start": 1_700_000_000_000_000_000_i64,
            "/flows/0/crc": true,
            "/flows/0/end": "half-closed",
            "/flows/0/end_by": "initiator",
            "/flows/0/setup_frames/0/role": "request",
            "/flows/0/setup_frames/1/revision": 1,
            "/flows/0/sides/0/bad_crcs": 1,
            "/flows/0/sides/1/requests_in_flight": 1,
            "/flows/0/opcodes/0/name": "Write",
            "/flows/0/opcodes/0/bytes": 7,
        }),
    );
    assert_eq!(file["flows"][0]["operations"].as_array().unwrap().len(), 3);
}

#[test]
fn csv_has_a_row_a_connection() {
    let text = of("flows --format csv");
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(rows.len(), 2);
    assert_eq!(rows[0].len(), rows[1].len());
    for (name, value) in [
        ("initiator", "10.0.0.2:40000"),
        ("messages", "3"),
        ("data_bytes", "19"),
        ("bad_crcs", "1"),
        ("end", "half-closed"),
        ("end_by", "initiator"),
        ("setup_only", "false"),
    ] {
        let column = rows[0].iter().position(|each| *each == name).unwrap();
        assert_eq!(rows[1][column], value, "{name}");
    }
}

/// The values of a column of CSV, in the order of the lines.
fn column(csv: &str, name: &str) -> Vec<String> {
    let mut csv = csv::Reader::from_reader(csv.as_bytes());
    let at = csv.headers().unwrap().iter().position(|it| it == name).unwrap();
    csv.records().map(|record| record.unwrap()[at].to_owned()).collect()
}

fn numbers(csv: &str, name: &str) -> Vec<u64> {
    column(csv, name).iter().filter_map(|value| value.parse().ok()).collect()
}

#[test]
fn flows_are_sorted_by_a_column() {
    let file = shipped("captures/e1-terminate-stock.pcap");
    let flows = |more: &str| printed(format!("flows --format csv {more} {file}"));
    for sort in ["data_bytes", "bytes"] {
        let bytes = numbers(&flows(&format!("--sort {sort}")), "data_bytes");
        assert!(bytes.len() == 22 && bytes.is_sorted_by(|one, other| one >= other), "{bytes:?}");
        let bytes = numbers(&flows(&format!("--sort {sort} --reverse")), "data_bytes");
        assert!(bytes.len() == 22 && bytes.is_sorted(), "{bytes:?}");
    }
    // What has no value is last either way; two flows have Reads.
    for more in ["", "--reverse"] {
        let latencies =
            column(&flows(&format!("--sort read_latency_p99 {more}")), "read_latency_p99");
        let known = latencies.iter().position(String::is_empty);
        assert_eq!((known, latencies.len()), (Some(2), 22), "{latencies:?}");
    }
    assert!(column(&flows("--sort end"), "end").is_sorted());
    // Tables, blocks and JSON have the same order.
    let order = column(&flows("--sort duration"), "flow");
    let text = printed(format!("flows --sort duration {file}"));
    let of_text: Vec<_> =
        rows(&text).iter().skip(1).take(22).map(|row| row[0].to_owned()).collect();
    assert_eq!(of_text, order);
    let json = json(printed(format!("flows --sort duration --format json {file}")));
    let of_json = json["files"][0]["flows"].as_array().unwrap().iter();
    assert!(of_json.map(|flow| flow["flow"].to_string()).eq(order.iter().cloned()));
    let blocks = printed(format!("flows --sort duration --details {file}"));
    let blocks = blocks.lines().filter_map(|line| line.strip_prefix("Flow ")?.split_once(':'));
    assert!(blocks.map(|block| block.0).eq(order.iter().map(String::as_str)));
    assert_ne!(order, column(&flows(""), "flow"));
}

#[test]
fn a_column_that_is_not_there_is_answered_with_those_alike() {
    for (name, advice) in [
        ("durtion", "did you mean duration?"),
        ("latency", "similar names are read_latency_p50, read_latency_p99"),
        ("file", "the first line of `warpscope flows --format csv` lists all"),
    ] {
        let words = refused(format!("flows --sort {name} in"));
        assert_eq!(words, format!("--sort {name}: no such column; {advice}\n"));
    }
}

/// The slowest operations, and the frames of the longest, are those that `export` has.
#[test]
fn the_slowest_operations_have_their_frames() {
    type Row = HashMap<String, String>;
    let read = |csv: String| -> Vec<Row> {
        csv::Reader::from_reader(csv.as_bytes()).deserialize().map(Result::unwrap).collect()
    };
    let number = |row: &Row, name: &str| row[name].parse::<u64>().ok();
    for capture in ["g-nfs-v3-cut.pcap.zst", "i1-netem-loss-reorder.pcap.zst"] {
        let file = shipped(&format!("captures/{capture}"));
        let all = read(printed(format!("export --to operations --csv - {file}")));
        let end = |row: &Row| {
            number(row, "response_last_frame").or(number(row, "request_last_frame")).unwrap()
        };
        let key = |row: &Row| {
            let [latency, connection, operation] =
                ["latency", "connection", "number"].map(|name| number(row, name).unwrap_or(0));
            (Reverse(latency), end(row), connection, operation)
        };
        let mut expected: Vec<&Row> = all.iter().collect();
        expected.sort_by_key(|row| key(row));
        let slowest = read(printed(format!("stats --only slowest --format csv {file}")));
        assert_eq!(slowest.len(), 10);
        for (row, expected) in slowest.iter().zip(&expected) {
            let seen = ["latency", "operation", "flow", "number", "bytes", "pause", "pause_missed"];
            let names =
                ["latency", "kind", "connection", "number", "bytes", "pause", "pause_missed"];
            assert_eq!(seen.map(|name| &row[name]), names.map(|name| &expected[name]));
            assert_eq!(number(row, "to_frame"), Some(end(expected)));
            let answered = !expected["response_last_frame"].is_empty();
            let from = if answered { "request_last_frame" } else { "request_first_frame" };
            assert_eq!(row["from_frame"], expected[from]);
        }
        let latencies = read(printed(format!("stats --only latency --format csv {file}")));
        let longest = latencies.iter().find(|it| it["latency_max"] == expected[0]["latency"]);
        assert_eq!(number(longest.unwrap(), "latency_max_frame"), Some(end(expected[0])));
    }
}

/// Of two holes the second is reported too, where no segment came early after the first was filled: the receiver's SACK in
/// frame 1623 says that 1300 bytes are missing, which frame 1624 brings 42 ms later.
#[test]
fn a_pause_says_how_much_was_missing_when_another_hole_was_filled_before() {
    let file = shipped("captures/i1-netem-loss-reorder.pcap.zst");
    let rows = printed(format!("stats --flow 2 --only slowest --format csv {file}"));
    let mut rows = csv::Reader::from_reader(rows.as_bytes());
    let rows: Vec<HashMap<String, String>> = rows.deserialize().map(Result::unwrap).collect();
    let row = rows.iter().find(|row| row["pause_frame"] == "1624").unwrap();
    assert_eq!((row["operation"].as_str(), row["pause_missed"].as_str()), ("Write", "1300"));
}

/// The longest wait for what came late: the retransmission in frame 69 has a new IP identification and timestamp, and
/// brings 1260 bytes that the capture point never saw before it.
#[test]
fn the_longest_wait_for_what_came_late_is_told() {
    let file = shipped("captures/i1-netem-loss-reorder.pcap.zst");
    let text = printed(format!("flows --details=0 {file}"));
    let waits = "; later bytes waited 56.3 ms for what was missing: 3 times, at most 52.2 ms until frame 69\n";
    has(
        &text,
        &[
            waits,
            "bytes were lost or late for 125 ms of 2.02 s (6.2 %), 17.4 ms of it only overtaken",
        ],
    );
    let flows = json(printed(format!("flows --format json {file}")));
    let side = &flows["files"][0]["flows"][0]["sides"][1];
    assert_eq!(
        (side["stalls"].as_u64(), side["stall_longest_frame"].as_u64()),
        (Some(3), Some(69))
    );
}

#[test]
fn several_files_have_headings_and_a_bad_one_is_told() {
    let folder = folder();
    let ended = run(format!("flows 'no such file' {folder}/in")).with(1);
    has(&ended.err, &["no such file"]);
    has(&ended.out, &[&format!("{folder}/in: 10 frames\n"), "10.0.0.2:40000"]);
    refused("flows 'no such file'");
}

#[test]
fn a_cut_file_shows_what_came_before() {
    let bytes = Capture::conversation().bytes;
    // Through the eighth frame, and half of a record's header.
    let cut = bytes.len() - (HEADERS.1 + 54) - HEADERS.1 / 2 - 42;
    let file = Folder::new();
    has(&run(format!("flows {}", file.write("cut", &bytes[..cut]))).with(1).out, &[" open"]);
}

#[test]
fn every_section_has_its_heading() {
    let text = of("stats");
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
    let text = of("stats --only sizes,opcodes");
    has_rows(
        &text,
        &[
            // 47 bytes in three messages.
            "Write initiator 1 1 7 33.3 % 14.9 %",
            "Read Request responder 1 1 28 33.3 % 59.6 %",
            "Send initiator 1 1 12 33.3 % 25.5 %",
            "all 3 3 47",
            // 7 bytes lie in 4 to 7, and 12 in 8 to 15.
            "4 7 1 7",
            "8 15 1 12",
        ],
    );
    let (opcodes, sizes) = (text.find("Opcodes").unwrap(), text.find("Sizes").unwrap());
    assert!(opcodes < sizes && !text.contains("Latencies"), "{text}");
}

#[test]
fn throughput_counts_by_interval() {
    let parsed = json(of("stats --only throughput --interval 4ms --format json"));
    let intervals = parsed["files"][0]["throughput"].as_array().unwrap();
    // The frames 1 to 4, 5 to 8 (each 1.001 ms after the one before), and 10: the ninth is no TCP.
    for (name, column) in [
        ("start", [0, 4_000_000, 8_000_000]),
        ("interval", [4_000_000; 3]),
        ("frames", [4, 4, 1]),
        ("messages", [0, 3, 0]),
        ("data_bytes", [0, 19, 0]),
    ] {
        let found: Vec<u64> = intervals.iter().map(|it| it[name].as_u64().unwrap()).collect();
        assert_eq!(found, column, "{name}");
    }
    assert!(parsed["files"][0].get("opcodes").is_none(), "{parsed}");
}

#[test]
fn csv_has_a_table_a_section() {
    let text = of("stats --only depth,opcodes --format csv");
    let tables: Vec<&str> = text.split("\n\n").collect();
    assert_eq!(tables.len(), 2, "{text}");
    assert!(tables[0].starts_with("file,opcode,name,from,messages,segments,bytes\n"), "{text}");
    assert_eq!(tables[0].lines().count(), 4, "{text}");
    assert!(tables[1].starts_with("file,in_flight,initiator,responder\n"), "{text}");
    assert!(tables[1].trim_end().ends_with(",1,0,1"), "{text}");
}

#[test]
fn what_cannot_be_followed_is_told() {
    for (arguments, expected) in [
        ("--interval 10", "--interval 10: write a number and a unit"),
        ("--interval 0s", "an interval is from 1 ns"),
        ("--only speed", "possible values: opcodes, sizes"),
        ("-o nothing", "a preference is set as NAME:VALUE"),
    ] {
        has(&refused(format!("stats file {arguments}")), &[expected]);
    }
}
