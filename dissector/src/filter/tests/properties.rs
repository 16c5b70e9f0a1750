//! No text makes the filter panic.

use super::fixture::{parse, tree};
use crate::filter::complete;
use proptest::prelude::*;

/// Words and signs, separated by blanks.
const PARTS: &str = r#"tcp tcp.srcport ip.addr frame.time frame.time_delta frame.protocols eth.src
    tcp.payload tcp.flags.syn iwarp_rdma.opcode iwarp_ddp.tagged_offset tcp.analysis ipv6.src == != ~=
    === !== > <= contains matches ~ in not and or xor any all ( ) { } [0] [-1:] [1-2,3] #1 #[-1] + - *
    / % & , .. 1 0 0x1c06 18446744073709551615 -1 10.0.0.0/8 ::1/64 aa:bb "Send" "2026-01-01" r"a.c"
    'a' 1.5 1.5ms len( count( max( min( abs( upper( string( é \ " # [ true"#;

fn parts() -> impl Strategy<Value = Vec<&'static str>> {
    let all: Vec<&str> = PARTS.split_whitespace().collect();
    prop::collection::vec(prop::sample::select(all), 0..14)
}

fn exercise(text: &str) {
    match parse(text) {
        Ok(filter) => {
            filter.matches(&tree());
        }
        Err(error) => {
            assert!(text.get(error.span.clone()).is_some(), "{text:?} {:?}", error.span);
            assert!(!error.render().is_empty());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn any_text(text in "\\PC{0,40}") {
        exercise(&text);
    }

    #[test]
    fn any_characters(text in "[a-z0-9_.:#(){}\\[\\]<>=!~&|^+*/%,\"'\\\\ \\-\\n]{0,40}") {
        exercise(&text);
    }

    #[test]
    fn any_tokens(parts in parts()) {
        exercise(&parts.join(" "));
        exercise(&parts.concat());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_cursor(
        parts in parts(),
        other in "\\PC{0,10}",
        cursor in 0_usize..60,
    ) {
        for text in [parts.join(" "), parts.concat() + &other] {
            let span = complete(&text, cursor).span;
            prop_assert!(text.get(span.clone()).is_some() && span.end <= cursor, "{:?}", text);
        }
    }
}
