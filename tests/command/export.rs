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
