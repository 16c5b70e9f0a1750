//! Streams against each other, and against bytes by hand.

use super::{CrcSeen, Cuts, Delivery, MessageOut, Part, RawStream, Received, SetupOut};
use std::time::Duration;

/// Everything that is sent of these parts.
fn bytes(stream: &mut RawStream, parts: &[Part]) -> Vec<u8> {
    stream.send(parts).into_iter().flat_map(|it| it.bytes).collect()
}

/// Two streams whose setup is over; the second asks for markers, so the first sends them.
fn pair() -> (RawStream, RawStream) {
    let mut streams = (RawStream::new(), RawStream::new());
    let request = bytes(&mut streams.0, &[Part::Setup(SetupOut::request(b""))]);
    streams.1.receive(&request);
    let reply = SetupOut { markers: true, ..SetupOut::reply(b"") };
    let reply = bytes(&mut streams.1, &[Part::Setup(reply)]);
    streams.0.receive(&reply);
    streams
}

#[test]
fn markers_and_segments_are_put_together() {
    let (mut left, mut right) = pair();
    right.buffers.offer(5, 0x100, vec![0; 5000]);
    let payload: Vec<u8> = (0..5000_u32).map(|it| it as u8).collect();
    let write = MessageOut::write(5, 0x100, &payload);
    let parts = [Part::Message(write), Part::Message(MessageOut::send(b"done"))];
    for byte in bytes(&mut left, &parts) {
        right.receive(&[byte]);
    }
    let [_, write, send] = right.received() else { panic!("{:?}", right.received()) };
    let (Received::Message(write), Received::Message(send)) = (write, send) else {
        panic!("two messages");
    };
    assert!(write.faults.is_empty() && write.segments.len() == 4);
    assert!(write.segments.iter().flat_map(|it| &it.markers).all(|it| it.pointer == it.expected));
    assert!(write.segments.iter().all(|it| it.crc == CrcSeen::Right));
    assert_eq!(right.buffers.find(5).unwrap().bytes, payload);
    assert_eq!(send.payload, b"done");
    assert_eq!(right.partial(), None);
}

/// RFC 5040 §5.2.2: the response goes where the request says, and carries what it asks for.
#[test]
fn a_read_is_answered() {
    let (mut left, mut right) = pair();
    right.buffers.offer(9, 0, b"0123456789".to_vec());
    left.buffers.offer(7, 0x40, vec![0; 4]);
    let request = MessageOut::read_request((7, 0x40), 4, (9, 3));
    let request = bytes(&mut left, &[Part::Message(request)]);
    right.receive(&request);
    for write in right.take_answers() {
        left.receive(&write.bytes);
    }
    assert_eq!(left.buffers.find(7).unwrap().bytes, b"3456");
    // Beyond the buffer: no answer.
    let request = MessageOut::read_request((7, 0x40), 4, (9, 7));
    let request = bytes(&mut left, &[Part::Message(request)]);
    right.receive(&request);
    assert!(right.take_answers().is_empty());
}

#[test]
fn cuts() {
    let mut stream = RawStream::new();
    let none: &[&[u8]] = &[];
    for (cuts, parts, expected) in [
        (Cuts::Whole, &[&b"ab"[..], b"c"][..], &[&b"abc"[..]][..]),
        (Cuts::Every(2), &[b"abcd", b"e"], &[b"ab", b"cd", b"e"]),
        (Cuts::At(vec![3, 1, 9]), &[b"abcd"], &[b"a", b"bc", b"d"]),
        (Cuts::Whole, none, none),
    ] {
        let parts: Vec<Part> = parts.iter().map(|it| Part::Raw(it.to_vec())).collect();
        let delivery = Delivery { cuts, gap: Duration::from_millis(1) };
        let sent = stream.send_cut(&parts, &delivery).into_iter().map(|it| it.bytes);
        assert_eq!(sent.collect::<Vec<_>>(), expected);
    }
}

/// What is kept back goes out in front of the next sending.
#[test]
fn bytes_that_stay_back() {
    let mut stream = RawStream::new();
    let mut sent = |parts: &[Part]| bytes(&mut stream, parts);
    let raw = |bytes: &[u8]| Part::Raw(bytes.to_vec());
    assert_eq!(sent(&[raw(b"abcd"), Part::KeptBack(3)]), b"a");
    assert_eq!(sent(&[raw(b"e"), Part::KeptBack(9)]), b"");
    assert_eq!(sent(&[raw(b"")]), b"bcde");
}

/// RFC 5041 §5.3: each queue counts its own messages from 1.
#[test]
fn sequences_count_by_queue() {
    let mut stream = RawStream::new();
    let send = || Part::Message(MessageOut::send(b""));
    bytes(
        &mut stream,
        &[send(), send(), Part::Message(MessageOut::read_request((0, 0), 0, (0, 0)))],
    );
    assert_eq!((stream.next_sequence(0), stream.next_sequence(1)), (3, 2));
    assert_eq!(stream.sent().len(), 3);
}

#[test]
fn a_setup_frame_byte_by_byte() {
    let mut stream = RawStream::new();
    for (count, byte) in b"MPA ID Rep Frame\x20\x01\x00\x01x".iter().enumerate() {
        assert_eq!(stream.receive(&[*byte]).len(), usize::from(count == 20));
    }
    let setup = stream.peer_setup().unwrap();
    assert!(setup.rejected() && setup.private_data() == b"x");
    let mut other = RawStream::new();
    other.receive(b"MPA IX");
    assert!(matches!(other.received().last(), Some(Received::Unreadable(..))));
}
