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
    let out = format!("--csv {folder}/tables --ndjson {folder}/tables");
    assert_eq!(printed(format!("export --to all {out} {one} {other}")), "");
    for table in ["messages", "operations", "rpcs"] {
        let read = |extension| folder.read(&format!("tables/{table}.{extension}"));
        let (csv, ndjson) = (read("csv"), read("ndjson"));
        assert_eq!(csv.lines().count(), ndjson.lines().count() + 1, "{table}");
        assert!(csv.contains(&other), "{table}");
        assert_eq!(csv.contains(&one), table != "rpcs", "{table}");
    }
}

#[test]
fn what_cannot_be_followed_says_what_to_do() {
    let file = terminates();
    for (arguments, words) in [
        (format!("--to messages {file}"), "--csv OUT"),
        (format!("--to all --csv - {file}"), "name a folder"),
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
