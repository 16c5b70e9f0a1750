//! What the rules find in a capture.

use std::collections::BTreeMap;
use warpscope_dissector::pipeline::{Item, ItemContext, Options, PacketItem, Sink};

/// Whatever judges a capture: a sink of the pipeline that has findings at its end.
pub(crate) trait FindingsProvider: Sink {
    /// How often each rule found something, by the rule's id; called once, after the capture.
    fn findings(&mut self) -> BTreeMap<String, u64>;
}

/// The provider that judges with the rules in force for captures decoded like this.
pub(crate) fn provider(_options: &Options) -> Box<dyn FindingsProvider> {
    Box::new(NoRules)
}

/// Judges nothing.
struct NoRules;

impl Sink for NoRules {
    fn packet(&mut self, _packet: &PacketItem<'_>) {}
    fn item(&mut self, _context: &ItemContext<'_>, _item: &Item<'_>) {}
}

impl FindingsProvider for NoRules {
    fn findings(&mut self) -> BTreeMap<String, u64> {
        BTreeMap::new()
    }
}
