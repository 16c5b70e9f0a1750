//! What was found in a capture, as far as expectations can refer to it.

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error as _, SeqAccess, Unexpected, Visitor};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt;
use warpscope_dissector::capture::{CaptureError, CaptureReader};
use warpscope_dissector::dissect::FrameView;
use warpscope_dissector::field::{Field, Kind};
use warpscope_dissector::message::{Completed, SegmentItem};
use warpscope_dissector::mpa::{CrcVerdict, SkipReason};
use warpscope_dissector::pipeline::{
    AfterItems, Item, ItemContext, Options, PacketItem, Pipeline, Sink,
};
use warpscope_dissector::rules::Judge;
use warpscope_dissector::stream::GapReason;
use warpscope_dissector::tree::{Node, Value};
use warpscope_wire::rdmap::{Message, RdmapControlView};
use warpscope_wire::rpc::RpcView;
use warpscope_wire::rpcrdma::procedure_name;
use warpscope_yaml::Place;

// What is counted in a capture.

/// The counts that are a single number, in the order in which they are written.
pub const NUMBERS: [&str; 5] = ["frames", "connections", "setup_frames", "fpdus", "without_header"];

/// The counts that have a number for each of several kinds.
pub const MAPS: [&str; 6] =
    ["crc", "segments", "messages", "rpc_over_rdma", "rpc", "skipped_bytes"];

/// The prefix of the number of an opcode without a name.
const OPCODE: &str = "opcode 0x";

/// What is counted in a capture.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts {
    /// Each of [`NUMBERS`].
    pub numbers: BTreeMap<&'static str, u64>,
    /// Each of [`MAPS`], with the kinds that occurred.
    pub maps: BTreeMap<&'static str, BTreeMap<String, u64>>,
}

impl Counts {
    /// Returns one of [`NUMBERS`].
    pub fn number(&self, name: &str) -> u64 {
        self.numbers.get(name).copied().unwrap_or(0)
    }

    /// Returns one of [`MAPS`]: the kinds that occurred, in the order of their documents.
    pub fn map(&self, name: &str) -> Vec<(&str, u64)> {
        let Some(map) = self.maps.get(name) else { return Vec::new() };
        let order = kinds(name);
        let mut found: Vec<(&str, u64)> =
            map.iter().map(|(kind, count)| (kind.as_str(), *count)).collect();
        found.sort_by_key(|(kind, _)| order.iter().position(|known| known == kind));
        found
    }

    /// Returns the sum of one of [`MAPS`].
    pub fn sum(&self, name: &str) -> u64 {
        self.maps.get(name).map_or(0, |map| map.values().sum())
    }

    fn add(&mut self, map: &'static str, kind: String, count: u64) {
        *self.maps.entry(map).or_default().entry(kind).or_default() += count;
    }

    fn add_one(&mut self, number: &'static str) {
        *self.numbers.entry(number).or_default() += 1;
    }
}

/// Returns the kinds of one of [`MAPS`].
pub(crate) fn kinds(map: &str) -> Vec<&'static str> {
    match map {
        "crc" => VERDICTS.iter().map(|(_, name)| *name).collect(),
        "segments" | "messages" => Message::all().map(|message| message.info().name).collect(),
        "rpc_over_rdma" => (0..5).filter_map(procedure_name).collect(),
        "rpc" => vec![CALL, REPLY, MALFORMED],
        "skipped_bytes" => REASONS.iter().map(|(_, name)| *name).collect(),
        _ => Vec::new(),
    }
}

/// Whether a map can have this kind. Opcodes without a name have numbers.
pub(crate) fn is_kind(map: &str, kind: &str) -> bool {
    let unnamed = matches!(map, "segments" | "messages") && kind.starts_with(OPCODE);
    unnamed || kinds(map).contains(&kind)
}

const CALL: &str = "Call";
const REPLY: &str = "Reply";
const MALFORMED: &str = "malformed";

const VERDICTS: [(CrcVerdict, &str); 5] = [
    (CrcVerdict::Good, "good"),
    (CrcVerdict::Bad, "bad"),
    (CrcVerdict::NotInUse, "not_in_use"),
    (CrcVerdict::Unknown, "unknown"),
    (CrcVerdict::Unchecked, "unchecked"),
];

const REASONS: [(SkipReason, &str); 7] = [
    (SkipReason::Gap(GapReason::NotCaptured), "not_captured"),
    (SkipReason::Gap(GapReason::SnapLength), "snap_length"),
    (SkipReason::Gap(GapReason::BufferLimit), "buffer_limit"),
    (SkipReason::NoBoundary, "no_boundary"),
    (SkipReason::BeforeBoundary, "before_boundary"),
    (SkipReason::BehindSetup, "behind_setup"),
    (SkipReason::Unfinished, "unfinished"),
];

fn name<T: PartialEq>(table: &[(T, &'static str)], value: &T) -> String {
    let found = table.iter().find(|(known, _)| known == value);
    found.map_or("unknown", |(_, name)| name).to_owned()
}

/// Counts the items from the pipeline.
#[derive(Debug, Default)]
struct Counter {
    counts: Counts,
    connections: HashSet<u32>,
}

impl Counter {
    fn finish(mut self) -> Counts {
        self.counts.numbers.insert("connections", self.connections.len() as u64);
        self.counts
    }

    fn segment(&mut self, segment: &SegmentItem<'_>) {
        self.counts.add_one("fpdus");
        self.counts.add("crc", name(&VERDICTS, &segment.fpdu.crc), 1);
        let Ok(header) = &segment.header else {
            self.counts.add_one("without_header");
            return;
        };
        let opcode = match segment.message {
            Some(message) => message.info().name.to_owned(),
            None => {
                format!("{OPCODE}{:02x}", RdmapControlView(header.rdmap_control()).opcode())
            }
        };
        if let Some(completed) = &segment.completed {
            self.counts.add("messages", opcode.clone(), 1);
            self.completed(completed);
        }
        self.counts.add("segments", opcode, 1);
    }

    fn completed(&mut self, completed: &Completed<'_>) {
        let Some(transport) = &completed.transport else { return };
        let procedure = transport.header.fixed.procedure();
        let procedure = procedure_name(procedure)
            .map_or_else(|| format!("procedure {procedure}"), str::to_owned);
        self.counts.add("rpc_over_rdma", procedure, 1);
        if !transport.rest.is_empty() {
            let kind = match RpcView::parse(transport.rest) {
                Ok((RpcView::Call(_), _)) => CALL,
                Ok((RpcView::Reply(_), _)) => REPLY,
                Err(_) => MALFORMED,
            };
            self.counts.add("rpc", kind.to_owned(), 1);
        }
    }
}

impl Sink for Counter {
    fn packet(&mut self, _packet: &PacketItem<'_>) {
        self.counts.add_one("frames");
    }

    fn item(&mut self, context: &ItemContext<'_>, item: &Item<'_>) {
        // Only iWARP connections count.
        if !matches!(item, Item::PlainRpc(_)) {
            self.connections.insert(context.connection.number);
        }
        match item {
            Item::Operation(_) | Item::Rpc(_) | Item::PlainRpc(_) | Item::Ulp(_) | Item::Io(_) => {}
            Item::Setup(_) => self.counts.add_one("setup_frames"),
            Item::Segment(segment) => self.segment(segment),
            Item::Skipped(skipped) => {
                let reason = name(&REASONS, &skipped.reason);
                self.counts.add("skipped_bytes", reason, skipped.length);
            }
        }
    }
}

// Values of fields, in the form used in expectations.

/// The values that a field must have in a frame.
#[derive(Debug)]
pub struct FieldExpectation {
    /// The frame's number, from 1.
    pub frame: u64,
    /// The field.
    pub field: &'static Field,
    /// The place in the file that names it.
    pub place: Place,
    /// All its values, in order.
    pub values: Expected,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Written {
    Text(String),
    Number(u64),
    Truth(bool),
    /// A number in a form that no field has: with a sign, a point or an exponent.
    Other(String),
}

/// All values of a field in a frame, in order. A single one needs no brackets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expected(Vec<Written>);

/// A value that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The value as printed by `-e`.
    pub text: String,
    /// Its name, if it has one.
    pub name: Option<&'static str>,
}

impl Expected {
    /// Checks that these can be values of the field; if not, says what to write.
    pub fn check(&self, field: &Field) -> Result<(), String> {
        let number = matches!(field.kind, Kind::Unsigned(_) | Kind::FrameNumber);
        for written in &self.0 {
            let (shown, fits) = match written {
                Written::Text(_) => continue,
                Written::Number(value) => {
                    (value.to_string(), number || field.kind == Kind::Boolean)
                }
                Written::Truth(value) => (value.to_string(), field.kind == Kind::Boolean),
                Written::Other(text) => (text.clone(), false),
            };
            if !fits {
                return Err(format!(
                    "the value {shown} of {} is read as a number or a truth value; put it in \
                     quotes, as `warpscope dissect -e {}` prints it",
                    field.name, field.name
                ));
            }
        }
        Ok(())
    }

    /// Whether these values are equal, all of them and in this order.
    pub fn fits(&self, found: &[Found]) -> bool {
        self.0.len() == found.len()
            && self.0.iter().zip(found).all(|(written, found)| written.fits(found))
    }

    /// Returns the values, joined by commas.
    pub fn shown(&self) -> String {
        let shown: Vec<String> = self.0.iter().map(Written::to_string).collect();
        if shown.is_empty() { "no value".to_owned() } else { shown.join(", ") }
    }
}

impl Written {
    fn fits(&self, found: &Found) -> bool {
        match self {
            Self::Text(text) => *text == found.text || Some(text.as_str()) == found.name,
            Self::Number(value) => number(&found.text) == Some(*value),
            Self::Truth(value) => number(&found.text) == Some(u64::from(*value)),
            Self::Other(_) => false,
        }
    }
}

fn number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

impl fmt::Display for Written {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) | Self::Other(text) => formatter.write_str(text),
            Self::Number(value) => write!(formatter, "{value}"),
            Self::Truth(value) => write!(formatter, "{value}"),
        }
    }
}

impl<'de> Deserialize<'de> for Expected {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut values = Vec::new();
        deserializer.deserialize_any(Values { into: &mut values, list: true })?;
        Ok(Self(values))
    }
}

/// Reads a value, or several if `list` is true.
struct Values<'v> {
    into: &'v mut Vec<Written>,
    list: bool,
}

impl<'de> DeserializeSeed<'de> for Values<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Values<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value, or a list of values")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        if !self.list {
            return Err(A::Error::invalid_type(Unexpected::Seq, &self));
        }
        while list.next_element_seed(Values { into: self.into, list: false })?.is_some() {}
        Ok(())
    }

    fn visit_str<E>(self, text: &str) -> Result<(), E> {
        self.into.push(Written::Text(text.to_owned()));
        Ok(())
    }

    fn visit_u64<E>(self, value: u64) -> Result<(), E> {
        self.into.push(Written::Number(value));
        Ok(())
    }

    fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<(), E> {
        match u64::try_from(value) {
            Ok(value) => self.visit_u64(value),
            Err(_) => {
                self.into.push(Written::Other(value.to_string()));
                Ok(())
            }
        }
    }

    fn visit_f64<E>(self, value: f64) -> Result<(), E> {
        self.into.push(Written::Other(value.to_string()));
        Ok(())
    }

    fn visit_bool<E>(self, value: bool) -> Result<(), E> {
        self.into.push(Written::Truth(value));
        Ok(())
    }
}

/// What was found in a capture, as far as expectations can refer to it.
#[derive(Debug, Default)]
pub struct Observed {
    /// Frames, FPDUs, messages and others, counted.
    pub counts: Counts,
    /// How often each rule found something.
    pub findings: BTreeMap<String, u64>,
    /// The values of the fields that expectations name, by frame and field.
    pub fields: BTreeMap<(u64, &'static str), Vec<Found>>,
}

/// Dissects a capture. Only the expected fields are kept.
///
/// # Errors
/// Fails if the capture cannot be read.
pub fn observe(
    mut reader: CaptureReader,
    options: &Options,
    wanted: &[FieldExpectation],
) -> Result<Observed, CaptureError> {
    let names_interfaces = reader.names_interfaces();
    let mut pipeline = Pipeline::new(options.clone());
    let (mut counter, mut judge) = (Counter::default(), Judge::default());
    let mut view = FrameView::new(!wanted.is_empty(), false);
    let frames: BTreeSet<u64> = wanted.iter().map(|expected| expected.frame).collect();
    let (mut findings, mut fields) = (BTreeMap::new(), BTreeMap::new());
    // After every frame, so that they do not accumulate.
    let mut count = |judge: &mut Judge| {
        for finding in judge.take() {
            *findings.entry(finding.rule.id.to_owned()).or_default() += 1;
        }
    };
    while let Some(described) = reader.next_described()? {
        view.begin(&described, names_interfaces);
        pipeline
            .frame(&described.frame, &mut [&mut counter as &mut dyn Sink, &mut judge, &mut view]);
        count(&mut judge);
        view.end(true);
        if frames.contains(&view.number) {
            keep(&view, &view.tree.nodes, wanted, &mut fields);
        }
    }
    let mut late = |view: &mut FrameView, all: bool| {
        while (all || view.late_is_full()) && view.next_late() {
            keep(view, view.late_nodes(), wanted, &mut fields);
        }
    };
    let mut drained = AfterItems { sink: &mut view, after: |view: &mut _| late(view, false) };
    pipeline.finish(&mut [&mut counter as &mut dyn Sink, &mut judge, &mut drained]);
    late(&mut view, true);
    count(&mut judge);
    Ok(Observed { counts: counter.finish(), findings, fields })
}

/// Keeps the expected values of the current frame, which are in these of its nodes.
fn keep(
    view: &FrameView,
    nodes: &[Node],
    wanted: &[FieldExpectation],
    fields: &mut BTreeMap<(u64, &'static str), Vec<Found>>,
) {
    let tree = &view.tree;
    for expected in wanted.iter().filter(|expected| expected.frame == view.number) {
        let nodes = nodes.iter().filter(|node| node.field == expected.field);
        let values = nodes.map(|node| {
            let mut text = String::new();
            tree.value_text(node, &mut text);
            let name = match node.value {
                Value::Unsigned(number) => node.field.value_name(number),
                _ => None,
            };
            Found { text, name }
        });
        fields.entry((view.number, expected.field.name)).or_default().extend(values);
    }
}
