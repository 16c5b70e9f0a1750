//! Streams: opened and accepted as the runner wants it, and what is said of them.

use crate::runner::{ADDRESS, Lab, config, options};
use serde_json::json;
use std::time::Duration;
use warpscope_peer::connection::{Config, Event};
use warpscope_peer::setup::{Agreement, Request, SetupRevision};
use warpscope_peer::work::{Operation, RemoteBuffer};
use warpscope_wire::rdmap::Profile;

/// The agreement on a stream of the runner.
fn agreement(lab: &Lab, number: u64) -> Option<Agreement> {
    lab.runner.events.iter().find_map(|(its, event)| match event {
        Event::Established(agreement) if *its == number => Some(agreement.clone()),
        _ => None,
    })
}

/// The last request that the runner's side was asked, and the stream.
fn asked(lab: &Lab) -> (u64, Request) {
    let requests = lab.runner.events.iter().rev().find_map(|(number, event)| match event {
        Event::Requested(request) => Some((*number, request.clone())),
        _ => None,
    });
    requests.unwrap()
}

#[test]
fn a_stream_is_opened_as_the_runner_wants_it() {
    let mut lab = Lab::new();
    lab.ask(
        "open",
        json!({
            "stream": "s", "port": 7, "markers": true, "crc": false, "revision": 2, "enhanced": true,
            "ird": 3, "ord": 5, "private_data": "c0ffee", "receives": 1, "receive_size": 8,
            "peer_to_peer": true, "ready_to_receive": ["write"]
        }),
    );
    lab.run();
    let (number, request) = asked(&lab);
    let enhanced = request.enhanced.unwrap();
    assert!(request.markers && !request.crc && enhanced.peer_to_peer);
    assert_eq!((request.revision, enhanced.ird, enhanced.ord), (SetupRevision::Two, 3, 5));
    let ready = enhanced.ready_to_receive.unwrap();
    assert!(ready.write() && !ready.send() && !ready.read());
    assert_eq!(request.private_data, [0xc0, 0xff, 0xee]);
    let established = lab.event("s", "established");
    assert_eq!((&established["revision"], &established["markers"]), (&json!(2), &json!(true)));
    assert_eq!((&established["private_data"], &established["crc"]), (&json!(""), &json!(true)));
    // It speaks first, and its receives wait.
    lab.post(number, Operation::send(b"12345678"));
    assert_eq!(lab.event("s", "arrival")["payload"], "3132333435363738");
}

#[test]
fn an_open_without_options_is_the_targets_own_choice() {
    let mut lab = Lab::new();
    lab.ask("open", json!({"stream": "s", "port": 7}));
    lab.run();
    let (_, request) = asked(&lab);
    assert_eq!((request.revision, request.private_data.len()), (SetupRevision::Two, 0));
    assert_eq!(lab.names("s"), ["established"]);
}

#[test]
fn depths_are_no_more_than_the_target_has() {
    let mut few = options();
    (few.limits.ird, few.limits.ord) = (4, 6);
    let mut lab = Lab::with(few);
    for (name, ird, ord, expected) in
        [("s", 3, 5, (3, 5)), ("t", 5, 7, (4, 6)), ("u", u16::MAX, u16::MAX, (4, 6))]
    {
        lab.ask("open", json!({"stream": name, "port": 7, "ird": ird, "ord": ord}));
        lab.run();
        let enhanced = asked(&lab).1.enhanced.unwrap();
        assert_eq!((enhanced.ird, enhanced.ord), expected, "{name}");
    }
}

/// RFC 6581 section 10: revision 1 is tried where revision 2 is refused.
#[test]
fn a_target_falls_back_if_it_is_told_to() {
    for falls in [true, false] {
        let mut lab = Lab::new();
        lab.pipe.accepting[0].setup.revision = SetupRevision::One;
        lab.pipe.accepting[0].setup.enhanced = false;
        lab.ask("open", json!({"stream": "s", "port": 7, "fall_back": falls}));
        lab.run();
        let names = lab.names("s");
        let expected: &[&str] =
            if falls { &["fell_back", "established"] } else { &["setup_failed", "ended"] };
        assert_eq!(names, expected);
    }
}

#[test]
fn a_stream_is_accepted_as_the_runner_prepared_it() {
    let mut lab = Lab::new();
    let enhanced = Config {
        setup: warpscope_peer::setup::SetupConfig { ird: 9, ord: 8, ..config().setup },
        ..config()
    };
    lab.ask(
        "prepare",
        json!({
            "stream": "s", "from": ADDRESS.to_string(), "markers": true, "ird": 3, "ord": 5,
            "private_data": "c0ffee", "receives": 1, "receive_size": 8
        }),
    );
    let number = lab.connect(enhanced);
    let agreed = agreement(&lab, number).unwrap();
    assert!(agreed.send_markers && agreed.private_data == [0xc0, 0xff, 0xee]);
    assert_eq!((agreed.peer_ird, agreed.peer_ord), (Some(3), Some(5)));
    let all = lab.happened("s");
    let [request, established] = &all[..] else { panic!("{all:?}") };
    assert_eq!(
        (&request["event"], &established["event"]),
        (&json!("request"), &json!("established"))
    );
    assert_eq!((&request["our_ird"], &request["our_ord"]), (&json!(9), &json!(8)));
    assert_eq!(established["markers"], true);
    lab.post(number, Operation::send(b"12345678"));
    assert_eq!(lab.event("s", "arrival")["identifier"], 1);
}

/// Streams are known by where they come from; from elsewhere, the one that was prepared first comes.
#[test]
fn streams_are_known_by_their_addresses() {
    let mut lab = Lab::new();
    for (name, port) in [("first", 1), ("second", 2), ("third", 3)] {
        lab.ask("prepare", json!({"stream": name, "from": format!("127.0.0.1:{port}")}));
    }
    let target = &mut lab.pipe.sides[1];
    let accepting = lab.pipe.accepting[1].clone();
    let come = |from: u16| (std::net::Ipv4Addr::LOCALHOST, from).into();
    let numbers = [3, 9, 2].map(|from| target.accepted(accepting.clone(), Some(come(from)), None));
    for number in numbers {
        target.lost(number);
        target.remove(number);
    }
    lab.run();
    for (name, _) in [("third", 3), ("first", 9), ("second", 2)] {
        assert_eq!(lab.names(name).last().unwrap(), "ended", "{name}");
    }
    assert!(lab.is_quiet());
}

/// A connection on which no request came is dropped: its name is free again.
#[test]
fn a_stream_that_is_idle_in_its_setup_ends() {
    let mut lab = Lab::new();
    let prepared = json!({"stream": "s", "from": ADDRESS.to_string()});
    lab.ask("prepare", prepared.clone());
    let accepting = lab.pipe.accepting[1].clone();
    let target = &mut lab.pipe.sides[1];
    let number = target.accepted(accepting, Some(ADDRESS), None);
    target.expire(number);
    target.remove(number);
    lab.run();
    let dropped = json!({"stream": "s", "event": "ended", "how": "dropped"});
    assert_eq!(lab.happened("s"), [dropped]);
    lab.ask("prepare", prepared);
}

#[test]
fn a_stream_that_nobody_prepared_is_accepted_and_not_spoken_of() {
    let mut lab = Lab::new();
    let number = lab.connect(config());
    assert!(agreement(&lab, number).is_some());
    assert!(lab.is_quiet());
}

#[test]
fn a_prepared_rejection_has_its_private_data_and_a_delay_passes() {
    let mut lab = Lab::new();
    let given = json!({"reject": true, "private_data": "0102", "delay": 500});
    let number = lab.stream("s", &given);
    let rejected = |lab: &Lab| {
        lab.runner.events.iter().any(|(its, event)| match event {
            Event::Rejected { private_data, .. } => *its == number && private_data[..] == [1, 2],
            _ => false,
        })
    };
    assert_eq!(lab.names("s"), ["request"]);
    lab.pass(Duration::from_millis(499));
    assert!(!rejected(&lab));
    lab.pass(Duration::from_millis(1));
    assert!(rejected(&lab));
}

/// RFC 6581 section 9.1: an initiator whose IRD does not suffice.
#[test]
fn a_required_depth_rejects() {
    let mut lab = Lab::new();
    lab.ask("prepare", json!({"stream": "s", "from": ADDRESS.to_string(), "required_ord": 5}));
    let mut little = config();
    little.setup.ird = 4;
    let number = lab.connect(little);
    assert!(agreement(&lab, number).is_none());
    assert_eq!(lab.names("s"), ["request", "rejected", "ended"]);
}

#[test]
fn streams_are_finished_dropped_and_left_half_open() {
    let mut lab = Lab::new();
    let number = lab.stream("s", &json!({}));
    lab.ask("finish", json!({"stream": "s"}));
    lab.streams().finish(number);
    lab.run();
    let all = lab.happened("s");
    assert_eq!(all.last().unwrap()["how"], "closed", "{all:?}");
    let number = lab.stream("t", &json!({}));
    lab.ask("abort", json!({"stream": "t"}));
    assert_eq!(lab.happened("t").last().unwrap()["how"], "dropped");
    assert!(
        lab.runner
            .events
            .contains(&(number, Event::Ended(warpscope_peer::connection::Ending::Lost)))
    );
    for (half_open, speaks) in [(true, true), (false, false)] {
        let name = format!("half-{half_open}");
        let number = lab.stream(&name, &json!({"half_open": half_open}));
        lab.streams().post_receive(number, 1, 64).unwrap();
        lab.post(number, Operation::send(b"first"));
        lab.streams().finish(number);
        lab.run();
        assert!(lab.names(&name).contains(&"peer_closed".to_owned()));
        let send = json!({"stream": name, "identifier": 1, "operation": "send", "payload": "00"});
        if speaks {
            lab.ask("post", send);
            assert_eq!(lab.received(number).len(), 1);
            lab.ask("abort", json!({"stream": name}));
        } else {
            assert!([2, 3].contains(&lab.refused("post", send)));
        }
    }
}

/// Streams of one target may carry other messages: the RDMAP version distinguishes ext-v2 (its section 4.1).
#[test]
fn a_stream_has_the_profile_that_was_asked_for() {
    for (profile, ours, fits) in [
        ("rfc5040", Profile::RFC5040, true),
        ("ext-v2", Profile::RFC5040, false),
        ("ext-v2", Profile { ext_v2: true, ..Profile::RFC7306 }, true),
        ("all", Profile::ALL, true),
    ] {
        let mut lab = Lab::new();
        let given = json!({
            "stream": "s", "from": ADDRESS.to_string(), "receives": 1, "receive_size": 8, "profile": profile
        });
        lab.ask("prepare", given);
        let number = lab.connect(Config { profile: ours, ..config() });
        lab.post(number, Operation::send(b"1"));
        assert_eq!(lab.names("s").contains(&"arrival".to_owned()), fits, "{profile} {ours:?}");
    }
}

#[test]
fn terminates_are_told_both_ways() {
    let mut lab = Lab::new();
    let number = lab.stream("s", &json!({}));
    lab.happened("s");
    let remote = RemoteBuffer { steering_tag: 0xdead_beef, tagged_offset: 0 };
    lab.post(number, Operation::Write { source: b"bytes"[..].into(), remote });
    let all = lab.happened("s");
    let code = json!({"layer": 1, "error_type": 1, "error_code": 0});
    let sent = all.iter().find(|it| it["event"] == "terminates").unwrap();
    assert_eq!(sent["code"], code);
    let flushed = all.iter().filter(|it| it["status"] == "flushed" && it["operation"] == "receive");
    assert_eq!(flushed.count(), 16);
    assert_eq!(all.last().unwrap(), &json!({"stream": "s", "event": "ended", "how": "error_here"}));

    let number = lab.stream("t", &json!({}));
    lab.post(number, Operation::send(b"first"));
    lab.ask(
        "post",
        json!({
            "stream": "t", "identifier": 5, "operation": "rdma_write", "payload": "00".repeat(12),
            "stag": 0x0102_0304
        }),
    );
    let all = lab.happened("t");
    let came = all.iter().find(|it| it["event"] == "terminate_came").unwrap();
    assert_eq!(came["code"], code);
    // RFC 5040 section 4.8: layer 1, type 1, code 0, M and D; segment length; DDP header.
    let bytes = came["bytes"].as_str().unwrap();
    assert_eq!((&bytes[..8], &bytes[16..24]), ("1100c000", "01020304"));
    assert_eq!(all.last().unwrap()["how"], "terminated");
}
