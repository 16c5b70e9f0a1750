//! The tables of captures that `warpscope export` writes, and what collects their rows.

use super::column::{InFile, Shape, Value, heads, values};
use super::flows::FLOWS;
use super::ios::IOS;
use super::records::{FINDINGS, LATENCY_BUCKETS, MESSAGES, OPERATIONS, RPCS};
use crate::flow::{Connection, ConnectionInfo};
use crate::item::{Item, ItemContext, PacketItem, Sink};
use crate::mpa::Side;
use crate::operation::OperationKind;
use crate::record::{Record, Recorder};
use crate::rules::Finding;
use crate::statistics::{Flow, Flows, LatencyBucket};
use crate::stream::SegmentDisposition;
use std::sync::Arc;

/// A table of captures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::Display)]
#[strum(serialize_all = "lowercase")]
pub enum CaptureTable {
    /// A row an RDMAP message.
    Messages,
    /// A row an operation.
    Operations,
    /// A row an RPC-over-RDMA call with its reply.
    Rpcs,
    /// A row a request of an upper layer protocol with its answer, and a row an RDMA operation that belongs
    /// to none.
    Ios,
    /// A row a finding of the rules.
    Findings,
    /// A row a connection with iWARP.
    Flows,
    /// A row a range of latencies of the operations of one kind that one side of a connection began.
    Latencies,
}

impl CaptureTable {
    /// Every table.
    pub const ALL: [Self; 7] = [
        Self::Messages,
        Self::Operations,
        Self::Rpcs,
        Self::Ios,
        Self::Findings,
        Self::Flows,
        Self::Latencies,
    ];

    /// Its columns.
    pub fn columns(self) -> Vec<Shape> {
        match self {
            Self::Messages => heads(MESSAGES),
            Self::Operations => heads(OPERATIONS),
            Self::Rpcs => heads(RPCS),
            Self::Ios => heads(IOS),
            Self::Findings => heads(FINDINGS),
            Self::Flows => heads(FLOWS),
            Self::Latencies => heads(LATENCY_BUCKETS),
        }
    }

    /// The columns that say when a row was: the first that has a value counts.
    pub fn times(self) -> &'static [&'static str] {
        match self {
            Self::Messages => &["first_time"],
            Self::Operations => &["request_first_time"],
            Self::Rpcs => &["call_time", "reply_time"],
            Self::Ios => &["request_time", "first_data_time", "completion_time"],
            Self::Findings => &["time"],
            Self::Flows | Self::Latencies => &["start"],
        }
    }
}

/// A finding, with who initiated its connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FindingRecord {
    /// The finding.
    pub finding: Finding,
    /// The side that initiated the connection, when its setup was seen.
    pub initiator: Option<Side>,
}

impl FindingRecord {
    pub(super) fn role(&self) -> Option<&'static str> {
        let initiates = self.initiator? == self.finding.place.side;
        Some(if initiates { "initiator" } else { "responder" })
    }

    pub(super) fn at_fault(&self) -> Option<&'static str> {
        let source = self.finding.at_fault? == self.finding.place.side;
        Some(if source { "source" } else { "destination" })
    }
}

/// How many operations of one kind that one side of a connection began took about so long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LatencyRecord {
    /// The connection.
    pub connection: ConnectionInfo,
    /// When its first frame was captured, in nanoseconds since 1970.
    pub start: Option<i64>,
    /// The side that began them.
    pub requester: Side,
    /// What they do.
    pub kind: OperationKind,
    /// How long they took, and how many.
    pub bucket: LatencyBucket,
}

impl LatencyRecord {
    /// The rows of a connection.
    pub fn of(flow: &Flow) -> impl Iterator<Item = Self> {
        let (connection, start) = (flow.info, flow.first.time);
        flow.operations.iter().flat_map(move |counts| {
            let (requester, kind) = (counts.requester, counts.kind);
            let row = move |bucket| Self { connection, start, requester, kind, bucket };
            counts.latencies.iter().copied().map(row)
        })
    }
}

/// A row of one of the tables.
#[allow(clippy::large_enum_variant, reason = "nearly all rows are of the largest")]
#[derive(Debug, Clone)]
pub enum Row {
    /// Of messages, operations or RPCs.
    Record(Record),
    /// Of findings.
    Finding(FindingRecord),
    /// Of flows.
    Flow(Arc<Flow>),
    /// Of latencies.
    Latency(LatencyRecord),
}

impl Row {
    /// The table that it is of.
    pub fn table(&self) -> CaptureTable {
        match self {
            Self::Record(Record::Message(_)) => CaptureTable::Messages,
            Self::Record(Record::Operation(_)) => CaptureTable::Operations,
            Self::Record(Record::Rpc(_)) => CaptureTable::Rpcs,
            Self::Record(Record::Io(_)) => CaptureTable::Ios,
            Self::Finding(_) => CaptureTable::Findings,
            Self::Flow(_) => CaptureTable::Flows,
            Self::Latency(_) => CaptureTable::Latencies,
        }
    }

    /// Its values, one a column.
    pub fn values(&self, file: &InFile<'_>) -> Vec<Value> {
        match self {
            Self::Record(Record::Message(record)) => values(MESSAGES, record, file),
            Self::Record(Record::Operation(record)) => values(OPERATIONS, record, file),
            Self::Record(Record::Rpc(record)) => values(RPCS, record, file),
            Self::Record(Record::Io(record)) => values(IOS, record, file),
            Self::Finding(record) => values(FINDINGS, record, file),
            Self::Flow(flow) => values(FLOWS, flow, file),
            Self::Latency(record) => values(LATENCY_BUCKETS, record, file),
        }
    }
}

/// Collects the rows of some tables; take them after each frame.
#[derive(Debug)]
pub struct RowCollector {
    tables: Vec<CaptureTable>,
    recorder: Option<Recorder>,
    flows: Option<Flows>,
}

impl RowCollector {
    /// Nothing yet of these tables.
    pub fn new(tables: &[CaptureTable]) -> Self {
        use CaptureTable::{
            Findings, Flows as FlowsTable, Ios, Latencies, Messages, Operations, Rpcs,
        };
        let any = |wanted: &[CaptureTable]| tables.iter().any(|table| wanted.contains(table));
        let flows = any(&[Findings, FlowsTable, Latencies]).then(|| {
            let flows = Flows::new(None);
            let flows = if any(&[Findings]) { flows.keeping_findings() } else { flows };
            if any(&[Latencies]) { flows.keeping_latencies() } else { flows }
        });
        let recorder = any(&[Messages, Operations, Rpcs, Ios]).then(Recorder::default);
        Self { tables: tables.to_vec(), recorder, flows }
    }

    /// Takes the rows since the last call, those of a table in the order in which they came to their ends.
    pub fn take(&mut self, rows: &mut Vec<Row>) {
        if let Some(recorder) = &mut self.recorder {
            let wanted = recorder.take().map(Row::Record);
            rows.extend(wanted.filter(|row| self.tables.contains(&row.table())));
        }
        if let Some(flows) = &mut self.flows {
            flows.finish();
            let found = flows.take_kept();
            let finding = |finding: Finding| {
                let initiator = flows.initiator(finding.place.connection.number);
                Row::Finding(FindingRecord { finding, initiator })
            };
            rows.extend(found.into_iter().map(finding));
        }
    }

    /// Takes what another one has of the same capture. False when one alone would have had less.
    pub fn join(&mut self, other: Self) -> bool {
        let recorded = self.recorder.as_mut().zip(other.recorder);
        let flows = self.flows.as_mut().zip(other.flows);
        let recorded = recorded.is_none_or(|(mine, other)| mine.join(other));
        flows.is_none_or(|(mine, other)| mine.join(other)) && recorded
    }

    /// Takes the rest of the rows, connections in the order of their numbers. Call it after
    /// [`crate::pipeline::Pipeline::finish`].
    pub fn finish(&mut self, rows: &mut Vec<Row>) {
        if let Some(recorder) = &mut self.recorder {
            recorder.finish();
        }
        self.take(rows);
        for flow in self.flows.iter().flat_map(Flows::flows) {
            if self.tables.contains(&CaptureTable::Flows) {
                rows.push(Row::Flow(Arc::clone(flow)));
            }
            rows.extend(LatencyRecord::of(flow).map(Row::Latency));
        }
    }

    fn sinks(&mut self) -> impl Iterator<Item = &mut dyn Sink> {
        let recorder = self.recorder.iter_mut().map(|sink| sink as &mut dyn Sink);
        recorder.chain(self.flows.iter_mut().map(|sink| sink as &mut dyn Sink))
    }
}

impl Sink for RowCollector {
    fn packet(&mut self, packet: &PacketItem<'_>) {
        self.sinks().for_each(|sink| sink.packet(packet));
    }

    fn elsewhere(&mut self, time: Option<i64>) {
        self.sinks().for_each(|sink| sink.elsewhere(time));
    }

    fn disposition(&mut self, disposition: SegmentDisposition) {
        self.sinks().for_each(|sink| sink.disposition(disposition));
    }

    fn item(&mut self, context: &ItemContext<'_>, item: &Item<'_>) {
        self.sinks().for_each(|sink| sink.item(context, item));
    }

    fn capture_ended(&mut self) {
        self.sinks().for_each(|sink| sink.capture_ended());
    }

    fn connection_left(&mut self, connection: &Connection) {
        self.sinks().for_each(|sink| sink.connection_left(connection));
    }
}
