//! The protocol against its document, its schema, and lines that are not of it.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "these are tests"
)]

use serde_json::{Value, json};
use strum::{VariantArray as _, VariantNames as _};
use warpscope_agent::{Ability, Call, ErrorCode, EventKind, Method, Reply, Says, schema};

fn document() -> String {
    std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../README.md")).unwrap()
}

/// What the document shows is what is read and written: no field is left over, none is missing.
#[test]
fn the_documents_dialogue_is_of_the_protocol() {
    let document = document();
    let (mut calls, mut replies) = (0, 0);
    for line in document.lines() {
        let same = |written: String, line: &str| {
            let [written, line] =
                [&*written, line].map(|it| serde_json::from_str::<Value>(it).unwrap());
            assert!(contains(&written, &line), "{written}\n{line}");
        };
        if let Some(line) = line.strip_prefix("> {") {
            let line = format!("{{{line}");
            same(Call::read(line.as_bytes()).unwrap().line(), &line);
            calls += 1;
        } else if let Some(line) = line.strip_prefix("< {") {
            let line = format!("{{{line}");
            same(Reply::read(line.as_bytes()).unwrap().line(), &line);
            replies += 1;
        }
    }
    assert_eq!((calls, replies), (8, 13));
}

/// Whether everything that the document says is in what is written; defaults may be there too.
fn contains(written: &Value, expected: &Value) -> bool {
    match (written, expected) {
        (Value::Object(written), Value::Object(expected)) => expected
            .iter()
            .all(|(key, value)| written.get(key).is_some_and(|it| contains(it, value))),
        _ => written == expected,
    }
}

#[test]
fn the_document_and_the_schema_have_every_error_event_method_and_ability() {
    let (document, schema) = (document(), schema().to_string());
    for code in ErrorCode::VARIANTS {
        assert!(document.contains(&(*code as i32).to_string()), "{code:?}");
    }
    for kind in EventKind::VARIANTS {
        let name: &str = kind.into();
        assert!(document.contains(&format!("`{name}`")), "{name}");
        assert!(schema.contains(&format!("\"const\":\"{name}\"")), "{name}");
    }
    for name in Method::VARIANTS {
        assert!(schema.contains(&format!("\"const\":\"{name}\"")), "{name}");
    }
    for ability in Ability::VARIANTS {
        let name: &str = ability.into();
        assert!(schema.contains(&format!("\"const\":\"{name}\"")), "{name}");
    }
}

/// A line that is no call has a reply that says what is wrong with it, with the call's number where
/// there is one.
#[test]
fn lines_that_are_no_calls_are_answered() {
    for (line, id, code, words) in [
        ("", None, -32700, "EOF"),
        ("{\"jsonrpc\":", None, -32700, "EOF"),
        ("\u{0}", None, -32700, "expected value"),
        ("7", None, -32600, "a call has"),
        ("[]", None, -32600, "a call has"),
        (r#"{"id":3,"method":"reset"}"#, Some(3), -32600, "jsonrpc"),
        (r#"{"jsonrpc":"1.0","id":3,"method":"reset"}"#, Some(3), -32600, "jsonrpc"),
        (r#"{"jsonrpc":"2.0","method":"reset"}"#, None, -32600, "a number as id"),
        (r#"{"jsonrpc":"2.0","id":"3","method":"reset"}"#, None, -32600, "a number as id"),
        (r#"{"jsonrpc":"2.0","id":3}"#, Some(3), -32600, "a method"),
        (r#"{"jsonrpc":"2.0","id":3,"method":"rest"}"#, Some(3), -32601, "no method rest"),
        (r#"{"jsonrpc":"2.0","id":3,"method":"register"}"#, Some(3), -32602, "params"),
        (
            r#"{"jsonrpc":"2.0","id":3,"method":"finish","params":{"stream":7}}"#,
            Some(3),
            -32602,
            "expected a string",
        ),
        (r#"{"jsonrpc":"2.0","id":3,"method":"recall","params":{}}"#, Some(3), -32602, "params"),
        (
            r#"{"jsonrpc":"2.0","id":3,"method":"revalidate","params":{"region":"a","rights":["eat"]}}"#,
            Some(3),
            -32602,
            "unknown variant `eat`",
        ),
        (
            r#"{"jsonrpc":"2.0","id":3,"method":"read_memory","params":{"region":"a","offset":-1,"length":1}}"#,
            Some(3),
            -32602,
            "integer `-1`",
        ),
        (
            r#"{"jsonrpc":"2.0","id":3,"method":"write_memory","params":{"region":"a","offset":1,"bytes":"0"}}"#,
            Some(3),
            -32602,
            "pairs of hexadecimal digits",
        ),
        (
            r#"{"jsonrpc":"2.0","id":3,"method":"register","params":{"region":"a","length":1,"rights":[],"base":"1000"}}"#,
            Some(3),
            -32602,
            "not a 64-bit number",
        ),
        (
            r#"{"jsonrpc":"2.0","id":3,"method":"register","params":{"region":"a","lenght":1,"rights":[]}}"#,
            Some(3),
            -32602,
            "unknown field `lenght`",
        ),
    ] {
        let reply = Call::read(line.as_bytes()).unwrap_err();
        assert!(reply.failed(), "{line}");
        let Says::Error { id: its, error } = reply.says else { panic!("{line}") };
        assert_eq!((its, error.code), (id, code), "{line}: {error}");
        assert!(error.message.contains(words), "{line}: {error}");
    }
}

/// A parameter that is spelled wrong would be ignored otherwise.
#[test]
fn parameters_that_a_method_does_not_have_are_refused() {
    let calls = include_str!("../../verbs/test/calls.txt");
    for (method, params) in calls.trim().lines().map(|it| it.split_once(' ').unwrap()) {
        let mut call = json!({"jsonrpc": "2.0", "id": 3, "method": method});
        call["params"] = serde_json::from_str(params).unwrap();
        assert!(Call::read(call.to_string().as_bytes()).is_ok(), "{call}");
        call["params"]["recieves"] = json!(1);
        let reply = Call::read(call.to_string().as_bytes()).unwrap_err();
        let Says::Error { id, error } = reply.says else { panic!("{call}") };
        assert_eq!((id, error.code), (Some(3), -32602), "{call}: {error}");
    }
}

#[test]
fn numbers_of_64_bits_bytes_and_methods_without_parameters_are_read() {
    let line = r#"{"jsonrpc":"2.0","id":1,"method":"register","params":{"region":"a","length":1,"rights":["read"],"base":"0xffffFFFFffffFFFF"}}"#;
    let Method::Register(asked) = Call::read(line.as_bytes()).unwrap().method else { panic!() };
    assert_eq!(asked.base.unwrap().0, u64::MAX);
    for params in ["", r#","params":{}"#, r#","params":null"#] {
        let line = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"reset"{params}}}"#);
        assert_eq!(Call::read(line.as_bytes()).unwrap().method, Method::Reset, "{line}");
    }
    let bytes: warpscope_agent::Bytes = serde_json::from_value(json!("00fFA0")).unwrap();
    assert_eq!(bytes.0, [0, 0xff, 0xa0]);
}

#[test]
fn what_no_agent_says_is_told_with_its_beginning() {
    let line = format!("hello {}", "x".repeat(1000));
    let error = Reply::read(line.as_bytes()).unwrap_err().to_string();
    assert!(error.starts_with("the agent's line cannot be read: "), "{error}");
    assert!(error.contains("hello xxx") && error.len() < 400, "{error}");
}
