//! Section 7: every operation of every profile, issued by the target.

use crate::runner::{Lab, bytes, greeting};
use warpscope_peer::connection::Event;
use warpscope_peer::memory::{Registration, Rights};
use warpscope_peer::work::{Operation, WorkRequest};
use warpscope_wire::crc::crc32c;
use warpscope_wire::test_ulp::{
    AccessRights, Answer, Arrival, ArrivalFlags, AtomicCode, Completed, CompletionStatus, Greeting,
    Happened, OperationCode, Order, Pattern, Purpose, ReceivesOrder, RegionRange, SourceCode,
    Status, WorkFlags, WorkOrder,
};

const STREAM: u32 = 2;

fn work(operation: OperationCode, identifier: u64) -> WorkOrder {
    WorkOrder {
        stream: STREAM,
        operation,
        flags: WorkFlags::NONE,
        source: SourceCode::None,
        atomic: AtomicCode::FetchAdd,
        identifier,
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
        pattern: Pattern::Constant,
        seed: 0,
    }
}

/// A lab with a bare stream on which both sides may speak, and 16 receives at the runner.
fn lab() -> (Lab, u64) {
    let mut lab = Lab::new();
    let bare = lab.bare(STREAM);
    for name in 0..16 {
        lab.streams().post_receive(bare, name, 4096).unwrap();
    }
    // The initiator speaks first (RFC 5044 section 7.1.2).
    lab.streams().post(bare, WorkRequest::new(0, Operation::send(b"first"))).unwrap();
    lab.run();
    lab.reports(0);
    (lab, bare)
}

fn completions(lab: &mut Lab) -> Vec<(Completed, Vec<u8>)> {
    let reports = lab.reports(STREAM).into_iter();
    reports
        .filter_map(|it| match it {
            Happened::Completed(completed, hash) => Some((completed, hash)),
            _ => None,
        })
        .collect()
}

fn succeeded(identifier: u64, operation: OperationCode) -> Completed {
    let status = CompletionStatus::Success;
    Completed { identifier, operation, status, vendor: 0, original: 0 }
}

fn issue(lab: &mut Lab, order: WorkOrder, bytes: &[u8]) -> (Completed, Vec<u8>) {
    lab.done(&Order::Work(order, bytes.to_vec()));
    let mut completions = completions(lab);
    completions.retain(|it| it.0.operation != OperationCode::Receive);
    assert_eq!(completions.len(), 1, "{completions:?}");
    completions.remove(0)
}

#[test]
fn sends_of_every_kind() {
    let (mut lab, bare) = lab();
    for kind in 0..8_u32 {
        let has = |bit: u32| kind & bit != 0;
        let registration = Registration::stream(bare, Rights::ALL);
        let tag = lab.streams().memory().register(vec![0; 8], registration).unwrap();
        let flags = WorkFlags::NONE
            .with(WorkFlags::SOLICITED, has(1))
            .with(WorkFlags::INVALIDATE, has(2))
            .with(WorkFlags::IMMEDIATE, has(4));
        let order = WorkOrder {
            flags,
            source: SourceCode::Inline,
            invalidate_steering_tag: tag,
            data: 0x0102_0304_0506_0708,
            ..work(OperationCode::Send, kind.into())
        };
        let (completed, _) = issue(&mut lab, order, b"a message");
        assert_eq!(completed, succeeded(kind.into(), OperationCode::Send));
        let received = lab.received(bare);
        let [message] = &received[..] else { panic!("{received:?}") };
        assert_eq!(message.bytes, b"a message");
        assert_eq!(message.solicited, has(1));
        assert_eq!(message.invalidated, has(2).then_some(tag));
        assert_eq!(message.immediate, has(4).then_some(0x0102_0304_0506_0708));
    }
}

#[test]
fn payloads_come_from_regions_and_patterns() {
    let (mut lab, bare) = lab();
    let region = lab.register(64, AccessRights::NONE).region;
    lab.done(&Order::Write(RegionRange { region, length: 0, offset: 10 }, b"region".to_vec()));
    let send = |identifier| work(OperationCode::Send, identifier);
    let from_region =
        WorkOrder { source: SourceCode::Region, region, offset: 10, length: 6, ..send(1) };
    issue(&mut lab, from_region, b"");
    let pattern = Pattern::Counting;
    let from_pattern =
        WorkOrder { source: SourceCode::Pattern, length: 3000, pattern, seed: 3, ..send(2) };
    issue(&mut lab, from_pattern, b"");
    issue(&mut lab, send(3), b"");
    let received: Vec<Vec<u8>> = lab.received(bare).into_iter().map(|it| it.bytes).collect();
    let counted: Vec<u8> = (0..3000).map(|at| (at + 3) as u8).collect();
    assert_eq!(received, [b"region".to_vec(), counted, Vec::new()]);
    let beyond = WorkOrder { offset: 60, ..from_region };
    assert_eq!(lab.refused(&Order::Work(beyond, Vec::new())), Status::Unknown);
    let nowhere = WorkOrder { stream: 55, ..from_region };
    assert_eq!(lab.refused(&Order::Work(nowhere, Vec::new())), Status::Unknown);
}

#[test]
fn tagged_operations_and_immediate_data() {
    let (mut lab, bare) = lab();
    let local = lab.register(64, AccessRights::READ).region;
    let registration = Registration::shared(1, Rights::ALL);
    let tag = lab.streams().memory().register(b"abcdefghij".to_vec(), registration).unwrap();
    let to = |operation, identifier| WorkOrder {
        remote_steering_tag: tag,
        remote_tagged_offset: 2,
        ..work(operation, identifier)
    };
    let write = WorkOrder { source: SourceCode::Inline, ..to(OperationCode::Write, 1) };
    let (completed, _) = issue(&mut lab, write, b"XYZ");
    assert_eq!(completed, succeeded(1, OperationCode::Write));
    for (identifier, operation) in [(2, OperationCode::Read), (3, OperationCode::ReadV2)] {
        let offset = identifier * 16;
        let read = WorkOrder { region: local, offset, length: 5, ..to(operation, identifier) };
        let (completed, _) = issue(&mut lab, read, b"");
        assert_eq!(completed, succeeded(identifier, operation));
        let range = RegionRange { region: local, length: 5, offset };
        assert_eq!(lab.order(&Order::Read(range)), Answer::Bytes(b"XYZfg".to_vec()));
    }
    for (identifier, flags) in [(4, WorkFlags::NONE), (5, WorkFlags::SOLICITED)] {
        let immediate = WorkOrder { flags, data: 99, ..work(OperationCode::Immediate, identifier) };
        issue(&mut lab, immediate, b"");
        let received = lab.received(bare);
        assert_eq!(received[0].immediate, Some(99));
        assert_eq!(received[0].solicited, flags == WorkFlags::SOLICITED);
    }
    assert!(lab.runner.events.contains(&(bare, Event::Solicited)));
}

#[test]
fn atomics_flush_verify_and_atomic_write() {
    let (mut lab, _) = lab();
    let registration = Registration::shared(1, Rights::ALL);
    let first = 40_u64.to_ne_bytes().to_vec();
    let tag = lab.streams().memory().register(first, registration).unwrap();
    let word = |lab: &mut Lab| {
        let bytes = lab.streams().memory().bytes(tag).unwrap();
        u64::from_ne_bytes(bytes.try_into().unwrap())
    };
    let to = |operation, identifier| WorkOrder {
        remote_steering_tag: tag,
        ..work(operation, identifier)
    };
    let add = WorkOrder { data: 2, ..to(OperationCode::Atomic, 1) };
    let (completed, _) = issue(&mut lab, add, b"");
    assert_eq!((completed.original, completed.status), (40, CompletionStatus::Success));
    assert_eq!(word(&mut lab), 42);
    let swap = WorkOrder {
        atomic: AtomicCode::CmpSwap,
        data: 7,
        mask: 0xf,
        compare_data: 42,
        compare_mask: u64::MAX,
        ..to(OperationCode::Atomic, 2)
    };
    let (completed, _) = issue(&mut lab, swap, b"");
    assert_eq!((completed.original, word(&mut lab)), (42, 0x27));
    let flags = WorkFlags::PERSISTENCE | WorkFlags::GLOBAL_VISIBILITY | WorkFlags::FENCE;
    let flush = WorkOrder { flags, length: 8, ..to(OperationCode::Flush, 3) };
    assert_eq!(issue(&mut lab, flush, b"").0, succeeded(3, OperationCode::Flush));
    let write = WorkOrder { data: 0x1234, ..to(OperationCode::AtomicWrite, 4) };
    assert_eq!(issue(&mut lab, write, b"").0, succeeded(4, OperationCode::AtomicWrite));
    assert_eq!(word(&mut lab), 0x1234);
    let hash = crc32c(&0x1234_u64.to_ne_bytes()).to_be_bytes();
    let verify = WorkOrder { length: 8, ..to(OperationCode::Verify, 5) };
    assert_eq!(issue(&mut lab, verify, b"").1, hash);
    let compare = WorkOrder { flags: WorkFlags::COMPARE, identifier: 6, ..verify };
    assert_eq!(issue(&mut lab, compare, &hash).1, hash);
    // The runner's side finds that the hash is another, and ends the stream.
    let wrong = WorkOrder { identifier: 7, ..compare };
    let (completed, _) = issue(&mut lab, wrong, b"none");
    assert_eq!(completed.status, CompletionStatus::TerminatedByPeer);
}

#[test]
fn a_swap_is_issued_and_refused_by_those_who_have_none() {
    let (mut lab, _) = lab();
    let registration = Registration::shared(1, Rights::ALL);
    let tag = lab.streams().memory().register(vec![0; 8], registration).unwrap();
    let atomic = AtomicCode::Swap;
    let swap = WorkOrder { atomic, remote_steering_tag: tag, ..work(OperationCode::Atomic, 1) };
    let (completed, _) = issue(&mut lab, swap, b"");
    assert_eq!(completed.status, CompletionStatus::TerminatedByPeer);
}

#[test]
fn arrivals_are_told_and_put_where_they_were_ordered() {
    let mut lab = Lab::new();
    let bare = lab.connect(&bytes(&Greeting { receives: 0, ..greeting(Purpose::Bare, STREAM) }));
    let region = lab.register(1000, AccessRights::NONE).region;
    let receives =
        ReceivesOrder { stream: STREAM, count: 3, size: 300, region, offset: 100, identifier: 70 };
    lab.done(&Order::Receives(receives));
    let too_much = ReceivesOrder { offset: 101, ..receives };
    assert_eq!(lab.refused(&Order::Receives(too_much)), Status::Unknown);
    let own = warpscope_wire::test_ulp::RegisterOrder {
        scope: warpscope_wire::test_ulp::Scope::Stream,
        stream: STREAM,
        ..crate::runner::register(8, AccessRights::ALL)
    };
    let Answer::Region(invalidated, _) = lab.order(&Order::Register(own, String::new())) else {
        panic!("no region");
    };
    let message = vec![0x5a; 290];
    let send = |invalidate, solicited, immediate| Operation::Send {
        source: message[..].into(),
        invalidate,
        solicited,
        immediate,
    };
    for operation in [
        send(None, false, None),
        send(Some(invalidated.steering_tag), true, Some(5)),
        Operation::Immediate { data: 6, solicited: false },
    ] {
        lab.streams().post(bare, WorkRequest::new(0, operation)).unwrap();
    }
    lab.run();
    let reports = lab.reports(STREAM);
    let arrivals: Vec<(Arrival, Vec<u8>)> = reports
        .iter()
        .filter_map(|it| match it {
            Happened::Arrival(arrival, front) => Some((*arrival, front.clone())),
            _ => None,
        })
        .collect();
    let checksum = crc32c(&message);
    let plain = Arrival {
        identifier: 70,
        length: 290,
        flags: ArrivalFlags::NONE,
        immediate: 0,
        invalidated_steering_tag: 0,
        checksum,
    };
    assert_eq!(arrivals[0], (plain, message.clone()));
    let full = Arrival {
        identifier: 71,
        flags: ArrivalFlags::ALL,
        immediate: 5,
        invalidated_steering_tag: invalidated.steering_tag,
        ..plain
    };
    assert_eq!(arrivals[1], (full, message.clone()));
    let (third, front) = &arrivals[2];
    assert_eq!((third.identifier, third.length, third.immediate), (72, 0, 6));
    assert!(front.is_empty() && third.checksum == 0);
    assert!(reports.contains(&Happened::Solicited));
    let range = RegionRange { region, length: 302, offset: 399 };
    let mut expected = vec![0; 1];
    expected.extend(&message);
    expected.resize(302, 0);
    assert_eq!(lab.order(&Order::Read(range)), Answer::Bytes(expected));
}

#[test]
fn work_on_a_stream_that_ends_is_told_as_flushed() {
    let (mut lab, bare) = lab();
    let receives =
        ReceivesOrder { stream: STREAM, count: 1, size: 8, region: 0, offset: 0, identifier: 44 };
    lab.done(&Order::Receives(receives));
    lab.streams().abort(bare);
    lab.run();
    let flushed: Vec<u64> = completions(&mut lab)
        .iter()
        .filter(|it| it.0.status == CompletionStatus::Flushed)
        .map(|it| it.0.identifier)
        .collect();
    assert!(flushed.contains(&44), "{flushed:?}");
    let late = work(OperationCode::Send, 1);
    assert_eq!(lab.refused(&Order::Work(late, Vec::new())), Status::Unknown);
}
