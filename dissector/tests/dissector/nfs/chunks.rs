//! Data in write chunks: where it is found, and what is said when something is odd (RFC 8166 section
//! 3.4, RFC 8267 sections 4 and 6).

use super::messages;
use super::xdr::x;
use crate::prelude::*;
use warpscope_dissector::nfs::{DataRange, Within};

const DATA: [&str; 3] = ["nfs.data", "nfs.symlink.linktext", "nfs.readlink.data"];

/// What is reported of data.
#[derive(Default)]
struct Reported {
    data: Vec<(&'static str, Vec<u8>, Place)>,
    words: Vec<String>,
    names: Vec<&'static str>,
}

impl Visit for Reported {
    fn value(&mut self, field: &'static Field, datum: Datum<'_>, place: Option<Place>) {
        self.names.push(field.name);
        match (datum, place) {
            (Datum::Bytes(bytes) | Datum::Text(bytes), Some(place))
                if DATA.contains(&field.name) =>
            {
                self.data.push((field.name, bytes.to_vec(), place));
            }
            (Datum::Derived(text), _) => self.words.push(text.to_owned()),
            _ => {}
        }
    }
}

impl Reported {
    fn has(&self, name: &str) -> bool {
        self.names.contains(&name)
    }
}

/// What is known of a reply and the chunks that were written for it.
fn walk_reply(procedure: Procedure, bytes: &[u8], write_chunks: &[&[u8]]) -> Reported {
    let mut reported = Reported::default();
    let body = Body { bytes, write_chunks };
    assert_eq!(walk(&procedure, Direction::Reply, &body, &mut reported), Ok(()));
    assert!(!reported.has("nfs.left_over"));
    reported
}

/// Fewer replies than the captures of the repository hold.
const FEWEST_REPLIES: u32 = 3;
const READ_3: Procedure = Procedure { program: Procedure::NFS, version: 3, procedure: 6 };
const READLINK_3: Procedure = Procedure { procedure: 5, ..READ_3 };
const COMPOUND: Procedure = Procedure { program: Procedure::NFS, version: 4, procedure: 1 };

fn chunk(number: u16, length: u32) -> Place {
    Place { within: Within::WriteChunk(number), offset: 0, length, first_bit: 0, bits: 0 }
}

/// `READ3resok` without attributes, up to the length of the data, and what the message has of these.
#[test]
fn data_of_a_read_are_found_with_their_place() {
    let in_message = Place { offset: 20, length: 5, ..Place::default() };
    let missing = |count| format!("in write chunk 1, where {count} bytes are missing");
    let there = || "in write chunk 1".to_owned();
    for (case, reply, in_chunk, data, words) in [
        ("in the chunk", "0 0 5 1 5", "12345", Some(("12345", chunk(0, 5))), there()),
        ("captured in part", "0 0 8 1 8", "123", Some(("123", chunk(0, 3))), missing(5)),
        // That is no fault of the message.
        ("not captured", "0 0 8 1 8", "", None, missing(8)),
        ("an unused chunk", "0 0 5 1 '12345'", "", Some(("12345", in_message)), String::new()),
        ("a longer chunk", "0 0 5 1 5", "12345, before", Some(("12345", chunk(0, 5))), there()),
    ] {
        let reported = walk_reply(READ_3, &x(reply), &[in_chunk.as_bytes()]);
        if let Some((bytes, place)) = data {
            assert_eq!(reported.data, [("nfs.data", bytes.as_bytes().to_vec(), place)], "{case}");
        }
        assert_eq!(reported.words.join("; "), words, "{case}");
    }
}

#[test]
fn round_up_bytes_left_in_the_message_are_told() {
    let reported = walk_reply(READ_3, &x("0 0 5 1 5 0")[..23], &[b"12345"]);
    assert_eq!(reported.data, [("nfs.data", b"12345".to_vec(), chunk(0, 5))]);
    assert_eq!(reported.words.len(), 2);
    assert!(reported.words[1].contains("round-up bytes"), "{:?}", reported.words);
}

#[test]
fn summaries_know_what_stands_in_a_chunk() {
    let read = x("0 0 5 1 5");
    let body = Body { bytes: &read, write_chunks: &[b"12345"] };
    let summary = summarise(&READ_3, Direction::Reply, &body).unwrap();
    let [range] = summary.operations[0].data[..] else { panic!("one range") };
    assert_eq!((range.within, range.bytes(&body)), (Within::WriteChunk(0), &b"12345"[..]));
    let link = x("0 0 6");
    let reported = walk_reply(READLINK_3, &link, &[b"target"]);
    assert_eq!(reported.data, [("nfs.readlink.data", b"target".to_vec(), chunk(0, 6))]);
    let body = Body { bytes: &link, write_chunks: &[b"target"] };
    let summary = summarise(&READLINK_3, Direction::Reply, &body).unwrap();
    assert_eq!(summary.operations[0].names, ["target"]);
}

/// A compound of results; each with number and status in front.
fn compound(results: &[&str]) -> Vec<u8> {
    x(&format!("0 '' {} {}", results.len(), results.join(" ")))
}

/// A GETATTR's result: the size.
const GETATTR: &str = "9 0 {0x10} (4096h)";

#[test]
fn operations_of_a_compound_use_the_chunks_in_order() {
    let (failed, link, inline) = ("25 5", "27 0 3", "25 0 1 'inline'");
    let bytes = compound(&["25 0 0 5", GETATTR, failed, link, inline, GETATTR]);
    // The third is for the READ that failed, and is therefore empty.
    let reported = walk_reply(COMPOUND, &bytes, &[b"first", b"", b"../"]);
    let data: Vec<(&str, &[u8], Within)> = reported
        .data
        .iter()
        .map(|(name, bytes, place)| (*name, &bytes[..], place.within))
        .collect();
    assert_eq!(
        data,
        [
            ("nfs.data", &b"first"[..], Within::WriteChunk(0)),
            ("nfs.symlink.linktext", b"../", Within::WriteChunk(2)),
            ("nfs.data", b"inline", Within::Message),
        ]
    );
    let sizes = reported.names.iter().filter(|name| **name == "nfs.fattr4.size").count();
    assert_eq!(sizes, 2, "what stands after the data is read");
}

#[test]
fn what_follows_round_up_bytes_left_in_the_message_is_read() {
    let [read, getattr] = [compound(&["25 0 0 5"]), x(GETATTR)];
    let mut bytes = [&read[..], &[0; 3], &getattr].concat();
    // Two operations.
    bytes[11] = 2;
    let reported = walk_reply(COMPOUND, &bytes, &[b"12345"]);
    assert!(reported.has("nfs.fattr4.size"));
    assert!(
        reported.words.iter().any(|words| words.contains("round-up bytes")),
        "{:?}",
        reported.words
    );
}

#[test]
fn a_lost_chunk_is_told_from_an_unused_one_by_what_follows() {
    let reported = walk_reply(COMPOUND, &compound(&["25 0 0 8", GETATTR]), &[b""]);
    assert!(reported.has("nfs.fattr4.size"));
    assert_eq!(reported.words, ["in write chunk 1, where 8 bytes are missing"]);
}

#[test]
fn the_pieces_of_a_read_plus_know_their_places_in_the_file() {
    let bytes = compound(&["68 0 1 2 0 10h 'ab' 0 0x10000000000h 'cde'"]);
    let body = Body::new(&bytes);
    let summary = summarise(&COMPOUND, Direction::Reply, &body).unwrap();
    let piece = |range: &DataRange| (range.file_offset, range.bytes(&body).to_vec());
    let pieces: Vec<_> = summary.operations[0].data.iter().map(piece).collect();
    assert_eq!(pieces, [(Some(10), b"ab".to_vec()), (Some(1 << 40), b"cde".to_vec())]);
}

/// The data of a WRITE came through a read chunk without its round-up bytes.
#[test]
fn a_call_without_round_up_bytes_is_read() {
    let bytes = [&x("'file handle!' 0h 5 2 5")[..], b"12345"].concat();
    let mut reported = Reported::default();
    let walked = walk(&Procedure::nfs(3, 7), Direction::Call, &Body::new(&bytes), &mut reported);
    assert_eq!(walked, Ok(()));
    assert_eq!(reported.data[0].1, b"12345");
}

/// The replies of the captures whose data went through write chunks: the lengths of the chunks are
/// those of the data, and nothing is left or missing. What is in the chunks does not matter here.
#[test]
fn replies_of_a_real_server_fit_their_chunks() {
    let (mut replies, mut odd) = (0, 0);
    for message in super::captures().iter().flat_map(|file| messages::of(file)) {
        let chunks: Vec<Vec<u8>> =
            message.write_chunks.iter().map(|length| vec![0; *length]).collect();
        let chunks: Vec<&[u8]> = chunks.iter().map(Vec::as_slice).collect();
        if message.whole || message.direction == Direction::Call {
            continue;
        }
        let reported = walk_reply(message.procedure, message.body(), &chunks);
        assert!(
            reported.words.iter().all(|words| !words.contains("missing")),
            "{:?}",
            reported.words
        );
        let moved: u32 = reported.data.iter().map(|(.., place)| place.length).sum();
        assert_eq!(moved as usize, message.write_chunks.iter().sum::<usize>());
        replies += 1;
        odd += u32::from(reported.words.iter().any(|words| words.contains("round-up bytes")));
    }
    println!("{replies} replies used write chunks, {odd} left round-up bytes in the message");
    assert!(replies >= FEWEST_REPLIES, "only {replies} replies used write chunks");
}
