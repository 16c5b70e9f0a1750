//! Requests are matched with their responses.

use super::seen::{Happened, Seen, see};
use std::collections::BTreeMap;
use warpscope_dissector::operation::{OperationKind, Outcome};

fn completed(seen: &Seen) -> BTreeMap<OperationKind, usize> {
    let mut counts = BTreeMap::new();
    for seen in seen.that(Happened::Completed) {
        *counts.entry(seen.operation.kind).or_default() += 1;
    }
    counts
}

/// 46 Read Requests (traces/README.md), all of them answered in their order, with as many bytes as
/// they asked for.
#[test]
fn every_read_is_answered() {
    let seen = see("captures/f1-operations-stock.pcap.zst");
    let reads: Vec<_> = seen
        .that(Happened::Completed)
        .filter(|seen| seen.operation.kind == OperationKind::Read)
        .collect();
    assert_eq!(reads.len(), 46);
    assert_eq!(seen.that(Happened::Requested).count(), 46);
    for read in &reads {
        let operation = &read.operation;
        let response = operation.response.unwrap();
        assert_eq!(Some(response.bytes), operation.expected);
        assert_eq!(operation.overtook, 0);
        assert_eq!(operation.outcome, Outcome::Completed);
        assert!(operation.whole);
        assert!(operation.latency().unwrap() >= operation.first_byte().unwrap());
        assert!(operation.first_byte().unwrap() > 0);
        assert!(u64::from(operation.depth) <= u64::from(read.depth_limit.unwrap()));
    }
    // One connection with ORD 2, and one with 16, whose first responses come before its last requests.
    let deepest = |limit: u16| {
        let of = reads.iter().filter(|read| read.depth_limit == Some(limit));
        of.map(|read| read.operation.depth).max()
    };
    assert_eq!(deepest(2), Some(2));
    assert!(deepest(16) > Some(2));
    assert_eq!(seen.that(Happened::Unsolicited).count(), 0);
    assert_eq!(seen.that(Happened::Abandoned).count(), 0);
}

/// Every request of the extensions has its response.
#[test]
fn extensions_are_matched() {
    for (file, kind) in [
        ("synthetic/rfc7306.pcap", OperationKind::Atomic),
        ("synthetic/commit.pcap", OperationKind::Flush),
        ("synthetic/commit.pcap", OperationKind::Verify),
        ("synthetic/commit.pcap", OperationKind::AtomicWrite),
        ("synthetic/ext-v2.pcap", OperationKind::ReadV2),
    ] {
        let seen = see(file);
        let asked =
            seen.that(Happened::Requested).filter(|seen| seen.operation.kind == kind).count();
        assert!(asked > 0, "{file} has no {}", kind.name());
        assert_eq!(completed(&seen).get(&kind), Some(&asked), "{file} {}", kind.name());
    }
}

/// With loss and reordering, requests still find their responses.
#[test]
fn loss_on_the_link_loses_no_match() {
    let seen = see("captures/i1-netem-loss-reorder.pcap.zst");
    let asked = seen.that(Happened::Requested).count();
    let lost = seen.that(Happened::Abandoned).count();
    assert_eq!(completed(&seen)[&OperationKind::Read] + lost, asked);
    assert_eq!(seen.that(Happened::Unsolicited).count(), 0);
    let again: u64 =
        seen.that(Happened::Completed).map(|seen| seen.operation.request.repeated).sum();
    assert!(again > 0, "some of the Writes were sent again");
}

/// A capture that starts in mid-connection: no request is taken for another's.
#[test]
fn a_late_start_invents_nothing() {
    let seen = see("captures/j1-mid-connection.pcap");
    assert!(seen.operations.iter().all(|seen| seen.operation.kind == OperationKind::Write
        || seen.happened != Happened::Completed
        || seen.operation.whole));
    assert!(completed(&seen)[&OperationKind::Write] > 0);
}
