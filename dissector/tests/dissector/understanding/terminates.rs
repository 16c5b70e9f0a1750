//! Every Terminate of the captures names the message that it refuses, and for what.

use super::seen::{Happened, see};

/// The connection of e1-terminate-stock, the message that its test provoked with, and words that
/// must be in the sentence: from the log of the programs, not from the capture.
const DELIBERATE: [(u32, &str, &str); 17] = [
    (0, "Write", "no memory is registered there under its STag"),
    (1, "Write", "no memory is registered there under its STag"),
    (2, "Write", "its 256 bytes at TO"),
    (3, "Write", "its 256 bytes at TO"),
    (4, "Write", "run past the end of the offsets"),
    (5, "Read Request", "no memory is registered there under its Source STag"),
    (6, "Read Request", "no memory is registered there under its Source STag"),
    (7, "Read Request", "its 256 bytes at TO"),
    // Memory without the right to be written: siw calls the STag invalid.
    (11, "Write", "STag"),
    (12, "Write", "STag"),
    // Memory of another protection domain.
    (15, "Write", "is not for use on this stream"),
    (16, "Read Request", "is not for use on this stream"),
    // No receive posted, and receives of 64 bytes for 4096 and 65.
    (17, "Send", "no receive buffer"),
    (18, "Send", "no receive buffer"),
    (19, "Send", "no receive buffer"),
    (20, "Write", "do not lie within the memory"),
    (21, "Read Request", "its 20000 bytes at TO"),
];

#[test]
fn each_deliberate_error_is_told_in_a_sentence() {
    let seen = see("captures/e1-terminate-stock.pcap");
    let terminates: Vec<_> = seen.that(Happened::Terminated).collect();
    assert_eq!(terminates.len(), DELIBERATE.len());
    for (terminate, (connection, message, words)) in terminates.iter().zip(DELIBERATE) {
        assert_eq!(terminate.connection, connection);
        let sentence = terminate.explanation.as_ref().unwrap();
        let frame = terminate.cause.unwrap();
        let begin = format!(
            "the responder 10.66.0.1 refuses the {message} of the initiator 10.66.0.2 in frame {frame} "
        );
        assert!(sentence.starts_with(&begin), "{connection}: {sentence}");
        assert!(sentence.contains(words), "{connection}: {sentence}");
    }
}

/// siw echoes a segment length without the header's 18 bytes or 14, and the read's size as MSN.
#[test]
fn what_is_echoed_wrongly_is_told() {
    let seen = see("captures/e1-terminate-stock.pcap");
    let sentences: Vec<_> =
        seen.that(Happened::Terminated).filter_map(|seen| seen.explanation.clone()).collect();
    assert!(sentences[0].ends_with("it echoes DDP segment length 256, the segment had 270"));
    assert!(sentences[16].ends_with("it echoes MSN 20000, the segment had 1"));
}

/// Requests that a Terminate refuses are told of, and wait no longer.
#[test]
fn refused_requests_are_followed_no_more() {
    let seen = see("captures/e1-terminate-stock.pcap");
    let refused: Vec<_> = seen.that(Happened::Refused).map(|seen| seen.connection).collect();
    assert_eq!(refused, [5, 6, 7, 16, 21]);
}

/// A Terminate for each defined error, each after one message: those that echo a header name the
/// frame before theirs, those of MPA and of local catastrophes name none.
#[test]
fn synthetic_terminates_name_the_frame_before() {
    let seen = see("synthetic/terminate-all.pcap");
    let mut named = 0;
    for terminate in seen.that(Happened::Terminated) {
        let frame = terminate.operation.request.first_frame;
        let sentence = terminate.explanation.as_ref().unwrap();
        match terminate.cause {
            Some(cause) => {
                named += 1;
                assert_eq!(cause + 1, frame, "{sentence}");
                assert!(sentence.contains(" refuses the "), "{sentence}");
            }
            None => assert!(sentence.contains(" gives the stream up"), "{sentence}"),
        }
    }
    // 24 errors that echo a header, and one more whose segment length is wrong.
    assert_eq!(named, 25);
}
