//! Data in write chunks: where it is found, and what is said when something is odd (RFC 8166 section
//! 3.4, RFC 8267 sections 4 and 6).

use super::messages;
use super::vectors::xdr::{Xdr, x};
use warpscope_dissector::field::Field;
use warpscope_dissector::nfs::{
    Body, DataRange, Datum, Direction, Place, Procedure, Visit, Within, summarise, walk,
};

/// What is told of data.
#[derive(Default)]
struct Told {
    data: Vec<(&'static str, Vec<u8>, Place)>,
    words: Vec<String>,
    names: Vec<&'static str>,
}

impl Visit for Told {
    fn value(&mut self, field: &'static Field, datum: Datum<'_>, place: Option<Place>) {
        self.names.push(field.name);
        match (datum, place) {
            (Datum::Bytes(bytes) | Datum::Text(bytes), Some(place))
                if matches!(
                    field.name,
                    "nfs.data" | "nfs.symlink.linktext" | "nfs.readlink.data"
                ) =>
            {
                self.data.push((field.name, bytes.to_vec(), place));
            }
            (Datum::Words(words), _) => self.words.push(words.to_owned()),
            _ => {}
        }
    }
}

impl Told {
    fn has(&self, name: &str) -> bool {
        self.names.contains(&name)
    }
}

fn told(procedure: Procedure, body: &Body<'_>) -> Told {
    let mut told = Told::default();
    let walked = walk(&procedure, Direction::Reply, body, &mut told);
    assert_eq!(walked, Ok(()));
    assert!(!told.has("nfs.left_over"));
    told
}

/// Fewer replies than the captures of the repository hold.
const FEWEST_REPLIES: u32 = 3;
const READ_3: u32 = 6;
const READLINK_3: u32 = 5;

/// `READ3resok` without attributes, up to the length of the data.
fn read_3(length: u32) -> Xdr {
    x().u(&[0, 0, length, 1, length])
}

fn chunk(number: u16, length: u32) -> Place {
    Place { within: Within::WriteChunk(number), offset: 0, length, first_bit: 0, bits: 0 }
}

#[test]
fn data_of_a_read_stands_in_the_chunk() {
    let bytes = read_3(5).0;
    let body = Body { bytes: &bytes, write_chunks: &[b"12345"] };
    let told = told(Procedure::nfs(3, READ_3), &body);
    assert_eq!(told.data, [("nfs.data", b"12345".to_vec(), chunk(0, 5))]);
    assert_eq!(told.words, ["in write chunk 1"]);
    let summary = summarise(&Procedure::nfs(3, READ_3), Direction::Reply, &body).unwrap();
    let [range] = summary.operations[0].data[..] else { panic!("one range") };
    assert_eq!(range.within, Within::WriteChunk(0));
    assert_eq!(range.bytes(&body), b"12345");
}

#[test]
fn bytes_that_the_capture_has_not_are_counted() {
    let bytes = read_3(8).0;
    let body = Body { bytes: &bytes, write_chunks: &[b"123"] };
    let told = told(Procedure::nfs(3, READ_3), &body);
    assert_eq!(told.data, [("nfs.data", b"123".to_vec(), chunk(0, 3))]);
    assert_eq!(told.words, ["in write chunk 1, where 5 bytes are missing"]);
}

#[test]
fn a_chunk_that_the_capture_has_not_at_all_is_no_fault_of_the_message() {
    let bytes = read_3(8).0;
    let told = told(Procedure::nfs(3, READ_3), &Body { bytes: &bytes, write_chunks: &[b""] });
    assert_eq!(told.words, ["in write chunk 1, where 8 bytes are missing"]);
}

#[test]
fn an_unused_chunk_leaves_the_data_in_the_message() {
    let bytes = read_3(5).fixed(b"12345").0;
    let told = told(Procedure::nfs(3, READ_3), &Body { bytes: &bytes, write_chunks: &[b""] });
    assert_eq!(
        told.data,
        [("nfs.data", b"12345".to_vec(), Place { offset: 20, length: 5, ..Place::default() })]
    );
    assert!(told.words.is_empty());
}

#[test]
fn a_chunk_that_is_longer_than_the_data_ends_with_it() {
    let bytes = read_3(5).0;
    let body = Body { bytes: &bytes, write_chunks: &[b"12345and what was there before"] };
    let told = told(Procedure::nfs(3, READ_3), &body);
    assert_eq!(told.data, [("nfs.data", b"12345".to_vec(), chunk(0, 5))]);
}

#[test]
fn round_up_bytes_left_in_the_message_are_told() {
    let bytes = read_3(5).u(&[0]).0[..23].to_vec();
    let body = Body { bytes: &bytes, write_chunks: &[b"12345"] };
    let told = told(Procedure::nfs(3, READ_3), &body);
    assert_eq!(told.data, [("nfs.data", b"12345".to_vec(), chunk(0, 5))]);
    assert_eq!(told.words.len(), 2);
    assert!(told.words[1].contains("round-up bytes"), "{:?}", told.words);
}

#[test]
fn the_path_of_a_readlink_may_stand_in_a_chunk() {
    let bytes = x().u(&[0, 0, 6]).0;
    let body = Body { bytes: &bytes, write_chunks: &[b"target"] };
    let told = told(Procedure::nfs(3, READLINK_3), &body);
    assert_eq!(told.data, [("nfs.readlink.data", b"target".to_vec(), chunk(0, 6))]);
    let summary = summarise(&Procedure::nfs(3, READLINK_3), Direction::Reply, &body).unwrap();
    assert_eq!(summary.operations[0].names, ["target"]);
}

/// A compound of results; each with number and status in front.
fn compound(results: &[Xdr]) -> Vec<u8> {
    let front = x().u(&[0]).text("").u(&[results.len() as u32]);
    results.iter().fold(front, |all, result| all.with(result)).0
}

/// A READ's result up to the length of the data.
fn read(length: u32) -> Xdr {
    x().u(&[25, 0, 0, length])
}

/// A GETATTR's result: the size.
fn getattr() -> Xdr {
    x().u(&[9, 0]).attributes(&[0x10], &x().h(4096))
}

#[test]
fn operations_of_a_compound_use_the_chunks_in_order() {
    let failed = x().u(&[25, 5]);
    let link = x().u(&[27, 0, 3]);
    let inline = x().u(&[25, 0, 1]).opaque(b"inline");
    let bytes = compound(&[read(5), getattr(), failed, link, inline, getattr()]);
    // The third is for the READ that failed, and is therefore empty.
    let body = Body { bytes: &bytes, write_chunks: &[b"first", b"", b"../"] };
    let told = told(Procedure::nfs(4, 1), &body);
    let data: Vec<(&str, &[u8], Within)> =
        told.data.iter().map(|(name, bytes, place)| (*name, &bytes[..], place.within)).collect();
    assert_eq!(
        data,
        [
            ("nfs.data", &b"first"[..], Within::WriteChunk(0)),
            ("nfs.symlink.linktext", b"../", Within::WriteChunk(2)),
            ("nfs.data", b"inline", Within::Message),
        ]
    );
    let sizes = told.names.iter().filter(|name| **name == "nfs.fattr4.size").count();
    assert_eq!(sizes, 2, "what stands behind the data is read");
}

#[test]
fn what_follows_round_up_bytes_left_in_the_message_is_read() {
    let bytes = compound(&[read(5).fixed(&[0; 3]), getattr()]);
    // `fixed` rounds the three bytes up to four; one goes.
    let at = bytes.len() - getattr().0.len() - 1;
    let bytes = [&bytes[..at], &bytes[at + 1..]].concat();
    let body = Body { bytes: &bytes, write_chunks: &[b"12345"] };
    let told = told(Procedure::nfs(4, 1), &body);
    assert!(told.has("nfs.fattr4.size"));
    assert!(told.words.iter().any(|words| words.contains("round-up bytes")), "{:?}", told.words);
}

#[test]
fn a_lost_chunk_is_told_from_an_unused_one_by_what_follows() {
    let bytes = compound(&[read(8), getattr()]);
    let body = Body { bytes: &bytes, write_chunks: &[b""] };
    let told = told(Procedure::nfs(4, 1), &body);
    assert!(told.has("nfs.fattr4.size"));
    assert_eq!(told.words, ["in write chunk 1, where 8 bytes are missing"]);
}

#[test]
fn the_pieces_of_a_read_plus_know_their_places_in_the_file() {
    let data = |offset: u64, bytes: &[u8]| x().u(&[0]).h(offset).opaque(bytes);
    let bytes =
        compound(&[x().u(&[68, 0, 1, 2]).with(&data(10, b"ab")).with(&data(1 << 40, b"cde"))]);
    let body = Body::new(&bytes);
    let summary = summarise(&Procedure::nfs(4, 1), Direction::Reply, &body).unwrap();
    let pieces: Vec<(Option<u64>, &[u8])> = summary.operations[0]
        .data
        .iter()
        .map(|range: &DataRange| (range.file_offset, range.bytes(&body)))
        .collect();
    assert_eq!(pieces, [(Some(10), &b"ab"[..]), (Some(1 << 40), b"cde")]);
}

/// The data of a WRITE came through a read chunk without its round-up bytes.
#[test]
fn a_call_without_round_up_bytes_is_read() {
    let write = x().opaque(b"file handle!").h(0).u(&[5, 2, 5]).0;
    let bytes = [&write[..], b"12345"].concat();
    let mut told = Told::default();
    let walked = walk(&Procedure::nfs(3, 7), Direction::Call, &Body::new(&bytes), &mut told);
    assert_eq!(walked, Ok(()));
    assert_eq!(told.data[0].1, b"12345");
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
        let body = Body { bytes: message.body(), write_chunks: &chunks };
        let told = told(message.procedure, &body);
        assert!(told.words.iter().all(|words| !words.contains("missing")), "{:?}", told.words);
        let moved: u32 = told.data.iter().map(|(.., place)| place.length).sum();
        assert_eq!(moved as usize, message.write_chunks.iter().sum::<usize>());
        replies += 1;
        odd += u32::from(told.words.iter().any(|words| words.contains("round-up bytes")));
    }
    println!("{replies} replies used write chunks, {odd} left round-up bytes in the message");
    assert!(replies >= FEWEST_REPLIES, "only {replies} replies used write chunks");
}
