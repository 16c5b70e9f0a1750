//! What a segment on its own does not show: faults of the stream below, work that fails midway or on
//! this side, and several faults at once.

use crate::prelude::*;
use crate::segments::{LAST, WRITE};

/// A responder that has received an empty Write, with a receive of eight bytes posted.
fn responder(config: Config) -> Raw {
    let version = if config.profile.ext_v2 { 0x80 } else { 0x40 };
    let mut raw = Raw::operating(config);
    raw.feed_ulpdu(&tagged([0xc1, version], 0, 0, b""));
    raw.connection.post_receive(1, 8).unwrap();
    raw
}

/// RFC 5044 section 8 and RFC 5040 figure 10: LLP errors echo nothing.
#[test]
fn what_mpa_refuses() {
    let mut raw = responder(config(Profile::RFC5040));
    let before = raw.contents();
    let mut bytes = fpdu(&tagged(WRITE, raw.tags.own, BASE, b"x"));
    bytes[5] ^= 1;
    raw.feed(&bytes);
    assert_eq!(raw.terminate(), [0x20, 2, 0, 0]);
    assert_eq!(raw.contents(), before);

    // RFC 5044 section 7.1.2 rule 4: nothing may be sent before a right FPDU came.
    let mut raw = Raw::operating(config(Profile::RFC5040));
    raw.feed(&bytes);
    assert_eq!(raw.violations(), [Violation::Crc]);
    assert_eq!(raw.transmit(), [Transmit::Finish]);
}

/// RFC 5040 section 7.1 rule 4: of two segments the first.
#[test]
fn the_first_fault_is_told() {
    let mut raw = responder(config(Profile::RFC5040));
    let wrong = untagged([LAST, 0x4f], [0, 0, 1, 0], b"1");
    raw.feed(&[fpdu(&wrong), fpdu(&tagged(WRITE, 0, 0, b"x"))].concat());
    assert_eq!(raw.terminate(), [&[0x02, 6, 0xc0, 0, 0, 19][..], &wrong[..18]].concat());
}

/// RFC 5040 section 4.8: a Read that fails midway echoes how far it has come; a Read V2 no more than
/// the DDP header (ext-v2 section 8.1). A Terminate of several segments has four bytes in each.
#[test]
fn a_partly_done_read_shows_how_far_it_came() {
    let longest_ulpdu = Some(14 + 8);
    let mut raw = Raw::operating(Config { longest_ulpdu, ..config(Profile::RFC5040) });
    let own = raw.tags.own.to_be_bytes();
    let request = untagged([LAST, 0x41], [0, 1, 1, 0], &read(32, raw.tags.own, BASE + 16));
    raw.feed_ulpdu(&request);
    let sent = raw.transmit_one();
    assert!(matches!(sent, Some(Transmit::Bytes(bytes)) if bytes.len() == 2 + 22 + 4));
    raw.memory.invalidate(raw.tags.own).unwrap();
    let rest = [0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 14, 0, 0, 0, 24];
    let report = [0x01, 0x00, 0xe0, 0x00, 0, 46];
    let due = [&report, &request[..18], &rest, &own, &(BASE + 24).to_be_bytes()].concat();
    assert_eq!(raw.terminate(), due);

    let mut raw = Raw::operating(Config { longest_ulpdu, ..config(Profile::EXT_V2) });
    let header = [&[0, 0, 0, 8], &own[..], &BASE.to_be_bytes()].concat();
    let request = untagged([LAST, 0x91], [0, 1, 1, 0], &header);
    raw.feed_ulpdu(&request);
    let sent = raw.transmit_one();
    assert!(matches!(sent, Some(Transmit::Bytes(bytes)) if bytes[2..4] == [0x01, 0x92]));
    raw.memory.invalidate(raw.tags.own).unwrap();
    assert_eq!(raw.terminate(), [&[0x01, 0, 0xc0, 0, 0, 34], &request[..18]].concat());
}

/// rdma-commit section 3.1: its requests may name a Steering Tag to invalidate.
#[test]
fn a_flush_may_invalidate() {
    let mut raw = Raw::operating(config(Profile::COMMIT));
    let tag = raw.tags.own;
    let header =
        [&tag.to_be_bytes()[..], &[0, 0, 0, 8], &BASE.to_be_bytes(), &[0, 0, 0, 3]].concat();
    raw.feed_ulpdu(&untagged([LAST, 0x4c], [tag, 1, 1, 0], &header));
    assert!(raw.memory.is_valid(tag), "not before it is flushed");
    let sent = raw.transmit();
    let [Transmit::Bytes(bytes)] = &sent[..] else { panic!("{sent:?}") };
    assert_eq!(bytes[2..4], [LAST, 0x4d]);
    assert!(!raw.memory.is_valid(tag));
    raw.feed_ulpdu(&untagged([LAST, 0x4c], [0, 1, 2, 0], &header));
    assert_eq!(raw.terminate()[..4], [1, 0, 0xc0, 0]);
}

/// RFC 5044 section 8 code 1: a stream that ends within an FPDU, within an untagged or a tagged message,
/// and between two.
#[test]
fn a_stream_that_ends_too_early() {
    let half = tagged([0x81, 0x40], Raw::new(config(Profile::RFC5040)).tags.own, BASE, b"half");
    let rest = tagged(WRITE, Raw::new(config(Profile::RFC5040)).tags.own, BASE + 4, b"half");
    for (bytes, early) in [
        (fpdu(&tagged(WRITE, 0, 0, b""))[..7].to_vec(), true),
        (fpdu(&untagged([0x01, 0x43], [0, 0, 1, 0], b"more")), true),
        (fpdu(&half), true),
        ([fpdu(&half), fpdu(&rest)].concat(), false),
        (vec![], false),
    ] {
        let mut raw = responder(config(Profile::RFC5040));
        raw.feed(&bytes);
        raw.connection.handle_finish(Duration::ZERO);
        if early {
            assert_eq!(raw.violations(), [Violation::ConnectionLost]);
            assert_eq!(raw.terminate(), [0x20, 1, 0, 0]);
        } else {
            assert_eq!(raw.violations(), []);
            assert!(raw.completed().is_some_and(|it| it.1.is_err()));
        }
    }
}

/// RFC 5041 section 6.2.1: what the peer asked for is answered before this side closes.
#[test]
fn closing_answers_first() {
    let mut raw = Raw::operating(config(Profile::RFC5040));
    for number in [1, 2] {
        let header = read(8, raw.tags.own, BASE);
        raw.feed_ulpdu(&untagged([LAST, 0x41], [0, 1, number, 0], &header));
    }
    raw.connection.finish();
    let sent = raw.transmit();
    assert!(matches!(sent[..], [Transmit::Bytes(_), Transmit::Bytes(_), Transmit::Finish]));
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
    assert_eq!(there.terminate_received(), Some((0, 0, 0)));
    let local = CompletionError::Terminated(Violation::Local);
    assert_eq!(here.completions[0].result, Err(local));
    assert_eq!(here.completions[1].result, Err(CompletionError::Flushed));
}

/// RFC 5040 section 7.1 rule 1: the sink of a Read goes before the request is sent. The Terminate goes in
/// the request's stead, and blames no one's message.
#[test]
fn a_sink_that_goes_before_it_is_asked_for() {
    let read_v2 = |sink, length, remote| Operation::ReadV2 { sink, length, remote };
    type Ask = fn(LocalBuffer, u32, RemoteBuffer) -> Operation;
    for (profile, ask) in [(Profile::RFC5040, read_op as Ask), (Profile::EXT_V2, read_v2)] {
        let mut raw = responder(config(profile));
        let tag = raw.register(vec![0; 8], Rights::NONE);
        raw.post(1, ask(local(tag, 0), 8, remote(1, 0)));
        raw.memory.deregister(tag).unwrap();
        assert_eq!(raw.terminate(), [0, 0, 0, 0]);
        assert_eq!(raw.violations(), [Violation::Local]);
        assert!(raw.completed().is_some_and(|it| it.1.is_err()));
    }
}

/// What the peer's Terminate ended says so; what had not begun is flushed.
#[test]
fn a_remote_terminate_is_told_apart() {
    let mut raw = responder(config(Profile::RFC5040));
    raw.post(2, read_op(local(raw.tags.own, BASE), 8, remote(1, 0)));
    assert_eq!(raw.transmit().len(), 1);
    raw.feed_ulpdu(&untagged([LAST, 0x47], [0, 2, 1, 0], &[0, 0, 0, 0]));
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
    for name in 0..4 {
        here.post(name, read_op(local(sink, name), 1, remote(source, 0)));
    }
    while pair.transmit(INITIATOR) {}
    while pair.arrive(INITIATOR) {}
    let before = pair.transcript.len();
    for name in 0..10 {
        pair.ends[RESPONDER].post(name, write_op(b"x", remote(target, name % 8)));
    }
    while pair.transmit(RESPONDER) {}
    let opcodes = pair.transcript[before..].iter().filter_map(|(_, bytes)| bytes.as_ref());
    let opcodes: Vec<u8> = opcodes.map(|bytes| bytes[3] & 0xf).collect();
    let last_response = opcodes.iter().rposition(|opcode| *opcode == 2);
    assert_eq!(opcodes.iter().filter(|opcode| **opcode == 2).count(), 4);
    assert!(last_response.is_some_and(|at| (4..=8).contains(&at)), "{opcodes:?}");
}
