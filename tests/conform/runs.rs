//! Instances by hand, and what comes of them.

use super::peer::Peer;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use warpscope_conformance::engine::expect::{
    Echo, Expectation, MessagePattern, Pattern, PayloadMatch, TerminateCode, TerminatePattern,
};
use warpscope_conformance::engine::{
    CrcStyle, Cuts, Delivery, FpduStyle, LinkOptions, MessageOut, Part, ReportPattern, SetupOut,
    Verdict,
};
use warpscope_conformance::run::{
    Action, Closing, Instance, Opening, Options, Outcome, OwnMemory, Play, Scene, Script, Target,
    TargetMemory, probe, run_all, sanity,
};
use warpscope_wire::test_ulp::{
    AccessRights, Addressing, AtomicCode, Backing, Documents, Given, Hash, OperationCode, Order,
    PackingCode, Pattern as Bytes, Purpose, RegisterOrder, Scope, SourceCode, StreamOptions,
    Switches, WorkFlags, WorkOrder,
};

const STREAM: u32 = 2;
const SOON: Duration = Duration::from_millis(500);

type Step = Box<dyn Fn(&Scene<'_>) -> Action + Send + Sync>;

/// Steps that may ask what happened before.
struct Steps(Vec<Step>);

impl std::fmt::Debug for Steps {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} steps", self.0.len())
    }
}

impl Script for Steps {
    fn begin(&self) -> Box<dyn Play + '_> {
        Box::new(Played(&self.0))
    }
}

struct Played<'a>(&'a [Step]);

impl Play for Played<'_> {
    fn action(&mut self, number: usize, scene: &Scene<'_>) -> Result<Option<Action>, String> {
        Ok(self.0.get(number).map(|step| step(scene)))
    }
}

fn now(action: Action) -> Step {
    Box::new(move |_| action.clone())
}

fn send(parts: Vec<Part>) -> Action {
    Action::Send { stream: STREAM, parts, delivery: Delivery::default() }
}

fn expect(pattern: Pattern) -> Step {
    let expectation = Expectation::next(vec![pattern], SOON);
    now(Action::Expect { stream: STREAM, expectation })
}

fn register(name: &str) -> Step {
    let order = RegisterOrder {
        length: 4096,
        base: 0,
        rights: AccessRights::READ | AccessRights::WRITE,
        stream: 0,
        addressing: Addressing::Zero,
        scope: Scope::ProtectionDomain,
        backing: Backing::Memory,
        hash: Hash::None,
    };
    now(Action::Register { name: name.to_owned(), order })
}

fn terminate(layer: u8, error_type: u8, code: u8) -> Pattern {
    let code = TerminateCode::new(layer, error_type, code);
    Pattern::Terminate(TerminatePattern::code(code))
}

fn instance(id: &str, steps: Vec<Step>) -> Instance {
    Instance {
        id: id.to_owned(),
        case: id.to_owned(),
        needs: vec!["agent".to_owned()],
        exclusive: false,
        rpc: false,
        tasks: Vec::new(),
        allowed_findings: Vec::new(),
        script: Arc::new(Steps(steps)),
    }
}

fn run(target: &Target, instances: &[Instance]) -> Vec<Outcome> {
    let options = Options { jobs: 3, ..Options::default() };
    let known = probe(target, &options).unwrap();
    let mut all = vec![sanity(&known)];
    all.extend_from_slice(instances);
    let (stop, mut outcomes) = (AtomicBool::new(false), Vec::new());
    run_all(target, &known, &all, &options, &stop, |it| outcomes.push(it)).unwrap();
    outcomes
}

fn all_pass(outcomes: &[Outcome]) {
    for outcome in outcomes {
        let lines = outcome.evidence.transcript();
        assert_eq!(outcome.verdict, Verdict::Pass, "{}: {lines:#?}", outcome.id);
    }
}

/// A Write of 3000 bytes, one byte at a time or whole, is read back three ways: by order, by RDMA
/// Read, and by a Write of the target.
fn data(cuts: Cuts) -> Vec<Step> {
    let bytes: Vec<u8> = (0..3000_u32).map(|it| (it * 7) as u8).collect();
    let (written, read, moved) = (bytes.clone(), bytes.clone(), bytes.clone());
    let work = |scene: &Scene<'_>| WorkOrder {
        stream: STREAM,
        operation: OperationCode::Write,
        flags: WorkFlags::NONE,
        source: SourceCode::Region,
        atomic: AtomicCode::FetchAdd,
        identifier: 77,
        remote_steering_tag: 0x51,
        length: 3000,
        remote_tagged_offset: 0x2000,
        region: scene.region("sink").unwrap().region,
        invalidate_steering_tag: 0,
        offset: 0,
        data: 0,
        mask: 0,
        compare_data: 0,
        compare_mask: 0,
        pattern: Bytes::Constant,
        seed: 0,
    };
    let offer = |steering_tag, base| {
        now(Action::Offer { stream: STREAM, steering_tag, base, bytes: vec![0; 3000] })
    };
    let own = |steering_tag, bytes| {
        let bytes = PayloadMatch::Is(bytes);
        now(Action::OwnMemory(OwnMemory { stream: STREAM, steering_tag, offset: 0, bytes }))
    };
    vec![
        register("sink"),
        now(Action::Establish(Opening::plain(STREAM))),
        Box::new(move |scene| {
            let sink = scene.region("sink").unwrap();
            let write = MessageOut::write(sink.steering_tag, sink.base, &bytes);
            let parts = vec![Part::message(write), Part::message(MessageOut::send(b"end"))];
            let delivery = Delivery { cuts: cuts.clone(), gap: Duration::ZERO };
            Action::Send { stream: STREAM, parts, delivery }
        }),
        now(Action::Report {
            stream: STREAM,
            pattern: ReportPattern::arrival(),
            within: SOON,
            behind: false,
        }),
        now(Action::TargetMemory(TargetMemory::Holds {
            region: "sink".to_owned(),
            offset: 0,
            bytes: written,
        })),
        offer(0x50, 0),
        offer(0x51, 0x2000),
        Box::new(|scene| {
            let source = scene.region("sink").unwrap();
            let source = (source.steering_tag, source.base);
            send(vec![Part::message(MessageOut::read_request((0x50, 0), 3000, source))])
        }),
        expect(Pattern::Message(MessagePattern::opcode(2))),
        own(0x50, read),
        Box::new(move |scene| {
            let order = Box::new(Order::Work(work(scene), Vec::new()));
            let answer = warpscope_conformance::run::AnswerMatch::Needed;
            Action::Order { name: "write".to_owned(), order, answer }
        }),
        expect(Pattern::Message(MessagePattern::opcode(0))),
        own(0x51, moved),
        now(Action::Close { stream: STREAM, closing: Closing::Finish }),
        expect(Pattern::Finished),
    ]
}

/// RFC 5041 §7.1: a Write to an STag that nobody has; the Terminate echoes its header.
fn unknown_tag(code: u8) -> Vec<Step> {
    vec![
        register("sink"),
        now(Action::Remember),
        now(Action::Establish(Opening::plain(STREAM))),
        now(send(vec![Part::message(MessageOut::write(0xdead_beef, 0, b"x"))])),
        Box::new(move |scene| {
            let sent = scene.link(STREAM).unwrap().sent().last().unwrap().ulpdu.clone();
            let codes = vec![TerminateCode::new(1, 1, code)];
            let (ddp_header, rdmap_header) = (Echo::Is(sent), Echo::Absent);
            let pattern = TerminatePattern { codes, ddp_header, rdmap_header };
            let any_of = vec![Pattern::Terminate(pattern)];
            Action::Expect { stream: STREAM, expectation: Expectation::next(any_of, SOON) }
        }),
        expect(Pattern::Closed),
        now(Action::TargetMemory(TargetMemory::Unchanged { region: None })),
        now(Action::Report {
            stream: STREAM,
            pattern: ReportPattern::TerminateSent(Some(TerminateCode::new(1, 1, code))),
            within: SOON,
            behind: false,
        }),
    ]
}

/// RFC 5044 §4.4: a wrong CRC.
fn wrong_crc() -> Vec<Step> {
    let style = FpduStyle { crc: CrcStyle::Wrong, ..FpduStyle::default() };
    let first = Part::message(MessageOut::send(b"first"));
    vec![
        now(Action::Establish(Opening::plain(STREAM))),
        now(send(vec![first, Part::Message(MessageOut::send(b"x"), style, None)])),
        now(Action::Report {
            stream: STREAM,
            pattern: ReportPattern::arrival(),
            within: SOON,
            behind: false,
        }),
        expect(terminate(2, 0, 2)),
        now(Action::NoReport {
            stream: STREAM,
            pattern: ReportPattern::arrival(),
            during: Duration::ZERO,
        }),
    ]
}

/// The target opens the stream, and asks for markers in what it receives.
fn opened_by_the_target() -> Vec<Step> {
    let options = StreamOptions {
        given: Given::MARKERS | Given::REVISION | Given::ENHANCED,
        switches: Switches::MARKERS,
        revision: 1,
        ird: 0,
        ord: 0,
        required_ord: 0,
        protection_domain: 0,
        stream: 0,
        delay: 0,
        purpose: Purpose::Bare,
        private_data_length: 0,
        longest_ulpdu: 0,
        packing: PackingCode::One,
        receives: 4,
        receive_size: 4096,
        documents: Documents::NONE,
    };
    let request = warpscope_conformance::engine::expect::SetupPattern {
        reply: Some(false),
        ..Default::default()
    };
    let order = |scene: &Scene<'_>| {
        let work = WorkOrder {
            stream: STREAM,
            operation: OperationCode::Send,
            flags: WorkFlags::NONE,
            source: SourceCode::Pattern,
            atomic: AtomicCode::FetchAdd,
            identifier: 1,
            remote_steering_tag: 0,
            length: 2000,
            remote_tagged_offset: 0,
            region: 0,
            invalidate_steering_tag: 0,
            offset: 0,
            data: 0,
            mask: 0,
            compare_data: 0,
            compare_mask: 0,
            pattern: Bytes::Counting,
            seed: 5,
        };
        assert!(scene.link(STREAM).unwrap().peer_setup().unwrap().markers());
        let order = Box::new(Order::Work(work, Vec::new()));
        let answer = warpscope_conformance::run::AnswerMatch::Needed;
        Action::Order { name: "send".to_owned(), order, answer }
    };
    let due = (0..2000_u32).map(|it| (it + 5) as u8).collect();
    let sent = MessagePattern { payload: PayloadMatch::Is(due), ..MessagePattern::opcode(3) };
    vec![
        now(Action::Accept {
            stream: STREAM,
            link: LinkOptions::default(),
            options: Box::new(options),
            private_data: Vec::new(),
        }),
        expect(Pattern::Setup(request)),
        now(send(vec![Part::Setup(SetupOut { markers: true, ..SetupOut::reply(b"") })])),
        Box::new(order),
        expect(Pattern::Message(sent)),
        now(send(vec![Part::message(MessageOut::send(&[3; 1800]))])),
        now(Action::Report {
            stream: STREAM,
            pattern: ReportPattern::arrival(),
            within: SOON,
            behind: false,
        }),
    ]
}

fn instances() -> Vec<Instance> {
    vec![
        instance("data", data(Cuts::Whole)),
        instance("data-cut", data(Cuts::Every(100))),
        instance("unknown-tag", unknown_tag(0)),
        instance("wrong-crc", wrong_crc()),
        instance("target-opens", opened_by_the_target()),
    ]
}

#[test]
fn a_strict_peer_passes() {
    let peer = Peer::listen(&[]);
    all_pass(&run(&peer.target(), &instances()));
}

#[test]
fn several_copies_share_the_work() {
    let peers = [Peer::listen(&[]), Peer::listen(&[])];
    let addresses = peers.iter().map(|peer| peer.address).collect();
    let target = Target { addresses, ..peers[0].target() };
    let many: Vec<Instance> = (0..4).flat_map(|_| instances()).collect();
    all_pass(&run(&target, &many));
}

/// What is demanded is not what a strict peer does: the code is another.
#[test]
fn another_code_is_strict_only() {
    let peer = Peer::listen(&[]);
    let outcomes = run(&peer.target(), &[instance("code", unknown_tag(1))]);
    let outcome = outcomes.iter().find(|it| it.id == "code").unwrap();
    let Verdict::Fail(why) = &outcome.verdict else { panic!("{}", outcome.verdict) };
    assert!(why.contains("a report of a Terminate"), "the report's code differs too: {why}");
    let first = &outcome.checks[1];
    assert_eq!(first.standing, warpscope_conformance::engine::Standing::StrictOnly);
}

#[test]
fn a_seeded_bug_fails() {
    let peer = Peer::listen(&["--bug", "crc-unchecked"]);
    let outcomes = run(&peer.target(), &[instance("wrong-crc", wrong_crc())]);
    let outcome = outcomes.iter().find(|it| it.id == "wrong-crc").unwrap();
    assert!(matches!(outcome.verdict, Verdict::Fail(_)), "{}", outcome.verdict);
}
