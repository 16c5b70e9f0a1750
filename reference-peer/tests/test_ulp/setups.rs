//! Section 8: streams that are opened, prepared, closed and listed.

use crate::runner::{ADDRESS, Lab, bytes, config, greeting, options};
use std::time::Duration;
use warpscope_peer::connection::{Config, Event};
use warpscope_peer::setup::{SetupConfig, SetupRevision};
use warpscope_peer::work::{Operation, WorkRequest};
use warpscope_wire::rdmap::Profile;
use warpscope_wire::test_ulp::{
    Answer, Documents, EndingCode, FailureCode, Given, Happened, Message, OperationCode, Order,
    Purpose, RoleCode, SetupKnown, SetupReport, SourceCode, Status, StreamOptions, StreamState,
    Switches, WorkFlags, WorkOrder,
};

fn open(lab: &mut Lab, options: StreamOptions, private_data: &[u8]) -> u32 {
    match lab.order(&Order::Open(options, private_data.to_vec(), ADDRESS)) {
        Answer::Stream(name) => name,
        other => panic!("{other:?}"),
    }
}

fn prepare(lab: &mut Lab, options: StreamOptions, private_data: &[u8]) -> u32 {
    match lab.order(&Order::Prepare(options, private_data.to_vec())) {
        Answer::Stream(name) => name,
        other => panic!("{other:?}"),
    }
}

fn established(lab: &mut Lab, stream: u32) -> Option<(SetupReport, Vec<u8>)> {
    lab.reports(stream).into_iter().find_map(|it| match it {
        Happened::Established(report, private_data) => Some((report, private_data)),
        _ => None,
    })
}

/// The last request that the runner's side was asked.
fn asked(lab: &Lab) -> (u64, warpscope_peer::setup::Request) {
    let mut events = lab.runner.events.iter().rev();
    let found = events.find_map(|(number, event)| match event {
        Event::Requested(request) => Some((*number, request.clone())),
        _ => None,
    });
    found.unwrap()
}

#[test]
fn a_bare_stream_is_opened_with_what_was_ordered() {
    let mut lab = Lab::new();
    lab.pipe.accepting[0].setup.revision = SetupRevision::Two;
    let options = StreamOptions {
        given: Given::REVISION
            | Given::ENHANCED
            | Given::IRD
            | Given::ORD
            | Given::MARKERS
            | Given::CRC
            | Given::PRIVATE_DATA,
        switches: Switches::ENHANCED | Switches::MARKERS,
        revision: 2,
        ird: 3,
        ord: 5,
        receives: 2,
        receive_size: 100,
        ..options(Purpose::Bare, 6)
    };
    assert_eq!(open(&mut lab, options, b"test data"), 6);
    let (number, request) = asked(&lab);
    let enhanced = request.enhanced.unwrap();
    assert_eq!((enhanced.ird, enhanced.ord, enhanced.peer_to_peer), (3, 5, false));
    assert!(request.markers && !request.crc && request.private_data == b"test data");
    assert!(lab.received(number).is_empty(), "a bare stream said something by itself");
    let (report, _) = established(&mut lab, 6).unwrap();
    assert_eq!(
        (report.role, report.revision, report.ird, report.ord),
        (RoleCode::Initiator, 2, 3, 5)
    );
    assert!(report.switches.contains(Switches::MARKERS | Switches::CRC));
    assert_eq!(report.peer_ord, 3);
    assert!(report.known.contains(SetupKnown::PEER_IRD | SetupKnown::PEER_ORD));
    let Answer::Streams(2, streams) = lab.order(&Order::ListStreams(0)) else { panic!("no list") };
    let here = streams.iter().find(|it| it.stream == 6).unwrap();
    assert_eq!((here.receives, here.state), (2, StreamState::Established));
}

#[test]
fn a_control_stream_that_is_opened_says_hello() {
    let mut lab = Lab::new();
    let name = open(&mut lab, options(Purpose::Shared, 0), b"");
    assert!(name >= 0x8000_0000);
    let (number, request) = asked(&lab);
    assert_eq!(request.private_data.len(), 20);
    let received = lab.received(number);
    let message = Message::parse_order(&received[0].bytes).unwrap();
    let Ok(Order::Hello(hello)) = Order::parse(&message) else { panic!("no hello") };
    assert_eq!((hello.purpose, hello.session, hello.stream), (Purpose::Shared, 7, name));
    // Orders may come before the hello is answered.
    assert!(matches!(lab.order_on(number, &Order::Capabilities), Answer::Capabilities(..)));
}

#[test]
fn the_peer_to_peer_model_lets_the_responder_speak_first() {
    let mut lab = Lab::new();
    lab.pipe.accepting[0].setup.revision = SetupRevision::Two;
    let options = StreamOptions {
        given: Given::REVISION | Given::ENHANCED | Given::PEER_TO_PEER | Given::READY_TO_RECEIVE,
        switches: Switches::ENHANCED | Switches::PEER_TO_PEER | Switches::READY_WRITE,
        revision: 2,
        receives: 1,
        receive_size: 100,
        ..options(Purpose::Bare, 6)
    };
    open(&mut lab, options, b"");
    let (number, request) = asked(&lab);
    let enhanced = request.enhanced.unwrap();
    assert!(enhanced.peer_to_peer);
    let set = enhanced.ready_to_receive.unwrap();
    assert!(set.write() && !set.read() && !set.send());
    lab.streams()
        .post(number, WorkRequest::new(1, Operation::send(b"from the responder")))
        .unwrap();
    lab.run();
    let arrived = lab
        .reports(6)
        .into_iter()
        .any(|it| matches!(it, Happened::Arrival(_, front) if front == b"from the responder"));
    assert!(arrived);
}

#[test]
fn a_target_falls_back_to_revision_one() {
    let mut lab = Lab::new();
    let options = StreamOptions {
        given: Given::REVISION | Given::ENHANCED,
        switches: Switches::ENHANCED | Switches::FALL_BACK,
        revision: 2,
        ..options(Purpose::Bare, 6)
    };
    open(&mut lab, options, b"");
    let reports = lab.reports(6);
    assert!(reports.contains(&Happened::FellBack(6)), "{reports:?}");
    let revision = reports.iter().find_map(|it| match it {
        Happened::Established(report, _) => Some(report.revision),
        _ => None,
    });
    assert_eq!(revision, Some(1));
    let send = WorkOrder {
        stream: 6,
        operation: OperationCode::Send,
        flags: WorkFlags::NONE,
        source: SourceCode::Inline,
        atomic: warpscope_wire::test_ulp::AtomicCode::FetchAdd,
        identifier: 1,
        remote_steering_tag: 0,
        length: 0,
        remote_tagged_offset: 0,
        region: 0,
        invalidate_steering_tag: 0,
        offset: 0,
        data: 0,
        mask: 0,
        compare_data: 0,
        compare_mask: 0,
        pattern: warpscope_wire::test_ulp::Pattern::Constant,
        seed: 0,
    };
    lab.done(&Order::Work(send, b"after all".to_vec()));
    let (number, _) = asked(&lab);
    assert_eq!(lab.received(number)[0].bytes, b"after all");
}

#[test]
fn without_falling_back_the_setup_fails() {
    let mut lab = Lab::new();
    let options = StreamOptions {
        given: Given::REVISION | Given::ENHANCED,
        switches: Switches::ENHANCED,
        revision: 2,
        ..options(Purpose::Bare, 6)
    };
    open(&mut lab, options, b"");
    let reports = lab.reports(6);
    assert!(
        reports.iter().any(|it| matches!(it, Happened::SetupFailed(FailureCode::Lost, _))),
        "{reports:?}"
    );
    assert!(reports.contains(&Happened::Ended(EndingCode::SetupFailed)));
}

fn enhanced() -> Config {
    Config { setup: SetupConfig { ird: 9, ord: 9, ..SetupConfig::enhanced() }, ..config() }
}

#[test]
fn a_prepared_stream_is_accepted_as_ordered() {
    let mut lab = Lab::new();
    let options = StreamOptions {
        given: Given::REVISION | Given::IRD | Given::ORD | Given::PRIVATE_DATA | Given::MARKERS,
        switches: Switches::MARKERS,
        revision: 2,
        ird: 2,
        ord: 4,
        receives: 3,
        receive_size: 50,
        ..options(Purpose::Bare, 8)
    };
    assert_eq!(prepare(&mut lab, options, b"welcome"), 8);
    let mut asking = enhanced();
    asking.setup.private_data = b"no greeting".to_vec();
    let stream = lab.connect_with(asking);
    let agreement = lab.pipe.sides[0].connection(stream).unwrap().agreement().unwrap().clone();
    assert_eq!((agreement.peer_ird, agreement.peer_ord), (Some(2), Some(4)));
    assert!(agreement.send_markers && agreement.private_data == b"welcome");
    let reports = lab.reports(8);
    let Some(Happened::Requested(report, private_data)) = reports.first() else {
        panic!("{reports:?}");
    };
    assert_eq!((report.peer_ird, report.peer_ord, report.revision), (9, 9, 2));
    assert_eq!(private_data, b"no greeting");
    let Answer::Streams(_, streams) = lab.order(&Order::ListStreams(1)) else { panic!("no list") };
    assert_eq!((streams[0].stream, streams[0].receives), (8, 3));
    assert_eq!(streams[0].purpose, Purpose::Bare);
    // It holds for one stream.
    let next = lab.connect(b"");
    let private_data =
        &lab.pipe.sides[0].connection(next).unwrap().agreement().unwrap().private_data;
    assert_eq!(private_data.len(), 20);
}

#[test]
fn a_prepared_rejection_has_its_private_data() {
    let mut lab = Lab::new();
    let options = StreamOptions {
        given: Given::PRIVATE_DATA,
        switches: Switches::REJECT,
        ..options(Purpose::Bare, 8)
    };
    prepare(&mut lab, options, b"not today");
    let stream = lab.connect(b"please");
    let private_data = b"not today".to_vec();
    let rejected = (stream, Event::Rejected { private_data, ird: None, ord: None });
    assert!(lab.runner.events.contains(&rejected), "{:?}", lab.runner.events);
    let reports = lab.reports(8);
    assert!(reports.contains(&Happened::Ended(EndingCode::Rejected)));
}

#[test]
fn a_reply_waits_as_long_as_ordered() {
    let mut lab = Lab::new();
    prepare(&mut lab, StreamOptions { delay: 3000, ..options(Purpose::Bare, 8) }, b"");
    let stream = lab.connect(b"");
    lab.pass(Duration::from_millis(2999));
    assert!(lab.pipe.sides[0].connection(stream).unwrap().agreement().is_none());
    lab.pass(Duration::from_millis(1));
    assert!(lab.pipe.sides[0].connection(stream).unwrap().agreement().is_some());
}

/// RFC 6581 section 9.1: an initiator whose IRD does not suffice.
#[test]
fn a_required_depth_rejects() {
    let mut lab = Lab::new();
    let options = StreamOptions {
        given: Given::REVISION | Given::REQUIRED_ORD,
        revision: 2,
        required_ord: 10,
        ..options(Purpose::Bare, 8)
    };
    prepare(&mut lab, options, b"");
    lab.connect_with(enhanced());
    let rejected = lab
        .runner
        .events
        .iter()
        .any(|(_, event)| matches!(event, Event::Rejected { ord: Some(10), .. }));
    assert!(rejected, "{:?}", lab.runner.events);
}

#[test]
fn streams_are_finished_and_dropped() {
    let mut lab = Lab::new();
    let first = lab.bare(2);
    let second = lab.bare(3);
    lab.streams().post(first, WorkRequest::new(0, Operation::send(b"x"))).unwrap();
    lab.run();
    lab.done(&Order::Finish(2));
    assert!(lab.runner.events.contains(&(first, Event::FinishReceived)));
    lab.streams().finish(first);
    lab.run();
    assert!(lab.reports(2).contains(&Happened::Ended(EndingCode::Finished)));
    lab.done(&Order::Abort(3));
    assert!(lab.reports(3).contains(&Happened::Ended(EndingCode::Aborted)));
    assert!(lab.pipe.sides[0].connection(second).is_none());
    assert_eq!(lab.refused(&Order::Finish(3)), Status::Unknown);
    let Answer::Streams(3, streams) = lab.order(&Order::ListStreams(0)) else { panic!("no list") };
    let ended: Vec<_> = streams.iter().map(|it| (it.stream, it.ending)).collect();
    assert_eq!(ended, [(2, EndingCode::Finished), (3, EndingCode::Aborted), (1, EndingCode::None)]);
}

/// Section 8.1: a target closes when its peer has, unless it is told to stay half open.
#[test]
fn a_half_open_stream_still_speaks() {
    let mut lab = Lab::new();
    let half_open = StreamOptions { switches: Switches::HALF_OPEN, ..options(Purpose::Bare, 8) };
    prepare(&mut lab, half_open, b"");
    let stream = lab.connect(b"");
    let other = lab.bare(9);
    for stream in [stream, other] {
        let write = Operation::Write {
            source: b""[..].into(),
            remote: warpscope_peer::work::RemoteBuffer { steering_tag: 0, tagged_offset: 0 },
        };
        lab.streams().post_receive(stream, 1, 64).unwrap();
        lab.streams().post(stream, WorkRequest::new(0, write)).unwrap();
        lab.streams().finish(stream);
    }
    lab.run();
    assert!(lab.reports(9).contains(&Happened::Ended(EndingCode::Finished)));
    let reports = lab.reports(8);
    assert!(reports.contains(&Happened::FinishReceived));
    assert!(!reports.iter().any(|it| matches!(it, Happened::Ended(_))));
    lab.done(&Order::Finish(8));
    assert!(lab.reports(8).contains(&Happened::Ended(EndingCode::Finished)));
}

#[test]
fn the_order_that_ends_its_own_stream_is_answered() {
    let mut lab = Lab::new();
    let shared = lab.connect(&bytes(&greeting(Purpose::Shared, 4)));
    assert_eq!(lab.order_on(shared, &Order::Abort(0)), Answer::Done);
    assert!(lab.pipe.sides[0].connection(shared).is_none());
    assert!(lab.reports(4).contains(&Happened::Ended(EndingCode::Aborted)));
    let shared = lab.connect(&bytes(&greeting(Purpose::Shared, 4)));
    assert_eq!(lab.order_on(shared, &Order::Finish(4)), Answer::Done);
    assert!(lab.runner.events.contains(&(shared, Event::FinishReceived)));
}

/// Streams of one target may follow other documents: the RDMAP version tells ext-v2 (its section 4.1).
#[test]
fn a_stream_has_the_documents_that_were_ordered() {
    let mut lab = Lab::new();
    let Answer::Capabilities(capabilities, _) = lab.order(&Order::Capabilities) else {
        panic!("no capabilities");
    };
    assert!(capabilities.default_documents.contains(Documents::EXT_V2));
    let base = StreamOptions { given: Given::DOCUMENTS, ..options(Purpose::Bare, 8) };
    for (documents, profile, speaks) in [
        (Documents::EXTENSIONS, Profile::RFC7306, true),
        (Documents::EXTENSIONS, Profile::ALL, false),
        (Documents::ALL, Profile::ALL, true),
    ] {
        let ordered = StreamOptions { documents, receives: 1, receive_size: 9, ..base };
        prepare(&mut lab, ordered, b"");
        let stream = lab.connect_with(Config { profile, ..config() });
        lab.streams().post(stream, WorkRequest::new(0, Operation::send(b"message"))).unwrap();
        lab.run();
        let arrived = lab.reports(8).iter().any(|it| matches!(it, Happened::Arrival(..)));
        assert_eq!(arrived, speaks, "{documents:?} {profile:?}");
    }
}
