//! Rules about lengths and flags that one changed field does not show.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "so tests fail")]

use warpscope_wire::Illegal;
use warpscope_wire::rdmap::{
    Destination, Message, RdmapControl, Segment, Terminate, TerminateView,
};

/// A segment of `message`, at an offset, with so many bytes of payload.
fn segment(
    message: Message,
    last: bool,
    message_offset: u32,
    length: usize,
) -> Result<(), Illegal> {
    let version = if message.requires_version_2() { 2 } else { 1 };
    let control = RdmapControl::new(version, message).unwrap();
    let destination = Destination::Untagged {
        invalidate_steering_tag: 0,
        message_sequence_number: 1,
        message_offset,
    };
    Segment::new(control, last, destination, &vec![0; length]).map(|_| ())
}

/// RFC 5040 figure 5 and its like: a message that is a header has that header's length, in one
/// segment or in several.
#[test]
fn headers_have_one_length() {
    let headers = [
        (Message::ReadRequest, 28),
        (Message::Immediate, 8),
        (Message::AtomicRequest, 52),
        (Message::AtomicResponse, 12),
        (Message::FlushRequest, 20),
        (Message::AtomicWriteRequest, 24),
        (Message::ReadV2Request, 16),
    ];
    for (message, length) in headers {
        assert_eq!(segment(message, true, 0, length), Ok(()), "{message:?}");
        assert_eq!(segment(message, false, 0, 4), Ok(()), "{message:?}");
        assert_eq!(segment(message, true, 4, length - 4), Ok(()), "{message:?}");
        for (last, offset, wrong) in [
            (true, 0, length - 1),
            (true, 0, length + 1),
            (true, 4, length),
            (false, 4, length),
            (true, u32::MAX, length),
        ] {
            let illegal = segment(message, last, offset, wrong).unwrap_err();
            assert_eq!((illegal.field, illegal.value), ("payload length", wrong as u64));
        }
    }
}

/// Whether a last segment at an offset may have so many bytes.
#[test]
fn payloads_have_their_length() {
    use Message::*;
    for (message, offset, length, legal) in [
        // rdma-commit §3.1.1.2 and §3.1.3.2: these responses carry nothing.
        (FlushResponse, 0, 0, true),
        (FlushResponse, 0, 1, false),
        (FlushResponse, 1, 0, false),
        (AtomicWriteResponse, 0, 0, true),
        (AtomicWriteResponse, 0, 1, false),
        (AtomicWriteResponse, 1, 0, false),
        // A Terminate's first word, and a Verify Request's range, must be there.
        (Terminate, 0, 3, false),
        (Terminate, 0, 4, true),
        (Terminate, 0, 9, true),
        (VerifyRequest, 0, 15, false),
        (VerifyRequest, 0, 16, true),
        (VerifyRequest, 0, 21, true),
        // ext-v2 §5.3: the last segment of a Send with Immediate is the Immediate Data alone.
        (SendImmediate, 100, 7, false),
        (SendImmediate, 100, 8, true),
        (SendImmediate, 100, 9, false),
        // A tagged message does not go to a queue.
        (Write, 0, 1, false),
    ] {
        let made = segment(message, true, offset, length);
        assert_eq!(made.is_ok(), legal, "{message:?}, {length} bytes at {offset}");
    }
    assert_eq!(segment(SendImmediate, false, 100, 7), Ok(()));
}

#[test]
fn versions_have_their_messages_and_those_for_a_queue_are_not_tagged() {
    assert!(RdmapControl::new(1, Message::SendImmediate).is_err());
    assert!(RdmapControl::new(2, Message::AtomicWriteResponse).is_err());
    assert!(RdmapControl::new(3, Message::Send).is_err());
    assert!(RdmapControl::new(0, Message::Send).is_ok());
    let control = RdmapControl::new(1, Message::Send).unwrap();
    let destination = Destination::Tagged { steering_tag: 1, tagged_offset: 2 };
    assert!(Segment::new(control, true, destination, &[]).is_err());
}

/// RFC 5040 §4.8: the bits of HdrCt go with what follows.
#[test]
fn terminate_header_control() {
    let illegal = |bytes: &[u8]| {
        Terminate::try_from(TerminateView::parse(bytes).unwrap()).map_err(|illegal| illegal.field)
    };
    let first = |bits: u8| [0x11, 0x00, bits, 0x00];
    let tagged = [0xc1, 0x40, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2];
    assert!(illegal(&first(0)).is_ok());
    assert!(illegal(&[&first(0xc0)[..], &[0, 14], &tagged].concat()).is_ok());
    assert_eq!(illegal(&[&first(0x80)[..], &[0, 14]].concat()), Err("HdrCt"));
    assert_eq!(illegal(&[&first(0x40)[..], &[0, 14], &tagged].concat()), Err("HdrCt"));
    assert_eq!(illegal(&[&first(0x20)[..], &[0; 28]].concat()), Err("HdrCt"));
    assert_eq!(illegal(&[&first(0xc0)[..], &[0, 14], &tagged, &[0]].concat()), Err("length"));
    assert_eq!(illegal(&[&first(0xc0)[..], &[0, 14], &tagged[1..]].concat()), Err("length"));
}
