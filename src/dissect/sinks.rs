//! Hands what the pipeline finds to the frame's view and to the statistics.

use super::phs::{Hierarchy, Sighting};
use warpscope_dissector::dissect::FrameView;
use warpscope_dissector::pipeline::{Item, ItemContext, PacketItem, Sink};
use warpscope_dissector::stream::SegmentDisposition;

/// Whoever wants to know what is in a frame.
#[derive(Debug)]
pub(super) struct Sinks {
    /// Tree and line of the frame, when they are needed.
    pub(super) view: Option<FrameView>,
    /// The protocol hierarchies that are counted.
    pub(super) hierarchies: Vec<Hierarchy>,
    sighting: Sighting,
    relative: bool,
}

impl Sinks {
    /// Sinks for these; `relative` says whether sequence numbers count from the connection's first.
    pub(super) fn new(
        view: Option<FrameView>,
        hierarchies: Vec<Hierarchy>,
        relative: bool,
    ) -> Self {
        Self { view, hierarchies, sighting: Sighting::default(), relative }
    }

    /// The frame is complete: it is counted where it passes.
    pub(super) fn frame_ended(&mut self) {
        if self.hierarchies.is_empty() {
            return;
        }
        self.sighting.settle();
        let tree = self.view.as_ref().map(|view| &view.tree);
        for hierarchy in &mut self.hierarchies {
            hierarchy.count(&self.sighting, tree);
        }
    }
}

impl Sinks {
    /// Items that came after the last frame are counted.
    pub(super) fn capture_finished(&mut self) {
        for hierarchy in &mut self.hierarchies {
            hierarchy.count_late(&self.sighting);
        }
    }
}

impl Sink for Sinks {
    fn packet(&mut self, packet: &PacketItem<'_>) {
        if !self.hierarchies.is_empty() {
            self.sighting.packet(packet);
        }
        let Some(view) = &mut self.view else { return };
        match (packet.tcp, &packet.packet.tcp) {
            (Some(mut tcp), Some(segment)) if !self.relative => {
                tcp.relative_sequence = segment.sequence_number;
                tcp.relative_acknowledgment = segment.acknowledgment_number;
                view.packet(&PacketItem { tcp: Some(tcp), ..*packet });
            }
            _ => view.packet(packet),
        }
    }

    fn disposition(&mut self, disposition: SegmentDisposition) {
        if let Some(view) = &mut self.view {
            view.disposition(disposition);
        }
    }

    fn item(&mut self, context: &ItemContext<'_>, item: &Item<'_>) {
        if !self.hierarchies.is_empty() {
            self.sighting.item(context, item);
        }
        if let Some(view) = &mut self.view {
            view.item(context, item);
        }
    }

    fn capture_ended(&mut self) {
        self.sighting.capture_ended();
        if let Some(view) = &mut self.view {
            view.capture_ended();
        }
    }
}
