//! Work and receives: each operation goes out as it was asked for, and what came of it is said.

use crate::runner::Lab;
use serde_json::{Value, json};
use warpscope_peer::memory::{Registration, Rights};
use warpscope_peer::work::{Operation, Received};

/// A lab with the stream `s` on which both sides may speak, and 16 receives at the runner.
fn lab() -> (Lab, u64) {
    let mut lab = Lab::new();
    let number = lab.stream("s", &json!({"receives": 1, "receive_size": 64}));
    for name in 0..16 {
        lab.streams().post_receive(number, name, 4096).unwrap();
    }
    lab.post(number, Operation::send(b"first"));
    lab.happened("s");
    (lab, number)
}

/// Posts work; its completion.
fn done(lab: &mut Lab, operation: &str, given: &Value) -> Value {
    let mut work = json!({"stream": "s", "identifier": 77, "operation": operation});
    for (key, value) in given.as_object().unwrap() {
        work[key] = value.clone();
    }
    lab.ask("post", work);
    let all = lab.happened("s");
    let [completion] = &all[..] else { panic!("{operation}: {all:?}") };
    let what = ["event", "identifier", "operation", "status"].map(|key| &completion[key]);
    assert_eq!(what, [&json!("completion"), &json!(77), &json!(operation), &json!("succeeded")]);
    completion.clone()
}

#[test]
fn sends_of_every_kind_go_out() {
    let (mut lab, number) = lab();
    lab.register("a", 16);
    lab.ask("write_memory", json!({"region": "a", "offset": 4, "bytes": "01020304"}));
    let memory = lab.streams().memory();
    let tag = memory.register(vec![0; 8], Registration::stream(number, Rights::READ)).unwrap();
    let plain = |bytes: &[u8]| Received {
        bytes: bytes.to_vec(),
        immediate: None,
        invalidated: None,
        solicited: false,
    };
    for (operation, given, came) in [
        ("send", json!({}), plain(b"")),
        ("send", json!({"payload": "616263"}), plain(b"abc")),
        ("send", json!({"region": "a", "offset": 4, "length": 4}), plain(&[1, 2, 3, 4])),
        (
            "send",
            json!({"payload": "61", "flags": ["solicited"]}),
            Received { solicited: true, ..plain(b"a") },
        ),
        (
            "send",
            json!({"payload": "61", "flags": ["immediate", "fence"], "data": "0x8000000000000001"}),
            Received { immediate: Some(0x8000_0000_0000_0001), ..plain(b"a") },
        ),
        (
            "send",
            json!({"payload": "61", "flags": ["invalidate"], "invalidate_stag": tag}),
            Received { invalidated: Some(tag), ..plain(b"a") },
        ),
        (
            "immediate_data",
            json!({"data": "0x7", "flags": ["solicited"]}),
            Received { immediate: Some(7), solicited: true, ..plain(b"") },
        ),
    ] {
        lab.received(number);
        done(&mut lab, operation, &given);
        assert_eq!(lab.received(number), [came], "{operation} {given}");
    }
}

#[test]
fn reads_writes_and_atomics_reach_the_runners_memory() {
    let (mut lab, _) = lab();
    lab.register("sink", 16);
    // The word is in the order of the runner's host, which is the peer's: least byte first.
    let bytes: Vec<u8> =
        0x0102_0304_0506_0708_u64.to_le_bytes().into_iter().chain(9..=16).collect();
    let shared = Registration::shared(1, Rights::ALL);
    let stag = lab.streams().memory().register(bytes, shared).unwrap();
    let remote = |given: Value| {
        let mut given = given;
        given["stag"] = json!(stag);
        given
    };
    done(&mut lab, "rdma_write", &remote(json!({"payload": "aabb", "to": "0xe"})));
    for (operation, offset) in [("rdma_read", 0), ("rdma_read_v2", 4)] {
        let given = json!({"region": "sink", "offset": offset, "length": 4, "to": "0xc"});
        done(&mut lab, operation, &remote(given));
    }
    assert_eq!(lab.read("sink", 0, 8), "0d0eaabb0d0eaabb");
    let add = json!({"atomic": "fetch_add", "data": "0x1", "mask": "0xffffffffffffffff"});
    let before = done(&mut lab, "atomic", &remote(add));
    assert_eq!(before["original"], "0x102030405060708");
    let swap = json!({
        "atomic": "cmp_swap", "data": "0x5", "mask": "0xff",
        "compare_data": "0x102030405060709", "compare_mask": "0xffffffffffffffff"
    });
    assert_eq!(done(&mut lab, "atomic", &remote(swap))["original"], "0x102030405060709");
    assert_eq!(lab.streams().memory().bytes(stag).unwrap()[..8], [5, 7, 6, 5, 4, 3, 2, 1]);
    done(&mut lab, "atomic_write", &remote(json!({"data": "0x1112131415161718", "to": "0x8"})));
    let there = lab.streams().memory().bytes(stag).unwrap()[8..].to_vec();
    assert_eq!(there, [0x18, 0x17, 0x16, 0x15, 0x14, 0x13, 0x12, 0x11]);
    done(&mut lab, "flush", &remote(json!({"length": 16, "flags": ["visibility"]})));
    let verified = done(&mut lab, "verify", &remote(json!({"length": 16})));
    let held = lab.streams().memory().bytes(stag).unwrap().to_vec();
    let hash = warpscope_wire::crc::crc32c(&held);
    assert!(verified["hash"].as_str().unwrap().contains(&format!("{hash:08x}")), "{verified}");
}

#[test]
fn arrivals_are_told_and_put_where_the_runner_wants_them() {
    let (mut lab, number) = lab();
    let region =
        json!({"region": "a", "length": 64, "rights": ["write"], "scope": "stream", "stream": "s"});
    let tag = lab.ask("register", region)["stag"].as_u64().unwrap() as u32;
    for (identifier, place) in [(10, json!({"region": "a", "offset": 8})), (20, json!({}))] {
        let mut receives = json!({"stream": "s", "count": 2, "size": 16, "identifier": identifier});
        for (key, value) in place.as_object().unwrap() {
            receives[key] = value.clone();
        }
        lab.ask("post_receives", receives);
    }
    let send = |bytes: &[u8]| Operation::Send {
        source: bytes.into(),
        invalidate: None,
        solicited: false,
        immediate: None,
    };
    let Operation::Send { source, .. } = send(b"cd") else { panic!() };
    lab.post(number, send(b"ab"));
    lab.post(
        number,
        Operation::Send { source, invalidate: None, solicited: true, immediate: Some(9) },
    );
    lab.post(number, Operation::Immediate { data: 3, solicited: false });
    lab.post(
        number,
        Operation::Send {
            source: b""[..].into(),
            invalidate: Some(tag),
            solicited: false,
            immediate: None,
        },
    );
    let arrivals: Vec<Value> =
        lab.happened("s").into_iter().filter(|it| it["event"] == "arrival").collect();
    let arrival = |identifier: u64, payload: &str, invalidated: u32, solicited: bool| {
        json!({
            "stream": "s", "event": "arrival", "identifier": identifier, "payload": payload,
            "invalidated_stag": invalidated, "solicited": solicited
        })
    };
    let with = |mut arrival: Value, immediate: &str| {
        arrival["immediate"] = json!(immediate);
        arrival
    };
    let expected = [
        arrival(10, "6162", 0, false),
        with(arrival(11, "6364", 0, true), "0x9"),
        with(arrival(20, "", 0, false), "0x3"),
        arrival(21, "", tag, false),
    ];
    assert_eq!(arrivals, expected);
    let range = json!({"region": "a", "offset": 8, "length": 18});
    assert_eq!(lab.ask("read_memory", range), format!("6162{}6364", "00".repeat(14)));
}

#[test]
fn work_on_a_stream_that_ends_is_told_as_flushed() {
    let (mut lab, number) = lab();
    lab.register("a", 8);
    let read = json!({
        "stream": "s", "identifier": 5, "operation": "rdma_read", "region": "a", "length": 8, "stag": 1
    });
    lab.streams().abort(number);
    // The agent does not know yet that the stream is gone, or knows it already.
    let reply = lab.line(
        crate::runner::SESSION,
        json!({"jsonrpc": "2.0", "id": 1, "method": "post", "params": read}).to_string().as_bytes(),
    );
    let happened = lab.happened("s");
    let flushed = happened.iter().any(|it| it["identifier"] == 5 && it["status"] == "flushed");
    assert_eq!(reply.get("error").is_none(), flushed, "{reply} {happened:?}");
    assert_eq!(happened.last().unwrap()["how"], "lost");
}
