//! Runs against a small scripted responder: a thread that knows the figures, and that a test tells what
//! to answer.

use super::connections::{self, Connections, SocketEvent};
use super::options::Pace;
use super::session::{Chances, Session, listen};
use super::{Evidence, Exception, Options, Outcome, Probe, Target, probe, run_all, sanity};
use crate::case::{Cases, Context, Instance};
use crate::judge::Verdict;
use crate::layout::Layouts;
use crate::stream::{MessageOut, Part, RawStream, Received, SetupOut};
use crate::yaml::Source;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;
use warpscope_requirements::Catalogue;

const PATIENCE: Duration = Duration::from_secs(60);

/// What the responder does with a message.
type Reply = fn(&[u8]) -> Option<Part>;

/// Accepts streams until the test ends; returns where. `first_sequence_only` sends everything with MSN 1.
fn responder(reply: Reply, first_sequence_only: bool) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            std::thread::spawn(move || serve(stream, reply, first_sequence_only));
        }
    });
    address
}

fn serve(mut stream: TcpStream, reply: impl Fn(&[u8]) -> Option<Part>, first_sequence_only: bool) {
    let mut raw = RawStream::new();
    let mut buffer = [0; 4096];
    loop {
        let Ok(length @ 1..) = stream.read(&mut buffer) else { return };
        let new = raw.receive(&buffer[..length]).to_vec();
        for received in new {
            let part = match &received {
                Received::Setup(_) => Some(Part::Setup(SetupOut::reply(b""))),
                Received::Message(message) => reply(&message.payload),
                _ => return,
            };
            let Some(part) = part else { continue };
            let last = matches!(&part, Part::Raw(bytes) if bytes.is_empty());
            if first_sequence_only {
                raw.set_sequence(0, 1);
            }
            for write in raw.send(&[part]) {
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

/// The instance of a case with these keys.
pub(super) fn instance(rest: &str) -> Instance {
    let text = format!("id: x\ntitle: t\ncovers: [RFC5044-8-02]\n{rest}\n");
    let (layouts, catalogue) = (Layouts::builtin().unwrap(), Catalogue::builtin().unwrap());
    let context = Context { layouts: &layouts, catalogue: &catalogue, bugs: None };
    let cases = Cases::read(&[Source::new("a.yaml", &text)], context)
        .unwrap_or_else(|wrong| panic!("{}", wrong[0]));
    cases.all()[0].instances[0].clone()
}

/// An instance of this id that sends a text and expects something.
fn asks(id: &str, payload: &str, expect: &str) -> Instance {
    let send = format!("{{send: {{send: {{payload: {{text: {payload}}}}}}}}}");
    let steps = format!("steps: [{send}, {{expect: {expect}, within: 10ms}}]");
    Instance { id: id.to_owned(), case: id.to_owned(), ..instance(&steps) }
}

fn send_of(payload: &str) -> String {
    format!("{{send: {{payload: {{text: {payload}}}}}}}")
}

fn run(target: &Target, instances: &[Instance]) -> Vec<Outcome> {
    let options = Options { jobs: 4, ..Options::default() };
    let known = probe(target, &options).unwrap();
    run_with(target, &known, instances, &options)
}

fn run_with(
    target: &Target,
    known: &Probe,
    instances: &[Instance],
    options: &Options,
) -> Vec<Outcome> {
    let (stop, mut outcomes) = (AtomicBool::new(false), Vec::new());
    let layouts = Layouts::builtin().unwrap();
    run_all(target, known, &layouts, instances, options, &stop, |it| outcomes.push(it)).unwrap();
    outcomes
}

fn echo(payload: &[u8]) -> Option<Part> {
    Some(Part::Message(MessageOut::send(payload)))
}

#[test]
fn verdicts_against_a_bare_responder() {
    let reply = |payload: &[u8]| match payload {
        b"close" => Some(Part::Raw(Vec::new())),
        b"silent" => None,
        b"piece" => Some(Part::Raw(vec![0])),
        payload => echo(payload),
    };
    let target = Target::bare(responder(reply, false));
    let needs = Instance { needs: vec!["rdma-read"], ..asks("needs", "x", &send_of("x")) };
    let terminate = "{terminate: {layer: rdmap}}, tolerate: [closed]";
    let recommended = instance(
        "level: should\nsteps: [{send: {send: {payload: {text: abc}}}}, {expect: nothing, within: 10ms}]",
    );
    let id = "recommended".to_owned();
    let recommended = Instance { case: id.clone(), id, ..recommended };
    let instances = [
        asks("echoed", "abc", &send_of("abc")),
        asks("other", "abc", &send_of("abd")),
        asks("closed", "close", terminate),
        asks("torn-down", "close", "{terminate: {layer: rdmap}}"),
        asks("silent", "silent", &send_of("x")),
        asks("quiet", "silent", "nothing"),
        asks("loud", "abc", "nothing"),
        asks("piece", "piece", "nothing"),
        asks("tolerated", "silent", "closed, tolerate: [nothing]"),
        asks("either", "silent", "{any_of: [closed, nothing]}"),
        recommended,
        needs,
    ];
    let outcomes = run(&target, &instances);
    let outcome = |id: &str| outcomes.iter().find(|it| it.id == id).unwrap();
    for (id, verdict, why) in [
        ("echoed", Verdict::Pass, ""),
        ("other", Verdict::Fail, "byte 2"),
        ("closed", Verdict::StrictOnly, ""),
        ("torn-down", Verdict::Fail, "torn down without a Terminate"),
        ("silent", Verdict::Fail, "nothing came"),
        ("quiet", Verdict::Pass, ""),
        ("loud", Verdict::Fail, ""),
        ("piece", Verdict::Fail, "this came: 1 byte of something incomplete"),
        ("tolerated", Verdict::StrictOnly, "nothing came"),
        ("either", Verdict::Pass, ""),
        ("recommended", Verdict::StrictOnly, "this came"),
        ("needs", Verdict::NotApplicable, "rdma-read"),
    ] {
        let outcome = outcome(id);
        let reason = outcome.reason.as_deref().unwrap_or_default();
        assert!(outcome.verdict == verdict && reason.contains(why), "{id}: {reason}");
    }
    let lines = outcome("echoed").evidence.transcript();
    let has =
        |sent, words: &str| lines.iter().any(|it| it.sent == sent && it.words.contains(words));
    assert!(has(true, "MPA Request") && has(false, "MPA Reply"), "{lines:?}");
    assert!(has(true, "Send") && has(false, "Send"), "{lines:?}");
    let ladder = outcome("echoed").evidence.ladder(0);
    assert!(ladder.is_some_and(|ladder| ladder.rows.len() >= 4));
}

/// Steps that go by whether the stream goes on: the target closes it for one text, and not for another.
#[test]
fn steps_while_a_stream_is_open_or_has_ended() {
    let reply = |payload: &[u8]| match payload {
        b"close" => Some(Part::Raw(Vec::new())),
        payload => echo(payload),
    };
    let target = Target::bare(responder(reply, false));
    for (text, state, verdict) in [
        ("close", "open", Verdict::Pass),
        ("abc", "open", Verdict::Fail),
        ("close", "ended", Verdict::Fail),
        ("abc", "ended", Verdict::Pass),
    ] {
        let (first, other) = (send_of("abc"), send_of("other"));
        let steps = format!(
            "steps: [{{send: {}}}, {{expect: {{any_of: [closed, {first}]}}}}, \
             {{expect: {other}, within: 10ms, while: {state}}}]",
            send_of(text),
        );
        let outcome = run(&target, &[instance(&steps)]).remove(0);
        assert_eq!(outcome.verdict, verdict, "{text}, {state}: {:?}", outcome.reason);
    }
}

/// The target's bytes break a rule that no expectation asks about: MSN 1 comes twice.
#[test]
fn passive_rules_are_evidence() {
    let target = Target::bare(responder(echo, true));
    let step = "{send: {send: {payload: 4}}}, {expect: {send: {}}}";
    let twice = instance(&format!("steps: [{step}, {step}]"));
    let outcome = run(&target, &[twice]).remove(0);
    assert_eq!(outcome.verdict, Verdict::Fail);
    assert!(outcome.reason.unwrap().contains("ddp-msn"));
}

#[test]
fn a_profile_expects_failures() {
    let entry = |id: &str| Exception { id: id.to_owned(), reason: "known".to_owned() };
    let target = Target {
        expected_failures: vec![entry("wr*"), entry("right")],
        left_out: vec![entry("fatal")],
        ..Target::bare(responder(echo, false))
    };
    let instances = [
        asks("wrong", "a", &send_of("b")),
        asks("right", "a", &send_of("a")),
        asks("fatal", "a", &send_of("a")),
    ];
    let options = Options::default();
    let known = Probe { unknown: Vec::new(), ..probe(&target, &options).unwrap() };
    let folder = tempfile::tempdir().unwrap();
    let captures = Some(folder.path().join("captures"));
    let options = Options { captures, seed: Some(3), ..options };
    let outcomes = run_with(&target, &known, &instances, &options);
    let verdict = |id: &str| outcomes.iter().find(|it| it.id == id).unwrap().verdict;
    assert_eq!(verdict("wrong"), Verdict::ExpectedFailure);
    assert_eq!(verdict("right"), Verdict::UnexpectedPass);
    assert_eq!(verdict("fatal"), Verdict::NotApplicable);
    for outcome in outcomes.iter().filter(|it| it.id != "fatal") {
        let capture = std::fs::read(outcome.capture.as_ref().unwrap()).unwrap();
        assert_eq!(capture[..4], [0x0a, 0x0d, 0x0d, 0x0a]);
    }
}

#[test]
fn a_target_that_is_not_there_is_an_error() {
    let address = "127.0.0.1:9".parse().unwrap();
    let error = probe(&Target::agent(address), &Options::default()).unwrap_err();
    assert!(error.to_string().contains("127.0.0.1:9"), "{error}");
}

#[test]
fn sanity_of_a_bare_target() {
    let target = Target::bare(responder(echo, false));
    let known = probe(&target, &Options::default()).unwrap();
    assert_eq!(run(&target, &[sanity(&known)])[0].verdict, Verdict::Pass);
}

/// Listens where it is told, and answers each Send with it; goes away at one that says `die`, and comes
/// back once this file is there. Returns where.
fn mortal(back: PathBuf, port: u16, lives: usize) -> SocketAddr {
    // While it is away, the system gives this port to nobody else.
    let port = 10_000 + (std::process::id() % 10_000) as u16 * 2 + port;
    let first = TcpListener::bind(("127.0.0.1", port)).unwrap();
    let address = first.local_addr().unwrap();
    std::thread::spawn(move || {
        let (mut listener, deaths) = (Some(first), AtomicUsize::new(0));
        loop {
            let Some(here) = listener.take() else {
                if std::fs::remove_file(&back).is_ok() {
                    listener = Some(TcpListener::bind(address).unwrap());
                }
                std::thread::sleep(Duration::from_millis(5));
                continue;
            };
            let Ok((stream, _)) = here.accept() else { continue };
            let died = AtomicBool::new(false);
            serve(
                stream,
                |payload| {
                    let dies = payload == b"die" && deaths.fetch_add(1, Ordering::Relaxed) < lives;
                    died.store(dies, Ordering::Relaxed);
                    if dies { Some(Part::Raw(Vec::new())) } else { echo(payload) }
                },
                false,
            );
            listener = (!died.into_inner()).then_some(here);
        }
    });
    address
}

/// A target that dies is brought back, by the second try if the first one fails; who killed it is named,
/// and what had failed because of that runs again.
#[test]
fn a_target_that_dies_is_brought_back() {
    let folder = tempfile::tempdir().unwrap();
    let back = folder.path().join("back");
    let target = Target::bare(mortal(back.clone(), 0, usize::MAX));
    let instances = [
        asks("before", "a", &send_of("a")),
        asks("killer", "die", "closed"),
        asks("after", "b", &send_of("b")),
        asks("wrong", "b", &send_of("c")),
    ];
    let here = folder.path().display();
    let restart =
        format!("cd {here}; if [ -e tried ]; then touch back; else touch tried; exit 1; fi");
    let restart = Some(restart);
    let options = Options { watches: true, restart, ..Options::default() };
    let known = probe(&target, &options).unwrap();
    let outcomes = run_with(&target, &known, &instances, &options);
    let verdicts: Vec<_> = outcomes.iter().map(|it| (it.id.as_str(), it.verdict)).collect();
    use Verdict::{Fail, Pass};
    // That it killed the target showed in the instance after it.
    let (killer, after) = (("killer", Pass), [("after", Pass), ("killer", Fail)]);
    assert_eq!(verdicts, [("before", Pass), killer, after[0], after[1], ("wrong", Fail)]);
    let reason = outcomes[3].reason.as_deref().unwrap();
    assert!(reason.starts_with("the target died"), "{reason}");
    assert!(!outcomes[4].reason.as_deref().unwrap().contains("died"));
    assert_eq!(outcomes[3].notes, ["the target died both times that this ran"]);
    assert!(outcomes[2].notes[0].starts_with("the target died when this first ran"));
}

/// A target that dies once, and not again, did not pass.
#[test]
fn a_death_without_a_killer_is_not_forgotten() {
    let folder = tempfile::tempdir().unwrap();
    let back = folder.path().join("back");
    let target = Target::bare(mortal(back.clone(), 1, 1));
    let restart = Some(format!("touch {}", back.display()));
    let options = Options { watches: true, restart, ..Options::default() };
    let known = probe(&target, &options).unwrap();
    let outcomes = run_with(&target, &known, &[asks("once", "die", &send_of("die"))], &options);
    let outcome = outcomes.last().unwrap();
    assert_eq!(outcome.verdict, Verdict::Inconclusive);
    let reason = outcome.reason.as_deref().unwrap();
    assert!(reason.starts_with("the target died when this first ran, and not again"), "{reason}");
}

/// Who never stops sending cannot keep a connection open that is being closed, or fill the memory.
#[test]
fn a_sender_without_an_end_does_not_hold_up_the_close() {
    let listener = listen(([127, 0, 0, 1], 0).into()).unwrap();
    let address = listener.local_addr().unwrap();
    let mut connections = Connections::new();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut target = TcpStream::connect(address).unwrap();
            while target.write_all(&[0; 1 << 20]).is_ok() {}
        });
        let connection = connections.accept(&listener, PATIENCE).unwrap().unwrap();
        assert!(connections.hear(PATIENCE).is_some());
        drop(connection);
    });
    let mut heard = 0;
    while let Some(event) = connections.hear(Duration::ZERO) {
        heard += if let SocketEvent::Bytes(bytes) = event.heard { bytes.len() } else { 0 };
    }
    assert!(heard < 16 << 20, "{heard} bytes");
}

/// The target's Request may be read before this side comes to say that the connection is there: it is
/// after the handshake all the same.
#[test]
fn what_comes_at_once_is_in_the_capture() {
    let mut session = Session::new(&Target::default(), 0, Pace::default());
    let listener = listen(([127, 0, 0, 1], 0).into()).unwrap();
    let mut target = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    target.write_all(b"MPA ID Req Frame\x40\x01\0\0").unwrap();
    let accepted = session.connections.accept(&listener, PATIENCE).unwrap();
    let heard = session.connections.hear(PATIENCE).unwrap();
    session.adopt(0, accepted.unwrap());
    session.heard(heard);
    let left = session.clear();
    let lines = Evidence::new(&left.transcript, left.targets).transcript();
    let words: Vec<_> = lines.iter().map(|line| (line.sent, line.bytes)).collect();
    assert_eq!(words, [(false, 0), (true, 0), (false, 0), (false, 20)], "{lines:?}");
    assert!(lines[3].words.contains("MPA Request"), "{lines:?}");
}

/// Reads are no segments of TCP: an FPDU that goes on in the next one still begins a frame, as it does in a
/// segment of a sender that aligns.
#[test]
fn what_a_read_cuts_begins_a_frame() {
    let mut session = Session::new(&Target::default(), 0, Pace::default());
    let listener = listen(([127, 0, 0, 1], 0).into()).unwrap();
    let _target = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let connection = session.connections.accept(&listener, PATIENCE).unwrap().unwrap();
    let number = connection.number;
    session.adopt(0, connection);
    let fpdu = [&[0, 26][..], &[0; 30]].concat();
    let reads = [
        [b"MPA ID Rep Frame\x00\x01\0\0", &fpdu[..10]].concat(),
        [&fpdu[10..], &fpdu, &fpdu[..1]].concat(),
        fpdu[1..].to_vec(),
    ];
    for read in reads {
        let (time, heard) = (session.connections.clock.now(), SocketEvent::Bytes(read));
        session.heard(connections::Event { connection: number, time, heard });
    }
    let left = session.clear();
    let lines = Evidence::new(&left.transcript, left.targets).transcript();
    let lengths: Vec<_> = lines.iter().map(|line| line.bytes).filter(|it| *it > 0).collect();
    assert_eq!(lengths, [20, 10, 22 + 32, 1, 31], "{lines:?}");
}

/// A target that answers at once has one more look, a slow one some more, and none has them for ever.
#[test]
fn chances_come_to_an_end() {
    let taken = |slow: &[bool]| {
        let (mut chances, mut count) = (Chances::default(), 0);
        while chances.left() {
            chances.slow(slow[count]);
            count += 1;
        }
        count
    };
    assert_eq!(taken(&[false; 9]), 1);
    assert_eq!(taken(&[true, false, true]), 2);
    assert_eq!(taken(&[true; 9]), 4);
}

/// What an empty message leaves in a line of a frame looks like a segment without bytes.
#[test]
fn empty_messages_are_evidence() {
    let target = Target::bare(responder(|_| echo(b""), false));
    let empty = instance("steps: [{send: {send: {payload: 0}}}, {expect: {send: {}}}]");
    let lines = run(&target, &[empty]).remove(0).evidence.transcript();
    for sent in [true, false] {
        let mut candidates = lines.iter().filter(|line| line.sent == sent && line.bytes > 0);
        let message = candidates.find(|line| line.words.contains("Send")).unwrap();
        assert!(message.words.ends_with("Len=0"), "{lines:?}");
    }
}

/// Nothing comes of an instance that a rule of the target's bytes does not judge all the same.
#[test]
fn passive_rules_judge_what_is_inconclusive() {
    let target = Target::bare(responder(echo, true));
    let step = "{send: {send: {payload: 4}}}, {expect: {send: {}}}";
    let unsure = instance(&format!(
        "needs: [agent]\nsteps: [{step}, {step}, {{expect: {{report: {{ended: {{}}}}}}}}]"
    ));
    let outcome = run(&target, &[Instance { needs: Vec::new(), ..unsure }]).remove(0);
    assert_eq!(outcome.verdict, Verdict::Fail);
    let reason = outcome.reason.unwrap();
    assert!(reason.contains("ddp-msn") && reason.contains("besides: "), "{reason}");
}

/// Where all instances together hear much, one floods the runner with what no step asks for, and not with what
/// many steps do, or with what its buffers hold. What an earlier connection still had is not heard.
#[test]
fn what_a_case_asks_for_is_no_flood() {
    let mut session = Session::new(&Target::default(), 0, Pace::default());
    session.heard_by_all.fetch_add(128 << 20, Ordering::Relaxed);
    let listener = listen(([127, 0, 0, 1], 0).into()).unwrap();
    let address = listener.local_addr().unwrap();
    for (messages, bytes, floods) in [(1, 0, true), (65_600, 0, false), (1, 16 << 20, false)] {
        let _target = TcpStream::connect(address).unwrap();
        let connection = session.connections.accept(&listener, PATIENCE).unwrap().unwrap();
        let number = connection.number;
        session.adopt(0, connection);
        session.asks_for(messages, bytes);
        for (number, floods) in [(number - 1, false), (number, floods)] {
            let (time, heard) =
                (session.connections.clock.now(), SocketEvent::Bytes(vec![0; 20 << 20]));
            session.heard(connections::Event { connection: number, time, heard });
            assert_eq!(session.flood().is_some(), floods, "{messages} {bytes}");
        }
        session.clear();
    }
}
