use super::*;
use crate::bug::Bugs;
use crate::memory::{Accessor, Memory};
use crate::violation::Violation;
use proptest::prelude::*;
use warpscope_wire::ddp::{HeaderView, UntaggedView};
use warpscope_wire::rdmap::{Message, RdmapControl, SegmentView};

const HERE: Accessor = Accessor { stream: 1, protection_domain: 1 };

fn cut(mut message: OutMessage, mulpdu: u16) -> Vec<Vec<u8>> {
    let memory = Memory::new(|| 0x100);
    let mut segments = Vec::new();
    loop {
        let cut = message.segment(mulpdu, &memory, HERE).unwrap();
        assert_eq!(cut.length(), cut.spans().concat().len());
        segments.push(cut.spans().concat());
        if cut.last {
            return segments;
        }
    }
}

fn message(kind: Message, target: Target, length: usize) -> OutMessage {
    let version = if kind.requires_version_2() { 2 } else { 1 };
    let control = RdmapControl::new(version, kind).unwrap();
    OutMessage::of(control, target, vec![5; length], Origin::Indication)
}

const QUEUED: Target = Target::Untagged { invalidate_steering_tag: 0, message_sequence_number: 9 };
const TAGGED: Target = Target::Tagged { steering_tag: 3, tagged_offset: 16384 };

/// The two examples of RFC 5041 section 5.2.
#[test]
fn messages_are_cut_as_the_examples_are() {
    let parts = |segments: Vec<Vec<u8>>| -> Vec<(u64, usize, bool)> {
        let parts = segments.iter().map(|ulpdu| {
            let view = SegmentView::parse(ulpdu).unwrap();
            let offset = match view.header {
                HeaderView::Tagged(header) => header.tagged_offset(),
                HeaderView::Untagged(header) => header.message_offset().into(),
            };
            (offset, view.payload.len(), view.header.control().last())
        });
        parts.collect()
    };
    let queued = cut(message(Message::Send, QUEUED, 2048), 1500);
    assert_eq!(parts(queued), [(0, 1482, false), (1482, 566, true)]);
    let tagged = cut(message(Message::Write, TAGGED, 2048), 1500);
    assert_eq!(parts(tagged), [(16384, 1486, false), (17870, 562, true)]);
    // A message of no bytes takes exactly one segment.
    assert_eq!(parts(cut(message(Message::Write, TAGGED, 0), 1500)), [(16384, 0, true)]);
    // One byte a segment.
    assert_eq!(parts(cut(message(Message::Send, QUEUED, 2), 19)), [(0, 1, false), (1, 1, true)]);
}

/// ext-v2 section 5.3: Immediate Data stands alone in the last segment.
#[test]
fn immediate_data_stands_alone() {
    for (length, count) in [(0, 1), (1, 2), (2000, 3)] {
        let mut with = message(Message::SendImmediate, QUEUED, length);
        with.immediate = Some([1, 2, 3, 4, 5, 6, 7, 8]);
        let segments = cut(with, 1500);
        assert_eq!(segments.len(), count);
        let last = SegmentView::parse(segments.last().unwrap()).unwrap();
        assert_eq!(last.payload, [1, 2, 3, 4, 5, 6, 7, 8]);
        let HeaderView::Untagged(header) = last.header else { panic!("tagged") };
        assert_eq!(header.message_offset() as usize, length);
        for segment in &segments[..count - 1] {
            assert!(!SegmentView::parse(segment).unwrap().header.control().last());
        }
    }
}

fn header(sequence_number: u32, offset: u32) -> [u8; 18] {
    let mut bytes = [0; 18];
    bytes[..2].copy_from_slice(&[0x01, 0x43]);
    bytes[10..14].copy_from_slice(&sequence_number.to_be_bytes());
    bytes[14..].copy_from_slice(&offset.to_be_bytes());
    bytes
}

/// RFC 5041 section 4.3: after 0xFFFFFFFF comes 0, for what is sent and for what is received.
#[test]
fn message_sequence_numbers_wrap() {
    let mut numbers = SequenceNumbers::new(Bugs::NONE);
    assert_eq!(numbers.take(0), 1);
    let mut numbers = numbers.with_next(u32::MAX);
    assert_eq!([numbers.take(1), numbers.take(1), numbers.take(1)], [u32::MAX, 0, 1]);
    assert_eq!(numbers.take(3), u32::MAX);
    let mut queue = Queue::default().with_next(u32::MAX);
    for number in [u32::MAX, 0, 1] {
        let bytes = header(number, 0);
        let view = UntaggedView::parse(&bytes).unwrap().0;
        assert_eq!(queue.check(&view, 1, Some(8)), Ok(()));
        let ahead = header(number.wrapping_add(1), 0);
        let ahead = UntaggedView::parse(&ahead).unwrap().0;
        let found = queue.check(&ahead, 1, Some(8));
        assert_eq!(found, Err(Violation::MessageSequenceNumber));
        queue.take(&view, 0x43, b"x", false);
        assert_eq!(queue.finish(), b"x");
    }
}

/// RFC 5041 section 7.1: Message Offsets up to the last of 32 bits are compared, and added, as they
/// are.
#[test]
fn the_last_message_offset_does_not_wrap() {
    let queue = Queue::default();
    for (offset, payload) in [(u32::MAX, 0), (u32::MAX, 1), (u32::MAX - 3, 8)] {
        let bytes = header(1, offset);
        let view = UntaggedView::parse(&bytes).unwrap().0;
        for room in [8, usize::MAX] {
            let found = queue.check(&view, payload, Some(room));
            assert_eq!(found, Err(Violation::MessageOffset));
        }
    }
}

proptest! {
    /// Against a list of all bytes.
    #[test]
    fn parts_are_the_bytes_that_were_added(
        added in proptest::collection::vec((0..40_u64, 0..10_u64), 0..30),
    ) {
        let (mut parts, mut there) = (Parts::default(), [false; 50]);
        let whole = |there: &[bool], end: u64| (0..).zip(there).all(|(at, is)| *is == (at < end));
        for (start, length) in added {
            let end = start + length;
            there[start as usize..end as usize].fill(true);
            prop_assert_eq!(parts.are_whole_with(start, end), whole(&there, end));
            if length > 0 {
                parts.add(start, end);
            }
            let contiguous = there.iter().take_while(|is| **is).count() as u64;
            prop_assert_eq!(parts.contiguous(), contiguous);
            let last = there.iter().rposition(|is| *is);
            prop_assert_eq!(parts.end(), last.map_or(0, |at| at as u64 + 1));
            prop_assert_eq!(parts.are_whole(contiguous), whole(&there, contiguous));
        }
    }
}

/// Segments whose offsets go backwards, with a hole before each, and then those for the holes. It takes minutes
/// if all parts are gone through for each.
#[test]
fn a_message_may_come_in_many_parts() {
    const PARTS: u32 = 1 << 17;
    let mut queue = Queue::default();
    let backwards = (0..PARTS).rev().map(|at| 2 * at);
    for offset in backwards.chain((0..PARTS).map(|at| 2 * at + 1)) {
        let bytes = header(1, offset);
        let view = UntaggedView::parse(&bytes).unwrap().0;
        queue.take(&view, 0x43, b"x", true);
    }
    assert!(queue.parts.are_whole(u64::from(2 * PARTS)));
}
