//! What completion offers, over the catalogue.

use crate::filter::parser::{Token, tokens};
use crate::filter::{Candidate, Completion, Role, complete};

/// The completion where `|` stands, the last of them.
fn at(text: &str) -> Completion {
    let (before, behind) = text.rsplit_once('|').unwrap();
    complete(&format!("{before}{behind}"), before.len())
}

fn texts(text: &str) -> Vec<String> {
    at(text).candidates.into_iter().map(|candidate| candidate.text).collect()
}

fn find(text: &str, wanted: &str) -> Candidate {
    let candidates = at(text).candidates;
    let found = candidates.into_iter().find(|candidate| candidate.text == wanted);
    found.unwrap_or_else(|| panic!("no {wanted} at {text}"))
}

/// Some of what is offered, and what is not.
fn offers(text: &str, wanted: &[&str], unwanted: &[&str]) {
    let found = texts(text);
    for word in wanted {
        assert!(found.iter().any(|it| it == word), "{word} at {text}: {found:?}");
    }
    for word in unwanted {
        assert!(!found.iter().any(|it| it == word), "{word} at {text}: {found:?}");
    }
}

#[test]
fn fields_come_by_prefix_with_label_and_type() {
    let ddp = find("iwarp_ddp.m|", "iwarp_ddp.mo");
    assert_eq!((ddp.role, ddp.label.as_str()), (Role::Field, "Message offset"));
    assert_eq!(ddp.kind, "an unsigned integer of 4 bytes");
    assert_eq!(at("tcp and iwarp_ddp.m|").span, 8..19);
    offers("opcode|", &["iwarp_rdma.opcode"], &[]);
    // Those that begin with it are before those that contain it.
    assert!(texts("tcp.s|")[0].starts_with("tcp.s"));
    offers("tcp.s|", &[], &["ip.src"]);
    offers("TCP.SRC|", &["tcp.srcport"], &[]);
}

#[test]
fn a_test_begins_with_fields_functions_and_words() {
    for text in ["|", "tcp and |", "tcp || |", "not |", "(|", "!|", "tcp == 1 or (udp and |"] {
        offers(text, &["tcp", "iwarp_rdma.opcode", "len(", "not", "any", "all"], &["=="]);
    }
    assert_eq!(find("le|", "len(").role, Role::Function);
    assert_eq!(find("al|", "all").role, Role::Keyword);
}

#[test]
fn operators_fit_the_type() {
    offers(
        "tcp.srcport |",
        &["==", "in", "not in", "&", "+", "and"],
        &["contains", "matches", "["],
    );
    offers("tcp.payload |", &["==", "contains", "matches", "[", "&"], &["*"]);
    assert_eq!(at("tcp.srcport =|").span, 12..13);
    for (text, all) in [
        ("iwarp_mpa.req |", &["and", "or", "xor"][..]),
        ("tcp.payload con|", &["contains"]),
        ("tcp.srcport =|", &["==", "==="]),
        ("frame.number ! |", &["in"]),
        ("frame.number not |", &["in"]),
        ("frame.number in |", &["{"]),
        ("tcp.port in {7200 |", &[",", "..", "}"]),
        ("tcp.port in {7200} |", &["and", "or", "xor"]),
        ("iwarp_rdma.opcode == 0x07|", &["\"Terminate\""]),
        ("frame.time_delta > 25|", &["25ms", "25us", "25s", "25ns"]),
        ("frame.time_delta > 25ms|", &[]),
        ("tcp.len > 25|", &[]),
        ("iwarp_ddp.ms|", &["iwarp_ddp.msn"]),
    ] {
        assert_eq!(texts(text), all, "{text}");
    }
}

#[test]
fn values_of_enumerated_fields_are_named() {
    let found = at("iwarp_rdma.opcode == |");
    assert_eq!(found.candidates[0].role, Role::Value);
    assert!(found.example.is_some());
    let read = find("iwarp_rdma.opcode == |", "\"Read Request\"");
    assert_eq!((read.role, read.label.as_str()), (Role::Value, "0x01"));
    assert_eq!(texts("iwarp_rdma.opcode == \"Read Re|")[0], "\"Read Request\"");
    assert_eq!(at("iwarp_rdma.opcode == \"Read Re|").span, 21..29);
    assert!(texts("iwarp_rdma.opcode == \"Re|").len() < texts("iwarp_rdma.opcode == |").len());
    offers("iwarp_rdma.opcode in {1, |", &["\"Terminate\""], &[]);
    assert_eq!(texts("tcp.flags.syn == |")[..2], ["\"True\"", "\"False\""]);
    assert_eq!(at("ip.src == |").example, Some("192.0.2.1 or 192.0.2.0/24"));
    assert!(at("ip.src == |").candidates.iter().all(|candidate| candidate.role != Role::Value));
    offers("ip.src == |", &["ip.dst"], &[]);
    offers("ip.src == ip.|", &["ip.dst"], &["ip.ttl"]);
    assert!(at("frame matches |").candidates.is_empty());
}

#[test]
fn spans_sets_and_arguments_are_gone_through() {
    assert_eq!(at("frame.time_delta > 25|").span, 19..21);
    assert_eq!(at("tcp.port in {7200..tcp.d|").span, 19..24);
    assert_eq!(texts("upper(frame.protocols |")[1..], [")", ","]);
    offers("tcp.port in {7200..tcp.d|", &["tcp.dstport"], &[]);
    offers("upper(|", &["frame.protocols"], &["tcp.srcport"]);
    offers("len(tcp.payload) |", &[">="], &[]);
    offers("upper(frame.protocols) |", &["contains"], &[]);
    offers("max(tcp.port) > 1 |", &["and"], &[]);
    offers("tcp.srcport == 7200 |", &["or"], &["=="]);
}

/// Of every expression that is held against another analyzer, each field, function and operator is
/// among the candidates at its place.
#[test]
fn every_word_of_the_table_is_offered() {
    let table = include_str!("../../../tests/dissector/filters/table.tsv");
    let (mut offered, mut missing) = (0, Vec::new());
    // A part of them, which takes less time.
    for line in table.lines().filter(|line| !line.starts_with('#')).step_by(3) {
        let expression = line.split('\t').nth(1).unwrap();
        let tokens = tokens(expression).unwrap();
        for (index, (token, span)) in tokens.iter().enumerate() {
            let called = matches!(tokens.get(index + 1), Some((Token::ParenthesisOpen, _)));
            let text = &expression[span.clone()];
            let wanted = match token {
                Token::Word(word) if called => format!("{word}("),
                // A word that is no field is a literal.
                Token::Word(word) if crate::field::find(word).is_some() => word.clone(),
                Token::Word(_) | Token::Quoted(_) | Token::Character(_) | Token::Layer(_) => {
                    continue;
                }
                // An `in` after `not` and a sign are offered with what they belong to.
                Token::ParenthesisOpen | Token::BraceOpen | Token::ParenthesisClose => continue,
                // Directly after a word, the word itself is completed.
                Token::Slice(_) | Token::Comma | Token::Range | Token::Relation(_)
                    if index > 0 && tokens[index - 1].1.end == span.start =>
                {
                    continue;
                }
                Token::Slice(_) => "[".to_owned(),
                _ => text.to_owned(),
            };
            if SYNONYMS.split(' ').any(|word| word == wanted) {
                continue;
            }
            // Once with nothing written yet, once with the first character.
            for written in [0, 1] {
                let cursor = span.start + written;
                if written > 0 && (wanted.len() == 1 || wanted.starts_with(['-', '+'])) {
                    continue;
                }
                let before = &expression[..cursor];
                let found = complete(before, cursor).candidates;
                let there = found.iter().any(|candidate| {
                    let text = &candidate.text;
                    *text == wanted || (text == "not in" && ["not", "in"].contains(&&*wanted))
                });
                offered += usize::from(there);
                if !there {
                    missing.push(format!("{wanted} at `{before}|`"));
                }
            }
        }
    }
    missing.dedup();
    assert!(missing.is_empty(), "{} of {offered}:\n{}", missing.len(), missing.join("\n"));
    assert!(offered > 700, "{offered}");
}

/// Other ways to write what is offered, and what may be before any value.
const SYNONYMS: &str = "eq ne gt ge lt le any_eq all_eq any_ne all_ne ~= ~ && || ^^ ! bitwise_and \
    bitand - + tcp. { } ( )";

#[test]
fn any_cursor_is_answered() {
    let text =
        "tcp.payload[0:4] == \"é\\\"x\" and {iwarp_ddp.mo + 1} * 2 in {1..2, 5} or len(ip) > \"";
    for cursor in 0..=text.len() + 3 {
        let found = complete(text, cursor);
        assert!(text.is_char_boundary(found.span.start) && found.span.end <= text.len());
        assert!(found.span.start <= found.span.end, "{cursor}");
    }
}
