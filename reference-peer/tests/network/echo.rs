//! A message there and back.

use crate::prelude::*;
use warpscope_peer::setup::{SetupConfig, SetupRevision};

/// Sends one message on each of several streams, and closes once it is back.
pub(crate) fn client(
    host: &mut Host,
    address: SocketAddr,
    config: &Config,
    streams: usize,
) -> usize {
    exchange(host, address, config, streams, |host, number, _| host.streams().finish(number))
}

/// The same with something else to do when a message is back: on which stream, and the how manieth.
pub(crate) fn exchange(
    host: &mut Host,
    address: SocketAddr,
    config: &Config,
    streams: usize,
    mut is_back: impl FnMut(&mut Host, u64, usize),
) -> usize {
    for _ in 0..streams {
        host.streams().connect(address, config.clone(), true);
    }
    let (mut back, mut closed, mut opened) = (0, 0, streams);
    let mut other = Vec::new();
    while closed < opened {
        let Some((number, event)) = host.wait(PATIENCE).unwrap() else {
            panic!("{closed} of {opened} streams closed, {back} answers; {other:?}")
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
                    is_back(host, number, back);
                }
            }
            StreamEvent::FellBack(_) => opened += 1,
            StreamEvent::Closed => closed += 1,
            event if back < streams => other.push((number, event)),
            _ => {}
        }
    }
    assert_eq!(host.streams().count(), 0);
    back
}

#[test]
fn a_peer_of_revision_one_is_asked_again() {
    let server = Server::start_with(HostOptions::default(), config());
    let asking = Config { setup: SetupConfig::enhanced(), ..config() };
    assert_eq!(config().setup.revision, SetupRevision::One);
    assert_eq!(client(&mut host(2), server.address, &asking, 3), 3);
    server.seen.until("two connections for each", |it| it.closed.load(Ordering::Relaxed) == 6);
    server.end();
}
