//! Every byte of every iWARP stream of the shipped real captures is in exactly one item: a setup
//! frame, an FPDU, or skipped with a reason.

use crate::support::captures::{captures, run};
use warpscope_dissector::mpa::CrcVerdict;
use warpscope_dissector::pipeline::{Item, ItemContext, PacketItem, Sink};

#[derive(Default)]
struct Seen {
    items: u64,
    skipped_without_words: u64,
    bad_crcs: u64,
}

impl Sink for Seen {
    fn packet(&mut self, _packet: &PacketItem<'_>) {}

    fn item(&mut self, _context: &ItemContext<'_>, item: &Item<'_>) {
        self.items += 1;
        match item {
            Item::Skipped(skipped) => {
                self.skipped_without_words += u64::from(skipped.reason.describe().is_empty());
            }
            Item::Segment(segment) => {
                self.bad_crcs += u64::from(segment.fpdu.crc == CrcVerdict::Bad);
            }
            Item::Setup(_) | Item::Operation(_) | Item::Rpc(_) | Item::PlainRpc(_) => {}
        }
    }
}

#[test]
fn no_byte_of_a_real_stream_is_unaccounted_for() {
    let captures = captures(&["captures"]);
    assert!(captures.len() >= 20, "{} captures", captures.len());
    for path in captures {
        let name = path.display();
        let mut seen = Seen::default();
        let mut pipeline = run(&path, &mut seen);
        let mut streams = 0;
        for connection in pipeline.connections() {
            for side in connection.sides.iter().filter(|_| connection.iwarp) {
                let totals = side.totals;
                let accounted = totals.setup + totals.fpdu + totals.skipped;
                let stream = side.reassembler.next_offset();
                let number = connection.info.number;
                assert_eq!(accounted, stream, "{name}: connection {number}: {totals:?}");
                streams += 1;
            }
        }
        assert!(streams > 0 && seen.items > 0, "{name}: nothing iWARP was found");
        assert_eq!(seen.skipped_without_words, 0, "{name}");
        // The networks that these were captured on damaged nothing.
        assert_eq!(seen.bad_crcs, 0, "{name}");
    }
}
