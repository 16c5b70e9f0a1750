//! Ends that come at a bad time: errors after a FIN, bytes after one, and peers that never close.

use crate::prelude::*;
use crate::segments::{SEND, WRITE};
use warpscope_peer::variant::{Variant, Variants};
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
    assert_eq!(raw.completed().unwrap().1, Err(CompletionError::Flushed));
    assert_eq!(ending(&mut raw), Some(Ending::Terminated(Violation::MessageSequenceNumber)));
}

/// RFC 5040 section 6.2.1: a peer that sends a Terminate is to close; it is not waited for for ever.
#[test]
fn a_peer_that_sends_a_terminate_and_does_not_close_is_dropped() {
    for finished in [false, true] {
        let mut raw = started();
        if finished {
            raw.connection.finish();
            assert_eq!(raw.transmit(), [Transmit::Finish]);
        }
        raw.feed_ulpdu(&untagged([0x41, 0x47], [0, 2, 1, 0], &[0, 0, 0, 0]));
        assert_eq!(raw.transmit(), if finished { vec![] } else { vec![Transmit::Finish] });
        let deadline = raw.connection.poll_timeout().unwrap();
        raw.connection.handle_timeout(deadline);
        assert_eq!(raw.transmit(), [Transmit::Reset]);
        assert_eq!(ending(&mut raw), Some(Ending::RemoteTerminate));
    }
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

/// RFC 5044 section 7.1.2 rule 4: a responder that never heard an FPDU can send none. After the
/// peer's FIN none will come: what was posted ends, and the connection can be closed.
#[test]
fn a_responder_that_never_heard_can_close() {
    let mut raw = Raw::operating(config(Profile::RFC5040));
    raw.post(1, Operation::send(b"never"));
    raw.connection.handle_finish(Duration::ZERO);
    assert_eq!(raw.completed(), Some((1, Err(CompletionError::Flushed))));
    let late = WorkRequest::new(2, Operation::send(b"late"));
    assert_eq!(raw.connection.post(&raw.memory, late), Err(PostError::Closed));
    raw.connection.finish();
    assert_eq!(raw.transmit(), [Transmit::Finish]);
    assert_eq!(ending(&mut raw), Some(Ending::Finished));
}

/// RFC 5040 section 5.4: after a Terminate, sent or received, nothing is posted, sent or taken.
#[test]
fn nothing_goes_behind_a_terminate() {
    let terminate = untagged([0x41, 0x47], [0, 2, 1, 0], &[0x12, 2, 0, 0]);
    let wrong = untagged(SEND, [0, 0, 1, 0], b"x");
    for (ulpdu, sent) in [(&terminate, 1), (&wrong, 2)] {
        let mut raw = started();
        let send = || WorkRequest::new(1, Operation::send(b"posted"));
        raw.connection.post(&raw.memory, send()).unwrap();
        raw.feed_ulpdu(ulpdu);
        assert_eq!(raw.connection.post(&raw.memory, send()), Err(PostError::Closed));
        assert_eq!(raw.connection.post_receive(2, 8), Err(PostError::Closed));
        assert!(raw.completed().unwrap().1.is_err());
        raw.connection.finish();
        assert_eq!(raw.transmit().len(), sent);
        raw.feed_ulpdu(&tagged(WRITE, raw.tags.own, BASE, b"late"));
        raw.feed_ulpdu(&terminate);
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
    assert_eq!(raw.completed().unwrap().1, Err(CompletionError::Flushed));
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

/// RFC 5040 section 5.5 rules 12 and 13: a fence behind a Read that can get no response never opens.
/// What waits there ends, and what is posted later goes.
#[test]
fn nothing_passes_a_fence_behind_a_read_without_a_response() {
    let mut raw = started();
    raw.post(1, read_op(local(raw.tags.own, BASE), 8, remote(1, 0)));
    assert_eq!(raw.transmit().len(), 1);
    let operation = Operation::send(b"fenced");
    let fenced = WorkRequest { identifier: 2, fence: true, operation };
    raw.connection.post(&raw.memory, fenced).unwrap();
    raw.post(3, Operation::send(b"after it"));
    raw.connection.handle_finish(Duration::ZERO);
    for name in 1..=3 {
        assert_eq!(raw.completed(), Some((name, Err(CompletionError::Flushed))));
    }
    raw.post(4, Operation::send(b"later"));
    raw.connection.finish();
    let sent = raw.transmit();
    assert!(matches!(&sent[..], [Transmit::Bytes(_), Transmit::Finish]), "{sent:?}");
    assert_eq!(raw.completed(), Some((4, Ok(Outcome::Done))));
}

/// A responder with this variant and an IRD of 1 that has received an empty Write.
fn started_with(variant: Variant) -> Raw {
    let mut config = config(Profile::RFC5040);
    config.setup.ird = 1;
    config.variants = Variants::from(variant);
    let mut raw = Raw::operating(config);
    raw.feed_ulpdu(&tagged(WRITE, 0, 0, b""));
    raw
}

/// The bytes of the message that the receive 1 has got.
fn delivered(raw: &mut Raw) -> Vec<u8> {
    match raw.completed() {
        Some((1, Ok(Outcome::Received(got)))) => got.bytes,
        other => panic!("nothing was delivered: {other:?}"),
    }
}

/// RFC 5041 sections 6.2.1 and 7.1: a request that waits for an earlier one is answered before this side
/// closes, and what came after it is delivered, also after the peer's FIN.
#[test]
fn a_request_that_waits_is_answered_before_the_own_fin() {
    let mut raw = started_with(Variant::RequestWaits);
    raw.connection.post_receive(1, 8).unwrap();
    for number in [1, 2] {
        let request = untagged([0x41, 0x41], [0, 1, number, 0], &read(8, raw.tags.own, BASE));
        raw.feed_ulpdu(&request);
    }
    raw.feed_ulpdu(&untagged(SEND, [0, 0, 1, 0], b"behind"));
    raw.connection.handle_finish(Duration::ZERO);
    raw.connection.finish();
    let sent = raw.transmit();
    let both = matches!(&sent[..], [Transmit::Bytes(_), Transmit::Bytes(_), Transmit::Finish]);
    assert!(both, "{sent:?}");
    assert_eq!(delivered(&mut raw), b"behind");
    assert_eq!(ending(&mut raw), Some(Ending::Finished));
}

/// RFC 5041 section 7.1: a Send that waits is delivered once there is a receive, also after a FIN of
/// either side.
#[test]
fn a_send_that_waits_gets_its_receive_after_a_fin() {
    for own in [false, true] {
        let mut raw = started_with(Variant::MissingBufferWaits);
        raw.feed_ulpdu(&untagged(SEND, [0, 0, 1, 0], b"waits"));
        if own {
            raw.connection.finish();
            assert_eq!(raw.transmit(), [Transmit::Finish]);
        } else {
            raw.connection.handle_finish(Duration::ZERO);
        }
        raw.connection.post_receive(1, 8).unwrap();
        assert_eq!(raw.transmit(), []);
        assert_eq!(delivered(&mut raw), b"waits");
        // After the peer's FIN, a receive is for what came before.
        assert_eq!(raw.connection.post_receive(2, 8).is_ok(), own);
    }
}

/// What waits is limited: then the oldest is refused.
#[test]
fn sends_do_not_wait_without_end() {
    let mut raw = started_with(Variant::MissingBufferWaits);
    let send = |number| untagged(SEND, [0, 0, number, 0], b"x");
    for number in 1..=1024 {
        raw.feed_ulpdu(&send(number));
    }
    assert_eq!((raw.transmit(), raw.violations()), (vec![], vec![]));
    raw.feed_ulpdu(&send(1025));
    assert_eq!(raw.violations(), [Violation::NoBuffer]);
    assert_eq!(raw.terminate(), [&[0x12, 2, 0xc0, 0, 0, 19], &send(1)[..18]].concat());
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
    let terminated = CompletionError::Terminated(Violation::TaggedBounds);
    assert_eq!(raw.completed(), Some((1, Err(terminated))));
}
