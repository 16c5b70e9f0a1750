//! `warpscope fields`.

use super::warpscope;
use predicates::prelude::*;
use serde_json::Value;

#[test]
fn a_table_a_protocol() {
    let start = "Transmission Control Protocol (tcp)\n  tcp.flags ";
    warpscope(&["fields", "tcp.flags"])
        .assert()
        .success()
        .stdout(predicate::str::starts_with(start))
        .stdout(predicate::str::contains("  tcp.flags.syn "))
        .stdout(predicate::str::contains("RFC 9293"))
        .stdout(predicate::str::contains("tcp.seq").not());
    warpscope(&["fields"]).assert().success().stdout(predicate::str::contains("\n\nEthernet"));
    warpscope(&["fields", "TCP.FLAGS"]).assert().success();
}

#[test]
fn json_and_markdown() {
    let command = warpscope(&["fields", "--format", "json", "ip.proto"]).assert().success();
    let fields: Vec<Value> = serde_json::from_slice(&command.get_output().stdout).unwrap();
    assert_eq!(fields[0]["name"], "ip.proto");
    assert_eq!(fields[0]["protocol"], "ip");
    assert_eq!(fields[0]["type"], "unsigned 8 bits");
    assert_eq!(fields[0]["origin"], "Wireshark");
    assert_eq!(fields[0]["values"]["6"], "TCP");
    warpscope(&["fields", "--format", "markdown", "ip.proto"])
        .assert()
        .success()
        .stdout(predicate::str::starts_with("## Internet Protocol Version 4 (`ip`)\n\n| Name |"))
        .stdout(predicate::str::contains("\n| `ip.proto` | Protocol |"));
}

#[test]
fn nothing_found() {
    warpscope(&["fields", "tcp.sequence_nr"])
        .assert()
        .code(2)
        .stderr(predicate::str::starts_with("warpscope: no field matches tcp.sequence_nr; "));
}
