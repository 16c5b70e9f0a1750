//! How many segments of each opcode and how many RPC-over-RDMA messages the captures hold.

use super::sides::{Values, captures};
use crate::support::captures::run;
use std::collections::BTreeMap;
use std::path::Path;
use warpscope_dissector::pipeline::{Item, ItemContext, PacketItem, Sink};

/// What a capture holds, as tshark 4.0.17 counts it with `tcp.reassemble_out_of_order`; for the
/// captures that begin within connections, with setup frames in front.
struct Counts {
    capture: &'static str,
    /// Opcode and number of segments.
    segments: &'static [(u8, u64)],
    /// Number of frames that `-Y rpcordma` shows; each holds one message.
    transport: u64,
}

#[rustfmt::skip]
const COUNTS: [Counts; 20] = [
    Counts { capture: "captures/a4-rping-crc", segments: &[(0, 1000), (1, 60), (2, 1000), (3, 240)], transport: 0 },
    Counts { capture: "captures/a5-mpav1", segments: &[(0, 83), (1, 7), (2, 64), (3, 124), (5, 3)], transport: 0 },
    Counts { capture: "captures/a8-rping-p2p-crc", segments: &[(0, 1003), (1, 60), (2, 1000), (3, 240)], transport: 0 },
    Counts { capture: "captures/a9-rping-gso-crc", segments: &[(0, 82), (1, 60), (2, 81), (3, 240)], transport: 0 },
    Counts { capture: "captures/b2-perftest-crc", segments: &[(0, 1460), (1, 40), (2, 510), (3, 980)], transport: 0 },
    Counts { capture: "captures/c1-crc-server-only", segments: &[(0, 15), (1, 5), (2, 15), (3, 20)], transport: 0 },
    Counts { capture: "captures/c3-crc-client-required-server-forbids", segments: &[], transport: 0 },
    Counts { capture: "captures/c4-mpav2-client-mpav1-server", segments: &[(0, 3), (1, 3), (2, 3), (3, 12)], transport: 0 },
    Counts { capture: "captures/c5-mpav1-client-mpav2-server", segments: &[(3, 1)], transport: 0 },
    Counts { capture: "captures/c8-mpav0-client", segments: &[(3, 1)], transport: 0 },
    Counts { capture: "captures/d1-reject-refuse-disconnect", segments: &[(0, 98), (3, 2)], transport: 0 },
    Counts { capture: "captures/d2-private-data-sizes", segments: &[(3, 4)], transport: 0 },
    Counts { capture: "captures/e1-terminate-stock", segments: &[(0, 20), (1, 8), (2, 2), (3, 5), (4, 2), (7, 17)], transport: 0 },
    Counts { capture: "captures/f1-operations-stock", segments: &[(0, 146), (1, 46), (2, 201), (3, 8), (4, 1), (5, 3), (6, 1)], transport: 0 },
    Counts { capture: "captures/g-nfs-v3-cut", segments: &[(0, 2), (1, 17), (2, 2400), (3, 55), (4, 13)], transport: 68 },
    Counts { capture: "captures/g-nfs-v4.1-cut", segments: &[(0, 5), (1, 16), (2, 2331), (3, 60), (4, 17)], transport: 77 },
    Counts { capture: "captures/h-mixed-crc-middle-cut", segments: &[(0, 2145), (1, 2), (2, 768), (3, 3), (4, 5)], transport: 8 },
    Counts { capture: "captures/i1-netem-loss-reorder", segments: &[(0, 354), (1, 47), (2, 1271), (3, 417), (5, 15)], transport: 0 },
    Counts { capture: "captures/j1-mid-connection", segments: &[(0, 33)], transport: 0 },
    Counts { capture: "captures/j3-mid-nfs", segments: &[(0, 224), (1, 2), (2, 211), (3, 31), (4, 7)], transport: 38 },
];

fn expected(capture: &str) -> Option<(BTreeMap<u8, u64>, u64)> {
    let counts = COUNTS.iter().find(|counts| counts.capture == capture)?;
    Some((counts.segments.iter().copied().collect(), counts.transport))
}

/// Where tshark's counts are not those of the table.
pub fn difference(capture: &str, theirs: &[Values]) -> Option<String> {
    let expected = expected(capture)?;
    let mut segments = BTreeMap::new();
    let mut transport = 0;
    for values in theirs {
        for opcode in values.each("iwarp_rdma.opcode") {
            let opcode = u8::from_str_radix(opcode.trim_start_matches("0x"), 16).unwrap();
            *segments.entry(opcode).or_default() += 1;
        }
        transport += values.each("rpcordma.xid").count() as u64;
    }
    let counted = (segments, transport);
    (counted != expected)
        .then(|| format!("{capture}: tshark counts {counted:?}, the table has {expected:?}"))
}

/// Counts what the pipeline delivers.
#[derive(Default)]
struct Counter {
    segments: BTreeMap<u8, u64>,
    transport: u64,
}

impl Sink for Counter {
    fn packet(&mut self, _packet: &PacketItem<'_>) {}

    fn item(&mut self, _context: &ItemContext<'_>, item: &Item<'_>) {
        let Item::Segment(segment) = item else { return };
        // The captures hold messages of RFC 5040 alone: opcodes of four bits.
        let control = segment.header.unwrap().rdmap_control();
        *self.segments.entry(control & 0x0f).or_default() += 1;
        let transport = segment.completed.as_ref().and_then(|done| done.transport.as_ref());
        self.transport += u64::from(transport.is_some());
    }
}

fn counted(capture: &Path) -> (BTreeMap<u8, u64>, u64) {
    let mut counter = Counter::default();
    run(capture, &mut counter);
    (counter.segments, counter.transport)
}

#[test]
fn segments_and_messages_are_as_many_as_tshark_counts() {
    let mut checked = 0;
    for (name, path) in captures() {
        let Some(expected) = expected(&name) else { continue };
        assert_eq!(counted(&path), expected, "{name}: ours, tshark's");
        checked += 1;
    }
    assert_eq!(checked, COUNTS.len(), "a capture of the table is missing");
}
