//! RPC-over-RDMA that breaks one rule each, and some that looks as if it did. No files are made of
//! these: tests judge them as they are.

use super::catalogue::{BUFFER_OFFSET, Made, SINK, SOURCE, payload, read_header};
use super::violations_rpc_messages as messages;
use super::{violations_rpc_exchanges as exchanges, violations_rpc_legal as legal};
use crate::Result;
use crate::capture::file_octets;
use crate::conversation::{INITIATOR, RESPONDER};
use crate::message::{self, Target};
use crate::packet::End;
use crate::rpc;
use crate::session::{Agreement, Session};
use warpscope_wire::mpa::RdmaPrivateData;
use warpscope_wire::rdmap::Message;
use warpscope_wire::rpcordma::{Chunks, ReadSegment, Segment};

const NFS_PORT: u16 = 20_049;
/// A procedure that brings little.
const GETATTR: u32 = 1;
/// Where the words of a transport header stand, in octets.
pub(super) const VERSION: usize = 4;
pub(super) const CREDITS: usize = 8;
pub(super) const PROCEDURE: usize = 12;

/// A connection that breaks a rule.
#[derive(Debug, Clone, Copy)]
pub struct Violation {
    /// The rule; `None` when all of it is legal.
    pub rule: Option<&'static str>,
    /// What is done.
    pub what: &'static str,
    /// Private data of the request and of the reply.
    pub(super) private_data: fn() -> Result<[Vec<u8>; 2]>,
    pub(super) play: fn(&mut Talk) -> Result<()>,
}

impl Violation {
    /// The octets of a pcap with the connection.
    ///
    /// # Errors
    /// When a message would be illegal that is not meant to be.
    pub fn file_octets(&self) -> Result<Vec<u8>> {
        let ends = [End::v4(1, 40_002), End::v4(2, NFS_PORT)];
        let mut session = Session::new(ends, [0x2a0b_0c0d, 0x2d0c_0b0a]);
        let private_data = (self.private_data)()?;
        session.open(&Agreement { private_data, ..Agreement::default() })?;
        let mut talk = Talk { session };
        (self.play)(&mut talk)?;
        talk.session.conversation.close(INITIATOR);
        let made = Made::one(talk.session);
        file_octets(&made.frames, made.format)
            .map_err(|source| crate::TraceError::Io { name: self.what.to_owned(), source })
    }
}

/// Every one of them.
pub fn all() -> impl Iterator<Item = &'static Violation> {
    [messages::VIOLATIONS, exchanges::VIOLATIONS, legal::VIOLATIONS].into_iter().flatten()
}

/// Both sides support remote invalidation, and 4096 octets inline.
pub(super) fn agreed() -> Result<[Vec<u8>; 2]> {
    let private_data = RdmaPrivateData::new(true, 4096, 4096)?.octets().to_vec();
    Ok([private_data.clone(), private_data])
}

/// Two ends that talk RPC-over-RDMA; what they send may be illegal.
#[derive(Debug)]
pub(super) struct Talk {
    session: Session,
}

impl Talk {
    /// A Send of the initiator.
    pub(super) fn call(&mut self, octets: &[u8]) -> Result<()> {
        self.session.send(INITIATOR, Message::Send, Target::Queue, octets)
    }

    /// A Send of the responder.
    pub(super) fn answer(&mut self, octets: &[u8]) -> Result<()> {
        self.session.send(RESPONDER, Message::Send, Target::Queue, octets)
    }

    /// A Send with Invalidate of the responder.
    pub(super) fn answer_invalidating(&mut self, tag: u32, octets: &[u8]) -> Result<()> {
        self.session.send(RESPONDER, Message::SendInvalidate, Target::Invalidate(tag), octets)
    }

    /// A call and its reply without anything special, which grants 32 credits.
    pub(super) fn ordinary(&mut self, xid: u32) -> Result<()> {
        self.call(&plain_call(xid)?)?;
        self.answer(&plain_reply(xid)?)
    }

    /// An RDMA Write of the responder into the offered buffer.
    pub(super) fn write(&mut self, offset: u64, octets: usize) -> Result<()> {
        self.write_octets(offset, &payload(710, octets))
    }

    /// An RDMA Write of these octets.
    pub(super) fn write_octets(&mut self, offset: u64, octets: &[u8]) -> Result<()> {
        let tagged = super::catalogue::tagged(offset);
        self.session.send(RESPONDER, Message::Write, tagged, octets)
    }

    /// An RDMA Read of the responder from the memory that [`source`] names, answered with these octets.
    pub(super) fn read(&mut self, octets: &[u8]) -> Result<()> {
        let request = message::read_request(&read_header(octets.len() as u32));
        self.session.send(RESPONDER, Message::ReadRequest, Target::Queue, &request)?;
        let sink = super::catalogue::tagged(0);
        self.session.send(INITIATOR, Message::ReadResponse, sink, octets)
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

/// A call with chunks and 36 octets of arguments: 76 octets of RPC message.
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

/// The same octets with another word at that place.
pub(super) fn patched(mut octets: Vec<u8>, at: usize, word: u32) -> Vec<u8> {
    if let Some(place) = octets.get_mut(at..at + 4) {
        place.copy_from_slice(&word.to_be_bytes());
    }
    octets
}
