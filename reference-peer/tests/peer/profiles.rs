//! What each document's profile takes and refuses: versions, opcodes, fields that do not count, and the
//! Terminates that requests of the newer documents get.

use crate::prelude::*;

const LAST: u8 = 0x41;
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
    let atomic = |word: u32| {
        let mut bytes = vec![0, 0, 0, 0, 0, 0, 0, 1];
        bytes.extend_from_slice(&word.to_be_bytes());
        bytes.extend_from_slice(&[0; 40]);
        bytes
    };
    type Made = fn(u32, Vec<u8>) -> Vec<u8>;
    let cases: [Made; 6] = [
        |tag, _| untagged([LAST, 0x43], [tag, 0, 1, 0], b"x"),
        |tag, _| untagged([LAST, 0x45], [tag, 0, 1, 0], b"x"),
        |tag, _| untagged([LAST, 0x48], [tag, 0, 1, 0], b"12345678"),
        |tag, _| untagged([LAST, 0x49], [tag, 0, 1, 0], b"12345678"),
        |tag, _| untagged([LAST, 0x41], [tag, 1, 1, 0], &read(4, tag, 0)),
        |tag, request| untagged([LAST, 0x4a], [tag, 1, 1, 0], &request),
    ];
    for made in cases {
        let mut raw = Raw::operating(config(Profile::COMMIT));
        raw.connection.post_receive(1, 8).unwrap();
        let own = Registration::stream(STREAM.stream, Rights::ALL);
        let tag = raw.memory.register(vec![0; 8], own).unwrap();
        raw.feed_ulpdu(&made(tag, atomic(tag)));
        raw.transmit();
        assert_eq!(raw.violations(), []);
        assert!(raw.memory.is_valid(tag));
        if let Some(completion) = raw.connection.poll_completion() {
            assert!(format!("{completion:?}").contains("invalidated: None"));
        }
    }
}

/// The requests besides the RDMA Read, for a buffer: control bytes, and the RDMAP header.
fn requests(tag: u32, offset: u64) -> Vec<(Profile, [u8; 2], Vec<u8>)> {
    let (tag, offset) = (tag.to_be_bytes(), offset.to_be_bytes());
    let length = [0, 0, 0, 8];
    let atomic = [&[0; 8], &tag[..], &offset, &[0; 32]].concat();
    vec![
        (Profile::RFC7306, [LAST, 0x4a], atomic.clone()),
        (Profile::EXT_V2, [LAST, 0x8a], atomic),
        (Profile::EXT_V2, [LAST, 0x91], [&length, &tag[..], &offset].concat()),
        (Profile::COMMIT, [LAST, 0x4c], [&tag, &length[..], &offset, &[0, 0, 0, 1]].concat()),
        (Profile::COMMIT, [LAST, 0x4c], [&tag, &length[..], &offset, &[0, 0, 0, 2]].concat()),
        (Profile::COMMIT, [LAST, 0x4e], [&tag, &length[..], &offset].concat()),
        (Profile::COMMIT, [LAST, 0x50], [&tag, &length[..], &offset, &[9; 8]].concat()),
    ]
}

/// RFC 5040 section 4.8 and RFC 7306 section 8.1: whatever is wrong with the buffer of a request, the
/// Terminate has the DDP header and its length, and never an RDMAP header, which is for RDMA Reads alone.
#[test]
fn requests_for_a_wrong_buffer() {
    let own = Registration::stream(STREAM.stream, Rights::ALL);
    let other = Registration::stream(STREAM.stream + 1, Rights::ALL);
    let blind = Registration::stream(STREAM.stream, Rights::NONE);
    let last = u64::MAX - 7;
    for index in 0..7 {
        for (registration, flip, offset, code) in [
            (own, 0x80, 0, 0),
            (own, 0, 16, 1),
            (own, 0, 8 + 4, 1),
            (blind, 0, 0, 2),
            (other, 0, 0, 3),
            (own, 0, last, 4),
        ] {
            let (profile, ..) = requests(0, 0)[index];
            let mut raw = Raw::operating(config(profile));
            let tag = raw.memory.register(vec![3; 16], registration).unwrap();
            let (_, control, header) = requests(tag ^ flip, offset).remove(index);
            let ulpdu = untagged(control, [0, 1, 1, 0], &header);
            raw.feed_ulpdu(&ulpdu);
            let mut due = vec![0x01, code, 0xc0, 0, 0, ulpdu.len() as u8];
            due.extend_from_slice(&ulpdu[..18]);
            assert_eq!(raw.terminate(), due, "request {index}, code {code}");
            assert_eq!(raw.memory.bytes(tag).unwrap(), [3; 16]);
        }
    }
}

/// RFC 7306 section 8.2 and rdma-commit section 3.1.3.1: words that are not aligned, and, for a Read V2
/// that is stopped midway, no more than the DDP header (ext-v2 section 8.1).
#[test]
fn requests_that_cannot_be_carried_out() {
    for index in [0, 1, 6] {
        let (profile, ..) = requests(0, 0)[index];
        let mut raw = Raw::operating(config(profile));
        let own = Registration::stream(STREAM.stream, Rights::ALL);
        let tag = raw.memory.register(vec![3; 16], own).unwrap();
        let (_, control, header) = requests(tag, 4).remove(index);
        let ulpdu = untagged(control, [0, 1, 1, 0], &header);
        raw.feed_ulpdu(&ulpdu);
        let mut due = vec![0x02, 7, 0xc0, 0, 0, ulpdu.len() as u8];
        due.extend_from_slice(&ulpdu[..18]);
        assert_eq!(raw.terminate(), due);
        assert_eq!(raw.memory.bytes(tag).unwrap(), [3; 16]);
    }
    let mut config = config(Profile::EXT_V2);
    config.longest_ulpdu = Some(18 + 4);
    let mut raw = Raw::operating(config);
    let (_, control, header) = requests(raw.region, BASE).remove(2);
    let ulpdu = untagged(control, [0, 1, 1, 0], &header);
    raw.feed_ulpdu(&ulpdu);
    let first = raw.connection.poll_transmit(Default::default(), &mut raw.memory);
    assert!(matches!(first, Some(Transmit::Bytes(bytes)) if bytes[2..4] == [0x01, 0x92]));
    raw.memory.invalidate(raw.region).unwrap();
    let sent = raw.transmit();
    let payload: Vec<u8> = sent
        .iter()
        .flat_map(|it| match it {
            Transmit::Bytes(bytes) => {
                let length = usize::from(u16::from_be_bytes([bytes[0], bytes[1]]));
                bytes[20..2 + length].to_vec()
            }
            _ => Vec::new(),
        })
        .collect();
    let mut due = vec![0x01, 0, 0xc0, 0, 0, ulpdu.len() as u8];
    due.extend_from_slice(&ulpdu[..18]);
    assert_eq!(payload, due);
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
        let told = std::iter::from_fn(|| raw.connection.poll_event()).find_map(|it| match it {
            Event::TerminateReceived(it) => Some(it),
            _ => None,
        });
        let told = told.unwrap();
        assert_eq!((told.layer, told.error_type, told.error_code), due);
        assert_eq!(told.bytes, bytes);
    }
}

/// RFC 5040 section 5.5 and the table of RFC 7306 section 7: the responses to a Read and an Atomic go in
/// the order of their requests, and what was sent before was delivered before.
#[test]
fn responses_keep_the_order_of_requests_of_all_kinds() {
    let mut raw = Raw::operating(config(Profile::COMMIT));
    raw.connection.post_receive(1, 8).unwrap();
    let own = Registration::stream(STREAM.stream, Rights::ALL);
    let word = raw.memory.register(vec![0; 16], own).unwrap();
    raw.feed_ulpdu(&untagged([LAST, 0x48], [0, 0, 1, 0], b"12345678"));
    let mut sequence_number = 0;
    let mut ask = |raw: &mut Raw, control, header: &[u8]| {
        sequence_number += 1;
        raw.feed_ulpdu(&untagged(control, [0, 1, sequence_number, 0], header));
    };
    let all = requests(word, 0);
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
        let sink = local(raw.region, BASE);
        let ask = Operation::Read { sink, length: 16, remote: remote(1, 0) };
        raw.connection.post(&raw.memory, WorkRequest::new(1, ask)).unwrap();
        assert_eq!(raw.transmit().len(), 1);
        if bytes > 0 {
            raw.feed_ulpdu(&tagged([0x81, 0x42], raw.region, BASE, &vec![1; bytes]));
        }
        raw.feed_ulpdu(&untagged([LAST, 0x44], [raw.region, 0, 1, 0], b"x"));
        assert_eq!(raw.violations(), []);
        let rest = BASE + bytes as u64;
        raw.feed_ulpdu(&tagged([0xc1, 0x42], raw.region, rest, &vec![2; 16 - bytes]));
        assert_eq!(raw.terminate()[..3], [0x11, 0, 0xc0]);
        assert_eq!(raw.memory.bytes(raw.region).unwrap()[bytes..16], vec![0; 16 - bytes]);
    }
}

/// A store that takes nothing.
#[derive(Debug)]
struct Full;

impl Store for Full {
    fn persist(&mut self, _: u64, _: &[u8]) -> Result<(), FlushFailed> {
        Err(FlushFailed("it is full".to_owned()))
    }
}

/// rdma-commit sections 3.1.1.2, 3.1.2 and 3.1.3.1: what cannot be done, found while it is done or
/// before. The Terminate has no RDMAP header (section 5.1), and requests after get no response.
#[test]
fn commit_requests_that_fail() {
    let hash = |length: usize| vec![0xee; length];
    for (index, change, code) in [
        // A Flush whose store fails, Verifies that expect another hash, shorter or longer.
        (3, None, [0x02, 7]),
        (5, Some(hash(1)), [0x02, 0xff]),
        (5, Some(hash(4)), [0x02, 0xff]),
        (5, Some(hash(64)), [0x02, 0xff]),
        (5, Some(hash(65)), [0x12, 5]),
    ] {
        let mut raw = Raw::operating(config(Profile::COMMIT));
        let own = Registration::stream(STREAM.stream, Rights::ALL);
        let tag = raw.memory.register_stored(vec![3; 16], Box::new(Full), own).unwrap();
        let (_, control, mut header) = requests(tag, 0).remove(index);
        header.extend(change.into_iter().flatten());
        let ulpdu = untagged(control, [0, 1, 1, 0], &header);
        raw.feed_ulpdu(&ulpdu);
        let (_, behind, write) = requests(tag, 0).remove(6);
        raw.feed_ulpdu(&untagged(behind, [0, 1, 2, 0], &write));
        let mut due = vec![code[0], code[1], 0xc0, 0, 0, ulpdu.len() as u8];
        due.extend_from_slice(&ulpdu[..18]);
        assert_eq!(raw.terminate(), due);
        assert_eq!(raw.memory.bytes(tag).unwrap(), [3; 16]);
    }
    // An Atomic Write of another length than eight.
    for length in [0, 7, 9, u32::MAX] {
        let mut raw = Raw::operating(config(Profile::COMMIT));
        let own = Registration::stream(STREAM.stream, Rights::ALL);
        let tag = raw.memory.register(vec![3; 16], own).unwrap();
        let (_, control, mut header) = requests(tag, 0).remove(6);
        header[4..8].copy_from_slice(&length.to_be_bytes());
        let ulpdu = untagged(control, [0, 1, 1, 0], &header);
        raw.feed_ulpdu(&ulpdu);
        assert_eq!(raw.terminate()[..4], [0x02, 7, 0xc0, 0]);
        assert_eq!(raw.memory.bytes(tag).unwrap(), [3; 16]);
    }
}
