//! One frame as shown to a person: its tree of fields, and its line in the list.

use crate::capture::{DescribedFrame, Interface};
use crate::field::{
    frame as frame_fields, ip as ip_fields, link as link_fields, mpa, tcp as tcp_fields,
};
use crate::flow::Connection;
use crate::item::{Item, ItemContext, PacketItem, Sink};
use crate::link::{Endpoint, Packet};
use crate::stream::SegmentDisposition;
use crate::tree::{
    FrameContext, FramePlace, Node, Run, Tree, Value, add_sources, protocol_name, push_data,
    push_exchange, push_frame, push_io, push_layers, push_malformed, push_message, push_operation,
    push_plain_rpc, push_segment, push_setup, push_skipped, write_operation, write_rpc,
    write_segment, write_setup, write_skipped, write_summary,
};
use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;
use std::net::IpAddr;
use warpscope_text::{Duration, counted};

/// The line of a frame in the list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Line {
    /// The source: an IP address, or else a link address.
    pub source: String,
    /// The destination.
    pub destination: String,
    /// The protocol of its innermost content.
    pub protocol: &'static str,
    /// The summary of its content.
    pub info: String,
    /// The parts of that text that are about RPC messages, each with its transaction ID.
    pub rpc: Vec<(u32, String)>,
    /// True if something in it is wrong: malformed, a bad CRC, bytes skipped, a Terminate.
    pub alarm: bool,
}

/// What the capture says apart from the frame: kept by the caller from frame to frame.
#[derive(Debug, Clone, Default)]
pub struct CaptureContext {
    /// When the first frame was captured, in nanoseconds.
    pub first_time: Option<i64>,
    /// When the previous frame was captured.
    pub previous_time: Option<i64>,
    /// When the last frame that passed the display filter was captured.
    pub previous_displayed_time: Option<i64>,
    /// The interface of the current frame, if the capture's format distinguishes interfaces.
    pub interface: Option<Interface>,
}

/// Builds the tree and the line of one frame from the pipeline's items; reused from frame to frame.
#[derive(Debug, Default)]
pub struct FrameView {
    /// The frame's number.
    pub number: u64,
    /// When it was captured, in nanoseconds.
    pub time: Option<i64>,
    /// Its length on the wire in bytes.
    pub length: u32,
    /// The tree, if requested.
    pub tree: Tree,
    /// The line, if requested.
    pub line: Line,
    /// What the capture says; set by the caller before each frame.
    pub context: CaptureContext,
    /// Items that were still waiting when the capture ended, by the frame of their last byte and in the order
    /// in which they were delivered.
    late: BTreeMap<(u64, usize), (Tree, Line)>,
    /// The size of `late` in bytes.
    late_cost: usize,
    /// How many late items there have been.
    lates: usize,
    want_tree: bool,
    want_line: bool,
    /// The index of the interface that the context describes.
    interface: Option<u32>,
    place: FramePlace,
    /// Index of the node of `frame.protocols`.
    protocols: usize,
    /// True once the line holds the text of an iWARP item, which replaces TCP's.
    replaced: bool,
    /// True once the line holds the text of an upper layer protocol's message.
    of_ulp: bool,
    /// Where the text of the last segment begins in the line: the text of its content goes before it.
    segment_at: usize,
    /// TCP's notes about the current segment.
    note: String,
    ended: bool,
    /// The place of the bytes after the last RPC-over-RDMA header.
    inline: Option<Run>,
    /// The end that sent the current packet.
    sender: Option<Endpoint>,
    /// Connections of which something has been decoded; used only if trees are requested.
    read: HashSet<u32>,
    /// Payload of any other connection, of which nothing has been decoded so far.
    unread: Option<(Run, Vec<u8>)>,
}

/// The prefix of an item that was completed by the acknowledgment in the packet.
const OTHER_DIRECTION: &str = "other direction: ";

impl FrameView {
    /// Creates a view that builds trees, lines, or both.
    pub fn new(want_tree: bool, want_line: bool) -> Self {
        Self { want_tree, want_line, ..Self::default() }
    }

    /// Returns whether it builds trees.
    pub fn wants_tree(&self) -> bool {
        self.want_tree
    }

    /// Prepares for a frame; call it before the pipeline takes the frame. `names_interfaces` says whether the
    /// capture distinguishes interfaces.
    pub fn begin(&mut self, described: &DescribedFrame<'_>, names_interfaces: bool) {
        let (context, frame) = (&mut self.context, &described.frame);
        context.first_time = context.first_time.or(frame.time);
        if names_interfaces && self.interface != Some(frame.interface) {
            context.interface = described.interface.cloned();
            self.interface = Some(frame.interface);
        }
    }

    /// Finishes a frame; call it when the frame has been used. `displayed` says whether the frame is shown.
    pub fn end(&mut self, displayed: bool) {
        let context = &mut self.context;
        context.previous_time = self.time.or(context.previous_time);
        if displayed {
            context.previous_displayed_time = self.time.or(context.previous_displayed_time);
        }
    }

    /// Shows the next item that was still waiting when the capture ended, in the order of the frames that
    /// hold their last bytes: number, tree and line become that item's. Returns false if there are no more.
    pub fn next_late(&mut self) -> bool {
        let Some(((number, _), (tree, line))) = self.late.pop_first() else { return false };
        self.late_cost -= cost(&tree, &line).min(self.late_cost);
        (self.number, self.tree, self.line) = (number, tree, line);
        (self.time, self.length) = (None, 0);
        true
    }

    /// Returns the nodes of the late item itself: without those before it, which repeat the number of its
    /// frame, the addresses and the ports.
    pub fn late_nodes(&self) -> &[Node] {
        let nodes = &self.tree.nodes;
        let start = nodes.iter().position(|node| *node.field == mpa::MPA).unwrap_or(nodes.len());
        nodes.get(start..).unwrap_or_default()
    }

    /// Returns whether too many late items are waiting: [`next_late`](Self::next_late) removes some.
    pub fn late_is_full(&self) -> bool {
        self.late_cost > LATE
    }

    fn clear(&mut self) {
        self.tree.clear();
        self.line.source.clear();
        self.line.destination.clear();
        self.line.info.clear();
        self.line.rpc.clear();
        self.line.protocol = "";
        self.line.alarm = false;
        self.replaced = false;
        self.of_ulp = false;
    }

    fn addresses(&mut self, packet: &Packet<'_>) {
        if let Some((source, destination)) = packet.addresses {
            let _ = write!(self.line.source, "{source}");
            let _ = write!(self.line.destination, "{destination}");
        }
    }

    /// Writes the text of an item: in place of TCP's, or after that of the previous item.
    fn write_line(&mut self, context: &ItemContext<'_>, item: &Item<'_>) {
        let line = &mut self.line;
        let sender = context.connection.ends[context.side.index()];
        let other_direction = self.sender.is_some_and(|packet| packet != sender);
        if let Item::Rpc(rpc) | Item::PlainRpc(rpc) = item {
            line.protocol = rpc
                .procedure()
                .and_then(|procedure| procedure.program_name())
                .unwrap_or(if matches!(item, Item::PlainRpc(_)) { "RPC" } else { "RPCoRDMA" });
            let mut words = String::new();
            line.alarm |= write_rpc(rpc, &mut words);
            if self.write_content(&words) {
                self.line.rpc.push((rpc.xid, words));
            }
            return;
        }
        if let Item::Ulp(message) = item {
            line.protocol = message.protocol();
            self.of_ulp = true;
            let mut words = String::new();
            line.alarm |= message.write_line(&mut words);
            if !words.is_empty() {
                self.write_content(&words);
            }
            return;
        }
        if let Item::Io(_) = item {
            return;
        }
        if let Item::Operation(operation) = item {
            line.alarm |= write_operation(context, operation, &mut line.info);
            return;
        }
        if let Item::Skipped(skipped) = item {
            line.info.push(' ');
            line.info.push_str(if other_direction { OTHER_DIRECTION } else { "" });
            write_skipped(skipped, &mut line.info);
            line.alarm = true;
            return;
        }
        if self.replaced {
            line.info.push_str(", ");
        } else {
            // Keeps the note about skipped bytes, in brackets at the end.
            let kept = line.info.rfind(" [").filter(|at| line.info[*at..].contains("byte"));
            let kept = kept.map(|at| line.info.split_off(at));
            line.info.clear();
            line.info.push_str(kept.as_deref().map_or("", str::trim_start));
            if kept.is_some() {
                line.info.push(' ');
            }
            self.replaced = true;
        }
        line.info.push_str(if other_direction { OTHER_DIRECTION } else { "" });
        self.segment_at = line.info.len();
        let (protocol, alarm) = match item {
            Item::Setup(setup) => ("MPA", write_setup(setup, &mut line.info)),
            Item::Segment(segment) => {
                let alarm = write_segment(segment, self.place.number, &mut line.info);
                let transport = segment.completed.as_ref().and_then(|done| done.transport.as_ref());
                (if transport.is_some() { "RPCoRDMA" } else { "RDMAP" }, alarm)
            }
            _ => ("MPA", true),
        };
        if line.protocol != "RPCoRDMA" && !self.of_ulp {
            line.protocol = protocol;
        }
        line.alarm |= alarm;
    }

    /// Inserts the text of a segment's content before that of the segment. Returns false if it only continues
    /// the existing text.
    fn write_content(&mut self, words: &str) -> bool {
        let info = &mut self.line.info;
        if !self.replaced {
            info.clear();
            (self.replaced, self.segment_at) = (true, 0);
        }
        if words.starts_with(' ') {
            info.push_str(words);
            return false;
        }
        if self.segment_at < info.len() {
            info.insert_str(self.segment_at, " | ");
            info.insert_str(self.segment_at, words);
            self.segment_at += words.len() + " | ".len();
        } else {
            info.push_str(if info.is_empty() { "" } else { ", " });
            info.push_str(words);
            self.segment_at = info.len();
        }
        true
    }

    /// Appends the item's protocols to `frame.protocols`.
    fn count_protocols(&mut self, item: &Item<'_>) {
        let Some(node) = self.tree.nodes.get_mut(self.protocols) else { return };
        let Value::Text(text) = &mut node.value else { return };
        let names = match item {
            Item::Rpc(rpc) | Item::PlainRpc(rpc) => {
                // Without arguments or results, a procedure does not count as its program here.
                let most = if rpc.body.is_empty() { 1 } else { usize::MAX };
                for name in rpc.protocols().iter().take(most) {
                    text.to_mut().push(':');
                    text.to_mut().push_str(name);
                }
                return;
            }
            Item::Ulp(message) => {
                for name in message.protocols() {
                    text.to_mut().push(':');
                    text.to_mut().push_str(name);
                }
                return;
            }
            Item::Operation(_) | Item::Io(_) => return,
            Item::Setup(_) | Item::Skipped(_) => ":iwarp_mpa",
            Item::Segment(segment) => match &segment.completed {
                Some(done) if done.transport.is_some() || done.unreadable.is_some() => {
                    ":iwarp_mpa:iwarp_ddp_rdmap:rpcordma"
                }
                _ => ":iwarp_mpa:iwarp_ddp_rdmap",
            },
        };
        text.to_mut().push_str(names);
    }

    /// Appends a protocol to `frame.protocols`, if `there` is true.
    fn add_protocol(&mut self, there: bool, name: &str) {
        let node = self.tree.nodes.get_mut(self.protocols).filter(|_| there);
        if let Some(Value::Text(text)) = node.map(|node| &mut node.value) {
            text.to_mut().push_str(name);
        }
    }

    /// Begins a separate view for an item that was delivered after the end of the capture.
    fn begin_late(&mut self, context: &ItemContext<'_>, item: &Item<'_>) {
        self.clear();
        self.sender = None;
        let spans = match item {
            Item::Setup(setup) => setup.spans,
            Item::Segment(segment) => segment.fpdu.spans,
            Item::Skipped(skipped) => skipped.spans,
            _ => &[],
        };
        self.number = spans.last().map_or(self.number, |span| span.frame);
        self.place = FramePlace { number: self.number, payload_offset: None };
        let ends = context.connection.ends;
        let (source, destination) = (ends[context.side.index()], ends[context.side.peer().index()]);
        if self.want_tree {
            let tree = &mut self.tree;
            tree.push_generated(0, &frame_fields::PROTOCOL, Value::None);
            let number = Value::Unsigned(self.number);
            tree.push_generated(1, &frame_fields::NUMBER, number);
            self.protocols =
                tree.push_generated(1, &frame_fields::PROTOCOLS, Value::Text("tcp".into()));
            let addresses = [
                (source, &ip_fields::SOURCE, &ip_fields::IPV6_SOURCE),
                (destination, &ip_fields::DESTINATION, &ip_fields::IPV6_DESTINATION),
            ];
            for (end, four, six) in addresses {
                let (field, either, value) = match end.address {
                    IpAddr::V4(address) => {
                        (four, &ip_fields::ADDRESS, Value::Ipv4(address.octets()))
                    }
                    IpAddr::V6(address) => {
                        (six, &ip_fields::IPV6_ADDRESS, Value::Ipv6(address.octets()))
                    }
                };
                tree.push_generated(1, field, value.clone());
                tree.push_generated(1, either, value);
            }
            tree.push_generated(0, &tcp_fields::TCP, Value::None);
            let number = |value: u64| Value::Unsigned(value);
            tree.push_generated(1, &tcp_fields::STREAM, number(context.connection.number.into()));
            tree.push_generated(1, &tcp_fields::SOURCE_PORT, number(source.port.into()));
            tree.push_generated(1, &tcp_fields::DESTINATION_PORT, number(destination.port.into()));
            tree.push_generated(1, &tcp_fields::PORT, number(source.port.into()));
            tree.push_generated(1, &tcp_fields::PORT, number(destination.port.into()));
        }
        if self.want_line {
            let _ = write!(self.line.source, "{}", source.address);
            let _ = write!(self.line.destination, "{}", destination.address);
            self.line.protocol = "TCP";
            let _ = write!(self.line.info, "{} → {}", source.port, destination.port);
        }
    }

    fn end_late(&mut self) {
        if self.want_line {
            self.line.info.push_str(" [left waiting when the capture ended]");
        }
        self.lates += 1;
        let (tree, line) = (std::mem::take(&mut self.tree), std::mem::take(&mut self.line));
        self.late_cost += cost(&tree, &line);
        self.late.insert((self.number, self.lates), (tree, line));
    }
}

/// The most bytes kept of late items.
const LATE: usize = 32 << 20;

/// Returns the size of a tree and a line: their parts, each with a little text, and the allocator's share.
fn cost(tree: &Tree, line: &Line) -> usize {
    let text = line.source.capacity() + line.destination.capacity() + line.info.capacity();
    tree.cost() + text + size_of::<(u64, usize, Tree, Line)>() + 64
}

impl Sink for FrameView {
    fn by_frame(&self) -> bool {
        true
    }

    fn packet(&mut self, item: &PacketItem<'_>) {
        self.clear();
        let (frame, packet) = (item.frame, item.packet);
        let payload_offset = packet.tcp.as_ref().and_then(|segment| segment.payload_offset);
        self.place = FramePlace { number: frame.number, payload_offset };
        self.sender = packet.tcp.as_ref().map(|segment| segment.source);
        (self.number, self.time, self.length) = (frame.number, frame.time, frame.original_length);
        if self.want_tree {
            let sources = add_sources(&mut self.tree, frame, packet);
            let context = FrameContext {
                first_time: self.context.first_time,
                previous_time: self.context.previous_time,
                previous_displayed_time: self.context.previous_displayed_time,
                interface: self.context.interface.as_ref(),
            };
            self.protocols = push_frame(&mut self.tree, frame, packet, sources.frame, &context);
            push_layers(&mut self.tree, frame, packet, sources, item.tcp.as_ref());
            self.unread = match (&packet.tcp, &item.tcp, payload_offset) {
                (Some(segment), Some(tcp), Some(start))
                    if !segment.payload.is_empty() && !self.read.contains(&tcp.stream) =>
                {
                    Some((Run { source: sources.frame, start }, segment.payload.to_vec()))
                }
                _ => None,
            };
        }
        if self.want_line {
            self.addresses(packet);
            self.line.protocol = protocol_name(packet);
            write_summary(frame, packet, item.tcp.as_ref(), &mut self.line.info);
        }
    }

    fn disposition(&mut self, disposition: SegmentDisposition) {
        // Repeated bytes are not shown again.
        let repeated = disposition.repeated as usize;
        self.unread = self.unread.take().filter(|(_, bytes)| repeated < bytes.len());
        if !self.want_line {
            return;
        }
        let SegmentDisposition { repeated, waiting_for, stalled, .. } = disposition;
        let note = &mut self.note;
        let _ = if waiting_for > 0 {
            write!(note, "[out of order, {} missing before] ", counted(waiting_for, "byte"))
        } else if repeated > 0 {
            write!(note, "[{} seen before] ", counted(repeated.into(), "byte"))
        } else {
            Ok(())
        };
        if stalled > 0 {
            let _ = write!(note, "[later bytes waited {} for it] ", Duration(stalled));
        }
    }

    fn item(&mut self, context: &ItemContext<'_>, item: &Item<'_>) {
        if self.ended {
            // What happens to operations at that point belongs to no frame.
            if !matches!(item, Item::Setup(_) | Item::Segment(_) | Item::Skipped(_)) {
                return;
            }
            self.begin_late(context, item);
        }
        if self.want_line {
            self.write_line(context, item);
        }
        if self.want_tree {
            self.unread = None;
            self.read.insert(context.connection.number);
            let before = self.tree.nodes.len();
            match item {
                Item::Setup(setup) => push_setup(&mut self.tree, self.place, setup, context.ulp),
                Item::Segment(segment) => {
                    self.inline = push_segment(&mut self.tree, self.place, segment, context);
                }
                Item::Skipped(skipped) => push_skipped(&mut self.tree, skipped),
                Item::Rpc(rpc) => push_exchange(&mut self.tree, self.inline.take(), rpc),
                Item::PlainRpc(rpc) => push_plain_rpc(&mut self.tree, self.place, rpc),
                Item::Operation(operation) => push_operation(&mut self.tree, context, operation),
                Item::Ulp(message) => push_message(&mut self.tree, self.inline, message),
                Item::Io(item) => push_io(&mut self.tree, item.io()),
            }
            let pushed = self.tree.nodes.get(before..).unwrap_or_default();
            let (data, malformed) = (
                pushed.iter().any(|node| node.field == &link_fields::DATA),
                pushed.iter().any(|node| node.field.name.ends_with(".malformed")),
            );
            self.count_protocols(item);
            self.add_protocol(data, ":data");
            self.add_protocol(malformed, ":_ws.malformed");
            if malformed {
                push_malformed(&mut self.tree);
            }
        }
        if self.ended {
            self.end_late();
        }
    }

    fn packet_ended(&mut self) {
        if let Some((run, bytes)) = self.unread.take() {
            push_data(&mut self.tree, run, &bytes);
            self.add_protocol(true, ":data");
        }
        // TCP's notes come first, because a line may be too long for the screen.
        self.line.info.insert_str(0, &self.note);
        self.note.clear();
    }

    fn capture_ended(&mut self) {
        self.ended = true;
    }

    fn connection_left(&mut self, connection: &Connection) {
        self.read.remove(&connection.info.number);
    }
}
