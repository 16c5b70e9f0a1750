//! Ends that come at a bad time: errors after a FIN, bytes after one, and peers that never close.

use crate::prelude::*;
use crate::segments::{SEND, WRITE};
use proptest::prelude::*;
use std::collections::BTreeSet;
use warpscope_peer::work::PostError;

/// A responder that has received an empty Write.
fn started() -> Raw {
    let mut raw = Raw::operating(config(Profile::RFC5040));
    raw.feed_ulpdu(&tagged(WRITE, 0, 0, b""));
    raw
}

fn ending(raw: &mut Raw) -> Option<Ending> {
    let ending = |event| match event {
        Event::Ended(ending) => Some(ending),
        _ => None,
    };
    raw.events().filter_map(ending).last()
}

/// RFC 5040 section 6.2.1: after this side's FIN no Terminate can go, and the connection is torn
/// down all the same.
#[test]
fn an_error_behind_the_own_fin_drops_the_connection() {
    let mut raw = started();
    raw.connection.post_receive(1, 8).unwrap();
    raw.connection.finish();
    assert_eq!(raw.transmit(), [Transmit::Finish]);
    raw.feed_ulpdu(&untagged(SEND, [0, 0, 7, 0], b"x"));
    assert_eq!(raw.transmit(), [Transmit::Reset]);
    assert!(raw.connection.is_ended());
    let completion = raw.connection.poll_completion().unwrap();
    assert_eq!(completion.result, Err(CompletionError::Flushed));
    assert_eq!(ending(&mut raw), Some(Ending::Terminated(Violation::MessageSequenceNumber)));
}

/// RFC 5040 section 6.2.1: a peer that sends a Terminate is to close; it is not waited for for ever.
#[test]
fn a_terminate_behind_the_own_fin_is_the_end() {
    let mut raw = started();
    raw.connection.finish();
    assert_eq!(raw.transmit(), [Transmit::Finish]);
    raw.feed_ulpdu(&untagged([0x41, 0x47], [0, 2, 1, 0], &[0, 0, 0, 0]));
    assert_eq!(raw.transmit(), []);
    let deadline = raw.connection.poll_timeout().unwrap();
    raw.connection.handle_timeout(deadline);
    assert_eq!(raw.transmit(), [Transmit::Reset]);
    assert_eq!(ending(&mut raw), Some(Ending::RemoteTerminate));
}

/// A Terminate that TCP does not take, because the peer reads nothing, is not waited for for ever.
#[test]
fn a_terminate_that_cannot_go_is_the_end() {
    let mut raw = started();
    raw.feed_ulpdu(&untagged(SEND, [0, 0, 1, 0], b"x"));
    let deadline = raw.connection.poll_timeout().unwrap();
    raw.connection.handle_timeout(deadline);
    assert!(raw.connection.is_ended());
    assert_eq!(raw.transmit(), [Transmit::Reset]);
    assert_eq!(ending(&mut raw), Some(Ending::Terminated(Violation::NoBuffer)));
}

/// RFC 5041 section 6.2.1: what comes after the peer's FIN ends the stream with an error.
#[test]
fn bytes_behind_a_fin_are_an_error() {
    let mut raw = started();
    raw.connection.handle_finish(Duration::ZERO);
    raw.feed_ulpdu(&tagged(WRITE, raw.tags.own, BASE, b"late"));
    assert_eq!(raw.violations(), [Violation::ConnectionLost]);
    assert_eq!(raw.own()[..4], [0, 1, 2, 3]);
    assert_eq!(raw.terminate(), [0x20, 1, 0, 0]);
}

/// RFC 5044 section 7.1.2 rule 4: a responder that never heard an FPDU can send none. Behind the
/// peer's FIN none will come: what was posted ends, and the connection can be closed.
#[test]
fn a_responder_that_never_heard_can_close() {
    let mut raw = Raw::operating(config(Profile::RFC5040));
    raw.post(1, Operation::send(b"never"));
    raw.connection.handle_finish(Duration::ZERO);
    let completion = raw.connection.poll_completion().unwrap();
    assert_eq!((completion.identifier, completion.result), (1, Err(CompletionError::Flushed)));
    let late = WorkRequest::new(2, Operation::send(b"late"));
    assert_eq!(raw.connection.post(&raw.memory, late), Err(PostError::Closed));
    raw.connection.finish();
    assert_eq!(raw.transmit(), [Transmit::Finish]);
    assert_eq!(ending(&mut raw), Some(Ending::Finished));
}

/// RFC 5040 section 5.4: after a Terminate, sent or received, nothing is posted, sent or taken.
#[test]
fn nothing_goes_behind_a_terminate() {
    let told = untagged([0x41, 0x47], [0, 2, 1, 0], &[0x12, 2, 0, 0]);
    let wrong = untagged(SEND, [0, 0, 1, 0], b"x");
    for (ulpdu, sent) in [(&told, 1), (&wrong, 2)] {
        let mut raw = started();
        let send = || WorkRequest::new(1, Operation::send(b"posted"));
        raw.connection.post(&raw.memory, send()).unwrap();
        raw.feed_ulpdu(ulpdu);
        assert_eq!(raw.connection.post(&raw.memory, send()), Err(PostError::Closed));
        assert_eq!(raw.connection.post_receive(2, 8), Err(PostError::Closed));
        let completion = raw.connection.poll_completion().unwrap();
        assert!(completion.result.is_err());
        raw.connection.finish();
        assert_eq!(raw.transmit().len(), sent);
        raw.feed_ulpdu(&tagged(WRITE, raw.tags.own, BASE, b"late"));
        raw.feed_ulpdu(&told);
        assert_eq!(raw.own()[..4], [0, 1, 2, 3]);
        assert_eq!(raw.transmit(), []);
        assert!(!raw.connection.is_ended());
        raw.connection.handle_finish(Duration::ZERO);
        assert!(raw.connection.is_ended());
        assert_eq!(raw.transmit(), []);
    }
}

/// RFC 5040 section 5.5 rule 20: the peer's requests are answered after its FIN, while this side's
/// own end without their responses.
#[test]
fn a_half_close_with_requests_both_ways() {
    let mut raw = started();
    let sink = local(raw.tags.own, BASE);
    let ask = read_op(sink, 8, remote(1, 0));
    raw.post(1, ask.clone());
    assert_eq!(raw.transmit().len(), 1);
    raw.feed_ulpdu(&untagged([0x41, 0x41], [0, 1, 1, 0], &read(8, raw.tags.own, BASE)));
    raw.connection.handle_finish(Duration::ZERO);
    assert_eq!(raw.violations(), []);
    let completion = raw.connection.poll_completion().unwrap();
    assert_eq!(completion.result, Err(CompletionError::Flushed));
    let late = raw.connection.post(&raw.memory, WorkRequest::new(2, ask));
    assert_eq!(late, Err(PostError::Closed));
    raw.post(3, Operation::send(b"still"));
    raw.connection.finish();
    let sent = raw.transmit();
    let [Transmit::Bytes(first), Transmit::Bytes(second), Transmit::Finish] = &sent[..] else {
        panic!("{sent:?}");
    };
    let mut opcodes = [first[3] & 0x0f, second[3] & 0x0f];
    opcodes.sort_unstable();
    assert_eq!(opcodes, [2, 3]);
    assert_eq!(ending(&mut raw), Some(Ending::Finished));
}

/// RFC 5040 section 7.1 rule 2: a Terminate goes at the first opportunity, after the segment that went
/// last. The message under way is given up, and its work request with it.
#[test]
fn a_terminate_cuts_the_message_under_way() {
    let mut config = config(Profile::RFC5040);
    config.longest_ulpdu = Some(18 + 24);
    let mut raw = Raw::operating(config);
    raw.feed_ulpdu(&tagged(WRITE, 0, 0, b""));
    raw.post(1, Operation::send(&[1; 60]));
    let first = raw.transmit_one();
    assert!(matches!(first, Some(Transmit::Bytes(bytes)) if bytes[2..4] == [0x01, 0x43]));
    let wrong = tagged(WRITE, raw.tags.own, BASE + 64, b"x");
    raw.feed_ulpdu(&wrong);
    assert_eq!(raw.terminate(), [&[0x11, 1, 0xc0, 0, 0, 15], &wrong[..14]].concat());
    let completion = raw.connection.poll_completion().unwrap();
    let terminated = CompletionError::Terminated(Violation::TaggedBounds);
    assert_eq!((completion.identifier, completion.result), (1, Err(terminated)));
}

/// Takes one of 16 steps of a stream's life, right or wrong; the names of what was posted go into `posted`.
fn take(raw: &mut Raw, step: u8, posted: &mut BTreeSet<u64>, numbers: &mut [u32; 2]) {
    let name = posted.len() as u64;
    let mut ask = |raw: &mut Raw, operation| {
        if raw.connection.post(&raw.memory, WorkRequest::new(name, operation)).is_ok() {
            posted.insert(name);
        }
    };
    let mut next = |queue: usize| {
        numbers[queue] += 1;
        [0, queue as u32, numbers[queue], 0]
    };
    let sink = local(raw.tags.own, BASE);
    match step {
        0 => ask(raw, Operation::send(b"posted")),
        1 => ask(raw, read_op(sink, 8, remote(1, 0))),
        2 => ask(raw, write_op(&[], remote(1, 0))),
        3 | 4 => {
            if raw.connection.post_receive(name, 8).is_ok() {
                posted.insert(name);
            }
        }
        5 => raw.feed_ulpdu(&untagged(SEND, next(0), b"hello")),
        6 => raw.feed_ulpdu(&untagged([0x41, 0x41], next(1), &read(8, raw.tags.own, BASE))),
        7 => raw.feed_ulpdu(&tagged(WRITE, raw.tags.own, BASE, b"written")),
        8 => raw.feed_ulpdu(&tagged([0x81, 0x40], raw.tags.own, BASE, b"half")),
        9 => raw.feed_ulpdu(&tagged([0xc1, 0x42], raw.tags.own, BASE, &[1; 8])),
        10 => raw.feed_ulpdu(&untagged([0x41, 0x47], [0, 2, 1, 0], &[0; 4])),
        11 => raw.feed(&[0, 99]),
        12 => raw.connection.finish(),
        13 => raw.connection.handle_finish(Duration::ZERO),
        _ => drop(raw.transmit()),
    }
}

proptest! {
    /// Whatever happened: once both sides have closed, or time is up after an error, a stream is over,
    /// and everything that was posted completed once.
    #[test]
    fn every_stream_comes_to_an_end(heard: bool, steps in proptest::collection::vec(0..16_u8, 0..24)) {
        let mut raw = Raw::operating(config(Profile::RFC5040));
        if heard {
            raw.feed_ulpdu(&tagged(WRITE, 0, 0, b""));
        }
        let (mut posted, mut numbers) = (BTreeSet::new(), [0; 2]);
        for step in &steps {
            take(&mut raw, *step, &mut posted, &mut numbers);
        }
        if !steps.contains(&13) {
            raw.connection.handle_finish(Duration::ZERO);
        }
        raw.connection.finish();
        let sent = raw.transmit();
        let closes = sent.iter().filter(|it| !matches!(it, Transmit::Bytes(_))).count();
        prop_assert!(closes <= 1);
        if let Some(deadline) = raw.connection.poll_timeout() {
            raw.connection.handle_timeout(deadline);
        }
        raw.transmit();
        prop_assert!(raw.connection.is_ended());
        prop_assert_eq!(raw.connection.poll_timeout(), None);
        let done = std::iter::from_fn(|| raw.connection.poll_completion());
        let mut done: Vec<u64> = done.map(|it| it.identifier).collect();
        done.sort_unstable();
        prop_assert_eq!(done, posted.into_iter().collect::<Vec<_>>());
        let ended = ending(&mut raw);
        prop_assert!(ended.is_some());
    }
}
