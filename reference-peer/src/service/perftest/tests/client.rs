//! The client, against our server, and against servers that do otherwise.

use super::super::messages::{check_version, version};
use super::super::{
    Destination, Perftest, PerftestClient, PerftestClientOptions, PerftestKind, PerftestOptions,
};
use crate::connection::{Config, Event, SetupFailure};
use crate::memory::{Registration, Rights};
use crate::service::program::Stream;
use crate::service::program::tests::{ADDRESS, config, pipe, run_against};
use crate::setup::SetupConfig;
use crate::streams::{Pipe, Service, StreamEvent, Streams};
use crate::work::{Outcome, RemoteBuffer};
use std::time::Duration;

const KINDS: [PerftestKind; 3] = [PerftestKind::Write, PerftestKind::Read, PerftestKind::Send];

fn enhanced() -> Config {
    Config { setup: SetupConfig { ord: 4, ..SetupConfig::enhanced() }, ..config() }
}

fn options(kind: PerftestKind) -> PerftestClientOptions {
    let (size, count) = (3000, 100);
    PerftestClientOptions { kind, size, count, ..PerftestClientOptions::new(ADDRESS) }
}

/// A client on side 0 that has asked for its control stream.
fn asked(options: PerftestClientOptions, config: &Config) -> (Pipe, PerftestClient) {
    let mut pipe = pipe(config);
    pipe.sides[0].connect(ADDRESS, config.clone(), false);
    (pipe, PerftestClient::new(options))
}

/// Lets a client do what it waits for, until it is done.
fn wait(pipe: &mut Pipe, client: &mut PerftestClient, other: &mut dyn Service) {
    for _ in 0..10_000 {
        pipe.run(&mut [client, other]);
        if client.is_done(&pipe.sides[0]) {
            return;
        }
        pipe.set_now(client.poll_timeout().unwrap());
        client.handle_timeout(&mut pipe.sides[0]);
    }
    panic!("{client:?}");
}

#[test]
fn every_test_goes_to_our_server_on_one_and_two_queue_pairs() {
    for kind in KINDS {
        for queue_pairs in [1, 2] {
            for (size, count, depth, window, pause) in [
                (0, 1, 512, 128, 0),
                (64, 5, 512, 1, 20),
                (3000, 100, 9, 7, 0),
                (5, 2000, 512, 128, 0),
            ] {
                let pause = Duration::from_millis(pause);
                let given = PerftestClientOptions::new(ADDRESS);
                let options = PerftestClientOptions {
                    kind,
                    size,
                    count,
                    queue_pairs,
                    window,
                    depth,
                    pause,
                    ..given
                };
                let (mut pipe, mut client) = asked(options, &enhanced());
                let mut server = Perftest::new(PerftestOptions { room: 4096, receives: 512 });
                wait(&mut pipe, &mut client, &mut server);
                assert_eq!(client.failure(), None, "{options:?}");
                assert_eq!(pipe.sides.each_ref().map(Streams::count), [0, 0]);
                let all = count * queue_pairs as u64;
                let done = ["wrote", "read", "sent"][kind as usize];
                let one = |count: u64| if count == 1 { "" } else { "s" };
                let bytes = all * u64::from(size);
                let words = format!(
                    "{done} on {queue_pairs} queue pair{}: {all} message{}, {bytes} byte{} in ",
                    one(queue_pairs as u64),
                    one(all),
                    one(bytes),
                );
                assert!(client.summary()[0].starts_with(&words), "{:?}: {words}", client.summary());
                let sends = if kind == PerftestKind::Send { all } else { 0 };
                assert!(
                    server.summary()[0].contains(&format!(": {sends} Send")),
                    "{:?}",
                    server.summary()
                );
            }
        }
    }
}

/// A server by hand: it answers with what it got, but for the memory that it names, and posts so many
/// receives on a queue pair.
struct ManualServer {
    control: Option<u64>,
    queues: Vec<u64>,
    heard: Vec<Vec<u8>>,
    /// What is answered instead of the message of this number.
    instead: Option<(usize, Vec<u8>)>,
    /// Steering Tag of the memory.
    tag: u32,
    receives: usize,
    received: usize,
}

impl ManualServer {
    fn new(receives: usize) -> Self {
        let (queues, heard) = (Vec::new(), Vec::new());
        Self { control: None, queues, heard, instead: None, tag: 0, receives, received: 0 }
    }

    fn takes(&mut self, streams: &mut Streams, number: u64, event: StreamEvent) {
        match event {
            StreamEvent::Event(Event::Established(_)) if self.control.is_none() => {
                self.control = Some(number);
                let region = Registration::shared(1, Rights::READ | Rights::WRITE);
                self.tag = streams.memory().register(vec![0; 4096], region).unwrap();
                Stream { streams, number }.receive(40, 256).unwrap();
            }
            StreamEvent::Event(Event::Established(_)) => {
                self.queues.push(number);
                Stream { streams, number }.receive(self.receives, 4096).unwrap();
            }
            StreamEvent::Completion(done) => match done.result {
                Ok(Outcome::Received(got)) if self.control == Some(number) => {
                    self.heard.push(got.bytes.clone());
                    let buffer = RemoteBuffer { steering_tag: self.tag, tagged_offset: 0 };
                    let named = Destination::parse(&got.bytes).map(|it| it.with(7, buffer));
                    let usual = named.map_or(got.bytes, |it| it.bytes().to_vec());
                    let turn = self.heard.len() - 1;
                    let instead = self.instead.clone().filter(|(which, _)| *which == turn);
                    let answer = instead.map_or(usual, |(_, bytes)| bytes);
                    Stream { streams, number }.send(&answer).unwrap();
                }
                Ok(Outcome::Received(_)) => self.received += 1,
                _ => {}
            },
            StreamEvent::Event(Event::FinishReceived) => streams.finish(number),
            _ => {}
        }
    }

    /// Runs a client on side 1 until nothing moves.
    fn run(&mut self, pipe: &mut Pipe, client: &mut PerftestClient) {
        run_against(
            pipe,
            client,
            |streams, number, event| self.takes(streams, number, event),
            |_| false,
        );
    }

    fn asked(options: PerftestClientOptions) -> (Pipe, PerftestClient) {
        let mut pipe = pipe(&enhanced());
        pipe.sides[1].connect(ADDRESS, enhanced(), false);
        (pipe, PerftestClient::new(options))
    }
}

/// What a capture of perftest 4.5 has, message by message: frames 953 to 1010 and 2998 to 3051 of
/// b2-perftest-crc, with one queue pair.
#[test]
fn the_messages_are_those_of_perftest() {
    let (mut pipe, mut client) = ManualServer::asked(options(PerftestKind::Write));
    let mut server = ManualServer::new(0);
    server.run(&mut pipe, &mut client);
    let lengths: Vec<usize> = server.heard.iter().map(Vec::len).collect();
    assert_eq!(lengths, [16, 4, 4, 2, 56, 56, 56, 56, 56, 56, 8, 8, 8, 8, 8, 56]);
    assert_eq!(&server.heard[0][..5], b"6.06\0");
    assert_eq!(server.heard[1..4], [vec![0, 0, 0x10, 0], vec![0, 0, 0, 0x40], b"3\0".to_vec()]);
    assert_eq!(server.heard[4..6], [vec![0; 56], vec![0; 56]]);
    assert_eq!(server.heard[10..12], [3000_u64.to_be_bytes(), 100_u64.to_be_bytes()]);
    assert_eq!(client.failure(), None);
    let destination = &server.heard[6];
    assert!(server.heard[7..10].iter().all(|it| it == destination));
    assert_eq!(destination[..8], [0, 0, 0, 0, 0, 0, 0, 1]);

    let (mut pipe, mut client) =
        ManualServer::asked(PerftestClientOptions { count: 5, ..options(PerftestKind::Send) });
    let mut server = ManualServer::new(5);
    server.run(&mut pipe, &mut client);
    let lengths: Vec<usize> = server.heard.iter().map(Vec::len).collect();
    assert_eq!(lengths, [16, 4, 4, 2, 56, 56, 56, 56, 56, 56, 56]);
    assert_eq!((server.received, client.failure()), (5, None));
    let two = PerftestClientOptions { queue_pairs: 2, ..options(PerftestKind::Read) };
    let (mut pipe, mut client) = ManualServer::asked(two);
    let mut server = ManualServer::new(0);
    server.run(&mut pipe, &mut client);
    let [first, second] = [&server.heard[6], &server.heard[7]];
    assert_ne!(first, second);
    // The ORD, and after each destination the first again.
    assert_eq!(first[..8], [0, 0, 0, 0, 0, 0, 0, 4]);
    assert_eq!(server.heard[8..12], [first.clone(), second.clone(), first.clone(), first.clone()]);
    assert_eq!(client.failure(), None);
}

/// A server with ten receives gives no credit: nine Sends come, as in the capture (frames 37 to 45).
#[test]
fn no_more_is_sent_than_the_server_has_receives_for() {
    for (depth, sent) in [(10, 9), (9, 9), (4, 3), (512, 99)] {
        let mut options = options(PerftestKind::Send);
        options.depth = depth;
        let (mut pipe, mut client) = ManualServer::asked(options);
        let mut server = ManualServer::new(100);
        server.run(&mut pipe, &mut client);
        assert_eq!((server.received, client.failure()), (sent, None), "{depth}");
        // Credit for two: two more, as soon as it is looked for.
        let named = Destination::parse(&server.heard[6]).unwrap().buffer().unwrap();
        pipe.sides[1]
            .memory()
            .bytes_mut(named.steering_tag)
            .unwrap()
            .copy_from_slice(&[2, 0, 0, 0]);
        let due = client.poll_timeout().unwrap();
        pipe.set_now(due);
        client.handle_timeout(&mut pipe.sides[1]);
        server.run(&mut pipe, &mut client);
        assert_eq!((server.received, client.failure()), ((sent + 2).min(100), None), "{depth}");
    }
}

/// What a client says of a server that does this while the data goes.
fn failure_of(kind: PerftestKind, act: impl Fn(&mut Streams, &ManualServer)) -> String {
    let mut options = options(kind);
    (options.queue_pairs, options.depth, options.pause) = (2, 10, Duration::from_millis(5));
    let (mut pipe, mut client) = ManualServer::asked(options);
    let mut server = ManualServer::new(9);
    server.run(&mut pipe, &mut client);
    let due = client.poll_timeout().unwrap();
    assert_eq!(due, Duration::from_millis(5));
    pipe.set_now(due);
    client.handle_timeout(&mut pipe.sides[1]);
    server.run(&mut pipe, &mut client);
    act(&mut pipe.sides[0], &server);
    server.run(&mut pipe, &mut client);
    for _ in 0..100_000 {
        if client.is_done(&pipe.sides[1]) {
            break;
        }
        pipe.set_now(client.poll_timeout().unwrap());
        client.handle_timeout(&mut pipe.sides[1]);
        server.run(&mut pipe, &mut client);
    }
    client.failure().unwrap()
}

#[test]
fn a_server_that_fails_amid_the_test_is_told() {
    let send = PerftestKind::Send;
    assert_eq!(
        failure_of(send, |streams, server| streams.finish(server.queues[1])),
        "queue pair 2 of 2: the server closed it in the middle of the test, after 18 of 200 messages"
    );
    assert_eq!(
        failure_of(send, |streams, server| streams.abort(server.queues[0])),
        "queue pair 1 of 2: the connection was lost, after 18 of 200 messages"
    );
    assert_eq!(
        failure_of(send, |streams, server| streams.finish(server.control.unwrap())),
        "control stream: the server closed it in the middle of the test, after 18 of 200 messages"
    );
    let silent = "control stream: nothing completed in 60 s: are size, number and queue pairs the \
                  same on both sides?, after 18 of 200 messages";
    assert_eq!(failure_of(send, |_, _| {}), silent);
    let message = |streams: &mut Streams, server: &ManualServer| {
        Stream { streams, number: server.queues[0] }.send(b"?").unwrap();
    };
    assert!(failure_of(send, message).starts_with("queue pair 1 of 2: "));
    let answer = |streams: &mut Streams, server: &ManualServer| {
        Stream { streams, number: server.control.unwrap() }.send(b"?").unwrap();
    };
    assert!(
        failure_of(send, answer)
            .starts_with("control stream: the server sent a message that answers nothing")
    );
}

#[test]
fn answers_that_are_none_are_told() {
    for (turn, bytes, words) in [
        (
            0,
            b"5.33\0\0\0\0\0\0\0\0\0\0\0\0".to_vec(),
            "control stream: the server runs perftest 5.33; 5.70 or later is needed",
        ),
        (0, vec![0xff; 16], "control stream: the server runs perftest "),
        (2, vec![0; 8], "control stream: the server answered with 8 bytes; expected 4"),
        (3, vec![], "control stream: the server answered with 0 bytes; expected 2"),
        (9, vec![0; 55], "control stream: the server answered with 55 bytes; expected 56"),
    ] {
        let (mut pipe, mut client) = ManualServer::asked(options(PerftestKind::Write));
        let mut server = ManualServer { instead: Some((turn, bytes)), ..ManualServer::new(0) };
        server.run(&mut pipe, &mut client);
        let failure = client.failure().unwrap();
        assert!(failure.starts_with(words), "{failure}");
        assert!(client.is_done(&pipe.sides[1]));
    }
    // A server without memory in its answers.
    for kind in [PerftestKind::Write, PerftestKind::Read] {
        let (mut pipe, mut client) = ManualServer::asked(options(kind));
        let mut server = ManualServer::new(0);
        server.instead = Some((6, vec![0; 56]));
        server.run(&mut pipe, &mut client);
        // It is named again later, and once is enough.
        assert_eq!(client.failure(), None);
    }
    assert_eq!(check_version(&version()), Ok(()));
    assert_eq!(check_version(b"6.29\0"), Ok(()));
    assert_eq!(check_version(b""), Err(String::new()));
}

/// Credit that was never earned.
#[test]
fn too_much_credit_is_told() {
    let failure = failure_of(PerftestKind::Send, |streams, server| {
        let named = Destination::parse(&server.heard[6]).unwrap().buffer().unwrap();
        let source = 77_u32.to_le_bytes()[..].into();
        let write = crate::work::Operation::Write { source, remote: named };
        Stream { streams, number: server.queues[0] }.post(0, write).unwrap();
    });
    assert!(failure.contains("credit for 77 of 9 messages"), "{failure}");
}

/// Where no Reads were agreed on, none can be measured.
#[test]
fn reads_need_an_ord() {
    let none = Config { setup: SetupConfig { ord: 0, ..SetupConfig::enhanced() }, ..config() };
    let (mut pipe, mut client) = asked(options(PerftestKind::Read), &none);
    let mut server = Perftest::default();
    wait(&mut pipe, &mut client, &mut server);
    assert!(client.failure().unwrap().contains("the ORD is 0"), "{:?}", client.failure());
}

/// A server listens for the queue pairs after it has answered: they are tried again.
#[test]
fn a_queue_pair_is_tried_again() {
    let (mut pipe, mut client) = ManualServer::asked(options(PerftestKind::Write));
    let mut server = ManualServer::new(0);
    let mut refused = 0;
    while !client.is_done(&pipe.sides[1]) {
        if server.heard.len() >= 5
            && refused < 3
            && let Some((number, _)) = pipe.sides[1].poll_connect()
        {
            refused += 1;
            pipe.sides[1].not_connected(number, std::io::ErrorKind::ConnectionRefused);
            pipe.sides[1].remove(number);
        }
        let mut busy = pipe.carry();
        while let Some((number, event)) = pipe.poll(1) {
            if let StreamEvent::Event(event) = &event {
                let lost = matches!(
                    event,
                    Event::SetupFailed {
                        failure: SetupFailure::Lost | SetupFailure::NotConnected(_),
                        ..
                    }
                );
                assert_eq!(client.tries_again(number, event), lost);
            }
            client.handle(&mut pipe.sides[1], number, event);
            busy = true;
        }
        while let Some((number, event)) = pipe.poll(0) {
            server.takes(&mut pipe.sides[0], number, event);
            busy = true;
        }
        if !busy {
            let due = client.poll_timeout().unwrap();
            pipe.set_now(due);
            client.handle_timeout(&mut pipe.sides[1]);
        }
    }
    assert_eq!((refused, server.queues.len(), client.failure()), (3, 1, None));
    // Three times, and control is kept open a little.
    assert_eq!(pipe.sides[1].now(), Duration::from_millis(400));
}
