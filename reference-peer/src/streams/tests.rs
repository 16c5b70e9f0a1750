//! Streams in a pipe.

use super::{Pipe, StreamEvent, Streams};
use crate::connection::{Config, Ending, Event, Role, Transmit};
use crate::memory::{Accessor, Memory};
use crate::setup::{SetupConfig, SetupRevision};
use crate::work::{Operation, Outcome, WorkRequest};
use std::net::{Ipv4Addr, SocketAddr};

const ADDRESS: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 1);

fn config() -> Config {
    Config::new(Role::Initiator, Accessor { stream: 0, protection_domain: 1 })
}

fn pipe() -> Pipe {
    let side = || Streams::new(Memory::new(|| 0x0102_0304));
    Pipe::new([side(), side()], [config(), config()])
}

fn events(pipe: &mut Pipe, side: usize) -> Vec<(u64, StreamEvent)> {
    std::iter::from_fn(|| pipe.poll(side)).collect()
}

#[test]
fn a_message_crosses_and_both_sides_close() {
    let mut pipe = pipe();
    let client = pipe.sides[0].connect(ADDRESS, config(), false);
    while pipe.carry() {}
    let server = pipe.sides[1].numbers()[0];
    pipe.sides[1].post_receive(server, 9, 16).unwrap();
    pipe.sides[0].post(client, WorkRequest::new(1, Operation::send(b"hello"))).unwrap();
    pipe.sides[0].finish(client);
    while pipe.carry() {}
    pipe.sides[1].finish(server);
    while pipe.carry() {}
    let there = events(&mut pipe, 1);
    let received = there.iter().position(|it| match &it.1 {
        StreamEvent::Completion(done) => {
            matches!(&done.result, Ok(Outcome::Received(got)) if got.bytes == b"hello")
        }
        _ => false,
    });
    let closing = |it: &(u64, StreamEvent)| it.1 == StreamEvent::Event(Event::FinishReceived);
    assert!(received.unwrap() < there.iter().position(closing).unwrap());
    for events in [events(&mut pipe, 0), there] {
        let [.., (_, ended), (_, closed)] = &events[..] else { panic!("{events:?}") };
        assert_eq!(*ended, StreamEvent::Event(Event::Ended(Ending::Finished)));
        assert_eq!(*closed, StreamEvent::Closed);
    }
    assert_eq!(pipe.sides.each_ref().map(Streams::count), [0, 0]);
}

#[test]
fn an_initiator_falls_back_to_revision_one_on_a_new_connection() {
    let mut pipe = pipe();
    let asking = Config { setup: SetupConfig::enhanced(), ..config() };
    let first = pipe.sides[0].connect(ADDRESS, asking, true);
    while pipe.carry() {}
    let events = events(&mut pipe, 0);
    let [(number, StreamEvent::FellBack(second)), ..] = events[..] else { panic!("{events:?}") };
    assert_eq!(number, first);
    while pipe.carry() {}
    let agreement = pipe.sides[0].connection(second).and_then(|it| it.agreement()).unwrap();
    assert_eq!(agreement.revision, SetupRevision::One);
}

#[test]
fn timers_are_kept_for_every_stream() {
    let mut pipe = pipe();
    let numbers: Vec<u64> = (0..3).map(|_| pipe.sides[0].accepted(config(), None, None)).collect();
    let due = pipe.sides[0].poll_timeout().unwrap();
    pipe.sides[0].set_now(due);
    pipe.sides[0].handle_timeouts();
    let events = events(&mut pipe, 0);
    assert_eq!(events.iter().map(|it| it.0).collect::<Vec<_>>(), numbers);
    assert!(events.iter().all(|it| matches!(it.1, StreamEvent::Event(Event::SetupFailed { .. }))));
    assert_eq!(pipe.sides[0].poll_timeout(), None);
}

#[test]
fn tcps_segment_size_can_change() {
    let mut pipe = pipe();
    let client = pipe.sides[0].connect(ADDRESS, config(), false);
    while pipe.carry() {}
    for emss in [500, 1500, 300] {
        pipe.sides[0].set_emss(client, emss);
        pipe.sides[0].post(client, WorkRequest::new(1, Operation::send(&[7; 4000]))).unwrap();
        let mut lengths = Vec::new();
        while let Some(Transmit::Bytes(segment)) = pipe.sides[0].poll_transmit(client) {
            lengths.push(segment.len());
            pipe.sides[0].reuse(client, segment);
        }
        // Full but for the last, as RFC 5044 section 4.5 has it.
        assert!(lengths.iter().rev().skip(1).all(|it| *it == emss), "{emss}: {lengths:?}");
        assert!(lengths.iter().all(|it| *it <= emss), "{emss}: {lengths:?}");
    }
}
