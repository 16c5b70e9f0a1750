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
        .stdout(predicate::str::contains("\n  Level      MUST, RFC5041 section 3\n"));
}

#[test]
fn what_is_not_known_is_refused_with_the_nearest() {
    warpscope(&["rules", "show", "RFC5041-3-10"])
        .assert()
        .code(2)
        .stderr(predicate::str::contains("; did you mean RFC5041-3-01?"));
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
