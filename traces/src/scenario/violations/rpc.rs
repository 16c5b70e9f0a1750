//! RPC-over-RDMA that breaks one rule a connection, and some that looks as if it did.

use super::super::catalogue::{
    BUFFER_OFFSET, Made, SINK, SOURCE, Scenario, payload, read_header, tagged,
};
use super::case::{Case, Cases};
use super::{rpc_exchanges, rpc_legal, rpc_messages};
use crate::Result;
use crate::conversation::{INITIATOR, RESPONDER};
use crate::message::{self, Target};
use crate::rpc;
use crate::session::Agreement;
use warpscope_wire::mpa::RdmaPrivateData;
use warpscope_wire::rdmap::Message;
use warpscope_wire::rpcrdma::{Chunks, ReadSegment, Segment};

pub(in crate::scenario) const SCENARIO: Scenario = Scenario {
    name: "violations-rpc",
    contains: "connections whose RPC-over-RDMA breaks a rule each; the last ones look as if they did",
    purpose: "each rule of RPC-over-RDMA is tripped where it is broken, and where it is not, not",
    make,
};

/// A procedure that brings little.
const GETATTR: u32 = 1;
/// Where the words of a transport header stand, in bytes.
pub(super) const VERSION: usize = 4;
pub(super) const CREDITS: usize = 8;
pub(super) const PROCEDURE: usize = 12;
/// Frames before the request: the TCP handshake.
const HANDSHAKE: usize = 3;

/// A connection that breaks a rule.
pub(super) struct Violation {
    /// The rule; `None` when all of it is legal.
    pub(super) rule: Option<&'static str>,
    /// Private data of the request and of the reply.
    pub(super) private_data: fn() -> Result<[Vec<u8>; 2]>,
    pub(super) play: fn(&mut Talk<'_>) -> Result<()>,
}

/// A connection with the usual private data.
pub(super) const fn breaks(rule: &'static str, play: fn(&mut Talk<'_>) -> Result<()>) -> Violation {
    Violation { rule: Some(rule), private_data: agreed, play }
}

fn make() -> Result<Made> {
    let mut cases = Cases::new(52_000);
    let tables = [rpc_messages::VIOLATIONS, rpc_exchanges::VIOLATIONS, rpc_legal::VIOLATIONS];
    for violation in tables.into_iter().flatten() {
        let private_data = (violation.private_data)()?;
        let agreement = Agreement { private_data, ..Agreement::default() };
        cases.new_connection(|case| {
            let rule = violation.rule;
            if let Some(rule) = rule.filter(|rule| rule.starts_with("rpc-private")) {
                case.breaks_later(rule, INITIATOR, HANDSHAKE);
            }
            case.session.open(&agreement)?;
            (violation.play)(&mut Talk { case, rule, wrong: None })
        })?;
    }
    Ok(cases.made())
}

/// Both sides support remote invalidation, and 4096 bytes inline.
pub(super) fn agreed() -> Result<[Vec<u8>; 2]> {
    let private_data = RdmaPrivateData::new(true, 4096, 4096)?.bytes().to_vec();
    Ok([private_data.clone(), private_data])
}

/// Two ends that talk RPC-over-RDMA; what they send may be illegal.
pub(super) struct Talk<'a> {
    case: &'a mut Case,
    rule: Option<&'static str>,
    /// How many frames behind the next one the rule is broken.
    wrong: Option<usize>,
}

impl Talk<'_> {
    /// What is sent next breaks the rule.
    pub(super) fn wrong(&mut self) -> &mut Self {
        self.wrong_in(0)
    }

    /// So many frames behind the next one, the rule is broken.
    pub(super) fn wrong_in(&mut self, later: usize) -> &mut Self {
        self.wrong = Some(later);
        self
    }

    fn send(&mut self, side: usize, message: Message, target: Target, bytes: &[u8]) -> Result<()> {
        if let (Some(later), Some(rule)) = (self.wrong.take(), self.rule) {
            self.case.breaks_later(rule, side, later);
        }
        self.case.send(side, message, target, bytes)
    }

    /// A Send of the initiator.
    pub(super) fn call(&mut self, bytes: &[u8]) -> Result<()> {
        self.send(INITIATOR, Message::Send, Target::Queue, bytes)
    }

    /// A Send of the responder.
    pub(super) fn answer(&mut self, bytes: &[u8]) -> Result<()> {
        self.send(RESPONDER, Message::Send, Target::Queue, bytes)
    }

    /// A Send with Invalidate of the responder.
    pub(super) fn answer_invalidating(&mut self, tag: u32, bytes: &[u8]) -> Result<()> {
        self.send(RESPONDER, Message::SendInvalidate, Target::Invalidate(tag), bytes)
    }

    /// A call and its reply without anything special, which grants 32 credits.
    pub(super) fn ordinary(&mut self, xid: u32) -> Result<()> {
        self.call(&plain_call(xid)?)?;
        self.answer(&plain_reply(xid)?)
    }

    /// An RDMA Write of the responder into the offered buffer.
    pub(super) fn write(&mut self, offset: u64, bytes: usize) -> Result<()> {
        self.write_bytes(offset, &payload(710, bytes))
    }

    /// An RDMA Write of these bytes.
    pub(super) fn write_bytes(&mut self, offset: u64, bytes: &[u8]) -> Result<()> {
        self.send(RESPONDER, Message::Write, tagged(offset), bytes)
    }

    /// An RDMA Read of the responder from the memory that [`source`] names.
    pub(super) fn read_request(&mut self, length: usize) -> Result<()> {
        let request = message::read_request(&read_header(length as u32));
        self.send(RESPONDER, Message::ReadRequest, Target::Queue, &request)
    }

    /// What answers it.
    pub(super) fn read_response(&mut self, bytes: &[u8]) -> Result<()> {
        self.send(INITIATOR, Message::ReadResponse, tagged(0), bytes)
    }

    /// An RDMA Read with its response.
    pub(super) fn read(&mut self, bytes: &[u8]) -> Result<()> {
        self.read_request(bytes.len())?;
        self.read_response(bytes)
    }
}

const SOURCE_OFFSET: u64 = 0x2000;

/// Memory of the initiator to be read.
pub(super) fn source(length: u32) -> Segment {
    Segment { handle: SOURCE, length, offset: SOURCE_OFFSET }
}

/// Memory of the initiator to be written to.
pub(super) fn sink(offset: u64, length: u32) -> Segment {
    Segment { handle: SINK, length, offset: BUFFER_OFFSET + offset }
}

/// A read list of these positions and lengths, all in the same memory.
pub(super) fn reads(list: &[(u32, u32)]) -> Chunks {
    let read = |(position, length): &(u32, u32)| ReadSegment {
        position: *position,
        target: source(*length),
    };
    Chunks { reads: list.iter().map(read).collect(), ..Chunks::default() }
}

/// A write list of chunks.
pub(super) fn writes(list: &[&[Segment]]) -> Chunks {
    Chunks { writes: list.iter().map(|chunk| chunk.to_vec()).collect(), ..Chunks::default() }
}

/// A reply chunk.
pub(super) fn reply_chunk(segments: &[Segment]) -> Chunks {
    Chunks { reply: Some(segments.to_vec()), ..Chunks::default() }
}

/// A call with chunks and 36 bytes of arguments: 76 bytes of RPC message.
pub(super) fn call_with(xid: u32, chunks: Chunks) -> Result<Vec<u8>> {
    rpc::message(xid, chunks, &rpc::call(xid, GETATTR, 36))
}

/// A reply with chunks.
pub(super) fn reply_with(xid: u32, chunks: Chunks) -> Result<Vec<u8>> {
    rpc::message(xid, chunks, &rpc::reply(xid, 40)?)
}

/// A call without chunks.
pub(super) fn plain_call(xid: u32) -> Result<Vec<u8>> {
    call_with(xid, Chunks::default())
}

/// A reply without chunks.
pub(super) fn plain_reply(xid: u32) -> Result<Vec<u8>> {
    reply_with(xid, Chunks::default())
}

/// The same bytes with another word at that place.
pub(super) fn patched(mut bytes: Vec<u8>, at: usize, word: u32) -> Vec<u8> {
    if let Some(place) = bytes.get_mut(at..at + 4) {
        place.copy_from_slice(&word.to_be_bytes());
    }
    bytes
}
