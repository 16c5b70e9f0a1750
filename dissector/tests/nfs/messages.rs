//! RPC messages from captures.

use std::collections::HashMap;
use std::path::Path;
use warpscope_dissector::capture::CaptureReader;
use warpscope_dissector::nfs::{Direction, Procedure};
use warpscope_dissector::pipeline::{Item, ItemContext, PacketItem, Pipeline, Sink};
use warpscope_wire::rpc::{ReplyBody, RpcView};
use warpscope_wire::rpcordma::Body;

/// An RPC message that stands in one piece.
pub struct Message {
    pub procedure: Procedure,
    pub direction: Direction,
    /// The whole message.
    pub octets: Vec<u8>,
    /// Where the arguments or results begin.
    pub body_at: usize,
    /// False for a call of which a part went through a read chunk: it is there for its reply.
    pub whole: bool,
}

impl Message {
    pub fn body(&self) -> &[u8] {
        &self.octets[self.body_at..]
    }
}

#[derive(Default)]
struct Collector {
    calls: HashMap<u32, Procedure>,
    messages: Vec<Message>,
}

impl Sink for Collector {
    fn packet(&mut self, _: &PacketItem<'_>) {}

    fn item(&mut self, _: &ItemContext<'_>, item: &Item<'_>) {
        let Item::Segment(segment) = item else { return };
        let Some(transport) = segment.completed.as_ref().and_then(|done| done.transport.as_ref())
        else {
            return;
        };
        let Body::Message(chunks) = &transport.header.body else { return };
        let Ok((view, body)) = RpcView::parse(transport.rest) else { return };
        let (direction, procedure) = match view {
            RpcView::Call(call) => {
                let procedure = Procedure {
                    program: call.program,
                    version: call.program_version,
                    procedure: call.procedure,
                };
                self.calls.insert(call.xid, procedure);
                (Direction::Call, procedure)
            }
            RpcView::Reply(reply) => {
                let accepted = ReplyBody::Accepted {
                    accept_status: 0,
                    mismatch: None,
                    verifier: match reply.body {
                        ReplyBody::Accepted { verifier, .. } => verifier,
                        _ => return,
                    },
                };
                let Some(procedure) = self.calls.get(&reply.xid) else { return };
                let moved = chunks.writes.iter().flatten().any(|segment| segment.length > 0);
                if reply.body != accepted || moved {
                    return;
                }
                (Direction::Reply, *procedure)
            }
        };
        let octets = transport.rest.to_vec();
        let body_at = octets.len() - body.len();
        let whole = chunks.reads.is_empty();
        self.messages.push(Message { procedure, direction, octets, body_at, whole });
    }
}

/// The calls and replies of a capture that stand in one piece.
pub fn of(capture: &Path) -> Vec<Message> {
    let mut reader = CaptureReader::open(capture).unwrap();
    let mut pipeline = Pipeline::default();
    let mut collector = Collector::default();
    while let Some(frame) = reader.next_frame().unwrap() {
        pipeline.frame(&frame, &mut collector);
    }
    pipeline.finish(&mut collector);
    collector.messages
}
