//! A sink that counts what the pipeline finds.

use super::metrics::{
    Metrics, OTHER, OfIo, OfIoTime, OfOperation, OfPath, OfProcedure, OfReason, OfReply, OfRule,
    OfServer, OfTerminate, Server,
};
use std::collections::{HashMap, HashSet};
use warpscope_dissector::flow::Connection;
use warpscope_dissector::link::Endpoint;
use warpscope_dissector::mpa::{CrcVerdict, Side, SkipReason};
use warpscope_dissector::operation::{Event, OperationItem, Reading};
use warpscope_dissector::pipeline::{Item, ItemContext, PacketItem, Sink};
use warpscope_dissector::rules::Finding;
use warpscope_dissector::statistics::{ProcedureKey, refuses};
use warpscope_dissector::stream::SegmentDisposition;
use warpscope_dissector::ulp::Io;
use warpscope_dissector::ulp::rpc::{RpcItem, RpcKind};
use warpscope_wire::rdmap::TerminateView;

/// The most operations of I/Os that have a label of their own.
const MOST_OPERATIONS: usize = 256;

/// Totals for the summary line.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sums {
    pub(super) frames: u64,
    pub(super) connections: u64,
    /// Completed operations.
    pub(super) operations: u64,
    pub(super) terminates: u64,
    pub(super) findings: u64,
}

/// The sink that updates the metrics.
pub(super) struct Count {
    metrics: Metrics,
    most_servers: usize,
    servers: HashSet<Endpoint>,
    /// The operations of I/Os that have a label of their own.
    operations: HashSet<String>,
    /// The server of each open connection.
    live: HashMap<u32, Server>,
    pub(super) sums: Sums,
    /// The connection of the current packet.
    current: Option<u32>,
}

impl Count {
    /// Creates a counter that gives at most `most_servers` servers a label of their own.
    pub(super) fn new(metrics: Metrics, most_servers: usize) -> Self {
        Self {
            metrics,
            most_servers,
            servers: HashSet::new(),
            operations: HashSet::new(),
            live: HashMap::new(),
            sums: Sums::default(),
            current: None,
        }
    }

    pub(super) fn finding(&mut self, finding: &Finding) {
        self.sums.findings += 1;
        self.metrics.findings.get_or_create(&OfRule::of(finding.rule)).inc();
    }

    /// Returns the server of a connection; counts a new connection.
    fn server(&mut self, context: &ItemContext<'_>) -> Server {
        if let Some(server) = self.live.get(&context.connection.number) {
            return *server;
        }
        let server = responder(context);
        let known = self.servers.contains(&server)
            || (self.servers.len() < self.most_servers && self.servers.insert(server));
        let server = if known { Server::At(server) } else { Server::Other };
        self.sums.connections += 1;
        self.metrics.connections.get_or_create(&OfServer { server }).inc();
        for errors in [&self.metrics.rejects, &self.metrics.crc_errors] {
            errors.get_or_create(&OfServer { server }).inc_by(0);
        }
        self.live.insert(context.connection.number, server);
        server
    }

    fn operation(&mut self, server: Server, context: &ItemContext<'_>, item: &OperationItem<'_>) {
        let (metrics, operation) = (&self.metrics, item.operation);
        let labels = OfOperation { server, operation: operation.kind.name() };
        if metrics.operation_bytes.get(&labels).is_none() {
            metrics.begin_operations(labels);
        }
        let outcome = match item.event {
            Event::Requested => {
                let depth = operation.depth.into();
                metrics.request_depth.get_or_create(&OfServer { server }).observe(depth);
                if let Some(limit) = context.negotiation.depth(context.side) {
                    let limits = &metrics.request_depth_limit;
                    limits.get_or_create(&OfServer { server }).set(limit.into());
                }
                return;
            }
            Event::Completed => {
                metrics.operation_bytes.get_or_create(&labels).inc_by(operation.bytes());
                if let Some(latency) = operation.latency() {
                    metrics.operation_latency.get_or_create(&labels).observe(seconds(latency));
                }
                "completed"
            }
            Event::Terminated(_, bytes) => {
                self.sums.terminates += 1;
                metrics.terminates.get_or_create(&terminate(context, bytes)).inc();
                "completed"
            }
            Event::Abandoned => operation.outcome.word(),
            Event::Refused(_) => "refused",
            Event::Unsolicited => "unsolicited",
        };
        self.sums.operations += 1;
        metrics.operations.get_or_create(&labels.with(outcome)).inc();
    }

    fn io(&mut self, server: Server, io: &Io) {
        let known = self.operations.contains(&*io.operation)
            || (self.operations.len() < MOST_OPERATIONS
                && self.operations.insert(io.operation.to_string()));
        let operation = if known { &*io.operation } else { OTHER }.to_owned();
        let (metrics, protocol) = (&self.metrics, io.ulp.name());
        let outcome = match () {
            () if io.unexplained.is_some() => "unexplained",
            () if io.failed() => "failed",
            () if io.completed.is_some() => "done",
            () => "unanswered",
        };
        let of = OfIo { server, protocol, operation, outcome };
        metrics.ios.get_or_create(&of).inc();
        let paths =
            [("inline", io.bytes.inline()), ("read", io.bytes.read), ("written", io.bytes.written)];
        for (path, bytes) in paths {
            metrics.io_bytes.get_or_create(&OfPath { server, protocol, path }).inc_by(bytes);
        }
        if io.unexplained.is_none() {
            metrics.io_depth.get_or_create(&OfServer { server }).observe(io.depth.into());
        }
        if let Some(latency) = io.latency() {
            let of = OfIoTime { protocol, operation: of.operation };
            metrics.io_latency.get_or_create(&of).observe(seconds(latency));
        }
    }

    fn rpc(&mut self, server: Server, item: &RpcItem<'_>) {
        let metrics = &self.metrics;
        let outcome = match item.kind {
            RpcKind::Call => None,
            RpcKind::Error => Some("error"),
            RpcKind::Reply if refuses(item) => Some("refused"),
            RpcKind::Reply => Some("accepted"),
        };
        match outcome {
            None => drop(metrics.rpc_calls.get_or_create(&OfServer { server }).inc()),
            Some(outcome) => {
                metrics.rpc_replies.get_or_create(&OfReply { server, outcome }).inc();
                let credits = metrics.rpc_credits.get_or_create(&OfServer { server });
                credits.set(item.credits.into());
            }
        }
        let key = ProcedureKey::of(item);
        if let (RpcKind::Reply, Some(key), Some(latency)) = (item.kind, key, item.latency()) {
            metrics.rpc_latency.get_or_create(&procedure(&key)).observe(seconds(latency));
        }
    }
}

impl Sink for Count {
    fn packet(&mut self, item: &PacketItem<'_>) {
        self.sums.frames += 1;
        self.metrics.frames.inc();
        self.metrics.frame_bytes.inc_by(item.frame.original_length.into());
        self.current = item.tcp.map(|tcp| tcp.stream);
    }

    fn disposition(&mut self, disposition: SegmentDisposition) {
        if self.current.is_some_and(|number| self.live.contains_key(&number)) {
            self.metrics.repeated_bytes.inc_by(disposition.repeated.into());
        }
    }

    fn item(&mut self, context: &ItemContext<'_>, item: &Item<'_>) {
        if matches!(item, Item::PlainRpc(_)) {
            return;
        }
        let server = self.server(context);
        match item {
            Item::Setup(setup) if setup.view.header.rejected() => {
                self.metrics.rejects.get_or_create(&OfServer { server }).inc();
            }
            Item::Segment(segment) if segment.fpdu.crc == CrcVerdict::Bad => {
                self.metrics.crc_errors.get_or_create(&OfServer { server }).inc();
            }
            Item::Skipped(skipped) => {
                let reason = match skipped.reason {
                    SkipReason::Gap(reason) => reason.into(),
                    reason => reason.into(),
                };
                let bytes = self.metrics.skipped_bytes.get_or_create(&OfReason { reason });
                bytes.inc_by(skipped.length);
            }
            Item::Operation(item) => self.operation(server, context, item),
            Item::Rpc(item) => self.rpc(server, item),
            Item::Io(item) => self.io(server, item.io()),
            Item::Setup(_) | Item::Segment(_) | Item::PlainRpc(_) | Item::Ulp(_) => {}
        }
    }

    fn connection_left(&mut self, connection: &Connection) {
        self.live.remove(&connection.info.number);
    }
}

/// Returns the sender of the MPA reply; without a captured setup, who sent no SYN, else the lower port.
fn responder(context: &ItemContext<'_>) -> Endpoint {
    let info = context.connection;
    let [first, second] = info.ends;
    match context.negotiation.initiator() {
        Some(Side(0)) => second,
        Some(_) => first,
        None if info.handshake || second.port < first.port => second,
        None => first,
    }
}

fn terminate(context: &ItemContext<'_>, bytes: &[u8]) -> OfTerminate {
    let sender = match context.negotiation.initiator() {
        None => "unknown",
        Some(initiator) if initiator == context.side => "initiator",
        Some(_) => "responder",
    };
    let Ok(view) = TerminateView::parse(bytes) else { return OfTerminate::other(sender) };
    let Reading { layer, error_type, error_code, .. } = Reading::of(&view);
    OfTerminate::defined(sender, layer, error_type, error_code)
        .unwrap_or(OfTerminate::other(sender))
}

/// Returns the labels of a procedure; procedures without a name share one label.
fn procedure(key: &ProcedureKey) -> OfProcedure {
    match (*key, key.names()) {
        (ProcedureKey::Known { version, operation, .. }, (Some(program), Some(procedure))) => {
            OfProcedure { program, version, procedure, operation: operation.unwrap_or_default() }
        }
        (_, (program, _)) => OfProcedure {
            program: program.unwrap_or(OTHER),
            version: 0,
            procedure: OTHER,
            operation: "",
        },
    }
}

fn seconds(nanoseconds: i64) -> f64 {
    nanoseconds.max(0) as f64 / 1e9
}
