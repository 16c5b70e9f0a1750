//! `-z io,phs`: frames and bytes of every protocol, by its position in the hierarchy.

use super::tap::{Condition, Tap};
use crate::table::Look;
use std::any::Any;
use std::collections::{BTreeSet, HashMap, HashSet};
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

// The classification of the bytes of iWARP connections: setup frames, FPDUs, messages, skipped bytes.

const VERDICTS: &[CrcVerdict] = CrcVerdict::VARIANTS;

#[derive(Debug, Default)]
struct Accounting {
    connections: Connections,
    setup: u64,
    /// FPDUs, by their CRC result and by the message that they completed.
    fpdus: Vec<((CrcVerdict, Completed), u64)>,
    /// Skipped bytes by reason, and the place of the first of them.
    skipped: Vec<(SkipReason, u64, Place)>,
}

/// The place of the first occurrence: the frame, and the position in it; after the capture's end
/// the connection.
type Place = (u64, usize);

/// Numbers of connections. Most are added several times in succession.
#[derive(Debug, Default)]
struct Connections {
    all: HashSet<u32, foldhash::fast::RandomState>,
    last: Option<u32>,
}

impl Connections {
    fn insert(&mut self, number: u32) {
        if self.last.replace(number) != Some(number) {
            self.all.insert(number);
        }
    }
}

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
                Event::Fpdu(verdict, completed) => self.fpdu((*verdict, *completed), 1),
                Event::Skipped(reason, bytes) => {
                    self.skip(*reason, *bytes, place);
                }
            }
        }
    }

    /// Counts FPDUs. A list is fast enough, because there are few kinds.
    fn fpdu(&mut self, kind: (CrcVerdict, Completed), count: u64) {
        match self.fpdus.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, sum)) => *sum += count,
            None => self.fpdus.push((kind, count)),
        }
    }

    fn skip(&mut self, reason: SkipReason, bytes: u64, place: Place) {
        match self.skipped.iter_mut().find(|(known, ..)| *known == reason) {
            Some((_, sum, first)) => (*sum, *first) = (*sum + bytes, place.min(*first)),
            None => self.skipped.push((reason, bytes, place)),
        }
    }

    /// Adds the counts of another part.
    fn join(&mut self, other: Self) {
        self.connections.all.extend(other.connections.all);
        self.setup += other.setup;
        other.fpdus.into_iter().for_each(|(kind, count)| self.fpdu(kind, count));
        for (reason, bytes, place) in other.skipped {
            self.skip(reason, bytes, place);
        }
        self.skipped.sort_by_key(|(_, _, place)| *place);
    }

    fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        if self.connections.all.is_empty() {
            return Ok(());
        }
        writeln!(out, "iWARP")?;
        line(out, 1, "connections", self.connections.all.len() as u64)?;
        line(out, 1, "setup frames", self.setup)?;
        let fpdus = |wanted: &dyn Fn(CrcVerdict, Completed) -> bool| {
            let kinds = self.fpdus.iter().filter(|((crc, completed), _)| wanted(*crc, *completed));
            kinds.map(|(_, count)| count).sum()
        };
        line(out, 1, "FPDUs", fpdus(&|_, _| true))?;
        for verdict in VERDICTS {
            let name = format!("CRC {}", verdict.describe().to_lowercase());
            line(out, 2, &name, fpdus(&|crc, _| crc == *verdict))?;
        }
        let without_header = fpdus(&|_, completed| completed == Completed::NoHeader);
        if without_header > 0 {
            line(out, 2, "without a whole DDP header", without_header)?;
        }
        let completed: BTreeSet<_> = self.fpdus.iter().map(|((_, it), _)| *it).collect();
        let is_message =
            |it: Completed| matches!(it, Completed::Message(_) | Completed::Unknown(_));
        line(out, 1, "complete messages", fpdus(&|_, it| is_message(it)))?;
        for kind in completed {
            let name = match kind {
                Completed::Nothing | Completed::NoHeader => continue,
                Completed::Message(message) => message.info().name.to_owned(),
                Completed::Unknown(opcode) => format!("opcode 0x{opcode:02x}"),
            };
            line(out, 2, &name, fpdus(&|_, it| it == kind))?;
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

// One hierarchy: its counts and how they are printed.

/// One protocol hierarchy, and the accounting of the iWARP in it.
#[derive(Debug)]
pub(super) struct Hierarchy {
    filter: Condition,
    shapes: Shapes,
    accounting: Accounting,
    sighting: FrameProtocols,
}

impl Hierarchy {
    /// Creates a hierarchy of the frames that pass the filter.
    pub(super) fn new(filter: Condition) -> Self {
        let (shapes, accounting) = (Shapes::default(), Accounting::default());
        Self { filter, shapes, accounting, sighting: FrameProtocols::default() }
    }
}

impl Sink for Hierarchy {
    fn pass_on(&mut self, to: &mut dyn FnMut(&mut dyn Sink)) {
        to(&mut self.sighting);
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
        let fits = self.shapes.join(&other.shapes);
        self.accounting.join(other.accounting);
        fits
    }

    fn frame_ended(&mut self, tree: Option<&Tree>, passes: bool) {
        self.sighting.settle();
        if passes && self.filter.passes(tree) {
            let FrameProtocols { protocols, frame, bytes, .. } = &self.sighting;
            let counts = Counts { frames: 1, bytes: u64::from(*bytes), first: *frame };
            self.shapes.count(protocols, counts);
            self.accounting.count(&self.sighting);
        }
    }

    /// Items that are complete only at the end of the capture belong to frames that are already counted, so a
    /// filter cannot select them any more.
    fn capture_finished(&mut self) {
        if self.filter.is_any() {
            self.accounting.count(&self.sighting);
        }
    }

    fn print(&self, _look: Look, out: &mut dyn Write) -> io::Result<()> {
        const RULE: &str = "===================================================================";
        let filter = &self.filter.text;
        writeln!(out, "\n{RULE}\nProtocol Hierarchy Statistics\nFilter: {filter}\n")?;
        self.shapes.table().print_below(0, out)?;
        writeln!(out, "{RULE}")?;
        self.accounting.print(out)
    }
}

// The properties of one frame that statistics count.

/// The protocols of a frame.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
struct Protocols {
    above: UpperProtocols,
    /// Its layers up to the transport, outermost first.
    layers: Vec<Layer>,
    /// The carriers of RPC messages, and the protocols in them, outermost first; each only once.
    rpc: Vec<(Carrier, &'static [&'static str])>,
    /// The protocols of the messages of other upper layer protocols, outermost first; each only once.
    ulp: Vec<&'static str>,
}

/// The protocols above TCP of which a frame completed a unit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
struct UpperProtocols {
    mpa: bool,
    ddp: bool,
    /// Bytes of the ULP in a DDP segment.
    data: bool,
    /// RPC-over-RDMA.
    transport: bool,
    /// Bytes of a TCP connection not known to carry iWARP or RPC.
    tcp_data: bool,
}

/// The carrier of an RPC message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Carrier {
    /// TCP itself.
    Tcp,
    /// The Read Response with the last bytes of a call.
    Ddp,
    /// The Send with its RPC-over-RDMA header.
    Transport,
}

/// The kind of message that an FPDU completed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Completed {
    Nothing,
    Message(Message),
    /// A message with an opcode that the profile does not know.
    Unknown(u8),
    NoHeader,
}

/// An event of a connection.
#[derive(Debug, Clone, Copy)]
enum Event {
    Setup,
    Fpdu(CrcVerdict, Completed),
    Skipped(SkipReason, u64),
}

/// The protocols and events of a frame; reused for every frame.
#[derive(Debug, Default)]
struct FrameProtocols {
    /// Its number; the maximum for items of earlier frames.
    frame: u64,
    bytes: u32,
    protocols: Protocols,
    /// Whether the last DDP segment has bytes of the ULP that a message may still use.
    unclaimed: bool,
    /// The events, each with the number of the connection.
    events: Vec<(u32, Event)>,
    /// The TCP connection of its payload, if it has one, and the payload's size in bytes.
    payload_of: Option<(u32, u32)>,
    /// The connections with any iWARP or RPC traffic.
    known: Connections,
}

impl Sink for FrameProtocols {
    fn packet(&mut self, item: &PacketItem<'_>) {
        self.events.clear();
        let Protocols { above, layers, rpc, ulp } = &mut self.protocols;
        rpc.clear();
        ulp.clear();
        (*above, self.unclaimed) = (UpperProtocols::default(), false);
        (self.frame, self.bytes) = (item.frame.number, item.frame.original_length);
        layers.clear();
        layers.extend(item.packet.layers.iter().map(|span| span.layer));
        self.payload_of = match (&item.packet.tcp, &item.tcp) {
            (Some(segment), Some(context)) if segment.payload_length > 0 => {
                Some((context.stream, segment.payload_length))
            }
            _ => None,
        };
    }

    /// Handles a segment's disposition; repeated bytes are not counted again.
    fn disposition(&mut self, disposition: SegmentDisposition) {
        self.payload_of = self.payload_of.filter(|(_, bytes)| disposition.repeated < *bytes);
    }

    /// Clears the last frame, before items of earlier frames.
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
                self.protocols.above.mpa = true;
                Event::Setup
            }
            Item::Segment(segment) => self.segment(segment),
            Item::Skipped(skipped) => Event::Skipped(skipped.reason, skipped.length),
            Item::Rpc(rpc) => {
                // The bytes belong to the call.
                let claims = std::mem::take(&mut self.unclaimed);
                return self.rpc(if claims { Carrier::Ddp } else { Carrier::Transport }, rpc);
            }
            Item::PlainRpc(rpc) => return self.rpc(Carrier::Tcp, rpc),
            Item::Ulp(message) => {
                self.unclaimed = false;
                for name in message.protocols() {
                    if !self.protocols.ulp.contains(name) {
                        self.protocols.ulp.push(name);
                    }
                }
                return;
            }
            Item::Operation(_) | Item::Io(_) => return,
        };
        self.events.push((connection, event));
    }
}

impl FrameProtocols {
    fn rpc(&mut self, carrier: Carrier, rpc: &RpcItem<'_>) {
        let place = (carrier, rpc.protocols());
        if !self.protocols.rpc.contains(&place) {
            self.protocols.rpc.push(place);
        }
    }

    fn segment(&mut self, segment: &SegmentItem<'_>) -> Event {
        self.protocols.above.mpa = true;
        self.protocols.above.data |= std::mem::take(&mut self.unclaimed);
        let crc = segment.fpdu.crc;
        let Ok(header) = &segment.header else { return Event::Fpdu(crc, Completed::NoHeader) };
        self.protocols.above.ddp = true;
        let carries =
            |done: &message::Completed<'_>| done.transport.is_some() || done.unreadable.is_some();
        if segment.completed.as_ref().is_some_and(carries) {
            self.protocols.above.transport = true;
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

    /// Ends the frame.
    fn settle(&mut self) {
        self.protocols.above.data |= std::mem::take(&mut self.unclaimed);
        if let Some((connection, _)) = self.payload_of
            && self.events.is_empty()
            && !self.known.all.contains(&connection)
        {
            self.protocols.above.tcp_data = true;
        }
    }
}

/// Returns the name of a layer in the hierarchy; none for a layer that is counted as its IP header.
fn name(layer: Layer) -> Option<&'static str> {
    Some(layer.protocol()).filter(|name| !name.contains('.'))
}

// The table of protocols, each below its carrier.

/// Characters before the counts.
const COLUMN: usize = 40;

/// The counts of a protocol.
#[derive(Debug, Clone, Copy, Default)]
struct Counts {
    frames: u64,
    bytes: u64,
    /// The first frame.
    first: u64,
}

/// The most different sets of protocols that are kept; ordinary captures have a few dozen.
const MOST_SHAPES: usize = 4096;

/// The frames of a capture, by their protocols.
#[derive(Debug, Default)]
struct Shapes {
    all: Vec<(Protocols, Counts)>,
    places: HashMap<Protocols, usize, foldhash::fast::RandomState>,
    /// The indices of the last two: frames with data and acknowledgments alternate.
    last: [usize; 2],
    /// The table of earlier sets, if there were too many.
    before: Option<Row>,
}

impl Shapes {
    /// Counts frames with the same protocols.
    fn count(&mut self, protocols: &Protocols, more: Counts) {
        let is_it = |at: &&usize| self.all.get(**at).is_some_and(|(known, _)| known == protocols);
        let place = self.last.iter().find(is_it).or_else(|| self.places.get(protocols)).copied();
        let place = place.unwrap_or_else(|| {
            if self.all.len() == MOST_SHAPES {
                *self = Self { before: Some(self.table()), ..Self::default() };
            }
            self.places.insert(protocols.clone(), self.all.len());
            let counts = Counts { first: more.first, ..Counts::default() };
            self.all.push((protocols.clone(), counts));
            self.all.len() - 1
        });
        if self.last[0] != place {
            self.last = [place, self.last[0]];
        }
        let (_, counts) = &mut self.all[place];
        counts.frames += more.frames;
        counts.bytes += more.bytes;
        counts.first = counts.first.min(more.first);
    }

    /// Adds the counts of another part; returns false if either had too many to know in which order they
    /// appeared.
    fn join(&mut self, other: &Self) -> bool {
        for (protocols, counts) in &other.all {
            self.count(protocols, *counts);
        }
        self.before.is_none() && other.before.is_none()
    }

    /// Returns the table, in the order in which protocols appeared.
    fn table(&self) -> Row {
        let mut all: Vec<_> = self.all.iter().collect();
        all.sort_by_key(|(_, counts)| counts.first);
        let mut root = self.before.clone().unwrap_or_default();
        all.iter().for_each(|(protocols, counts)| root.count(protocols, *counts));
        root
    }
}

/// A protocol, with the protocols that it carries; the root is not printed.
#[derive(Debug, Clone, Default)]
struct Row {
    name: &'static str,
    children: Vec<Row>,
    frames: u64,
    bytes: u64,
}

impl Row {
    /// Counts frames once at every position of their protocols.
    fn count(&mut self, protocols: &Protocols, frames: Counts) {
        let Protocols { above, layers, ulp, .. } = protocols;
        let names = layers.iter().copied().filter_map(name);
        let row = names.fold(self, |row, name| row.add(name, frames));
        if above.tcp_data {
            row.add("data", frames);
        }
        row.add_rpc(Carrier::Tcp, protocols, frames);
        if !above.mpa {
            return;
        }
        let mpa = row.add("iwarp_mpa", frames);
        if !above.ddp {
            return;
        }
        let ddp = mpa.add("iwarp_ddp_rdmap", frames);
        if above.transport {
            ddp.add("rpcordma", frames).add_rpc(Carrier::Transport, protocols, frames);
        }
        ddp.add_rpc(Carrier::Ddp, protocols, frames);
        ulp.iter().fold(&mut *ddp, |row, name| row.add(name, frames));
        if above.data {
            ddp.add("data", frames);
        }
    }

    /// Adds frames to the protocols of the RPC messages with this carrier.
    fn add_rpc(&mut self, carrier: Carrier, protocols: &Protocols, frames: Counts) {
        let messages = protocols.rpc.iter().filter(|(by, _)| *by == carrier);
        let mut messages = messages.filter_map(|(_, names)| names.split_first()).peekable();
        let Some((rpc, _)) = messages.peek() else { return };
        let rpc = self.add(rpc, frames);
        for program in messages.flat_map(|(_, programs)| programs) {
            rpc.add(program, frames);
        }
    }

    /// Adds frames to a protocol that this one carries.
    fn add(&mut self, name: &'static str, frames: Counts) -> &mut Self {
        let known = self.children.iter().position(|row| row.name == name);
        let place = known.unwrap_or_else(|| {
            self.children.push(Self { name, ..Self::default() });
            self.children.len() - 1
        });
        let row = &mut self.children[place];
        row.frames += frames.frames;
        row.bytes += frames.bytes;
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

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 13] = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m"];

    /// Frames in which the protocols of each number are, by its bits.
    fn shapes(numbers: std::ops::Range<u64>) -> Shapes {
        let mut shapes = Shapes::default();
        for number in numbers {
            let names = NAMES.iter().enumerate().filter(|(bit, _)| number >> bit & 1 != 0);
            let ulp = names.map(|(_, name)| *name).collect();
            let above = UpperProtocols { mpa: true, ddp: true, ..UpperProtocols::default() };
            let protocols = Protocols { above, ulp, ..Protocols::default() };
            shapes.count(&protocols, Counts { frames: 1, bytes: 100, first: number });
        }
        shapes
    }

    #[test]
    fn a_capture_of_ever_new_protocols_is_counted_and_does_not_fill_the_memory() {
        let mut many = shapes(1..8192);
        assert!(many.all.len() <= MOST_SHAPES);
        let mut printed = Vec::new();
        many.table().print_below(0, &mut printed).unwrap();
        let printed = String::from_utf8(printed).unwrap();
        let row = |line: usize| {
            printed.lines().nth(line).unwrap().split_whitespace().collect::<Vec<_>>().join(" ")
        };
        assert_eq!(row(0), "iwarp_mpa frames:8191 bytes:819100");
        assert_eq!(row(2), "a frames:4096 bytes:409600");
        // Their order is not known in parts.
        assert!(!many.join(&shapes(1..3)) && !shapes(1..3).join(&many));
        assert!(shapes(1..3).join(&shapes(2..5)));
    }
}
