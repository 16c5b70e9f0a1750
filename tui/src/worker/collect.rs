//! Takes from the pipeline's items what index and tables keep.

use crate::state::index::{
    CallRow, ChunkRow, Flags, FlowRow, FoundRow, NO_FLOW, OperationRow, Spark,
};
use std::collections::HashMap;
use std::sync::Arc;
use warpscope_dissector::flow::Connection;
use warpscope_dissector::mpa::{CrcVerdict, Side};
use warpscope_dissector::operation::Event as Happened;
use warpscope_dissector::pipeline::{Item, ItemContext, PacketItem, Sink};
use warpscope_dissector::record::{ExchangeRecords, OperationRecord, RpcPart, RpcRecord};
use warpscope_dissector::rules::Finding;
use warpscope_dissector::statistics::{Flows, MOST_FLOWS, Statistics};
use warpscope_dissector::stream::SegmentDisposition;

/// The most operations that are kept.
const MOST_OPERATIONS: u64 = 1 << 20;
/// The most calls that are kept.
const MOST_CALLS: u64 = 1 << 19;
/// The most chunks that are kept.
const MOST_CHUNKS: u64 = 1 << 20;
/// The most findings that are kept.
const MOST_FOUND: u64 = 1 << 15;

/// Rows that were kept, and those beyond.
#[derive(Debug)]
struct Rows<T> {
    new: Vec<T>,
    taken: u64,
    forgotten: u64,
}

impl<T> Default for Rows<T> {
    fn default() -> Self {
        Self { new: Vec::new(), taken: 0, forgotten: 0 }
    }
}

/// How many operations, calls, chunks and findings were taken.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Taken([u64; 4]);

impl<T> Rows<T> {
    /// Keeps a row, unless there are too many; false when there are.
    fn push(&mut self, row: T, most: u64) -> bool {
        if self.taken - self.forgotten >= most {
            return false;
        }
        self.taken += 1;
        self.new.push(row);
        true
    }
}

/// A sink for all that the index and the tables want to know.
#[derive(Debug)]
pub(super) struct Collector {
    flows: Flows,
    statistics: Statistics,
    exchanges: ExchangeRecords,
    sparks: HashMap<u32, Spark>,
    settled: HashMap<u32, Arc<FlowRow>>,
    operations: Rows<OperationRow>,
    calls: Rows<CallRow>,
    chunks: Rows<ChunkRow>,
    found: Rows<FoundRow>,
    /// Rows that were too many.
    pub(super) dropped: u64,
    /// What the frame at hand is.
    pub(super) flags: Flags,
    /// Its connection.
    pub(super) flow: u32,
    packet: Option<(Option<i64>, u32)>,
}

impl Collector {
    /// A collector of nothing yet.
    pub(super) fn new() -> Self {
        Self {
            flows: Flows::new(None).keeping_findings(),
            statistics: Statistics::new(None, None),
            exchanges: ExchangeRecords::default(),
            sparks: HashMap::new(),
            settled: HashMap::new(),
            operations: Rows::default(),
            calls: Rows::default(),
            chunks: Rows::default(),
            found: Rows::default(),
            dropped: 0,
            flags: Flags::default(),
            flow: NO_FLOW,
            packet: None,
        }
    }

    /// To be called before a frame.
    pub(super) fn begin(&mut self) {
        (self.flags, self.flow, self.packet) = (Flags::default(), NO_FLOW, None);
    }

    /// To be called behind a frame, and once more when the pipeline has finished.
    pub(super) fn settle(&mut self) {
        for finding in self.flows.take_kept() {
            let kept = self.found.push(found_row(finding), MOST_FOUND);
            self.dropped += u64::from(!kept);
        }
        // Only flows with iWARP are listed.
        if self.sparks.len() > MOST_FLOWS * 2 {
            self.sparks.clear();
        }
    }

    /// To be called when the pipeline has finished.
    pub(super) fn finish(&mut self) {
        self.flows.finish();
        let left: Vec<RpcRecord> = self.exchanges.finish().collect();
        for record in left {
            let kept = self.calls.push(call_row(&record), MOST_CALLS);
            self.dropped += u64::from(!kept);
        }
        self.settle();
    }

    /// How much was taken until now.
    pub(super) fn taken(&self) -> Taken {
        let chunks = self.chunks.taken;
        Taken([self.operations.taken, self.calls.taken, chunks, self.found.taken])
    }

    /// What was taken until then is kept no longer.
    pub(super) fn forget(&mut self, Taken([operations, calls, chunks, found]): Taken) {
        self.operations.forgotten = operations;
        self.calls.forgotten = calls;
        self.chunks.forgotten = chunks;
        self.found.forgotten = found;
    }

    /// The operations since the last call.
    pub(super) fn operations(&mut self) -> Vec<OperationRow> {
        std::mem::take(&mut self.operations.new)
    }

    /// The calls since the last call.
    pub(super) fn calls(&mut self) -> Vec<CallRow> {
        std::mem::take(&mut self.calls.new)
    }

    /// The chunks since the last call.
    pub(super) fn chunks(&mut self) -> Vec<ChunkRow> {
        std::mem::take(&mut self.chunks.new)
    }

    /// The findings since the last call.
    pub(super) fn found(&mut self) -> Vec<FoundRow> {
        std::mem::take(&mut self.found.new)
    }

    /// What was counted until now.
    pub(super) fn counts(&self) -> Arc<warpscope_dissector::statistics::Counts> {
        Arc::new(self.statistics.counts().clone())
    }

    /// The connections as they are known now, in the order of their numbers.
    pub(super) fn flow_rows(&mut self) -> Arc<[Arc<FlowRow>]> {
        let row =
            |flow: &warpscope_dissector::statistics::Flow, settled, sparks: &HashMap<_, _>| {
                let spark = sparks.get(&flow.info.number).copied().unwrap_or_default();
                Arc::new(FlowRow { flow: flow.clone(), spark, settled })
            };
        let mut rows = Vec::new();
        for flow in self.flows.flows() {
            let sparks = &self.sparks;
            let known = self.settled.entry(flow.info.number);
            let known = known.or_insert_with(|| row(flow, true, sparks));
            if known.flow.findings != flow.findings {
                *known = row(flow, true, sparks);
            }
            rows.push(known.clone());
        }
        rows.extend(self.flows.under_way().map(|flow| row(flow, false, &self.sparks)));
        rows.sort_by_key(|row| row.flow.info.number);
        rows.into()
    }
}

/// A frame's number in 32 bits; frames beyond are not indexed.
pub(super) fn small(frame: u64) -> u32 {
    u32::try_from(frame).unwrap_or(u32::MAX)
}

fn operation_row(record: &OperationRecord) -> OperationRow {
    let operation = &record.operation;
    OperationRow {
        flow: record.connection.number,
        number: small(operation.number),
        frame: small(operation.request.last_frame),
        answer: operation.response.map_or(0, |response| small(response.last_frame)),
        latency: operation.latency().unwrap_or(-1),
        bytes: operation.bytes(),
        depth: u16::try_from(operation.depth).unwrap_or(u16::MAX),
        limit: record.depth_limit.unwrap_or(0),
        requester: operation.requester,
        kind: operation.kind,
        outcome: operation.outcome,
        unsolicited: record.unsolicited,
        steering_tag: operation.remote.map_or(0, |region| region.steering_tag),
    }
}

fn call_row(record: &RpcRecord) -> CallRow {
    let frame = |part: &Option<RpcPart>| part.map_or(0, |part| small(part.frame));
    let bytes = |part: &Option<RpcPart>| part.map_or(0, |part| part.bytes);
    let credits = |part: &Option<RpcPart>| {
        part.map_or(0, |part| u16::try_from(part.credits).unwrap_or(u16::MAX))
    };
    let chunks = &record.chunks;
    // The messages are put together with what came by their Read and Reply chunks.
    let messages = bytes(&record.call) + bytes(&record.reply);
    let inline = messages.saturating_sub(chunks.read_bytes + chunks.reply_bytes);
    CallRow {
        flow: record.connection.number,
        frame: frame(&record.call),
        answer: frame(&record.reply),
        xid: record.xid,
        caller: record.caller,
        program: record.program_name().unwrap_or(""),
        version: record.program.map_or(0, |(_, version, _)| version),
        procedure: record.program.map_or(0, |(_, _, procedure)| procedure),
        name: record.procedure_name().unwrap_or(""),
        latency: record.latency.unwrap_or(-1),
        inline: small(inline),
        chunks: chunks.read_bytes + chunks.write_bytes + chunks.reply_bytes,
        status: record.status,
        credits: [credits(&record.call), credits(&record.reply)],
        depth: u16::try_from(record.in_flight.unwrap_or(0)).unwrap_or(u16::MAX),
    }
}

fn found_row(finding: Finding) -> FoundRow {
    FoundRow {
        rule: finding.rule,
        flow: finding.place.connection.number,
        at_fault: finding.at_fault,
        frame: small(finding.place.frame),
        explanation: finding.explanation,
    }
}

impl Sink for Collector {
    fn packet(&mut self, packet: &PacketItem<'_>) {
        self.flows.packet(packet);
        self.statistics.packet(packet);
        let (Some(tcp), Some(segment)) = (&packet.tcp, &packet.packet.tcp) else { return };
        self.flow = tcp.stream;
        self.packet = Some((packet.frame.time, segment.payload_length));
        if self.sparks.len() < MOST_FLOWS * 2 {
            self.sparks
                .entry(tcp.stream)
                .or_default()
                .add(packet.frame.time, segment.payload_length);
        }
    }

    fn disposition(&mut self, disposition: SegmentDisposition) {
        self.flows.disposition(disposition);
        self.statistics.disposition(disposition);
        self.flags.set(Flags::REPEATED);
    }

    fn item(&mut self, context: &ItemContext<'_>, item: &Item<'_>) {
        self.flows.item(context, item);
        self.statistics.item(context, item);
        // An operation or a call that ends here may be the other side's.
        let own = matches!(item, Item::Setup(_) | Item::Segment(_) | Item::Skipped(_));
        if own && context.side == Side(1) {
            self.flags.set(Flags::SECOND);
        }
        match item {
            Item::Setup(_) => self.flags.set(Flags::IWARP | Flags::MESSAGE | Flags::SETUP),
            Item::Segment(segment) => {
                self.flags.set(Flags::IWARP);
                if segment.completed.is_some() || segment.header.is_err() {
                    self.flags.set(Flags::MESSAGE);
                }
                if segment.fpdu.crc == CrcVerdict::Bad || segment.fpdu.marker_mismatch {
                    self.flags.set(Flags::WRONG | Flags::MESSAGE);
                }
            }
            Item::Skipped(_) => self.flags.set(Flags::IWARP | Flags::MESSAGE | Flags::SKIPPED),
            Item::Operation(operation) => {
                if matches!(operation.event, Happened::Terminated(..)) {
                    self.flags.set(Flags::TERMINATE);
                }
                if let Some(record) = OperationRecord::new(context, operation) {
                    let kept = self.operations.push(operation_row(&record), MOST_OPERATIONS);
                    self.dropped += u64::from(!kept);
                }
            }
            Item::Rpc(rpc) => {
                self.flags.set(Flags::RPC);
                for chunk in rpc.chunks {
                    let Some((first, last)) = chunk.frames else { continue };
                    let row = ChunkRow {
                        flow: context.connection.number,
                        xid: rpc.xid,
                        steering_tag: chunk.segment.handle,
                        first: small(first),
                        last: small(last),
                    };
                    self.dropped += u64::from(!self.chunks.push(row, MOST_CHUNKS));
                }
                if let Some(record) = self.exchanges.rpc(context, rpc) {
                    let kept = self.calls.push(call_row(&record), MOST_CALLS);
                    self.dropped += u64::from(!kept);
                }
            }
            Item::PlainRpc(_) => self.flags.set(Flags::RPC | Flags::MESSAGE),
        }
    }

    fn capture_ended(&mut self) {
        self.flows.capture_ended();
        self.statistics.capture_ended();
    }

    fn connection_left(&mut self, connection: &Connection) {
        self.flows.connection_left(connection);
        self.statistics.connection_left(connection);
    }
}
