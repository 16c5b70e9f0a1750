//! A message there and back.

use crate::{LOOPBACK, config, host};
use std::net::SocketAddr;
use std::time::Duration;
use warpscope_peer::connection::{Config, Event};
use warpscope_peer::network::Host;
use warpscope_peer::setup::{SetupConfig, SetupRevision};
use warpscope_peer::streams::StreamEvent;
use warpscope_peer::work::{Operation, Outcome, WorkRequest};

/// Answers every message with itself until all streams have come and gone.
fn echo(mut host: Host, streams: usize) {
    let mut closed = 0;
    while closed < streams {
        let Some((number, event)) = host.wait(Duration::from_secs(30)).unwrap() else {
            panic!("{closed} of {streams} streams closed")
        };
        match event {
            StreamEvent::Event(Event::Established(_)) => {
                host.streams().post_receive(number, 0, 4096).unwrap();
            }
            StreamEvent::Completion(done) => {
                if let Ok(Outcome::Received(got)) = done.result {
                    host.streams().post_receive(number, 0, 4096).unwrap();
                    let answer = WorkRequest::new(0, Operation::send(&got.bytes));
                    host.streams().post(number, answer).unwrap();
                }
            }
            StreamEvent::Event(Event::FinishReceived) => host.streams().finish(number),
            StreamEvent::Closed => closed += 1,
            _ => {}
        }
    }
}

/// Sends one message on each of several streams, and closes once it is back.
pub(crate) fn client(
    host: &mut Host,
    address: SocketAddr,
    config: &Config,
    streams: usize,
) -> usize {
    for _ in 0..streams {
        host.streams().connect(address, config.clone(), true);
    }
    let (mut back, mut closed, mut opened) = (0, 0, streams);
    while closed < opened {
        let Some((number, event)) = host.wait(Duration::from_secs(30)).unwrap() else {
            panic!("{closed} of {opened} streams closed, {back} answers")
        };
        match event {
            StreamEvent::Event(Event::Established(_)) => {
                let message = number.to_be_bytes();
                host.streams().post_receive(number, 1, 4096).unwrap();
                let request = WorkRequest::new(2, Operation::send(&message));
                host.streams().post(number, request).unwrap();
            }
            StreamEvent::Completion(done) => {
                if let Ok(Outcome::Received(got)) = done.result {
                    assert_eq!(got.bytes, number.to_be_bytes());
                    back += 1;
                    host.streams().finish(number);
                }
            }
            StreamEvent::FellBack(_) => opened += 1,
            StreamEvent::Closed => closed += 1,
            _ => {}
        }
    }
    assert_eq!(host.streams().count(), 0);
    back
}

fn exchange(listening: Config, asking: &Config, streams: usize, tries: usize) {
    let mut server = host(1);
    let address = server.listen(LOOPBACK, listening).unwrap();
    let there = std::thread::spawn(move || echo(server, streams * tries));
    let back = client(&mut host(2), address, asking, streams);
    assert_eq!(back, streams);
    there.join().unwrap();
}

#[test]
fn a_message_comes_back_on_every_stream() {
    exchange(config(), &config(), 100, 1);
}

#[test]
fn a_peer_of_revision_one_is_asked_again() {
    let asking = Config { setup: SetupConfig::enhanced(), ..config() };
    assert_eq!(config().setup.revision, SetupRevision::One);
    exchange(config(), &asking, 3, 2);
}

#[test]
fn nobody_there_is_an_event() {
    let taken = std::net::TcpListener::bind(LOOPBACK).unwrap();
    let address = taken.local_addr().unwrap();
    drop(taken);
    assert_eq!(client(&mut host(3), address, &config(), 2), 0);
}
