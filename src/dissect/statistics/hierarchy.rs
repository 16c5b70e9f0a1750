//! `-z io,phs`: frames and bytes of every protocol under its place in the hierarchy.

use super::tap::{Condition, Tap};
use crate::table::Look;
use std::any::Any;
use std::collections::{BTreeMap, HashSet};
use std::io::{self, Write};
use strum::VariantArray as _;
use warpscope_dissector::link::Layer;
use warpscope_dissector::message::{self, SegmentItem};
use warpscope_dissector::mpa::{CrcVerdict, SkipReason};
use warpscope_dissector::pipeline::{Item, ItemContext, PacketItem, Sink};
use warpscope_dissector::stream::SegmentDisposition;
use warpscope_dissector::tree::Tree;
use warpscope_dissector::ulp::rpc::RpcItem;
use warpscope_wire::rdmap::{Message, Payload};

// What became of the bytes of iWARP connections: setup frames, FPDUs, messages, what was skipped.

const VERDICTS: &[CrcVerdict] = CrcVerdict::VARIANTS;

#[derive(Debug, Default)]
struct Accounting {
    connections: Connections,
    setup: u64,
    fpdus: [u64; VERDICTS.len()],
    without_header: u64,
    messages: BTreeMap<Message, u64>,
    unknown: BTreeMap<u8, u64>,
    /// Bytes by reason, and where the first of them was.
    skipped: Vec<(SkipReason, u64, Place)>,
}

/// Where something was counted first: the frame, and its place in that; after the capture's end
/// the connection.
type Place = (u64, usize);

/// Numbers of connections.
type Connections = HashSet<u32, foldhash::fast::RandomState>;

impl Accounting {
    fn count(&mut self, sighting: &FrameProtocols) {
        for (connection, event) in &sighting.events {
            let place = match sighting.frame {
                u64::MAX => (u64::MAX, *connection as usize),
                frame => (frame, self.skipped.len()),
            };
            self.connections.insert(*connection);
            match event {
                Event::Setup => self.setup += 1,
                Event::Fpdu(verdict, completed) => {
                    let counts = VERDICTS.iter().zip(&mut self.fpdus);
                    for (_, count) in counts.filter(|(known, _)| *known == verdict) {
                        *count += 1;
                    }
                    match completed {
                        Completed::Nothing => {}
                        Completed::Message(message) => {
                            *self.messages.entry(*message).or_default() += 1;
                        }
                        Completed::Unknown(opcode) => {
                            *self.unknown.entry(*opcode).or_default() += 1;
                        }
                        Completed::NoHeader => self.without_header += 1,
                    }
                }
                Event::Skipped(reason, bytes) => {
                    self.skip(*reason, *bytes, place);
                }
            }
        }
    }

    fn skip(&mut self, reason: SkipReason, bytes: u64, place: Place) {
        match self.skipped.iter_mut().find(|(known, ..)| *known == reason) {
            Some((_, sum, first)) => (*sum, *first) = (*sum + bytes, place.min(*first)),
            None => self.skipped.push((reason, bytes, place)),
        }
    }

    /// Counts what others have counted.
    fn join(&mut self, other: Self) {
        self.connections.extend(other.connections);
        self.setup += other.setup;
        self.fpdus.iter_mut().zip(other.fpdus).for_each(|(sum, more)| *sum += more);
        self.without_header += other.without_header;
        for (message, count) in other.messages {
            *self.messages.entry(message).or_default() += count;
        }
        for (opcode, count) in other.unknown {
            *self.unknown.entry(opcode).or_default() += count;
        }
        for (reason, bytes, place) in other.skipped {
            self.skip(reason, bytes, place);
        }
        self.skipped.sort_by_key(|(_, _, place)| *place);
    }

    fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        if self.connections.is_empty() {
            return Ok(());
        }
        writeln!(out, "iWARP")?;
        line(out, 1, "connections", self.connections.len() as u64)?;
        line(out, 1, "setup frames", self.setup)?;
        line(out, 1, "FPDUs", self.fpdus.iter().sum())?;
        for (verdict, count) in VERDICTS.iter().zip(&self.fpdus) {
            line(out, 2, &format!("CRC {}", verdict.describe().to_lowercase()), *count)?;
        }
        if self.without_header > 0 {
            line(out, 2, "without a whole DDP header", self.without_header)?;
        }
        let messages = self.messages.values().chain(self.unknown.values()).sum();
        line(out, 1, "complete messages", messages)?;
        for (message, count) in &self.messages {
            line(out, 2, message.info().name, *count)?;
        }
        for (opcode, count) in &self.unknown {
            line(out, 2, &format!("opcode 0x{opcode:02x}"), *count)?;
        }
        line(out, 1, "bytes skipped", self.skipped.iter().map(|(_, bytes, _)| bytes).sum())?;
        for (reason, bytes, _) in &self.skipped {
            line(out, 2, reason.describe(), *bytes)?;
        }
        Ok(())
    }
}

fn line(out: &mut dyn Write, depth: usize, name: &str, count: u64) -> io::Result<()> {
    let indent = depth * 2;
    let width = 58 - indent;
    writeln!(out, "{:indent$}{name:width$} {count:>8}", "")
}

// One hierarchy: what it counts and how it is printed.

/// One protocol hierarchy, and the accounting of the iWARP in it.
#[derive(Debug)]
pub(super) struct Hierarchy {
    filter: Condition,
    root: Row,
    accounting: Accounting,
    sighting: FrameProtocols,
}

impl Hierarchy {
    /// A hierarchy of the frames that the filter passes.
    pub(super) fn new(filter: Condition) -> Self {
        let (root, accounting) = (Row::default(), Accounting::default());
        Self { filter, root, accounting, sighting: FrameProtocols::default() }
    }
}

impl Sink for Hierarchy {
    fn packet(&mut self, item: &PacketItem<'_>) {
        self.sighting.packet(item);
    }

    fn disposition(&mut self, disposition: SegmentDisposition) {
        self.sighting.disposition(disposition);
    }

    fn item(&mut self, context: &ItemContext<'_>, item: &Item<'_>) {
        self.sighting.item(context, item);
    }

    fn capture_ended(&mut self) {
        self.sighting.capture_ended();
    }
}

impl Tap for Hierarchy {
    fn needs_tree(&self) -> bool {
        !self.filter.is_any()
    }

    fn joins(&self) -> bool {
        self.filter.is_any()
    }

    fn join(&mut self, other: Box<dyn Any>) -> bool {
        let Ok(mut other) = other.downcast::<Self>() else { return false };
        other.capture_finished();
        self.root.join(other.root);
        self.accounting.join(other.accounting);
        true
    }

    fn frame_ended(&mut self, tree: Option<&Tree>) {
        self.sighting.settle();
        if self.filter.passes(tree) {
            self.root.count(&self.sighting);
            self.accounting.count(&self.sighting);
        }
    }

    /// What the end of the capture brings to light belongs to frames that are counted already, so that a filter
    /// cannot ask for them any more.
    fn capture_finished(&mut self) {
        if self.filter.is_any() {
            self.accounting.count(&self.sighting);
        }
    }

    fn print(&self, _look: Look, out: &mut dyn Write) -> io::Result<()> {
        const RULE: &str = "===================================================================";
        let filter = &self.filter.text;
        writeln!(out, "\n{RULE}\nProtocol Hierarchy Statistics\nFilter: {filter}\n")?;
        self.root.print_below(0, out)?;
        writeln!(out, "{RULE}")?;
        self.accounting.print(out)
    }
}

// What was seen in one frame, as far as statistics count it.

/// The protocols above TCP that a frame completed something of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct UpperProtocols {
    mpa: bool,
    ddp: bool,
    /// Bytes of the ULP in a DDP segment.
    data: bool,
    /// RPC-over-RDMA.
    transport: bool,
    /// Bytes of a TCP connection that is not known to carry iWARP or RPC.
    tcp_data: bool,
}

/// What an RPC message came by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Carrier {
    /// TCP itself.
    Tcp,
    /// The Read Response that brought the last bytes of a call.
    Ddp,
    /// The Send with its RPC-over-RDMA header.
    Transport,
}

/// What an FPDU completed.
#[derive(Debug, Clone, Copy)]
enum Completed {
    Nothing,
    Message(Message),
    /// A message of an opcode that the profile does not know.
    Unknown(u8),
    NoHeader,
}

/// Something of a connection.
#[derive(Debug, Clone, Copy)]
enum Event {
    Setup,
    Fpdu(CrcVerdict, Completed),
    Skipped(SkipReason, u64),
}

/// What was seen in a frame; reused from frame to frame.
#[derive(Debug, Default)]
struct FrameProtocols {
    /// Its number; the greatest for what belongs to earlier ones.
    frame: u64,
    /// Its layers up to the transport, outermost first.
    layers: Vec<Layer>,
    /// The names of those that count.
    names: Vec<&'static str>,
    bytes: u32,
    above: UpperProtocols,
    /// What RPC messages came by, and the protocols in them, outermost first; nothing twice.
    rpc: Vec<(Carrier, &'static [&'static str])>,
    /// The protocols of the messages of other upper layer protocols, outermost first; nothing twice.
    ulp: Vec<&'static str>,
    /// Whether the last DDP segment has bytes of the ULP that a message may still claim.
    unclaimed: bool,
    /// What happened, each with the number of the connection.
    events: Vec<(u32, Event)>,
    /// The TCP connection of its payload, when it has one, and the payload's bytes.
    payload_of: Option<(u32, u32)>,
    /// The connections that anything of iWARP or RPC was seen on.
    known: Connections,
}

impl FrameProtocols {
    fn packet(&mut self, item: &PacketItem<'_>) {
        self.events.clear();
        self.rpc.clear();
        self.ulp.clear();
        (self.above, self.unclaimed) = (UpperProtocols::default(), false);
        (self.frame, self.bytes) = (item.frame.number, item.frame.original_length);
        let layers = item.packet.layers.iter().map(|span| span.layer);
        // Most frames have the layers of the one before.
        if !layers.clone().eq(self.layers.iter().copied()) {
            self.layers.clear();
            self.layers.extend(layers);
            self.names.clear();
            self.names.extend(self.layers.iter().copied().filter_map(name));
        }
        self.payload_of = match (&item.packet.tcp, &item.tcp) {
            (Some(segment), Some(context)) if segment.payload_length > 0 => {
                Some((context.stream, segment.payload_length))
            }
            _ => None,
        };
    }

    /// Bytes that came again are not counted again.
    fn disposition(&mut self, disposition: SegmentDisposition) {
        self.payload_of = self.payload_of.filter(|(_, bytes)| disposition.repeated < *bytes);
    }

    /// Forgets the last frame, for items that belong to earlier ones.
    fn capture_ended(&mut self) {
        self.events.clear();
        self.frame = u64::MAX;
    }

    fn item(&mut self, context: &ItemContext<'_>, item: &Item<'_>) {
        let connection = context.connection.number;
        if self.events.is_empty() {
            self.known.insert(connection);
        }
        let event = match item {
            Item::Setup(_) => {
                self.above.mpa = true;
                Event::Setup
            }
            Item::Segment(segment) => self.segment(segment),
            Item::Skipped(skipped) => Event::Skipped(skipped.reason, skipped.length),
            Item::Rpc(rpc) => {
                // The bytes are the call's.
                let claims = std::mem::take(&mut self.unclaimed);
                return self.rpc(if claims { Carrier::Ddp } else { Carrier::Transport }, rpc);
            }
            Item::PlainRpc(rpc) => return self.rpc(Carrier::Tcp, rpc),
            Item::Ulp(message) => {
                self.unclaimed = false;
                for name in message.protocols() {
                    if !self.ulp.contains(name) {
                        self.ulp.push(name);
                    }
                }
                return;
            }
            Item::Operation(_) | Item::Io(_) => return,
        };
        self.events.push((connection, event));
    }

    fn rpc(&mut self, carrier: Carrier, rpc: &RpcItem<'_>) {
        let place = (carrier, rpc.protocols());
        if !self.rpc.contains(&place) {
            self.rpc.push(place);
        }
    }

    fn segment(&mut self, segment: &SegmentItem<'_>) -> Event {
        self.above.mpa = true;
        self.above.data |= std::mem::take(&mut self.unclaimed);
        let crc = segment.fpdu.crc;
        let Ok(header) = &segment.header else { return Event::Fpdu(crc, Completed::NoHeader) };
        self.above.ddp = true;
        let carries =
            |done: &message::Completed<'_>| done.transport.is_some() || done.unreadable.is_some();
        if segment.completed.as_ref().is_some_and(carries) {
            self.above.transport = true;
        } else if segment.payload_length > 0 {
            let carried = segment.message.map_or(Payload::Ulp, |message| message.info().payload);
            self.unclaimed |= matches!(carried, Payload::Ulp | Payload::UlpThenImmediate);
        }
        let completed = match (&segment.completed, segment.message) {
            (None, _) => Completed::Nothing,
            (Some(_), Some(message)) => Completed::Message(message),
            (Some(_), None) => Completed::Unknown(
                warpscope_wire::rdmap::RdmapControlView(header.rdmap_control()).opcode(),
            ),
        };
        Event::Fpdu(crc, completed)
    }

    /// The frame is complete.
    fn settle(&mut self) {
        self.above.data |= std::mem::take(&mut self.unclaimed);
        if let Some((connection, _)) = self.payload_of
            && self.events.is_empty()
            && !self.known.contains(&connection)
        {
            self.above.tcp_data = true;
        }
    }
}

/// The name of a layer in the hierarchy; none for one that its IP header counts for.
fn name(layer: Layer) -> Option<&'static str> {
    Some(layer.protocol()).filter(|name| !name.contains('.'))
}

// The table of protocols, each under the one that carries it.

/// Characters before the counts.
const COLUMN: usize = 40;

/// A protocol, with those that it carries; the root is not printed.
#[derive(Debug, Default)]
struct Row {
    name: &'static str,
    children: Vec<Row>,
    frames: u64,
    bytes: u64,
    first: Place,
}

impl Row {
    /// Counts what others have counted.
    fn join(&mut self, other: Self) {
        self.frames += other.frames;
        self.bytes += other.bytes;
        self.first = self.first.min(other.first);
        for theirs in other.children {
            match self.children.iter_mut().find(|row| row.name == theirs.name) {
                Some(mine) => mine.join(theirs),
                None => self.children.push(theirs),
            }
        }
        self.children.sort_by_key(|row| row.first);
    }

    /// Counts a frame once under every place that its protocols take.
    fn count(&mut self, sighting: &FrameProtocols) {
        let (frame, above) = ((sighting.frame, u64::from(sighting.bytes)), sighting.above);
        let row = sighting.names.iter().fold(self, |row, name| row.add(name, frame));
        if above.tcp_data {
            row.add("data", frame);
        }
        row.add_rpc(Carrier::Tcp, sighting);
        if !above.mpa {
            return;
        }
        let mpa = row.add("iwarp_mpa", frame);
        if !above.ddp {
            return;
        }
        let ddp = mpa.add("iwarp_ddp_rdmap", frame);
        if above.transport {
            ddp.add("rpcordma", frame).add_rpc(Carrier::Transport, sighting);
        }
        ddp.add_rpc(Carrier::Ddp, sighting);
        sighting.ulp.iter().fold(&mut *ddp, |row, name| row.add(name, frame));
        if above.data {
            ddp.add("data", frame);
        }
    }

    /// Adds a frame to the protocols of the RPC messages that came by the carrier.
    fn add_rpc(&mut self, carrier: Carrier, sighting: &FrameProtocols) {
        let frame = (sighting.frame, u64::from(sighting.bytes));
        let messages = sighting.rpc.iter().filter(|(by, _)| *by == carrier);
        let mut messages = messages.filter_map(|(_, names)| names.split_first()).peekable();
        let Some((rpc, _)) = messages.peek() else { return };
        let rpc = self.add(rpc, frame);
        for program in messages.flat_map(|(_, programs)| programs) {
            rpc.add(program, frame);
        }
    }

    /// Adds a frame, of that number and so many bytes, to a protocol that this one carries.
    fn add(&mut self, name: &'static str, (frame, bytes): (u64, u64)) -> &mut Self {
        // Nearly always it is the same text at the same place.
        let is_it = |row: &Self| std::ptr::eq(row.name, name) || row.name == name;
        let known = self.children.iter().position(is_it);
        let place = known.unwrap_or_else(|| {
            let first = (frame, self.children.len());
            self.children.push(Self { name, first, ..Self::default() });
            self.children.len() - 1
        });
        let row = &mut self.children[place];
        row.frames += 1;
        row.bytes += bytes;
        row
    }

    fn print_below(&self, depth: usize, out: &mut dyn Write) -> io::Result<()> {
        for row in &self.children {
            let (indent, name) = (depth * 2, row.name);
            let width = COLUMN.saturating_sub(indent);
            let (frames, bytes) = (row.frames, row.bytes);
            writeln!(out, "{:indent$}{name:width$} frames:{frames} bytes:{bytes}", "")?;
            row.print_below(depth + 1, out)?;
        }
        Ok(())
    }
}
