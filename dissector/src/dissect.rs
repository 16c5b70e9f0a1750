//! One frame as a person sees it: its tree of fields, and its line in the list.

use crate::capture::Interface;
use crate::link::Packet;
use crate::pipeline::{Item, ItemContext, PacketItem, Sink};
use crate::stream::Arrival;
use crate::tree::{
    FrameContext, Tree, add_sources, protocol_name, push_frame, push_layers, write_summary,
};
use std::fmt::Write as _;

/// The line of a frame in the list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Line {
    /// Where it came from: an IP address, else a link address.
    pub source: String,
    /// Where it went.
    pub destination: String,
    /// The protocol of its innermost content.
    pub protocol: &'static str,
    /// What it says.
    pub info: String,
    /// True when something in it is wrong: malformed, a bad CRC, octets skipped, a Terminate.
    pub alarm: bool,
}

/// What the capture says beyond the frame: kept by the caller from frame to frame.
#[derive(Debug, Clone, Default)]
pub struct CaptureContext {
    /// When the first frame was captured, in nanoseconds.
    pub first_time: Option<i64>,
    /// When the frame before was captured.
    pub previous_time: Option<i64>,
    /// When the last frame that passed the display filter was captured.
    pub previous_displayed_time: Option<i64>,
    /// The interface of the frame at hand, when the capture's format tells interfaces apart.
    pub interface: Option<Interface>,
}

/// Builds tree and line of one frame from what the pipeline hands up; reused from frame to frame.
#[derive(Debug, Default)]
pub struct FrameView {
    /// The frame's number.
    pub number: u64,
    /// When it was captured, in nanoseconds.
    pub time: Option<i64>,
    /// Its length on the wire in octets.
    pub length: u32,
    /// The tree, when one was wanted.
    pub tree: Tree,
    /// The line, when one was wanted.
    pub line: Line,
    /// What the capture says; set by the caller before each frame.
    pub context: CaptureContext,
    want_tree: bool,
    want_line: bool,
}

impl FrameView {
    /// A view that builds trees, lines, or both.
    pub fn new(want_tree: bool, want_line: bool) -> Self {
        Self { want_tree, want_line, ..Self::default() }
    }

    fn clear(&mut self) {
        self.tree.clear();
        self.line.source.clear();
        self.line.destination.clear();
        self.line.info.clear();
        self.line.protocol = "";
        self.line.alarm = false;
    }

    fn addresses(&mut self, packet: &Packet<'_>) {
        if let Some((source, destination)) = packet.addresses {
            let _ = write!(self.line.source, "{source}");
            let _ = write!(self.line.destination, "{destination}");
        }
    }
}

impl Sink for FrameView {
    fn packet(&mut self, item: &PacketItem<'_>) {
        self.clear();
        let (frame, packet) = (item.frame, item.packet);
        (self.number, self.time, self.length) = (frame.number, frame.time, frame.original_length);
        if self.want_tree {
            let sources = add_sources(&mut self.tree, frame, packet);
            let context = FrameContext {
                first_time: self.context.first_time,
                previous_time: self.context.previous_time,
                previous_displayed_time: self.context.previous_displayed_time,
                interface: self.context.interface.as_ref(),
            };
            push_frame(&mut self.tree, frame, packet, sources.frame, &context);
            push_layers(&mut self.tree, frame, packet, sources, item.tcp.as_ref());
        }
        if self.want_line {
            self.addresses(packet);
            self.line.protocol = protocol_name(packet);
            write_summary(frame, packet, item.tcp.as_ref(), &mut self.line.info);
        }
    }

    fn arrival(&mut self, _arrival: Arrival) {}

    fn item(&mut self, _context: &ItemContext<'_>, _item: &Item<'_>) {}
}
