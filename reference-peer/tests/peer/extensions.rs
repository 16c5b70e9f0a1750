//! What is refused in the messages of RFC 7306, ext-v2 and rdma-commit, and what ends a stream from
//! its own side.

use crate::prelude::*;
use warpscope_peer::work::LocalBuffer;

/// A responder that has received the initiator, and has sent this request.
fn asking(profile: Profile, operation: fn(LocalBuffer) -> Operation) -> Raw {
    let mut raw = Raw::operating(config(profile));
    let version = if profile.ext_v2 { 0x80 } else { 0x40 };
    raw.feed_ulpdu(&tagged([0xc1, version], 0, 0, b""));
    let request = WorkRequest::new(1, operation(local(raw.region, BASE)));
    raw.connection.post(&raw.memory, request).unwrap();
    assert_eq!(raw.transmit().len(), 1);
    raw
}

fn head(mut raw: Raw, ulpdu: &[u8]) -> [u8; 2] {
    raw.feed_ulpdu(ulpdu);
    let report = raw.terminate();
    assert_eq!(report[2], 0xc0);
    assert_eq!(usize::from(u16::from_be_bytes([report[4], report[5]])), ulpdu.len());
    assert_eq!(report[6..], ulpdu[..18]);
    [report[0], report[1]]
}

fn queue_3(rdmap_control: u8, sequence_number: u32, payload: &[u8]) -> Vec<u8> {
    untagged([0x41, rdmap_control], [0, 3, sequence_number, 0], payload)
}

/// RFC 7306 section 5.2.2.
#[test]
fn atomic_responses_that_do_not_match() {
    let atomic = || {
        asking(Profile::RFC7306, |_| {
            let operation = AtomicOperation::FetchAdd { add_data: 1, add_mask: 0 };
            Operation::Atomic { operation, remote: remote(1, 0) }
        })
    };
    // Identifier 0 was sent.
    assert_eq!(head(atomic(), &queue_3(0x4b, 1, &[0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 9])), [2, 0xff]);
    assert_eq!(head(atomic(), &queue_3(0x4b, 1, &[0; 11])), [2, 0xff]);
    assert_eq!(head(atomic(), &queue_3(0x4b, 1, &[0; 13])), [0x12, 5]);
    assert_eq!(head(atomic(), &queue_3(0x4b, 2, &[0; 12])), [0x12, 3]);
    let mut right = atomic();
    right.feed_ulpdu(&queue_3(0x4b, 1, &[0; 12]));
    assert!(right.connection.poll_completion().is_some_and(|it| it.result.is_ok()));
    // Another one finds no buffer.
    assert_eq!(head(right, &queue_3(0x4b, 2, &[0; 12])), [0x12, 2]);
}

/// RFC 7306 section 6.3: exactly eight bytes.
#[test]
fn immediate_data_of_another_length() {
    for length in [0, 7, 9] {
        let mut raw = Raw::operating(config(Profile::RFC7306));
        raw.connection.post_receive(1, 16).unwrap();
        let ulpdu = untagged([0x41, 0x48], [0, 0, 1, 0], &vec![1; length]);
        assert_eq!(head(raw, &ulpdu), [2, 0xff]);
    }
}

/// RFC 7306 figure 5: Swap is not in it, unless rdmap-ext-04 is spoken.
#[test]
fn atomic_operations_that_are_not_defined() {
    for (swap, code, known) in [(false, 1, false), (true, 1, true), (true, 3, false)] {
        let mut config = config(Profile::RFC7306);
        config.atomic_swap = swap;
        let mut raw = Raw::operating(config);
        let registration = Registration::stream(STREAM.stream, Rights::ATOMIC);
        let word = raw.memory.register(vec![0; 8], registration).unwrap();
        let mut request = vec![0xff, 0xff, 0xff, 0xf0 | code, 0, 0, 0, 1];
        request.extend_from_slice(&word.to_be_bytes());
        request.extend_from_slice(&[0; 8]);
        request.extend_from_slice(&[5; 32]);
        let ulpdu = untagged([0x41, 0x4a], [0, 1, 1, 0], &request);
        if known {
            raw.feed_ulpdu(&ulpdu);
            assert!(matches!(&raw.transmit()[..], [Transmit::Bytes(_)]));
            assert_eq!(raw.memory.bytes(word).unwrap(), [5; 8]);
        } else {
            assert_eq!(head(raw, &ulpdu), [2, 0xff]);
        }
    }
}

/// ext-v2 sections 4.1 and 5.3.
#[test]
fn messages_of_version_2_that_are_wrong() {
    let posted = || {
        let mut raw = Raw::operating(config(Profile::EXT_V2));
        raw.connection.post_receive(1, 8).unwrap();
        raw
    };
    // RV 1 where 2 was agreed on.
    assert_eq!(head(posted(), &untagged([0x41, 0x43], [0, 0, 1, 0], b"x")), [2, 5]);
    // More than Immediate Data in the last segment, and less.
    for payload in [&b"123456789"[..], b"1234567"] {
        assert_eq!(head(posted(), &untagged([0x41, 0x93], [0, 0, 1, 0], payload)), [2, 0xff]);
    }
    // Nine bytes for a buffer of eight, although Immediate Data needs no room in it.
    assert_eq!(head(posted(), &untagged([0x01, 0x93], [0, 0, 1, 0], b"123456789")), [0x12, 5]);
    let mut right = posted();
    right.feed_ulpdu(&untagged([0x01, 0x93], [0, 0, 1, 0], b"12345678"));
    right.feed_ulpdu(&untagged([0x41, 0x93], [0, 0, 1, 8], b"12345678"));
    assert!(right.connection.poll_completion().is_some_and(|it| it.result.is_ok()));
    // rdma-commit section 3.1: its messages have RV 1.
    let mut all = Raw::operating(config(Profile::ALL));
    let flush = vec![0; 20];
    all.feed_ulpdu(&untagged([0x41, 0x4c], [0, 1, 1, 0], &flush));
    assert!(matches!(&all.transmit()[..], [Transmit::Bytes(_)]));
    assert_eq!(head(all, &untagged([0x41, 0x8c], [0, 1, 2, 0], &flush)), [2, 5]);
}

/// ext-v2 section 6: the response has what was asked for.
#[test]
fn read_v2_responses_that_do_not_match() {
    let reading = || {
        asking(Profile::EXT_V2, |sink| Operation::ReadV2 { sink, length: 8, remote: remote(1, 0) })
    };
    assert_eq!(head(reading(), &queue_3(0x92, 1, &[1; 7])), [2, 0xff]);
    assert_eq!(head(reading(), &queue_3(0x92, 1, &[1; 9])), [0x12, 5]);
    assert_eq!(head(reading(), &queue_3(0x8b, 1, &[1; 8])), [2, 6]);
    let mut right = reading();
    right.feed_ulpdu(&queue_3(0x92, 1, &[1; 8]));
    assert_eq!(right.memory.bytes(right.region).unwrap()[..9], [1, 1, 1, 1, 1, 1, 1, 1, 0]);
}

/// RFC 5040 section 5.2.2: a Read Response to a region of this side, but not the one asked for.
#[test]
fn a_read_response_to_another_region() {
    let mut raw =
        asking(Profile::RFC5040, |sink| Operation::Read { sink, length: 8, remote: remote(1, 0) });
    let own = Registration::stream(STREAM.stream, Rights::ALL).based_at(BASE);
    let other = raw.memory.register(vec![0; 64], own).unwrap();
    raw.feed_ulpdu(&tagged([0xc1, 0x42], other, BASE, &[1; 8]));
    assert_eq!(raw.terminate()[..2], [0x11, 0]);
    assert_eq!(raw.memory.bytes(other).unwrap(), [0; 64]);
}

/// rdma-commit section 3.1: its requests may name a Steering Tag to invalidate.
#[test]
fn a_flush_may_invalidate() {
    let mut raw = Raw::operating(config(Profile::COMMIT));
    let own = Registration::stream(STREAM.stream, Rights::ALL);
    let tag = raw.memory.register(vec![0; 8], own).unwrap();
    let mut flush = tag.to_be_bytes().to_vec();
    flush.extend_from_slice(&[0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3]);
    raw.feed_ulpdu(&untagged([0x41, 0x4c], [tag, 1, 1, 0], &flush));
    assert!(raw.memory.is_valid(tag), "not before it is flushed");
    let sent = raw.transmit();
    let [Transmit::Bytes(bytes)] = &sent[..] else { panic!("{sent:?}") };
    assert_eq!(bytes[2..4], [0x41, 0x4d]);
    assert!(!raw.memory.is_valid(tag));
    assert_eq!(head(raw, &untagged([0x41, 0x4c], [0, 1, 2, 0], &flush)), [1, 0]);
}

/// RFC 5044 section 8 code 1: a stream that ends within an FPDU, or within a message.
#[test]
fn a_stream_that_ends_too_early() {
    let started = || {
        let mut raw = Raw::operating(config(Profile::RFC5040));
        raw.feed_ulpdu(&tagged([0xc1, 0x40], 0, 0, b""));
        raw.connection.post_receive(1, 8).unwrap();
        raw
    };
    let mut raw = started();
    raw.feed(&fpdu(&tagged([0xc1, 0x40], 0, 0, b""))[..7]);
    raw.connection.handle_finish(Duration::ZERO);
    assert_eq!(raw.violations(), [Violation::ConnectionLost]);
    assert_eq!(raw.terminate(), [0x20, 1, 0, 0]);
    let mut raw = started();
    raw.feed_ulpdu(&untagged([0x01, 0x43], [0, 0, 1, 0], b"more"));
    raw.connection.handle_finish(Duration::ZERO);
    assert_eq!(raw.violations(), [Violation::ConnectionLost]);
    let mut raw = started();
    raw.connection.handle_finish(Duration::ZERO);
    assert_eq!(raw.violations(), []);
    assert!(raw.connection.poll_completion().is_some_and(|it| it.result.is_err()));
}

/// RFC 5041 section 6.2.1: what the peer asked for is answered before this side closes.
#[test]
fn closing_answers_first() {
    let mut raw = Raw::operating(config(Profile::RFC5040));
    raw.feed_ulpdu(&untagged([0x41, 0x41], [0, 1, 1, 0], &read(8, raw.region, BASE)));
    raw.feed_ulpdu(&untagged([0x41, 0x41], [0, 1, 2, 0], &read(8, raw.region, BASE)));
    raw.connection.finish();
    let sent = raw.transmit();
    let answered = [Transmit::Bytes(Vec::new()), Transmit::Bytes(Vec::new()), Transmit::Finish];
    let kinds = |sent: &[Transmit]| sent.iter().map(std::mem::discriminant).collect::<Vec<_>>();
    assert_eq!(kinds(&sent), kinds(&answered));
}

/// RFC 5040 section 7.1 rule 1: an error that no message of the peer caused.
#[test]
fn a_source_that_goes_before_it_is_sent() {
    let mut pair = Pair::open();
    let (here, _) = pair.both();
    let source = here.region(vec![0; 8], Rights::NONE);
    let source_of = Source::Region(local(source, 0), 8);
    here.post(1, Operation::Write { source: source_of, remote: remote(1, 0) });
    here.post(2, Operation::send(b"behind"));
    here.memory.deregister(source).unwrap();
    pair.run();
    let [here, there] = &pair.ends;
    assert!(here.events.contains(&Event::Violated(Violation::Local)));
    let told = there.events.iter().find_map(|event| match event {
        Event::TerminateReceived(told) => Some(told.bytes.clone()),
        _ => None,
    });
    assert_eq!(told, Some(vec![0; 4]));
    let local = CompletionError::Terminated(Violation::Local);
    assert_eq!(here.completions[0].result, Err(local));
    assert_eq!(here.completions[1].result, Err(CompletionError::Flushed));
}

/// RFC 5040 section 7.1 rule 1: the sink of a Read goes before the request is sent. The Terminate goes in
/// the request's stead, and blames no one's message.
#[test]
fn a_sink_that_goes_before_it_is_asked_for() {
    for version_2 in [false, true] {
        let profile = if version_2 { Profile::EXT_V2 } else { Profile::RFC5040 };
        let mut raw = Raw::operating(config(profile));
        raw.feed_ulpdu(&tagged([0xc1, if version_2 { 0x80 } else { 0x40 }], 0, 0, b""));
        let own = Registration::stream(STREAM.stream, Rights::NONE);
        let tag = raw.memory.register(vec![0; 8], own).unwrap();
        let (sink, length, remote) = (local(tag, 0), 8, remote(1, 0));
        let ask = match version_2 {
            false => Operation::Read { sink, length, remote },
            true => Operation::ReadV2 { sink, length, remote },
        };
        raw.connection.post(&raw.memory, WorkRequest::new(1, ask)).unwrap();
        raw.memory.deregister(tag).unwrap();
        assert_eq!(raw.terminate(), [0, 0, 0, 0]);
        assert_eq!(raw.violations(), [Violation::Local]);
        assert!(raw.connection.poll_completion().is_some_and(|it| it.result.is_err()));
    }
}

/// What the peer's Terminate ended says so; what had not begun is flushed.
#[test]
fn a_remote_terminate_is_told_apart() {
    let mut raw =
        asking(Profile::RFC5040, |sink| Operation::Read { sink, length: 8, remote: remote(1, 0) });
    raw.connection.post_receive(2, 8).unwrap();
    raw.feed_ulpdu(&untagged([0x41, 0x47], [0, 2, 1, 0], &[0, 0, 0, 0]));
    let completions: Vec<_> = std::iter::from_fn(|| raw.connection.poll_completion()).collect();
    let results = completions.iter().map(|it| (it.kind, it.result.clone().err()));
    assert!(results.eq([
        (OperationKind::Read, Some(CompletionError::RemoteTerminate)),
        (OperationKind::Receive, Some(CompletionError::Flushed)),
    ]));
}

/// A long queue of work requests does not keep the peer's requests waiting.
#[test]
fn responses_and_work_requests_take_turns() {
    let mut pair = Pair::opened(configs());
    let (here, there) = pair.both();
    let source = there.region(pattern(8), Rights::READ);
    let sink = here.region(vec![0; 8], Rights::NONE);
    let target = here.region(vec![0; 8], Rights::WRITE);
    let read = |at| Operation::Read { sink: local(sink, at), length: 1, remote: remote(source, 0) };
    for name in 0..4 {
        here.post(name, read(name));
    }
    while pair.transmit(INITIATOR) {}
    while pair.arrive(INITIATOR) {}
    let before = pair.transcript.len();
    for name in 0..10 {
        let write = Operation::Write { source: b"x"[..].into(), remote: remote(target, name % 8) };
        pair.ends[RESPONDER].post(name, write);
    }
    while pair.transmit(RESPONDER) {}
    let opcodes = pair.transcript[before..].iter().filter_map(|(_, bytes)| bytes.as_ref());
    let opcodes: Vec<u8> = opcodes.map(|bytes| bytes[3] & 0xf).collect();
    let last_response = opcodes.iter().rposition(|opcode| *opcode == 2);
    assert_eq!(opcodes.iter().filter(|opcode| **opcode == 2).count(), 4);
    assert!(last_response.is_some_and(|at| (4..=8).contains(&at)), "{opcodes:?}");
}
