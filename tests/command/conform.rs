//! `warpscope conform`.

use super::program::{Folder, has, json, json_has, printed, refused, run};
use serde_json::json;

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
fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("rfc5040/4.8-terminate/unknown-stag.yaml", STAG);
    folder.write("rfc5044/7.1.1-setup-frames/key.yaml", KEY);
    folder.write("shared/settle.yaml", "fragment: settle\ntitle: t\nsteps:\n  - wait: 1ms\n");
    folder
}

/// What `conform` prints with the cases of a folder.
fn of(folder: &Folder, arguments: &str) -> String {
    printed(format!("conform {arguments} --cases {folder}"))
}

#[test]
fn the_list_reads_like_the_contents_of_the_documents() {
    assert_eq!(
        of(&folder(), "list"),
        "RFC 5040\n  4.8 terminate\n    rdmap-read-unknown-stag  MUST        2  A Read Request that \
         names an unknown STag is refused\n\nRFC 5044\n  7.1.1 setup frames\n    mpa-setup-key            \
         SHOULD      1  The reply has the key of replies\n\n2 cases, 3 instances\n"
    );
}

#[test]
fn cases_are_selected_by_id_section_tag_level_and_requirement() {
    let folder = folder();
    for (arguments, stag, key) in [
        ("rdmap-*", true, false),
        ("mpa-setup-key[crc=on]", false, true),
        ("*", true, true),
        ("--section rfc5040", true, false),
        ("--section rfc5044-7.1", false, true),
        ("--section RFC5044-7 --section rfc5040", true, true),
        ("--tag terminate", true, false),
        ("--level should", false, true),
        ("--covers rfc5040-7.1-02", true, false),
    ] {
        let printed = of(&folder, &format!("list {arguments}"));
        assert_eq!(printed.contains("rdmap-read-unknown-stag"), stag, "{arguments}");
        assert_eq!(printed.contains("mpa-setup-key"), key, "{arguments}");
    }
}

#[test]
fn what_selects_nothing_is_refused_with_advice() {
    let folder = folder();
    let lists = "`warpscope conform list` lists the cases";
    let unknown = "the id RFC5040-4.8-99";
    let holding = "`warpscope conform list '*setup*'` lists the cases with setup in";
    for (arguments, message) in [
        ("mpa-setup-kay", format!("no case matches; did you mean mpa-setup-key? {lists}")),
        ("setup", format!("no case matches; {holding}")),
        ("--tag nosuch", format!("no case matches; {lists}")),
        (
            "--section rfc9",
            "--section rfc9: the catalogue has no such document; expected one of ".into(),
        ),
        ("--section rfc5040-4..8", "--section rfc5040-4..8: \"4..8\" is no section".into()),
        ("--level most", "--level MOST: expected must, should or may".into()),
        ("--covers RFC5040-4.8-99", format!("no requirement has {unknown}; did you mean")),
    ] {
        let error = refused(format!("conform list --cases {folder} {arguments}"));
        assert!(error.starts_with(&message), "{arguments}: {error}");
    }
}

#[test]
fn the_list_as_json_and_markdown() {
    let folder = folder();
    json_has(
        &json(of(&folder, "list --format json")),
        json!({
            "/0/id": "rdmap-read-unknown-stag",
            "/0/document": "RFC5040",
            "/0/section": "4.8",
            "/0/covers/1": "RFC5040-7.1-02",
            "/0/axes/0/values/1": "off",
            "/1/level": "SHOULD",
        }),
    );
    let markdown = of(&folder, "list --format markdown");
    assert!(markdown.starts_with("## RFC 5040\n\n### 4.8 terminate\n\n| Case | "), "{markdown}");
    has(&markdown, &["\n| `mpa-setup-key` | SHOULD | The reply has "]);
}

#[test]
fn a_case_is_explained() {
    let folder = folder();
    let printed = of(&folder, "explain rdmap-read-unknown-stag");
    has(
        &printed,
        &[
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
        ],
    );
    assert_eq!(of(&folder, "explain rdmap-read-unknown-stag[crc=on]"), printed);
    let fragments = "  Fragments  settle: t\n              1. Wait 1ms\n";
    has(&of(&folder, "explain MPA-setup-key"), &[fragments]);
    let cases = "  Cases      rdmap-read-unknown-stag: A Read Request ";
    has(&of(&folder, "explain rfc5040-7.1-02"), &[cases]);
}

#[test]
fn what_is_not_known_is_refused_with_the_nearest_and_what_lists_the_others() {
    let folder = folder();
    let (cases, all) =
        ("`warpscope conform list` lists the cases", "`warpscope conform coverage --all");
    let of_mpa = format!("{all} --document rfc5044` lists the requirements of RFC5044\n");
    let all = format!("{all}` lists the requirements\n");
    let of_setup =
        "`warpscope conform list '*setup*'` lists the cases with setup in their ids".to_owned();
    for (id, hint) in [
        ("mpa-setup-kee", format!("did you mean mpa-setup-key? {cases}, and {all}")),
        ("rfc5044-4.3-99", format!("did you mean RFC5044-4.3-09? {cases}, and {of_mpa}")),
        ("nothing-like-it-at-all", format!("{cases}, and {all}")),
        ("setup", format!("{of_setup}, and {all}")),
    ] {
        let message = refused(format!("conform explain {id} --cases {folder}"));
        assert_eq!(message, format!("no case or requirement is called {id}; {hint}"));
    }
    for (id, hint) in [
        ("RFC5044-4.3-99", format!("did you mean RFC5044-4.3-09? {of_mpa}")),
        ("nothing-like-it-at-all", all),
    ] {
        for words in ["new my-case -o -", "list"] {
            let message = refused(format!("conform {words} --covers {id}"));
            assert_eq!(message, format!("no requirement has the id {id}; {hint}"));
        }
    }
    // What is named there does list them.
    let listed = run("conform coverage --all --document rfc5044").with(0);
    has(&listed.out, &["RFC5044-4.3-09"]);
}

#[test]
fn nothing_is_wrong_with_what_is_built_in_or_begun() {
    let folder = folder();
    for paths in [String::new(), folder.to_string(), format!("--cases {folder}")] {
        let output = run(format!("conform lint {paths}")).with(0).out;
        assert!(output.ends_with(": no mistakes found\n"), "{output}");
    }
    run(format!("conform new mine -o {folder}/mine.yaml")).with(0);
    let output = run(format!("conform lint {folder}/mine.yaml")).with(0).out;
    assert_eq!(output, "1 file: no mistakes found\n");
}

#[test]
fn the_schema_is_json_that_knows_the_keys_of_a_case() {
    let schema = json(printed("conform schema"));
    has(schema["$schema"].as_str().unwrap(), &["json-schema.org"]);
    has(&schema.to_string(), &["\"covers\"", "\"kills\"", "\"across\"", "\"rdma_read_request\""]);
}

#[test]
fn a_case_with_mistakes_is_listed_and_explained_all_the_same() {
    let folder = folder();
    folder.write("wrong.yaml", KEY.replace("mpa-setup-key", "mine").replace("settle", "stetle"));
    has(&of(&folder, "list mine"), &["    mine  SHOULD      ?  The reply "]);
    has(&of(&folder, "explain mine"), &["  Instances  unknown: run `conform lint` to see"]);
}

#[test]
fn lint_says_what_is_wrong_and_where() {
    let folder = folder();
    folder.write("bug.yaml", KEY.replace("level: should", "kills: [terminate-layer-wron]"));
    folder.write("broken.yaml", "title: no id\nsteps: []\n");
    folder.write("rfc5044/7.1.1-setup-frames/again.yaml", KEY);
    has(
        &run(format!("conform lint {folder}")).with(1).out,
        &[
            "broken.yaml:1:1: ",
            "`id`",
            "the id `mpa-setup-key` is already used by ",
            "did you mean `terminate-layer-wrong`?",
            "\n  1 | title: no id\n    | ^\n",
        ],
    );
    let empty = Folder::new();
    let message = run(format!("conform lint {empty}")).with(2).err;
    assert!(message.ends_with(": no file there ends in .yaml\n"), "{message}");
    has(&run(format!("conform lint {empty}/none.yaml")).with(2).err, &["cannot read "]);
}

#[test]
fn a_file_that_is_no_text_is_told_and_the_others_are_checked() {
    let folder = Folder::new();
    folder.write("bytes.yaml", b"id: x\ntitle: \xe4\n");
    folder.write("wrong.yaml", MINE.replace("needs", "nedes"));
    let output = run(format!("conform lint {folder}")).with(1).out;
    has(&output, &["bytes.yaml:2:8: this is not text: the byte 0xe4 is no"]);
    has(&output, &["wrong.yaml:", "did you mean `needs`?"]);
    assert!(output.ends_with("2 files: 2 mistakes\n"), "{output}");
}

#[test]
fn a_file_stands_for_a_folder_and_may_use_what_is_built_in() {
    let folder = Folder::new();
    let file = folder.write("mine.yaml", MINE);
    for (line, status, expected) in [
        ("list --cases", 0, "    mine  MUST        1  Mine\n"),
        ("lint", 0, "1 file: no mistakes found\n"),
        ("run --self --cases", 0, "1 pass in "),
        ("new other --cases", 2, "a new case needs a folder"),
    ] {
        let ended = run(format!("conform {line} {file}")).with(status);
        has(if status == 0 { &ended.out } else { &ended.err }, &[expected]);
    }
}

#[test]
fn a_failure_is_told_in_words() {
    let text = "id: mine\ntitle: Mine\ncovers: [RFC5040-4.8-03]\nneeds: [agent, send]\nsteps:\n\
                - connect: {receives: 1, receive_size: 64}\n- send: {send: {payload: 32}}\n\
                - expect: {no_report: {arrival: {}}}\n";
    let folder = Folder::new();
    folder.write("mine.yaml", text);
    let came = "an arrival of 32 bytes, receive 1\n";
    let reported =
        format!("the target reported {}; sent last: Send QN=0 MSN=1 Len=32", came.trim_end());
    let report = format!("\n            report: {came}");
    let ended = run(format!("conform run --self --cases {folder}/mine.yaml")).with(1);
    has(&ended.out, &[&reported, &report, "expected no arrival\n"]);
}

#[test]
fn the_instances_of_the_help_are_there() {
    let help = run("conform run --help").with(0).out;
    let instance = help.split('\'').find(|it| it.ends_with(']')).unwrap();
    assert_eq!(instance, "mpa-crc-wrong[markers=off,after=1]");
    has(&run(format!("conform run --self {instance}")).with(0).out, &[": 1 pass in "]);
    let parts = [
        "conformance suite and reference peer",
        "Run the conformance suite against an implementation",
    ];
    has(&run("--help").with(0).out, &parts);
}

#[test]
fn coverage_in_three_formats() {
    let text = printed("conform coverage --document rfc8797");
    assert!(text.starts_with("                 MUST, active  "), "{text}");
    has(&text, &["\nRFC 8797  "]);
    let coverage = json(run("conform coverage --format json").with(0).out);
    assert_eq!(coverage["format"], "warpscope-conformance-coverage/1");
    assert_eq!(coverage["documents"].as_array().unwrap().len(), 17);
    let [total, covered, waived] = ["total", "covered", "waived"]
        .map(|key| coverage["tally"]["active_must"][key].as_u64().unwrap());
    assert_eq!(total, covered + waived);
    let markdown = run("conform coverage --format markdown --all").with(0).out;
    assert!(markdown.starts_with("# Coverage\n\n| Document | MUST, active | "), "{markdown}");
    has(&markdown, &["\n| `RFC5044-4.4-12` | "]);
    let message = run("conform coverage --document rfc9").with(2).err;
    assert!(
        message.starts_with("warpscope: --document rfc9: expected one of rfc5040, "),
        "{message}"
    );
}

#[test]
fn the_matrix_has_no_hole_that_is_not_explained() {
    let text = run("conform coverage --matrix").with(0).out;
    has(&text, &["Profile rfc5040", "\n  0x13  send_with_immediate ", "\nRFC 5040 appendix B\n"]);
    let matrix = json(run("conform coverage --matrix --format json").with(0).out);
    assert_eq!(matrix["format"], "warpscope-conformance-matrix/1");
    let markdown = run("conform coverage --matrix --format markdown").with(0).out;
    has(&markdown, &["\n## Profile commit\n", "\n| flush, send | "]);
    // One case alone leaves holes.
    let folder = folder();
    let case = "id: a\ntitle: t\ncovers: [RFC5040-B-04]\nsteps:\n  - expect: nothing\n";
    let file = folder.write("a.yaml", case);
    let message = run(format!("conform coverage --matrix --cases {file}")).with(1).err;
    has(&message, &["no case tries it: send taken by the target as responder, profile rfc5040\n"]);
}

#[test]
fn a_must_without_a_case_and_an_idle_waiver_fail_coverage() {
    let folder = folder();
    let text = "waivers:\n  - {id: RFC5044-4.4-12, reason: a capture shows it}\n";
    let waivers = folder.write("waivers.txt", text);
    let message = run(format!("conform coverage --cases {folder} --waivers {waivers}")).with(1).err;
    let idle = "waivers.txt:2: RFC5044-4.4-12 is not a MUST that needs a peer";
    has(&message, &[idle, ": no case covers it\n"]);
}

#[test]
fn a_new_case_is_begun_where_it_belongs() {
    let folder = folder();
    let begun =
        run(format!("conform new my-case --covers RFC5040-4.8-03 --cases {folder}")).with(0);
    let output = &begun.out;
    assert!(output.starts_with("wrote ") && output.ends_with(" -v my-case\n"), "{output}");
    let next = ["\n  warpscope conform lint ", "\n  warpscope conform run --self --cases "];
    has(&begun.out, &next);
    let text = folder.read("rfc5040/4.8-terminate/my-case.yaml");
    assert!(text.starts_with("# RFC5040-4.8-03 ("), "{text}");
    has(&of(&folder, "list my-case"), &["    my-case  "]);
    has(&run("conform new my-case -o -").with(0).out, &["\nid: my-case\n"]);
    let there = folder.write("there.yaml", "kept");
    for (arguments, expected) in [
        (format!("my-case --cases {folder}"), "the case `my-case` already exists"),
        ("'My Case'".to_owned(), "lowercase letters, digits and hyphens"),
        (format!("other -o {there}"), "already exists"),
    ] {
        has(&run(format!("conform new {arguments}")).with(2).err, &[expected]);
    }
    assert_eq!(folder.read("there.yaml"), "kept");
}
