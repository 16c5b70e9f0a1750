//! Whole files.

use super::files::{self, Order};
use super::read;
use crate::prelude::*;

fn whole(file: &[u8]) -> Vec<Frame<'static>> {
    let (seen, _, error) = read(file);
    assert!(error.is_none(), "{error:?}");
    seen
}

#[test]
fn pcap_of_both_orders_and_resolutions() {
    for order in [Order::Little, Order::Big] {
        for (magic, nanoseconds) in [(0xa1b2_c3d4, 1_000), (0xa1b2_3c4d, 1)] {
            let records = [(10, 999, &[1, 2, 3][..], 3), (4_000_000_000, 5, &[], 70)];
            let seen = whole(&files::pcap(order, magic, 101, &records));
            assert_eq!(seen.len(), 2);
            assert_eq!(seen[0].number, 1);
            assert_eq!(seen[0].time, Some(10_000_000_000 + 999 * nanoseconds));
            assert_eq!((seen[0].bytes, seen[0].original_length), (&[1, 2, 3][..], 3));
            assert_eq!(seen[0].link_type.0, 101);
            // Seconds are unsigned: they last until 2106.
            assert_eq!(seen[1].time, Some(4_000_000_000_000_000_000 + 5 * nanoseconds));
            assert_eq!((seen[1].bytes.len(), seen[1].original_length), (0, 70));
        }
    }
}

#[test]
fn pcap_of_the_modified_format() {
    let file = files::pcap(Order::Little, 0xa1b2_cd34, 1, &[(1, 2, b"abcd", 4), (3, 4, b"e", 9)]);
    let seen = whole(&file);
    assert_eq!(seen[0].bytes, b"abcd");
    assert_eq!((seen[1].bytes, seen[1].time), (&b"e"[..], Some(3_000_004_000)));
}

#[test]
fn pcap_link_types_leave_out_the_frame_check_sequence_bits() {
    let file = files::pcap(Order::Big, 0xa1b2_c3d4, 0x4400_0001, &[(0, 0, b"x", 1)]);
    assert_eq!(whole(&file)[0].link_type.0, 1);
}

#[test]
fn pcapng_of_both_orders_with_every_packet_block() {
    for order in [Order::Little, Order::Big] {
        let name = files::option(order, 2, b"eth7");
        let file = [
            files::section(order),
            files::interface(order, 1, 0, &name),
            // An unknown block and a name resolution block do not matter.
            files::block(order, 0x0bad_cafe, b"whatever"),
            files::block(order, 4, &[0; 8]),
            files::packet(order, 0, 0x0001_0000_0002, b"hello", 99),
            files::old_packet(order, 0, 7, b"old!!"),
            files::simple_packet(order, b"simple", 6),
        ]
        .concat();
        let (seen, interfaces, error) = read(&file);
        assert!(error.is_none(), "{error:?}");
        assert_eq!(interfaces[0].name.as_deref(), Some("eth7"));
        assert_eq!(seen.len(), 3);
        assert_eq!(seen[0].bytes, b"hello");
        assert_eq!(seen[0].original_length, 99);
        assert_eq!(seen[0].time, Some(0x0001_0000_0002 * 1_000));
        assert_eq!((seen[1].bytes, seen[1].time), (&b"old!!"[..], Some(7_000)));
        assert_eq!((seen[2].bytes, seen[2].time), (&b"simple"[..], None));
    }
}

/// `annotate` writes comments into such blocks too.
#[test]
fn an_obsolete_packet_block_has_comments() {
    for order in [Order::Little, Order::Big] {
        let head = [order.u16s(&[0, 0xffff]), order.u32s(&[0, 7, 5, 5])].concat();
        let comment = files::option(order, 1, b"mine");
        let old = files::block(order, 2, &[&head[..], b"old!!\0\0\0", &comment].concat());
        let file = [files::section(order), files::interface(order, 1, 0, &[]), old].concat();
        let mut reader = CaptureReader::from_reader(Cursor::new(file), "x").unwrap();
        let described = reader.next_described().unwrap().unwrap();
        assert_eq!(described.comments().collect::<Vec<_>>(), ["mine"]);
    }
}

#[test]
fn a_simple_packet_is_cut_at_the_snap_length() {
    let order = Order::Little;
    let interface = files::interface(order, 1, 5, &[]);
    let packet = files::simple_packet(order, b"abcde", 1_000);
    let seen = whole(&[files::section(order), interface, packet].concat());
    assert_eq!((seen[0].bytes, seen[0].original_length), (&b"abcde"[..], 1_000));
}

/// `if_tsresol` (§4.2): a negative power of 10, or of 2 with the highest bit set.
#[test]
fn pcapng_times_of_every_resolution() {
    for order in [Order::Little, Order::Big] {
        for (resolution, ticks, nanoseconds) in [
            (0, 3, Some(3_000_000_000)),
            (3, 1_500, Some(1_500_000_000)),
            (6, 7, Some(7_000)),
            (9, 7, Some(7)),
            (12, 7_999, Some(7)),
            (38, u64::MAX, Some(0)),
            (0x7f, u64::MAX, Some(0)),
            (0x80, 2, Some(2_000_000_000)),
            (0x80 | 10, 1_536, Some(1_500_000_000)),
            (0x80 | 32, 1 << 31, Some(500_000_000)),
            (0xff, u64::MAX, Some(0)),
            // Beyond the year 2262 there is no time in 64 bits of nanoseconds.
            (6, u64::MAX, None),
            (0, u64::MAX, None),
        ] {
            let options =
                [files::option(order, 9, &[resolution]), files::option(order, 0, b"")].concat();
            let interface = files::interface(order, 1, 0, &options);
            let packet = files::packet(order, 0, ticks, b"x", 1);
            let file = [files::section(order), interface, packet].concat();
            assert_eq!(whole(&file)[0].time, nanoseconds, "{order:?} {resolution:#x} {ticks}");
        }
    }
}

#[test]
fn pcapng_offsets_are_added_in_both_orders() {
    for (order, offset) in
        [(Order::Little, (-5_i64).to_le_bytes()), (Order::Big, (-5_i64).to_be_bytes())]
    {
        let interface = files::interface(order, 1, 0, &files::option(order, 14, &offset));
        let packet = files::packet(order, 0, 6_000_001, b"x", 1);
        let file = [files::section(order), interface, packet].concat();
        assert_eq!(whole(&file)[0].time, Some(1_000_001_000));
    }
}

/// Interfaces count anew in each section; each has its own link type and clock.
#[test]
fn pcapng_with_several_sections_and_interfaces() {
    let (little, big) = (Order::Little, Order::Big);
    let file = [
        files::section(little),
        files::interface(little, 1, 0, &[]),
        files::interface(little, 113, 0, &files::option(little, 9, &[9])),
        files::packet(little, 1, 5, b"one", 3),
        files::section(big),
        files::interface(big, 276, 0, &[]),
        files::packet(big, 0, 5, b"two", 3),
    ]
    .concat();
    let (seen, interfaces, error) = read(&file);
    assert!(error.is_none(), "{error:?}");
    let places: Vec<_> = interfaces.iter().map(|one| (one.section, one.number)).collect();
    assert_eq!(places, [(0, 0), (0, 1), (1, 0)]);
    assert_eq!((seen[0].interface, seen[0].link_type.0, seen[0].time), (1, 113, Some(5)));
    assert_eq!((seen[1].interface, seen[1].link_type.0, seen[1].time), (2, 276, Some(5_000)));
}

#[test]
fn a_zstd_file_may_start_with_a_frame_to_be_skipped() {
    let plain = files::pcap(Order::Little, 0xa1b2_c3d4, 1, &[(1, 2, b"abcd", 4)]);
    let skipped = [&[0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 9, 9, 9][..], &files::zstandard(&plain)];
    assert_eq!(whole(&skipped.concat()), whole(&plain));
}

/// A decompressor has to have 8 MiB of window (RFC 8878 section 3.1.1.1.2); 64 MiB are had here.
#[test]
fn a_zstd_window_that_is_too_large_is_not_supported() {
    let plain = files::pcap(Order::Little, 0xa1b2_c3d4, 1, &[(1, 2, b"abcd", 4)]);
    let with_window = |exponent: u8| {
        let mut file = files::zstandard(&plain);
        file[5] = exponent << 3;
        file
    };
    assert_eq!(whole(&with_window(16)), whole(&plain));
    let opened = CaptureReader::from_reader(Cursor::new(with_window(17)), "x");
    assert!(matches!(opened, Err(CaptureError::Window { frames_read: 0, .. })));
    assert!(opened.err().unwrap().to_string().starts_with("x: unsupported: "));
}

#[test]
fn compressed_files_are_recognised_by_their_bytes() {
    let plain = files::pcap(Order::Little, 0xa1b2_c3d4, 1, &[(1, 2, b"abcd", 4), (3, 4, b"e", 9)]);
    let expected = whole(&plain);
    let (head, tail) = plain.split_at(33);
    for (name, compress) in [
        ("gzip", files::gzip as fn(&[u8]) -> Vec<u8>),
        ("zstd", files::zstandard),
        ("lz4", files::lz4),
    ] {
        assert_eq!(whole(&compress(&plain)), expected, "{name}");
        let two = [compress(head), compress(tail)].concat();
        assert_eq!(whole(&two), expected, "two {name} members");
        let reader = CaptureReader::from_reader(Cursor::new(compress(&plain)), "x").unwrap();
        assert_eq!((reader.decompressor(), reader.format()), (Some(name), "pcap"));
    }
}

/// A stream that hands out one byte at a time, like a slow pipe.
struct Drip(Cursor<Vec<u8>>);

impl std::io::Read for Drip {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let length = buffer.len().min(1);
        self.0.read(&mut buffer[..length])
    }
}

#[test]
fn a_slow_pipe_gives_the_same_frames() {
    let bytes = vec![7; 1000];
    let plain = files::pcap(Order::Big, 0xa1b2_3c4d, 1, &[(1, 2, &bytes, 1000), (3, 4, b"e", 9)]);
    for file in [plain.clone(), files::gzip(&plain), files::zstandard(&plain), files::lz4(&plain)] {
        let mut reader = CaptureReader::from_reader(Drip(Cursor::new(file)), "pipe").unwrap();
        assert_eq!(reader.next_frame().unwrap().unwrap().bytes, bytes);
        assert_eq!(reader.next_frame().unwrap().unwrap().bytes, b"e");
        assert!(reader.next_frame().unwrap().is_none());
    }
}

#[test]
fn a_frame_larger_than_the_window_is_read() {
    let large: Vec<u8> = (0..3_000_000_u32).map(|number| number as u8).collect();
    let records = [(1, 0, b"a" as &[u8], 1), (2, 0, &large, 3_000_000), (3, 0, b"b", 1)];
    let seen = whole(&files::pcap(Order::Little, 0xa1b2_c3d4, 1, &records));
    assert_eq!(seen[1].bytes, large);
    assert_eq!(seen[2].bytes, b"b");
}
