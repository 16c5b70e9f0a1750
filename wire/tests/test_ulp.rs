//! Whole messages of the test ULP: orders, answers and reports.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "so tests fail")]

#[path = "test_ulp/samples.rs"]
mod samples;

use proptest::prelude::*;
use samples::{answers, orders};
use warpscope_wire::test_ulp::{
    Answer, Fault, Message, NoOrder, Order, Pattern, RegionRange, Status, kind,
};

fn parsed(bytes: &[u8]) -> Result<Order, NoOrder> {
    Order::parse(&Message::parse_order(bytes)?)
}

/// By hand from sections 2.1, 6.1 and 6.4.
#[test]
fn an_order_by_hand() {
    let bytes = [
        0x54, 0x55, 0x4c, 0x50, 1, 18, 0, 0, 0, 0, 0, 9, 0, 0, 0, 18, // header
        0, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 7, // region, length, offset
        0xaa, 0xbb,
    ];
    let order = Order::Write(RegionRange { region: 3, length: 2, offset: 7 }, vec![0xaa, 0xbb]);
    assert_eq!(parsed(&bytes), Ok(order.clone()));
    assert_eq!(order.message(9), bytes);
}

/// By hand from sections 2.1, 2.3 and 9.
#[test]
fn answers_by_hand() {
    let bytes = [
        0x54, 0x55, 0x4c, 0x50, 1, 0x90, 0, 3, 0, 0, 0, 9, 0, 0, 0, 10, // header
        0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, b'n', b'o',
    ];
    let answer = Answer::parse(&Message::parse(&bytes).unwrap()).unwrap();
    let Answer::Refused(Status::Unknown, refusal, text) = &answer else { panic!("{answer:?}") };
    assert_eq!((refusal.offset, refusal.value, text.as_str()), (u32::MAX, 0, "no"));
    assert_eq!(answer.message(kind::READ, 9), bytes);
    let bytes = [
        0x54, 0x55, 0x4c, 0x50, 1, 0xa8, 0, 0, 0, 0, 0, 9, 0, 0, 0, 36, // header
        0, 0, 0, 1, 0, 0, 0, 2, // lost, left
        0, 0, 0, 28, 0, 0, 0, 10, 0, 0, 0, 5, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0,
        7, // report header
        0, 0, 0, 4, // the TCP connection was lost
    ];
    let answer = Answer::parse(&Message::parse(&bytes).unwrap()).unwrap();
    let Answer::Reports(head, reports) = &answer else { panic!("{answer:?}") };
    assert_eq!((head.lost, head.left, reports.len()), (1, 2, 1));
    let report = &reports[0];
    assert_eq!((report.stream, report.number, report.time), (5, 6, 7));
    let lost = warpscope_wire::test_ulp::EndingCode::Lost;
    assert_eq!(report.happened, warpscope_wire::test_ulp::Happened::Ended(lost));
    assert_eq!(answer.message(kind::REPORTS, 9), bytes);
}

/// Section 6.5.
#[test]
fn patterns_by_hand() {
    let filled = |pattern: Pattern, seed| {
        let mut bytes = [0; 4];
        pattern.fill(seed, &mut bytes);
        bytes
    };
    assert_eq!(filled(Pattern::Constant, 0x1234), [0x34; 4]);
    assert_eq!(filled(Pattern::Counting, 0xfffe), [0xfe, 0xff, 0, 1]);
    // 0xffffffff, 0, 1 and 2 times 0x9e3779b1: 0x61c8864f, 0, 0x9e3779b1, 0x3c6ef362.
    assert_eq!(filled(Pattern::Mixed, u32::MAX), [0x61, 0, 0x9e, 0x3c]);
}

/// Section 10 has a row for each kind, and the samples have an order of each.
#[test]
fn every_order_is_read_as_it_was_written() {
    let mut kinds: Vec<u8> = orders().iter().map(Order::kind).collect();
    kinds.sort_unstable();
    kinds.dedup();
    assert_eq!(kinds, kind::ALL);
    for order in orders() {
        let bytes = order.message(0x0102_0304);
        assert_eq!(parsed(&bytes), Ok(order));
    }
}

#[test]
fn every_answer_is_read_as_it_was_written() {
    for (kind, answer) in answers() {
        let bytes = answer.message(kind, 7);
        let message = Message::parse(&bytes).unwrap();
        assert_eq!((message.kind, message.status), (kind | 0x80, answer.status()));
        assert_eq!(Answer::parse(&message), Ok(answer));
    }
}

/// The body of a message, with a header that fits it.
fn with_body(bytes: &[u8], body: &[u8]) -> Vec<u8> {
    let message = Message::parse(bytes).unwrap();
    Message { body, ..message }.bytes()
}

fn blames(fault: &Fault, bytes: &[u8]) {
    assert!(fault.offset <= bytes.len(), "{fault}: {bytes:02x?}");
}

#[test]
fn orders_that_are_cut_are_refused_where_they_end() {
    for order in orders() {
        let bytes = order.message(1);
        for length in 0..bytes.len() {
            let Err(fault) = Message::parse_order(&bytes[..length]) else { panic!("{length}") };
            assert_eq!(fault.offset, if length < 16 { length } else { 12 });
            let Some(body) = bytes[16..].get(..length) else { continue };
            let cut = with_body(&bytes, body);
            match parsed(&cut) {
                // A text or hash that is shorter.
                Ok(other) => assert_eq!(other.message(1), cut),
                Err(NoOrder::Fault(fault)) => blames(&fault, &cut),
                Err(error) => panic!("{error}"),
            }
        }
    }
}

#[test]
fn answers_that_are_cut_are_refused() {
    for (kind, answer) in answers() {
        let bytes = answer.message(kind, 1);
        for length in 0..bytes.len() - 16 {
            let cut = with_body(&bytes, &bytes[16..16 + length]);
            match Answer::parse(&Message::parse(&cut).unwrap()) {
                Ok(other) => assert_eq!(other.message(kind, 1), cut),
                Err(NoOrder::Fault(fault)) => blames(&fault, &cut),
                Err(error) => panic!("{error}"),
            }
        }
    }
}

proptest! {
    /// Whatever bytes hold: no panic, and what is read is written again as it was.
    #[test]
    fn any_bytes(
        sample in any::<prop::sample::Index>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        length in any::<prop::sample::Index>(),
        body in prop::option::of(prop::collection::vec(any::<u8>(), 0..200)),
    ) {
        let mut messages: Vec<Vec<u8>> = orders().iter().map(|it| it.message(5)).collect();
        messages.extend(answers().iter().map(|(kind, it)| it.message(*kind, 5)));
        let mut bytes = messages[sample.index(messages.len())].clone();
        if let Some(body) = body {
            bytes = with_body(&bytes, &body);
        }
        for (at, value) in changes {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        let whole = bytes.len();
        bytes.truncate(whole.min(length.index(2 * whole + 1)));
        let _ = Message::blamed(&bytes);
        match parsed(&bytes) {
            Ok(order) => {
                let message = Message::parse(&bytes).unwrap();
                let again = order.message(message.sequence);
                // An address may have been written in another way.
                prop_assert!(again == bytes || matches!(order, Order::Open(..)));
            }
            Err(NoOrder::Fault(fault)) => blames(&fault, &bytes),
            Err(NoOrder::Unsupported(kind)) => prop_assert!(!kind::ALL.contains(&kind)),
        }
        if let Ok(message) = Message::parse(&bytes) {
            match Answer::parse(&message) {
                Ok(answer) => {
                    let again = answer.message(message.kind & 0x7f, message.sequence);
                    prop_assert_eq!(again, bytes);
                }
                Err(NoOrder::Fault(fault)) => blames(&fault, &bytes),
                Err(NoOrder::Unsupported(kind)) => prop_assert!(!kind::ALL.contains(&kind)),
            }
        }
    }
}
