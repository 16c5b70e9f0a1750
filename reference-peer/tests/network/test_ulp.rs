//! A target of the test ULP on real connections.

use crate::{LOOPBACK, host};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use warpscope_peer::connection::{Config, Event, Role};
use warpscope_peer::memory::Accessor;
use warpscope_peer::network::Host;
use warpscope_peer::service::test_ulp::{TestUlp, TestUlpOptions};
use warpscope_peer::streams::StreamEvent;
use warpscope_peer::work::{Operation, Outcome, RemoteBuffer, WorkRequest};
use warpscope_wire::Writer;
use warpscope_wire::test_ulp::{
    Answer, EndingCode, Greeting, Happened, Magic, Message, Order, Purpose, ReportsOrder, Version,
};

const PATIENCE: Duration = Duration::from_secs(30);

/// A stream with a greeting, once it is established.
fn connect(host: &mut Host, address: SocketAddr, purpose: Purpose, stream: u32) -> u64 {
    let (receives, longest, session) = (4, 4096, 3);
    let greeting =
        Greeting { magic: Magic, version: Version, purpose, receives, session, stream, longest };
    let mut bytes = vec![0; Greeting::LENGTH];
    greeting.emit(&mut Writer::new(&mut bytes));
    let mut config = Config::new(Role::Initiator, Accessor { stream: 0, protection_domain: 1 });
    config.setup.private_data = bytes;
    let number = host.streams().connect(address, config, false);
    until(
        host,
        |it| (it == &(number, true)).then_some(number),
        |number, event| (number, matches!(event, StreamEvent::Event(Event::Established(_)))),
    )
}

/// Waits for something.
fn until<T, U>(
    host: &mut Host,
    mut found: impl FnMut(&T) -> Option<U>,
    mut read: impl FnMut(u64, StreamEvent) -> T,
) -> U {
    loop {
        let Some((number, event)) = host.wait(PATIENCE).unwrap() else {
            panic!("nothing happens any more");
        };
        if let Some(it) = found(&read(number, event)) {
            return it;
        }
    }
}

fn order(host: &mut Host, control: u64, order: &Order) -> Answer {
    host.streams().post_receive(control, 0, 4096).unwrap();
    let send = WorkRequest::new(0, Operation::send(&order.message(1)));
    host.streams().post(control, send).unwrap();
    let bytes = until(
        host,
        |it: &Option<Vec<u8>>| it.clone(),
        |number, event| match event {
            StreamEvent::Completion(done) if number == control => match done.result {
                Ok(Outcome::Received(received)) => Some(received.bytes),
                _ => None,
            },
            _ => None,
        },
    );
    Answer::parse(&Message::parse(&bytes).unwrap()).unwrap()
}

#[test]
fn a_terminated_stream_is_asked_for_beside_it() {
    let mut server = host(1);
    let options = TestUlpOptions::default();
    let address = server.listen(LOOPBACK, options.config.clone()).unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let asked = Arc::clone(&stop);
    let there = std::thread::spawn(move || {
        let mut target = TestUlp::new(options);
        let stop = || asked.load(Ordering::Relaxed);
        server.serve(&mut target, stop, Duration::from_secs(5)).unwrap();
    });
    let mut runner = host(2);
    let control = connect(&mut runner, address, Purpose::Control, 1);
    let bare = connect(&mut runner, address, Purpose::Bare, 2);
    let remote = RemoteBuffer { steering_tag: 0xdead_beef, tagged_offset: 0 };
    let write = Operation::Write { source: b"bytes"[..].into(), remote };
    runner.streams().post(bare, WorkRequest::new(1, write)).unwrap();
    let mut seen = Vec::new();
    while !seen.contains(&Happened::Ended(EndingCode::TerminatedHere)) {
        let wait = PATIENCE.as_millis() as u32 / 2;
        let reports = ReportsOrder { stream: 2, most: 100, wait, front: 64 };
        let Answer::Reports(_, reports) = order(&mut runner, control, &Order::Reports(reports))
        else {
            panic!("no reports");
        };
        assert!(!reports.is_empty(), "{seen:?}");
        seen.extend(reports.into_iter().map(|it| it.happened));
    }
    let sent = |it: &Happened| {
        matches!(it, Happened::TerminateSent(it, _)
            if (it.layer, it.error_type, it.error_code) == (1, 1, 0))
    };
    assert!(seen.iter().any(sent), "{seen:?}");
    assert_eq!(order(&mut runner, control, &Order::Goodbye), Answer::Done);
    runner.streams().finish(control);
    until(
        &mut runner,
        |it: &bool| it.then_some(()),
        |number, event| number == control && event == StreamEvent::Closed,
    );
    stop.store(true, Ordering::Relaxed);
    there.join().unwrap();
}

/// The answer to an order that drops its own stream comes first.
#[test]
fn a_stream_that_drops_itself_answers() {
    let mut server = host(1);
    let options = TestUlpOptions::default();
    let address = server.listen(LOOPBACK, options.config.clone()).unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let asked = Arc::clone(&stop);
    let there = std::thread::spawn(move || {
        let mut target = TestUlp::new(options);
        let stop = || asked.load(Ordering::Relaxed);
        server.serve(&mut target, stop, Duration::from_secs(5)).unwrap();
    });
    let mut runner = host(2);
    for name in 1..20 {
        let shared = connect(&mut runner, address, Purpose::Shared, name);
        assert_eq!(order(&mut runner, shared, &Order::Abort(0)), Answer::Done);
    }
    stop.store(true, Ordering::Relaxed);
    there.join().unwrap();
}
