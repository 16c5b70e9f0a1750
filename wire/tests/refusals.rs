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

/// rdma-commit §3.1.1.2 and §3.1.3.2: these responses carry nothing.
#[test]
fn empty_responses_are_empty() {
    for message in [Message::FlushResponse, Message::AtomicWriteResponse] {
        assert_eq!(segment(message, true, 0, 0), Ok(()));
        assert!(segment(message, true, 0, 1).is_err());
        assert!(segment(message, true, 1, 0).is_err());
    }
}

/// A Terminate's first word, and a Verify Request's range, must be there.
#[test]
fn payloads_have_their_least_length() {
    for (message, least) in [(Message::Terminate, 4), (Message::VerifyRequest, 16)] {
        assert_eq!(segment(message, true, 0, least), Ok(()));
        assert_eq!(segment(message, true, 0, least + 5), Ok(()));
        assert!(segment(message, true, 0, least - 1).is_err());
    }
}

/// ext-v2 §5.3: the last segment of a Send with Immediate is the Immediate Data alone.
#[test]
fn immediate_data_is_alone() {
    assert_eq!(segment(Message::SendImmediate, true, 100, 8), Ok(()));
    assert_eq!(segment(Message::SendImmediate, false, 100, 7), Ok(()));
    assert!(segment(Message::SendImmediate, true, 100, 7).is_err());
    assert!(segment(Message::SendImmediate, true, 100, 9).is_err());
}

#[test]
fn versions_have_their_messages() {
    assert!(RdmapControl::new(1, Message::SendImmediate).is_err());
    assert!(RdmapControl::new(2, Message::AtomicWriteResponse).is_err());
    assert!(RdmapControl::new(3, Message::Send).is_err());
    assert!(RdmapControl::new(0, Message::Send).is_ok());
}

/// A tagged message does not go to a queue, nor the other way round.
#[test]
fn buffer_models_do_not_mix() {
    assert!(segment(Message::Write, true, 0, 1).is_err());
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
