//! The metrics: one table gives the name, the labels and the meaning of each.
//!
//! Clients and their traffic cannot create an unlimited number of values of a label.

use prometheus_client::encoding::{EncodeLabelSet, EncodeLabelValue, LabelValueEncoder};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Metric, Registry, Unit};
use std::fmt::{self, Write as _};
use warpscope_dissector::link::Endpoint;
use warpscope_dissector::rules::{self, Rule};
use warpscope_wire::rdmap::{error_code_name, error_type_name, layer_name};

/// Upper bounds of the buckets of latencies, in seconds.
const LATENCIES: [f64; 19] = [
    1e-5, 2e-5, 5e-5, 1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0,
    2.0, 5.0, 10.0,
];
/// Upper bounds of the buckets of requests in flight.
const DEPTHS: [f64; 9] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0];

type Histograms<L> = Family<L, Histogram, fn() -> Histogram>;

fn latencies<L: Clone + Eq + std::hash::Hash>() -> Histograms<L> {
    Family::new_with_constructor(|| Histogram::new(LATENCIES))
}

fn depths<L: Clone + Eq + std::hash::Hash>() -> Histograms<L> {
    Family::new_with_constructor(|| Histogram::new(DEPTHS))
}

/// The responder of connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Server {
    /// A server with its address and port.
    At(Endpoint),
    /// A server that shares the label `other`.
    Other,
}

impl EncodeLabelValue for Server {
    fn encode(&self, encoder: &mut LabelValueEncoder<'_>) -> fmt::Result {
        match self {
            Self::At(endpoint) => write!(encoder, "{endpoint}"),
            Self::Other => encoder.write_str("other"),
        }
    }
}

/// Declares sets of labels; their values are copied.
macro_rules! labels {
    ($($name:ident { $($label:ident: $type:ty),+ })+) => {$(
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EncodeLabelSet)]
        pub(super) struct $name { $(pub(super) $label: $type),+ }
    )+};
}

labels! {
    OfBuild { version: &'static str, commit: &'static str }
    OfServer { server: Server }
    OfOperation { server: Server, operation: &'static str }
    OfOutcome { server: Server, operation: &'static str, outcome: &'static str }
    OfReply { server: Server, outcome: &'static str }
    OfProcedure { program: &'static str, version: u32, procedure: &'static str, operation: &'static str }
    OfTerminate { sender: &'static str, layer: &'static str, r#type: &'static str, code: &'static str }
    OfRule { rule: &'static str, level: &'static str }
    OfReason { reason: &'static str }
    OfPath { server: Server, protocol: &'static str, path: &'static str }
}

/// Labels of I/Os of one operation: one with its own label, or `other`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct OfIo {
    pub(super) server: Server,
    pub(super) protocol: &'static str,
    pub(super) operation: String,
    pub(super) outcome: &'static str,
}

/// Labels of the latencies of I/Os of one operation.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct OfIoTime {
    pub(super) protocol: &'static str,
    pub(super) operation: String,
}

/// Labels of the losses of an interface.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct OfInterface {
    pub(super) interface: String,
    pub(super) by: &'static str,
}

/// Declares the metrics: field, type, first value, name as it is queried, labels, meaning.
macro_rules! metrics {
    ($($field:ident: $type:ty = $new:expr, $name:literal, $labels:literal, $meaning:literal;)+) => {
        /// The metrics. Clones share their values.
        #[derive(Debug, Clone)]
        pub(super) struct Metrics { $(pub(super) $field: $type),+ }

        impl Metrics {
            /// Creates the metrics and the registry to read them from.
            pub(super) fn new() -> (Self, Registry) {
                let metrics = Self { $($field: $new),+ };
                let mut registry = Registry::default();
                $(register(&mut registry, $name, $meaning, metrics.$field.clone());)+
                metrics.begin();
                (metrics, registry)
            }
        }

        /// Name, type, labels and meaning of each.
        #[cfg(test)]
        pub(super) const DESCRIBED: &[[&str; 4]] = &[$([$name, stringify!($type), $labels, $meaning]),+];
    };
}

metrics! {
    build: Family<OfBuild, Gauge> = Family::default(), "warpscope_build_info", "version, commit",
        "1; the labels identify the version of warpscope";
    frames: Counter = Counter::default(), "warpscope_frames_total", "",
        "Frames captured";
    frame_bytes: Counter = Counter::default(), "warpscope_frame_bytes_total", "",
        "Bytes of the captured frames on the wire, including link headers";
    dropped: Family<OfInterface, Counter> = Family::default(), "warpscope_dropped_frames_total", "interface, by",
        "Frames that the kernel or the interface dropped, as counted by the system";
    connections: Family<OfServer, Counter> = Family::default(), "warpscope_connections_total", "server",
        "TCP connections in which iWARP was found";
    connections_open: Gauge = Gauge::default(), "warpscope_connections_open", "",
        "iWARP connections that were not ended by FINs or RST, and are still followed";
    rejects: Family<OfServer, Counter> = Family::default(), "warpscope_rejects_total", "server",
        "MPA replies that reject the connection";
    operations: Family<OfOutcome, Counter> = Family::default(), "warpscope_operations_total", "server, operation, outcome",
        "Operations that ended: completed, unanswered, lost (in what was not captured), refused (by a Terminate), or unsolicited (a response without request)";
    operation_bytes: Family<OfOperation, Counter> = Family::default(), "warpscope_operation_bytes_total", "server, operation",
        "Bytes of the user's data that completed operations moved";
    operation_latency: Histograms<OfOperation> = latencies(), "warpscope_operation_latency_seconds", "server, operation",
        "From the last segment of the request to the last of the response; without a response, from the first segment to the last";
    request_depth: Histograms<OfServer> = depths(), "warpscope_request_depth", "server",
        "Requests of a side that were waiting for their responses when one was sent, including that one";
    request_depth_limit: Family<OfServer, Gauge> = Family::default(), "warpscope_request_depth_limit", "server",
        "The limit of requests in flight (ORD and IRD) in the connection that last had a request, if it was negotiated";
    terminates: Family<OfTerminate, Counter> = Family::default(), "warpscope_terminates_total", "sender, layer, type, code",
        "Terminates";
    findings: Family<OfRule, Counter> = Family::default(), "warpscope_findings_total", "rule, level",
        "Breaches of the rules that `warpscope rules` lists";
    crc_errors: Family<OfServer, Counter> = Family::default(), "warpscope_crc_errors_total", "server",
        "FPDUs with a wrong CRC";
    skipped_bytes: Family<OfReason, Counter> = Family::default(), "warpscope_skipped_bytes_total", "reason",
        "Bytes of iWARP streams that were not captured or could not be decoded";
    repeated_bytes: Counter = Counter::default(), "warpscope_repeated_bytes_total", "",
        "TCP payload of iWARP connections that was retransmitted";
    ios: Family<OfIo, Counter> = Family::default(), "warpscope_ios_total", "server, protocol, operation, outcome",
        "I/Os of any upper layer protocol that ended: done, failed (answered, and not carried out), unanswered, or unexplained (an RDMA operation that belongs to no request)";
    io_bytes: Family<OfPath, Counter> = Family::default(), "warpscope_io_bytes_total", "server, protocol, path",
        "Data of I/Os: inline (in Sends), read (by RDMA Reads out of the requester's memory), written (by RDMA Writes into it)";
    io_latency: Histograms<OfIoTime> = latencies(), "warpscope_io_latency_seconds", "protocol, operation",
        "From the Send that completed the request to the Send of the answer";
    io_depth: Histograms<OfServer> = depths(), "warpscope_io_depth", "server",
        "Requests of a side without an answer when one was sent, including that one";
    rpc_calls: Family<OfServer, Counter> = Family::default(), "warpscope_rpc_calls_total", "server",
        "RPC-over-RDMA calls";
    rpc_replies: Family<OfReply, Counter> = Family::default(), "warpscope_rpc_replies_total", "server, outcome",
        "Replies to RPC-over-RDMA calls: accepted, refused (by the RPC header), or error (RDMA_ERROR)";
    rpc_latency: Histograms<OfProcedure> = latencies(), "warpscope_rpc_latency_seconds", "program, version, procedure, operation",
        "From the Send of the call to the Send of the reply; operation is the main operation of an NFSv4 COMPOUND";
    rpc_credits: Family<OfServer, Gauge> = Family::default(), "warpscope_rpc_credits_granted", "server",
        "Credits that the last reply granted";
    scrapes: Counter = Counter::default(), "warpscope_scrapes_total", "",
        "How often these metrics were read";
    memory: Gauge = Gauge::default(), "process_resident_memory_bytes", "",
        "Memory that warpscope uses, where the system reports it (Linux)";
}

/// The label value for anything without a name of its own.
pub(super) const OTHER: &str = "other";

// Prometheus sees the first event as an increase only if the counter started at 0.
impl Metrics {
    /// Sets the build information, and starts the counters of every rule and Terminate at 0.
    fn begin(&self) {
        let (version, commit) = (env!("CARGO_PKG_VERSION"), env!("WARPSCOPE_COMMIT"));
        let commit = commit.strip_prefix("commit ").unwrap_or(commit);
        self.build.get_or_create(&OfBuild { version, commit }).set(1);
        rules::all().for_each(|rule| drop(self.findings.get_or_create(&OfRule::of(rule))));
        let defined = (0..3).flat_map(|layer| (0..16).map(move |kind| (layer, kind)));
        for (layer, kind) in defined {
            for code in 0..=u8::MAX {
                for sender in ["initiator", "responder"] {
                    let labels = OfTerminate::defined(sender, layer, kind, code);
                    labels.iter().for_each(|it| drop(self.terminates.get_or_create(it)));
                }
            }
        }
    }

    /// Starts the counters of the operations of a kind at 0.
    pub(super) fn begin_operations(&self, of: OfOperation) {
        self.operation_bytes.get_or_create(&of).inc_by(0);
        for outcome in ["completed", "unanswered", "lost", "refused", "unsolicited"] {
            self.operations.get_or_create(&of.with(outcome)).inc_by(0);
        }
    }
}

impl OfOperation {
    pub(super) fn with(self, outcome: &'static str) -> OfOutcome {
        OfOutcome { server: self.server, operation: self.operation, outcome }
    }
}

impl OfRule {
    pub(super) fn of(rule: &Rule) -> Self {
        Self { rule: rule.id, level: rule.level.into() }
    }
}

impl OfTerminate {
    /// Returns the labels of a Terminate whose error code an RFC defines.
    pub(super) fn defined(
        sender: &'static str,
        layer: u8,
        error_type: u8,
        code: u8,
    ) -> Option<Self> {
        let (layer, r#type, code) = (
            layer_name(layer)?,
            error_type_name(layer, error_type)?,
            error_code_name(layer, error_type, code)?,
        );
        Some(Self { sender, layer, r#type, code })
    }

    /// Returns the labels of any other Terminate.
    pub(super) fn other(sender: &'static str) -> Self {
        Self { sender, layer: OTHER, r#type: OTHER, code: OTHER }
    }
}

/// Registers a metric by the name that it is queried by.
fn register(registry: &mut Registry, name: &str, meaning: &str, metric: impl Metric) {
    let name = name.strip_suffix("_total").unwrap_or(name);
    for unit in [Unit::Bytes, Unit::Seconds] {
        let stem = name.strip_suffix(unit.as_str()).and_then(|stem| stem.strip_suffix('_'));
        if let Some(stem) = stem {
            return registry.register_with_unit(stem, meaning, unit, metric);
        }
    }
    registry.register(name, meaning, metric);
}
