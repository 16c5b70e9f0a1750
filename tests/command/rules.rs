//! `warpscope rules`.

use super::warpscope;
use predicates::prelude::*;
use serde_json::Value;

#[test]
fn a_requirement_is_explained_even_without_a_rule() {
    warpscope(&["rules", "show", "RFC5041-3-01"])
        .assert()
        .success()
        .stdout(predicate::str::contains("RFC5041-3-01\n  Demanded   "))
        .stdout(predicate::str::contains("\n  Level      MUST, RFC 5041 section 3\n"));
}

#[test]
fn what_is_not_known_is_refused_with_the_nearest() {
    warpscope(&["rules", "show", "RFC5041-3-99"])
        .assert()
        .code(2)
        .stderr(predicate::str::contains("; did you mean RFC5041-3-"));
    warpscope(&["rules", "show", "zzz"]).assert().code(2).stderr(
        "warpscope: no rule or requirement is called zzz; `warpscope rules` lists the rules\n",
    );
    warpscope(&["rules", "--layer", "zzz"])
        .assert()
        .code(2)
        .stderr(predicate::str::starts_with("warpscope: --layer zzz: no rule is of that layer; "));
}

#[test]
fn the_list_as_json() {
    let command = warpscope(&["rules", "--format", "json"]).assert().success();
    let rules: Vec<Value> = serde_json::from_slice(&command.get_output().stdout).unwrap();
    for rule in &rules {
        assert!(rule["id"].as_str().unwrap().starts_with(rule["layer"].as_str().unwrap()));
        assert!(!rule["requirements"].as_array().unwrap().is_empty());
    }
}

#[test]
fn the_list_as_text_and_markdown() {
    warpscope(&["rules", "--layer", "rpc"])
        .assert()
        .success()
        .stdout(predicate::str::starts_with("RPC\n  rpc-"))
        .stdout(predicate::str::contains("  MUST    RFC 8797 section 4.1  "))
        .stdout(predicate::str::contains("mpa-").not());
    warpscope(&["rules", "--format", "markdown", "--layer", "MPA"])
        .assert()
        .success()
        .stdout(predicate::str::starts_with("## MPA\n\n| Rule | Level | Section |"))
        .stdout(predicate::str::contains("\n| `mpa-crc` | MUST | RFC 5044 section 4.4 | "));
}

#[test]
fn a_rule_is_explained_with_its_requirements() {
    warpscope(&["rules", "show", "mpa-crc"])
        .assert()
        .success()
        .stdout(predicate::str::starts_with("mpa-crc\n  Demanded   "))
        .stdout(predicate::str::contains("\n  At fault   either side"))
        .stdout(predicate::str::contains(
            "\n  Terminate  layer LLP (MPA) (2), type MPA error (0), ",
        ))
        .stdout(predicate::str::contains("\n\nRFC5044-4.4-12\n  Demanded   "));
    warpscope(&["rules", "show", "rfc5044-4.4-12"])
        .assert()
        .success()
        .stdout(predicate::str::starts_with("mpa-crc\n"))
        .stdout(predicate::str::contains("\nRFC5044-4.4-12\n"));
}
