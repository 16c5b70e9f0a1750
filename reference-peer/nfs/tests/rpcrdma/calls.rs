//! A requester against a responder: every shape of call and reply, credits and thresholds.

use crate::prelude::*;
use crate::rpc_pair::CALL_HEADER;
use warpscope_peer::memory::Base;

fn configs() -> [RpcRdmaConfig; 2] {
    [RpcRdmaConfig::client(0), RpcRdmaConfig::server(32)]
}

/// Configurations with private data that allows `threshold` bytes both ways.
fn with_threshold(threshold: u32) -> [RpcRdmaConfig; 2] {
    let (send_size, receive_size) = (threshold, threshold);
    configs().map(|config| RpcRdmaConfig { send_size, receive_size, ..config })
}

/// The same of 1024 bytes with another client.
fn with_client(change: impl FnOnce(&mut RpcRdmaConfig)) -> [RpcRdmaConfig; 2] {
    let mut configs = with_threshold(1024);
    change(&mut configs[INITIATOR]);
    configs
}

/// Makes one call; the server must hear it whole, and the client get the reply in this shape, and what
/// was said must be judged clean.
fn exchange(configs: [RpcRdmaConfig; 2], plan: &Plan, reduced: &[bool], what: &str) -> RpcPair {
    let mut pair = RpcPair::new(configs);
    pair.call(INITIATOR, plan.call());
    pair.run();
    assert_eq!(pair.programs[RESPONDER].heard, [plan.message().bytes], "{what}");
    let replies = pair.replies(INITIATOR);
    assert_eq!(replies.len(), 1, "{what}");
    plan.check(&replies[0], reduced);
    pair.close_clean(what);
    pair
}

/// How many RDMA Reads the server asked for.
fn reads(pair: &RpcPair) -> usize {
    opcodes(pair, RESPONDER).into_iter().filter(|it| *it == READ_REQUEST).count()
}

/// The opcodes of the RDMAP messages that a side sent, one for each message.
fn opcodes(pair: &RpcPair, side: usize) -> Vec<u8> {
    let sent = pair.transcript.iter().filter(|(sender, _)| *sender == side);
    let fpdus = sent.filter_map(|(_, bytes)| bytes.as_deref()).skip(1);
    // Each FPDU has a TCP segment: L is a bit of the byte after its length.
    fpdus.filter(|bytes| bytes[2] & 0x40 != 0).map(|bytes| bytes[3] & 0x0f).collect()
}

const WRITE: u8 = 0;
const READ_REQUEST: u8 = 1;
const READ_RESPONSE: u8 = 2;
const SEND: u8 = 3;
const SEND_INVALIDATE: u8 = 4;

#[test]
fn a_short_call_and_reply_go_inline() {
    let plan = Plan { xid: 0x1234, plain_argument: 9, plain_result: 7, ..Plan::default() };
    let pair = exchange(configs(), &plan, &[], "inline");
    assert_eq!(opcodes(&pair, INITIATOR), [SEND]);
    assert_eq!(opcodes(&pair, RESPONDER), [SEND]);
}

#[test]
fn read_chunks_come_back_to_their_places_whatever_their_padding() {
    for (first, second) in (0..4).flat_map(|first| (0..4).map(move |second| (first, second))) {
        for padded_chunks in [false, true] {
            for longest_segment in [100, 1000, u32::MAX] {
                let arguments = vec![600 + first, 900 + second];
                let parts = |length: usize| length.div_ceil(longest_segment as usize);
                let segments: usize = arguments.iter().map(|length| parts(*length)).sum();
                let plan = Plan { xid: 7, arguments, plain_argument: 30, ..Plan::default() };
                let configs = with_client(|client| {
                    client.form = CallForm::Chunked;
                    (client.padded_chunks, client.longest_segment) =
                        (padded_chunks, longest_segment);
                });
                let what = format!("{first} {second} {padded_chunks} {longest_segment}");
                let pair = exchange(configs, &plan, &[], &what);
                assert_eq!(reads(&pair), segments, "{what}");
            }
        }
    }
}

/// The least chunk that helps: with 1024 bytes an argument goes by a read chunk only when the call
/// does not fit.
#[test]
fn the_threshold_decides_how_a_call_goes() {
    // Header, RPC header, count of results, length of the plain result, length of the argument.
    let overhead = 28 + CALL_HEADER + 4 + 4 + 4;
    for threshold in [1024, 2048, 4096, 65536] {
        let room = threshold as usize - overhead;
        for (length, asked) in [(room, 0), (room + 4, 1), (room + 400, 1)] {
            let plan = Plan { xid: 1, arguments: vec![length], ..Plan::default() };
            let what = format!("{length} bytes, threshold {threshold}");
            let pair = exchange(with_threshold(threshold), &plan, &[], &what);
            assert_eq!(reads(&pair), asked, "{what}");
        }
    }
}

#[test]
fn a_call_with_nothing_to_take_out_goes_by_position_zero() {
    for length in [1000, 5000, 100_000] {
        for longest_segment in [4096, u32::MAX] {
            let plan = Plan { xid: 3, plain_argument: length, ..Plan::default() };
            let configs = with_client(|client| client.longest_segment = longest_segment);
            let what = format!("{length} bytes in segments of {longest_segment}");
            let pair = exchange(configs, &plan, &[], &what);
            assert!(opcodes(&pair, INITIATOR).contains(&READ_RESPONSE), "{what}");
        }
    }
}

/// The reduced call does not fit either: with position zero and other chunks beside it.
#[test]
fn a_long_call_may_have_other_chunks_beside_it() {
    let (arguments, plain_argument) = (vec![501, 702], 3000);
    let plan = Plan { xid: 3, arguments, plain_argument, ..Plan::default() };
    for (form, chunks) in [(CallForm::Shortest, 1), (CallForm::Chunked, 3), (CallForm::Long, 1)] {
        let configs = with_client(|client| client.form = form);
        let pair = exchange(configs, &plan, &[], &format!("{form:?}"));
        assert_eq!(reads(&pair), chunks, "{form:?}");
    }
}

#[test]
fn results_go_by_write_chunks_full_short_and_unused() {
    let cases: [(&[usize], &[u32], &[bool]); 8] = [
        (&[3000], &[3000], &[true]),
        (&[3000], &[5000], &[true]),
        (&[2999], &[5000], &[true]),
        (&[0], &[5000], &[true]),
        (&[], &[5000], &[false]),
        (&[2001, 1502], &[2001, 9000], &[true, true]),
        (&[2001], &[3000, 3000], &[true, false]),
        // An empty write chunk keeps its result inline.
        (&[100, 3000], &[0, 3000], &[false, true]),
    ];
    for (results, room, reduced) in cases {
        for longest_segment in [900, u32::MAX] {
            let (results, room) = (results.to_vec(), Some(room.to_vec()));
            let plan = Plan { xid: 9, results, room, plain_result: 50, ..Plan::default() };
            let configs = with_client(|client| {
                client.base = Base::Address(0x7f00_0000_1230);
                client.longest_segment = longest_segment;
            });
            let what = format!("{plan:?}, segments of {longest_segment}");
            let pair = exchange(configs, &plan, reduced, &what);
            let sent = opcodes(&pair, RESPONDER);
            // The Writes come before the Send that announces them.
            let sends = sent.iter().position(|it| [SEND, SEND_INVALIDATE].contains(it));
            assert_eq!(sends, Some(sent.len() - 1), "{what}");
        }
    }
}

#[test]
fn long_replies_go_by_the_reply_chunk() {
    for (plain_result, results, reduced) in [
        (972 - 28, vec![], &[][..]),
        (2000, vec![], &[][..]),
        (100_000, vec![], &[][..]),
        (5000, vec![3001], &[true][..]),
    ] {
        for longest_segment in [2000, u32::MAX] {
            let plan = Plan { xid: 9, results: results.clone(), plain_result, ..Plan::default() };
            let longest_segment = longest_segment.max(plain_result as u32 / 20);
            let configs = with_client(|client| client.longest_segment = longest_segment);
            let what = format!("{plain_result} bytes in segments of {longest_segment}");
            let pair = exchange(configs, &plan, reduced, &what);
            let long = plain_result > 1000;
            assert_eq!(opcodes(&pair, RESPONDER).contains(&WRITE), long, "{what}");
        }
    }
}

/// A reply chunk is offered, and the reply is short: it comes inline, the chunk unused.
#[test]
fn a_reply_that_fits_needs_no_reply_chunk() {
    let plan = Plan { xid: 9, plain_result: 10, ..Plan::default() };
    let [client, server] = configs();
    let client = RpcRdmaConfig { form: CallForm::Long, ..client };
    let pair = exchange([client, server], &plan, &[], "long");
    assert!(!opcodes(&pair, RESPONDER).contains(&WRITE));
}

#[test]
fn every_form_carries_the_same() {
    for form in [CallForm::Shortest, CallForm::Chunked, CallForm::Long] {
        for threshold in [1024, 4096, 65536] {
            for shared_tags in [false, true] {
                let (arguments, results) = (vec![1, 2, 700, 1003], vec![5, 2002, 0, 303]);
                let (plain_argument, plain_result) = (101, 201);
                let xid = 0xffff_fff0;
                let plan =
                    Plan { xid, arguments, results, plain_argument, plain_result, room: None };
                let [client, server] = with_threshold(threshold);
                let client = RpcRdmaConfig { form, shared_tags, ..client };
                let what = format!("{form:?}, {threshold}, {shared_tags}");
                let moved = form == CallForm::Chunked || threshold == 1024;
                // The room of the third is 0: an empty chunk.
                let reduced: &[bool] = if moved { &[true, true, false, true] } else { &[] };
                exchange([client, server], &plan, reduced, &what);
            }
        }
    }
}

#[test]
fn remote_invalidation_takes_both_sides() {
    for of in 0..4 {
        let [here, there] = [of & 1 != 0, of & 2 != 0];
        let plan = Plan { xid: 5, results: vec![9000], arguments: vec![9001], ..Plan::default() };
        let [client, server] = configs();
        let client = RpcRdmaConfig { remote_invalidation: here, ..client };
        let server = RpcRdmaConfig { remote_invalidation: there, ..server };
        let what = format!("{here} {there}");
        let pair = exchange([client, server], &plan, &[true], &what);
        let invalidated = opcodes(&pair, RESPONDER).contains(&SEND_INVALIDATE);
        assert_eq!(invalidated, here && there, "{what}");
        assert_eq!(pair.ends[INITIATOR].statistics().wrongly_invalidated, 0);
    }
}

#[test]
fn without_private_data_of_both_sides_1024_bytes_go_inline() {
    for of in 0..4 {
        let [mut client, mut server] = with_threshold(65536);
        (client.private_data, server.private_data) = (of & 1 != 0, of & 2 != 0);
        let plan = Plan { xid: 5, plain_argument: 2000, plain_result: 2000, ..Plan::default() };
        let pair = exchange([client, server], &plan, &[], "2000 bytes");
        let chunks = opcodes(&pair, RESPONDER).contains(&READ_REQUEST);
        assert_eq!(chunks, of != 3, "{of}");
        assert_eq!(pair.ends[INITIATOR].thresholds().unwrap().send == 65536, of == 3);
    }
}

/// RFC 8166 sections 3.3.1 and 3.3.3.
#[test]
fn no_more_calls_wait_than_were_granted() {
    for (asked, granted) in [(1, 1), (2, 32), (32, 1), (32, 2), (32, 7), (32, 32)] {
        let [client, server] = configs();
        let client = RpcRdmaConfig { credits_asked: asked, ..client };
        let server = RpcRdmaConfig { credits_granted: granted, ..server };
        let mut pair = RpcPair::new([client, server]);
        let plans: Vec<Plan> = (0..200)
            .map(|number| {
                // Calls with read chunks take longer than those without.
                let argument = if number % 3 == 0 { 5000 + number } else { 10 };
                let result = if number % 5 == 0 { 6000 + number } else { 20 };
                let (arguments, results) = (vec![argument], vec![result]);
                Plan { xid: number as u32 * 77, arguments, results, ..Plan::default() }
            })
            .collect();
        for plan in &plans {
            pair.call(INITIATOR, plan.call());
        }
        pair.run_in_bursts();
        let what = format!("{asked} asked, {granted} granted");
        let replies = pair.replies(INITIATOR);
        assert_eq!(replies.len(), 200, "{what}");
        for (plan, reply) in plans.iter().zip(&replies) {
            let moved = plan.results[0] > 4000;
            plan.check(reply, if moved { &[true] } else { &[] });
        }
        let most = pair.most_outstanding[INITIATOR];
        assert_eq!(most, asked.min(granted) as usize, "{what}");
        assert_eq!(pair.ends[INITIATOR].granted(), Some(granted));
        pair.close_clean(&what);
    }
}

/// A grant that changes on the way is obeyed.
#[test]
fn a_grant_may_grow_and_shrink() {
    let mut pair = RpcPair::new(configs());
    let mut xid = 0;
    for (granted, most) in [(32, 32), (2, 2), (5, 5)] {
        let server = &mut pair.sides[RESPONDER];
        pair.ends[RESPONDER].grant(server, granted);
        // The next reply says so.
        for count in [1, 40] {
            pair.most_outstanding[INITIATOR] = 0;
            for _ in 0..count {
                xid += 1;
                pair.call(INITIATOR, Plan { xid, ..Plan::default() }.call());
            }
            pair.run();
        }
        assert_eq!(pair.most_outstanding[INITIATOR], most);
    }
    assert_eq!(pair.replies(INITIATOR).len(), 123);
    pair.close_clean("a grant that changes");
}

#[test]
fn calls_that_cannot_go_fail_at_once() {
    let [client, server] = with_threshold(1024);
    let client = RpcRdmaConfig { longest_segment: 16, ..client };
    let mut pair = RpcPair::new([client, server]);
    let plain = Plan { xid: 1, ..Plan::default() };
    // Too many segments for the header.
    let long = Plan { xid: 2, plain_argument: 5000, ..Plan::default() };
    let short = warpscope_nfs::rpc::RpcMessage::plain(vec![1, 2, 3]);
    let no_xid = warpscope_nfs::rpc::OutgoingCall { message: short, ..Default::default() };
    pair.run();
    let handles = [&plain.call(), &plain.call(), &long.call(), &no_xid]
        .map(|call| pair.call(INITIATOR, call.clone()));
    pair.run();
    let mut ended = std::mem::take(&mut pair.ended[INITIATOR]);
    ended.sort_by_key(|(handle, _)| *handle);
    let ended: Vec<_> = ended.into_iter().map(|(handle, it)| (handle, it.err())).collect();
    assert_eq!(
        ended,
        [
            (handles[0], None),
            // The first was answered by then: its XID is free again.
            (handles[1], None),
            (handles[2], Some(CallFailure::TooLong)),
            (handles[3], Some(CallFailure::Xid)),
        ]
    );
    pair.close_clean("calls that cannot go");
}

/// A server that may not read, or one request at a time.
#[test]
fn depths_of_the_setup_are_kept() {
    for (depth, ends_well) in [(0, false), (1, true), (16, true)] {
        let mut pair = RpcPair::with(configs(), |config| {
            (config.setup.ird, config.setup.ord) = (depth, depth);
        });
        let plan = Plan { xid: 1, arguments: vec![3000, 4000], ..Plan::default() };
        for xid in 1..9 {
            pair.call(INITIATOR, Plan { xid, ..plan.clone() }.call());
        }
        pair.run_in_bursts();
        let ended = std::mem::take(&mut pair.ended[INITIATOR]);
        assert_eq!(ended.len(), 8);
        for (_, ended) in ended {
            assert_eq!(ended.err(), (!ends_well).then_some(CallFailure::Chunk), "{depth}");
        }
        pair.close_clean("depths");
    }
}

#[test]
fn the_end_of_the_connection_ends_the_calls() {
    let mut pair = RpcPair::new(configs());
    pair.run();
    let plan = Plan { xid: 1, arguments: vec![9000], ..Plan::default() };
    let first = pair.call(INITIATOR, plan.call());
    let second = pair.call(INITIATOR, Plan { xid: 2, ..Plan::default() }.call());
    pair.sides[INITIATOR].abort(pair.numbers[INITIATOR]);
    pair.run();
    let third = pair.call(INITIATOR, plan.call());
    let lost = Err(CallFailure::Lost);
    let all = [first, second, third].map(|handle| (handle, lost.clone()));
    assert_eq!(pair.ended[INITIATOR], all);
    pair.nothing_left("an aborted connection");
}
