//! Clients and servers in a pipe, and messages that rping sends.

use super::{Advertisement, PingPong, PingPongOptions, data};
use crate::connection::Event;
use crate::memory::{Registration, Rights};
use crate::service::program::tests::{ADDRESS, config, converse, pipe, run_against};
use crate::streams::{Service, StreamEvent, Streams};
use crate::work::{Operation, Outcome, RemoteBuffer, WorkRequest};
use std::time::Duration;

fn client(size: u32, count: Option<u64>, pause: Duration) -> PingPong {
    PingPong::new(PingPongOptions { size, count, pause })
}

fn run(size: u32, count: u64) -> [Vec<String>; 2] {
    let mut pipe = pipe(&config());
    pipe.sides[0].connect(ADDRESS, config(), false);
    let mut client = client(size, Some(count), Duration::ZERO);
    let mut server = PingPong::default();
    pipe.run(&mut [&mut client, &mut server]);
    assert_eq!(client.failure(), None);
    assert!(client.is_done(&pipe.sides[0]));
    assert!(!server.is_done(&pipe.sides[1]));
    assert_eq!(pipe.sides.each_ref().map(Streams::count), [0, 0]);
    [client.summary(), server.summary()]
}

/// The first bytes as rping prints them, the last one NUL.
#[test]
fn the_data_is_that_of_rping() {
    assert_eq!(data(0, 20), b"rdma-ping-0: ABCDEF\0");
    assert_eq!(data(1, 20), b"rdma-ping-1: BCDEFG\0");
    assert_eq!(data(10, 20), b"rdma-ping-10: KLMNO\0");
    // 'z' is the last letter; the start comes round after 58 pings.
    assert_eq!(data(57, 20), b"rdma-ping-57: zABCD\0");
    assert_eq!(data(58, 20), b"rdma-ping-58: ABCDE\0");
    assert_eq!(data(3, 5), b"rdma\0");
    assert_eq!(data(3, 0), b"");
}

/// What `rping -c -d` prints and sends: "RDMA addr 5596f6bfd010 rkey 1a2b3c len 64".
#[test]
fn an_advertisement_is_offset_tag_and_length() {
    let bytes = [0, 0, 0x55, 0x96, 0xf6, 0xbf, 0xd0, 0x10, 0, 0x1a, 0x2b, 0x3c, 0, 0, 0, 64];
    let buffer = RemoteBuffer { steering_tag: 0x001a_2b3c, tagged_offset: 0x5596_f6bf_d010 };
    let advertisement = Advertisement { buffer, length: 64 };
    assert_eq!(Advertisement::parse(&bytes), Some(advertisement));
    assert_eq!(advertisement.bytes(), bytes);
    assert_eq!(Advertisement::parse(&bytes[..15]), None);
    assert_eq!(Advertisement::parse(&[0; 17]), None);
}

#[test]
fn rounds_of_every_size_come_back() {
    for size in [0, 1, 16, 64, 1461, 4096, 65535, 1 << 20] {
        let [client, server] = run(size, 3);
        assert!(client[0].starts_with(&format!("3 rounds of {size} byte")), "{client:?}");
        assert_eq!(server, ["3 rounds served on 1 stream"]);
    }
}

#[test]
fn a_client_ends_when_it_is_stopped() {
    let mut pipe = pipe(&config());
    pipe.sides[0].connect(ADDRESS, config(), false);
    let mut client = client(64, None, Duration::ZERO);
    let mut server = PingPong::default();
    for _ in 0..100 {
        pipe.carry();
        for (side, service) in [&mut client, &mut server].into_iter().enumerate() {
            while let Some((number, event)) = pipe.poll(side) {
                service.handle(&mut pipe.sides[side], number, event);
            }
        }
    }
    client.stop(&mut pipe.sides[0]);
    pipe.run(&mut [&mut client, &mut server]);
    assert_eq!((client.failure(), client.is_done(&pipe.sides[0])), (None, true));
    assert!(server.summary()[0].ends_with("rounds served on 1 stream"));
}

#[test]
fn a_client_that_does_not_speak_as_rping_is_shown_out() {
    let buffer = RemoteBuffer { steering_tag: 1, tagged_offset: 0 };
    let long = Advertisement { buffer, length: super::LONGEST + 1 }.bytes();
    for message in [vec![0; 15], long] {
        let mut server = PingPong::default();
        let events = converse(&config(), &mut server, &[message]);
        assert!(events.contains(&StreamEvent::Event(Event::FinishReceived)), "{events:?}");
        assert!(server.summary().contains(&"1 stream of clients failed".to_string()));
        // What clients do wrong is no failure of the server's.
        assert_eq!(server.failure(), None);
    }
}

/// The order of rping's server: it reads, says so, writes, says so.
#[test]
fn a_server_does_what_that_of_rping_does() {
    let mut pipe = pipe(&config());
    let number = pipe.sides[0].connect(ADDRESS, config(), false);
    let mut server = PingPong::default();
    let memory = pipe.sides[0].memory();
    let source = Registration::stream(number, Rights::READ);
    let source = memory.register(b"rdma-ping-0: AB\0".to_vec(), source).unwrap();
    let sink = Registration::stream(number, Rights::WRITE).based_at(0x7000);
    let sink = memory.register(vec![1; 16], sink).unwrap();
    let advertise = |steering_tag, tagged_offset| {
        let buffer = RemoteBuffer { steering_tag, tagged_offset };
        let bytes = Advertisement { buffer, length: 16 }.bytes();
        WorkRequest::new(7, Operation::send(&bytes))
    };
    let mut go_aheads = 0;
    let peer = |streams: &mut Streams, _, event| match event {
        StreamEvent::Event(Event::Established(_)) => {
            streams.post_receive(number, 0, 16).unwrap();
            streams.post_receive(number, 0, 16).unwrap();
            streams.post(number, advertise(source, 0)).unwrap();
        }
        StreamEvent::Completion(done) => {
            let Ok(Outcome::Received(received)) = done.result else { return };
            assert_eq!(received.bytes.len(), 16);
            go_aheads += 1;
            let sunk = streams.memory().bytes(sink).unwrap().to_vec();
            if go_aheads == 1 {
                assert_eq!(sunk, [1; 16]);
                streams.post(number, advertise(sink, 0x7000)).unwrap();
            } else {
                assert_eq!(sunk, b"rdma-ping-0: AB\0");
                streams.finish(number);
            }
        }
        _ => {}
    };
    run_against(&mut pipe, &mut server, peer, |_| false);
    assert_eq!(go_aheads, 2);
    assert_eq!(server.summary(), ["1 round served on 1 stream"]);
    assert_eq!(pipe.sides[1].count(), 0);
}

#[test]
fn a_client_pauses_before_each_round() {
    let mut pipe = pipe(&config());
    pipe.sides[0].connect(ADDRESS, config(), false);
    let pause = Duration::from_millis(100);
    let mut client = client(64, Some(3), pause);
    let mut server = PingPong::default();
    for round in 0..3 {
        pipe.run(&mut [&mut client, &mut server]);
        assert!(client.summary()[0].starts_with(&format!("{round} round")));
        assert_eq!(client.poll_timeout(), Some(pause * (round + 1)));
        pipe.set_now(pause * (round + 1));
        client.handle_timeout(&mut pipe.sides[0]);
    }
    pipe.run(&mut [&mut client, &mut server]);
    assert_eq!((client.poll_timeout(), client.is_done(&pipe.sides[0])), (None, true));
    assert!(client.summary()[0].starts_with("3 rounds"));
}
