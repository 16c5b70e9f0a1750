//! Files that are cut, damaged, or no captures.

use super::files::{self, Order};
use super::read;
use crate::prelude::*;

fn examples() -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    for order in [Order::Little, Order::Big] {
        all.push(files::pcap(
            order,
            0xa1b2_c3d4,
            1,
            &[(1, 2, b"abcdef", 6), (3, 4, b"", 9), (5, 6, b"xyz", 3)],
        ));
        all.push(
            [
                files::section(order),
                files::interface(order, 1, 0, &files::option(order, 2, b"eth0")),
                files::packet(order, 0, 1, b"abcdef", 6),
                files::block(order, 99, b"unknown"),
                files::old_packet(order, 0, 2, b"old"),
                files::section(order),
                files::interface(order, 1, 0, &[]),
                files::simple_packet(order, b"simple", 6),
            ]
            .concat(),
        );
    }
    all
}

#[test]
fn a_file_cut_anywhere_gives_its_whole_frames_and_then_says_so() {
    for file in examples() {
        let (all, _, error) = read(&file);
        assert!(error.is_none());
        // Where a cut is no damage: after a frame, or after any block.
        let mut clean_cuts = 0;
        for cut in 0..file.len() {
            let (seen, _, error) = read(&file[..cut]);
            assert!(all.starts_with(&seen));
            match error {
                Some(CaptureError::Empty { .. }) => assert_eq!(cut, 0),
                Some(CaptureError::NotACapture { .. }) => assert!(cut < 4),
                Some(CaptureError::Truncated {
                    frame, offset, needed, available, name, ..
                }) => {
                    assert_eq!(name, "made here");
                    assert_eq!(frame, seen.len() as u64 + 1);
                    assert_eq!(offset + available, cut as u64);
                    assert!(available < needed);
                }
                Some(other) => panic!("cut at {cut}: {other}"),
                None => clean_cuts += 1,
            }
        }
        assert!(clean_cuts <= 8, "{clean_cuts}");
    }
}

#[test]
fn a_compressed_file_cut_anywhere_gives_its_whole_frames_and_then_says_so() {
    let plain = &examples()[0];
    let (all, ..) = read(plain);
    for file in [files::gzip(plain), files::zstandard(plain), files::lz4(plain)] {
        for cut in 4..file.len() {
            let (seen, _, error) = read(&file[..cut]);
            assert!(all.starts_with(&seen));
            // After the data only the compression's own end is missing, which lz4 does not report.
            assert!(error.is_some() || seen == all, "cut at {cut} of {}", file.len());
        }
    }
}

#[test]
fn damaged_compressed_data_is_named() {
    let mut file = files::gzip(&examples()[0]);
    let place = file.len() - 6;
    file[place] ^= 1;
    let (seen, _, error) = read(&file);
    assert_eq!(seen.len(), 3, "every frame stands before the checksum");
    let error = error.unwrap();
    assert!(matches!(error, CaptureError::Decompression { decompressor: "gzip", .. }), "{error}");
    assert!(error.to_string().contains("after 3 frames"), "{error}");
}

#[test]
fn an_absurd_length_is_damage_and_costs_no_memory() {
    let mut file = examples()[0].clone();
    file[24 + 8..24 + 12].copy_from_slice(&0xfff0_0000_u32.to_le_bytes());
    let (seen, _, error) = read(&file);
    assert!(seen.is_empty());
    let text = error.unwrap().to_string();
    assert!(text.contains("frame 1: at byte 32"), "{text}");
    assert!(text.contains("4293918720"), "{text}");
}

#[test]
fn damaged_blocks_are_named_with_their_place() {
    let order = Order::Little;
    let start = [files::section(order), files::interface(order, 1, 0, &[])].concat();
    let packet = files::packet(order, 0, 1, b"abcdef", 6);
    let damaged = |at: usize, byte: u8| {
        let mut packet = packet.clone();
        packet[at] = byte;
        [start.clone(), files::packet(order, 0, 0, b"ok", 2), packet].concat()
    };
    let second = start.len() + files::packet(order, 0, 0, b"ok", 2).len();
    for (at, byte, place, words) in [
        (4, 3, 4, "a block length of at least 12"),
        (7, 2, 4, "a block length of at most 16777216"),
        (packet.len() - 4, 0, packet.len() - 4, "the block's length once more"),
        (21, 1, 20, "a captured length that fits into the block"),
        (8, 1, 8, "the number of an interface described before"),
    ] {
        let (seen, _, error) = read(&damaged(at, byte));
        assert_eq!(seen.len(), 1);
        let Some(CaptureError::Malformed { frame, offset, expected, .. }) = error else {
            panic!("{at}: {error:?}")
        };
        assert_eq!((frame, offset, expected), (2, (second + place) as u64, words));
    }
    let mut version = start.clone();
    version[12] = 9;
    let (.., error) = read(&version);
    assert!(error.unwrap().to_string().contains("expected version 1 of pcapng"));
    let mut order_magic = start;
    order_magic[8] = 0;
    let (.., error) = read(&order_magic);
    assert!(error.unwrap().to_string().contains("byte-order magic"));
}

#[test]
fn what_is_no_capture_is_named_by_its_looks() {
    let etl = [&0x10000_u32.to_le_bytes()[..], &[0x48, 0, 0, 0, 0x48, 0, 0, 0], &[0; 60]].concat();
    let erf = [
        &[0, 0, 0, 0][..],
        &1_700_000_000_u32.to_le_bytes(),
        &[2, 4, 0, 80, 0, 0, 0, 64],
        &[0; 64],
    ]
    .concat();
    for (file, words) in [
        (b"snoop\0\0\0\0\0\0\x02".to_vec(), "snoop"),
        (b"hello, this is no capture\n".to_vec(), "text"),
        (b"<?xml version=\"1.0\"?>".to_vec(), "XML"),
        (b"\xfd7zXZ\0\0".to_vec(), "xz"),
        (b"\x0d\x0a\x0a\x0a".to_vec(), "text-mode"),
        (etl, "ETL"),
        (erf, "ERF"),
        (vec![0; 100], "zeros"),
        (files::gzip(&files::gzip(&examples()[0])), "compressed twice"),
        (vec![0xde, 0xad, 0xbe, 0xef], "a1b2c3d4"),
    ] {
        let error = CaptureReader::from_reader(Cursor::new(file), "some.file").unwrap_err();
        assert_eq!(error.frames_read(), 0);
        let text = error.to_string();
        assert!(text.starts_with("some.file: not a pcap or pcapng file"), "{text}");
        assert!(text.contains(words), "{text}");
    }
}

#[test]
fn files_that_cannot_be_opened_are_named() {
    let missing = CaptureReader::open(Path::new("/nowhere/missing.pcap")).unwrap_err();
    assert!(matches!(missing, CaptureError::Open { .. }));
    assert!(missing.to_string().starts_with("/nowhere/missing.pcap: cannot open the file"));
    let directory = CaptureReader::open(Path::new(env!("CARGO_TARGET_TMPDIR"))).unwrap_err();
    assert!(matches!(directory, CaptureError::Directory { .. }));
    let empty = CaptureReader::from_reader(std::io::empty(), "empty").unwrap_err();
    assert!(matches!(empty, CaptureError::Empty { .. }));
    for compress in [files::gzip, files::zstandard, files::lz4] {
        let empty = CaptureReader::from_reader(Cursor::new(compress(&[])), "empty").unwrap_err();
        assert!(matches!(empty, CaptureError::Empty { .. }), "{empty}");
    }
}

/// A stream that breaks after its data.
struct Broken(Cursor<Vec<u8>>);

impl std::io::Read for Broken {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        match self.0.read(buffer)? {
            0 => Err(std::io::Error::from(std::io::ErrorKind::ConnectionReset)),
            count => Ok(count),
        }
    }
}

#[test]
fn a_stream_that_breaks_gives_its_whole_frames_first() {
    let file = Broken(Cursor::new(examples()[0].clone()));
    let mut reader = CaptureReader::from_reader(file, "pipe").unwrap();
    for _ in 0..3 {
        assert!(reader.next_frame().unwrap().is_some());
    }
    let error = reader.next_frame().unwrap_err();
    assert!(matches!(error, CaptureError::Read { frames_read: 3, .. }), "{error}");
}

proptest! {
    #[test]
    fn no_bytes_make_the_reader_panic(
        start in 0..6_usize,
        bytes in proptest::collection::vec(any::<u8>(), 0..600),
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
    ) {
        const MAGICS: [&[u8]; 6] = [
            &[], &[0xd4, 0xc3, 0xb2, 0xa1], &[0xa1, 0xb2, 0x3c, 0x4d], &[0x1f, 0x8b, 8, 0],
            &[0x28, 0xb5, 0x2f, 0xfd], &[0x04, 0x22, 0x4d, 0x18],
        ];
        read(&[MAGICS[start], &bytes].concat());
        for mut file in examples() {
            for (index, byte) in &changes {
                let at = index.index(file.len());
                file[at] = *byte;
            }
            read(&file);
            read(&files::zstandard(&file));
        }
    }
}
