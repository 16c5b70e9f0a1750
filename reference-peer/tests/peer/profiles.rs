//! What each document's profile takes and refuses: versions, opcodes, fields that do not count, and the
//! Terminates that requests of the newer documents get.

use crate::prelude::*;
use crate::raw::Remembering;
use crate::segments::{LAST, newer_requests};

const PROFILES: [Profile; 5] =
    [Profile::RFC5040, Profile::RFC7306, Profile::EXT_V2, Profile::COMMIT, Profile::ALL];

/// The version that an opcode has where these documents are in force; none if no document has it.
fn version(profile: Profile, opcode: u8) -> Vec<u8> {
    let base = if profile.ext_v2 { 2 } else { 1 };
    let mut versions = Vec::new();
    match opcode {
        0x00..=0x07 => versions.push(base),
        0x08..=0x0b if profile.extensions => versions.push(base),
        _ => {}
    }
    // rdma-commit section 3.1 and ext-v2 section 4.1 both own 0x11.
    if profile.commit && (0x0c..=0x11).contains(&opcode) {
        versions.push(1);
    }
    if profile.ext_v2 && (0x11..=0x16).contains(&opcode) {
        versions.push(2);
    }
    versions
}

/// RFC 5040 section 7.2 rules 2 and 3, for every version and opcode: a wrong version is reported as one if
/// the opcode is known with another, and what no document has is an unexpected opcode.
#[test]
fn versions_and_opcodes_of_every_profile() {
    for profile in PROFILES {
        for control in 0..=255_u8 {
            let five_bits = profile.ext_v2 || profile.commit;
            // RFC 5040 reserves the bit above four bits of opcode, and the one above that always.
            let opcode = control & if five_bits { 0x1f } else { 0x0f };
            let rdmap_version = control >> 6;
            let mut raw = Raw::operating(config(profile));
            raw.connection.post_receive(1, 64).unwrap();
            raw.feed_ulpdu(&untagged([LAST, control], [0, 0, 1, 0], b"12345678"));
            let spoken = rdmap_version == 1 || (rdmap_version == 2 && profile.ext_v2);
            let versions = version(profile, opcode);
            let sends = matches!(opcode, 3 | 5 | 8 | 9 | 0x13 | 0x15);
            let what = format!("{profile:?} {control:#04x}");
            if spoken && versions.contains(&rdmap_version) && sends {
                assert_eq!(raw.violations(), [], "{what}");
                continue;
            }
            let report = raw.terminate();
            let due = match versions.contains(&rdmap_version) {
                // Sends that invalidate no STag of this side.
                true if matches!(opcode, 4 | 6 | 0x14 | 0x16) => [0x01, 9],
                // On a queue where it does not belong.
                true => [0x02, 6],
                false if spoken && versions.is_empty() => [0x02, 6],
                false => [0x02, 5],
            };
            assert_eq!(report[..2], due, "{what}");
            assert_eq!(report[2..4], [0xc0, 0], "{what}");
        }
    }
}

/// RFC 5040 section 4.1 and RFC 7306 section 4.1: where nothing is invalidated, the Invalidate STag is
/// not looked at.
#[test]
fn a_stray_invalidate_tag_is_ignored() {
    let region = Raw::new(config(Profile::COMMIT)).tags.own;
    let [(_, _, atomic), ..] = newer_requests(region, BASE);
    for (opcode, queue, payload) in [
        (0x43, 0, &b"x"[..]),
        (0x45, 0, b"x"),
        (0x48, 0, b"12345678"),
        (0x49, 0, b"12345678"),
        (0x41, 1, &read(4, region, BASE)),
        (0x4a, 1, &atomic),
    ] {
        let mut raw = Raw::operating(config(Profile::COMMIT));
        raw.connection.post_receive(1, 8).unwrap();
        raw.feed_ulpdu(&untagged([LAST, opcode], [region, queue, 1, 0], payload));
        raw.transmit();
        assert_eq!(raw.violations(), [], "{opcode:#x}");
        assert!(raw.memory.is_valid(region), "{opcode:#x}");
        if let Some(completion) = raw.connection.poll_completion() {
            assert!(format!("{completion:?}").contains("invalidated: None"));
        }
    }
}

/// RFC 5040 section 4.8: a receiver does not look at the reserved bits of a Terminate, nor at the code
/// of a local catastrophic error; a nested header that is cut hides nothing.
#[test]
fn terminates_are_taken_as_they_are() {
    let header = [0xc1; 14];
    let cases: [(Vec<u8>, (u8, u8, u8)); 5] = [
        (vec![0x00, 0x55, 0x1f, 0xff], (0, 0, 0x55)),
        (vec![0x12, 0x03, 0, 0], (1, 2, 3)),
        ([&[0x11, 0x01, 0xdf, 0xff, 0, 20][..], &header].concat(), (1, 1, 1)),
        (vec![0x01, 0x02, 0xe0, 0, 0, 20], (0, 1, 2)),
        (vec![0xff, 0xff, 0, 0], (15, 15, 0xff)),
    ];
    for (bytes, due) in cases {
        let mut raw = Raw::operating(config(Profile::RFC5040));
        raw.feed_ulpdu(&untagged([LAST, 0x47], [7, 2, 1, 0], &bytes));
        // In good order, and without a Terminate for an answer.
        assert_eq!(raw.transmit(), [Transmit::Finish]);
        let terminate = raw.events().find_map(|it| match it {
            Event::TerminateReceived(it) => Some(it),
            _ => None,
        });
        let terminate = terminate.unwrap();
        assert_eq!((terminate.layer, terminate.error_type, terminate.error_code), due);
        assert_eq!(terminate.bytes, bytes);
    }
}

/// RFC 5040 section 5.5 and the table of RFC 7306 section 7: the responses to a Read and an Atomic go in
/// the order of their requests, and what was sent before was delivered before.
#[test]
fn responses_keep_the_order_of_requests_of_all_kinds() {
    let mut raw = Raw::operating(config(Profile::COMMIT));
    raw.connection.post_receive(1, 8).unwrap();
    let word = raw.register(vec![0; 16], Rights::ALL);
    raw.feed_ulpdu(&untagged([LAST, 0x48], [0, 0, 1, 0], b"12345678"));
    let mut sequence_number = 0;
    let mut ask = |raw: &mut Raw, control, header: &[u8]| {
        sequence_number += 1;
        raw.feed_ulpdu(&untagged(control, [0, 1, sequence_number, 0], header));
    };
    let all = newer_requests(word, 0);
    for index in [3, 0, 6, 5] {
        ask(&mut raw, all[index].1, &all[index].2);
        ask(&mut raw, [LAST, 0x41], &read(16, word, 0));
    }
    ask(&mut raw, [LAST, 0x41], &read(0, 77, 77));
    assert!(raw.connection.poll_completion().is_some_and(|it| it.result.is_ok()));
    let opcodes = raw.transmit().into_iter().map(|it| match it {
        Transmit::Bytes(bytes) => bytes[3],
        other => panic!("{other:?}"),
    });
    assert!(opcodes.eq([0x4d, 0x42, 0x4b, 0x42, 0x51, 0x42, 0x4f, 0x42, 0x42]));
    assert_eq!(raw.violations(), []);
}

/// RFC 5040 section 5.3: a peer may invalidate the sink of a Read that waits. Then its response, or the
/// rest of it, has nowhere to go.
#[test]
fn the_sink_of_a_read_under_way_may_be_invalidated() {
    for bytes in [0, 8] {
        let mut raw = Raw::operating(config(Profile::RFC5040));
        raw.feed_ulpdu(&tagged([0xc1, 0x40], 0, 0, b""));
        raw.connection.post_receive(1, 8).unwrap();
        let sink = local(raw.tags.own, BASE);
        raw.post(1, read_op(sink, 16, remote(1, 0)));
        assert_eq!(raw.transmit().len(), 1);
        if bytes > 0 {
            raw.feed_ulpdu(&tagged([0x81, 0x42], raw.tags.own, BASE, &vec![1; bytes]));
        }
        raw.feed_ulpdu(&untagged([LAST, 0x44], [raw.tags.own, 0, 1, 0], b"x"));
        assert_eq!(raw.violations(), []);
        let rest = BASE + bytes as u64;
        raw.feed_ulpdu(&tagged([0xc1, 0x42], raw.tags.own, rest, &vec![2; 16 - bytes]));
        assert_eq!(raw.terminate()[..3], [0x11, 0, 0xc0]);
        assert!(raw.own()[bytes..16].iter().copied().eq(bytes as u8..16));
    }
}

/// rdma-commit sections 3.1.1.2 and 3.1.3: a Flush whose store fails. The Terminate has no RDMAP header
/// (section 5.1), and the Atomic Write after it is not carried out.
#[test]
fn a_flush_that_fails() {
    let mut raw = Raw::operating(config(Profile::COMMIT));
    let store = Remembering { fails: true, ..Remembering::default() };
    let tag = store.region(&mut raw.memory, 16);
    let [_, _, _, (_, flush, header), .., (_, write, behind)] = newer_requests(tag, 0);
    let flush = untagged(flush, [0, 1, 1, 0], &header);
    raw.feed_ulpdu(&flush);
    raw.feed_ulpdu(&untagged(write, [0, 1, 2, 0], &behind));
    assert_eq!(raw.terminate(), [&[0x02, 7, 0xc0, 0, 0, 38], &flush[..18]].concat());
    assert_eq!(raw.memory.bytes(tag).unwrap(), [0; 16]);
}
