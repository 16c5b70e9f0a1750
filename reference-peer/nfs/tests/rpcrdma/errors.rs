//! Headers built by hand: what a responder answers to a wrong one, and what a requester drops
//! (RFC 8166 section 4.5 and what it refers to).

use crate::prelude::*;

pub(crate) const XID: u32 = 0xabcd_0123;

/// Ends whose client says by hand what a call is.
fn server() -> RpcPair {
    let mut pair = RpcPair::new([RpcRdmaConfig::client(0), RpcRdmaConfig::server(8)]);
    pair.run();
    pair
}

/// The payloads of the Sends of a side, whole ones in one segment.
fn sends(pair: &RpcPair, side: usize) -> Vec<Vec<u8>> {
    let sent = pair.transcript.iter().filter(|(sender, _)| *sender == side);
    let fpdus = sent.filter_map(|(_, bytes)| bytes.as_deref()).skip(1);
    let sends = fpdus.filter(|bytes| [3, 4].contains(&(bytes[3] & 0x0f)));
    let payload = |bytes: &[u8]| {
        let length = usize::from(u16::from_be_bytes([bytes[0], bytes[1]]));
        bytes[20..2 + length].to_vec()
    };
    sends.map(payload).collect()
}

/// What the server sends when the client says this.
fn answers(bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut pair = server();
    let (streams, number) = (&mut pair.sides[INITIATOR], pair.numbers[INITIATOR]);
    streams.post_receive(number, 0, 4096).unwrap();
    pair.say(INITIATOR, bytes);
    pair.run();
    let answers = sends(&pair, RESPONDER);
    // Whatever came, the next call is answered, and every credit is still there.
    let before = pair.programs[RESPONDER].heard.len();
    for xid in 0..20 {
        pair.call(INITIATOR, Plan { xid, ..Plan::default() }.call());
    }
    pair.run();
    assert_eq!(pair.programs[RESPONDER].heard.len() - before, 20);
    assert_eq!(pair.replies(INITIATOR).len(), 20);
    pair.nothing_left("after an error");
    answers
}

/// An RDMA_ERROR with ERR_CHUNK for [`XID`]; the server grants 8 credits.
pub(crate) fn err_chunk() -> Vec<u8> {
    words(&[XID, 1, 8, 4, 2])
}

/// The RPC message of a call that asks for nothing.
fn call(xid: u32) -> Vec<u8> {
    Plan { xid, ..Plan::default() }.message().bytes
}

fn message(header: &[u32], xid: u32) -> Vec<u8> {
    [words(header), call(xid)].concat()
}

#[test]
fn a_right_call_is_answered() {
    let answers = answers(&message(&[XID, 1, 32, 0, 0, 0, 0], XID));
    let reply = Plan { xid: XID, ..Plan::default() }.reply().bytes;
    assert_eq!(answers, [[words(&[XID, 1, 8, 0, 0, 0, 0]), reply].concat()]);
}

/// RFC 8166 section 4.5.1.
#[test]
fn another_version_is_answered_with_the_range() {
    for version in [0, 2, u32::MAX] {
        for procedure in [0, 1, 2, 3, 77] {
            let answers = answers(&message(&[XID, version, 32, procedure, 0, 0, 0], XID));
            assert_eq!(answers, [words(&[XID, version, 8, 4, 1, 1, 1])], "{version} {procedure}");
        }
    }
}

/// What cannot be read or used (RFC 8166 section 4.5.2).
pub(crate) fn wrong_calls() -> Vec<(&'static str, Vec<u8>)> {
    let read = |position: u32, length: u32| [1, position, 0x0100_0001, length, 0, 0];
    let with_read = |procedure: u32, reads: &[[u32; 6]]| {
        let mut header = vec![XID, 1, 32, procedure];
        reads.iter().for_each(|read| header.extend_from_slice(read));
        header.extend_from_slice(&[0, 0, 0]);
        header
    };
    let length = call(XID).len() as u32;
    vec![
        ("unknown procedure", message(&[XID, 1, 32, 5, 0, 0, 0], XID)),
        ("RDMA_MSGP", message(&[XID, 1, 32, 2, 16, 512, 0, 0, 0], XID)),
        ("read list discriminator", message(&[XID, 1, 32, 0, 2, 0, 0], XID)),
        ("write list discriminator", message(&[XID, 1, 32, 0, 0, 7, 0], XID)),
        ("reply chunk discriminator", message(&[XID, 1, 32, 0, 0, 0, 9], XID)),
        ("read list that does not end", words(&[XID, 1, 32, 0, 1, 0, 5])),
        ("write chunk with more segments", message(&[XID, 1, 32, 0, 0, 1, 99, 0, 0], XID)),
        ("no payload", words(&[XID, 1, 32, 0, 0, 0, 0])),
        ("another XID inside", message(&[XID, 1, 32, 0, 0, 0, 0], XID + 1)),
        ("RDMA_NOMSG without chunks", words(&[XID, 1, 32, 1, 0, 0, 0])),
        ("RDMA_NOMSG without position 0", words(&with_read(1, &[read(48, 8)]))),
        ("RDMA_NOMSG with write list alone", words(&[XID, 1, 32, 1, 0, 1, 1, 5, 9, 0, 0, 0, 0])),
        ("RDMA_NOMSG with payload", message(&with_read(1, &[read(0, 48)]), XID)),
        ("RDMA_NOMSG of no bytes", words(&with_read(1, &[read(0, 0)]))),
        ("RDMA_MSG with position 0", message(&with_read(0, &[read(0, 48)]), XID)),
        ("position no multiple of 4", message(&with_read(0, &[read(46, 8)]), XID)),
        ("position after the call", message(&with_read(0, &[read(length + 4, 8)]), XID)),
        ("chunks that overlap", message(&with_read(0, &[read(44, 9), read(48, 4)]), XID)),
        ("more than is pulled", message(&with_read(0, &[read(44, u32::MAX)]), XID)),
        ("parts of more than is pulled", message(&with_read(0, &[read(44, 1 << 20); 2]), XID)),
        ("offset that wraps", message(&[XID, 1, 32, 0, 0, 1, 1, 7, 9, !0, !0, 0, 0], XID)),
    ]
}

#[test]
fn wrong_calls_are_answered_with_err_chunk() {
    for (what, bytes) in wrong_calls() {
        assert_eq!(answers(&bytes), [err_chunk()], "{what}");
    }
}

pub(crate) fn no_calls() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("nothing", Vec::new()),
        ("three bytes", vec![0, 1, 2]),
        ("27 bytes", message(&[XID, 1, 32, 0, 0, 0, 0], XID)[..27].to_vec()),
        ("27 bytes of another version", message(&[XID, 3, 32, 0, 0, 0, 0], XID)[..27].to_vec()),
        ("RDMA_DONE", message(&[XID, 1, 32, 3, 0, 0, 0], XID)),
        ("ERR_CHUNK", err_chunk()),
        ("ERR_VERS", words(&[XID, 1, 8, 4, 1, 1, 1])),
        ("an error that there is not", words(&[XID, 1, 8, 4, 3, 0, 0])),
        ("half an ERR_VERS", words(&[XID, 1, 8, 4, 1, 1])),
        ("a reply", [words(&[XID, 1, 8, 0, 0, 0, 0, XID, 1]), vec![0; 16]].concat()),
        ("a reply of version 2", [words(&[XID, 2, 8, 0, 0, 0, 0, XID, 1]), vec![0; 16]].concat()),
    ]
}

#[test]
fn what_is_no_call_is_dropped_without_a_word() {
    for (what, bytes) in no_calls() {
        assert_eq!(answers(&bytes), [] as [Vec<u8>; 0], "{what}");
    }
}

/// Reads of memory that is not there end the connection, and leave nothing behind
/// (RFC 8166 section 4.5.3).
#[test]
fn a_chunk_that_cannot_be_read_ends_the_connection() {
    let mut pair = server();
    let header = [XID, 1, 32, 0, 1, 44, 0x0100_0001, 8, 0, 0, 1, 52, 0x0100_0001, 8, 0, 0, 0, 0, 0];
    pair.say(INITIATOR, &message(&header, XID));
    pair.run();
    assert!(sends(&pair, RESPONDER).is_empty());
    assert!(pair.programs[RESPONDER].heard.is_empty());
    assert!(pair.sides[RESPONDER].is_over(pair.numbers[RESPONDER]));
    pair.nothing_left("a chunk that cannot be read");
}

/// RFC 8166 section 6.1: GARBAGE_ARGS, and the program does not see the call.
#[test]
fn an_argument_that_is_not_eligible_may_not_be_taken_out() {
    let plan = Plan { xid: XID, arguments: vec![900], ..Plan::default() };
    let start = plan.message().eligible[0].start;
    for (from, heard) in [(Some(start), false), (Some(start + 1), true), (None, true)] {
        let client = RpcRdmaConfig { form: CallForm::Chunked, ..RpcRdmaConfig::client(0) };
        let mut pair = RpcPair::new([client, RpcRdmaConfig::server(8)]);
        pair.programs[RESPONDER].ineligible_from = from;
        pair.call(INITIATOR, plan.call());
        pair.run();
        assert_eq!(!pair.programs[RESPONDER].heard.is_empty(), heard);
        let garbage = words(&[XID, 1, 0, 0, 0, 4]);
        assert_eq!(pair.replies(INITIATOR)[0].bytes == garbage, !heard);
        pair.close_clean("an argument that is not eligible");
    }
}

/// A client that calls and calls, and takes no answers, finds no receive in the end.
#[test]
fn answers_do_not_pile_up() {
    let mut pair = server();
    let calls = 100;
    let mut heard = 0;
    for xid in 0..calls {
        let bytes = message(&[xid, 1, 32, 0, 0, 0, 0], xid);
        let request = WorkRequest::new(0, Operation::send(&bytes));
        if pair.sides[INITIATOR].post(pair.numbers[INITIATOR], request).is_err() {
            break;
        }
        pair.run_from(INITIATOR);
        heard = pair.programs[RESPONDER].heard.len();
    }
    // 8 credits: as many answers that wait, and as many calls beyond.
    assert_eq!(heard, 16);
    pair.run();
    assert!(pair.sides[RESPONDER].is_over(pair.numbers[RESPONDER]));
    pair.nothing_left("calls without end");
}

/// An argument that reaches into the RPC header is never eligible (RFC 8166 section 8.2.2).
#[test]
fn the_rpc_header_is_not_eligible() {
    let mut pair = server();
    let whole = call(XID);
    let number = pair.numbers[INITIATOR];
    let registration = Registration::stream(number, Rights::READ);
    let memory = pair.sides[INITIATOR].memory();
    let tag = memory.register(whole[24..32].to_vec(), registration).unwrap();
    let header = words(&[XID, 1, 32, 0, 1, 24, tag, 8, 0, 0, 0, 0, 0]);
    let bytes = [header, whole[..24].to_vec(), whole[32..].to_vec()].concat();
    pair.sides[INITIATOR].post_receive(number, 0, 4096).unwrap();
    pair.say(INITIATOR, &bytes);
    pair.run();
    assert!(pair.programs[RESPONDER].heard.is_empty());
    let garbage = words(&[XID, 1, 8, 0, 0, 0, 0, XID, 1, 0, 0, 0, 4]);
    assert_eq!(sends(&pair, RESPONDER), [garbage]);
}

/// RFC 8797 section 4.1: a reply invalidates no Steering Tag that another call offers too, also not one that waits because
/// much of an earlier answer is not sent.
#[test]
fn what_a_waiting_call_offers_is_not_invalidated() {
    let mut pair = server();
    let results = vec![1 << 20; 5];
    pair.call(INITIATOR, Plan { xid: 1, results, ..Plan::default() }.call());
    let number = pair.numbers[INITIATOR];
    let registration = Registration::stream(number, Rights::WRITE);
    let tag = pair.sides[INITIATOR].memory().register(vec![0; 8], registration).unwrap();
    for xid in [2, 3] {
        pair.sides[INITIATOR].post_receive(number, 0, 4096).unwrap();
        // A write chunk for the result of eight bytes.
        let header = words(&[xid, 1, 32, 0, 0, 1, 1, tag, 8, 0, 0, 0, 0]);
        let plan = Plan { xid, results: vec![8], ..Plan::default() };
        pair.say(INITIATOR, &[header, plan.message().bytes].concat());
    }
    pair.run();
    assert_eq!(pair.replies(INITIATOR).len(), 1);
    // The replies to the calls by hand, which the end does not know: it found nothing wrong with their Writes.
    assert_eq!(pair.ends[INITIATOR].statistics().discarded, 2);
}

/// A reply that fits nowhere is answered with ERR_CHUNK, and nothing is written.
#[test]
fn a_reply_that_fits_nowhere_is_an_error() {
    let longer = |results: Vec<usize>, plain_result| {
        Some(Plan { xid: XID, results, plain_result, ..Plan::default() }.reply())
    };
    let plans = [
        // Nothing was offered.
        (Plan { xid: XID, ..Plan::default() }, longer(vec![], 5000)),
        // A reply chunk that is too short.
        (Plan { xid: XID, plain_result: 5000, ..Plan::default() }, longer(vec![], 6000)),
        // A write chunk that is too short.
        (Plan { xid: XID, results: vec![5000], ..Plan::default() }, longer(vec![5001], 1)),
        // No reply to this call at all.
        (Plan { xid: XID, ..Plan::default() }, Some(RpcMessage::default())),
        (Plan { xid: XID, ..Plan::default() }, Some(Plan::default().reply())),
    ];
    for (plan, instead) in plans {
        let mut pair = server();
        pair.programs[RESPONDER].instead = instead;
        let handle = pair.call(INITIATOR, plan.call());
        pair.run();
        assert_eq!(pair.ended[INITIATOR], [(handle, Err(CallFailure::Chunk))], "{plan:?}");
        assert_eq!(sends(&pair, RESPONDER), [err_chunk()]);
        let statistics = pair.ends[INITIATOR].statistics();
        assert_eq!((statistics.errors_received, statistics.replies_received), (1, 0));
        pair.close_clean("a reply that fits nowhere");
    }
}

/// A client with one call under way, whose server speaks by hand; what the call came to.
fn hears(answer: &[u8]) -> (Option<Result<Vec<u8>, CallFailure>>, Option<Discard>) {
    let mut pair = RpcPair::new([RpcRdmaConfig::client(0), RpcRdmaConfig::server(8)]);
    // A first exchange: the responder may speak only after the initiator (RFC 5044).
    pair.call(INITIATOR, Plan { xid: 1, ..Plan::default() }.call());
    pair.run();
    assert_eq!(pair.replies(INITIATOR).len(), 1);
    // The call that waits never comes to the server: only the server's side is carried.
    let call = Plan { xid: XID, ..Plan::default() }.call();
    pair.call(INITIATOR, call);
    pair.say(RESPONDER, answer);
    pair.run_from(RESPONDER);
    let ended = pair.ended[INITIATOR].pop().map(|(_, it)| it.map(|reply| reply.bytes));
    (ended, pair.ends[INITIATOR].last_discard())
}

fn reply(xid: u32) -> Vec<u8> {
    Plan { xid, ..Plan::default() }.reply().bytes
}

/// A reply to a call without chunks.
pub(crate) fn right_answer(xid: u32) -> Vec<u8> {
    [words(&[xid, 1, 8, 0, 0, 0, 0]), reply(xid)].concat()
}

#[test]
fn a_requester_takes_right_answers() {
    assert_eq!(hears(&right_answer(XID)), (Some(Ok(reply(XID))), None));
    // A grant of 0 does no harm.
    let zero = [words(&[XID, 1, 0, 0, 0, 0, 0]), reply(XID)].concat();
    assert_eq!(hears(&zero), (Some(Ok(reply(XID))), None));
    assert_eq!(hears(&err_chunk()), (Some(Err(CallFailure::Chunk)), None));
    let versions = words(&[XID, 1, 8, 4, 1, 2, 5]);
    assert_eq!(hears(&versions), (Some(Err(CallFailure::Version { low: 2, high: 5 })), None));
}

pub(crate) fn wrong_answers() -> Vec<(&'static str, Vec<u8>, Discard)> {
    use Discard::*;
    let message = |header: &[u32], xid| [words(header), reply(xid)].concat();
    vec![
        ("short", words(&[XID, 1, 8, 0, 0, 0]), Short),
        ("another XID", message(&[XID + 1, 1, 8, 0, 0, 0, 0], XID + 1), UnknownXid),
        ("two XIDs", message(&[XID, 1, 8, 0, 0, 0, 0], XID + 1), FaultyReply),
        ("version 2", message(&[XID, 2, 8, 0, 0, 0, 0], XID), FaultyReply),
        ("RDMA_MSGP", message(&[XID, 1, 8, 2, 4, 4, 0, 0, 0], XID), FaultyReply),
        ("RDMA_DONE", message(&[XID, 1, 8, 3, 0, 0, 0], XID), Done),
        ("RDMA_DONE and no more", words(&[XID, 1, 8, 3]), Short),
        ("RDMA_DONE for another", words(&[XID + 1, 1, 30, 3, 0, 0, 0]), Done),
        ("read list discriminator", message(&[XID, 1, 8, 0, 3, 0, 0], XID), FaultyReply),
        ("no procedure", message(&[XID, 1, 8, 9, 0, 0, 0], XID), FaultyReply),
        ("RDMA_NOMSG", words(&[XID, 1, 8, 1, 0, 0, 0]), FaultyReply),
        ("a read list", message(&[XID, 1, 8, 0, 1, 48, 1, 1, 0, 0, 0, 0, 0], XID), FaultyReply),
        ("a write list", message(&[XID, 1, 8, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0], XID), FaultyReply),
        ("a reply chunk", words(&[XID, 1, 8, 1, 0, 0, 1, 1, 1, 24, 0, 0]), FaultyReply),
        ("ERR_CHUNK for another", words(&[XID + 1, 1, 8, 4, 2]), Error),
        ("ERR_CHUNK of version 2", words(&[XID, 2, 8, 4, 2]), Error),
        ("an error that there is not", words(&[XID, 1, 8, 4, 7]), Error),
        ("a call", [words(&[7, 1, 8, 0, 0, 0, 0]), call(7)].concat(), Call),
    ]
}

#[test]
fn a_requester_drops_wrong_answers() {
    for (what, bytes, discard) in wrong_answers() {
        assert_eq!(hears(&bytes), (None, Some(discard)), "{what}");
    }
}
