//! `export`.

use super::program::{Folder, has, json, json_has, json_lines, printed, refused, run, shipped};
use serde_json::{Value, json};

/// A capture with 17 Terminates.
fn terminates() -> String {
    shipped("captures/e1-terminate-stock.pcap")
}

#[test]
fn lines_go_to_a_pipe() {
    let lines = json_lines(&printed(format!("export --to operations --ndjson - {}", terminates())));
    let terminates: Vec<_> = lines.iter().filter(|line| line["kind"] == "Terminate").collect();
    assert_eq!(terminates.len(), 17);
    assert!(terminates.iter().all(|line| line["explanation"].is_string()));
}

#[test]
fn all_tables_go_to_a_folder_in_every_format() {
    let folder = Folder::new();
    let (one, other) = (terminates(), shipped("captures/g-nfs-v3-cut.pcap.zst"));
    let formats = ["csv", "ndjson", "parquet", "arrow"].map(|it| format!("--{it} {folder}/tables"));
    assert_eq!(printed(format!("export --to all {} {one} {other}", formats.join(" "))), "");
    for table in ["messages", "operations", "rpcs", "findings", "flows", "latencies"] {
        let read = |extension| folder.read(&format!("tables/{table}.{extension}"));
        let (csv, ndjson) = (read("csv"), read("ndjson"));
        assert_eq!(csv.lines().count(), ndjson.lines().count() + 1, "{table}");
        assert!(csv.contains(&other) || table == "findings", "{table}");
        assert_eq!(csv.contains(&one), table != "rpcs", "{table}");
        assert!(folder.bytes(&format!("tables/{table}.parquet")).ends_with(b"PAR1"));
        // A stream ends with a mark of continuation, and no bytes.
        let end = [0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0];
        let arrow = folder.bytes(&format!("tables/{table}.arrows"));
        assert!(arrow.ends_with(&end) && arrow.len() > 1000, "{table}");
    }
}

#[test]
fn several_tables_are_chosen_by_name() {
    let folder = Folder::new();
    printed(format!("export --to rpcs,messages,rpcs --csv {folder}/tables {}", terminates()));
    let names = std::fs::read_dir(folder.at("tables")).unwrap();
    let mut names: Vec<_> = names.map(|it| it.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["messages.csv", "rpcs.csv"]);
}

#[test]
fn arrow_goes_to_a_pipe() {
    let folder = Folder::new();
    printed(format!("export --to flows --arrow {folder}/flows {}", terminates()));
    let program = env!("CARGO_BIN_EXE_warpscope");
    let arguments = ["export", "--to", "flows", "--arrow", "-", &terminates()];
    let output = std::process::Command::new(program).args(arguments).output().unwrap();
    assert_eq!(output.stdout, folder.bytes("flows"));
}

#[test]
fn findings_are_those_of_check() {
    let captures = [terminates(), shipped("violations/violations-setup.pcap")].join(" ");
    let rows = json_lines(&printed(format!("export --to findings --ndjson - {captures}")));
    let checked = run(format!("check --format ndjson {captures}")).with(1).out;
    let mut checked = json_lines(&checked);
    checked.retain(|line| line["type"] == "finding");
    assert!(rows.len() > 30 && rows.len() == checked.len(), "{}", rows.len());
    for (row, found) in rows.iter().zip(&checked) {
        for key in ["file", "connection", "frame", "rule", "level", "section", "requirement"]
            .into_iter()
            .chain(["stream_offset", "message", "explanation"])
        {
            assert_eq!(row[key], found[key], "{key} of {row}");
        }
        let end = |side: &str| {
            let [address, port] = [side, &format!("{side}_port")].map(|key| row[key].clone());
            format!("{}:{port}", address.as_str().unwrap())
        };
        assert_eq!(found["sender"]["address"], end("source"));
        assert_eq!(found["sender"]["role"], row["source_role"]);
        let at_fault = row["at_fault"].as_str().map(|side| Value::from(end(side)));
        assert_eq!(found["at_fault"].get("address").cloned(), at_fault, "{row}");
    }
}

#[test]
fn flows_are_those_of_flows_and_latencies_are_counted_there() {
    let capture = shipped("captures/f1-operations-stock.pcap.zst");
    let flows = printed(format!("flows --format csv {capture}"));
    assert_eq!(printed(format!("export --to flows --csv - {capture}")), flows);
    let flows = json(printed(format!("flows --format json {capture}")));
    let rows = json_lines(&printed(format!("export --to latencies --ndjson - {capture}")));
    let mut counted = 0;
    for flow in flows["files"][0]["flows"].as_array().unwrap() {
        for kind in flow["operations"].as_array().unwrap() {
            let requester = flow[kind["requester"].as_str().unwrap()].as_str().unwrap();
            let of: Vec<_> = rows
                .iter()
                .filter(|row| {
                    let source = row["source"].as_str().unwrap();
                    (&row["connection"], &row["kind"]) == (&flow["flow"], &kind["operation"])
                        && requester == format!("{source}:{}", row["source_port"])
                })
                .collect();
            let sum: u64 = of.iter().map(|row| row["count"].as_u64().unwrap()).sum();
            assert_eq!(kind["latency_count"], sum, "{kind}");
            // The extremes are in the first range and in the last.
            for (row, value) in [(of.first(), "latency_min"), (of.last(), "latency_max")] {
                let Some(row) = row else { continue };
                let value = kind[value].as_u64().unwrap();
                let bounds = ["least", "greatest"].map(|key| row[key].as_u64().unwrap());
                assert!((bounds[0]..=bounds[1]).contains(&value), "{row} {kind}");
            }
            counted += of.len();
        }
    }
    assert!(counted > 10 && counted == rows.len(), "{counted}");
}

#[test]
fn what_cannot_be_followed_says_what_to_do() {
    let file = terminates();
    for (arguments, words) in [
        (format!("--to messages {file}"), "--csv OUT"),
        (format!("--to all --csv - {file}"), "name a folder"),
        (format!("--to all --arrow - {file}"), "name a folder"),
        (format!("--to rpcs --parquet - {file}"), "cannot be written to a pipe"),
        (format!("--to rpcs --arrow out --dataset out {file}"), "cannot be used with"),
        (format!("--to rpcs --csv out --host here {file}"), "cannot be used with"),
        (format!("--csv - {file}"), "--to"),
        ("--to rpcs --csv - no-such.pcap".to_owned(), "no-such.pcap"),
    ] {
        has(&refused(format!("export {arguments}")), &[words]);
    }
}

#[test]
fn a_capture_that_cannot_be_read_does_not_keep_others_from_being_written() {
    let files = format!("no-such.pcap {}", terminates());
    let ended = run(format!("export --to messages --csv - {files}")).with(1);
    assert!(ended.out.lines().count() > 30);
    has(&ended.err, &["no-such.pcap"]);
}

/// The manifest of the files that a capture moved, in the folder that they are in.
fn manifest(name: &str) -> (Folder, Value) {
    let folder = Folder::new();
    let ended = run(format!("export --files {folder}/files {}", shipped(name))).with(0);
    assert_eq!(ended.out, "");
    let manifest = json(folder.read("files/manifest.json"));
    let holes = manifest.to_string().contains("\"holes\":[[");
    assert_eq!(ended.err.contains("with holes"), holes, "{}", ended.err);
    (folder, manifest)
}

#[test]
fn a_file_that_was_written_and_read_back_comes_out_equal() {
    let (folder, manifest) = manifest("captures/j3-mid-nfs.pcap.zst");
    let file = &manifest["files"][0];
    assert_eq!(manifest["files"].as_array().unwrap().len(), 1);
    for way in ["written", "read"] {
        let content = &file[way];
        json_has(content, json!({"/length": 300_000, "/holes": []}));
        assert!(content["sha256"].as_str().unwrap().starts_with("e60774d96310a082"), "{content}");
        let bytes = folder.bytes(&format!("files/{}", content["file"].as_str().unwrap()));
        assert_eq!(bytes.len(), 300_000);
    }
    let both = json!({"common_bytes": 300_000, "equal": true, "first_difference": null});
    assert_eq!(file["written_and_read"], both);
}

#[test]
fn what_was_written_is_named_with_its_holes() {
    // The captures end before anything is read back.
    for (name, sums) in [
        ("g-nfs-v3-cut", ["a64925e9b8977434", "9555a7962ae1657f", "3816f455a2d4e65e"]),
        ("g-nfs-v4.1-cut", ["c7d129780bfeb5e9", "b276fb0853ee52c3", "3533d169e3f58622"]),
    ] {
        let (_folder, manifest) = manifest(&format!("captures/{name}.pcap.zst"));
        let files = manifest["files"].as_array().unwrap();
        assert_eq!(files.len(), 3, "{name}");
        let expected = [("f1k", 1024), ("f100k", 102_400), ("f4m", 3_145_728)];
        for ((file, sum), (name, bytes)) in files.iter().zip(sums).zip(expected) {
            assert!(file["read"].is_null() && file["written_and_read"].is_null(), "{file}");
            json_has(file, json!({"/names/0": name, "/written/bytes": bytes}));
            assert!(file["written"]["sha256"].as_str().unwrap().starts_with(sum), "{file}");
        }
        if name.contains("v4") {
            let holes = json!({"/holes": [[524_288, 786_432]], "/unconfirmed_bytes": 262_144});
            json_has(&files[2]["written"], holes);
        }
    }
}

#[test]
fn a_folder_with_something_in_it_is_left_alone() {
    let folder = Folder::new();
    folder.write("mine", "mine");
    let ended = run(format!("export --files {folder} {}", terminates())).with(2);
    has(&ended.err, &["is not empty"]);
    assert_eq!(std::fs::read_dir(folder.at("")).unwrap().count(), 1);
}
