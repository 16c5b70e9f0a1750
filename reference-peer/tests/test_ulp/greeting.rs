//! Section 3: greetings.

use crate::runner::{
    ADDRESS, CONTROL, LONGEST, Lab, bytes, config, greeting, memory, target_options,
};
use warpscope_peer::connection::Event;
use warpscope_peer::work::Operation;
use warpscope_wire::test_ulp::{
    Answer, Greeting, GreetingView, Happened, Message, Order, Purpose, Status, StreamState,
};

fn none() -> Lab {
    Lab::without_streams(target_options(), memory(2))
}

fn replied(lab: &Lab, stream: u64) -> Greeting {
    let agreement = lab.pipe.sides[0].connection(stream).unwrap().agreement().unwrap();
    let (view, rest) = GreetingView::parse(&agreement.private_data).unwrap();
    assert!(rest.is_empty());
    Greeting::try_from(view).unwrap()
}

#[test]
fn the_reply_greets_back() {
    let mut lab = Lab::new();
    let reply = replied(&lab, lab.control);
    assert_eq!((reply.purpose, reply.session, reply.stream), (Purpose::Control, 7, CONTROL));
    assert!(reply.receives >= 1 && reply.longest >= 512);
    let Answer::Capabilities(capabilities, text) = lab.order(&Order::Capabilities) else {
        panic!("no capabilities");
    };
    assert!(!text.is_empty());
    let kinds = warpscope_wire::test_ulp::kind::ALL.iter();
    assert!(kinds.into_iter().all(|kind| capabilities.orders >> kind & 1 == 1));
    assert_eq!(capabilities.operations, 0b11_1111_1110);
}

#[test]
fn a_target_names_streams_that_have_no_name() {
    let mut lab = Lab::new();
    let first = lab.connect(&bytes(&greeting(Purpose::Bare, 0)));
    let second = lab.connect(&bytes(&greeting(Purpose::Bare, 0)));
    let names = [replied(&lab, first).stream, replied(&lab, second).stream];
    assert!(names[0] != names[1] && names.iter().all(|name| *name >= 0x8000_0000));
}

/// Section 3.3: the greeting comes in a Send, and may make the stream bare.
#[test]
fn hello_changes_what_a_stream_is_for() {
    let mut lab = none();
    let stream = lab.connect(b"other private data");
    let hello = Order::Hello(greeting(Purpose::Control, 3));
    let Answer::Greeting(answer) = lab.order_on(stream, &hello) else { panic!("no greeting") };
    assert_eq!((answer.purpose, answer.session, answer.stream), (Purpose::Control, 7, 3));
    let other = lab.connect(b"");
    let bare = Greeting { receives: 2, longest: 64, ..greeting(Purpose::Bare, 4) };
    let Answer::Greeting(answer) = lab.order_on(other, &Order::Hello(bare)) else {
        panic!("no greeting");
    };
    assert_eq!((answer.purpose, answer.receives, answer.longest), (Purpose::Bare, 2, 64));
    // From now on even an order is a message under test.
    lab.received(other);
    lab.send(other, &Order::Capabilities.message(1));
    assert!(lab.received(other).is_empty());
    lab.control = stream;
    let reports = lab.reports(4);
    assert!(reports.iter().any(|it| matches!(it, Happened::Arrival(..))), "{reports:?}");
}

/// Section 3.4: without a greeting a stream is shared, and of session 0.
#[test]
fn a_stream_without_greeting_is_shared() {
    let mut lab = none();
    let wrong = {
        let mut bytes = bytes(&greeting(Purpose::Control, 1));
        bytes[4] = 2;
        bytes
    };
    for private_data in [&b""[..], &b"something else"[..], &wrong] {
        let stream = lab.connect(private_data);
        let Answer::Streams(_, streams) = lab.order_on(stream, &Order::ListStreams(0)) else {
            panic!("no list");
        };
        let here = streams.last().unwrap();
        assert_eq!((here.purpose, here.session), (Purpose::Shared, 0));
        assert_eq!(here.state, StreamState::Established);
        assert!(here.stream >= 0x8000_0000);
    }
}

/// Section 1: what begins with the magic is an order, everything else an arrival.
#[test]
fn a_shared_stream_carries_both() {
    let mut lab = Lab::new();
    let shared = lab.connect(&bytes(&greeting(Purpose::Shared, 9)));
    lab.send(shared, b"under test");
    assert!(lab.received(shared).is_empty());
    assert!(matches!(lab.order_on(shared, &Order::Capabilities), Answer::Capabilities(..)));
    let with_immediate = Operation::Send {
        source: Order::Capabilities.message(5)[..].into(),
        invalidate: None,
        solicited: true,
        immediate: Some(77),
    };
    lab.streams().post(shared, warpscope_peer::work::WorkRequest::new(1, with_immediate)).unwrap();
    lab.run();
    lab.control = shared;
    let arrivals: Vec<_> = lab
        .reports(9)
        .into_iter()
        .filter_map(|it| match it {
            Happened::Arrival(arrival, front) => Some((arrival, front)),
            _ => None,
        })
        .collect();
    let [(first, front), (second, _)] = &arrivals[..] else { panic!("{arrivals:?}") };
    assert_eq!((front.as_slice(), first.length, first.identifier), (&b"under test"[..], 10, 0));
    assert_eq!(second.immediate, 77);
}

/// Section 3.3: a target that opened the stream speaks first, with its greeting.
#[test]
fn a_target_as_initiator_says_hello() {
    let mut lab = none();
    lab.pipe.sides[1].connect(ADDRESS, config(), false);
    lab.run();
    let requested = |it: &(u64, Event)| matches!(it.1, Event::Requested(_));
    let stream = lab.runner.events.iter().find(|it| requested(it)).unwrap().0;
    let received = lab.received(stream);
    let [hello] = &received[..] else { panic!("{received:?}") };
    let message = Message::parse_order(&hello.bytes).unwrap();
    assert_eq!(message.sequence, 0);
    let Ok(Order::Hello(theirs)) = Order::parse(&message) else { panic!("no hello") };
    assert_eq!(theirs.purpose, Purpose::Control);
    let answer = Answer::Greeting(Greeting { session: 0, ..greeting(Purpose::Control, 5) });
    lab.send(stream, &answer.message(message.kind, 0));
    assert!(lab.received(stream).is_empty(), "an answer was answered");
    assert!(matches!(lab.order_on(stream, &Order::Capabilities), Answer::Capabilities(..)));
}

/// Section 2.2: as many orders as the target says can be out, again and again.
#[test]
fn orders_may_come_without_waiting() {
    let mut lab = Lab::new();
    let most = replied(&lab, lab.control).receives;
    let control = lab.control;
    for round in 0..5 {
        for order in 0..u32::from(most) {
            let message = Order::Capabilities.message(round * 1000 + order);
            let streams = lab.streams();
            streams.post_receive(control, 0, LONGEST as usize).unwrap();
            let send = warpscope_peer::work::WorkRequest::new(0, Operation::send(&message));
            streams.post(control, send).unwrap();
        }
        lab.run();
        assert_eq!(lab.received(control).len(), usize::from(most));
    }
}

#[test]
fn goodbye_ends_stream_and_session() {
    let mut lab = Lab::new();
    lab.register(64, warpscope_wire::test_ulp::AccessRights::READ);
    let bare = lab.bare(2);
    lab.done(&Order::Goodbye);
    let control = lab.control;
    let finished = |it: &(u64, Event)| *it == (control, Event::FinishReceived);
    assert!(lab.runner.events.iter().any(finished));
    assert!(lab.pipe.sides[0].connection(bare).is_none());
    lab.streams().finish(control);
    lab.run();
    assert_eq!(lab.pipe.sides[1].count(), 0);
    lab.control = lab.connect(&bytes(&greeting(Purpose::Control, 1)));
    assert!(matches!(lab.order(&Order::ListRegions(0)), Answer::Regions(0, _)));
    assert_eq!(lab.refused(&Order::Finish(2)), Status::Unknown);
}
