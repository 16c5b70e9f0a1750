//! `warpscope conform`.

use super::warpscope;
use predicates::prelude::*;
use serde_json::Value;
use std::path::Path;
use tempfile::TempDir;

const STAG: &str = "\
id: rdmap-read-unknown-stag
title: A Read Request that names an unknown STag is refused
covers: [RFC5040-4.8-03, RFC5040-7.1-02]
kills: [terminate-layer-wrong]
needs: [agent, rdma-read]
tags: [terminate]
across: {crc: [on, off]}
steps:
  - connect: {crc: $crc}
  - send: {rdma_read_request: {source_stag: 0xDEADBEEF}}
    note: nobody advertised it
  - expect: {terminate: {layer: rdmap}}
    within: 2s
";

const KEY: &str = "\
id: mpa-setup-key
title: The reply has the key of replies
covers: [RFC5044-7.1.1-01]
level: should
steps:
  - connect: {}
";

/// A folder with two cases and a fragment.
fn folder() -> TempDir {
    let folder = TempDir::new().unwrap();
    save(folder.path(), "rfc5040/4.8-terminate/unknown-stag.yaml", STAG);
    save(folder.path(), "rfc5044/7.1.1-setup-frames/key.yaml", KEY);
    save(folder.path(), "shared/settle.yaml", "fragment: settle\ntitle: t\nsteps: []\n");
    folder
}

fn save(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

/// What `conform` prints with the cases of a folder.
fn of(folder: &TempDir, arguments: &[&str]) -> String {
    let mut command = warpscope(&["conform"]);
    command.args(arguments).arg("--cases").arg(folder.path());
    let output = command.assert().success().stderr("").get_output().stdout.clone();
    String::from_utf8(output).unwrap()
}

#[test]
fn the_list_reads_like_the_contents_of_the_documents() {
    assert_eq!(
        of(&folder(), &["list"]),
        "RFC 5040\n  4.8 terminate\n    rdmap-read-unknown-stag  MUST    A Read Request that names \
         an unknown STag is refused\n\nRFC 5044\n  7.1.1 setup frames\n    mpa-setup-key            \
         SHOULD  The reply has the key of replies\n\n2 cases\n"
    );
}

#[test]
fn cases_are_selected_by_id_section_tag_level_and_requirement() {
    let folder = folder();
    for (arguments, stag, key) in [
        (&["rdmap-*"][..], true, false),
        (&["mpa-setup-key[crc=on]"], false, true),
        (&["*"], true, true),
        (&["--section", "rfc5040"], true, false),
        (&["--section", "rfc5044-7.1"], false, true),
        (&["--section", "RFC5044-7", "--section", "rfc5040"], true, true),
        (&["--tag", "terminate"], true, false),
        (&["--level", "should"], false, true),
        (&["--covers", "rfc5040-7.1-02"], true, false),
    ] {
        let printed = of(&folder, &[&["list"], arguments].concat());
        assert_eq!(printed.contains("rdmap-read-unknown-stag"), stag, "{arguments:?}");
        assert_eq!(printed.contains("mpa-setup-key"), key, "{arguments:?}");
    }
}

#[test]
fn what_selects_nothing_is_refused_with_advice() {
    let folder = folder();
    for (arguments, message) in [
        (&["mpa-setup-kay"][..], "no case fits; did you mean mpa-setup-key?"),
        (&["--tag", "nosuch"], "no case fits; `warpscope conform list` lists all"),
        (&["--section", "rfc9"], "--section rfc9: the catalogue has no such document; there are "),
        (&["--section", "rfc5040-4..8"], "--section rfc5040-4..8: \"4..8\" is no section"),
        (&["--level", "most"], "--level MOST: there are must, should, may"),
        (&["--covers", "RFC5040-4.8-99"], "no requirement has the id RFC5040-4.8-99; did you mean"),
    ] {
        warpscope(&["conform", "list", "--cases"])
            .arg(folder.path())
            .args(arguments)
            .assert()
            .code(2)
            .stdout("")
            .stderr(predicate::str::starts_with(format!("warpscope: {message}")));
    }
}

#[test]
fn the_list_as_json_and_markdown() {
    let folder = folder();
    let list: Vec<Value> =
        serde_json::from_str(&of(&folder, &["list", "--format", "json"])).unwrap();
    assert_eq!(list[0]["id"], "rdmap-read-unknown-stag");
    assert_eq!(list[0]["document"], "RFC5040");
    assert_eq!(list[0]["section"], "4.8");
    assert_eq!(list[0]["covers"][1], "RFC5040-7.1-02");
    assert_eq!(list[0]["axes"][0]["values"][1], "off");
    assert_eq!(list[1]["level"], "SHOULD");
    let markdown = of(&folder, &["list", "--format", "markdown"]);
    assert!(markdown.starts_with("## RFC 5040\n\n### 4.8 terminate\n\n| Case | "), "{markdown}");
    assert!(markdown.contains("\n| `mpa-setup-key` | SHOULD | The reply has "), "{markdown}");
}

#[test]
fn a_case_is_explained() {
    let folder = folder();
    let printed = of(&folder, &["explain", "rdmap-read-unknown-stag"]);
    for line in [
        "  Place      RFC 5040 section 4.8 terminate\n",
        "  File       rfc5040/4.8-terminate/unknown-stag.yaml\n",
        "  Needs      agent, rdma-read\n",
        "  Demanded   RFC5040-4.8-03 (",
        "  Steps       1. Set the stream up with crc $crc\n",
        "              2. Send rdma read request (source stag 0xDEADBEEF) (nobody advertised it)\n",
        "              3. Expect terminate (layer rdmap); within 2s\n",
        "  Instances  crc on | off\n",
        "  Catches    terminate-layer-wrong: names the next layer",
    ] {
        assert!(printed.contains(line), "{line}\n{printed}");
    }
    assert_eq!(of(&folder, &["explain", "rdmap-read-unknown-stag[crc=on]"]), printed);
    let printed = of(&folder, &["explain", "rfc5040-7.1-02"]);
    assert!(printed.contains("  Cases      rdmap-read-unknown-stag: A Read Request "), "{printed}");
}

#[test]
fn what_is_not_known_is_refused_with_the_nearest() {
    warpscope(&["conform", "explain", "mpa-setup-kee", "--cases"])
        .arg(folder().path())
        .assert()
        .code(2)
        .stderr("warpscope: no case or requirement is called mpa-setup-kee; did you mean mpa-setup-key?\n");
}

#[test]
fn lint_says_what_is_wrong_and_where() {
    let folder = folder();
    save(folder.path(), "broken.yaml", "title: no id\nsteps: []\n");
    save(folder.path(), "rfc5044/7.1.1-setup-frames/again.yaml", KEY);
    warpscope(&["conform", "lint"])
        .arg(folder.path())
        .assert()
        .code(1)
        .stdout(predicate::str::contains("broken.yaml:1:1: "))
        .stdout(predicate::str::contains("`id`"))
        .stdout(predicate::str::contains("mpa-setup-key"));
    let empty = TempDir::new().unwrap();
    warpscope(&["conform", "lint"])
        .arg(empty.path())
        .assert()
        .code(2)
        .stderr(predicate::str::ends_with(": no file there ends in .yaml\n"));
    warpscope(&["conform", "lint"])
        .arg(empty.path().join("none.yaml"))
        .assert()
        .code(2)
        .stderr(predicate::str::contains("cannot read "));
}

#[test]
fn coverage_in_three_formats() {
    warpscope(&["conform", "coverage", "--document", "rfc8797"])
        .assert()
        .success()
        .stderr("")
        .stdout(predicate::str::starts_with("                 MUST, active  "))
        .stdout(predicate::str::contains("\nRFC 8797  "));
    let json = warpscope(&["conform", "coverage", "--format", "json"]).assert().success();
    let json: Value = serde_json::from_slice(&json.get_output().stdout).unwrap();
    assert_eq!(json["format"], "warpscope-conformance-coverage/1");
    assert_eq!(json["documents"].as_array().unwrap().len(), 10);
    let must = &json["tally"]["active_must"];
    assert_eq!(
        must["total"].as_u64(),
        must["covered"]
            .as_u64()
            .zip(must["waived"].as_u64())
            .map(|(covered, waived)| covered + waived)
    );
    warpscope(&["conform", "coverage", "--format", "markdown", "--all"])
        .assert()
        .success()
        .stdout(predicate::str::starts_with("# Coverage\n\n| Document | MUST, active | "))
        .stdout(predicate::str::contains("\n| `RFC5044-4.4-12` | "));
    warpscope(&["conform", "coverage", "--document", "rfc9"])
        .assert()
        .code(2)
        .stderr(predicate::str::starts_with("warpscope: --document rfc9: there are rfc5040, "));
}

#[test]
fn a_must_without_a_case_and_an_idle_waiver_fail_coverage() {
    let folder = folder();
    let waivers = folder.path().join("waivers.txt");
    std::fs::write(&waivers, "waivers:\n  - {id: RFC5044-4.4-12, reason: a capture shows it}\n")
        .unwrap();
    warpscope(&["conform", "coverage", "--cases"])
        .arg(folder.path())
        .arg("--waivers")
        .arg(&waivers)
        .assert()
        .code(1)
        .stderr(predicate::str::contains(
            "waivers.txt:2: RFC5044-4.4-12 is no MUST that needs a peer",
        ))
        .stderr(predicate::str::contains(": no case covers it\n"));
}

#[test]
fn a_new_case_is_begun_where_it_belongs() {
    let folder = folder();
    let new = |arguments: &[&str]| {
        let mut command = warpscope(&["conform", "new"]);
        command.args(arguments);
        command
    };
    new(&["my-case", "--covers", "RFC5040-4.8-03", "--cases"])
        .arg(folder.path())
        .assert()
        .success()
        .stdout(predicate::str::starts_with("wrote "));
    let written = folder.path().join("rfc5040/4.8-terminate/my-case.yaml");
    let text = std::fs::read_to_string(written).unwrap();
    assert!(text.starts_with("# RFC5040-4.8-03 ("), "{text}");
    assert!(of(&folder, &["list", "my-case"]).contains("    my-case  "));
    new(&["my-case", "-o", "-"])
        .assert()
        .success()
        .stdout(predicate::str::contains("\nid: my-case\n"));
    new(&["my-case", "--cases"])
        .arg(folder.path())
        .assert()
        .code(2)
        .stderr(predicate::str::contains("the case `my-case` is there already"));
    new(&["My Case"])
        .assert()
        .code(2)
        .stderr(predicate::str::contains("small letters, digits and hyphens"));
    let there = folder.path().join("there.yaml");
    std::fs::write(&there, "kept").unwrap();
    new(&["other", "-o"])
        .arg(&there)
        .assert()
        .code(2)
        .stderr(predicate::str::contains("is there already"));
    assert_eq!(std::fs::read_to_string(&there).unwrap(), "kept");
}
