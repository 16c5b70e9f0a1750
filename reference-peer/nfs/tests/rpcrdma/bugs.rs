//! The seeded bugs of RPC-over-RDMA: each shows, and most break the rule that judges their
//! requirement.

use crate::errors;
use crate::judge::observed;
use crate::prelude::*;
use std::collections::BTreeSet;
use warpscope_dissector::rules::Finding;
use warpscope_peer::bug::{Bug, BugRow, Bugs, TABLE};
use warpscope_peer::switch::{Layer, SwitchSide};

/// Bugs whose requirement no rule judges from a capture alone, by the reason.
const UNSEEN: [(&str, &str); 9] = [
    (
        "what an end makes of what it hears, its receives and its memory are not on the wire",
        "rpc-round-up-forgotten, rpc-segments-reversed, \
         rpc-error-chunk-unknown, rpc-faulty-error-taken, \
         rpc-faulty-reply-taken, rpc-done-ends-call, rpc-private-reserved-checked, \
         rpc-private-in-front, rpc-receives-missing, rpc-receives-short, rpc-memory-kept",
    ),
    (
        "only the program knows what it refuses, what its items are, and how long each may be",
        "rpc-read-chunk-long, rpc-round-up-stays, rpc-reply-chunk-missing, \
         rpc-write-chunk-short, rpc-results-inline, rpc-write-chunks-backwards, \
         rpc-empty-chunk-skipped, rpc-write-padding, rpc-refusals-as-errors, \
         rpc-anything-taken-out",
    ),
    (
        "no rule asks for an answer, for a certain RDMA_ERROR, or that a message be dropped",
        "rpc-xid-unchecked, rpc-version-unchecked, rpc-padded-answered, rpc-error-silent, \
         rpc-short-answered, rpc-done-answered, rpc-error-answered, rpc-error-kind, \
         rpc-long-call-refused",
    ),
    ("what has another identifier is no private data of RPC-over-RDMA", "rpc-private-magic"),
    ("a size does not say how long its sender's buffers are", "rpc-private-sizes"),
    ("the position is one where an item could be", "rpc-read-position"),
    ("what says CALL is taken for a call", "rpc-reply-says-call"),
    ("it is seen as a call that no reply granted", "rpc-credits-of-anything"),
    ("what a client can take is said in its session of NFS 4.1", "rpc-backward-chunks"),
];

/// Bugs that a conversation of two ends does not show, and what shows them.
const ELSEWHERE: &[(Bug, &str)] = &[
    (Bug::RpcInlineResultTaken, "the client of NFS: a test beside it"),
    (Bug::RpcSendSizeExceeded, "a peer that receives more than it sends: a conformance case"),
    (Bug::RpcRoomUnchecked, "a call with less room than its result has: a conformance case"),
    (Bug::RpcSettingsKept, "a service of several streams: the last test here"),
];

/// All that a conversation came to.
#[derive(Debug, PartialEq, Eq)]
struct Seen {
    transcript: Vec<(usize, Option<Vec<u8>>)>,
    ended: [Vec<(u64, Result<ReducedReply, CallFailure>)>; 2],
    heard: [Vec<Vec<u8>>; 2],
    regions: [usize; 2],
}

impl Seen {
    fn of(mut pair: RpcPair) -> Self {
        for side in [INITIATOR, RESPONDER] {
            pair.sides[side].finish(pair.numbers[side]);
        }
        pair.run();
        Self::now(pair)
    }

    /// The same of streams that are still open.
    fn now(mut pair: RpcPair) -> Self {
        let regions = [0, 1].map(|side| pair.sides[side].memory().count());
        let heard = pair.programs.map(|program| program.heard);
        Self { transcript: pair.transcript, ended: pair.ended, heard, regions }
    }

    fn findings(&self) -> Vec<Finding> {
        observed(&self.transcript, "a conversation").0
    }
}

/// Ends that use every kind of chunk, with this bug at one side.
fn configs(bugs: Bugs, buggy: usize) -> [RpcRdmaConfig; 2] {
    let (send_size, receive_size) = (4096, 1024);
    let unagreed = bugs.has(Bug::RpcInvalidateUnagreed);
    let client = RpcRdmaConfig {
        credits_asked: 8,
        form: CallForm::Chunked,
        longest_segment: 300,
        remote_invalidation: !unagreed,
        ..RpcRdmaConfig::client(2)
    };
    // The server tries chunks on backward calls, which the client does not take.
    let server = RpcRdmaConfig {
        calls_with_chunks: true,
        form: CallForm::Chunked,
        ..RpcRdmaConfig::server(3)
    };
    let mut configs =
        [client, server].map(|config| RpcRdmaConfig { send_size, receive_size, ..config });
    configs[buggy].bugs = bugs;
    configs
}

/// Calls of every shape in both directions.
fn conversation(bugs: Bugs, buggy: usize) -> Seen {
    let mut pair = RpcPair::new(configs(bugs, buggy));
    pair.run();
    let plan = |arguments: &[usize], results: &[usize], room: Option<&[u32]>| Plan {
        arguments: arguments.to_vec(),
        results: results.to_vec(),
        room: room.map(<[u32]>::to_vec),
        plain_argument: 8,
        plain_result: 12,
        xid: 0,
    };
    let plans = [
        plan(&[], &[], None),
        plan(&[701, 302], &[], None),
        Plan { plain_argument: 3000, ..Plan::default() },
        plan(&[], &[1001, 502], None),
        plan(&[], &[100, 501], Some(&[0, 501])),
        plan(&[], &[1001], Some(&[2000])),
        Plan { plain_result: 3000, ..Plan::default() },
        // A little too long to go inline.
        Plan { plain_argument: 1200, ..Plan::default() },
        Plan { plain_result: 1200, ..Plan::default() },
        plan(&[405], &[702], None),
        // As long as an inline message may be, or nearly.
        Plan { plain_argument: 940, plain_result: 960, ..Plan::default() },
    ];
    let shorts = std::iter::repeat_n(Plan::default(), 10);
    for (xid, plan) in (1..).zip(plans.into_iter().chain(shorts)) {
        let mut call = Plan { xid, ..plan }.call();
        // Longer than it will be: a reply chunk that is not used.
        call.longest_reply += if xid == 6 { 3000 } else { 0 };
        pair.call(INITIATOR, call);
    }
    pair.run_in_bursts();
    for xid in 1..6 {
        let plain = Plan { xid, plain_argument: 5, plain_result: 6, ..Plan::default() };
        let chunked = Plan { arguments: vec![9], ..plain.clone() };
        pair.call(RESPONDER, if xid == 3 { chunked.call() } else { plain.call() });
    }
    pair.run();
    Seen::of(pair)
}

/// Ends on which a call has been answered.
fn begun(bugs: Bugs, buggy: usize) -> RpcPair {
    let mut pair = RpcPair::new(configs(bugs, buggy));
    pair.call(INITIATOR, Plan { xid: 1, ..Plan::default() }.call());
    pair.run();
    pair
}

/// A client that speaks by hand: every kind of wrong header, then a right call.
fn wrong_headers(bugs: Bugs) -> Seen {
    let mut pair = begun(bugs, RESPONDER);
    let other_version = [words(&[10, 2, 8, 0, 0, 0, 0]), Plan::default().message().bytes].concat();
    let wrong = errors::wrong_calls().into_iter().chain(errors::no_calls());
    for bytes in wrong.map(|(_, bytes)| bytes).chain([other_version]) {
        // There may be no answer, and may be one.
        pair.sides[INITIATOR].post_receive(pair.numbers[INITIATOR], 0, 1024).unwrap();
        pair.say(INITIATOR, &bytes);
        pair.run();
    }
    pair.call(INITIATOR, Plan { xid: 99, ..Plan::default() }.call());
    pair.run();
    Seen::of(pair)
}

/// A client that receives this in place of a reply: its first call has a chunk, and some wait for credits.
fn hears(bugs: Bugs, bytes: &[u8]) -> Seen {
    let mut pair = begun(bugs, INITIATOR);
    pair.call(INITIATOR, Plan { xid: 2, results: vec![500], ..Plan::default() }.call());
    for xid in [errors::XID, 3, 4, 5, 6, 7] {
        pair.call(INITIATOR, Plan { xid, ..Plan::default() }.call());
    }
    pair.say(RESPONDER, bytes);
    pair.run_from(RESPONDER);
    pair.run_from(INITIATOR);
    Seen::now(pair)
}

/// A server whose program takes no argument out of a call receives one that has none in it.
fn taken_out(bugs: Bugs) -> Seen {
    let mut pair = RpcPair::new(configs(bugs, RESPONDER));
    pair.programs[RESPONDER].ineligible_from = Some(0);
    pair.call(INITIATOR, Plan { xid: 1, arguments: vec![500], ..Plan::default() }.call());
    pair.run();
    Seen::of(pair)
}

/// The other side's private data has a reserved bit, or something in front of it.
fn settings(bugs: Bugs, buggy: usize, front: &[u8], bits: u8) -> Seen {
    let mut configs = configs(Bugs::NONE, buggy).map(|config| RpcRdmaConfig {
        receive_size: 4096,
        form: CallForm::Shortest,
        ..config
    });
    configs[buggy].bugs = bugs;
    let other = if buggy == INITIATOR { Role::Responder } else { Role::Initiator };
    let mut pair = RpcPair::with(configs, |connection| {
        if connection.role == other {
            let data = &mut connection.setup.private_data;
            data[5] |= bits;
            *data = [front, &data[..]].concat();
        }
    });
    let plan = Plan { xid: 1, plain_argument: 2000, plain_result: 2000, ..Plan::default() };
    pair.call(INITIATOR, plan.call());
    pair.run();
    Seen::of(pair)
}

/// What shows bugs besides the conversation: each once for every side.
fn others(bugs: Bugs, side: usize) -> Vec<Seen> {
    let mut seen = vec![settings(bugs, side, b"x", 0), settings(bugs, side, b"", 2)];
    match side {
        INITIATOR => {
            let wrong = errors::wrong_answers().into_iter().map(|(_, bytes, _)| bytes);
            let answers = wrong.chain([errors::err_chunk(), errors::right_answer(2)]);
            seen.extend(answers.map(|answer| hears(bugs, &answer)));
        }
        _ => seen.extend([wrong_headers(bugs), taken_out(bugs)]),
    }
    seen
}

fn rows() -> impl Iterator<Item = (&'static BugRow, Vec<usize>)> {
    let elsewhere = |row: &BugRow| ELSEWHERE.iter().any(|(bug, _)| *bug == row.bug);
    let rows = TABLE.iter().filter(move |row| row.layer == Layer::Rpc && !elsewhere(row));
    rows.map(|row| match row.side {
        SwitchSide::Initiator => (row, vec![INITIATOR]),
        SwitchSide::Responder => (row, vec![RESPONDER]),
        SwitchSide::Both => (row, vec![INITIATOR, RESPONDER]),
    })
}

#[test]
fn without_bugs_nothing_is_found() {
    let seen = conversation(Bugs::NONE, INITIATOR);
    let findings = seen.findings();
    assert!(findings.is_empty(), "{findings:#?}");
    assert_eq!(seen.regions, [0, 0]);
    assert_eq!(seen.ended[INITIATOR].len(), 21);
    assert!(seen.ended[INITIATOR].iter().all(|(_, it)| it.is_ok()));
    let failed = seen.ended[RESPONDER].iter().filter(|(_, it)| it.is_err());
    assert_eq!(failed.count(), 1, "the backward call with a chunk");
    let server = |findings: Vec<Finding>| -> Vec<String> {
        let faults = findings.into_iter().filter(|it| it.place.side.index() == RESPONDER);
        faults.map(|it| it.explanation).collect()
    };
    assert_eq!(server(wrong_headers(Bugs::NONE).findings()), [] as [String; 0]);
}

/// Without private data nothing says that the stream carries RPC-over-RDMA before a message does: who
/// answers a wrong call, as RFC 8166 section 4.5 wants it, answers no stranger.
#[test]
fn a_wrong_call_in_front_accuses_nobody_who_answers_it() {
    let plain = |config: RpcRdmaConfig| RpcRdmaConfig { private_data: false, ..config };
    for (name, bytes) in errors::wrong_calls() {
        let mut pair = RpcPair::new(configs(Bugs::NONE, RESPONDER).map(plain));
        pair.run();
        pair.sides[INITIATOR].post_receive(pair.numbers[INITIATOR], 0, 1024).unwrap();
        pair.say(INITIATOR, &bytes);
        pair.run();
        let findings = Seen::of(pair).findings();
        let of_server = findings.iter().filter(|it| it.place.side.index() == RESPONDER);
        assert_eq!(of_server.count(), 0, "{name}: {findings:#?}");
    }
}

#[test]
fn every_bug_shows_and_breaks_its_rule() {
    let clean = conversation(Bugs::NONE, INITIATOR);
    let clean_others = [INITIATOR, RESPONDER].map(|side| others(Bugs::NONE, side));
    let unseen = UNSEEN.map(|(_, bugs)| bugs).join(",").parse::<Bugs>().unwrap();
    let mut wrong = Vec::new();
    for (row, sides) in rows() {
        let bugs = Bugs::from(row.bug);
        let mut sides_shown = BTreeSet::new();
        let mut broken: BTreeSet<&str> = BTreeSet::new();
        for side in sides.iter().copied() {
            let mut seen = vec![(conversation(bugs, side), &clean)];
            seen.extend(others(bugs, side).into_iter().zip(&clean_others[side]));
            for (seen, clean) in &seen {
                if seen != *clean {
                    sides_shown.insert(side);
                }
                for finding in seen.findings() {
                    if finding.place.side.index() == side {
                        broken.extend(finding.rule.requirements);
                    }
                }
            }
        }
        if sides_shown.len() != sides.len() {
            wrong.push(format!("{} shows at {sides_shown:?} only", row.name));
        }
        let unseen = unseen.has(row.bug);
        if broken.contains(row.requirement) == unseen {
            let says = if unseen { "is found after all" } else { "is not found" };
            wrong.push(format!("{}: {} {says}: {broken:?}", row.name, row.requirement));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_bug_keeps_what_one_connection_said() {
    for bugs in [Bugs::NONE, Bug::RpcSettingsKept.into()] {
        let of = |role| Config { accepts: false, ..Config::new(role, STREAM) };
        let (initiator, responder) = (of(Role::Initiator), of(Role::Responder));
        let responder = Config { bugs, ..responder };
        let sides = [1, 2].map(|seed| Streams::new(Memory::seeded(seed)));
        let mut pipe = Pipe::new(sides, [initiator.clone(), responder]);
        let (client, server) = (RpcRdmaConfig::client(0), RpcRdmaConfig::server(3));
        let [mut here, mut there] = [(); 2].map(|()| Rpc::new(Program::default(), server, client));
        let mut sizes = Vec::new();
        for private_data in [client.private_data(), Vec::new()] {
            let mut config = initiator.clone();
            config.setup.private_data = private_data;
            let number =
                pipe.sides[INITIATOR].connect(([127, 0, 0, 1], 20049).into(), config, false);
            pipe.run(&mut [&mut here, &mut there]);
            assert!(pipe.sides[INITIATOR].config(number).is_some());
            let last = pipe.sides[RESPONDER].numbers().into_iter().max().unwrap();
            sizes.push(there.of(last).and_then(|end| end.thresholds()).unwrap().send);
        }
        // RFC 8797 section 4: what was said holds for one connection.
        assert_eq!(sizes, [4096, if bugs.is_empty() { 1024 } else { 4096 }]);
    }
}
