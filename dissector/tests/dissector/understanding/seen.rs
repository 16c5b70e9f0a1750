//! Runs a shipped capture through the pipeline and keeps what was found.

use crate::support::captures::{run, traces};
use warpscope_dissector::operation::{Echo, Event, Operation};
use warpscope_dissector::pipeline::{Item, ItemContext, PacketItem, Sink};
use warpscope_dissector::rpc::{CallRecord, ChunkUse, RpcKind};
use warpscope_dissector::tree::explanation;

/// What happened to an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Happened {
    Requested,
    Completed,
    Abandoned,
    Terminated,
    Refused,
    Unsolicited,
}

/// An operation, in its connection, and what happened.
#[derive(Debug, Clone)]
pub(crate) struct SeenOperation {
    pub(crate) connection: u32,
    pub(crate) happened: Happened,
    pub(crate) operation: Operation,
    /// The limit of requests in flight.
    pub(crate) depth_limit: Option<u16>,
    /// The frame of the segment that a Terminate refuses.
    pub(crate) cause: Option<u64>,
    pub(crate) explanation: Option<String>,
}

/// An RPC message.
#[derive(Debug, Clone)]
pub(crate) struct SeenRpc {
    pub(crate) connection: u32,
    pub(crate) kind: RpcKind,
    pub(crate) xid: u32,
    pub(crate) whole: bool,
    pub(crate) message: Vec<u8>,
    pub(crate) write_chunks: Vec<Vec<u8>>,
    pub(crate) chunks: Vec<ChunkUse>,
    pub(crate) call: Option<CallRecord>,
}

/// Everything that was found.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    pub(crate) operations: Vec<SeenOperation>,
    pub(crate) rpcs: Vec<SeenRpc>,
}

impl Sink for Seen {
    fn packet(&mut self, _packet: &PacketItem<'_>) {}

    fn item(&mut self, context: &ItemContext<'_>, item: &Item<'_>) {
        let connection = context.connection.number;
        match item {
            Item::Operation(item) => {
                let happened = match item.event {
                    Event::Requested => Happened::Requested,
                    Event::Completed => Happened::Completed,
                    Event::Abandoned => Happened::Abandoned,
                    Event::Terminated(..) => Happened::Terminated,
                    Event::Refused(_) => Happened::Refused,
                    Event::Unsolicited => Happened::Unsolicited,
                };
                let cause = match item.event {
                    Event::Terminated(cause, _) => cause.segment.map(|segment| segment.frame),
                    _ => None,
                };
                self.operations.push(SeenOperation {
                    connection,
                    happened,
                    operation: *item.operation,
                    depth_limit: context.negotiation.depth(item.operation.requester),
                    cause,
                    explanation: explanation(context, item, Echo::Told),
                });
            }
            Item::Rpc(item) | Item::PlainRpc(item) => self.rpcs.push(SeenRpc {
                connection,
                kind: item.kind,
                xid: item.xid,
                whole: item.whole,
                message: item.message.to_vec(),
                write_chunks: item.write_chunks.iter().map(|chunk| chunk.to_vec()).collect(),
                chunks: item.chunks.to_vec(),
                call: item.call.copied(),
            }),
            Item::Setup(_) | Item::Segment(_) | Item::Skipped(_) => {}
        }
    }
}

/// Reads a capture of `traces/`.
pub(crate) fn see(file: &str) -> Seen {
    let mut seen = Seen::default();
    run(&traces().join(file), &mut seen);
    seen
}

impl Seen {
    /// The operations that something happened to.
    pub(crate) fn that(&self, happened: Happened) -> impl Iterator<Item = &SeenOperation> {
        self.operations.iter().filter(move |seen| seen.happened == happened)
    }
}
