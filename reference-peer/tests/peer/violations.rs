//! Every violation that a peer can commit in Full Operation, and the Terminate that it gets, byte
//! for byte.

use crate::prelude::*;

const LAST: u8 = 0x41;
const MORE: u8 = 0x01;
const WRITE: [u8; 2] = [0xc1, 0x40];
const SEND: [u8; 2] = [LAST, 0x43];

/// What a Terminate echoes of the refused segment.
#[derive(Clone, Copy)]
enum Echo {
    Nothing,
    Header,
    Read,
}

fn due(ulpdu: &[u8], [layer_and_type, code]: [u8; 2], echo: Echo) -> Vec<u8> {
    let control = match echo {
        Echo::Nothing => return vec![layer_and_type, code, 0, 0],
        Echo::Header => 0xc0,
        Echo::Read => 0xe0,
    };
    let mut bytes = vec![layer_and_type, code, control, 0];
    bytes.extend_from_slice(&(ulpdu.len() as u16).to_be_bytes());
    let header = if ulpdu[0] & 0x80 != 0 { 14 } else { 18 };
    bytes.extend_from_slice(&ulpdu[..header]);
    if let Echo::Read = echo {
        bytes.extend_from_slice(&ulpdu[18..46]);
    }
    bytes
}

/// A responder with one receive of eight bytes posted, and an IRD of 1.
fn responder(profile: Profile) -> Raw {
    let mut config = config(profile);
    config.setup.ird = 1;
    let mut raw = Raw::operating(config);
    raw.connection.post_receive(1, 8).unwrap();
    raw
}

/// Hears `before`, then the segment that is refused.
fn refused(mut raw: Raw, before: &[Vec<u8>], ulpdu: &[u8], head: [u8; 2], echo: Echo) {
    for ulpdu in before {
        raw.feed_ulpdu(ulpdu);
    }
    assert_eq!(raw.violations(), []);
    raw.feed_ulpdu(ulpdu);
    // What comes after is dropped.
    raw.feed_ulpdu(&tagged(WRITE, raw.region, BASE, b"behind"));
    assert_eq!(raw.terminate(), due(ulpdu, head, echo));
    assert_eq!(raw.memory.bytes(raw.region).unwrap()[..6], [0; 6]);
    assert_eq!(raw.violations().len(), 1);
}

/// RFC 5041 section 7.
#[test]
fn what_ddp_refuses_in_tagged_segments() {
    let other = |raw: &mut Raw| {
        let registration = Registration::stream(STREAM.stream + 1, Rights::ALL);
        raw.memory.register(vec![0; 64], registration).unwrap()
    };
    type Made = fn(&Raw, u32) -> Vec<u8>;
    let cases: [(Made, [u8; 2]); 7] = [
        (|raw, _| tagged(WRITE, raw.region ^ 0x80, BASE, b"x"), [0x11, 0]),
        (|raw, _| tagged(WRITE, raw.region, BASE - 1, b"x"), [0x11, 1]),
        (|raw, _| tagged(WRITE, raw.region, BASE + 60, b"12345"), [0x11, 1]),
        (|_, other| tagged(WRITE, other, 0, b"x"), [0x11, 2]),
        (|raw, _| tagged(WRITE, raw.region, u64::MAX, b"x"), [0x11, 3]),
        (|raw, _| tagged([0xc0, 0x40], raw.region, BASE, b"x"), [0x11, 4]),
        (|raw, _| tagged([0xc2, 0x40], raw.region, BASE, b""), [0x11, 4]),
    ];
    for (made, head) in cases {
        let mut raw = responder(Profile::RFC5040);
        let other = other(&mut raw);
        let ulpdu = made(&raw, other);
        refused(raw, &[], &ulpdu, head, Echo::Header);
    }
}

/// RFC 5041 section 7.
#[test]
fn what_ddp_refuses_in_untagged_segments() {
    let send = |words: [u32; 3], payload: &[u8]| {
        untagged(SEND, [0, words[0], words[1], words[2]], payload)
    };
    let first = untagged([MORE, 0x43], [0, 0, 1, 0], b"1234");
    let taken = send([0, 1, 0], b"x");
    let cases = [
        (vec![], send([4, 1, 0], b"x"), [0x12, 1]),
        (vec![], send([3, 1, 0], b"x"), [0x12, 1]),
        (vec![taken.clone()], send([0, 2, 0], b"x"), [0x12, 2]),
        (vec![taken.clone()], send([0, 1, 0], b"x"), [0x12, 3]),
        (vec![], send([0, 0, 0], b"x"), [0x12, 3]),
        (vec![], send([0, 2, 0], b"x"), [0x12, 3]),
        (vec![], send([0, 1, 1], b"x"), [0x12, 4]),
        (vec![first.clone()], send([0, 1, 0], b"x"), [0x12, 4]),
        (vec![first.clone()], send([0, 1, 5], b"x"), [0x12, 4]),
        (vec![], send([0, 1, 0], b"123456789"), [0x12, 5]),
        (vec![first], send([0, 1, 4], b"12345"), [0x12, 5]),
        (vec![], untagged([0x42, 0x43], [0, 0, 1, 0], b"x"), [0x12, 6]),
    ];
    for (before, ulpdu, head) in cases {
        refused(responder(Profile::RFC5040), &before, &ulpdu, head, Echo::Header);
    }
}

/// A request over the IRD finds no buffer; a longer one than any request is too long.
#[test]
fn what_ddp_refuses_on_the_request_queue() {
    let request = |msn| untagged([LAST, 0x41], [0, 1, msn, 0], &read(0, 0, 0));
    // The first response has not been sent: its request still holds the one buffer.
    refused(responder(Profile::RFC5040), &[request(1)], &request(2), [0x12, 2], Echo::Header);
    let mut long = request(1);
    long.push(0);
    refused(responder(Profile::RFC5040), &[], &long, [0x12, 5], Echo::Header);
}

/// RFC 5040 section 7.2, and figure 10 for the headers.
#[test]
fn what_rdmap_refuses_in_read_requests() {
    let mut raw = responder(Profile::RFC5040);
    let region = raw.region;
    let other = Registration::stream(STREAM.stream + 1, Rights::ALL);
    let mut tags = vec![raw.memory.register(vec![0; 64], other).unwrap()];
    let blind = Registration::stream(STREAM.stream, Rights::WRITE);
    tags.push(raw.memory.register(vec![0; 64], blind).unwrap());
    drop(raw);
    let cases = [
        (region ^ 1, BASE, 1, 0),
        (region, BASE + 1, 64, 1),
        (region, BASE - 1, 1, 1),
        (region, 0xffff_ffff_ffff_fff0, 16, 4),
        (tags[0], 0, 1, 3),
        (tags[1], 0, 1, 2),
    ];
    for (tag, offset, size, code) in cases {
        // Tags are made alike each time.
        let mut raw = responder(Profile::RFC5040);
        raw.memory.register(vec![0; 64], other).unwrap();
        raw.memory.register(vec![0; 64], blind).unwrap();
        let ulpdu = untagged([LAST, 0x41], [0, 1, 1, 0], &read(size, tag, offset));
        refused(raw, &[], &ulpdu, [0x01, code], Echo::Read);
    }
}

/// RFC 5040 section 7.2 rules 2 and 3, and messages of a wrong length.
#[test]
fn what_rdmap_refuses_in_any_message() {
    let cases = [
        // RV 0, 2 and 3.
        (untagged([LAST, 0x03], [0, 0, 1, 0], b"x"), [0x02, 5]),
        (untagged([LAST, 0x83], [0, 0, 1, 0], b"x"), [0x02, 5]),
        (untagged([LAST, 0xc3], [0, 0, 1, 0], b"x"), [0x02, 5]),
        // Opcodes that no document has, or this profile has not.
        (untagged([LAST, 0x4f], [0, 0, 1, 0], b"x"), [0x02, 6]),
        (untagged([LAST, 0x48], [0, 0, 1, 0], b"12345678"), [0x02, 6]),
        // A Send on the queue of requests, a Read Request on that of Sends, a Write on a queue.
        (untagged([LAST, 0x43], [0, 1, 1, 0], b"x"), [0x02, 6]),
        (untagged([LAST, 0x41], [0, 0, 1, 0], b"x"), [0x02, 6]),
        (untagged([LAST, 0x40], [0, 0, 1, 0], b"x"), [0x02, 6]),
        // A Send to a tag, and a Read Response that nobody asked for.
        (tagged([0xc1, 0x43], 0, 0, b""), [0x02, 6]),
        (tagged([0xc1, 0x42], 0, 0, b""), [0x02, 6]),
        // A Read Request of 27 bytes, a Terminate of 3.
        (untagged([LAST, 0x41], [0, 1, 1, 0], &[0; 27]), [0x02, 0xff]),
        (untagged([LAST, 0x47], [0, 2, 1, 0], &[0; 3]), [0x02, 0xff]),
    ];
    for (ulpdu, head) in cases {
        refused(responder(Profile::RFC5040), &[], &ulpdu, head, Echo::Header);
    }
    // RFC 7306 section 6.3: Immediate Data has exactly eight bytes.
    let short = untagged([LAST, 0x48], [0, 0, 1, 0], b"1234567");
    refused(responder(Profile::RFC7306), &[], &short, [0x02, 0xff], Echo::Header);
}

/// RFC 5040 section 4.1: reserved bits of the control byte are not checked.
#[test]
fn reserved_bits_are_ignored() {
    let mut raw = responder(Profile::RFC5040);
    raw.feed_ulpdu(&untagged([LAST | 0x3c, 0x43 | 0x30], [0, 0, 1, 0], b"x"));
    assert_eq!(raw.violations(), []);
    assert!(raw.connection.poll_completion().is_some_and(|it| it.result.is_ok()));
}

/// RFC 5040 sections 5.3 and 8.1.1 item 7.
#[test]
fn tags_that_cannot_be_invalidated() {
    let raw = responder(Profile::RFC5040);
    let unknown = untagged([LAST, 0x44], [raw.region ^ 1, 0, 1, 0], b"x");
    refused(raw, &[], &unknown, [0x01, 9], Echo::Header);
    let mut raw = responder(Profile::RFC5040);
    let shared = Registration::shared(STREAM.protection_domain, Rights::ALL);
    let shared = raw.memory.register(vec![0; 8], shared).unwrap();
    let ulpdu = untagged([LAST, 0x46], [shared, 0, 1, 0], b"x");
    refused(raw, &[], &ulpdu, [0x01, 9], Echo::Header);
    // Another stream's, and one that was invalidated before.
    let mut raw = responder(Profile::RFC5040);
    let other = Registration::stream(STREAM.stream + 1, Rights::ALL);
    let other = raw.memory.register(vec![0; 8], other).unwrap();
    refused(raw, &[], &untagged([LAST, 0x44], [other, 0, 1, 0], b"x"), [0x01, 9], Echo::Header);
    let mut raw = responder(Profile::RFC5040);
    raw.connection.post_receive(2, 8).unwrap();
    let own = Registration::stream(STREAM.stream, Rights::ALL);
    let own = raw.memory.register(vec![0; 8], own).unwrap();
    let first = untagged([LAST, 0x44], [own, 0, 1, 0], b"x");
    let again = untagged([LAST, 0x44], [own, 0, 2, 0], b"x");
    refused(raw, &[first], &again, [0x01, 9], Echo::Header);
}

/// RFC 5044 section 8 and RFC 5040 figure 10: LLP errors echo nothing.
#[test]
fn what_mpa_refuses() {
    let mut raw = responder(Profile::RFC5040);
    raw.feed_ulpdu(&tagged(WRITE, 0, 0, b""));
    let mut bytes = fpdu(&tagged(WRITE, raw.region, BASE, b"x"));
    bytes[5] ^= 1;
    raw.feed(&bytes);
    assert_eq!(raw.terminate(), due(&[], [0x20, 2], Echo::Nothing));
    assert_eq!(raw.memory.bytes(raw.region).unwrap(), [0; 64]);

    // RFC 5044 section 7.1.2 rule 4: nothing may be sent before a right FPDU came.
    let mut raw = responder(Profile::RFC5040);
    raw.feed(&bytes);
    assert_eq!(raw.violations(), [Violation::Crc]);
    assert_eq!(raw.transmit(), [Transmit::Finish]);
}

#[test]
fn a_ulpdu_without_a_whole_header() {
    let mut raw = responder(Profile::RFC5040);
    raw.feed_ulpdu(&[LAST, 0x43, 0, 0]);
    assert_eq!(raw.terminate(), due(&[], [0x02, 7], Echo::Nothing));
}

/// A Write into a region without that right: the STag does not allow the placement (RFC 5041 section
/// 7.1), and only requests can be remote protection errors (RFC 5040 figure 10).
#[test]
fn a_write_without_the_right() {
    let mut raw = responder(Profile::RFC5040);
    let registration = Registration::stream(STREAM.stream, Rights::READ);
    let tag = raw.memory.register(vec![0; 8], registration).unwrap();
    refused(raw, &[], &tagged(WRITE, tag, 0, b"x"), [0x11, 0], Echo::Header);
}

/// RFC 5040 section 4.8: a Read that fails midway echoes how far it has come.
#[test]
fn a_partly_done_read_shows_how_far_it_came() {
    let mut config = config(Profile::RFC5040);
    config.longest_ulpdu = Some(14 + 8);
    let mut raw = Raw::operating(config);
    let request = untagged([LAST, 0x41], [0, 1, 1, 0], &read(32, raw.region, BASE + 16));
    raw.feed_ulpdu(&request);
    let sent = raw.connection.poll_transmit(Default::default(), &mut raw.memory);
    assert!(matches!(sent, Some(Transmit::Bytes(bytes)) if bytes.len() == 2 + 22 + 4));
    raw.memory.invalidate(raw.region).unwrap();
    let sent: Vec<u8> = raw
        .transmit()
        .into_iter()
        .flat_map(|it| match it {
            Transmit::Bytes(bytes) => {
                // Several segments: each has at most four bytes of the message.
                let length = usize::from(u16::from_be_bytes([bytes[0], bytes[1]]));
                bytes[20..2 + length].to_vec()
            }
            _ => Vec::new(),
        })
        .collect();
    let mut due = vec![0x01, 0x00, 0xe0, 0x00, 0, 46];
    due.extend_from_slice(&request[..18]);
    due.extend_from_slice(&[0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 14, 0, 0, 0, 24]);
    due.extend_from_slice(&raw.region.to_be_bytes());
    due.extend_from_slice(&(BASE + 24).to_be_bytes());
    assert_eq!(sent, due);
}

/// A Terminate ends both sides: work requests are completed in error, TCP is closed.
#[test]
fn a_terminate_ends_both_sides() {
    let mut pair = Pair::open();
    let (here, there) = pair.both();
    let source = there.region(pattern(8), Rights::NONE);
    let sink = here.region(vec![0; 8], Rights::NONE);
    here.connection.post_receive(7, 8).unwrap();
    there.connection.post_receive(8, 8).unwrap();
    here.post(1, Operation::send(b"first"));
    here.post(2, Operation::Read { sink: local(sink, 0), length: 8, remote: remote(source, 0) });
    here.post(3, Operation::send(b"third"));
    pair.run();
    let [here, there] = &pair.ends;
    assert!(here.events.contains(&Event::Ended(Ending::RemoteTerminate)));
    let ending = Ending::Terminated(Violation::AccessRights);
    assert!(there.events.contains(&Event::Ended(ending)));
    assert_eq!(here.completed(), [(1, true), (2, false), (3, false), (7, false)]);
    let kinds = there.completed();
    assert_eq!(kinds[0], (8, true));
    assert!(here.connection.is_ended() && there.connection.is_ended());
}

/// The responses that a requester refuses.
#[test]
fn responses_that_do_not_match() {
    // A Read of 16 bytes waits: sink STag and TO are in the request that was sent.
    let waiting = || {
        let mut raw = Raw::operating(config(Profile::RFC7306));
        raw.feed_ulpdu(&tagged(WRITE, 0, 0, b""));
        let sink = local(raw.region, BASE);
        let read = Operation::Read { sink, length: 16, remote: remote(1, 0) };
        let request = warpscope_peer::work::WorkRequest::new(1, read);
        raw.connection.post(&raw.memory, request).unwrap();
        assert_eq!(raw.transmit().len(), 1);
        raw
    };
    let response = [0xc1, 0x42];
    let more = [0x81, 0x42];
    type Made = fn(u32) -> Vec<Vec<u8>>;
    let cases: [(Made, [u8; 2]); 4] = [
        // Elsewhere, too long, too short, twice the same.
        (|tag| vec![tagged([0xc1, 0x42], tag, BASE + 1, &[1; 15])], [0x11, 1]),
        (|tag| vec![tagged([0xc1, 0x42], tag, BASE, &[1; 17])], [0x11, 1]),
        (|tag| vec![tagged([0xc1, 0x42], tag, BASE, &[0; 15])], [0x02, 0xff]),
        (
            |tag| {
                let half = tagged([0x81, 0x42], tag, BASE, &[0; 8]);
                vec![half.clone(), half]
            },
            [0x11, 1],
        ),
    ];
    for (made, head) in cases {
        let raw = waiting();
        let mut segments = made(raw.region);
        let last = segments.pop().unwrap();
        refused(raw, &segments, &last, head, Echo::Header);
    }
    let mut raw = waiting();
    raw.feed_ulpdu(&tagged(more, raw.region, BASE, &[1; 8]));
    raw.feed_ulpdu(&tagged(response, raw.region, BASE + 8, &[2; 8]));
    assert_eq!(raw.violations(), []);
    assert!(raw.connection.poll_completion().is_some_and(|it| it.result.is_ok()));
}

/// A peer whose memory is not this stream's cannot reach it through another connection.
#[test]
fn streams_do_not_reach_each_others_regions() {
    let mut configs = configs();
    configs[RESPONDER].accessor.stream += 1;
    let mut pair = Pair::opened(configs);
    let (here, there) = pair.both();
    let tag = there.region(vec![0; 8], Rights::ALL);
    here.post(1, Operation::Write { source: b"x"[..].into(), remote: remote(tag, 0) });
    pair.run();
    let expected = Event::Violated(Violation::TaggedNotAssociated);
    assert!(pair.ends[RESPONDER].events.contains(&expected));
    assert!(pair.ends[INITIATOR].connection.is_ended());
}

/// RFC 5040 section 4.1: reserved bits of the control byte are not compared from segment to segment
/// either, but the opcode is.
#[test]
fn reserved_bits_may_change_within_a_message() {
    let first = untagged([MORE, 0x43], [0, 0, 1, 0], b"1234");
    let mut raw = responder(Profile::RFC5040);
    raw.feed_ulpdu(&first);
    raw.feed_ulpdu(&untagged([LAST, 0x73], [0, 0, 1, 4], b"5678"));
    assert_eq!(raw.violations(), []);
    assert!(raw.connection.poll_completion().is_some_and(|it| it.result.is_ok()));
    let other = untagged([LAST, 0x45], [0, 0, 1, 4], b"5678");
    refused(responder(Profile::RFC5040), &[first], &other, [0x02, 6], Echo::Header);
}

/// Of several faults of one segment: DDP's come before RDMAP's (RFC 5040 section 7.2 rule 1), each
/// layer's in the order of its section (RFC 5041 section 7.1, RFC 5040 section 7.2).
#[test]
fn which_of_several_faults_is_told() {
    let untagged_cases = [
        // DDP version, then queue, then MSN, then MO, then length; opcode and version of RDMAP last.
        (untagged([0x40, 0xff], [0, 9, 9, 9], b"123456789"), [0x12, 6]),
        (untagged([LAST, 0xff], [0, 9, 9, 9], b"123456789"), [0x12, 1]),
        (untagged([LAST, 0xff], [0, 0, 9, 9], b"123456789"), [0x12, 3]),
        (untagged([LAST, 0xff], [0, 0, 1, 9], b"123456789"), [0x12, 4]),
        (untagged([LAST, 0xff], [0, 0, 1, 0], b"123456789"), [0x12, 5]),
        (untagged([LAST, 0xff], [0, 0, 1, 0], b"1"), [0x02, 5]),
        (untagged([LAST, 0x4f], [0, 0, 1, 0], b"1"), [0x02, 6]),
        // A wrong length of the right message on the right queue comes last.
        (untagged([LAST, 0x40], [0, 1, 1, 0], &[0; 27]), [0x02, 6]),
        (untagged([LAST, 0x41], [0, 1, 1, 0], &[0; 27]), [0x02, 0xff]),
    ];
    for (ulpdu, head) in untagged_cases {
        refused(responder(Profile::RFC5040), &[], &ulpdu, head, Echo::Header);
    }
    let registration = Registration::stream(STREAM.stream + 1, Rights::NONE);
    let blind = Registration::stream(STREAM.stream, Rights::NONE);
    type Made = fn(u32, u32) -> Vec<u8>;
    let tagged_cases: [(Made, [u8; 2]); 7] = [
        (|_, _| tagged([0xc0, 0xff], 1, u64::MAX, b"12"), [0x11, 4]),
        (|_, _| tagged([0xc1, 0xff], 1, u64::MAX, b"12"), [0x11, 0]),
        (|other, _| tagged([0xc1, 0xff], other, u64::MAX, b"12"), [0x11, 2]),
        (|_, blind| tagged([0xc1, 0xff], blind, u64::MAX, b"12"), [0x11, 3]),
        (|_, blind| tagged([0xc1, 0xff], blind, 7, b"12"), [0x11, 1]),
        // No bytes, no checks of STag and TO: then the version and the opcode count.
        (|_, _| tagged([0xc1, 0xff], 1, u64::MAX, b""), [0x02, 5]),
        (|_, _| tagged([0xc1, 0x43], 1, u64::MAX, b""), [0x02, 6]),
    ];
    for (made, head) in tagged_cases {
        let mut raw = responder(Profile::RFC5040);
        let other = raw.memory.register(vec![0; 8], registration).unwrap();
        let blind = raw.memory.register(vec![0; 8], blind).unwrap();
        refused(raw, &[], &made(other, blind), head, Echo::Header);
    }
    // RFC 5040 section 7.1 rule 4: of two segments the first.
    let mut raw = responder(Profile::RFC5040);
    let first = untagged([LAST, 0x4f], [0, 0, 1, 0], b"1");
    let both = [fpdu(&first), fpdu(&tagged(WRITE, 0, 0, b"x"))].concat();
    raw.feed(&both);
    assert_eq!(raw.terminate(), due(&first, [0x02, 6], Echo::Header));
}
