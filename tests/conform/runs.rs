//! Instances of small cases, and what comes of them.

use super::peer::Peer;
use std::sync::atomic::AtomicBool;
use warpscope_conformance::case::{Cases, Context, Instance};
use warpscope_conformance::judge::Verdict;
use warpscope_conformance::layout::Layouts;
use warpscope_conformance::run::{Options, Outcome, Target, probe, run_all, sanity};
use warpscope_conformance::yaml::Source;
use warpscope_requirements::Catalogue;

/// A Write of 3000 bytes, in pieces or whole, is read back three ways: by order, by RDMA Read, and by a
/// Write of the target.
const DATA: &str = "
across: {cut: [whole, one_byte]}
buffers:
  target: {sink: {length: 4096, base: 0}}
  local: {read: {length: 3000}, moved: {length: 3000}}
steps:
- connect: {receives: 16}
- send: {rdma_write: {buffer: $target.sink, payload: 3000}}
- send: {send: {payload: {text: end}}}
- expect: {report: {arrival: {payload: {text: end}}}}
- expect: {memory: {region: $target.sink, is: 3000}}
- send: {rdma_read_request: {sink: $local.read, size: 3000, source: $target.sink}}
- expect: {rdma_read_response: {}}
- expect: {memory: {region: $local.read, is: 3000}}
- target: {post: {operation: rdma_write, region: $target.sink, length: 3000,
    stag: $local.moved.stag, to: $local.moved.base, identifier: 77}}
- expect: {rdma_write: {}}
- expect: {memory: {region: $local.moved, is: 3000}}
- close: half
- expect: {closed: graceful}
";

/// RFC 5041 §7.1: a Write to an STag that nobody has; the Terminate echoes its header.
const UNKNOWN_TAG: &str = "
buffers: {target: {sink: {length: 4096}}}
steps:
- send: {rdma_write: {stag: 0xdeadbeef, to: 0, payload: 1}}
- expect: {terminate: {layer: ddp, type: tagged_buffer, code: invalid_stag, ddp_header: echoes,
    rdmap_header: absent}}
- expect: closed
- expect: {memory_unchanged: $target.all}
- expect: {report: {terminates: {layer: 1, error_type: 1, error_code: 0}}}
";

/// RFC 5044 §4.4: a wrong CRC.
const WRONG_CRC: &str = "
steps:
- connect: {receives: 16}
- send: {send: {payload: {text: first}}}
  hold: on
- send: {send: {payload: 1}}
  crc: bad
- expect: {report: {arrival: {}}}
- expect: {terminate: {layer: llp, type: mpa, code: 2}}
- expect: {no_report: {arrival: {}}}
";

/// The target opens the stream, and asks for markers in what it receives.
const TARGET_OPENS: &str = "
role: responder
steps:
- connect: {markers: on, receives: 4, target: {markers: on}}
- target: {post: {operation: send, payload: 400, identifier: 1}}
- expect: {send: {payload: 400}}
- send: {send: {payload: 1800}}
- expect: {report: {arrival: {length: 1800}}}
";

fn instances(id: &str, rest: &str) -> Vec<Instance> {
    let text = format!("id: {id}\ntitle: t\ncovers: [RFC5044-8-02]\nneeds: [agent]\n{rest}");
    let (layouts, catalogue) = (Layouts::builtin().unwrap(), Catalogue::builtin().unwrap());
    let context = Context { layouts: &layouts, catalogue: &catalogue, bugs: None };
    let cases = Cases::read(&[Source::new("a.yaml", &text)], context)
        .unwrap_or_else(|wrong| panic!("{}", wrong[0]));
    cases.all()[0].instances.clone()
}

fn all_instances() -> Vec<Instance> {
    let cases = [
        ("data", DATA),
        ("unknown-tag", UNKNOWN_TAG),
        ("wrong-crc", WRONG_CRC),
        ("target-opens", TARGET_OPENS),
    ];
    cases.iter().flat_map(|(id, rest)| instances(id, rest)).collect()
}

/// What comes of the sanity conversation, and then of these instances.
fn run(target: &Target, instances: &[Instance]) -> Vec<Outcome> {
    let options = Options { jobs: 3, ..Options::default() };
    let known = probe(target, &options).unwrap();
    let mut all = vec![sanity(&known)];
    all.extend_from_slice(instances);
    let (stop, mut outcomes) = (AtomicBool::new(false), Vec::new());
    let layouts = Layouts::builtin().unwrap();
    run_all(target, &known, &layouts, &all, &options, &stop, |it| outcomes.push(it)).unwrap();
    outcomes
}

fn all_pass(outcomes: &[Outcome]) {
    for outcome in outcomes {
        let lines = outcome.evidence.transcript();
        let (id, why) = (&outcome.id, &outcome.reason);
        assert_eq!(outcome.verdict, Verdict::Pass, "{id}: {why:?}: {lines:#?}");
    }
}

#[test]
fn a_strict_peer_passes() {
    let peer = Peer::listen("");
    all_pass(&run(&peer.target(), &all_instances()));
}

#[test]
fn several_copies_share_the_work() {
    let peers = [Peer::listen(""), Peer::listen("")];
    let addresses = peers.iter().flat_map(|peer| peer.target().addresses).collect();
    let target = Target { addresses, ..peers[0].target() };
    let many: Vec<Instance> = (0..4).flat_map(|_| all_instances()).collect();
    all_pass(&run(&target, &many));
}

/// What is demanded is not what a strict peer does: the code is another. The case tolerates it on the
/// wire, and demands it in the report.
#[test]
fn another_code_is_strict_only() {
    let peer = Peer::listen("");
    let other = UNKNOWN_TAG
        .replace(
            "rdmap_header: absent}}",
            "rdmap_header: absent}}\n  tolerate: [{terminate: {layer: ddp}}]",
        )
        .replace("code: invalid_stag", "code: base_or_bounds")
        .replace("error_code: 0", "error_code: 1");
    let outcomes = run(&peer.target(), &instances("code", &other));
    let outcome = outcomes.iter().find(|it| it.id == "code").unwrap();
    assert_eq!(outcome.verdict, Verdict::Fail);
    let why = outcome.reason.as_deref().unwrap();
    assert!(why.contains("a report of a Terminate"), "the report's code differs too: {why}");
    assert_eq!(outcome.checks[1].verdict, Verdict::StrictOnly);
}

#[test]
fn a_seeded_bug_fails() {
    let peer = Peer::listen("--bug crc-unchecked");
    let outcomes = run(&peer.target(), &instances("wrong-crc", WRONG_CRC));
    let outcome = outcomes.iter().find(|it| it.id == "wrong-crc").unwrap();
    assert_eq!(outcome.verdict, Verdict::Fail, "{:?}", outcome.reason);
}
