mod captured;

use super::compose::{divide, filled, gathered, read_chunks, repeats, restorable, restore, total};
use super::{CallForm, ReducedReply, RpcRdmaConfig, Thresholds};
use warpscope_peer::bug::Bugs;
use warpscope_wire::rpcrdma::{ReadSegment, Segment};

#[test]
fn items_without_a_place_are_refused() {
    let places = |items: &[(u32, u64)]| restorable(52, items.iter().copied());
    assert!(places(&[(44, 8), (52, 4)]));
    assert!(places(&[(52, 8)]));
    assert!(!places(&[(56, 8)]), "after the end");
    assert!(places(&[(48, 4), (56, 8)]), "the end moves");
    assert!(!places(&[(44, 9), (52, 4)]), "within the one before, round-up included");
    assert!(!places(&[(44, u64::MAX), (48, u64::MAX)]));
    assert_eq!(restore(&[0; 52], &[(56, vec![1])], Bugs::NONE), None);
    assert_eq!(restore(&[0; 52], &[(44, vec![1; 9]), (52, vec![1])], Bugs::NONE), None);
}

fn segment(handle: u32, length: u32, offset: u64) -> Segment {
    Segment { handle, length, offset }
}

#[test]
fn chunks_are_cut_and_filled_in_order() {
    let cut = divide(7, 0x1000, 10, 4);
    assert_eq!(cut, [segment(7, 4, 0x1000), segment(7, 4, 0x1004), segment(7, 2, 0x1008)]);
    assert_eq!(divide(7, 0, 0, 4), []);
    assert_eq!(total(&cut), 10);
    let lengths = |bytes| filled(&cut, bytes).map(|it| it.iter().map(|it| it.length).collect());
    assert_eq!(lengths(0), Some(vec![0, 0, 0]));
    assert_eq!(lengths(4), Some(vec![4, 0, 0]));
    assert_eq!(lengths(9), Some(vec![4, 4, 1]));
    assert_eq!(lengths(10), Some(vec![4, 4, 2]));
    assert_eq!(lengths(11), None::<Vec<u32>>);
    assert!(repeats(&cut, &filled(&cut, 5).unwrap()));
    assert!(!repeats(&cut, &cut[..2]));
    assert!(!repeats(&cut[1..2], &[segment(7, 5, 0x1004)]));
    assert!(!repeats(&cut[1..2], &[segment(8, 4, 0x1004)]));
}

/// RFC 8166 section 3.4.5: the order of the list within a chunk, whatever is between.
#[test]
fn segments_of_one_position_are_one_chunk() {
    let read = |position, handle| ReadSegment { position, target: segment(handle, 1, 0) };
    let chunks = read_chunks(&[read(8, 1), read(0, 2), read(8, 3), read(0, 4)]);
    let handles: Vec<(u32, Vec<u32>)> = chunks
        .into_iter()
        .map(|(position, chunk)| (position, chunk.iter().map(|it| it.handle).collect()))
        .collect();
    assert_eq!(handles, [(0, vec![2, 4]), (8, vec![1, 3])]);
}

/// RFC 8797 sections 4.2, 5.1 and 5.2.
#[test]
fn thresholds_are_the_smaller_of_both_sides() {
    let config = |send_size, receive_size| RpcRdmaConfig {
        send_size,
        receive_size,
        ..RpcRdmaConfig::client(0)
    };
    let (own, peer) = (config(8192, 2048), config(65536, 4096));
    assert_eq!(peer.private_data(), [0xf6, 0xab, 0x0e, 0x18, 1, 1, 63, 3]);
    let thresholds = Thresholds::new(&own, &peer.private_data());
    assert_eq!((thresholds.send, thresholds.receive), (4096, 2048));
    assert!(thresholds.remote_invalidation);
    // Anywhere among other bytes; the reserved bits do not matter.
    let mut among = vec![0xf6, 0xab, 0x0e];
    among.extend_from_slice(&peer.private_data());
    among[8] |= 0xfe;
    among.push(3);
    assert_eq!(Thresholds::new(&own, &among), thresholds);
    let smallest = Thresholds { send: 1024, receive: 1024, remote_invalidation: false };
    let mut other_version = peer.private_data();
    other_version[4] = 2;
    for none in [&[][..], &among[..10], &other_version] {
        assert_eq!(Thresholds::new(&own, none), smallest);
    }
    let silent = RpcRdmaConfig { private_data: false, ..own };
    assert!(silent.private_data().is_empty());
    assert_eq!(Thresholds::new(&silent, &peer.private_data()), smallest);
    // A size that the format cannot express is not announced.
    assert!(config(1000, 1024).private_data().is_empty());
    assert!(config(1024, 262_145).private_data().is_empty());
    // Tags of a Protection Domain cannot be invalidated.
    let shared = RpcRdmaConfig { shared_tags: true, ..config(1024, 262_144) };
    assert_eq!(shared.private_data()[4..], [1, 0, 0, 255]);
    assert_eq!(CallForm::default(), CallForm::Shortest);
}

#[test]
fn replies_are_made_whole_again() {
    let reduced = vec![1, 1, 1, 1, 0, 0, 0, 5, 0, 0, 0, 2, 8, 8, 8, 8];
    let reply = ReducedReply { bytes: reduced, chunks: vec![vec![5; 5], vec![2; 2]] };
    let whole =
        [1, 1, 1, 1, 0, 0, 0, 5, 5, 5, 5, 5, 5, 0, 0, 0, 0, 0, 0, 2, 2, 2, 0, 0, 8, 8, 8, 8];
    assert_eq!(reply.whole(&[8, 12]).as_deref(), Some(&whole[..]));
    assert_eq!(reply.whole(&[8, 17]), None);
    assert_eq!(reply.whole(&[12, 8]), None);
    let last = ReducedReply { bytes: vec![0, 0, 0, 3], chunks: vec![vec![7; 3]] };
    assert_eq!(last.whole_with_last(), [0, 0, 0, 3, 7, 7, 7, 0]);
}

/// RFC 8166 section 3.4.6.1: the contents of the returned segments, one after the other, also where
/// a segment came back with less than it has room for.
#[test]
fn a_chunk_is_what_its_segments_hold() {
    let offered = divide(7, 0, 10, 4);
    let bytes: Vec<u8> = (0..10).collect();
    let returned = |lengths: [u32; 3]| -> Vec<Segment> {
        let segments = offered.iter().zip(lengths);
        segments.map(|(segment, length)| Segment { length, ..*segment }).collect()
    };
    assert_eq!(gathered(&bytes, &offered, &returned([4, 4, 2])), bytes);
    assert_eq!(gathered(&bytes, &offered, &returned([4, 1, 0])), [0, 1, 2, 3, 4]);
    assert_eq!(gathered(&bytes, &offered, &returned([1, 0, 2])), [0, 8, 9]);
    assert!(gathered(&bytes, &offered, &returned([0, 0, 0])).is_empty());
}
