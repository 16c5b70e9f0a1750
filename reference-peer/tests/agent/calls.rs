//! Calls: what an agent says it can do, what it refuses, and that it bears any line.

use crate::runner::{ADDRESS, Lab, OTHER, SESSION, options};
use proptest::prelude::*;
use serde_json::json;
use warpscope_agent::Ability;
use warpscope_peer::service::agent::AgentOptions;
use warpscope_peer::streams::ControlEvent;

const UNSUPPORTED: i64 = 1;
const UNKNOWN: i64 = 2;
const REFUSED: i64 = 3;
const LIMIT: i64 = 4;
const INVALID: i64 = -32602;

#[test]
fn it_says_what_it_can_do() {
    let mut lab = Lab::with(AgentOptions { listens: Some(ADDRESS), ..options() });
    let can = lab.ask("capabilities", json!({}));
    assert_eq!(can["protocol"], 1);
    assert_eq!((&can["runner"], &can["listens"]), (&json!(ADDRESS), &json!(ADDRESS)));
    assert_eq!(can["profile"], "all");
    let abilities = can["abilities"].as_array().unwrap();
    // All, but for files: there is no folder for them.
    assert_eq!(abilities.len(), <Ability as strum::VariantArray>::VARIANTS.len() - 1);
    assert!(!abilities.contains(&json!("file-backing")));
}

#[test]
fn what_cannot_be_done_is_refused_and_changes_nothing() {
    let mut lab = Lab::new();
    lab.register("a", 64);
    lab.stream("s", &json!({"profile": "rfc5040"}));
    lab.ask("prepare", json!({"stream": "p", "from": ADDRESS.to_string()}));
    lab.happened("s");
    let over = u64::from(u32::MAX);
    for (method, params, code) in [
        ("register", json!({"region": "a", "length": 8, "rights": []}), REFUSED),
        ("register", json!({"region": "b", "length": 1_u64 << 40, "rights": []}), LIMIT),
        (
            "register",
            json!({"region": "b", "length": 8, "rights": [], "backing": "file"}),
            UNSUPPORTED,
        ),
        ("register", json!({"region": "b", "length": 8, "rights": [], "scope": "stream"}), INVALID),
        (
            "register",
            json!({"region": "b", "length": 8, "rights": [], "scope": "stream", "stream": "t"}),
            UNKNOWN,
        ),
        (
            "register",
            json!({"region": "b", "length": 64, "rights": [], "base": "0xfffffffffffffff8"}),
            REFUSED,
        ),
        (
            "bind_window",
            json!({"region": "w", "of": "b", "offset": 0, "length": 8, "rights": []}),
            UNKNOWN,
        ),
        (
            "bind_window",
            json!({"region": "w", "of": "a", "offset": 60, "length": 8, "rights": []}),
            UNKNOWN,
        ),
        ("invalidate", json!({"region": "b"}), UNKNOWN),
        ("revalidate", json!({"region": "b", "rights": []}), UNKNOWN),
        ("deregister", json!({"region": "b"}), UNKNOWN),
        ("recall", json!({"region": "b"}), UNKNOWN),
        ("read_memory", json!({"region": "a", "offset": 60, "length": 5}), UNKNOWN),
        ("read_memory", json!({"region": "a", "offset": u64::MAX, "length": 2}), UNKNOWN),
        ("write_memory", json!({"region": "a", "offset": 63, "bytes": "0000"}), UNKNOWN),
        ("post_receives", json!({"stream": "t", "count": 1, "size": 1, "identifier": 1}), UNKNOWN),
        ("post_receives", json!({"stream": "s", "count": over, "size": 1, "identifier": 1}), LIMIT),
        ("post_receives", json!({"stream": "s", "count": 1, "size": over, "identifier": 1}), LIMIT),
        (
            "post_receives",
            json!({"stream": "s", "count": 2, "size": 33, "identifier": 1, "region": "a"}),
            UNKNOWN,
        ),
        ("post", json!({"stream": "t", "identifier": 1, "operation": "send"}), UNKNOWN),
        ("post", json!({"stream": "s", "identifier": 1, "operation": "receive"}), INVALID),
        ("post", json!({"stream": "s", "identifier": 1, "operation": "atomic"}), INVALID),
        ("post", json!({"stream": "s", "identifier": 1, "operation": "rdma_read"}), INVALID),
        (
            "post",
            json!({"stream": "s", "identifier": 1, "operation": "rdma_read", "region": "b"}),
            UNKNOWN,
        ),
        ("post", json!({"stream": "s", "identifier": 1, "operation": "flush"}), UNSUPPORTED),
        ("prepare", json!({"stream": "s", "from": ADDRESS.to_string()}), REFUSED),
        ("prepare", json!({"stream": "p", "from": ADDRESS.to_string()}), REFUSED),
        ("prepare", json!({"stream": "t", "from": "localhost:1"}), INVALID),
        ("open", json!({"stream": "t", "port": 70_000}), INVALID),
        ("open", json!({"stream": "t", "port": 7, "ready_to_receive": []}), UNSUPPORTED),
        ("open", json!({"stream": "t", "port": 7, "revision": 3}), UNSUPPORTED),
        ("open", json!({"stream": "t", "port": 7, "protection_domain": over}), UNSUPPORTED),
        ("open", json!({"stream": "t", "port": 7, "longest_ulpdu": 18}), UNSUPPORTED),
        ("open", json!({"stream": "t", "port": 7, "receives": over}), LIMIT),
        ("open", json!({"stream": "t", "port": 7, "delay": 600_000}), LIMIT),
        ("open", json!({"stream": "t", "port": 7, "private_data": "00".repeat(513)}), LIMIT),
        ("finish", json!({"stream": "t"}), UNKNOWN),
        ("abort", json!({"stream": "t"}), UNKNOWN),
    ] {
        assert_eq!(lab.refused(method, params.clone()), code, "{method} {params}");
    }
    assert!(lab.is_quiet());
    assert_eq!(lab.read("a", 0, 64), "00".repeat(64));
}

#[test]
fn limits_are_kept() {
    let mut few = options();
    few.limits.regions = 2;
    few.limits.streams = 2;
    few.limits.work = 1;
    few.memory = 100;
    few.work_bytes = 10;
    let mut lab = Lab::with(few);
    let region = |name: &str, length: u64| json!({"region": name, "length": length, "rights": []});
    lab.ask("register", region("a", 60));
    assert_eq!(lab.refused("register", region("b", 101)), LIMIT);
    // Somebody may give some back.
    assert_eq!(lab.refused("register", region("b", 41)), REFUSED);
    lab.ask("register", region("b", 40));
    assert_eq!(lab.refused("register", region("c", 0)), LIMIT);
    lab.ask("deregister", json!({"region": "a"}));
    lab.ask("register", region("c", 60));
    lab.stream("s", &json!({}));
    let send = |payload: &str| json!({"stream": "s", "identifier": 1, "operation": "send", "payload": payload});
    assert_eq!(lab.refused("post", send(&"00".repeat(11))), LIMIT);
    // It stays: the initiator has not spoken (RFC 5044 section 7.1.2).
    lab.ask("post", send("00"));
    assert_eq!(lab.refused("post", send("00")), LIMIT);
    lab.ask("prepare", json!({"stream": "t", "from": ADDRESS.to_string()}));
    assert_eq!(lab.refused("prepare", json!({"stream": "u", "from": ADDRESS.to_string()})), LIMIT);
}

/// A session is a control connection: others see nothing of it, and its end takes everything away.
#[test]
fn a_session_is_a_connection() {
    let mut lab = Lab::new();
    lab.register("a", 64);
    let number = lab.stream("s", &json!({}));
    lab.control(OTHER, ControlEvent::Opened(ADDRESS));
    let range = json!({"region": "a", "offset": 0, "length": 1});
    assert_eq!(lab.refused_in(OTHER, "read_memory", range.clone()), UNKNOWN);
    assert_eq!(lab.refused_in(OTHER, "finish", json!({"stream": "s"})), UNKNOWN);
    lab.control(OTHER, ControlEvent::Closed);
    assert_eq!(lab.read("a", 0, 1), "00");
    assert!(lab.pipe.sides[0].connection(number).is_some());
    lab.happened("s");
    lab.ask("reset", json!({}));
    assert!(lab.pipe.sides[0].connection(number).is_none());
    assert_eq!(lab.refused("read_memory", range), UNKNOWN);
    assert!(lab.is_quiet(), "after a reset nothing is said of what was before");
    // Names are free again, and what was prepared and did not come is forgotten.
    lab.ask("prepare", json!({"stream": "s", "from": ADDRESS.to_string(), "reject": true}));
    lab.ask("reset", json!({}));
    let number = lab.stream("s", &json!({}));
    assert!(lab.pipe.sides[0].connection(number).is_some());
    lab.control(SESSION, ControlEvent::Closed);
    assert!(lab.pipe.sides[0].connection(number).is_none());
    assert_eq!(lab.pipe.sides[1].memory().count(), 0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Any line has one reply, and the next call is carried out.
    #[test]
    fn any_line_is_answered(line in prop::collection::vec(any::<u8>(), 0..80)) {
        let mut lab = Lab::new();
        let line: Vec<u8> = line.into_iter().filter(|byte| *byte != b'\n').collect();
        let reply = lab.line(SESSION, &line);
        prop_assert!(reply["error"]["code"].as_i64().is_some_and(|code| code < 0));
        lab.register("a", 8);
    }

    /// So has any call, whatever its parameters are.
    #[test]
    fn any_call_is_answered(
        numbers in prop::array::uniform4(any::<u64>()),
        names in prop::array::uniform2(prop::sample::select(vec!["a", "s", ""])),
    ) {
        let mut lab = Lab::new();
        lab.register("a", 64);
        lab.stream("s", &json!({}));
        let ([m, n, o, p], [name, other]) = (numbers, names);
        let (base, few, word) = (format!("{o:#x}"), m as u32, n as u32);
        for (method, params) in [
            ("register", json!({"region": name, "length": n, "rights": ["read"], "base": base})),
            ("bind_window", json!({"region": name, "of": other, "offset": m, "length": n, "rights": [], "base": base})),
            ("read_memory", json!({"region": name, "offset": m, "length": n})),
            ("write_memory", json!({"region": name, "offset": m, "bytes": "00"})),
            ("post_receives", json!({"stream": name, "count": few, "size": word, "identifier": o, "offset": p})),
            ("post_receives", json!({"stream": name, "count": few & 15, "size": word, "identifier": o, "region": other, "offset": p})),
            ("post", json!({"stream": name, "identifier": o, "operation": "send", "region": other, "offset": m, "length": word})),
            ("post", json!({"stream": name, "identifier": o, "operation": "rdma_read", "region": other, "offset": m, "length": word, "stag": few})),
            ("prepare", json!({"stream": name, "from": ADDRESS.to_string(), "ird": m as u16, "ord": n as u16, "longest_ulpdu": o as u16, "revision": p % 4})),
            ("open", json!({"stream": name, "port": p as u16, "ird": m as u16, "protection_domain": word})),
            ("revalidate", json!({"region": name, "rights": []})),
            ("invalidate", json!({"region": name})),
            ("finish", json!({"stream": name})),
            ("abort", json!({"stream": name})),
            ("deregister", json!({"region": name})),
        ] {
            let call = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
            let reply = lab.line(SESSION, call.to_string().as_bytes());
            prop_assert_eq!(&reply["id"], &json!(1));
            prop_assert!(reply["error"]["code"].as_i64().is_none_or(|code| code > 0), "{}", reply);
        }
        lab.ask("reset", json!({}));
        lab.register("a", 8);
    }
}
