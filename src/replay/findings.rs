//! What the rules find in a capture.

use std::collections::BTreeMap;
use warpscope_dissector::pipeline::{Item, ItemContext, PacketItem, Sink};
use warpscope_dissector::rules::Judge;
use warpscope_dissector::stream::SegmentDisposition;

/// A sink around the judge that counts what it finds.
#[derive(Debug, Default)]
pub(super) struct Findings {
    judge: Judge,
    counts: BTreeMap<String, u64>,
}

impl Findings {
    /// Counts the findings since the last call; to be called after every frame, so that they do not
    /// pile up.
    pub(super) fn count(&mut self) {
        for finding in self.judge.take() {
            let id = finding.rule.id;
            if let Some(count) = self.counts.get_mut(id) {
                *count += 1;
            } else {
                self.counts.insert(id.to_owned(), 1);
            }
        }
    }

    /// How often each rule found something, by the rule's id; after the capture.
    pub(super) fn finish(mut self) -> BTreeMap<String, u64> {
        self.count();
        self.counts
    }
}

impl Sink for Findings {
    fn packet(&mut self, packet: &PacketItem<'_>) {
        self.judge.packet(packet);
    }

    fn disposition(&mut self, disposition: SegmentDisposition) {
        self.judge.disposition(disposition);
    }

    fn item(&mut self, context: &ItemContext<'_>, item: &Item<'_>) {
        self.judge.item(context, item);
    }

    fn capture_ended(&mut self) {
        self.judge.capture_ended();
    }
}
