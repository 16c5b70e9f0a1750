//! Limits: each is told, and nothing passes it.

use crate::runner::{Lab, bytes, greeting, memory, options, register, target_options};
use warpscope_peer::connection::Event;
use warpscope_peer::service::test_ulp::{Limits, TestUlpOptions};
use warpscope_peer::work::{Operation, WorkRequest};
use warpscope_wire::test_ulp::{
    AccessRights, Answer, AtomicCode, Greeting, OperationCode, Order, Pattern, Purpose,
    ReceivesOrder, ReportsOrder, SourceCode, Status, StreamOptions, WorkFlags, WorkOrder,
};

fn lab(limits: Limits) -> Lab {
    Lab::with(TestUlpOptions { limits, ..target_options() }, memory(2))
}

fn limited(answer: &Answer) -> u32 {
    match answer {
        Answer::Refused(Status::Limit, refusal, _) => refusal.value,
        other => panic!("{other:?}"),
    }
}

#[test]
fn regions_are_limited() {
    let mut lab =
        lab(Limits { regions: 3, longest_region: 1000, bytes: 1500, ..Limits::default() });
    let order = |length| Order::Register(register(length, AccessRights::NONE), String::new());
    assert_eq!(limited(&lab.order(&order(1001))), 1000);
    let first = lab.register(1000, AccessRights::NONE);
    assert_eq!(limited(&lab.order(&order(501))), 1500);
    lab.register(500, AccessRights::NONE);
    lab.register(0, AccessRights::NONE);
    assert_eq!(limited(&lab.order(&order(0))), 3);
    lab.done(&Order::Deregister(first.region));
    lab.register(1000, AccessRights::NONE);
}

#[test]
fn names_are_limited() {
    let mut lab = Lab::new();
    let name = "n".repeat(65);
    let order = Order::Register(register(1, AccessRights::NONE), name);
    assert_eq!(limited(&lab.order(&order)), 64);
}

#[test]
fn receives_are_limited() {
    let mut lab = lab(Limits { receives: 20, longest_receive: 4096, ..Limits::default() });
    lab.bare(2); // with 16
    let order = |count, size| {
        Order::Receives(ReceivesOrder {
            stream: 2,
            count,
            size,
            region: 0,
            offset: 0,
            identifier: 1,
        })
    };
    assert_eq!(limited(&lab.order(&order(5, 1))), 20);
    assert_eq!(limited(&lab.order(&order(1, 4097))), 4096);
    assert_eq!(limited(&lab.order(&order(u32::MAX, 1))), 20);
    lab.done(&order(4, 4096));
}

#[test]
fn streams_are_limited() {
    let mut lab = lab(Limits { streams: 2, ..Limits::default() });
    let prepare = Order::Prepare(options(Purpose::Bare, 0), Vec::new());
    assert!(matches!(lab.order(&prepare), Answer::Stream(_)));
    assert_eq!(limited(&lab.order(&prepare)), 2);
    let late = StreamOptions { delay: 60_001, ..options(Purpose::Bare, 0) };
    lab.done(&Order::Reset);
    assert_eq!(limited(&lab.order(&Order::Prepare(late, Vec::new()))), 60_000);
    let long = Order::Prepare(options(Purpose::Bare, 0), vec![0; 513]);
    assert_eq!(limited(&lab.order(&long)), 512);
}

/// Section 9: the oldest reports are lost, and counted.
#[test]
fn reports_are_lost_and_counted() {
    let mut lab = lab(Limits { reports: 4, ..Limits::default() });
    let bare = lab.bare(2);
    lab.reports(0);
    for number in 0..10_u8 {
        lab.streams().post(bare, WorkRequest::new(1, Operation::send(&[number]))).unwrap();
    }
    lab.run();
    let order = Order::Reports(ReportsOrder { stream: 2, most: 100, wait: 0, front: 1 });
    let Answer::Reports(head, reports) = lab.order(&order) else { panic!("no reports") };
    assert_eq!((head.lost, head.left, reports.len()), (6, 0, 4));
    let Answer::Reports(head, _) = lab.order(&order) else { panic!("no reports") };
    assert_eq!(head.lost, 0);
}

#[test]
fn sessions_are_limited() {
    let mut lab = lab(Limits { sessions: 2, ..Limits::default() });
    let of = |session| bytes(&Greeting { session, ..greeting(Purpose::Control, 1) });
    let second = lab.connect(&of(8));
    let third = lab.connect(&of(9));
    let rejected = |it: &(u64, Event)| it.0 == third && matches!(it.1, Event::Rejected { .. });
    assert!(lab.runner.events.iter().any(rejected), "{:?}", lab.runner.events);
    // One that is left makes room.
    lab.streams().abort(second);
    lab.run();
    let third = lab.connect(&of(9));
    assert!(matches!(lab.order_on(third, &Order::Capabilities), Answer::Capabilities(..)));
}

/// What is posted stays where it is until the initiator has spoken (RFC 5044 section 7.1.2).
#[test]
fn work_is_limited() {
    let mut lab = lab(Limits { work: 3, work_bytes: 1000, ..Limits::default() });
    let bare = lab.bare(2);
    let order = |length: u32| {
        let work = WorkOrder {
            stream: 2,
            operation: OperationCode::Send,
            flags: WorkFlags::NONE,
            source: SourceCode::Pattern,
            atomic: AtomicCode::FetchAdd,
            identifier: 1,
            remote_steering_tag: 0,
            length,
            remote_tagged_offset: 0,
            region: 0,
            invalidate_steering_tag: 0,
            offset: 0,
            data: 0,
            mask: 0,
            compare_data: 0,
            compare_mask: 0,
            pattern: Pattern::Constant,
            seed: 0,
        };
        Order::Work(work, Vec::new())
    };
    assert_eq!(limited(&lab.order(&order((1 << 20) + 1))), 1 << 20);
    lab.done(&order(600));
    assert_eq!(limited(&lab.order(&order(401))), 1000);
    lab.done(&order(400));
    lab.done(&order(0));
    assert_eq!(limited(&lab.order(&order(0))), 3);
    let Answer::Streams(_, streams) = lab.order(&Order::ListStreams(1)) else { panic!("no list") };
    assert_eq!(streams[0].work, 3);
    for name in 0..3 {
        lab.streams().post_receive(bare, name, 4096).unwrap();
    }
    lab.streams().post(bare, WorkRequest::new(0, Operation::send(b"first"))).unwrap();
    lab.run();
    assert_eq!(lab.received(bare).len(), 3);
    let Answer::Streams(_, streams) = lab.order(&Order::ListStreams(1)) else { panic!("no list") };
    assert_eq!(streams[0].work, 0);
}

/// Section 2.2: an answer is never longer than the asker takes.
#[test]
fn answers_are_as_long_as_the_asker_takes() {
    let mut lab = Lab::new();
    for _ in 0..60 {
        lab.register(1, AccessRights::NONE);
    }
    let mut listed = 0;
    while listed < 60 {
        let Answer::Regions(60, regions) = lab.order(&Order::ListRegions(listed)) else {
            panic!("no list");
        };
        assert!(!regions.is_empty());
        listed += regions.len() as u32;
    }
    assert!(matches!(lab.order(&Order::ListRegions(60)), Answer::Regions(60, it) if it.is_empty()));
}
