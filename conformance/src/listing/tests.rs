//! Cases as a reader sees them.

use super::*;
use crate::case::Context;
use crate::layout::Layouts;
use std::sync::LazyLock;
use warpscope_requirements::Catalogue;

const CASE: &str = "\
id: rdmap-read-unknown-stag
title: A Read Request that names an unknown STag
  is refused
covers: [RFC5040-4.8-03, RFC5040-7.1-02]
kills: [read-ignores-stag]
needs: [rdma-read]
tags: [terminate]
across: {crc: [on, off], cut: [whole, {at: [1, 2]}]}
steps:
  - connect: {}
  - connect: {crc: on}
    stream: b
  - send: {rdma_read_request: {source: {stag: 0xDEADBEEF, to: 0}, sink: $local.read_sink, size: 64}}
    note: nobody advertised it
  - repeat:
      for: size
      in: [0, 1]
      steps:
        - set: {end: $size + 1}
        - use: {fragment: settle, with: {time: 2s}}
  - expect: {terminate: {layer: rdmap, ddp_header: echoes}}
    within: 2s
  - expect: {closed: any}
  - wait: 10ms
  - close: half
";

static CATALOGUE: LazyLock<Catalogue> = LazyLock::new(|| Catalogue::builtin().unwrap());
static LAYOUTS: LazyLock<Layouts> = LazyLock::new(|| Layouts::builtin().unwrap());

fn context() -> Context<'static> {
    Context { layouts: &LAYOUTS, catalogue: &CATALOGUE, bugs: None }
}

fn card(path: &str, text: &str) -> Card {
    Card::read(path, text).unwrap().unwrap()
}

fn library(files: &[(&str, &str)]) -> Library {
    let file = |(path, text): &(&str, &str)| CaseFile {
        path: (*path).to_owned(),
        text: (*text).to_owned(),
    };
    Library::new(files.iter().map(file).collect(), &CATALOGUE)
}

#[test]
fn a_case_in_words() {
    let card = card("rfc5040/4.8-terminate-message/unknown-stag.yaml", CASE);
    assert_eq!(card.title, "A Read Request that names an unknown STag is refused");
    let place = [&card.document, &card.section, &card.section_title];
    assert_eq!(place, ["RFC5040", "4.8", "terminate message"]);
    assert_eq!(card.axes[0], ("crc".to_owned(), vec!["on".to_owned(), "off".to_owned()]));
    assert_eq!(card.axes[1].1, ["whole", "at [1, 2]"]);
    assert_eq!(
        card.steps,
        [
            "Set the stream up",
            "Set the stream up with crc on; stream b",
            "Send rdma read request (source (stag 0xDEADBEEF, to 0), sink $local.read_sink, size 64) \
             (nobody advertised it)",
            "For each $size of [0, 1]:",
            "  Set $end to $size + 1",
            "  Do the steps of settle with time 2s",
            "Expect terminate (layer rdmap, ddp header echoes); within 2s",
            "Expect closed any",
            "Wait 10ms",
            "Close our side: half",
        ]
    );
}

#[test]
fn the_level_is_the_strongest_or_what_is_stated() {
    let should = CATALOGUE.all().iter().find(|it| it.level.word() == "SHOULD").unwrap();
    let must = CATALOGUE.all().iter().find(|it| it.level.word() == "MUST NOT").unwrap();
    let level = |covers: &str, more: &str| {
        let text = format!("id: a\ntitle: b\ncovers: [{covers}]\n{more}");
        card("a.yaml", &text).level(&CATALOGUE)
    };
    assert_eq!(level(&should.id, ""), "SHOULD");
    assert_eq!(level(&format!("{}, {}", should.id, must.id), ""), "MUST");
    assert_eq!(level(&must.id, "level: should\n"), "SHOULD");
}

#[test]
fn without_folders_the_first_requirement_says_the_place() {
    let card = card("mine.yaml", "id: a\ntitle: b\ncovers: [RFC5044-7.1.2-03]\n");
    assert_eq!((card.document.as_str(), card.section.as_str()), ("RFC5044", "7.1.2"));
}

#[test]
fn the_library_stands_in_the_order_of_the_documents() {
    let case = |id: &str| format!("id: {id}\ntitle: t\ncovers: []\n");
    let (a, b, c, d) = (case("a"), case("b"), case("c"), case("d"));
    let library = library(&[
        ("commit/3.1-x/a.yaml", &a),
        ("rfc5040/10-y/b.yaml", &b),
        ("rfc5040/4.8-z/c.yaml", &c),
        ("shared/settle.yaml", "fragment: settle\ntitle: t\nsteps: []\n"),
        ("d.yaml", &d),
        ("broken.yaml", "title: no id\n"),
        ("rfc5040/4.8-z/e.yaml", "id: [\n"),
    ]);
    let ids: Vec<&str> = library.cards.iter().map(|card| card.id.as_str()).collect();
    assert_eq!(ids, ["c", "b", "a", "d"]);
    let broken: Vec<&str> = library.broken.iter().map(|it| it.file.as_str()).collect();
    assert_eq!(broken, ["broken.yaml", "rfc5040/4.8-z/e.yaml"]);
    assert_eq!(library.broken[0].message, "the key `id` is missing");
    assert!(library.find("B").is_some());
}

#[test]
fn a_new_case_can_be_read_and_says_what_is_demanded() {
    let requirement = CATALOGUE.find("RFC5041-4.1-01").unwrap();
    let library = library(&[]);
    let scaffold = Scaffold::new("ddp-new", vec![requirement], &library).unwrap();
    let text = scaffold.text();
    assert!(text.starts_with("# RFC5041-4.1-01 (MUST): "), "{text}");
    assert!(!text.contains('{') || !text.contains("{id}"), "{text}");
    assert!(text.lines().all(|line| line.len() <= 100), "{text}");
    let card = card("ddp-new.yaml", &text);
    assert_eq!((&*card.id, &*card.covers), ("ddp-new", &["RFC5041-4.1-01".to_owned()][..]));
    assert_eq!(scaffold.folder(&library).as_deref(), Some("rfc5041/4.1"));
}

#[test]
fn nothing_is_wrong_with_a_new_case() {
    let none = library(&[]);
    for covers in [Vec::new(), vec![CATALOGUE.find("RFC5041-4.1-01").unwrap()]] {
        let text = Scaffold::new("ddp-new", covers, &none).unwrap().text();
        let made = library(&[("ddp-new.yaml", &text)]);
        assert_eq!(made.mistakes(context()), []);
        assert_eq!(made.expanded(context()).all()[0].instances.len(), 1);
    }
}

#[test]
fn what_is_commented_out_in_a_new_case_can_be_taken_in() {
    let text = Scaffold::new("ddp-new", Vec::new(), &library(&[])).unwrap().text();
    let mut whole = text.replace("- send: {send: {}}", "- send: {send: {payload: $size}}");
    for key in ["kills:", "tags:", "across:", "buffers:", "  target: {sink"] {
        let commented = format!("# {key}");
        assert!(whole.contains(&commented), "{key}");
        whole = whole.replace(&commented, key);
    }
    let made = library(&[("ddp-new.yaml", &whole)]);
    assert_eq!(made.mistakes(context()), []);
    assert_eq!(made.expanded(context()).all()[0].instances.len(), 6);
}

#[test]
fn files_with_mistakes_do_not_hide_the_others() {
    let good =
        "id: good\ntitle: t\ncovers: [RFC5041-4.1-01]\nsteps:\n  - connect: {}\n  - use: settle\n";
    let bad = "id: bad\ntitle: t\ncovers: [RFC5041-3-99]\nsteps:\n  - connect: {}\n  - wiat: 1s\n";
    let settle = "fragment: settle\ntitle: t\nsteps:\n  - wait: 10ms\n";
    let made = library(&[("a.yaml", bad), ("b.yaml", good), ("settle.yaml", settle)]);
    let expanded = made.expanded(context());
    let ids: Vec<&str> = expanded.all().iter().map(|case| case.id.as_str()).collect();
    assert_eq!(ids, ["good"]);
    let wrong = made.mistakes(context());
    assert!(wrong.len() == 2 && wrong.iter().all(|it| it.file == "a.yaml"), "{wrong:?}");
}

#[test]
fn a_new_case_goes_where_its_section_is_and_has_a_new_id() {
    let requirement = CATALOGUE.find("RFC5041-3-01").unwrap();
    let library = library(&[("rfc5041/3-service/one.yaml", "id: one\ntitle: t\ncovers: []\n")]);
    let scaffold = Scaffold::new("two", vec![requirement], &library).unwrap();
    assert_eq!(scaffold.folder(&library).as_deref(), Some("rfc5041/3-service"));
    assert_eq!(
        Scaffold::new("one", Vec::new(), &library).unwrap_err().to_string(),
        "the case `one` already exists in rfc5041/3-service/one.yaml"
    );
    for id in ["", "Big", "a b", "-a", "a-", "../a"] {
        assert!(matches!(Scaffold::new(id, Vec::new(), &library), Err(NoCaseId::Characters(_))));
    }
}
