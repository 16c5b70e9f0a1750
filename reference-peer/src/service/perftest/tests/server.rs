//! The server, against a client by hand that says what perftest 4.5 was seen to say.

use super::super::{Destination, Perftest, PerftestOptions};
use crate::connection::Event;
use crate::memory::{Registration, Rights};
use crate::service::program::tests::{ADDRESS, config, pipe, run_against};
use crate::streams::{Pipe, Service, StreamEvent, Streams};
use crate::work::{LocalBuffer, Operation, Outcome, RemoteBuffer, WorkRequest};
use std::time::Duration;

/// A server, and what a client has received.
struct Bench {
    pipe: Pipe,
    server: Perftest,
    received: Vec<(u64, Vec<u8>)>,
    events: Vec<(u64, StreamEvent)>,
}

impl Bench {
    fn new() -> Self {
        let server = Perftest::new(PerftestOptions { room: 4096, receives: 8 });
        Self { pipe: pipe(&config()), server, received: Vec::new(), events: Vec::new() }
    }

    fn run(&mut self) {
        let peer = |_: &mut Streams, number, event| {
            if let StreamEvent::Completion(done) = &event
                && let Ok(Outcome::Received(received)) = &done.result
            {
                self.received.push((number, received.bytes.clone()));
            }
            self.events.push((number, event));
        };
        run_against(&mut self.pipe, &mut self.server, peer, |_| false);
    }

    fn open(&mut self) -> u64 {
        let number = self.pipe.sides[0].connect(ADDRESS, config(), false);
        self.run();
        number
    }

    /// Sends a message on the control stream; returns the answer.
    fn ask(&mut self, control: u64, bytes: &[u8]) -> Vec<u8> {
        self.pipe.sides[0].post_receive(control, 0, 256).unwrap();
        self.post(control, Operation::send(bytes));
        let (number, answer) = self.received.pop().unwrap();
        assert_eq!(number, control);
        answer
    }

    fn post(&mut self, number: u64, operation: Operation) {
        self.pipe.sides[0].post(number, WorkRequest::new(7, operation)).unwrap();
        self.run();
    }
}

/// A destination as a client sent it: queue pair 2, PSN 0x2edfad, a tag, an address and a GID.
fn destination(tag: u32, address: u64) -> Vec<u8> {
    let mut bytes = vec![0; 56];
    bytes[4..8].copy_from_slice(&1_u32.to_be_bytes());
    bytes[8..12].copy_from_slice(&2_u32.to_be_bytes());
    bytes[12..16].copy_from_slice(&0x2e_dfad_u32.to_be_bytes());
    bytes[16..20].copy_from_slice(&tag.to_be_bytes());
    bytes[24..32].copy_from_slice(&address.to_be_bytes());
    bytes[32..38].copy_from_slice(&[0x52, 0x54, 0, 0x66, 0, 2]);
    bytes
}

fn begun(bench: &mut Bench) -> u64 {
    let control = bench.open();
    let mut version = b"6.06".to_vec();
    version.resize(16, 0);
    assert_eq!(bench.ask(control, &version), version);
    // Cycle buffer, cache line, and the number of the MTU as two bytes of text.
    for bytes in [&[0, 0, 0x10, 0][..], &[0, 0, 0, 0x40], b"3\0"] {
        assert_eq!(bench.ask(control, bytes), bytes);
    }
    assert_eq!(bench.ask(control, &[0; 56]).len(), 56);
    control
}

#[test]
fn a_client_writes_and_reads_what_it_is_told_of() {
    let mut bench = Bench::new();
    let control = begun(&mut bench);
    let data = bench.open();
    let answer = bench.ask(control, &destination(0x91_455a00, 0x55bd_0ed4_bfc4));
    let there = Destination::parse(&answer).unwrap().buffer().unwrap();
    let source = b"perftest"[..].into();
    let remote = RemoteBuffer { tagged_offset: there.tagged_offset + 4088, ..there };
    bench.post(data, Operation::Write { source, remote });
    let region = Registration::stream(data, Rights::NONE);
    let tag = bench.pipe.sides[0].memory().register(vec![0; 8], region).unwrap();
    let sink = LocalBuffer { steering_tag: tag, tagged_offset: 0 };
    bench.post(data, Operation::Read { sink, length: 8, remote });
    assert_eq!(bench.pipe.sides[0].memory().bytes(tag), Some(&b"perftest"[..]));
    // The results, and the last word. The server closes when the client does not.
    for _ in 0..5 {
        assert_eq!(bench.ask(control, &[9; 8]), [9; 8]);
    }
    bench.ask(control, &destination(0x91_455a00, 0x55bd_0ed4_bfc4));
    let due = bench.server.poll_timeout().unwrap();
    bench.pipe.set_now(due);
    bench.server.handle_timeout(&mut bench.pipe.sides[1]);
    bench.run();
    let closed = (data, StreamEvent::Event(Event::FinishReceived));
    assert!(bench.events.contains(&closed));
    bench.pipe.sides[0].finish(data);
    bench.pipe.sides[0].finish(control);
    bench.run();
    assert_eq!(bench.pipe.sides.each_ref().map(Streams::count), [0, 0]);
    assert_eq!(bench.server.summary(), ["1 test on 1 stream: 0 Sends, 0 bytes"]);
}

/// `ib_send_bw` on iWARP waits for credit: the number of messages, written to what it named for the
/// queue pair, in its own order of bytes.
#[test]
fn sends_are_credited_on_every_queue_pair() {
    let mut bench = Bench::new();
    let control = begun(&mut bench);
    let streams = [bench.open(), bench.open()];
    let tags = streams.map(|number| {
        let region = Registration::stream(number, Rights::WRITE).based_at(0x7000);
        bench.pipe.sides[0].memory().register(vec![0xff; 4], region).unwrap()
    });
    for tag in tags {
        bench.ask(control, &destination(tag, 0x7000));
    }
    for (index, number) in streams.into_iter().enumerate() {
        for _ in 0..20 + index {
            bench.post(number, Operation::send(&[1; 3000]));
        }
    }
    let credit = |tag| bench.pipe.sides[0].memory().bytes(tag).map(<[u8]>::to_vec);
    assert_eq!(tags.map(credit), [Some(vec![20, 0, 0, 0]), Some(vec![21, 0, 0, 0])]);
    assert_eq!(bench.server.poll_timeout(), None);
    // A test of all sizes counts each size anew.
    bench.post(streams[0], Operation::send(&[1; 6]));
    assert_eq!(bench.pipe.sides[0].memory().bytes(tags[0]), Some(&[1, 0, 0, 0][..]));
    bench.ask(control, &destination(tags[0], 0x7000));
    assert_eq!(bench.server.poll_timeout(), Some(Duration::from_secs(1)));
    for number in [streams[0], streams[1], control] {
        bench.pipe.sides[0].finish(number);
    }
    bench.run();
    assert_eq!(bench.server.summary(), ["1 test on 2 streams: 42 Sends, 123006 bytes"]);
    // The next client gets a control stream of its own.
    begun(&mut bench);
    assert_eq!(bench.server.summary(), ["2 tests on 2 streams: 42 Sends, 123006 bytes"]);
}

/// TCP keeps no order between streams: what a client wrote may come after the end of its control stream. The next
/// client ends that.
#[test]
fn what_was_written_is_taken_after_the_end_of_control() {
    let mut bench = Bench::new();
    let bytes = |bench: &mut Bench, region: RemoteBuffer| {
        let memory = bench.pipe.sides[1].memory();
        memory.bytes(region.steering_tag).map(|bytes| bytes[..4].to_vec())
    };
    for next in [false, true] {
        let control = begun(&mut bench);
        let data = bench.open();
        let answer = bench.ask(control, &destination(1, 0));
        let remote = Destination::parse(&answer).unwrap().buffer().unwrap();
        bench.pipe.sides[0].finish(control);
        bench.run();
        bench.post(data, Operation::Write { source: b"late"[..].into(), remote });
        assert_eq!(bytes(&mut bench, remote), Some(b"late".to_vec()));
        if next {
            begun(&mut bench);
        } else {
            bench.pipe.sides[0].finish(data);
            bench.run();
        }
        assert_eq!(bytes(&mut bench, remote), None);
    }
    assert_eq!(bench.server.summary(), ["3 tests on 2 streams: 0 Sends, 0 bytes"]);
}
