//! The tables of captures written by `warpscope export`, and the collector of their rows.

use super::column::{InFile, Shape, Value, heads, values};
use super::flows::FLOWS;
use super::ios::IOS;
use super::records::{FINDINGS, LATENCY_BUCKETS, MESSAGES, OPERATIONS, RPCS};
use crate::flow::ConnectionInfo;
use crate::item::Sink;
use crate::mpa::Side;
use crate::operation::OperationKind;
use crate::record::{Record, Recorder};
use crate::rules::Finding;
use crate::statistics::{Flow, Flows, LatencyBucket};
use std::sync::Arc;

/// A table of captures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::Display)]
#[strum(serialize_all = "lowercase")]
pub enum CaptureTable {
    /// One row per RDMAP message.
    Messages,
    /// One row per operation.
    Operations,
    /// One row per RPC-over-RDMA call with its reply.
    Rpcs,
    /// One row per request of an upper layer protocol with its answer, and one per RDMA operation that
    /// belongs to no request.
    Ios,
    /// One row per finding of the rules.
    Findings,
    /// One row per iWARP connection.
    Flows,
    /// One row per range of latencies of the operations of one kind that one side of a connection began.
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

    /// Returns its columns.
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

    /// Returns the columns with a row's time: the first that has a value counts.
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

/// A finding, with the initiator of its connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FindingRecord {
    /// The finding.
    pub finding: Finding,
    /// The side that initiated the connection, if its setup was seen.
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

/// How many operations of one kind, begun by one side of a connection, have a latency in the same range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LatencyRecord {
    /// The connection.
    pub connection: ConnectionInfo,
    /// The capture time of its first frame, in nanoseconds since 1970.
    pub start: Option<i64>,
    /// The side that began them.
    pub requester: Side,
    /// The type of the operations.
    pub kind: OperationKind,
    /// The range of latencies, and the number of operations.
    pub bucket: LatencyBucket,
}

impl LatencyRecord {
    /// Returns the rows of a connection.
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
    /// A row of messages, operations or RPCs.
    Record(Record),
    /// A row of findings.
    Finding(FindingRecord),
    /// A row of flows.
    Flow(Arc<Flow>),
    /// A row of latencies.
    Latency(LatencyRecord),
}

impl Row {
    /// Returns the table that it belongs to.
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

    /// Returns its values, one per column.
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
    /// Creates a collector for these tables.
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

    /// Takes the rows since the last call; those of a table are in the order in which they finished.
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

    /// Adds the rows of another collector of the same capture. Returns false if one alone would have had
    /// less.
    pub fn join(&mut self, other: Self) -> bool {
        let recorded = self.recorder.as_mut().zip(other.recorder);
        let flows = self.flows.as_mut().zip(other.flows);
        let recorded = recorded.is_none_or(|(mine, other)| mine.join(other));
        flows.is_none_or(|(mine, other)| mine.join(other)) && recorded
    }

    /// Returns the number of connections whose rows of flows and latencies are missing, because there were too many
    /// to keep.
    pub fn omitted_flows(&self) -> u64 {
        let kept = [CaptureTable::Flows, CaptureTable::Latencies];
        let flows = self.flows.as_ref().filter(|_| self.tables.iter().any(|it| kept.contains(it)));
        flows.map_or(0, Flows::omitted)
    }

    /// Takes the remaining rows, with connections in the order of their numbers. Call it after
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
}

impl Sink for RowCollector {
    fn pass_on(&mut self, to: &mut dyn FnMut(&mut dyn Sink)) {
        self.recorder.iter_mut().for_each(|sink| to(sink));
        self.flows.iter_mut().for_each(|sink| to(sink));
    }
}
