//! `export`.

use super::warpscope;
use std::path::PathBuf;

fn capture(name: &str) -> String {
    let traces = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("traces");
    traces.join(name).to_string_lossy().into_owned()
}

const TERMINATES: &str = "captures/e1-terminate-stock.pcap";

#[test]
fn lines_go_to_a_pipe() {
    let file = capture(TERMINATES);
    let arguments = ["export", "--to", "operations", "--ndjson", "-", &file];
    let output = warpscope(&arguments).assert().success().stderr("").get_output().stdout.clone();
    let text = String::from_utf8(output).unwrap();
    let lines: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let terminates: Vec<_> = lines.iter().filter(|line| line["kind"] == "Terminate").collect();
    assert_eq!(terminates.len(), 17, "the capture has 17 Terminates");
    assert!(terminates.iter().all(|line| line["explanation"].is_string()));
}

#[test]
fn all_tables_go_to_a_folder_in_every_format() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("tables").to_string_lossy().into_owned();
    let (one, other) = (capture(TERMINATES), capture("captures/g-nfs-v3-cut.pcap.zst"));
    let mut command = warpscope(&["export", "--to", "all", "--csv", &out, "--ndjson", &out]);
    command.args([&one, &other]).assert().success().stdout("").stderr("");
    for table in ["messages", "operations", "rpcs"] {
        let read = |extension: &str| {
            std::fs::read_to_string(PathBuf::from(&out).join(format!("{table}.{extension}")))
                .unwrap()
        };
        let (csv, ndjson) = (read("csv"), read("ndjson"));
        assert_eq!(csv.lines().count(), ndjson.lines().count() + 1, "{table}");
        assert!(csv.contains(&other), "{table}");
        assert_eq!(csv.contains(&one), table != "rpcs", "{table}");
    }
}

#[test]
fn what_cannot_be_followed_says_what_to_do() {
    let file = capture(TERMINATES);
    let refused = |arguments: &[&str], words: &str| {
        let output = warpscope(arguments).assert().code(2).stdout("").get_output().clone();
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(text.contains(words), "{text}");
    };
    refused(&["export", "--to", "messages", &file], "--csv OUT");
    refused(&["export", "--to", "all", "--csv", "-", &file], "name a folder");
    refused(&["export", "--csv", "-", &file], "--to");
    refused(&["export", "--to", "rpcs", "--csv", "-", "no-such.pcap"], "no-such.pcap");
}

#[test]
fn a_capture_that_cannot_be_read_does_not_keep_others_from_being_written() {
    let file = capture(TERMINATES);
    let arguments = ["export", "--to", "messages", "--csv", "-", "no-such.pcap", &file];
    let output = warpscope(&arguments).assert().code(1).get_output().clone();
    assert!(String::from_utf8(output.stdout).unwrap().lines().count() > 30);
    assert!(String::from_utf8(output.stderr).unwrap().contains("no-such.pcap"));
}

/// The manifest of the files that a capture moved.
fn manifest(name: &str) -> (tempfile::TempDir, serde_json::Value) {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("files");
    let mut command = warpscope(&["export", "--files"]);
    command.arg(&out).arg(capture(name)).assert().success().stdout("").stderr("");
    let text = std::fs::read_to_string(out.join("manifest.json")).unwrap();
    (folder, serde_json::from_str(&text).unwrap())
}

#[test]
fn a_file_that_was_written_and_read_back_comes_out_equal() {
    let (folder, manifest) = manifest("captures/j3-mid-nfs.pcap.zst");
    let file = &manifest["files"][0];
    assert_eq!(manifest["files"].as_array().unwrap().len(), 1);
    let sum = "e60774d96310a082";
    for way in ["written", "read"] {
        let content = &file[way];
        assert_eq!(content["length"], 300_000);
        assert_eq!(content["holes"], serde_json::json!([]));
        assert!(content["sha256"].as_str().unwrap().starts_with(sum), "{content}");
        let path = folder.path().join("files").join(content["file"].as_str().unwrap());
        assert_eq!(std::fs::metadata(path).unwrap().len(), 300_000);
    }
    let both =
        serde_json::json!({"common_bytes": 300_000, "equal": true, "first_difference": null});
    assert_eq!(file["written_and_read"], both);
}

#[test]
fn what_was_written_is_named_with_its_holes() {
    // The captures end before anything is read back.
    let (_folder, version3) = manifest("captures/g-nfs-v3-cut.pcap.zst");
    let (_other, version4) = manifest("captures/g-nfs-v4.1-cut.pcap.zst");
    let seen = |manifest: &serde_json::Value| -> Vec<(String, u64, String)> {
        let files = manifest["files"].as_array().unwrap().iter();
        files
            .map(|file| {
                assert!(file["read"].is_null() && file["written_and_read"].is_null(), "{file}");
                let written = &file["written"];
                let name = file["names"][0].as_str().unwrap().to_owned();
                let sum = written["sha256"].as_str().unwrap()[..16].to_owned();
                (name, written["bytes"].as_u64().unwrap(), sum)
            })
            .collect()
    };
    let row = |name: &str, bytes: u64, sum: &str| (name.to_owned(), bytes, sum.to_owned());
    assert_eq!(
        seen(&version3),
        [
            row("f1k", 1024, "a64925e9b8977434"),
            row("f100k", 102_400, "9555a7962ae1657f"),
            row("f4m", 3_145_728, "3816f455a2d4e65e"),
        ]
    );
    assert_eq!(
        seen(&version4),
        [
            row("f1k", 1024, "c7d129780bfeb5e9"),
            row("f100k", 102_400, "b276fb0853ee52c3"),
            row("f4m", 3_145_728, "3533d169e3f58622"),
        ]
    );
    let written = &version4["files"][2]["written"];
    assert_eq!(written["holes"], serde_json::json!([[524_288, 786_432]]));
    assert_eq!(written["unconfirmed_bytes"], 262_144);
}

#[test]
fn a_folder_with_something_in_it_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("mine"), "mine").unwrap();
    let mut command = warpscope(&["export", "--files"]);
    command.arg(folder.path()).arg(capture(TERMINATES));
    let output = command.assert().code(2).get_output().clone();
    assert!(String::from_utf8(output.stderr).unwrap().contains("is not empty"));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}
