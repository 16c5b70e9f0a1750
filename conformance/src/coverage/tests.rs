//! Coverage of a small catalogue, and of the one that is built in by the cases that are.

use super::*;
use crate::case::{Cases, Context};
use crate::layout::Layouts;
use crate::listing::{CASE_FILES, Card};
use crate::report::tests::written;
use crate::yaml::Source;
use warpscope_dissector::rules;
use warpscope_requirements::{Catalogue, Fault};

const SMALL: &str = "\
document: RFC5041
title: Direct Data Placement
requirements:
  - { id: RFC5041-3-01, level: MUST, binds: [sender], text: One., judged: active, how: A peer. }
  - { id: RFC5041-3-02, level: MUST NOT, binds: [sender], text: Two | more., judged: active, how: A peer., same_as: [RFC5041-3-01] }
  - { id: RFC5041-4.1-01, level: MUST, binds: [sender], text: Three., judged: passive, how: A capture. }
  - { id: RFC5041-4.1-02, level: SHOULD, binds: [sender], text: Four., judged: active, how: A peer. }
  - { id: RFC5041-4.1-03, level: MAY, binds: [sender], text: Five., judged: active, how: A peer. }
  - { id: RFC5041-4.1-04, level: MUST, binds: [sender], text: Six., judged: unobservable, how: Nothing. }
";

fn small() -> Catalogue {
    Catalogue::read(&[("small.yaml", SMALL)]).unwrap()
}

fn case(id: &str, covers: &[&str]) -> Card {
    let text = format!("id: {id}\ntitle: t\ncovers: [{}]\n", covers.join(", "));
    Card::read("a.yaml", &text).unwrap().unwrap()
}

fn of_small(cases: &[Card]) -> Coverage {
    coverage(cases, &small(), [])
}

/// The coverage of the built-in catalogue by the built-in cases and rules.
fn builtin() -> Coverage {
    let cases = CASE_FILES.iter().filter_map(|(name, text)| {
        // What is wrong with a file, its own tests say.
        let card = Card::read(name, text).ok().flatten()?;
        assert!(!card.covers.is_empty(), "{name}: {} covers nothing", card.id);
        Some(card)
    });
    coverage(&cases.collect::<Vec<_>>(), &Catalogue::builtin().unwrap(), rules::all())
}

#[test]
fn cases_and_rules_name_requirements_that_exist() {
    let unknown: Vec<String> = builtin().unknown.iter().map(ToString::to_string).collect();
    assert!(unknown.is_empty(), "{}", unknown.join("\n"));
}

#[test]
fn every_must_that_needs_a_peer_has_a_case_or_a_waiver_and_no_waiver_is_idle() {
    let mut coverage = builtin();
    let waivers = builtin_waivers(&Catalogue::builtin().unwrap());
    let waivers = waivers.unwrap_or_else(|faults| panic!("{}", lines(&faults)));
    let idle = coverage.waive(&waivers);
    assert!(idle.is_empty(), "{}", lines(&idle));
    let missing: Vec<String> = coverage
        .missing()
        .map(|it| format!("{}: no case covers it ({})", it.requirement.id, it.requirement.text))
        .collect();
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

fn lines(faults: &[Fault]) -> String {
    faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_case_covers_what_it_names_and_nothing_else() {
    let coverage =
        of_small(&[case("a", &["RFC5041-3-01", "rfc5041-4.1-03"]), case("b", &["RFC5041-3-01"])]);
    let of = |id: &str| coverage.requirements().find(|it| it.requirement.id == id).unwrap();
    assert_eq!(of("RFC5041-3-01").cases, ["a", "b"]);
    assert_eq!(of("RFC5041-3-01").status(), CoverageStatus::Covered);
    assert_eq!(of("RFC5041-4.1-03").status(), CoverageStatus::Covered);
    assert_eq!(of("RFC5041-4.1-04").status(), CoverageStatus::Unobservable);
    // What says the same is a hint, and no cover.
    assert_eq!(of("RFC5041-3-02").same, ["RFC5041-3-01"]);
    assert_eq!(of("RFC5041-3-02").status(), CoverageStatus::Uncovered);
    let missing: Vec<&str> = coverage.missing().map(|it| it.requirement.id.as_str()).collect();
    assert_eq!(missing, ["RFC5041-3-02"]);
    assert_eq!(
        coverage.tally(),
        Tally {
            active_must: Share { total: 2, covered: 1, waived: 0 },
            passive_must: Share { total: 1, covered: 0, waived: 0 },
            should: Share { total: 1, covered: 0, waived: 0 },
            may: Share { total: 1, covered: 1, waived: 0 },
            unobservable: 1,
        }
    );
    assert_eq!(coverage.documents[0].sections.len(), 2);
}

#[test]
fn a_rule_covers_what_a_capture_shows_and_not_what_needs_a_peer() {
    let catalogue = Catalogue::builtin().unwrap();
    let coverage = coverage(&[], &catalogue, rules::all());
    for it in coverage.requirements() {
        let judged = it.requirement.judged;
        let covered = it.status() == CoverageStatus::Covered;
        let by_capture = judged == warpscope_requirements::Judged::Passive && !it.rules.is_empty();
        assert_eq!(covered, by_capture, "{}", it.requirement.id);
    }
    let crc = coverage.requirements().find(|it| it.requirement.id == "RFC5044-4.4-12").unwrap();
    assert_eq!(crc.rules, ["mpa-crc"]);
}

#[test]
fn an_unknown_id_is_told_with_the_nearest() {
    let coverage = of_small(&[case("a", &["RFC5041-3-10"])]);
    let messages: Vec<String> = coverage.unknown.iter().map(ToString::to_string).collect();
    let near = "case a: no requirement has the id RFC5041-3-10; did you mean RFC5041-3-01?";
    assert_eq!(messages, [near]);
}

#[test]
fn waivers_that_match_nothing_are_told_with_their_line() {
    let text = "waivers:\n  - id: RFC5041-3-01\n    reason: seen only inside\n  - {id: RFC5041-4.1-01, reason: x}\n\
                \x20 - {id: RFC5041-3-02, reason: y}\n";
    let waivers = Waivers::read("w.yaml", text, &small()).unwrap();
    let mut covered = of_small(&[case("a", &["RFC5041-3-02"])]);
    assert_eq!(
        lines(&covered.waive(&waivers)),
        "w.yaml:4: RFC5041-4.1-01 is not a MUST that needs a peer: remove the waiver\n\
         w.yaml:5: RFC5041-3-02 is covered by a: remove the waiver"
    );
    assert_eq!(covered.missing().count(), 0);
    let waived = covered.requirements().next().unwrap();
    assert_eq!(
        (waived.status(), waived.waived.as_deref()),
        (CoverageStatus::Waived, Some("seen only inside"))
    );
}

#[test]
fn a_file_of_waivers_is_checked() {
    let known = "  - {id: RFC5041-3-01, reason: x}\n";
    let unknown = "2: no requirement has the id RFC5041-3-10; did you mean RFC5041-3-01?";
    for (entries, expected) in [
        (known.replace("01", "10"), unknown),
        (known.replace('x', "' '"), "2: say why RFC5041-3-01 needs no case"),
        (known.repeat(2), "3: RFC5041-3-01 is already waived"),
    ] {
        let faults =
            Waivers::read("w.yaml", &format!("waivers:\n{entries}"), &small()).unwrap_err();
        assert_eq!(lines(&faults), format!("w.yaml:{expected}"));
    }
    let broken = Waivers::read("w.yaml", "waivers:\n  - id: RFC5041-3-01\n", &small()).unwrap_err();
    assert!(lines(&broken).starts_with("w.yaml:2: "), "{}", lines(&broken));
}

#[test]
fn the_writers() {
    let mut coverage = of_small(&[case("a", &["RFC5041-3-01"])]);
    let text = "waivers:\n  - {id: RFC5041-3-02, reason: seen only inside}\n";
    assert!(coverage.waive(&Waivers::read("w.yaml", text, &small()).unwrap()).is_empty());
    insta::assert_snapshot!(
        "text",
        written(|out| write_text(&coverage, TextOptions::default(), out))
    );
    insta::assert_snapshot!("markdown", written(|out| write_markdown(&coverage, true, out)));
    insta::assert_snapshot!("json", written(|out| write_json(&coverage, out)));
}

#[test]
fn waivers_without_any_byte_are_read_or_told_with_their_line() {
    let catalogue = Catalogue::builtin().unwrap();
    let text = include_str!("../../coverage-waivers.yaml");
    let mut refused = 0;
    for cut in 0..text.len() {
        let mut bytes = text.as_bytes().to_vec();
        bytes.remove(cut);
        let cut = String::from_utf8_lossy(&bytes);
        let faults = Waivers::read("a.yaml", &cut, &catalogue).err().unwrap_or_default();
        refused += usize::from(!faults.is_empty());
        for fault in faults {
            assert!(fault.line >= 1 && fault.file == "a.yaml" && !fault.what.is_empty(), "{fault}");
        }
    }
    assert!(refused > 0, "nothing was refused");
}

/// The matrix of these cases, or of those that are built in.
fn matrix_of(files: &[(&str, &str)]) -> (Matrix, Vec<Fault>) {
    let (layouts, catalogue) = (Layouts::builtin().unwrap(), Catalogue::builtin().unwrap());
    let sources: Vec<Source> = files.iter().map(|(name, text)| Source::new(name, text)).collect();
    let context = Context { layouts: &layouts, catalogue: &catalogue, bugs: None };
    let cases = Cases::read(&sources, context).unwrap_or_else(|wrong| {
        panic!("{}", wrong.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
    });
    matrix(&cases, &layouts).unwrap()
}

#[test]
fn every_opcode_and_order_has_a_case_or_a_reason_and_no_reason_is_idle() {
    let (matrix, idle) = matrix_of(CASE_FILES);
    assert!(idle.is_empty(), "{}", lines(&idle));
    let missing = matrix.missing();
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

/// A case of Read, Send and Write, of which the first two are `between` what the test says.
fn orders_case(covers: &str, between: &str) -> String {
    let steps = "steps:
  - send: {rdma_read_request: {source: {stag: 1, to: 0}, sink: {stag: 2, to: 0}, size: 0}}
BETWEEN  - send: {send: {last: 0, payload: 8}}
  - send: {send: {msn: 1, mo: 8, payload: 8}}
  - expect: nothing
  - send: {rdma_write: {stag: 0, to: 0, payload: none}}
";
    format!(
        "id: a\ntitle: t\nrole: both\nneeds: [rdma-read]\ncovers: [{covers}]\n{}",
        steps.replace("BETWEEN", between)
    )
}

/// The orders that a case is counted for.
fn orders_of(case: &str) -> Vec<String> {
    let (matrix, _) = matrix_of(&[("a.yaml", case)]);
    let rows = matrix.tables.iter().flat_map(|(_, rows)| rows);
    rows.filter(|row| row.cell.cases.contains("a")).map(|row| row.order.join(" ")).collect()
}

#[test]
fn an_order_is_tried_by_who_sends_it_without_waiting_and_covers_what_is_said_of_it() {
    let asks = "RFC5040-B-04, RFC5040-5.5-06, RFC5040-5.5-10";
    assert_eq!(orders_of(&orders_case(asks, "")), ["send write", "read send"]);
    assert_eq!(orders_of(&orders_case("RFC5040-5.5-06", "")), ["send write"]);
    let answered = "  - expect: {rdma_read_response: {}}\n";
    assert_eq!(orders_of(&orders_case(asks, answered)), ["send write", "read answer send"]);
}

#[test]
fn opcodes_are_counted_by_profile_direction_and_the_role_of_the_target() {
    let answered = "  - expect: {any_of: [{rdma_read_response: {}}, {terminate: {}}]}\n";
    let (matrix, _) = matrix_of(&[("a.yaml", &orders_case("RFC5040-B-04", answered))]);
    let row = |profile: &str, message: &str| {
        let same = |it: &&matrix::OpcodeRow| it.profile == profile && it.message == message;
        let row = matrix.opcodes.iter().find(same).unwrap();
        row.cells.each_ref().map(|cell| cell.cases.len())
    };
    assert_eq!(row("rfc5040", "send"), [1, 1, 0, 0]);
    assert_eq!(row("rfc5040", "rdma_read_response"), [0, 0, 1, 1]);
    assert_eq!(row("rfc5040", "terminate"), [0, 0, 1, 1]);
    assert_eq!(row("commit", "send"), [0; 4]);
    let opcodes: Vec<u64> = matrix.opcodes.iter().map(|it| it.opcode).collect();
    assert_eq!((opcodes.len(), opcodes.first()), (8 + 12 + 18 + 18, Some(&0)));
}

#[test]
fn the_writers_of_the_matrix() {
    let (mut matrix, _) = matrix_of(&[("a.yaml", &orders_case("RFC5040-B-04", ""))]);
    matrix.opcodes.retain(|row| row.profile == "rfc5040" && row.opcode < 4);
    matrix.tables.truncate(1);
    matrix.tables[0].1.retain(|row| row.order.len() == 2 && row.order[0] == "read");
    let text = |all| written(|out| matrix.write_text(all, out));
    insta::assert_snapshot!("matrix", text(false));
    insta::assert_snapshot!("matrix-named", text(true));
    insta::assert_snapshot!("matrix-markdown", written(|out| matrix.write_markdown(out)));
    insta::assert_snapshot!("matrix-json", written(|out| matrix.write_json(out)));
}
