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
buffers:
  local: {sink: {length: 64}}
steps:
  - connect: {crc: $crc}
  - send: {rdma_read_request: {source: {stag: 0xDEADBEEF, to: 0}, sink: $local.sink, size: 64}}
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
  - use: settle
";

/// A case with a fragment that is built in.
const MINE: &str = "\
id: mine
title: Mine
covers: [RFC5040-4.8-03]
needs: [agent, send]
steps:
  - use: still-alive
";

/// A folder with two cases and a fragment.
fn folder() -> TempDir {
    let folder = TempDir::new().unwrap();
    save(folder.path(), "rfc5040/4.8-terminate/unknown-stag.yaml", STAG);
    save(folder.path(), "rfc5044/7.1.1-setup-frames/key.yaml", KEY);
    save(
        folder.path(),
        "shared/settle.yaml",
        "fragment: settle\ntitle: t\nsteps:\n  - wait: 1ms\n",
    );
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
        "RFC 5040\n  4.8 terminate\n    rdmap-read-unknown-stag  MUST        2  A Read Request that \
         names an unknown STag is refused\n\nRFC 5044\n  7.1.1 setup frames\n    mpa-setup-key            \
         SHOULD      1  The reply has the key of replies\n\n2 cases, 3 instances\n"
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
        (
            &["mpa-setup-kay"][..],
            "no case fits; did you mean mpa-setup-key? `warpscope conform list` lists the cases",
        ),
        (
            &["setup"],
            "no case fits; `warpscope conform list '*setup*'` lists the cases with setup in",
        ),
        (&["--tag", "nosuch"], "no case fits; `warpscope conform list` lists the cases"),
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
        "              2. Send rdma read request (source (stag 0xDEADBEEF, to 0), sink $local.sink, size 64) (nobody advertised it)\n",
        "              3. Expect terminate (layer rdmap); within 2s\n",
        "  Across     crc on | off\n",
        "  Instances  2\n               rdmap-read-unknown-stag[crc=on]\n",
        "  Catches    terminate-layer-wrong: names the next layer",
    ] {
        assert!(printed.contains(line), "{line}\n{printed}");
    }
    assert_eq!(of(&folder, &["explain", "rdmap-read-unknown-stag[crc=on]"]), printed);
    let printed = of(&folder, &["explain", "MPA-setup-key"]);
    assert!(printed.contains("  Fragments  settle: t\n              1. Wait 1ms\n"), "{printed}");
    let printed = of(&folder, &["explain", "rfc5040-7.1-02"]);
    assert!(printed.contains("  Cases      rdmap-read-unknown-stag: A Read Request "), "{printed}");
}

#[test]
fn what_is_not_known_is_refused_with_the_nearest_and_what_lists_the_others() {
    let folder = folder();
    let (cases, all) =
        ("`warpscope conform list` lists the cases", "`warpscope conform coverage --all");
    let of_mpa = format!("{all} --document rfc5044` lists the requirements of RFC5044\n");
    let all = format!("{all}` lists the requirements\n");
    for (id, told) in [
        ("mpa-setup-kee", format!("; did you mean mpa-setup-key? {cases}, and {all}")),
        ("rfc5044-4.3-99", format!("; did you mean RFC5044-4.3-09? {cases}, and {of_mpa}")),
        ("nothing-like-it-at-all", format!("; {cases}, and {all}")),
        (
            "setup",
            format!(
                "; `warpscope conform list '*setup*'` lists the cases with setup in their ids, and {all}"
            ),
        ),
    ] {
        warpscope(&["conform", "explain", id, "--cases"])
            .arg(folder.path())
            .assert()
            .code(2)
            .stdout("")
            .stderr(format!("warpscope: no case or requirement is called {id}{told}"));
    }
    for (id, told) in [
        ("RFC5044-4.3-99", format!("; did you mean RFC5044-4.3-09? {of_mpa}")),
        ("nothing-like-it-at-all", format!("; {all}")),
    ] {
        for words in [&["new", "my-case", "-o", "-", "--covers"][..], &["list", "--covers"]] {
            warpscope(&["conform"])
                .args(words)
                .arg(id)
                .assert()
                .code(2)
                .stdout("")
                .stderr(format!("warpscope: no requirement has the id {id}{told}"));
        }
    }
    // What is named there does list them.
    warpscope(&["conform", "coverage", "--all", "--document", "rfc5044"])
        .assert()
        .success()
        .stdout(predicate::str::contains("RFC5044-4.3-09"));
}

#[test]
fn nothing_is_wrong_with_what_is_built_in_or_begun() {
    let clean = || predicate::str::ends_with(": nothing is wrong\n");
    warpscope(&["conform", "lint"]).assert().success().stdout(clean());
    let folder = folder();
    warpscope(&["conform", "lint"]).arg(folder.path()).assert().success().stdout(clean());
    let file = folder.path().join("mine.yaml");
    warpscope(&["conform", "new", "mine", "-o"]).arg(&file).assert().success();
    warpscope(&["conform", "lint"])
        .arg(&file)
        .assert()
        .success()
        .stdout("1 file: nothing is wrong\n");
}

#[test]
fn the_schema_is_json_that_knows_the_keys_of_a_case() {
    let schema = warpscope(&["conform", "schema"]).assert().success().stderr("");
    let schema: Value = serde_json::from_slice(&schema.get_output().stdout).unwrap();
    assert!(schema["$schema"].as_str().unwrap().contains("json-schema.org"));
    let text = schema.to_string();
    for key in ["covers", "kills", "across", "rdma_read_request"] {
        assert!(text.contains(&format!("\"{key}\"")), "{key}");
    }
}

#[test]
fn a_case_with_mistakes_is_listed_and_explained_all_the_same() {
    let folder = folder();
    save(
        folder.path(),
        "wrong.yaml",
        &KEY.replace("mpa-setup-key", "mine").replace("settle", "stetle"),
    );
    assert!(of(&folder, &["list", "mine"]).contains("    mine  SHOULD      ?  The reply "));
    assert!(
        of(&folder, &["explain", "mine"]).contains("  Instances  not known: `conform lint` says")
    );
}

#[test]
fn lint_says_what_is_wrong_and_where() {
    let folder = folder();
    save(folder.path(), "bug.yaml", &KEY.replace("level: should", "kills: [terminate-layer-wron]"));
    save(folder.path(), "broken.yaml", "title: no id\nsteps: []\n");
    save(folder.path(), "rfc5044/7.1.1-setup-frames/again.yaml", KEY);
    warpscope(&["conform", "lint"])
        .arg(folder.path())
        .assert()
        .code(1)
        .stdout(predicate::str::contains("broken.yaml:1:1: "))
        .stdout(predicate::str::contains("`id`"))
        .stdout(predicate::str::contains("`mpa-setup-key` is the id of "))
        .stdout(predicate::str::contains("did you mean `terminate-layer-wrong`?"))
        .stdout(predicate::str::contains("\n  1 | title: no id\n    | ^\n"));
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
fn a_file_that_is_no_text_is_told_and_the_others_are_checked() {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("bytes.yaml"), b"id: x\ntitle: \xe4\n").unwrap();
    save(folder.path(), "wrong.yaml", &MINE.replace("needs", "nedes"));
    warpscope(&["conform", "lint"])
        .arg(folder.path())
        .assert()
        .code(1)
        .stdout(predicate::str::contains("bytes.yaml:2:8: this is not text: the byte 0xe4 is no"))
        .stdout(predicate::str::contains("wrong.yaml:"))
        .stdout(predicate::str::contains("did you mean `needs`?"))
        .stdout(predicate::str::ends_with("2 files: 2 mistakes\n"));
}

#[test]
fn a_file_stands_for_a_folder_and_may_use_what_is_built_in() {
    let folder = TempDir::new().unwrap();
    save(folder.path(), "mine.yaml", MINE);
    let file = folder.path().join("mine.yaml");
    warpscope(&["conform", "list", "--cases"])
        .arg(&file)
        .assert()
        .success()
        .stdout(predicate::str::contains("    mine  MUST        1  Mine\n"));
    warpscope(&["conform", "lint"])
        .arg(&file)
        .assert()
        .success()
        .stdout("1 file: nothing is wrong\n");
    warpscope(&["conform", "run", "--self", "--cases"])
        .arg(&file)
        .assert()
        .success()
        .stdout(predicate::str::contains("1 pass in "));
    warpscope(&["conform", "new", "other", "--cases"])
        .arg(&file)
        .assert()
        .code(2)
        .stderr(predicate::str::contains("a new case goes into a folder"));
}

#[test]
fn a_failure_is_told_in_words() {
    let folder = TempDir::new().unwrap();
    let text = "id: mine\ntitle: Mine\ncovers: [RFC5040-4.8-03]\nneeds: [agent, send]\nsteps:\n\
                - connect: {receives: 1, receive_size: 64}\n- send: {send: {payload: 32}}\n\
                - expect: {no_report: {arrival: {}}}\n";
    save(folder.path(), "mine.yaml", text);
    warpscope(&["conform", "run", "--self", "--cases"])
        .arg(folder.path().join("mine.yaml"))
        .assert()
        .code(1)
        .stdout(predicate::str::contains(
            "expected no arrival; the target reported an arrival of 32 bytes, receive 1\n",
        ))
        .stdout(predicate::str::contains(
            "\n            report: an arrival of 32 bytes, receive 1\n",
        ));
}

#[test]
fn the_instances_of_the_help_are_there() {
    let help = warpscope(&["conform", "run", "--help"]).assert().success();
    let help = String::from_utf8(help.get_output().stdout.clone()).unwrap();
    let instance = help.split('\'').find(|it| it.ends_with(']')).unwrap();
    assert_eq!(instance, "mpa-crc-wrong[markers=off,after=1]");
    warpscope(&["conform", "run", "--self", instance])
        .assert()
        .success()
        .stdout(predicate::str::contains(": 1 pass in "));
    warpscope(&["--help"])
        .assert()
        .success()
        .stdout(predicate::str::contains("conformance suite and reference peer"))
        .stdout(predicate::str::contains("Run the conformance suite against an implementation"));
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
        .stdout(predicate::str::starts_with("wrote "))
        .stdout(predicate::str::contains("\n  warpscope conform lint "))
        .stdout(predicate::str::contains("\n  warpscope conform run --self --cases "))
        .stdout(predicate::str::ends_with(" -v my-case\n"));
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
