//! RPC messages from captures.

use crate::prelude::*;
use warpscope_wire::rpc::{ReplyBody, RpcView};
use warpscope_wire::rpcrdma::{Body, Segment};

/// An RPC message.
pub struct Message {
    pub procedure: Procedure,
    pub direction: Direction,
    /// The whole message.
    pub bytes: Vec<u8>,
    /// Where the arguments or results begin.
    pub body_at: usize,
    /// False for a message of which a part went through a chunk.
    pub whole: bool,
    /// Lengths of what a responder wrote into each chunk of the write list.
    pub write_chunks: Vec<usize>,
    /// What it shows, when it was made by hand.
    pub name: &'static str,
}

impl Message {
    pub fn body(&self) -> &[u8] {
        &self.bytes[self.body_at..]
    }
}

#[derive(Default)]
struct Collector {
    calls: HashMap<u32, Procedure>,
    messages: Vec<Message>,
}

impl Sink for Collector {
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
                if reply.body != accepted {
                    return;
                }
                (Direction::Reply, *procedure)
            }
        };
        let bytes = transport.rest.to_vec();
        let body_at = bytes.len() - body.len();
        let mut write_chunks = Vec::new();
        if direction == Direction::Reply {
            let length = |chunk: &Vec<Segment>| {
                chunk.iter().map(|segment| segment.length as usize).sum::<usize>()
            };
            write_chunks.extend(chunks.writes.iter().map(length));
        }
        let whole = chunks.reads.is_empty() && write_chunks.iter().sum::<usize>() == 0;
        self.messages.push(Message {
            procedure,
            direction,
            bytes,
            body_at,
            whole,
            write_chunks,
            name: "",
        });
    }
}

/// The calls and replies of a capture; those that are in Sends.
pub fn of(capture: &Path) -> Vec<Message> {
    let mut collector = Collector::default();
    run(capture, &mut collector);
    collector.messages
}
