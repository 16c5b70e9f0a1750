//! What completion offers, over the catalogue.

use crate::filter::parser::{Token, tokens};
use crate::filter::{Candidate, Completion, Role, complete};

/// The completion where `|` stands.
fn at(text: &str) -> Completion {
    let cursor = text.find('|').unwrap();
    complete(&text.replacen('|', "", 1), cursor)
}

fn texts(text: &str) -> Vec<String> {
    at(text).candidates.into_iter().map(|candidate| candidate.text).collect()
}

fn find(text: &str, wanted: &str) -> Candidate {
    let candidates = at(text).candidates;
    let found = candidates.into_iter().find(|candidate| candidate.text == wanted);
    found.unwrap_or_else(|| panic!("no {wanted} at {text}"))
}

#[test]
fn fields_come_by_prefix_with_label_and_type() {
    let ddp = find("iwarp_ddp.m|", "iwarp_ddp.mo");
    assert_eq!((ddp.role, ddp.label.as_str()), (Role::Field, "Message offset"));
    assert_eq!(ddp.kind, "an unsigned integer of 4 bytes");
    assert_eq!(at("tcp and iwarp_ddp.m|").span, 8..19);
    assert_eq!(texts("iwarp_ddp.ms|"), ["iwarp_ddp.msn"]);
    // Those that begin with it are before those that contain it.
    let found = texts("opcode|");
    assert!(found.contains(&"iwarp_rdma.opcode".to_owned()), "{found:?}");
    let found = texts("tcp.s|");
    assert!(found[0].starts_with("tcp.s") && !found.contains(&"ip.src".to_owned()), "{found:?}");
    assert!(texts("TCP.SRC|").contains(&"tcp.srcport".to_owned()));
}

#[test]
fn a_test_begins_with_fields_functions_and_words() {
    for text in ["|", "tcp and |", "tcp||", "not |", "(|", "!|", "tcp == 1 or (udp and |"] {
        let text = text.replace("tcp||", "tcp || ~").replace('~', "|");
        let cursor = text.rfind('|').unwrap();
        let mut without = text.clone();
        without.remove(cursor);
        let found: Vec<String> = complete(&without, cursor)
            .candidates
            .into_iter()
            .map(|candidate| candidate.text)
            .collect();
        for wanted in ["tcp", "iwarp_rdma.opcode", "len(", "not", "any", "all"] {
            assert!(found.iter().any(|text| text == wanted), "{wanted} at {text}");
        }
        assert!(!found.iter().any(|text| text == "=="), "{text}");
    }
    assert_eq!(find("le|", "len(").role, Role::Function);
    assert_eq!(find("al|", "all").role, Role::Keyword);
}

#[test]
fn operators_fit_the_type() {
    let number = texts("tcp.srcport |");
    for wanted in ["==", "in", "not in", "&", "+", "and"] {
        assert!(number.iter().any(|text| text == wanted), "{wanted} {number:?}");
    }
    for unwanted in ["contains", "matches", "["] {
        assert!(!number.iter().any(|text| text == unwanted), "{unwanted}");
    }
    let bytes = texts("tcp.payload |");
    for wanted in ["==", "contains", "matches", "[", "&"] {
        assert!(bytes.iter().any(|text| text == wanted), "{wanted} {bytes:?}");
    }
    assert!(!bytes.iter().any(|text| text == "*"));
    assert_eq!(texts("iwarp_mpa.req |"), ["and", "or", "xor"]);
    assert_eq!(texts("tcp.payload con|"), ["contains"]);
    assert_eq!(texts("tcp.srcport =|"), ["==", "==="]);
    assert_eq!(at("tcp.srcport =|").span, 12..13);
    assert_eq!(texts("frame.number ! |"), ["in"]);
    assert_eq!(texts("frame.number not |"), ["in"]);
    assert_eq!(texts("frame.number in |"), ["{"]);
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
    assert!(texts("iwarp_rdma.opcode in {1, |").contains(&"\"Terminate\"".to_owned()));
    assert_eq!(texts("iwarp_rdma.opcode == 0x07|"), ["\"Terminate\""]);
    assert_eq!(texts("tcp.flags.syn == |")[..2], ["\"True\"", "\"False\""]);
    assert_eq!(at("ip.src == |").example, Some("192.0.2.1 or 192.0.2.0/24"));
    assert!(at("ip.src == |").candidates.iter().all(|candidate| candidate.role != Role::Value));
    assert!(texts("ip.src == |").contains(&"ip.dst".to_owned()));
    assert!(texts("ip.src == ip.|").contains(&"ip.dst".to_owned()));
    assert!(!texts("ip.src == ip.|").contains(&"ip.ttl".to_owned()));
    assert!(at("frame matches |").candidates.is_empty());
}

#[test]
fn spans_of_time_get_units() {
    assert_eq!(texts("frame.time_delta > 25|"), ["25ms", "25us", "25s", "25ns"].map(str::to_owned));
    assert_eq!(at("frame.time_delta > 25|").span, 19..21);
    assert!(texts("frame.time_delta > 25ms|").is_empty());
    assert!(texts("tcp.len > 25|").is_empty());
}

#[test]
fn sets_and_arguments_are_gone_through() {
    assert_eq!(texts("tcp.port in {7200 |"), [",", "..", "}"]);
    assert_eq!(texts("tcp.port in {7200} |"), ["and", "or", "xor"]);
    assert_eq!(at("tcp.port in {7200..tcp.d|").span, 19..24);
    assert!(texts("tcp.port in {7200..tcp.d|").contains(&"tcp.dstport".to_owned()));
    let text = texts("upper(|");
    assert!(text.contains(&"frame.protocols".to_owned()));
    assert!(!text.contains(&"tcp.srcport".to_owned()));
    assert_eq!(texts("upper(frame.protocols |")[1..], [")", ","]);
    assert!(texts("len(tcp.payload) |").contains(&">=".to_owned()));
    assert!(texts("upper(frame.protocols) |").contains(&"contains".to_owned()));
    assert!(texts("max(tcp.port) > 1 |").contains(&"and".to_owned()));
    assert!(texts("tcp.srcport == 7200 |").contains(&"or".to_owned()));
    assert!(!texts("tcp.srcport == 7200 |").contains(&"==".to_owned()));
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
            if SYNONYMS.contains(&wanted.as_str()) {
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
const SYNONYMS: [&str; 25] = [
    "eq",
    "ne",
    "gt",
    "ge",
    "lt",
    "le",
    "any_eq",
    "all_eq",
    "any_ne",
    "all_ne",
    "~=",
    "~",
    "&&",
    "||",
    "^^",
    "!",
    "bitwise_and",
    "bitand",
    "-",
    "+",
    "tcp.",
    "{",
    "}",
    "(",
    ")",
];

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
