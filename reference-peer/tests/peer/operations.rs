//! The operations of RFC 5040 between two connections.

use crate::pair::End;
use crate::prelude::*;
use warpscope_peer::memory::AccessViolation;
use warpscope_peer::work::{PostError, Received};

fn received(bytes: &[u8]) -> Received {
    Received { bytes: bytes.to_vec(), immediate: None, invalidated: None, solicited: false }
}

#[test]
fn sends_arrive_in_order_with_their_lengths() {
    let mut pair = Pair::open();
    let (here, there) = pair.both();
    for (name, bytes) in [(1, pattern(0)), (2, pattern(1)), (3, pattern(5000))] {
        there.connection.post_receive(name, 5000).unwrap();
        here.post(name, Operation::send(&bytes));
    }
    pair.run();
    let got: Vec<_> = pair.ends[RESPONDER].completions.iter().collect();
    assert_eq!(got.len(), 3);
    for (at, length) in [0, 1, 5000].into_iter().enumerate() {
        assert_eq!(got[at].identifier, at as u64 + 1);
        assert_eq!(got[at].result, Ok(Outcome::Received(received(&pattern(length)))));
    }
    assert_eq!(pair.ends[INITIATOR].completed(), [(1, true), (2, true), (3, true)]);
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
    here.post(2, Operation::Read { sink: local(sink, 0), length: 16, remote: remote(room, 0) });
    pair.run();
    assert_eq!(pair.ends[INITIATOR].memory.bytes(sink).unwrap(), b"\0\0\0\0sent\0\0\0\0\0\0\0\0");
    let got = &pair.ends[RESPONDER].completions;
    assert_eq!(got[0].result, Ok(Outcome::Received(received(b"sent"))));
}

#[test]
fn reads_complete_in_order_and_not_over_the_depth() {
    let mut configs = configs();
    configs[INITIATOR].setup.ord = 3;
    configs[RESPONDER].setup.ird = 3;
    let mut pair = Pair::opened(configs);
    let (here, there) = pair.both();
    let source = there.region(pattern(20_000), Rights::READ);
    let sink = here.region(vec![0; 20_000], Rights::NONE);
    for name in 0..20 {
        let at = name * 1000;
        let read =
            Operation::Read { sink: local(sink, at), length: 1000, remote: remote(source, at) };
        here.post(name, read);
    }
    pair.run();
    let names: Vec<_> = (0..20).map(|name| (name, true)).collect();
    assert_eq!(pair.ends[INITIATOR].completed(), names);
    assert_eq!(pair.ends[INITIATOR].memory.bytes(sink).unwrap(), pattern(20_000));
    assert!(pair.ends[RESPONDER].events.iter().all(|it| !matches!(it, Event::Violated(_))));
}

/// RFC 5040 sections 5.1 and 5.2.1: no bytes need no STag.
#[test]
fn operations_of_no_bytes_need_no_buffer() {
    let mut pair = Pair::open();
    let (here, _) = pair.both();
    here.post(1, Operation::Write { source: (&[][..]).into(), remote: remote(0, 77) });
    here.post(2, Operation::Read { sink: local(0, 5), length: 0, remote: remote(0, 6) });
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
    let read = Operation::Read { sink: local(sink, 0), length: 8, remote: remote(1, 0) };
    let refused = here.connection.post(&here.memory, WorkRequest::new(1, read));
    assert_eq!(refused, Err(PostError::LocalBuffer(AccessViolation::NotAssociated)));
}

/// RFC 5040 section 5.3, both kinds of Invalidate, and SE.
#[test]
fn sends_invalidate_and_solicit() {
    let mut pair = Pair::open();
    let (here, there) = pair.both();
    let tags = [(); 2].map(|()| there.region(vec![0; 8], Rights::WRITE));
    for name in 0..3 {
        there.connection.post_receive(name, 8).unwrap();
    }
    let send = |invalidate, solicited| Operation::Send {
        source: b"x"[..].into(),
        invalidate,
        solicited,
        immediate: None,
    };
    here.post(0, send(Some(tags[0]), false));
    here.post(1, send(None, true));
    here.post(2, send(Some(tags[1]), true));
    pair.run();
    let there = &pair.ends[RESPONDER];
    let got = there.completions.iter().map(|completion| match &completion.result {
        Ok(Outcome::Received(received)) => (received.invalidated, received.solicited),
        other => panic!("{other:?}"),
    });
    assert!(got.eq([(Some(tags[0]), false), (None, true), (Some(tags[1]), true)]));
    assert!(tags.iter().all(|tag| !there.memory.is_valid(*tag)));
    let solicited = there.events.iter().filter(|event| **event == Event::Solicited);
    assert_eq!(solicited.count(), 2);
}

/// RFC 5040 section 5.5 rule 12: a fence holds what follows until the Read is there.
#[test]
fn a_fence_holds_until_reads_are_done() {
    let mut pair = Pair::open();
    let (here, there) = pair.both();
    let region = there.region(vec![1; 3000], Rights::READ | Rights::WRITE);
    let sink = here.region(vec![0; 3000], Rights::NONE);
    let read = Operation::Read { sink: local(sink, 0), length: 3000, remote: remote(region, 0) };
    here.post(1, read);
    let write = Operation::Write { source: vec![2; 3000][..].into(), remote: remote(region, 0) };
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

/// RFC 5040 section 5.5 rule 15: a Send after a Read completes after it.
#[test]
fn completions_keep_the_order_of_posting() {
    let mut pair = Pair::open();
    let (here, there) = pair.both();
    let region = there.region(vec![1; 8], Rights::READ);
    let sink = here.region(vec![0; 8], Rights::NONE);
    there.connection.post_receive(1, 8).unwrap();
    here.post(1, Operation::Read { sink: local(sink, 0), length: 8, remote: remote(region, 0) });
    here.post(2, Operation::send(b"behind"));
    while pair.transmit(INITIATOR) {}
    assert_eq!(pair.ends[INITIATOR].completed(), []);
    pair.run();
    assert_eq!(pair.ends[INITIATOR].completed(), [(1, true), (2, true)]);
}

/// ext-v2: Read V2, and a Send with Immediate Data, under RV 2.
#[test]
fn the_operations_of_version_2() {
    let mut configs = configs();
    for config in &mut configs {
        config.profile = Profile::EXT_V2;
    }
    let mut pair = Pair::opened(configs);
    let (here, there) = pair.both();
    let source = there.region(pattern(5000), Rights::READ);
    let sink = here.region(vec![0; 5000], Rights::NONE);
    let tag = there.region(vec![0; 8], Rights::NONE);
    let read = Operation::ReadV2 { sink: local(sink, 0), length: 5000, remote: remote(source, 0) };
    here.post(1, read);
    for (name, length, invalidate) in [(2, 0, None), (3, 10, None), (4, 4000, Some(tag))] {
        there.connection.post_receive(name, length).unwrap();
        here.post(
            name,
            Operation::Send {
                source: pattern(length)[..].into(),
                invalidate,
                solicited: name == 3,
                immediate: Some(name),
            },
        );
    }
    there.connection.post_receive(5, 0).unwrap();
    here.post(5, Operation::Immediate { data: 5, solicited: true });
    pair.run();
    let names: Vec<_> = (1..=5).map(|name| (name, true)).collect();
    assert_eq!(pair.ends[INITIATOR].completed(), names);
    assert_eq!(pair.ends[INITIATOR].memory.bytes(sink).unwrap(), pattern(5000));
    for (completion, length) in pair.ends[RESPONDER].completions.iter().zip([0, 10, 4000, 0]) {
        let name = completion.identifier;
        let expected = Received {
            bytes: pattern(length),
            immediate: Some(name),
            invalidated: (name == 4).then_some(tag),
            solicited: name == 3 || name == 5,
        };
        assert_eq!(completion.result, Ok(Outcome::Received(expected)));
    }
    for (_, bytes) in &pair.transcript[2..] {
        // Length, DDP control, then RDMAP control: RV 2.
        assert_eq!(bytes.as_ref().unwrap()[3] >> 6, 2);
    }
}

#[test]
fn every_packing_and_cut_carries_the_same() {
    for packing in [Packing::One, Packing::Several, Packing::Unaligned] {
        for cut in [0, 1, 3, 700] {
            let mut configs = configs();
            for config in &mut configs {
                config.packing = packing;
                config.longest_ulpdu = Some(200);
                config.setup.markers = true;
            }
            let mut pair = Pair::opened(configs);
            pair.cut = cut;
            let (here, there) = pair.both();
            let source = there.region(pattern(3000), Rights::READ);
            let sink = here.region(vec![0; 3000], Rights::NONE);
            there.connection.post_receive(9, 4000).unwrap();
            here.post(1, Operation::send(&pattern(4000)));
            let read =
                Operation::Read { sink: local(sink, 0), length: 3000, remote: remote(source, 0) };
            here.post(2, read);
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
    here.post(1, Operation::Read { sink: local(sink, 0), length: 9000, remote: remote(source, 0) });
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
    here.post(2, Operation::Read { sink: local(sink, 0), length: 8, remote: remote(5, 0) });
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
