//! Section 9: what is reported of streams that are torn down, and how reports are asked for.

use crate::runner::{Lab, bytes, greeting};
use std::time::Duration;
use warpscope_peer::connection::Event;
use warpscope_peer::work::{Operation, RemoteBuffer, WorkRequest};
use warpscope_wire::test_ulp::{
    AccessRights, Answer, AtomicCode, CompletionStatus, EndingCode, Happened, OperationCode, Order,
    Pattern, Purpose, Report, ReportsHead, ReportsOrder, SourceCode, TerminateKnown,
    TerminateReport, WorkFlags, WorkOrder,
};

fn write_to(steering_tag: u32) -> WorkRequest {
    let remote = RemoteBuffer { steering_tag, tagged_offset: 0 };
    WorkRequest::new(1, Operation::Write { source: b"bytes"[..].into(), remote })
}

/// RFC 5041 section 7.2: an STag that is not valid.
#[test]
fn a_terminate_that_went_is_told_on_the_control_stream() {
    let mut lab = Lab::new();
    let bare = lab.bare(2);
    lab.streams().post(bare, write_to(0xdead_beef)).unwrap();
    lab.run();
    let came = lab.runner.events.iter().find_map(|(number, event)| match event {
        Event::TerminateReceived(it) if *number == bare => {
            Some((it.layer, it.error_type, it.error_code))
        }
        _ => None,
    });
    assert_eq!(came, Some((1, 1, 0)));
    let reports = lab.reports(2);
    let sent =
        TerminateReport { layer: 1, error_type: 1, error_code: 0, known: TerminateKnown::CODE };
    let told = |it: &Happened| matches!(it, Happened::TerminateSent(it, _) if *it == sent);
    assert!(reports.iter().any(told), "{reports:?}");
    assert_eq!(reports.last(), Some(&Happened::Ended(EndingCode::TerminatedHere)));
    let flushed = reports.iter().filter(|it| match it {
        Happened::Completed(it, _) => {
            it.status == CompletionStatus::Flushed && it.operation == OperationCode::Receive
        }
        _ => false,
    });
    assert_eq!(flushed.count(), 16);
}

#[test]
fn a_terminate_that_came_is_told_with_its_bytes() {
    let mut lab = Lab::new();
    let bare = lab.bare(2);
    lab.streams().post(bare, WorkRequest::new(0, Operation::send(b"first"))).unwrap();
    lab.run();
    // A Write to an STag that the runner's side does not have.
    let order = WorkOrder {
        stream: 2,
        operation: OperationCode::Write,
        flags: WorkFlags::NONE,
        source: SourceCode::Pattern,
        atomic: AtomicCode::FetchAdd,
        identifier: 5,
        remote_steering_tag: 0x0102_0304,
        length: 12,
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
    lab.done(&Order::Work(order, Vec::new()));
    let reports = lab.reports(2);
    let (terminate, bytes) = reports
        .iter()
        .find_map(|it| match it {
            Happened::TerminateReceived(terminate, bytes) => Some((terminate, bytes)),
            _ => None,
        })
        .unwrap();
    let known = TerminateKnown::CODE | TerminateKnown::BYTES;
    assert_eq!(*terminate, TerminateReport { layer: 1, error_type: 1, error_code: 0, known });
    // RFC 5040 section 4.8: layer 1, type 1, code 0, M and D; segment length; DDP header.
    assert_eq!(bytes[..4], [0x11, 0x00, 0xc0, 0x00]);
    assert_eq!(bytes[8..12], [1, 2, 3, 4]);
    assert_eq!(reports.last(), Some(&Happened::Ended(EndingCode::TerminatedByPeer)));
}

/// Section 1: a runner with a single stream asks on the next one.
#[test]
fn a_shared_stream_is_asked_for_on_the_next() {
    let mut lab = Lab::new();
    let control = lab.control;
    lab.streams().abort(control);
    lab.run();
    let shared = lab.connect(&bytes(&greeting(Purpose::Shared, 4)));
    lab.streams().post(shared, write_to(0xdead_beef)).unwrap();
    lab.run();
    lab.pass(Duration::from_secs(59));
    lab.control = lab.connect(&bytes(&greeting(Purpose::Shared, 5)));
    let reports = lab.reports(4);
    assert_eq!(reports.last(), Some(&Happened::Ended(EndingCode::TerminatedHere)));
}

#[test]
fn a_session_that_is_left_is_forgotten() {
    let mut lab = Lab::new();
    let bare = lab.bare(2);
    lab.register(64, AccessRights::ALL);
    let control = lab.control;
    lab.streams().abort(control);
    lab.run();
    assert!(lab.pipe.sides[0].connection(bare).is_some());
    lab.pass(Duration::from_secs(61));
    assert!(lab.pipe.sides[0].connection(bare).is_none());
    lab.control = lab.connect(&bytes(&greeting(Purpose::Control, 1)));
    assert!(matches!(lab.order(&Order::ListRegions(0)), Answer::Regions(0, _)));
}

fn told(lab: &mut Lab) -> Vec<(u32, ReportsHead, Vec<Report>)> {
    let control = lab.control;
    let received = lab.received(control);
    let answers = received.iter().map(|it| {
        let message = warpscope_wire::test_ulp::Message::parse(&it.bytes).unwrap();
        match Answer::parse(&message).unwrap() {
            Answer::Reports(head, reports) => (message.sequence, head, reports),
            other => panic!("{other:?}"),
        }
    });
    answers.collect()
}

/// Section 9.1: an order for reports waits for the first one.
#[test]
fn reports_are_waited_for() {
    let mut lab = Lab::new();
    let bare = lab.bare(2);
    lab.reports(0);
    let control = lab.control;
    let order = |wait| Order::Reports(ReportsOrder { stream: 2, most: 10, wait, front: 3 });
    lab.send(control, &order(5000).message(1));
    assert!(told(&mut lab).is_empty());
    // Other orders are answered meanwhile.
    lab.send(control, &Order::Finish(77).message(2));
    assert_eq!(lab.received(control).len(), 1);
    lab.streams().post(bare, WorkRequest::new(1, Operation::send(b"message"))).unwrap();
    lab.run();
    let answers = told(&mut lab);
    let [(1, head, reports)] = &answers[..] else { panic!("{answers:?}") };
    assert_eq!(*head, ReportsHead { lost: 0, left: 0 });
    assert!(matches!(&reports[0].happened, Happened::Arrival(it, front)
        if front == b"mes" && it.length == 7));
    // Nothing comes: the time passes.
    lab.send(control, &order(5000).message(3));
    lab.pass(Duration::from_millis(4999));
    assert!(told(&mut lab).is_empty());
    lab.pass(Duration::from_millis(1));
    assert!(matches!(&told(&mut lab)[..], [(3, _, reports)] if reports.is_empty()));
    // A second order has the first one answered.
    lab.send(control, &order(5000).message(4));
    lab.send(control, &order(5000).message(5));
    assert!(matches!(&told(&mut lab)[..], [(4, _, reports)] if reports.is_empty()));
}

#[test]
fn reports_are_numbered_and_told_once() {
    let mut lab = Lab::new();
    let bare = lab.bare(2);
    for _ in 0..10 {
        lab.streams().post(bare, WorkRequest::new(1, Operation::send(&[1; 500]))).unwrap();
    }
    lab.run();
    let mut numbers = Vec::new();
    loop {
        let order = ReportsOrder { stream: 0, most: 3, wait: 0, front: 512 };
        let Answer::Reports(head, reports) = lab.order(&Order::Reports(order)) else {
            panic!("no reports");
        };
        assert!(reports.len() <= 3 && !reports.is_empty());
        numbers.extend(reports.iter().map(|it| it.number));
        if head.left == 0 {
            break;
        }
    }
    assert!(numbers.iter().copied().eq(1..=numbers.len() as u32), "{numbers:?}");
    assert!(numbers.len() >= 14);
    assert!(lab.reports(0).is_empty());
}
