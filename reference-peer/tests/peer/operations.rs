//! Operations of every document between two connections.

use crate::pair::End;
use crate::prelude::*;
use crate::raw::Remembering;
use warpscope_peer::memory::AccessViolation;
use warpscope_peer::work::{PostError, Received};

fn received(bytes: &[u8]) -> Received {
    Received { bytes: bytes.to_vec(), immediate: None, invalidated: None, solicited: false }
}

/// RFC 5040 section 5.5: what a Write placed is there when the Send after it is delivered.
#[test]
fn a_write_is_placed_before_the_send_behind_it() {
    let mut pair = Pair::open();
    let (here, there) = pair.both();
    let sink = there.region(vec![0; 10_000], Rights::WRITE);
    let source = here.region(pattern(4000), Rights::NONE);
    there.connection.post_receive(9, 16).unwrap();
    let write = Operation::Write {
        source: Source::Region(local(source, 0), 4000),
        remote: remote(sink, 1000),
    };
    here.post(1, write);
    here.post(2, Operation::send(b"written"));
    while pair.ends[RESPONDER].completions.is_empty() {
        assert!(pair.transmit(INITIATOR));
        pair.arrive(INITIATOR);
    }
    let bytes = pair.ends[RESPONDER].memory.bytes(sink).unwrap();
    assert_eq!(bytes[1000..5000], pattern(4000));
    assert!(bytes[..1000].iter().chain(&bytes[5000..]).all(|byte| *byte == 0));
}

/// RFC 5040 section 5.5: a Send has completed, its bytes in place, when a Read after it is answered.
#[test]
fn a_send_is_placed_before_the_read_behind_it_is_answered() {
    let mut pair = Pair::open();
    let (here, there) = pair.both();
    let room = there.region(vec![0; 16], Rights::READ);
    let sink = here.region(vec![0; 16], Rights::NONE);
    let End { connection, memory, .. } = there;
    connection.post_receive_into(memory, 9, local(room, 4), 12).unwrap();
    let over = connection.post_receive_into(memory, 10, local(room, 5), 12);
    assert_eq!(over, Err(PostError::LocalBuffer(AccessViolation::Bounds)));
    here.post(1, Operation::send(b"sent"));
    here.post(2, read_op(local(sink, 0), 16, remote(room, 0)));
    pair.run();
    assert_eq!(pair.ends[INITIATOR].memory.bytes(sink).unwrap(), b"\0\0\0\0sent\0\0\0\0\0\0\0\0");
    let got = &pair.ends[RESPONDER].completions;
    assert_eq!(got[0].result, Ok(Outcome::Received(received(b"sent"))));
}

/// RFC 5040 sections 5.1 and 5.2.1: no bytes need no STag.
#[test]
fn operations_of_no_bytes_need_no_buffer() {
    let mut pair = Pair::open();
    let (here, _) = pair.both();
    here.post(1, write_op(&[], remote(0, 77)));
    here.post(2, read_op(local(0, 5), 0, remote(0, 6)));
    pair.run();
    assert_eq!(pair.ends[INITIATOR].completed(), [(1, true), (2, true)]);
}

/// A response must be able to reach the sink that the request names.
#[test]
fn the_sink_of_a_read_is_this_streams() {
    let mut pair = Pair::open();
    let (here, _) = pair.both();
    let other = Registration::stream(STREAM.stream + 1, Rights::ALL);
    let sink = here.memory.register(vec![0; 8], other).unwrap();
    let read = read_op(local(sink, 0), 8, remote(1, 0));
    let refused = here.connection.post(&here.memory, WorkRequest::new(1, read));
    assert_eq!(refused, Err(PostError::LocalBuffer(AccessViolation::NotAssociated)));
}

/// RFC 5040 section 5.3, both kinds of Invalidate, and SE; ext-v2 section 5, the same with Immediate Data.
#[test]
fn sends_invalidate_and_solicit() {
    for (profile, immediate) in [(Profile::RFC5040, None), (Profile::EXT_V2, Some(5))] {
        let mut pair = Pair::opened(configs_with(|config| config.profile = profile));
        let (here, there) = pair.both();
        let tags = [(); 2].map(|()| there.region(vec![0; 8], Rights::WRITE));
        let cases = [(Some(tags[0]), false), (None, true), (Some(tags[1]), true)];
        for (name, (invalidate, solicited)) in (0..).zip(cases) {
            there.connection.post_receive(name, 8).unwrap();
            here.post(name, send_op(b"x", invalidate, solicited, immediate));
        }
        pair.run();
        let there = &pair.ends[RESPONDER];
        for (completion, (invalidated, solicited)) in there.completions.iter().zip(cases) {
            let due = Received { invalidated, solicited, immediate, ..received(b"x") };
            assert_eq!(completion.result, Ok(Outcome::Received(due)));
        }
        assert!(tags.iter().all(|tag| !there.memory.is_valid(*tag)));
        let solicited = there.events.iter().filter(|event| **event == Event::Solicited);
        assert_eq!((there.completions.len(), solicited.count()), (3, 2));
    }
}

/// RFC 5040 section 5.5 rule 12: a fence holds what follows until the Read is there.
#[test]
fn a_fence_holds_until_reads_are_done() {
    let mut pair = Pair::open();
    let (here, there) = pair.both();
    let region = there.region(vec![1; 3000], Rights::READ | Rights::WRITE);
    let sink = here.region(vec![0; 3000], Rights::NONE);
    let read = read_op(local(sink, 0), 3000, remote(region, 0));
    here.post(1, read);
    let write = write_op(&vec![2; 3000], remote(region, 0));
    let fenced = WorkRequest { identifier: 2, fence: true, operation: write };
    here.connection.post(&here.memory, fenced).unwrap();
    // All that can be sent before the response: the Read Request.
    while pair.transmit(INITIATOR) {}
    while pair.arrive(INITIATOR) {}
    assert_eq!(pair.ends[RESPONDER].memory.bytes(region).unwrap(), vec![1; 3000]);
    pair.run();
    assert_eq!(pair.ends[INITIATOR].memory.bytes(sink).unwrap(), vec![1; 3000]);
    assert_eq!(pair.ends[RESPONDER].memory.bytes(region).unwrap(), vec![2; 3000]);
}

/// What they carry is the same: random schedules have every packing.
#[test]
fn only_unaligned_packing_fills_tcp_segments() {
    for packing in [Packing::One, Packing::Several, Packing::Unaligned] {
        let mut pair = Pair::opened(configs_with(|config| {
            (config.packing, config.longest_ulpdu) = (packing, Some(200));
            config.setup.markers = true;
        }));
        let (here, there) = pair.both();
        there.connection.post_receive(9, 4000).unwrap();
        here.post(1, Operation::send(&pattern(4000)));
        pair.run();
        let got = &pair.ends[RESPONDER].completions[0].result;
        assert_eq!(*got, Ok(Outcome::Received(received(&pattern(4000)))));
        let sent = pair.transcript.iter().filter_map(|(_, bytes)| bytes.as_ref());
        let longest = sent.map(Vec::len).max().unwrap();
        assert_eq!((longest <= 1460, longest == 1460), (true, packing == Packing::Unaligned));
    }
}

#[test]
fn closing_waits_for_what_was_posted() {
    let mut pair = Pair::open();
    let (here, there) = pair.both();
    let source = there.region(pattern(9000), Rights::READ);
    let sink = here.region(vec![0; 9000], Rights::NONE);
    here.post(1, read_op(local(sink, 0), 9000, remote(source, 0)));
    here.connection.finish();
    let late = here.connection.post(&here.memory, WorkRequest::new(2, Operation::send(b"late")));
    assert_eq!(late, Err(PostError::Closed));
    pair.run();
    assert_eq!(pair.ends[INITIATOR].completed(), [(1, true)]);
    assert!(pair.ends[RESPONDER].events.contains(&Event::FinishReceived));
    // RFC 5041 section 6.2.1: the other half may still send.
    pair.ends[INITIATOR].connection.post_receive(3, 16).unwrap();
    pair.ends[RESPONDER].post(4, Operation::send(b"half closed"));
    pair.ends[RESPONDER].connection.finish();
    pair.run();
    let last = pair.ends[INITIATOR].completions.last().unwrap();
    assert_eq!(last.result, Ok(Outcome::Received(received(b"half closed"))));
    assert!(pair.ends.iter().all(|end| end.connection.is_ended()));
}

/// RFC 7306 section 5.2.
#[test]
fn atomics_return_the_word_before() {
    let mut pair = Pair::opened(configs_with(|config| config.profile = Profile::RFC7306));
    let (here, there) = pair.both();
    let word = there.region(7_u64.to_ne_bytes().repeat(2), Rights::ATOMIC);
    let add = |add_data| AtomicOperation::FetchAdd { add_data, add_mask: 0 };
    let swap = AtomicOperation::CmpSwap {
        swap_data: 100,
        swap_mask: u64::MAX,
        compare_data: 10,
        compare_mask: u64::MAX,
    };
    for (name, operation) in [(1, add(3)), (2, swap), (3, swap), (4, add(u64::MAX))] {
        here.post(name, atomic_op(operation, remote(word, 8)));
    }
    pair.run();
    let originals = pair.ends[INITIATOR].completions.iter().map(|it| it.result.clone());
    assert!(originals.eq([7, 10, 100, 100].map(|word| Ok(Outcome::Original(word)))));
    // RFC 7306 section 5.2.1: the identifiers tell the requests apart.
    let sent = pair.transcript.iter().filter(|(side, _)| *side == INITIATOR);
    let requests = sent.filter_map(|(_, bytes)| bytes.as_ref()).skip(1);
    let identifiers = requests.map(|bytes| bytes[24..28].to_vec());
    assert!(identifiers.eq((0..4_u32).map(|identifier| identifier.to_be_bytes().to_vec())));
    let bytes = pair.ends[RESPONDER].memory.bytes(word).unwrap();
    assert_eq!(bytes[8..], 99_u64.to_ne_bytes());
    assert_eq!(bytes[..8], 7_u64.to_ne_bytes());
}

/// rdma-commit section 3.1.1.
#[test]
fn a_flush_is_answered_when_the_bytes_last() {
    let mut pair = Pair::opened(configs_with(|config| config.profile = Profile::COMMIT));
    let (here, there) = pair.both();
    let store = Remembering::default();
    let tag = store.region(&mut there.memory, 64);
    here.post(1, write_op(&pattern(16), remote(tag, 8)));
    here.post(2, flush_op(remote(tag, 8), 8, [true, true]));
    here.post(3, Operation::AtomicWrite { remote: remote(tag, 0), data: 0x1122 });
    pair.run();
    assert_eq!(pair.ends[INITIATOR].completed(), [(1, true), (2, true), (3, true)]);
    assert_eq!(*store.flushed.lock().unwrap(), [(8, pattern(16)[..8].to_vec())]);
    let bytes = pair.ends[RESPONDER].memory.bytes(tag).unwrap();
    assert_eq!(bytes[..8], 0x1122_u64.to_ne_bytes());
}

/// The SHA-256 of "abc" (FIPS 180-2 appendix B.1).
const ABC: [u8; 32] = [
    0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea, 0x41, 0x41, 0x40, 0xde, 0x5d, 0xae, 0x22, 0x23,
    0xb0, 0x03, 0x61, 0xa3, 0x96, 0x17, 0x7a, 0x9c, 0xb4, 0x10, 0xff, 0x61, 0xf2, 0x00, 0x15, 0xad,
];

#[test]
fn a_verify_hashes_and_compares_all_bytes() {
    let mut pair = Pair::opened(configs_with(|config| config.profile = Profile::COMMIT));
    let (here, there) = pair.both();
    let tag = Remembering::default().region(&mut there.memory, 64);
    here.post(1, write_op(b"abc", remote(tag, 5)));
    let verify = |expected| Operation::Verify { remote: remote(tag, 5), length: 3, expected };
    here.post(2, verify(None));
    here.post(3, verify(Some(ABC.to_vec())));
    here.post(4, verify(Some(ABC[..31].to_vec())));
    here.post(5, verify(None));
    pair.run();
    let here = &pair.ends[INITIATOR];
    let ends = [(1, true), (2, true), (3, true), (4, false), (5, false)];
    assert_eq!(here.completed(), ends);
    assert_eq!(here.completions[1].result, Ok(Outcome::Hash(ABC.to_vec())));
    assert!(pair.ends[RESPONDER].events.contains(&Event::Violated(Violation::VerifyMismatch)));
}
