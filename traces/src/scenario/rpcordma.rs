//! RPC-over-RDMA: every procedure, chunk lists, the transfers that they ask for.

use super::catalogue::{BUFFER_OFFSET, Made, SINK, SOURCE, Scenario, payload, read_header};
use crate::Result;
use crate::conversation::{INITIATOR, RESPONDER};
use crate::message::{self, Target};
use crate::packet::End;
use crate::rpc;
use crate::session::{Agreement, Session};
use warpscope_wire::mpa::RdmaPrivateData;
use warpscope_wire::rdmap::Message;
use warpscope_wire::rpcordma::{Chunks, ReadSegment, Segment, TransportError};

pub(super) const SCENARIOS: &[Scenario] = &[Scenario {
    name: "rpcordma",
    contains: "RDMA_MSG, NOMSG, MSGP, DONE and ERROR; read, write and reply chunks with their transfers; a Send of three segments",
    purpose: "RPC-over-RDMA headers and the chunks' transfers",
    make: rpcordma,
}];

const NFS_PORT: u16 = 20_049;
const READ: u32 = 6;
const WRITE: u32 = 7;
const GETATTR: u32 = 1;

fn segment(length: u32, offset: u64) -> Segment {
    Segment { handle: SINK, length, offset: BUFFER_OFFSET + offset }
}

fn read_list(position: u32, length: u32) -> Chunks {
    let target = Segment { handle: SOURCE, length, offset: 0x2000 };
    Chunks { reads: vec![ReadSegment { position, target }], ..Chunks::default() }
}

/// Fetches a read chunk: the responder asks, the initiator answers.
fn fetch(session: &mut Session, octets: usize) -> Result<()> {
    let request = message::read_request(&read_header(octets as u32));
    session.send(RESPONDER, Message::ReadRequest, Target::Queue, &request)?;
    session.send(
        INITIATOR,
        Message::ReadResponse,
        super::catalogue::tagged(0),
        &payload(700, octets),
    )
}

fn rpcordma() -> Result<Made> {
    let ends = [End::v4(1, 40_001), End::v4(2, NFS_PORT)];
    let mut session = Session::new(ends, [0x0a0b_0c0d, 0x0d0c_0b0a]);
    let private_data = RdmaPrivateData::new(true, 4096, 4096)?.octets().to_vec();
    session.open(&Agreement {
        private_data: [private_data.clone(), private_data],
        ..Agreement::default()
    })?;
    let call = |session: &mut Session, octets: &[u8]| {
        session.send(INITIATOR, Message::Send, Target::Queue, octets)
    };
    let answer = |session: &mut Session, octets: &[u8]| {
        session.send(RESPONDER, Message::Send, Target::Queue, octets)
    };
    let none = Chunks::default;
    // A call and a reply without chunks.
    call(&mut session, &rpc::message(1, none(), &rpc::call(1, GETATTR, 36))?)?;
    answer(&mut session, &rpc::message(1, none(), &rpc::reply(1, 88)?)?)?;
    // A read chunk in the middle of the call; the reply invalidates its Steering Tag.
    call(&mut session, &rpc::message(2, read_list(100, 2000), &rpc::call(2, WRITE, 60))?)?;
    fetch(&mut session, 2000)?;
    let reply = rpc::message(2, none(), &rpc::reply(2, 40)?)?;
    session.send(RESPONDER, Message::SendInvalidate, Target::Invalidate(SOURCE), &reply)?;
    // A write chunk of two segments.
    let writes = Chunks { writes: vec![vec![segment(1500, 0), segment(500, 0x1000)]], ..none() };
    call(&mut session, &rpc::message(3, writes.clone(), &rpc::call(3, READ, 60))?)?;
    session.send(RESPONDER, Message::Write, super::catalogue::tagged(0), &payload(701, 1500))?;
    session.send(
        RESPONDER,
        Message::Write,
        super::catalogue::tagged(0x1000),
        &payload(702, 500),
    )?;
    answer(&mut session, &rpc::message(3, writes, &rpc::reply(3, 24)?)?)?;
    // A long call: all of it in a read chunk at position 0.
    call(&mut session, &rpc::no_message(4, read_list(0, 3000))?)?;
    fetch(&mut session, 3000)?;
    answer(&mut session, &rpc::message(4, none(), &rpc::reply(4, 4)?)?)?;
    // A long reply: all of it in the reply chunk.
    let long_reply = Chunks { reply: Some(vec![segment(4000, 0)]), ..none() };
    call(&mut session, &rpc::message(5, long_reply.clone(), &rpc::call(5, READ, 36))?)?;
    session.send(RESPONDER, Message::Write, super::catalogue::tagged(0), &payload(703, 4000))?;
    answer(&mut session, &rpc::no_message(5, long_reply)?)?;
    // 28 octets of transport header, 40 of call header, 3432 of arguments: three segments.
    call(&mut session, &rpc::message(6, none(), &rpc::call(6, WRITE, 3432))?)?;
    answer(&mut session, &rpc::message(6, none(), &rpc::reply(6, 40)?)?)?;
    // The two reserved procedures, and errors.
    call(&mut session, &rpc::message_padded(7, 4, 1024, &rpc::call(7, GETATTR, 36))?)?;
    answer(&mut session, &rpc::error(7, 1, TransportError::Chunk)?)?;
    call(&mut session, &rpc::done(8))?;
    let unknown_version = rpc::message(9, none(), &rpc::call(9, GETATTR, 36))?;
    call(&mut session, &rpc::with_version(unknown_version, 2))?;
    answer(&mut session, &rpc::error(9, 2, TransportError::Version { low: 1, high: 1 })?)?;
    session.conversation.close(INITIATOR);
    Ok(Made::one(session))
}
