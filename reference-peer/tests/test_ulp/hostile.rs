//! Section 2.3: orders that are wrong.

use crate::runner::{ADDRESS, Lab, bytes, greeting, options, register};
use proptest::prelude::*;
use warpscope_peer::connection::Event;
use warpscope_wire::test_ulp::{
    AccessRights, Addressing, Answer, AtomicCode, BindOrder, ChecksumOrder, CopyOrder, FillOrder,
    Hash, Message, OperationCode, Order, Pattern, Purpose, ReceivesOrder, RegionRange,
    ReportsOrder, RevalidateOrder, Scope, SourceCode, Status, WorkFlags, WorkOrder,
};

/// An order of every kind but those that end the stream.
fn samples() -> Vec<Order> {
    let (region, length, offset) = (1, 8, 0);
    let rights = AccessRights::ALL;
    let work = WorkOrder {
        stream: 0,
        operation: OperationCode::Send,
        flags: WorkFlags::NONE,
        source: SourceCode::Inline,
        atomic: AtomicCode::FetchAdd,
        identifier: 1,
        remote_steering_tag: 1,
        length: 4,
        remote_tagged_offset: 2,
        region,
        invalidate_steering_tag: 3,
        offset,
        data: 4,
        mask: 5,
        compare_data: 6,
        compare_mask: 7,
        pattern: Pattern::Mixed,
        seed: 8,
    };
    vec![
        Order::Hello(greeting(Purpose::Control, 1)),
        Order::Capabilities,
        Order::Reset,
        Order::ListRegions(0),
        Order::Register(register(64, rights), "name".to_owned()),
        Order::Bind(BindOrder {
            region,
            stream: 0,
            offset,
            length: 8,
            base: 0,
            rights,
            addressing: Addressing::Zero,
            scope: Scope::ProtectionDomain,
        }),
        Order::Invalidate(region),
        Order::Revalidate(RevalidateOrder { region, rights }),
        Order::Deregister(region),
        Order::Read(RegionRange { region, length, offset }),
        Order::Copy(CopyOrder {
            region,
            length,
            offset,
            steering_tag: 9,
            stream: 55,
            tagged_offset: 0,
        }),
        Order::Write(RegionRange { region, length, offset }, vec![1; 8]),
        Order::Fill(FillOrder { region, length, offset, pattern: Pattern::Counting, seed: 1 }),
        Order::Checksum(ChecksumOrder { region, length, offset, hash: Hash::Crc32c }),
        Order::Receives(ReceivesOrder {
            stream: 55,
            count: 1,
            size: 8,
            region,
            offset,
            identifier: 1,
        }),
        Order::Work(WorkOrder { stream: 55, ..work }, vec![2; 4]),
        Order::Open(options(Purpose::Bare, 5), b"private".to_vec(), ADDRESS),
        Order::Prepare(options(Purpose::Bare, 5), b"private".to_vec()),
        Order::Finish(55),
        Order::Abort(55),
        Order::ListStreams(0),
        Order::Reports(ReportsOrder { stream: 0, most: 9, wait: 0, front: 9 }),
    ]
}

/// What a target says to some bytes.
fn said(lab: &mut Lab, bytes: &[u8]) -> (u8, u32, Answer) {
    let control = lab.control;
    lab.received(control);
    lab.send(control, bytes);
    let received = lab.received(control);
    let [answer] = &received[..] else { panic!("{bytes:02x?} was answered by {received:?}") };
    let message = Message::parse(&answer.bytes).unwrap();
    let answer = Answer::parse(&message);
    let (kind, status) = (message.kind, message.status);
    let answer = answer.unwrap_or_else(|error| panic!("{kind} {status:?} {error}"));
    (message.kind, message.sequence, answer)
}

#[track_caller]
fn blamed(lab: &mut Lab, bytes: &[u8]) -> u32 {
    match said(lab, bytes).2 {
        Answer::Refused(Status::Malformed, refusal, _) => refusal.offset,
        other => panic!("{bytes:02x?}: {other:?}"),
    }
}

/// The byte to blame, by the table of section 2.3.
#[test]
fn a_wrong_header_is_told_where() {
    let mut lab = Lab::new();
    let right = Order::Finish(9).message(0x0a0b_0c0d);
    for (at, value, expected) in
        [(0, 0x55, 0), (4, 2, 4), (5, 0x82, 5), (7, 3, 6), (6, 1, 6), (15, 5, 12), (12, 1, 12)]
    {
        let mut bytes = right.clone();
        bytes[at] = value;
        assert_eq!(blamed(&mut lab, &bytes), expected, "byte {at}");
    }
    for length in 0..16 {
        assert_eq!(blamed(&mut lab, &right[..length]), length as u32);
    }
    let (kind, sequence, _) = said(&mut lab, b"no header");
    assert_eq!((kind, sequence), (0x80, 0));
    let mut bytes = right.clone();
    bytes[15] = 5;
    let (kind, sequence, _) = said(&mut lab, &bytes);
    assert_eq!((kind, sequence), (34 | 0x80, 0x0a0b_0c0d));
}

#[test]
fn an_unknown_kind_is_unsupported() {
    let mut lab = Lab::new();
    for kind in [0, 5, 22, 63, 64, 127] {
        let message = Message { kind, status: Status::Done, sequence: 3, body: b"" };
        let control = lab.control;
        lab.send(control, &message.bytes());
        let received = lab.received(control);
        let answer = Message::parse(&received[0].bytes).unwrap();
        assert_eq!((answer.status, answer.kind), (Status::Unsupported, kind | 0x80));
    }
}

/// A body that is cut is wrong at its end, one that is too long at the first byte too many.
#[test]
fn bodies_of_a_wrong_length_are_told_where() {
    let mut lab = Lab::new();
    for order in samples() {
        let whole = order.message(1);
        let body = &whole[16..];
        let texts = matches!(order, Order::Register(..) | Order::Open(..));
        for length in 0..body.len() {
            let (kind, status) = (order.kind(), Status::Done);
            let cut = Message { kind, status, sequence: 1, body: &body[..length] }.bytes();
            match said(&mut lab, &cut).2 {
                Answer::Refused(Status::Malformed, refusal, _) => {
                    // The address of `open` is one text.
                    assert!(refusal.offset as usize <= 16 + length, "{order:?} {length}");
                    if !texts {
                        assert_eq!(refusal.offset as usize, 16 + length, "{order:?}");
                    }
                }
                other => assert!(texts, "{order:?} {length}: {other:?}"),
            }
        }
        if texts {
            continue;
        }
        let long = [body, &[0]].concat();
        let (kind, status) = (order.kind(), Status::Done);
        let long = Message { kind, status, sequence: 1, body: &long }.bytes();
        assert_eq!(blamed(&mut lab, &long), whole.len() as u32, "{order:?}");
    }
}

#[test]
fn values_that_are_not_defined_are_told_where() {
    let mut lab = Lab::new();
    let all = samples();
    let of = |kind: u8| all.iter().find(|it| it.kind() == kind).unwrap().message(1);
    // Kind, byte of the body, value.
    for (kind, at, value) in [
        (1, 4, 2),
        (1, 5, 4),
        (9, 19, 0x40),
        (9, 25, 3),
        (9, 27, 3),
        (9, 29, 3),
        (9, 31, 4),
        (19, 19, 3),
        (20, 19, 4),
        (25, 4, 10),
        (25, 5, 0x80),
        (25, 6, 4),
        (25, 7, 3),
        (25, 83, 3),
        (33, 2, 0xff),
        (33, 9, 3),
        (33, 29, 4),
        (33, 35, 3),
    ] {
        let mut bytes = of(kind);
        bytes[16 + at] = value;
        let width = |start: u32, bytes: u32| start..start + bytes;
        let field = width(blamed(&mut lab, &bytes) - 16, 4);
        assert!(field.contains(&(at as u32)), "kind {kind} byte {at}: {field:?}");
    }
    // Work that makes no sense: a receive, a source of what has none, a length of nothing.
    for (at, value, expected) in [(4, 0, 4), (4, 4, 6)] {
        let mut bytes = of(25);
        bytes[16 + at] = value;
        assert_eq!(blamed(&mut lab, &bytes), 16 + expected);
    }
}

#[test]
fn a_refused_order_changes_nothing() {
    let mut lab = Lab::new();
    let region = lab.register(8, AccessRights::ALL);
    for order in samples() {
        let mut bytes = order.message(1);
        bytes.push(0);
        assert_eq!(blamed(&mut lab, &bytes), 12);
    }
    let Answer::Regions(1, listed) = lab.order(&Order::ListRegions(0)) else { panic!("no list") };
    assert_eq!(listed[0].0, region);
    assert!(matches!(lab.order(&Order::ListStreams(0)), Answer::Streams(1, _)));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// Whatever is changed in orders, each is answered, and the next one too.
    #[test]
    fn mutated_orders_are_answered(
        changes in proptest::collection::vec((0_usize..22, any::<proptest::sample::Index>(), any::<u8>(), 0_usize..4), 1..60),
    ) {
        let mut lab = Lab::new();
        lab.register(64, AccessRights::ALL);
        let samples = samples();
        for (sample, at, value, more) in changes {
            let mut bytes = samples[sample].message(7);
            let at = at.index(bytes.len());
            bytes[at] = value;
            if more == 1 {
                bytes.truncate(at);
            }
            let kind = bytes.get(5).copied();
            // These end the conversation, or answer later.
            let word = |at: usize| bytes.get(at..at + 4).map(|it| it.to_vec());
            let ends = kind == Some(4)
                || kind == Some(34) || kind == Some(35)
                || kind == Some(1)
                || (kind == Some(40) && word(24) != Some(vec![0; 4]))
                || (kind == Some(25) && word(16) == Some(vec![0; 4]))
                || kind == Some(17);
            if ends {
                continue;
            }
            said(&mut lab, &bytes);
        }
        let alive = matches!(lab.order(&Order::Capabilities), Answer::Capabilities(..));
        prop_assert!(alive);
    }

    /// Bytes of any kind on streams of every purpose: no panic, and the control stream lives.
    #[test]
    fn any_bytes_are_borne(
        messages in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..200), 1..20),
        purpose in prop_oneof![Just(Purpose::Bare), Just(Purpose::Shared), Just(Purpose::Control)],
    ) {
        let mut lab = Lab::new();
        let stream = lab.connect(&bytes(&greeting(purpose, 2)));
        for (index, message) in messages.iter().enumerate() {
            let mut message = message.clone();
            if index % 2 == 0 {
                message.splice(..0, *b"TULP\x01");
            }
            if lab.pipe.sides[0].connection(stream).is_none_or(|it| it.is_ended()) {
                break;
            }
            let refused = lab.runner.events.iter().any(
                |(number, event)| *number == stream && matches!(event, Event::TerminateReceived(_)),
            );
            if refused || lab.streams().post_receive(stream, 0, 4096).is_err() {
                break;
            }
            let operation = warpscope_peer::work::Operation::send(&message);
            if lab.streams().post(stream, warpscope_peer::work::WorkRequest::new(0, operation)).is_err() {
                break;
            }
            lab.run();
        }
        let alive = matches!(lab.order(&Order::Capabilities), Answer::Capabilities(..));
        prop_assert!(alive);
    }
}
