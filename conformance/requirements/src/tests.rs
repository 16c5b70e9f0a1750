//! What a file of the catalogue may not be, and what the catalogue finds.

use super::catalogue;
use crate::{Catalogue, Judged, Level, Party, Section, Stated};

/// A file that is right, with two requirements in one section.
const RIGHT: &str = "\
document: RFC5040
title: A title
requirements:
  - id: RFC5040-4.8-01
    level: MUST NOT
    binds: [data sink, ulp]
    text: >-
      A first thing
      is not done.
    judged: passive
    how: It is seen.
  - id: RFC5040-4.8-02
    level: SHOULD
    binds: [both]
    text: A second thing.
    judged: unobservable
    how: It is not seen.
    same_as: [RFC5040-4.8-01, RFC8797-3-01]
    stated: figure
";

/// The faults of [`RIGHT`] after `from` was replaced by `to`, as text.
fn faults_after(from: &str, to: &str) -> String {
    assert!(RIGHT.contains(from), "{from:?} is not in the file: nothing would change");
    let wrong = RIGHT.replacen(from, to, 1);
    match Catalogue::read(&[("a.yaml", &wrong)]) {
        Ok(_) => "no faults".to_owned(),
        Err(faults) => faults.to_string(),
    }
}

#[test]
fn the_catalogue_that_is_built_in_has_no_faults() {
    let catalogue = Catalogue::builtin().unwrap_or_else(|faults| panic!("\n{faults}\n"));
    for (name, _) in catalogue::FILES {
        let document = name.strip_suffix(".yaml").unwrap();
        assert!(catalogue.in_document(document).count() > 0, "{name} is about another document");
    }
    for document in catalogue.documents() {
        let known = catalogue::DOCUMENTS.contains(&document.id.as_str());
        assert!(known, "{} is missing in the list of documents", document.id);
    }
}

#[test]
fn every_file_beside_the_source_is_built_in() {
    for entry in std::fs::read_dir(env!("CARGO_MANIFEST_DIR")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let built_in = catalogue::FILES.iter().any(|(it, _)| *it == name);
        assert!(built_in || !name.ends_with(".yaml"), "{name}: add a line to FILES in builtin.rs");
    }
}

#[test]
fn an_entry_is_read_word_for_word() {
    let catalogue = Catalogue::read(&[("a.yaml", RIGHT)]).unwrap();
    let [first, second] = catalogue.all() else { panic!("two requirements are in the file") };
    assert_eq!(first.id, "RFC5040-4.8-01");
    assert_eq!(first.document, "RFC5040");
    assert_eq!(first.section.to_string(), "4.8");
    assert_eq!(first.level, Level::MustNot);
    assert_eq!(first.binds, [Party::DataSink, Party::Ulp]);
    assert_eq!(first.text, "A first thing is not done.");
    assert_eq!((first.judged, first.how.as_str()), (Judged::Passive, "It is seen."));
    assert_eq!((first.same_as.len(), first.stated), (0, Stated::Text));
    assert_eq!((second.level, second.judged), (Level::Should, Judged::Unobservable));
    assert_eq!(second.same_as, ["RFC5040-4.8-01", "RFC8797-3-01"]);
    assert_eq!(second.stated, Stated::Figure);
    assert_eq!(catalogue.documents().first().map(|it| it.title.as_str()), Some("A title"));
}

#[test]
fn the_words_that_are_shown_are_those_that_are_read() {
    use Party::*;
    for party in
        [Sender, Receiver, Both, DataSource, DataSink, Initiator, Responder, Requester, Ulp]
            .into_iter()
            .chain([Llp, Implementation, ResourceManager, Ipsec])
    {
        assert_eq!(serde_saphyr::from_str::<Party>(party.word()).unwrap(), party);
    }
    for level in [Level::Must, Level::MustNot, Level::Should, Level::ShouldNot, Level::May] {
        assert_eq!(serde_saphyr::from_str::<Level>(level.word()).unwrap(), level);
    }
    for judged in [Judged::Passive, Judged::Active, Judged::Unobservable] {
        assert_eq!(serde_saphyr::from_str::<Judged>(judged.word()).unwrap(), judged);
    }
}

#[test]
fn a_fault_names_file_line_and_what_is_wrong() {
    let long = "x".repeat(401);
    let cases = [
        ("level: MUST NOT", "level: WILL", "a.yaml:5: ", "WILL"),
        ("[both]", "[everybody]", "a.yaml:14: ", "everybody"),
        ("[both]", "[]", "a.yaml:14: ", "binds nobody"),
        ("[data sink, ulp]", "[ulp, ulp]", "a.yaml:6: ", "ulp is bound twice"),
        ("judged: passive", "judged: sometimes", "a.yaml:10: ", "sometimes"),
        ("stated: figure", "stated: loudly", "a.yaml:19: ", "loudly"),
        ("stated: figure", "drawn: yes", "a.yaml:19: ", "drawn"),
        ("    how: It is not seen.\n", "", "a.yaml:", "how"),
        ("It is not seen.", "\"\"", "a.yaml:17: ", "the how is empty"),
        ("A second thing.", "'  '", "a.yaml:15: ", "the text is empty"),
        ("A second thing.", &long, "a.yaml:15: ", "401 characters"),
        ("text: >-", "text: |-", "a.yaml:8: ", "write it with >-"),
        ("4.8-02", "4.8-03", "a.yaml:12: ", "should have the number 02"),
        ("4.8-01", "4.8-00", "a.yaml:4: ", "should have the number 01"),
        ("id: RFC5040-4.8-02", "id: RFC5040-4.7-01", "a.yaml:12: ", "keep the order of the text"),
        ("id: RFC5040-4.8-02", "id: RFC5040-4.8-2", "a.yaml:12: ", "should read like"),
        ("id: RFC5040-4.8-02", "id: RFC5041-4.8-02", "a.yaml:12: ", "should read like"),
        ("id: RFC5040-4.8-02", "id: RFC5040-4.x-02", "a.yaml:12: ", "4.x"),
        ("id: RFC5040-4.8-02", "id: RFC5040-4.8-01", "a.yaml:12: ", "already, at a.yaml:4"),
        ("[RFC5040-4.8-01,", "[RFC5040-4.8-07,", "a.yaml:18: ", "names RFC5040-4.8-07"),
        ("RFC8797-3-01", "RFC9999-3-01", "a.yaml:18: ", "names RFC9999-3-01"),
        ("[RFC5040-4.8-01,", "[RFC5040-4.8-02,", "a.yaml:12: ", "the same as itself"),
        ("A title", "''", "a.yaml:2: ", "the title is empty"),
        ("document: RFC5040", "document: RFC-5040", "a.yaml:1: ", "letters and digits"),
        ("title: A title", "title: [", "a.yaml:", ""),
    ];
    for (from, to, place, what) in cases {
        let faults = faults_after(from, to);
        let named = faults.lines().any(|it| it.starts_with(place) && it.contains(what));
        assert!(named, "{from} -> {to}: {place}{what} is not in:\n{faults}");
    }
}

#[test]
fn faults_of_all_files_are_told_at_once_and_in_order() {
    let first = RIGHT.replace("A second thing.", "''").replace("4.8-01\n", "4.8-04\n");
    let files = [("b.yaml", first.as_str()), ("a.yaml", "document: [")];
    let faults = Catalogue::read(&files).unwrap_err();
    let places: Vec<(&str, u64)> =
        faults.0.iter().map(|it| (it.file.as_str(), it.line)).take(2).collect();
    assert_eq!(places, [("b.yaml", 4), ("b.yaml", 12)], "{faults}");
    assert_eq!(faults.0.last().map(|it| it.file.as_str()), Some("a.yaml"), "{faults}");
}

#[test]
fn one_document_has_one_file() {
    let faults = Catalogue::read(&[("a.yaml", RIGHT), ("b.yaml", RIGHT)]).unwrap_err().to_string();
    assert!(faults.contains("b.yaml:1: RFC5040 is the document of a.yaml too"), "{faults}");
    assert!(faults.contains("b.yaml:4: RFC5040-4.8-01 is there already"), "{faults}");
}

#[test]
fn an_id_is_found_in_any_case_and_a_wrong_one_gets_a_suggestion() {
    let catalogue = Catalogue::read(&[("a.yaml", RIGHT)]).unwrap();
    assert_eq!(catalogue.find("rfc5040-4.8-02").unwrap().level, Level::Should);
    let unknown = catalogue.find("rfc504-4.8-02").unwrap_err();
    let message = "no requirement has the id rfc504-4.8-02; did you mean RFC5040-4.8-02?";
    assert_eq!(unknown.to_string(), message);
    let unknown = catalogue.find("something else").unwrap_err();
    assert_eq!(unknown.to_string(), "no requirement has the id something else");
    assert_eq!(catalogue.in_document("rfc5040").count(), 2);
    assert_eq!(catalogue.in_document("RFC504").count(), 0);
}

#[test]
fn the_suggestion_is_of_the_same_document() {
    let catalogue = Catalogue::builtin().unwrap();
    let nearest = |id: &str| catalogue.nearest(id).map(|it| it.id.clone());
    let near = nearest("RFC5041-5.4-99").unwrap();
    assert!(near.starts_with("RFC5041-5.4-"), "{near}");
    assert_eq!(nearest("rfc5041-zz"), None);
    assert_eq!(nearest("5041-5.4-01").as_deref(), Some("RFC5041-5.4-01"));
}

#[test]
fn sections_are_ordered_as_in_the_text() {
    let section = |text: &str| text.parse::<Section>().unwrap();
    let ordered = ["4", "4.8", "4.8.1", "4.10", "5", "A", "A.1", "B.2"];
    for pair in ordered.windows(2) {
        assert!(section(pair[0]) < section(pair[1]), "{pair:?}");
    }
    for text in ordered {
        assert_eq!(section(text).to_string(), text);
    }
    assert!(section("7.1.2").is_within(&section("7.1")));
    assert!(!section("7.10").is_within(&section("7.1")));
    for wrong in ["", ".", "4.", "04", "4.A", "a", "AB", "4,8", "4.99999"] {
        assert!(wrong.parse::<Section>().is_err(), "{wrong:?} is no section");
    }
}

#[test]
fn a_file_without_an_byte_is_read_or_told_with_its_line() {
    let mut refused = 0;
    for (index, (name, text)) in catalogue::FILES.iter().enumerate() {
        for cut in (index % 4001..text.len()).step_by(4001) {
            let mut bytes = text.as_bytes().to_vec();
            bytes.remove(cut);
            let cut = String::from_utf8_lossy(&bytes);
            let files: Vec<(&str, &str)> = catalogue::FILES
                .iter()
                .map(|(other, whole)| (*other, if other == name { &*cut } else { whole }))
                .collect();
            let Err(faults) = Catalogue::read(&files) else { continue };
            refused += 1;
            for fault in faults.0 {
                assert!(files.iter().any(|(name, _)| *name == fault.file), "{fault}");
                assert!(fault.line >= 1 && !fault.what.is_empty(), "{fault}");
            }
        }
    }
    assert!(refused > 0, "nothing was refused");
}
