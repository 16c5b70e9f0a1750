//! What is counted in a capture.

use std::collections::{BTreeMap, HashSet};
use warpscope_dissector::message::{Completed, SegmentItem};
use warpscope_dissector::mpa::{CrcVerdict, SkipReason};
use warpscope_dissector::pipeline::{Item, ItemContext, PacketItem, Sink};
use warpscope_dissector::stream::GapReason;
use warpscope_wire::rdmap::{Message, RdmapControlView};
use warpscope_wire::rpc::RpcView;
use warpscope_wire::rpcrdma::procedure_name;

/// The counts that are one number, in the order in which they are written.
pub(crate) const NUMBERS: [&str; 5] =
    ["frames", "connections", "setup_frames", "fpdus", "without_header"];

/// The counts that are a number for each of several kinds.
pub(crate) const MAPS: [&str; 6] =
    ["crc", "segments", "messages", "rpc_over_rdma", "rpc", "skipped_bytes"];

/// What stands before the number of an opcode that has no name.
const OPCODE: &str = "opcode 0x";

/// What was counted.
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

/// The kinds that one of [`MAPS`] tells apart.
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

/// Whether a map can have this kind: opcodes without a name are told by number.
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

/// The name of a value in a table.
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
    /// What was counted.
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
