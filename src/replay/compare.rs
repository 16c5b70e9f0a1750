//! What differs between what is expected and what was found.

use super::expect::{Expectations, FieldExpectation};
use crate::yaml::{Entries, Place, Placed};
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error as _, SeqAccess, Unexpected, Visitor};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt;
use std::path::Path;
use warpscope_dissector::capture::{CaptureError, CaptureReader};
use warpscope_dissector::dissect::FrameView;
use warpscope_dissector::field::{Field, Kind};
use warpscope_dissector::message::{Completed, SegmentItem};
use warpscope_dissector::mpa::{CrcVerdict, SkipReason};
use warpscope_dissector::pipeline::{Item, ItemContext, Options, PacketItem, Pipeline, Sink};
use warpscope_dissector::rules::Judge;
use warpscope_dissector::stream::GapReason;
use warpscope_dissector::tree::Value;
use warpscope_wire::rdmap::{Message, RdmapControlView};
use warpscope_wire::rpc::RpcView;
use warpscope_wire::rpcrdma::procedure_name;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Difference {
    /// The keys that lead to it in the file, joined by dots.
    pub(crate) path: String,
    /// Where the file speaks of it; none when it does not.
    pub(crate) place: Option<Place>,
    pub(crate) expected: String,
    pub(crate) found: String,
}

impl Difference {
    fn new(
        path: String,
        place: Option<Place>,
        expected: impl ToString,
        found: impl ToString,
    ) -> Self {
        Self { path, place, expected: expected.to_string(), found: found.to_string() }
    }

    /// True for what `--bless` does not write: it is written by hand.
    pub(crate) fn by_hand(&self) -> bool {
        ["fields.", "waived.", "capture"].iter().any(|start| self.path.starts_with(start))
    }
}

/// Compares; the differences come in the order of the file's sections.
pub(crate) fn differences(
    capture: &str,
    expectations: &Expectations,
    observed: &Observed,
) -> Vec<Difference> {
    let mut differences = Vec::new();
    if let Some(named) = expectations.capture.as_ref().filter(|named| named.value != capture) {
        let (path, place) = ("capture".to_owned(), Some(named.place));
        differences.push(Difference::new(path, place, &named.value, capture));
    }
    for (name, expected) in &expectations.numbers {
        let found = observed.counts.number(name);
        if found != expected.value {
            let (path, place) = (format!("counts.{name}"), Some(expected.place));
            differences.push(Difference::new(path, place, expected.value, found));
        }
    }
    let nothing = BTreeMap::new();
    for (name, expected) in &expectations.maps {
        let found = observed.counts.maps.get(name).unwrap_or(&nothing);
        map(&format!("counts.{name}"), expected, found, &mut differences);
    }
    findings(expectations, observed, &mut differences);
    for expected in &expectations.fields {
        let (frame, field) = (expected.frame, expected.field.name);
        let found = observed.fields.get(&(frame, field)).map_or(&[][..], Vec::as_slice);
        if !expected.values.fits(found) {
            let found: Vec<&str> = found.iter().map(|value| value.text.as_str()).collect();
            let found = if found.is_empty() { "no value".to_owned() } else { found.join(", ") };
            let path = format!("fields.{frame}.{field}");
            let expected = (Some(expected.place), expected.values.shown());
            differences.push(Difference::new(path, expected.0, expected.1, found));
        }
    }
    differences
}

/// Compares counts by kind: a kind that is not named is expected not to occur.
fn map(
    path: &str,
    expected: &Entries<Placed<u64>>,
    found: &BTreeMap<String, u64>,
    differences: &mut Vec<Difference>,
) {
    for (kind, count) in &expected.0 {
        let found = found.get(&kind.value).copied().unwrap_or(0);
        if found != count.value {
            let path = format!("{path}.{}", kind.value);
            differences.push(Difference::new(path, Some(count.place), count.value, found));
        }
    }
    for (kind, count) in found.iter().filter(|(kind, _)| expected.of(kind).is_none()) {
        differences.push(Difference::new(format!("{path}.{kind}"), None, 0, count));
    }
}

/// Compares findings: a rule that is waived may find any number of things, but not none; one with a
/// count as well has that count.
fn findings(expectations: &Expectations, observed: &Observed, differences: &mut Vec<Difference>) {
    let Some(expected) = &expectations.findings else { return };
    let mut counted = observed.findings.clone();
    counted.retain(|rule, _| expectations.waived.of(rule).is_none() || expected.of(rule).is_some());
    map("findings", expected, &counted, differences);
    for (rule, reason) in &expectations.waived.0 {
        let found = observed.findings.get(&rule.value).copied().unwrap_or(0);
        if found == 0 && expected.of(&rule.value).is_none() {
            let path = format!("waived.{}", rule.value);
            let expected = format!("findings ({})", reason.value);
            differences.push(Difference::new(path, Some(rule.place), expected, "none"));
        }
    }
}

// What is counted in a capture.

/// The counts that are one number, in the order in which they are written.
pub(crate) const NUMBERS: [&str; 5] =
    ["frames", "connections", "setup_frames", "fpdus", "without_header"];

/// The counts that are a number for each of several kinds.
pub(crate) const MAPS: [&str; 6] =
    ["crc", "segments", "messages", "rpc_over_rdma", "rpc", "skipped_bytes"];

/// What comes before the number of an opcode that has no name.
const OPCODE: &str = "opcode 0x";

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Each of [`NUMBERS`].
    pub(crate) numbers: BTreeMap<&'static str, u64>,
    /// Each of [`MAPS`], its kinds that occurred.
    pub(crate) maps: BTreeMap<&'static str, BTreeMap<String, u64>>,
}

impl Counts {
    /// One of [`NUMBERS`].
    pub(crate) fn number(&self, name: &str) -> u64 {
        self.numbers.get(name).copied().unwrap_or(0)
    }

    /// One of [`MAPS`]: the kinds that occurred, in the order of [`kinds`].
    pub(crate) fn map(&self, name: &str) -> Vec<(&str, u64)> {
        let Some(map) = self.maps.get(name) else { return Vec::new() };
        let order = kinds(name);
        let mut found: Vec<(&str, u64)> =
            map.iter().map(|(kind, count)| (kind.as_str(), *count)).collect();
        found.sort_by_key(|(kind, _)| order.iter().position(|known| known == kind));
        found
    }

    /// The sum of one of [`MAPS`].
    pub(crate) fn sum(&self, name: &str) -> u64 {
        self.maps.get(name).map_or(0, |map| map.values().sum())
    }

    fn add(&mut self, map: &'static str, kind: String, count: u64) {
        *self.maps.entry(map).or_default().entry(kind).or_default() += count;
    }

    fn add_one(&mut self, number: &'static str) {
        *self.numbers.entry(number).or_default() += 1;
    }
}

/// The kinds of one of [`MAPS`].
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

/// Whether a map can have this kind: opcodes without a name have numbers.
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

/// Counts what the pipeline hands up.
#[derive(Debug, Default)]
pub(crate) struct Counter {
    counts: Counts,
    connections: HashSet<u32>,
}

impl Counter {
    pub(crate) fn finish(mut self) -> Counts {
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
        // A connection counts when it is iWARP.
        if !matches!(item, Item::PlainRpc(_)) {
            self.connections.insert(context.connection.number);
        }
        match item {
            Item::Operation(_) | Item::Rpc(_) | Item::PlainRpc(_) => {}
            Item::Setup(_) => self.counts.add_one("setup_frames"),
            Item::Segment(segment) => self.segment(segment),
            Item::Skipped(skipped) => {
                let reason = name(&REASONS, &skipped.reason);
                self.counts.add("skipped_bytes", reason, skipped.length);
            }
        }
    }
}

// Values of fields, as expectations write them.

/// One value as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Written {
    Text(String),
    Number(u64),
    Truth(bool),
    /// A number that no field has in this form: with a sign, a point or an exponent.
    Other(String),
}

/// All values of a field in a frame, in order; a single one may be without brackets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Expected(Vec<Written>);

/// A value that was found: as `-e` prints it, and its name if it has one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) text: String,
    pub(crate) name: Option<&'static str>,
}

impl Expected {
    /// Whether the values can be values of the field; if not, what to write.
    pub(crate) fn check(&self, field: &Field) -> Result<(), String> {
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

    /// Whether these are the values, all of them and in this order.
    pub(crate) fn fits(&self, found: &[Found]) -> bool {
        self.0.len() == found.len()
            && self.0.iter().zip(found).all(|(written, found)| written.fits(found))
    }

    /// The values, joined by commas.
    pub(crate) fn shown(&self) -> String {
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

/// Takes a value, or where `list` is true several.
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

// Dissects a capture and keeps what expectations can be about.

#[derive(Debug, Default)]
pub(crate) struct Observed {
    pub(crate) counts: Counts,
    /// How often each rule found something.
    pub(crate) findings: BTreeMap<String, u64>,
    /// The values of the fields that expectations name, by frame and field.
    pub(crate) fields: BTreeMap<(u64, &'static str), Vec<Found>>,
}

pub(crate) fn observe(
    capture: &Path,
    options: &Options,
    wanted: &[FieldExpectation],
) -> Result<Observed, CaptureError> {
    let mut reader = CaptureReader::open(capture)?;
    let names_interfaces = reader.names_interfaces();
    let mut pipeline = Pipeline::new(options.clone());
    let (mut counter, mut judge) = (Counter::default(), Judge::default());
    let mut view = FrameView::new(!wanted.is_empty(), false);
    let frames: BTreeSet<u64> = wanted.iter().map(|expected| expected.frame).collect();
    let (mut findings, mut fields) = (BTreeMap::new(), BTreeMap::new());
    // After every frame, so that they do not pile up.
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
            keep(&view, wanted, &mut fields);
        }
    }
    pipeline.finish(&mut [&mut counter as &mut dyn Sink, &mut judge, &mut view]);
    while view.next_late() {
        keep(&view, wanted, &mut fields);
    }
    count(&mut judge);
    Ok(Observed { counts: counter.finish(), findings, fields })
}

/// Keeps the values that are wanted of the frame at hand.
fn keep(
    view: &FrameView,
    wanted: &[FieldExpectation],
    fields: &mut BTreeMap<(u64, &'static str), Vec<Found>>,
) {
    let tree = &view.tree;
    for expected in wanted.iter().filter(|expected| expected.frame == view.number) {
        let nodes = tree.nodes.iter().filter(|node| node.field == expected.field);
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn compared(text: &str, observed: &Observed) -> Vec<String> {
        let expectations = Expectations::read(Path::new("a"), text).unwrap();
        differences("c.pcap", &expectations, observed)
            .into_iter()
            .map(|difference| {
                format!("{}: {} / {}", difference.path, difference.expected, difference.found)
            })
            .collect()
    }

    fn observed() -> Observed {
        let mut observed = Observed::default();
        observed.counts.numbers.insert("frames", 7);
        let sends = [("Send".to_owned(), 2)];
        observed.counts.maps.insert("messages", sends.into_iter().collect());
        observed.findings = [("A-1".to_owned(), 3), ("B-2".to_owned(), 1)].into_iter().collect();
        observed
    }

    #[test]
    fn what_is_not_named_is_not_compared_and_a_map_names_all_its_kinds() {
        assert!(compared("# nothing\n", &observed()).is_empty());
        assert!(compared("counts:\n  frames: 7\n  messages: {Send: 2}\n", &observed()).is_empty());
        assert_eq!(compared("counts: {frames: 8}", &observed()), ["counts.frames: 8 / 7"]);
        assert_eq!(
            compared("counts:\n  messages:\n    Write: 1\n", &observed()),
            ["counts.messages.Write: 1 / 0", "counts.messages.Send: 0 / 2"]
        );
        assert_eq!(compared("capture: d.pcap", &observed()), ["capture: d.pcap / c.pcap"]);
    }

    #[test]
    fn findings_are_counted_or_waived() {
        assert_eq!(
            compared("findings: {}", &observed()),
            ["findings.A-1: 0 / 3", "findings.B-2: 0 / 1"]
        );
        assert!(compared("findings: {A-1: 3, B-2: 1}", &observed()).is_empty());
        assert!(compared("findings: {B-2: 1}\nwaived: {A-1: known}", &observed()).is_empty());
        assert_eq!(
            compared("findings: {A-1: 4, B-2: 1}\nwaived: {A-1: known}", &observed()),
            ["findings.A-1: 4 / 3"]
        );
        assert_eq!(
            compared("findings: {A-1: 3, B-2: 1}\nwaived: {C-3: old}", &observed()),
            ["waived.C-3: findings (old) / none"]
        );
    }
}
