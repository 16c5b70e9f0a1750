//! Judges the items of all connections.

use super::finding::Finding;
use crate::pipeline::{Item, ItemContext, PacketItem, Sink};

/// A sink that judges every item and collects findings; take them after each frame.
#[derive(Debug, Default)]
pub struct Judge {
    findings: Vec<Finding>,
}

impl Judge {
    /// A judge of all rules.
    pub fn new() -> Self {
        Self::default()
    }

    /// The findings since the last call, in the order in which they were made.
    pub fn take(&mut self) -> std::vec::Drain<'_, Finding> {
        self.findings.drain(..)
    }
}

impl Sink for Judge {
    fn packet(&mut self, _packet: &PacketItem<'_>) {}

    fn item(&mut self, _context: &ItemContext<'_>, _item: &Item<'_>) {}
}
