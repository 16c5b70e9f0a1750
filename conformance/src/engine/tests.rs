//! Links against each other, and against bytes by hand.

use super::{Cuts, Delivery, FpduStyle, Link, LinkOptions, MessageOut, Part, SetupOut, What};
use std::time::Duration;

const NOW: Duration = Duration::ZERO;

/// Everything that `link` sends of these parts.
fn bytes(link: &mut Link, parts: &[Part]) -> Vec<u8> {
    link.sending(parts, &Delivery::default()).into_iter().flat_map(|it| it.bytes).collect()
}

/// Two links whose setup is over; the second asks for markers, so the first sends them.
fn pair() -> (Link, Link) {
    let mut links = (Link::new(LinkOptions::default()), Link::new(LinkOptions::default()));
    let request = bytes(&mut links.0, &[Part::Setup(SetupOut::request(b""))]);
    links.1.receive(NOW, &request);
    let reply = SetupOut { markers: true, ..SetupOut::reply(b"") };
    let reply = bytes(&mut links.1, &[Part::Setup(reply)]);
    links.0.receive(NOW, &reply);
    links
}

#[test]
fn markers_and_segments_are_put_together() {
    let (mut left, mut right) = pair();
    right.buffers.offer(5, 0x100, vec![0; 5000]);
    let payload: Vec<u8> = (0..5000_u32).map(|it| it as u8).collect();
    let write = MessageOut::write(5, 0x100, &payload);
    let parts = [Part::message(write), Part::message(MessageOut::send(b"done"))];
    for byte in bytes(&mut left, &parts) {
        right.receive(NOW, &[byte]);
    }
    let [_, write, send] = right.arrivals() else { panic!("{:?}", right.arrivals()) };
    let (What::Message(write), What::Message(send)) = (&write.what, &send.what) else {
        panic!("two messages");
    };
    assert!(write.faults.is_empty() && write.segments.len() == 4);
    assert!(write.segments.iter().flat_map(|it| &it.markers).all(|it| it.pointer == it.due));
    assert!(write.segments.iter().all(|it| it.crc == super::CrcSeen::Right));
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
    let request = bytes(&mut left, &[Part::message(request)]);
    right.receive(NOW, &request);
    for write in right.take_answers() {
        left.receive(NOW, &write.bytes);
    }
    assert_eq!(left.buffers.find(7).unwrap().bytes, b"3456");
    // Beyond the buffer: no answer.
    let request = MessageOut::read_request((7, 0x40), 4, (9, 7));
    let request = bytes(&mut left, &[Part::message(request)]);
    right.receive(NOW, &request);
    assert!(right.take_answers().is_empty());
}

#[test]
fn cuts() {
    let mut link = Link::new(LinkOptions::default());
    let mut cut = |cuts, parts: &[&[u8]]| -> Vec<Vec<u8>> {
        let parts: Vec<Part> = parts.iter().map(|it| Part::Raw(it.to_vec())).collect();
        let delivery = Delivery { cuts, gap: Duration::from_millis(1) };
        link.sending(&parts, &delivery).into_iter().map(|it| it.bytes).collect()
    };
    assert_eq!(cut(Cuts::Whole, &[b"ab", b"c"]), [b"abc".to_vec()]);
    assert_eq!(cut(Cuts::Parts, &[b"ab", b"c"]), [b"ab".to_vec(), b"c".to_vec()]);
    assert_eq!(
        cut(Cuts::Every(2), &[b"abcd", b"e"]),
        [b"ab".to_vec(), b"cd".to_vec(), b"e".to_vec()]
    );
    assert_eq!(
        cut(Cuts::At(vec![3, 1, 9]), &[b"abcd"]),
        [b"a".to_vec(), b"bc".to_vec(), b"d".to_vec()]
    );
    assert!(cut(Cuts::Whole, &[]).is_empty());
}

/// What is kept back goes out in front of the next sending.
#[test]
fn bytes_that_stay_back() {
    let mut link = Link::new(LinkOptions::default());
    let mut sent = |parts: &[Part]| bytes(&mut link, parts);
    let raw = |bytes: &[u8]| Part::Raw(bytes.to_vec());
    assert_eq!(sent(&[raw(b"abcd"), Part::KeptBack(3)]), b"a");
    assert_eq!(sent(&[raw(b"e"), Part::KeptBack(9)]), b"");
    assert_eq!(sent(&[raw(b"")]), b"bcde");
}

/// RFC 5041 §5.3: each queue counts its own messages from 1.
#[test]
fn sequences_count_by_queue() {
    let mut link = Link::new(LinkOptions::default());
    let send = || Part::message(MessageOut::send(b""));
    let style = FpduStyle::default();
    bytes(&mut link, &[send(), Part::Segments(MessageOut::send(b""), style, vec![]), send()]);
    assert_eq!((link.next_sequence(0), link.next_sequence(1)), (4, 1));
    assert_eq!(link.sent().len(), 2);
}
