//! Counts over captures whose contents are known.

use super::{capture, statistics};
use warpscope_dissector::mpa::Side;
use warpscope_dissector::operation::OperationKind;
use warpscope_dissector::statistics::{ProcedureKey, Range};

/// `a8-rping-p2p-crc`: 20 rounds of rping with 64, 4096 and 65535 bytes. In each round the initiator
/// sends twice and the responder twice, 16 bytes each; the responder reads the initiator's buffer
/// and writes it back. Each connection begins with a Write of no bytes (Ready To Receive).
#[test]
fn rping_is_counted_as_it_works() {
    let statistics = statistics(&capture("a8-rping-p2p-crc"), None, None);
    let counts = statistics.counts();
    let buckets: Vec<_> = counts
        .sizes
        .buckets()
        .filter(|(.., bucket)| bucket.messages != [0; 3])
        .map(|(least, greatest, bucket)| (least, greatest, bucket.messages))
        .collect();
    let expected = [
        (0, 0, [0, 3, 0]),
        (16, 31, [240, 0, 0]),
        (64, 127, [0, 20, 20]),
        (4096, 8191, [0, 20, 20]),
        (32_768, 65_535, [0, 20, 20]),
    ];
    assert_eq!(buckets, expected);
    assert_eq!(counts.sizes.incomplete, 0);
    let [initiator, responder] = &counts.depths;
    assert!(initiator.requests.is_empty());
    assert_eq!(responder.requests.iter().collect::<Vec<_>>(), [(&1, &60)]);
    assert_eq!(responder.limits, Some(Range { least: 1, most: 1 }));
    assert_eq!((responder.over, responder.without_limit), (0, 0));
    let data = 20 * 2 * (64 + 4096 + 65_535) + 240 * 16;
    assert_eq!(counts.opcodes.data(), data);
    let reads = counts.operations();
    let reads = reads.iter().find(|each| each.kind == OperationKind::Read).unwrap();
    assert_eq!((reads.requester, reads.completed), (Side(1), 60));
    assert_eq!(reads.bytes, 20 * (64 + 4096 + 65_535));
}

/// Whatever the interval, all of it together is the same, and as much as the capture holds.
#[test]
fn intervals_hold_everything_once() {
    for interval in [None, Some(1_000), Some(1_000_000_000), Some(u64::MAX)] {
        let statistics = statistics(&capture("a8-rping-p2p-crc"), None, interval);
        let counts = statistics.counts();
        let (length, intervals) = counts.timeline.intervals(40);
        assert!(interval.is_none_or(|interval| interval == length));
        assert!(interval.is_some() || intervals.len() <= 40);
        let sum = |of: fn(&warpscope_dissector::statistics::Interval) -> u64| {
            intervals.iter().map(|(_, what)| of(what)).sum::<u64>()
        };
        // Every frame of the capture is of one of the three connections.
        assert_eq!(sum(|what| what.frames), 3854);
        assert_eq!(sum(|what| what.payload), counts.payload.iter().sum::<u64>());
        assert_eq!(sum(|what| what.messages), counts.opcodes.total().messages);
        assert_eq!(sum(|what| what.data), counts.opcodes.data());
    }
}

#[test]
fn one_flow_can_be_counted_alone() {
    let path = capture("a8-rping-p2p-crc");
    let mut data = 0;
    for (flow, size) in [(0, 64), (1, 4096), (2, 65_535)] {
        let statistics = statistics(&path, Some(flow), None);
        let counts = statistics.counts();
        assert_eq!(counts.connections, 1);
        assert_eq!(counts.opcodes.data(), 20 * 2 * size + 80 * 16, "flow {flow}");
        data += counts.opcodes.data();
    }
    assert_eq!(data, statistics(&path, None, None).counts().opcodes.data());
    assert_eq!(statistics(&path, Some(3), None).counts().connections, 0);
}

/// By the plan of the capture: GETATTR in calls 1, 7 and 9, of which the last two fail; WRITE in 2, 4
/// and 6; READ in 3 and 5.
#[test]
fn procedures_are_those_of_the_calls() {
    let statistics = statistics(&capture("rpcordma"), None, None);
    let rows: Vec<_> = statistics
        .counts()
        .procedures
        .rows()
        .map(|(key, row)| (key.names(), row.calls, row.replies, row.errors, row.unanswered()))
        .collect();
    assert_eq!(
        rows,
        [
            ((Some("NFS"), Some("GETATTR")), 3, 1, 2, 0),
            ((Some("NFS"), Some("READ")), 2, 2, 0, 0),
            ((Some("NFS"), Some("WRITE")), 3, 3, 0, 0),
        ]
    );
    let counts = statistics.counts();
    let (key, getattr) = counts.procedures.rows().next().unwrap();
    assert!(matches!(key, ProcedureKey::Known { program: 100_003, version: 3, procedure: 1, .. }));
    // Calls of 40 bytes of header and 36 of arguments; one reply of 24 and 88.
    assert_eq!((getattr.call_bytes, getattr.reply_bytes), (3 * 76, 112));
    // The reply is in the next frame, 10.5 µs later; the capture's clock has microseconds.
    let latency = getattr.latency().unwrap();
    assert_eq!((latency.count, latency.minimum), (1, latency.maximum));
    assert!((10_000..=11_000).contains(&latency.minimum), "{}", latency.minimum);
}

/// The calls of `g-nfs-v4.1-cut` by what tshark 4.0.17 says that they are about (`nfs.main_opcode`); but
/// that a compound of PUTROOTFH and GETATTR is about GETATTR here.
#[test]
fn compounds_are_told_by_what_they_are_about() {
    let statistics = statistics(&capture("g-nfs-v4.1-cut"), None, None);
    let rows: Vec<_> = statistics
        .counts()
        .procedures
        .rows()
        .map(|(key, row)| match key {
            ProcedureKey::Known { program: 100_003, version: 4, operation, .. } => {
                (operation.unwrap_or("-"), row.calls, row.replies)
            }
            other => panic!("{other:?}"),
        })
        .collect();
    let expected = [
        ("-", 1, 1),
        ("ACCESS", 2, 2),
        ("CLOSE", 2, 2),
        ("CREATE", 1, 1),
        ("CREATE_SESSION", 1, 1),
        ("EXCHANGE_ID", 2, 2),
        ("GETATTR", 9, 9),
        ("OPEN", 3, 3),
        ("RECLAIM_COMPLETE", 1, 1),
        ("SECINFO_NO_NAME", 1, 1),
        ("WRITE", 14, 13),
    ];
    assert_eq!(rows, expected);
}
