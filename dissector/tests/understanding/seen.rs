//! Runs a shipped capture through the pipeline and keeps what was found.

use std::path::Path;
use warpscope_dissector::capture::CaptureReader;
use warpscope_dissector::operation::{Echo, Event, Operation};
use warpscope_dissector::pipeline::{Item, ItemContext, Options, PacketItem, Pipeline, Sink};
use warpscope_dissector::rpc::{CallRecord, ChunkUse, RpcKind};
use warpscope_dissector::tree::explanation;

/// What happened to an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Happened {
    Requested,
    Completed,
    Abandoned,
    Terminated,
    Refused,
    Unsolicited,
}

/// An operation, in its connection, and what happened.
#[derive(Debug, Clone)]
pub struct SeenOperation {
    pub connection: u32,
    pub happened: Happened,
    pub operation: Operation,
    /// The limit of requests in flight.
    pub depth_limit: Option<u16>,
    /// The frame of the segment that a Terminate refuses.
    pub cause: Option<u64>,
    pub explanation: Option<String>,
}

/// An RPC message.
#[derive(Debug, Clone)]
pub struct SeenRpc {
    pub connection: u32,
    pub kind: RpcKind,
    pub xid: u32,
    pub whole: bool,
    pub message: Vec<u8>,
    pub chunks: Vec<ChunkUse>,
    pub call: Option<CallRecord>,
}

/// Everything that was found.
#[derive(Debug, Default)]
pub struct Seen {
    pub operations: Vec<SeenOperation>,
    pub rpcs: Vec<SeenRpc>,
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
                chunks: item.chunks.to_vec(),
                call: item.call.copied(),
            }),
            Item::Setup(_) | Item::Segment(_) | Item::Skipped(_) => {}
        }
    }
}

/// Reads a capture of `traces/`.
pub fn see(file: &str) -> Seen {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../traces").join(file);
    let mut reader = CaptureReader::open(&path).unwrap();
    let mut pipeline = Pipeline::new(Options::default());
    let mut seen = Seen::default();
    while let Some(frame) = reader.next_frame().unwrap() {
        pipeline.frame(&frame, &mut seen);
    }
    pipeline.finish(&mut seen);
    seen
}

impl Seen {
    /// The operations that something happened to.
    pub fn that(&self, happened: Happened) -> impl Iterator<Item = &SeenOperation> {
        self.operations.iter().filter(move |seen| seen.happened == happened)
    }
}
