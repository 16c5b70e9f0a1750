//! The rules as data.

use std::collections::BTreeSet;
use warpscope_dissector::rules::{Rule, all, find};
use warpscope_wire::rdmap::error_code_name;

/// The documents that sections are of, and how their requirements' ids begin.
const DOCUMENTS: &[(&str, &str)] = &[
    ("RFC 5040 section ", "RFC5040-"),
    ("RFC 5041 section ", "RFC5041-"),
    ("RFC 5044 section ", "RFC5044-"),
    ("RFC 6581 section ", "RFC6581-"),
    ("RFC 7306 section ", "RFC7306-"),
    ("RFC 8166 section ", "RFC8166-"),
    ("RFC 8167 section ", "RFC8167-"),
    ("RFC 8797 section ", "RFC8797-"),
    ("rdmap-ext-v2 section ", "EXTV2-"),
    ("rdma-commit section ", "COMMIT-"),
];

fn wrong_with(rule: &Rule) -> Option<&'static str> {
    let plain = |c: char| c.is_ascii_lowercase() || c == '-' || c.is_ascii_digit();
    let first = rule.requirements.first()?;
    let document = DOCUMENTS.iter().find(|(begin, _)| rule.section.starts_with(begin));
    let Some((begin, prefix)) = document else { return Some("section of no document") };
    let number = &rule.section[begin.len()..];
    if !first.starts_with(&format!("{prefix}{number}-")) {
        return Some("section that is not the first requirement's");
    }
    if !rule.id.chars().all(plain) || !rule.id.contains('-') {
        return Some("id that is no name");
    }
    if !rule.title.ends_with('.') || !rule.meaning.ends_with('.') {
        return Some("title or meaning that is no sentence");
    }
    if rule
        .terminate
        .is_some_and(|(layer, kind, code)| error_code_name(layer, kind, code).is_none())
    {
        return Some("Terminate that no document defines");
    }
    None
}

#[test]
fn every_rule_is_well_made() {
    let mut ids = BTreeSet::new();
    for rule in all() {
        assert!(ids.insert(rule.id), "{} is there twice", rule.id);
        assert!(!rule.requirements.is_empty(), "{} judges nothing", rule.id);
        let wrong = wrong_with(rule);
        assert_eq!(wrong, None, "{}", rule.id);
    }
    assert!(ids.len() > 80, "{} rules", ids.len());
}

#[test]
fn rules_are_found_by_their_names_and_requirements() {
    assert_eq!(find("mpa-crc").unwrap().requirements[0], "RFC5044-4.4-12");
    assert_eq!(find("RFC5044-4.4-12").unwrap().id, "mpa-crc");
    assert!(find("mpa").is_none());
    assert!(find("").is_none());
}
