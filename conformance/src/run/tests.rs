//! Runs against a small scripted responder: a thread that knows the test ULP's figures, and that a
//! test tells what to answer.

use super::{Action, Instance, Opening, Options, Probe, Target, probe, run_all, sanity};
use crate::engine::expect::{Expectation, MessagePattern, Pattern, PayloadMatch};
use crate::engine::expect::{TerminateCode, TerminatePattern};
use crate::engine::{Delivery, Link, LinkOptions, MessageOut, Part, SetupOut, Verdict, What};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

const STREAM: u32 = 2;

/// What the responder does with a message.
type Reply = fn(&[u8]) -> Option<Part>;

/// Accepts streams until the test ends; returns where.
fn responder(reply: Reply) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            std::thread::spawn(move || serve(stream, reply));
        }
    });
    address
}

fn serve(mut stream: TcpStream, reply: Reply) {
    let mut link = Link::new(LinkOptions::default());
    let mut buffer = [0; 4096];
    loop {
        let Ok(length @ 1..) = stream.read(&mut buffer) else { return };
        let new = link.receive(Duration::ZERO, &buffer[..length]).to_vec();
        for arrival in new {
            let part = match &arrival.what {
                What::Setup(_) => Some(Part::Setup(SetupOut::reply(b""))),
                What::Message(message) => reply(&message.payload),
                _ => return,
            };
            let Some(part) = part else { continue };
            let last = matches!(&part, Part::Raw(bytes) if bytes.is_empty());
            for write in link.sending(&[part], &Delivery::default()) {
                if stream.write_all(&write.bytes).is_err() {
                    return;
                }
            }
            if last {
                return;
            }
        }
    }
}

fn instance(id: &str, actions: Vec<Action>) -> Instance {
    Instance {
        id: id.to_owned(),
        case: id.to_owned(),
        needs: Vec::new(),
        rpc: false,
        tasks: Vec::new(),
        exclusive: false,
        allowed_findings: Vec::new(),
        script: Arc::new(actions),
    }
}

fn run(target: &Target, instances: &[Instance]) -> Vec<super::Outcome> {
    let options = Options { jobs: 4, ..Options::default() };
    let known = probe(target, &options).unwrap();
    let (stop, mut outcomes) = (AtomicBool::new(false), Vec::new());
    run_all(target, &known, instances, &options, &stop, |it| outcomes.push(it)).unwrap();
    outcomes
}

/// Sends a message and expects one of these.
fn asks(payload: &[u8], any_of: Vec<Pattern>) -> Vec<Action> {
    let parts = vec![Part::message(MessageOut::send(payload))];
    let expectation = Expectation::next(any_of, Duration::from_millis(10));
    vec![
        Action::Establish(Opening::plain(STREAM)),
        Action::Send { stream: STREAM, parts, delivery: Delivery::default() },
        Action::Expect { stream: STREAM, expectation },
    ]
}

fn send_of(payload: &[u8]) -> Pattern {
    let payload = PayloadMatch::Is(payload.to_vec());
    Pattern::Message(MessagePattern { payload, ..MessagePattern::opcode(3) })
}

fn echo(payload: &[u8]) -> Option<Part> {
    Some(Part::message(MessageOut::send(payload)))
}

fn terminated() -> Pattern {
    Pattern::Terminate(TerminatePattern::code(TerminateCode::new(0, 2, 6)))
}

#[test]
fn verdicts_against_a_bare_responder() {
    let target = Target::bare(responder(|payload| match payload {
        b"close" => Some(Part::Raw(Vec::new())),
        b"silent" => None,
        payload => echo(payload),
    }));
    let during = Duration::from_millis(50);
    let quiet = |payload: &[u8]| {
        let mut actions = asks(payload, Vec::new());
        let expectation = Expectation::Nothing { of: Vec::new(), during };
        actions[2] = Action::Expect { stream: STREAM, expectation };
        actions
    };
    let mut needs = instance("needs", asks(b"x", vec![send_of(b"x")]));
    needs.needs = vec!["rdma-read".to_owned()];
    let instances = [
        instance("echoed", asks(b"abc", vec![send_of(b"abc")])),
        instance("other", asks(b"abc", vec![send_of(b"abd")])),
        instance("closed", asks(b"close", vec![terminated()])),
        instance("silent", asks(b"silent", vec![send_of(b"")])),
        instance("quiet", quiet(b"silent")),
        instance("loud", quiet(b"abc")),
        needs,
    ];
    let outcomes = run(&target, &instances);
    let verdict = |id: &str| &outcomes.iter().find(|it| it.id == id).unwrap().verdict;
    assert_eq!(verdict("echoed"), &Verdict::Pass);
    assert!(matches!(verdict("other"), Verdict::Fail(why) if why.contains("byte 2")));
    assert!(matches!(verdict("closed"), Verdict::StrictOnly(_)));
    assert!(matches!(verdict("silent"), Verdict::Fail(why) if why.contains("nothing came")));
    assert_eq!(verdict("quiet"), &Verdict::Pass);
    assert!(matches!(verdict("loud"), Verdict::Fail(_)));
    assert!(matches!(verdict("needs"), Verdict::NotApplicable(_)));

    let echoed = outcomes.iter().find(|it| it.id == "echoed").unwrap();
    let lines = echoed.evidence.transcript();
    let has =
        |sent, words: &str| lines.iter().any(|it| it.sent == sent && it.words.contains(words));
    assert!(has(true, "MPA Request") && has(false, "MPA Reply"), "{lines:?}");
    assert!(has(true, "Send") && has(false, "Send"), "{lines:?}");
    assert!(echoed.evidence.ladder(0).is_some_and(|ladder| ladder.rows.len() >= 4));
}

/// The target's bytes break a rule that no expectation asks about: MSN 1 comes twice.
#[test]
fn passive_rules_are_evidence() {
    let target = Target::bare(responder(|payload| {
        let mut message = MessageOut::send(payload);
        message.place =
            crate::engine::Place::Untagged { queue: 0, sequence: Some(1), invalidated: 0 };
        Some(Part::message(message))
    }));
    let mut twice = asks(b"a", vec![send_of(b"a")]);
    twice.extend(asks(b"a", vec![send_of(b"a")]).split_off(1));
    let instances = [instance("twice", twice.clone())];
    let outcomes = run(&target, &instances);
    let Verdict::Fail(why) = &outcomes[0].verdict else { panic!("{}", outcomes[0].verdict) };
    assert!(why.contains("ddp-msn"), "{why}");
    let mut allowed = instance("twice", twice);
    allowed.allowed_findings = vec!["*".to_owned()];
    assert_eq!(run(&target, &[allowed])[0].verdict, Verdict::Pass);
}

#[test]
fn a_profile_expects_failures() {
    let entry = |id: &str| super::Exception { id: id.to_owned(), reason: "known".to_owned() };
    let target = Target {
        expected_failures: vec![entry("wr*"), entry("right"), entry("nobody")],
        ..Target::bare(responder(echo))
    };
    let instances = [
        instance("wrong", asks(b"a", vec![send_of(b"b")])),
        instance("right", asks(b"a", vec![send_of(b"a")])),
    ];
    let options = Options::default();
    let known = Probe { unknown: Vec::new(), ..probe(&target, &options).unwrap() };
    let directory = std::env::temp_dir().join(format!("conform-{}", std::process::id()));
    let options = Options { captures: Some(directory.clone()), seed: Some(3), ..options };
    let (stop, mut outcomes) = (AtomicBool::new(false), Vec::new());
    let summary =
        run_all(&target, &known, &instances, &options, &stop, |it| outcomes.push(it)).unwrap();
    assert_eq!(summary.unmatched, ["nobody"]);
    assert_eq!((summary.broken, summary.in_order()), (1, false));
    assert_eq!(summary.verdicts["expected failure"], 1);
    assert_eq!(summary.verdicts["unexpected pass"], 1);
    for outcome in &outcomes {
        let capture = std::fs::read(outcome.capture.as_ref().unwrap()).unwrap();
        assert_eq!(capture[..4], [0x0a, 0x0d, 0x0d, 0x0a]);
    }
    std::fs::remove_dir_all(directory).unwrap();
}

#[test]
fn no_target_is_told() {
    let address = {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.local_addr().unwrap()
    };
    let error = probe(&Target::agent(address), &Options::default()).unwrap_err();
    assert!(error.to_string().contains(&address.to_string()), "{error}");
}

#[test]
fn sanity_of_a_bare_target() {
    let target = Target::bare(responder(echo));
    let known = probe(&target, &Options::default()).unwrap();
    assert_eq!(run(&target, &[sanity(&known)])[0].verdict, Verdict::Pass);
}
