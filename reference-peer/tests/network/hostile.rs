//! Peers that are slow, silent or gone, beside peers that want to work.

use crate::echo::client;
use crate::prelude::*;
use crate::raw::is_closed_within;
use crate::server::SHARED;
use socket2::{Domain, SockRef, Socket, Type};
use std::net::Shutdown;
use warpscope_peer::connection::Ending;
use warpscope_wire::mpa::append_fpdu;

/// A few streams that do nothing wrong get their answers.
fn good_streams_work(server: &Server) {
    assert_eq!(client(&mut host(9), server.address, &config(), 3), 3);
}

/// An FPDU whose CRC is wrong.
const WRONG: [u8; 24] = [0; 24];

#[test]
fn slow_setup_frames_are_given_up() {
    let server = Server::start(HostOptions::default());
    let mut slow: Vec<Raw> = (0..30).map(|_| Raw::connect(server.address)).collect();
    let frames: Vec<Vec<u8>> = slow.iter_mut().map(Raw::bytes).collect();
    // A third is silent, a third stops midway, a third goes on, a byte at a time: the whole frame
    // takes longer than the setup may.
    for step in 0..16 {
        for (index, (raw, frame)) in slow.iter_mut().zip(&frames).enumerate() {
            let last = [0, 9, frame.len() - 1][index % 3];
            if step < last {
                // It may be closed by now.
                let _ = raw.tcp.write_all(&frame[step..=step]);
            }
        }
        std::thread::sleep(Duration::from_millis(150));
        if step % 4 == 0 {
            good_streams_work(&server);
        }
    }
    for raw in &mut slow {
        assert!(is_closed_within(&mut raw.tcp, PATIENCE));
    }
    // They keep their sockets open, and still are gone.
    server.seen.until_none();
    assert_eq!(server.seen.established.load(Ordering::Relaxed), 4 * 3);
    server.end();
}

#[test]
fn fpdus_may_come_byte_by_byte_and_must_come_whole() {
    let server = Server::start(HostOptions::default());
    let mut slow = Raw::connect(server.address);
    slow.drip(Duration::from_millis(1));
    slow.feed(|it| it.agreement().is_some());
    slow.post_send(b"slow");
    slow.drip(Duration::from_millis(1));
    let mut completions = 0;
    slow.feed(|it| {
        completions += std::iter::from_fn(|| it.poll_completion()).count();
        completions == 2
    });
    slow.post_send(b"slower");
    let fpdu = slow.bytes();
    slow.tcp.write_all(&fpdu[..fpdu.len() / 2]).unwrap();
    good_streams_work(&server);
    assert_eq!(server.seen.refused.load(Ordering::Relaxed), 0);
    // RFC 5044 section 8: the end of the stream within an FPDU is an error.
    slow.tcp.shutdown(Shutdown::Write).unwrap();
    server.seen.until("an error", |it| it.refused.load(Ordering::Relaxed) == 1);
    assert!(is_closed_within(&mut slow.tcp, PATIENCE));
    server.seen.until_none();
    server.end();
}

#[test]
fn resets_at_any_point_leave_nothing() {
    let server = Server::start(HostOptions::default());
    for round in 0..60 {
        let mut raw = Raw::connect(server.address);
        match round % 6 {
            0 => {}
            1 => {
                let request = raw.bytes();
                raw.tcp.write_all(&request[..7]).unwrap();
            }
            2 => raw.send(),
            3 => raw.establish(),
            4 => {
                raw.establish();
                raw.post_send(b"cut");
                let fpdu = raw.bytes();
                raw.tcp.write_all(&fpdu[..5]).unwrap();
            }
            _ => {
                raw.establish();
                raw.post_read(server.shared, SHARED as u32);
                raw.send();
            }
        }
        SockRef::from(&raw.tcp).set_linger(Some(Duration::ZERO)).unwrap();
    }
    good_streams_work(&server);
    server.seen.until_none();
    server.end();
}

/// RFC 5040 section 6.2: who terminates does not wait for the other for ever.
#[test]
fn a_peer_that_does_not_close_behind_a_terminate_is_dropped() {
    let server = Server::start(HostOptions::default());
    let mut silent = Raw::connect(server.address);
    silent.establish();
    silent.tcp.write_all(&WRONG).unwrap();
    server.seen.until("an error", |it| it.refused.load(Ordering::Relaxed) == 1);
    let since = Instant::now();
    server.seen.until_none();
    assert!(since.elapsed() < Duration::from_secs(10));
    good_streams_work(&server);
    server.end();
    drop(silent);
}

/// A TCP connection with little room for what comes.
fn narrow(address: SocketAddr) -> TcpStream {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    socket.set_recv_buffer_size(4096).unwrap();
    socket.connect(&address.into()).unwrap();
    socket.into()
}

/// A peer that asks for much and never reads.
pub(crate) fn never_reads(server: &Server) -> Raw {
    let mut raw = Raw::over(narrow(server.address));
    raw.establish();
    for _ in 0..16 {
        raw.post_read(server.shared, SHARED as u32);
    }
    raw.send();
    raw
}

#[test]
fn peers_that_never_read_hold_up_nobody_and_cannot_stay_behind_an_error() {
    let server = Server::start(HostOptions::default());
    let mut deaf: Vec<Raw> = (0..16).map(|_| never_reads(&server)).collect();
    for _ in 0..5 {
        good_streams_work(&server);
    }
    // Half of them make a mistake: no Terminate reaches them, and still they are dropped.
    for raw in deaf.iter_mut().take(8) {
        raw.tcp.write_all(&WRONG).unwrap();
    }
    server.seen.until("half of them", |it| it.streams.load(Ordering::Relaxed) == 8);
    good_streams_work(&server);
    // The others do nothing that is forbidden; they go when the server does.
    server.end();
}

/// A Terminate for a local catastrophic error: layer, type and code are 0.
const TERMINATE: [u8; 22] =
    [0x41, 0x47, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0];

/// RFC 5040 section 5.4: a Terminate is delivered. Here the connection is reset directly after it, and
/// this side learns of that while it sends.
#[test]
fn a_terminate_before_a_reset_is_delivered() {
    let mut host = host(8);
    let shared = Registration::shared(config().accessor.protection_domain, Rights::READ);
    let shared = host.streams().memory().register(vec![7; SHARED], shared).unwrap();
    let address = host.listen(LOOPBACK, Config { role: Role::Responder, ..config() }).unwrap();
    let mut raw = Raw::over(narrow(address));
    raw.send();
    loop {
        let (_, event) = host.wait(PATIENCE).unwrap().expect("no setup");
        if matches!(event, StreamEvent::Event(Event::Established(_))) {
            break;
        }
    }
    raw.feed(|it| it.agreement().is_some());
    for _ in 0..16 {
        raw.post_read(shared, SHARED as u32);
    }
    raw.send();
    // Until TCP takes no more of the responses.
    while host.wait(Duration::from_millis(200)).unwrap().is_some() {}
    let mut fpdu = Vec::new();
    append_fpdu(&mut fpdu, None, &[&TERMINATE], true).unwrap();
    raw.tcp.write_all(&fpdu).unwrap();
    // TCP resets a connection that is closed with bytes that nobody has read.
    drop(raw);
    let mut events = Vec::new();
    while host.streams().count() > 0 {
        let (_, event) = host.wait(PATIENCE).unwrap().expect("no end");
        events.push(event);
    }
    let told = |it: &StreamEvent| matches!(it, StreamEvent::Event(Event::TerminateReceived(_)));
    assert!(events.iter().any(told), "{events:?}");
    let ended = StreamEvent::Event(Event::Ended(Ending::RemoteTerminate));
    assert!(events.contains(&ended), "{events:?}");
}

#[test]
fn peers_that_never_answer_are_given_up() {
    let mute = std::net::TcpListener::bind(LOOPBACK).unwrap();
    let address = mute.local_addr().unwrap();
    let config = Config { setup_timeout: Duration::from_millis(300), ..config() };
    assert_eq!(client(&mut host(4), address, &config, 20), 0);
}

#[test]
fn a_host_that_stood_still_takes_what_came_before_it_gives_up() {
    let setup_timeout = Duration::from_secs(1);
    let config = Config { role: Role::Responder, setup_timeout, ..config() };
    let mut host = host(8);
    let address = host.listen(LOOPBACK, config).unwrap();
    let mut raw = Raw::connect(address);
    while host.streams().count() == 0 {
        assert_eq!(host.wait(Duration::from_millis(10)).unwrap(), None);
    }
    raw.send();
    std::thread::sleep(setup_timeout + Duration::from_millis(100));
    let event = host.wait(PATIENCE).unwrap();
    assert!(matches!(event, Some((_, StreamEvent::Event(Event::Requested(_))))), "{event:?}");
}

#[test]
fn many_connections_to_nobody_all_fail() {
    let taken = std::net::TcpListener::bind(LOOPBACK).unwrap();
    let address = taken.local_addr().unwrap();
    drop(taken);
    assert_eq!(client(&mut host(5), address, &config(), 300), 0);
}

#[test]
fn a_storm_of_connections_passes() {
    let server = Server::start(HostOptions::default());
    for round in 0..500 {
        let tcp = TcpStream::connect(server.address).unwrap();
        match round % 3 {
            0 => SockRef::from(&tcp).set_linger(Some(Duration::ZERO)).unwrap(),
            1 => tcp.shutdown(Shutdown::Write).unwrap(),
            _ => (&tcp).write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap(),
        }
        if round % 100 == 0 {
            good_streams_work(&server);
        }
    }
    good_streams_work(&server);
    server.seen.until_none();
    server.end();
}

#[test]
fn more_streams_than_may_be_wait_for_their_turn() {
    let options = HostOptions { most_streams: 4, ..HostOptions::default() };
    let server = Server::start(options);
    let answers = client(&mut host(6), server.address, &config(), 40);
    assert_eq!(answers, 40);
    server.seen.until("all to be gone", |it| it.closed.load(Ordering::Relaxed) == 40);
    assert!(server.seen.most.load(Ordering::Relaxed) <= 4, "{:?}", server.seen);
    server.end();
}
