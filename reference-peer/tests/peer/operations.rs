//! The operations of RFC 5040 between two connections.

use crate::pair::End;
use crate::prelude::*;
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

#[test]
fn every_packing_and_cut_carries_the_same() {
    for packing in [Packing::One, Packing::Several, Packing::Unaligned] {
        for cut in [0, 1, 3, 700] {
            let mut pair = Pair::opened(configs_with(|config| {
                config.packing = packing;
                config.longest_ulpdu = Some(200);
                config.setup.markers = true;
            }));
            pair.cut = cut;
            let (here, there) = pair.both();
            let source = there.region(pattern(3000), Rights::READ);
            let sink = here.region(vec![0; 3000], Rights::NONE);
            there.connection.post_receive(9, 4000).unwrap();
            here.post(1, Operation::send(&pattern(4000)));
            here.post(2, read_op(local(sink, 0), 3000, remote(source, 0)));
            pair.run();
            assert_eq!(pair.ends[INITIATOR].memory.bytes(sink).unwrap(), pattern(3000));
            let got = &pair.ends[RESPONDER].completions[0].result;
            assert_eq!(*got, Ok(Outcome::Received(received(&pattern(4000)))));
            let bytes = pair.transcript.iter().filter_map(|(_, bytes)| bytes.as_ref());
            assert!(bytes.clone().all(|bytes| bytes.len() <= 1460));
            let full = bytes.filter(|bytes| bytes.len() == 1460).count();
            assert_eq!(full > 0, packing == Packing::Unaligned);
        }
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

#[test]
fn what_a_lost_connection_leaves_is_flushed() {
    let mut pair = Pair::open();
    let (here, _) = pair.both();
    let sink = here.region(vec![0; 8], Rights::NONE);
    here.connection.post_receive(1, 8).unwrap();
    here.post(2, read_op(local(sink, 0), 8, remote(5, 0)));
    here.connection.handle_reset();
    pair.transmit(INITIATOR);
    let here = &pair.ends[INITIATOR];
    assert!(here.connection.is_ended());
    assert_eq!(here.completions.len(), 2);
    for completion in &here.completions {
        assert_eq!(completion.result, Err(CompletionError::Flushed));
    }
    assert!(here.completions.iter().any(|it| it.kind == OperationKind::Receive));
}
